"""Hierarchical A* by its definition: facts, rules that look all facts through, and a list of what waits.

An item is (level, kind, i, k, symbol). A fact is an item that was popped, or the node of a span and symbol:
the better one of its base and its over that were popped. A rule of deduction fires when the last of its
premises becomes a fact, or becomes better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from naive.cky import Mask, Step, allowed, entries_of, rules_of
from secateur.grammar.pcfg import PCFG, Ids

BASE, OVER, OUTER, AROUND, NODE = range(5)
NEVER = np.float32(-np.inf)

Item = tuple[int, int, int, int, int]


class Made(NamedTuple):
    """How a base or an over is made best so far."""

    kind: int
    rule: int
    parts: tuple[Item, ...]


class Firing(NamedTuple):
    order: tuple[Any, ...]  # in which bases and overs of one pop come
    item: Item
    score: float
    made: Made | None


class Hierarchical:
    """A sentence being parsed; `seen[m]` says of the symbols of level m + 1 what they are at level m."""

    def __init__(
        self, grammars: Sequence[PCFG], seen: Sequence[Ids], words: Ids, mask: Mask, delta: float
    ) -> None:
        self.grammars, self.seen, self.words, self.mask, self.delta = grammars, seen, words, mask, delta
        self.rules = [rules_of(grammar) for grammar in grammars]
        self.n = len(words)
        self.slack = 2.0 * float(np.float32(8 * self.n * 2.0**-24))
        self.score: dict[Item, float] = {}
        self.made: dict[Item, Made] = {}
        self.waiting: dict[Item, float] = {}
        self.facts: set[Item] = set()
        self.node: dict[Item, Item] = {}  # in the order in which they came
        self.node_score: dict[Item, np.float32] = {}
        self.best: dict[tuple[int, int, int], np.float32] = defaultdict(lambda: NEVER)
        self.log: list[tuple[Item, float]] = []
        self.pushes = 0
        for level, grammar in enumerate(grammars):
            for i, word in enumerate(words):
                for x, weight in entries_of(grammar, int(word)):
                    self.pushes += 1
                    self.offer(Firing((), (level, BASE, i, i + 1, x), float(weight), Made(0, -1, ())))

    def run(self) -> bool:
        """Whether there is a parse."""
        while self.waiting:
            if self.pop():
                return True
        return False

    def pop(self) -> bool:
        item = max(self.waiting, key=self.rank)
        self.log.append((item, self.waiting.pop(item)))
        level, kind, i, k, x = item
        if kind in (BASE, OVER) and self.is_far_behind(item, np.float32(self.score[item])):
            return False
        self.facts.add(item)
        new, node = {item}, (level, NODE, i, k, x)
        if kind in (BASE, OVER):
            score = np.float32(self.score[item])
            if score > self.node_score.get(node, NEVER):
                self.node.setdefault(node, item)
                self.node[node], self.node_score[node] = item, score
                self.facts.add(node)
                around = (level, AROUND, i, k, x)
                if around in self.waiting:
                    self.waiting[around] = self.key(around)
            if self.node[node] == item:
                new.add(node)
        else:
            self.release(item)
        for firing in sorted(self.fired(level, new), key=lambda firing: firing.order):
            self.offer(firing)
        goal = (level, NODE, 0, self.n, self.grammars[level].number[self.grammars[level].start])
        if goal not in new:
            return False
        if level == len(self.grammars) - 1:
            return True
        self.offer(Firing((), (level, AROUND, *goal[2:]), 0.0, None))
        return False

    def fired(self, level: int, new: set[Item]) -> Iterator[Firing]:
        """Of all rules of deduction at this level those that have all premises now, and some of them new."""
        for order, item, score, made, premises in self.deductions(level, new):
            if all(fact in self.facts for fact in premises) and new & set(premises):
                if made is None and (level == len(self.grammars) - 1):
                    continue
                self.pushes += order != (9,)
                yield Firing(order, item, score(), made)

    def deductions(self, level: int, new: set[Item]) -> Iterator[Any]:
        """Order, conclusion, its score, how it is made, premises."""
        binary, unary = self.rules[level]
        symbols, spans = {item[4] for item in new}, [(i, k) for k in range(self.n + 1) for i in range(k)]
        numbers = {node: number for number, node in enumerate(self.node)}
        for i, k in spans:
            for u, (x, y, weight) in enumerate(unary):
                base, over = (level, BASE, i, k, y), (level, AROUND, i, k, x)
                yield (
                    (0, u), (level, OVER, i, k, x),
                    lambda base=base, w=weight: float(np.float32(np.float32(self.score[base]) + w)),
                    Made(1, u, (base,)), (base,),
                )  # fmt: skip
                yield (
                    (8,), (level, OUTER, i, k, y), lambda over=over, w=weight: self.score[over] + float(w),
                    None, (base, over),
                )  # fmt: skip
            for x in symbols:
                base, around = (level, BASE, i, k, x), (level, AROUND, i, k, x)
                yield (9,), (level, OUTER, i, k, x), lambda a=around: self.score[a], None, (base, around)
            if not allowed(self.mask, i, k, self.n):
                continue
            for j in range(i + 1, k):
                for r, (x, y, z, weight) in enumerate(binary):
                    if not symbols & {x, y, z}:
                        continue
                    left, right = (level, NODE, i, j, y), (level, NODE, j, k, z)
                    own, other = (1, right) if left in new else (2, left)
                    order = (own, other[4], numbers.get(other, 0), -float(weight), r)
                    parts = tuple(self.node[node] for node in (left, right) if node in self.node)
                    yield (
                        order, (level, BASE, i, k, x),
                        lambda a=left, b=right, w=weight: float(
                            np.float32(np.float32(self.node_score[a] + self.node_score[b]) + w)
                        ),
                        Made(2, r, parts), (left, right),
                    )  # fmt: skip
                    outer = (level, OUTER, i, k, x)
                    for child, sibling in ((left, right), (right, left)):
                        yield (
                            (8,), (level, AROUND, *child[2:]),
                            lambda outer=outer, s=sibling, w=weight: (
                                self.score[outer] + float(w) + float(self.node_score[s])
                            ),
                            None, (outer, left, right),
                        )  # fmt: skip

    def offer(self, firing: Firing) -> None:
        _, item, score, made = firing
        if made is None:
            if item not in self.facts and score > self.score.get(item, -np.inf):
                self.score[item] = score
                self.waiting[item] = self.key(item)
            return
        level, kind, i, k, x = item
        if self.is_far_behind(item, np.float32(score)) or score <= self.score.get(item, -np.inf):
            return
        if kind == OVER and score <= self.node_score.get((level, NODE, i, k, x), NEVER):
            return
        self.best[level, i, k] = max(self.best[level, i, k], np.float32(score))
        self.score[item], self.made[item] = score, made
        if self.outside(item) in self.facts or level == 0:
            self.waiting[item] = self.key(item)

    def release(self, item: Item) -> None:
        """What is seen as this item's symbol, and was kept back."""
        for other in list(self.score):
            if other[1] in (BASE, OVER) and other[0] > 0 and self.outside(other) == item:
                node = self.node_score.get((other[0], NODE, *other[2:]), NEVER)
                if other not in self.facts and (other[1] == BASE or self.score[other] > node):
                    self.waiting[other] = self.key(other)

    def outside(self, item: Item) -> Item | None:
        """Whose score is what is outside of a base or an over."""
        level, kind, i, k, x = item
        return (level - 1, kind + OUTER, i, k, int(self.seen[level - 1][x])) if level else None

    def key(self, item: Item) -> float:
        level, kind, i, k, x = item
        score = self.score[item]
        if kind == OUTER:
            return score + self.score[level, BASE, i, k, x]
        if kind == AROUND:
            return score + float(self.node_score[level, NODE, i, k, x])
        above = self.outside(item)
        if above is None or self.score[above] == 0.0:
            return score
        found = score + self.score[above]
        return found + abs(found) * self.slack

    def is_far_behind(self, item: Item, score: np.float32) -> bool:
        level, _, i, k, _ = item
        return bool(score < np.float32(self.best[level, i, k] - np.float32(self.delta)))

    def rank(self, item: Item) -> tuple[float, ...]:
        """The largest is popped."""
        level, kind, i, k, x = item
        return self.waiting[item], self.score[item], k - i, -i, level, -kind, -x

    def steps(self, item: Item) -> list[Step]:
        """The derivation of a base or an over, parents first."""
        made, (_, _, i, k, x) = self.made[item], item
        return [(made.kind, x, i, k, made.rule), *(step for part in made.parts for step in self.steps(part))]

    def answer(self) -> list[Step]:
        last = len(self.grammars) - 1
        goal = (last, NODE, 0, self.n, self.grammars[last].number[self.grammars[last].start])
        return self.steps(self.node[goal]) if goal in self.node else []
