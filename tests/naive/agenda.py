"""Agenda parsing by its definition: dictionaries, and a list of what waits, looked through for the best.

An item is (i, k, symbol, over): over 0 is a lexical or binary node, 1 one unary over such a node. Popping an
item makes it the node of its (i, k, symbol) if it is better than what is there, and a node combines with the
nodes beside it. What an item is made of are the items that were nodes then.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from naive.cky import Mask, Step, allowed, cell_of, entries_of, rules_of, span_anchor, tag_anchor
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import How, Priorities
from secateur.kernels.cky.rules import Anchors

LEXICAL, UNARY, BINARY = 0, 1, 2
RUNNING, FOUND, EMPTY, POPS = 0, 1, 2, 3
NEVER = np.float32(-np.inf)

Item = tuple[int, int, int, int]


class Pop(NamedTuple):
    """An entry of the log, with the pushes before it."""

    item: Item
    priority: float
    score: np.float32
    pushes: int


class Made(NamedTuple):
    """How an item is made best so far."""

    score: np.float32
    kind: int
    rule: int
    parts: tuple[Item, ...]


class Agenda:
    """A sentence being parsed; `anchors`, `mask`, `priorities` and `how` as the kernel has them."""

    def __init__(
        self,
        grammar: PCFG,
        words: npt.NDArray[np.uint32],
        mask: Mask,
        anchors: Anchors,
        priorities: Priorities,
        how: How,
    ) -> None:
        self.grammar, self.words, self.mask, self.anchors = grammar, words, mask, anchors
        self.priorities, self.how, self.n = priorities, how, len(words)
        self.binary, self.unary = rules_of(grammar)
        self.goal = (0, self.n, grammar.number[grammar.start])
        self.made: dict[Item, Made] = {}
        self.waiting: list[Item] = []
        self.popped: set[Item] = set()
        self.node: dict[tuple[int, int, int], Item] = {}  # in the order in which they came
        self.scores: dict[tuple[int, int, int], np.float32] = {}
        self.best: dict[tuple[int, int], np.float32] = defaultdict(lambda: NEVER)
        self.best_node: dict[tuple[int, int], tuple[np.float32, Item]] = {}  # the first one of its score
        self.dynamic: dict[Item, list[float]] = {}  # as it was when the item was last offered
        self.log: list[Pop] = []
        self.pushes = self.dropped = 0
        for i, word in enumerate(words):
            for x, weight in entries_of(grammar, int(word)):
                score = np.float32(weight + tag_anchor(anchors, i, x))
                self.offer((i, i + 1, x, 0), Made(score, LEXICAL, -1, ()))

    def run(self, pops: int) -> int:
        """Go on for so many pops, or to the next complete parse."""
        for _ in range(pops):
            if not self.waiting:
                return EMPTY
            if self.pop():
                return FOUND
        return RUNNING

    def pop(self) -> bool:
        """Whether this made a better complete parse."""
        item = max(self.waiting, key=self.rank)
        self.waiting.remove(item)
        made, (i, k, x, over) = self.made[item], item
        self.log.append(Pop(item, self.priority(item), made.score, self.pushes))
        if self.is_far_behind(made.score, i, k):
            self.dropped += 1
            return False
        self.popped.add(item)
        self.try_as_node(item)
        if not over:
            for u, (z, y, weight) in enumerate(self.unary):
                if y == x:
                    score = np.float32(np.float32(made.score + weight) + span_anchor(self.anchors, i, k, z))
                    self.offer((i, k, z, 1), Made(score, UNARY, u, (item,)))
        if self.node[i, k, x] != item:
            return False
        for r, left, right in [*self.as_left(item), *self.as_right(item)]:
            z, _, _, weight = self.binary[r]
            inner = np.float32(self.made[left].score + self.made[right].score)
            i, k = left[0], right[1]
            score = np.float32(np.float32(inner + weight) + span_anchor(self.anchors, i, k, z))
            self.offer((i, k, z, 0), Made(score, BINARY, r, (left, right)))
        return item[:3] == self.goal

    # By the sibling's symbol, then by when it came to be a node, then by weight, then by rule.

    def as_left(self, item: Item) -> Iterator[tuple[int, Item, Item]]:
        i, k, y, _ = item
        for z in range(len(self.grammar.symbols)):
            for (begin, end, symbol), right in list(self.node.items()):
                if (begin, symbol) == (k, z) and allowed(self.mask, i, end, self.n):
                    yield from ((r, item, right) for r in self.rules(y, z))

    def as_right(self, item: Item) -> Iterator[tuple[int, Item, Item]]:
        i, k, z, _ = item
        for y in range(len(self.grammar.symbols)):
            for (begin, end, symbol), left in list(self.node.items()):
                if (end, symbol) == (i, y) and allowed(self.mask, begin, k, self.n):
                    yield from ((r, left, item) for r in self.rules(y, z))

    def rules(self, y: int, z: int) -> list[int]:
        """Of a pair of children, the likeliest first."""
        found = [r for r, rule in enumerate(self.binary) if rule[1:3] == (y, z)]
        return sorted(found, key=lambda r: -self.binary[r][3])

    def offer(self, item: Item, made: Made) -> None:
        self.pushes += 1
        i, k, x, over = item
        if made.score == NEVER:
            return
        if self.is_far_behind(made.score, i, k):
            self.dropped += 1
            return
        if item in self.made and made.score <= self.made[item].score:
            return
        if self.outside(item) == NEVER:
            return
        if over and made.score <= self.node_score(i, k, x):
            return
        self.best[i, k] = max(self.best[i, k], made.score)
        if item not in self.popped or self.how.merge == 2:
            self.dynamic[item] = self.look(item, made.score)
            self.made[item] = made
            if item not in self.waiting:
                self.waiting.append(item)
        elif self.how.merge == 1:
            self.made[item] = made
        if item in self.popped:
            self.try_as_node(item)

    def try_as_node(self, item: Item) -> None:
        (i, k, x, _), score = item, self.made[item].score
        if score > self.node_score(i, k, x):
            self.node[i, k, x] = item
            self.scores[i, k, x] = score
        if (i, k) not in self.best_node or score > self.best_node[i, k][0]:
            self.best_node[i, k] = (score, item)

    def look(self, item: Item, score: np.float32) -> list[float]:
        """What there is beside an item; its own score is among the best already, not among the made."""
        if not len(self.priorities.dynamic):
            return []
        i, k, *_ = item
        nodes = sum(key[:2] == (i, k) for key in self.node)
        better = sum(one.score > score for other, one in self.made.items() if other[:2] == (i, k))
        behind = float(score) - float(self.best[i, k])
        return [behind, float(nodes > 0), math.log(1 + nodes), math.log(1 + better)]

    def node_score(self, i: int, k: int, x: int) -> np.float32:
        return self.scores.get((i, k, x), NEVER)

    def is_far_behind(self, score: np.float32, i: int, k: int) -> bool:
        return bool(score < np.float32(self.best[i, k] - np.float32(self.how.delta)))

    def outside(self, item: Item) -> np.float32:
        i, k, x, _ = item
        table, seen = self.priorities.outside, self.priorities.seen
        return np.float32(table[cell_of(i, k), seen[x]]) if table.size else np.float32(0.0)

    def priority(self, item: Item) -> float:
        i, k, x, _ = item
        p, column = self.priorities, self.priorities.column[x]
        found = p.inside * float(self.made[item].score) + float(p.span[i, k])
        found = found + float(p.first[i, column]) + float(p.last[k, column])
        found = found + float(self.outside(item))
        changing = 0.0
        for weight, value in zip(p.dynamic.tolist(), self.dynamic[item], strict=True):
            changing += weight * value
        return found + changing if self.dynamic[item] else found

    def rank(self, item: Item) -> tuple[float, float, int, int, int, int]:
        """The largest is popped."""
        i, k, x, over = item
        return self.priority(item), float(self.made[item].score), k - i, -i, -over, -x

    # What was found.

    def steps(self, item: Item) -> list[Step]:
        """The derivation of an item, parents first."""
        made, (i, k, x, _) = self.made[item], item
        below = [step for part in made.parts for step in self.steps(part)]
        return [(made.kind, x, i, k, made.rule), *below]

    def score(self, item: Item) -> np.float32:
        """What the derivation scores: more than the item, where a part of it became better later."""
        made, (i, k, x, _) = self.made[item], item
        if made.kind == LEXICAL:
            return made.score
        parts = [self.score(part) for part in made.parts]
        weight = self.unary[made.rule][2] if made.kind == UNARY else self.binary[made.rule][3]
        total = np.float32(sum(parts[1:], parts[0]) + weight)
        return np.float32(total + span_anchor(self.anchors, i, k, x))

    def answer(self) -> list[Step]:
        """The steps of the best parse; none where there is none."""
        return self.steps(self.node[self.goal]) if self.goal in self.node else []

    def cover(self) -> list[Step]:
        """Of the fewest parts; then of the largest sum of scores; then the last part the widest."""
        found: list[tuple[int, float, list[Step]]] = [(0, 0.0, [])]
        for k in range(1, self.n + 1):
            ways = []
            for i in range(k):
                parts, total, steps = found[i]
                if (i, k) in self.best_node:
                    score, item = self.best_node[i, k]
                    ways.append((parts + 1, total + float(score), steps + self.steps(item)))
                elif i == k - 1:
                    ways.append((parts + 1, total, [*steps, self.word_alone(i)]))
            found.append(min(ways, key=lambda way: (way[0], -way[1])))
        return found[-1][2]

    def word_alone(self, i: int) -> Step:
        """A word that nothing was popped for: under its likeliest tag, or under none (N)."""
        entries = entries_of(self.grammar, int(self.words[i]))
        tag = max(entries, key=lambda entry: entry[1])[0] if entries else len(self.grammar.symbols)
        return LEXICAL, tag, i, i + 1, -1
