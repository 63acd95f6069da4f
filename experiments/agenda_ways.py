"""Ways from words to a derivation, with an agenda or without: what they pop, build and cost, what is right.

Each is timed by itself, from words on: masks, features and estimates are in it. CPU time of one run, so that
times are worth what a ratio of two of the same run is; the exact parse by blocks is run beside each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

import secateur as sec
from agenda_runs import AgendaCase, counts, task_of

# Kernels and tasks by themselves: no public name gives them.
from secateur.features.merit import Merit, Merits
from secateur.grammar.derivation import UNARY, naming
from secateur.grammar.latent.bounds import Bounds, Joined
from secateur.grammar.latent.hierarchy import Hierarchy
from secateur.kernels.agenda.parse import Found, first_parse
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, How, Priorities, uniform_cost
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import fine
from secateur.kernels.split import viterbi as block_viterbi
from secateur.search.core import Outcome, Policy, Work
from secateur.tasks.agenda_order.task import AgendaOrder, Gold, Popped
from secateur.tasks.span_pruning.masks import Spans

UNLIMITED = 1 << 40
BESIDE = 20  # sentences that blocks parse beside each way, for the ratio of times

Row = dict[str, Any]
Words = Sequence[str]
Mask = Any  # [n+1, n+1]
Tables = Callable[[Words, Any, Mask], Priorities]  # of words, their ids, and a mask


class Sentence(NamedTuple):
    words: list[str]
    gold: Gold


class Way(Protocol):
    """One way to parse; what it costs to say what was found is not its own time."""

    def run(self, words: Words) -> Any: ...

    def outcome(self, raw: Any) -> Outcome: ...


@dataclass(frozen=True)
class Ground:
    """What all ways share: the grammar and its levels, features, gold."""

    case: AgendaCase

    @cached_property
    def split(self) -> sec.SplitPCFG:
        found: sec.SplitPCFG = self.case.split
        return found

    @cached_property
    def tasks(self) -> dict[str, AgendaOrder]:
        """By where learning begins."""
        return {begin: task_of(self.case, begin) for begin in ("score", "boundary")}

    @property
    def task(self) -> AgendaOrder:
        return self.tasks["score"]

    @cached_property
    def merits(self) -> Merits:
        found = self.tasks["boundary"].features.merits
        assert found is not None
        return found

    @cached_property
    def sentences(self) -> dict[str, list[Sentence]]:
        """Those that the oracle has a derivation for, as in the table."""
        found = {}
        for part in ("choice", "choice long", "test", "test long"):
            every = [Sentence(tree.words(), self.task.gold(tree)) for tree in self.case.parts[part]]
            found[part] = [one for one in every if len(one.gold.items.steps)]
        return found

    @cached_property
    def best(self) -> dict[str, list[float]]:
        """The score of the best parse of each."""
        way = ByBlocks(self)
        return {
            part: [score_of(way.outcome(way.run(one.words))) for one in some]
            for part, some in self.sentences.items()
        }

    def hierarchy(self, levels: tuple[int, ...] | None) -> Hierarchy:
        if levels not in self._hierarchies:
            self._hierarchies[levels] = Hierarchy.of(self.split, levels)
        return self._hierarchies[levels]

    @cached_property
    def _hierarchies(self) -> dict[tuple[int, ...] | None, Hierarchy]:
        return {}

    def bounds(self, level: int, joined: Joined) -> Bounds:
        """Made when they are needed: that takes a while."""
        if (level, joined) not in self._bounds:
            self._bounds[level, joined] = Bounds.of(self.split, self.task.grammar, level, joined)
        return self._bounds[level, joined]

    @cached_property
    def _bounds(self) -> dict[tuple[int, Joined], Bounds]:
        return {}

    @cached_property
    def _flat(self) -> tuple[Any, Any]:
        """Of each unsplit symbol and unary rule one of those that it is split into."""
        flat, coarse = self.task.grammar, self.split.coarse
        symbol = {name: x for x, name in enumerate(flat.unsplit)}
        parents, children = flat.unary.parent.tolist(), flat.unary.child.tolist()
        rule = {
            (flat.unsplit[x], flat.unsplit[y]): u
            for u, (x, y) in enumerate(zip(parents, children, strict=True))
        }
        names = coarse.symbols
        pairs = zip(coarse.unary.parent.tolist(), coarse.unary.child.tolist(), strict=True)
        return (
            np.array([symbol.get(name, 0) for name in names]),
            np.array([rule.get((names[x], names[y]), 0) for x, y in pairs], np.int64),
        )

    def flat_steps(self, steps: Any) -> Any:
        """Steps of the unsplit grammar as those of the grammar of sub-symbols, whichever these are."""
        symbol, rule = self._flat
        found = steps.copy()
        found[:, 1] = symbol[steps[:, 1]]
        unary = steps[:, 0] == UNARY
        found[unary, 4] = rule[steps[unary, 4]]
        return found


def score_of(outcome: Outcome) -> float:
    return -np.inf if outcome.parts is None else float(outcome.parts.score)


def mask_of(spans: Spans | None, words: Words) -> Mask:
    n = len(words)
    return np.ones((n + 1, n + 1), np.bool_) if spans is None else spans.mask(words)


# Ways -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ByAgenda:
    """Items of the grammar of sub-symbols, in the order of some priorities."""

    ground: Ground
    tables: Tables
    how: How = EXACT
    spans: Spans | None = None

    def run(self, words: Words) -> Any:
        task = self.ground.task
        ids, mask = task.grammar.lexicon.encode(words), mask_of(self.spans, words)
        order = self.tables(words, ids, mask)
        given = (task.grammar.rules, task.joins, ids, mask, NO_ANCHORS, order, self.how)
        return Found(*first_parse(*given, NO_LIMITS))

    def outcome(self, raw: Any) -> Outcome:
        return made(raw.steps, raw.score, raw)


@dataclass(frozen=True)
class ByHierarchy:
    """Items of all levels, inside and outside; or of some, and the last."""

    ground: Ground
    how: How = EXACT
    spans: Spans | None = None
    levels: tuple[int, ...] | None = None

    def run(self, words: Words) -> Any:
        hierarchy = self.ground.hierarchy(self.levels)
        ids = hierarchy.grammar.lexicon.encode(words)
        return hierarchy.parse(ids, mask_of(self.spans, words), self.how)

    def outcome(self, raw: Any) -> Outcome:
        return made(raw.steps, raw.score, raw)


@dataclass(frozen=True)
class ByBlocks:
    """The whole chart. Nothing is popped: its items count, as an agenda worked off to its end pops them."""

    ground: Ground
    spans: Spans | None = None

    def run(self, words: Words) -> Any:
        split = self.ground.split
        given = (split.padded, split.coarse.lexicon.encode(words), mask_of(self.spans, words))
        steps, _, score, pushes, items, _ = block_viterbi.viterbi(*given, NO_ANCHORS, UNLIMITED)
        return steps, score, Work(pushes=int(pushes), pops=int(items), items=int(items))

    def outcome(self, raw: Any) -> Outcome:
        steps, score, work = raw
        return made(self.ground.flat_steps(steps), score, work)


@dataclass(frozen=True)
class ByLadder:
    """Coarse to fine to the max-rule tree; its forests have no items to count."""

    ground: Ground
    least: float
    spans: Spans | None = None

    @cached_property
    def _given(self) -> tuple[Any, ...]:
        coarse, ladder = self.ground.split.coarse, self.ground.split.ladder.dropping(self.least)
        return coarse.rules, ladder.rungs, ladder.least, naming(coarse, binarized=True)[1]

    def run(self, words: Words) -> Any:
        ids = self.ground.split.coarse.lexicon.encode(words)
        return fine.masked(*self._given, ids, mask_of(self.spans, words), NO_ANCHORS, UNLIMITED)

    def outcome(self, raw: Any) -> Outcome:
        nodes, _, pushes, *_ = raw
        steps = self.ground.flat_steps(steps_of(nodes, self.ground.split.coarse))
        return made(steps, np.nan if len(nodes) else -np.inf, Work(pushes=int(pushes)))


def steps_of(nodes: Any, grammar: sec.PCFG) -> Any:
    """The steps of a binarized tree, given bottom up and from the right, as symbols and how many nodes they
    stand over."""
    parents, children = grammar.unary.parent.tolist(), grammar.unary.child.tolist()
    rule = {pair: u for u, pair in enumerate(zip(parents, children, strict=True))}
    steps: list[tuple[int, ...]] = []
    stack: list[tuple[int, int, int]] = []
    left = int((nodes[:, 1] == 0).sum())
    for symbol, size in nodes.tolist():
        over = [stack.pop() for _ in range(size)]  # the first one last in
        left -= not over
        i, k = (over[0][1], over[-1][2]) if over else (left, left + 1)
        number = rule[symbol, over[0][0]] if size == 1 else -1
        steps.append((size, symbol, i, k, number))  # 0: a word, 1: a unary rule, 2: a binary one
        stack.append((symbol, i, k))
    return np.array(steps[::-1], np.int64).reshape(-1, 5)


def made(steps: Any, score: float, work: Any) -> Outcome:
    parts = None if score == -np.inf else Popped(steps, float(score))
    return Outcome(parts, Work(pushes=int(work.pushes), pops=int(work.pops), items=int(work.items)))


# Priorities -------------------------------------------------------------------------------------------------


def by_score(ground: Ground) -> Tables:
    symbols = len(ground.task.grammar.symbols)
    return lambda words, ids, mask: uniform_cost(len(words), symbols)


def by_bounds(ground: Ground, level: int, joined: Joined) -> Tables:
    """The score and an estimate of what is outside."""
    bounds, score = ground.bounds(level, joined), by_score(ground)

    def tables(words: Words, ids: Any, mask: Mask) -> Priorities:
        estimate = bounds.estimate(ids, mask)
        return score(words, ids, mask)._replace(outside=estimate.outside, seen=bounds.seen)

    return tables


def by_merit(ground: Ground, merit: Merit) -> Tables:
    return lambda words, ids, mask: ground.merits.tables(words, merit)


def by_policy(task: AgendaOrder, policy: Policy) -> Tables:
    features = task.features
    return lambda words, ids, mask: features.tables(features.columns(words, mask), policy.weights)


# Figures ----------------------------------------------------------------------------------------------------


def measured(ground: Ground, way: Way) -> Row:
    """Of each part."""
    return {part: of_part(ground, way, part) for part in ground.sentences}


def of_part(ground: Ground, way: Way, part: str) -> Row:
    """Means of work and of time, and figures of all sentences together."""
    some, best, blocks = ground.sentences[part], ground.best[part], ByBlocks(ground)
    for one in (way, blocks):
        one.run(some[0].words)  # to load what there is to load
    total, seconds, beside, exact = np.zeros(9), [], [], 0
    for number, ((words, gold), score) in enumerate(zip(some, best, strict=True)):
        raw, spent = timed(way, words)
        seconds.append(spent)
        if number < BESIDE:
            beside.append(timed(blocks, words)[1])
        outcome = way.outcome(raw)
        exact += score_of(outcome) == score
        work = (outcome.work.pops, outcome.work.pushes, outcome.parts is None)
        total += (*work, *counts(ground.task, outcome, gold))
    pops, pushes, failed, right, found, wanted, matched, test, brackets = total.tolist()
    return {
        "pops": pops / len(some),
        "pushes": pushes / len(some),
        "ms": 1000 * float(np.mean(seconds)),
        "times blocks": sum(seconds[:BESIDE]) / sum(beside),
        "failed": int(failed),
        "as good as CKY": exact,
        "recall": 100 * right / max(wanted, 1),
        "f1": 200 * right / max(found + wanted, 1),
        "evalb": 200 * matched / max(test + brackets, 1),
    }


def timed(way: Way, words: Words) -> tuple[Any, float]:
    """What it found, and the CPU seconds."""
    started = time.process_time()
    raw = way.run(words)
    return raw, time.process_time() - started
