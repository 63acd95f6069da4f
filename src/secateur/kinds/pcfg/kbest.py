"""The k best derivations of a chart, found lazily (Huang & Chiang 2005, algorithm 3).

A vertex is an item (i, k, label) either whole or without its unary. Each keeps its derivations found so
far, best first, and a heap of candidates; the next one is computed only when a parent asks for it. The
order is that of the kernels (cky.py), so the first derivation is Viterbi's.

With sub-symbols a tree has no end of derivations. A vertex then keeps the best one of each tree: nothing is
lost by it, as the parts of a tree's best derivation are the best of theirs.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from secateur.grammar.derivation import BINARY, LEXICAL, UNARY, Steps
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import Anchors, Rules

Vertex = tuple[int, int, int, bool]  # i, k, label, whether with its unary
_T = TypeVar("_T")
# Asks for the candidates of other vertices by their rank, and is sent them.
_Search: TypeAlias = Generator[tuple[Vertex, int], "Candidate | None", _T]


class Candidate(NamedTuple):
    """A hyperedge and which derivation of each tail it takes; sorts best first, ties as in the kernels."""

    loss: float  # minus the score
    kind: int  # the item itself before a unary over it
    rule: int
    inner: float  # minus left + right
    split: int
    ranks: tuple[int, ...]
    score: np.float32


@dataclass(slots=True)
class _Found:
    """One vertex's derivations and candidates."""

    best: list[Candidate] = field(default_factory=list)
    trees: list[int] = field(default_factory=list)  # of these, where only one of each tree is kept
    last: Candidate | None = None  # that left the heap
    heap: list[Candidate] = field(default_factory=list)
    seen: set[tuple[int, int, int, tuple[int, ...]]] = field(default_factory=set)


class Alike(NamedTuple):
    """What makes no difference to a tree has the same number."""

    symbol: Sequence[int]  # [N]
    unary: Sequence[int]  # [U]

    @classmethod
    def of(cls, grammar: PCFG) -> Alike | None:
        """Symbols of one label; None where there are none."""
        number, path = numbers(grammar.unsplit), numbers(grammar.unary.path)
        return cls(number, path) if len(set(number)) < len(number) else None


def numbers(things: Sequence[Hashable]) -> list[int]:
    """The same for those that are equal."""
    found: dict[Hashable, int] = {}
    return [found.setdefault(thing, len(found)) for thing in things]


class KBest:
    """Derivations of the whole sentence, by rank; of those that are alike the best."""

    def __init__(self, rules: Rules, chart: cky.Chart, anchors: Anchors, alike: Alike | None = None) -> None:
        self.rules = rules
        self.alike = alike
        self.chart = chart
        self.anchors = anchors
        self._found: dict[Vertex, _Found] = {}
        self._trees: dict[Hashable, int] = {}
        self._top: Vertex = (0, chart.words, rules.start, True)

    def derivation(self, rank: int) -> tuple[Steps, float] | None:
        """The steps and score of the derivation with this rank, from 0; None where there are fewer."""
        if cky.item_of(self.chart, *self._top[:3]) < 0:
            return None
        found = self._get(self._top, rank)
        return None if found is None else (self._unfold(found), float(found.score))

    def _get(self, vertex: Vertex, rank: int) -> Candidate | None:
        """The candidate of this rank; a stack of searches, since trees are deeper than Python recurses."""
        searches = [self._search(vertex, rank)]
        found: Candidate | None = None
        while searches:
            try:
                asked = searches[-1].send(found)
            except StopIteration as stop:
                searches.pop()
                found = stop.value
            else:
                searches.append(self._search(*asked))
                found = None
        return found

    def _search(self, vertex: Vertex, rank: int) -> _Search[Candidate | None]:
        if vertex not in self._found:
            first = self._first(vertex)
            heapq.heapify(first)
            keys = {(c.kind, c.rule, c.split, c.ranks) for c in first}
            self._found[vertex] = _Found(heap=first, seen=keys)
        state = self._found[vertex]
        while len(state.best) <= rank:
            # Successors of the last one found enter only now: that is the laziness.
            if state.last is not None:
                yield from self._successors(vertex, state, state.last)
            if not state.heap:
                return None
            state.last = heapq.heappop(state.heap)
            if self.alike is not None:
                tree = yield from self._tree(vertex, state.last, self.alike)
                if tree in state.trees:
                    continue
                state.trees.append(tree)
            state.best.append(state.last)
        return state.best[rank]

    def _first(self, vertex: Vertex) -> list[Candidate]:
        """Every hyperedge into a vertex, with the best of each tail."""
        i, k, x, whole = vertex
        item = cky.item_of(self.chart, i, k, x)
        base = self.chart.base[item]
        if whole:
            found = [Candidate(-float(base), 0, -1, 0.0, 0, (0,), base)]
            for rule, score in zip(
                *cky.unaries_into(self.rules, self.chart, self.anchors, i, k, x), strict=True
            ):
                found.append(Candidate(-float(score), 1, int(rule), 0.0, 0, (0,), score))
            return [candidate for candidate in found if candidate.score > -np.inf]
        if k == i + 1:
            return [Candidate(-float(base), 0, -1, 0.0, 0, (), base)]
        bonus = self._bonus(i, k, x)
        found = []
        for rule, split, inner in zip(*cky.binaries_into(self.rules, self.chart, i, k, x), strict=True):
            score = np.float32(np.float32(inner + self.rules.rule_weight[rule]) + bonus)
            found.append(Candidate(-float(score), 0, int(rule), -float(inner), int(split), (0, 0), score))
        return [candidate for candidate in found if candidate.score > -np.inf]

    def _tree(self, vertex: Vertex, candidate: Candidate, alike: Alike) -> _Search[int]:
        """The number of a candidate's tree."""
        below = []
        for tail, rank in zip(self._tails(vertex, candidate), candidate.ranks, strict=True):
            yield tail, rank
            below.append(self._found[tail].trees[rank])
        label, unary = alike.symbol[vertex[2]], -1
        if vertex[3]:
            if not candidate.kind:
                return below[0]
            unary = alike.unary[candidate.rule]
        return self._trees.setdefault((label, unary, *below), len(self._trees))

    def _successors(self, vertex: Vertex, state: _Found, last: Candidate) -> _Search[None]:
        for position in range(len(last.ranks)):
            ranks = tuple(r + (position == p) for p, r in enumerate(last.ranks))
            key = (last.kind, last.rule, last.split, ranks)
            if key in state.seen:
                continue
            state.seen.add(key)
            following = yield from self._score(vertex, last, ranks)
            if following is not None:
                heapq.heappush(state.heap, following)

    def _score(self, vertex: Vertex, last: Candidate, ranks: tuple[int, ...]) -> _Search[Candidate | None]:
        tails = []
        for tail, rank in zip(self._tails(vertex, last), ranks, strict=True):
            found = yield tail, rank
            if found is None:
                return None
            tails.append(found.score)
        i, k, x, _ = vertex
        if len(tails) == 2:
            inner = np.float32(tails[0] + tails[1])
            score = np.float32(np.float32(inner + self.rules.rule_weight[last.rule]) + self._bonus(i, k, x))
            return Candidate(-float(score), 0, last.rule, -float(inner), last.split, ranks, score)
        score = tails[0]
        if last.kind:
            score = np.float32(np.float32(score + self.rules.unary_weight[last.rule]) + self._bonus(i, k, x))
        return Candidate(-float(score), last.kind, last.rule, 0.0, 0, ranks, score)

    def _tails(self, vertex: Vertex, candidate: Candidate) -> list[Vertex]:
        i, k, x, whole = vertex
        if whole:
            below = int(self.rules.unary_child[candidate.rule]) if candidate.kind else x
            return [(i, k, below, False)]
        if k == i + 1:
            return []
        left, right = int(self.rules.rule_left[candidate.rule]), int(self.rules.rule_right[candidate.rule])
        return [(i, candidate.split, left, True), (candidate.split, k, right, True)]

    def _unfold(self, top: Candidate) -> Steps:
        """The steps of a derivation of the whole sentence, parents first."""
        steps: list[tuple[int, int, int, int, int]] = []
        stack = [(self._top, top)]
        while stack:
            vertex, candidate = stack.pop()
            i, k, x, whole = vertex
            if not whole:
                steps.append((LEXICAL if k == i + 1 else BINARY, x, i, k, candidate.rule))
            elif candidate.kind:
                steps.append((UNARY, x, i, k, candidate.rule))
            tails = zip(self._tails(vertex, candidate), candidate.ranks, strict=True)
            for tail, rank in reversed(list(tails)):
                found = self._get(tail, rank)
                assert found is not None
                stack.append((tail, found))
        return np.array(steps, np.int64)

    def _bonus(self, i: int, k: int, x: int) -> np.float32:
        span = self.anchors.span
        return np.float32(span[k * (k - 1) // 2 + i, x]) if span.shape[0] else np.float32(0.0)
