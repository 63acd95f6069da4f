"""Hypergraphs by enumeration: every derivation and every context, as a plain list; with cycles, by rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from secateur.hypergraph.semiring import Semiring

Sequence = tuple[int, ...]


class Listed(NamedTuple):
    """Hyperedges as (head, tails, weight); nodes are 0, 1, ...

    `derivations`, `contexts` and `size` are for tails before heads, the rest is for cycles, too.
    """

    nodes: int
    hyperedges: tuple[tuple[int, tuple[int, ...], float], ...]
    goal: int

    def derivations(self, node: int) -> list[tuple[float, Sequence]]:
        """(weight, hyperedges parents first) of every derivation of a node."""

        @cache
        def of(node: int) -> list[tuple[float, Sequence]]:
            found = []
            for h, (head, tails, weight) in enumerate(self.hyperedges):
                if head == node and weight > -math.inf:
                    for below in product(*map(of, tails)):
                        total = added(weight, [value for value, _ in below])
                        found.append((total, (h, *(step for _, steps in below for step in steps))))
            return found

        return of(node)

    def contexts(self, node: int) -> list[float]:
        """The weight of everything that can stand around a node in a derivation of the goal."""
        found = [0.0] if node == self.goal else []
        for head, tails, weight in self.hyperedges:
            for place, tail in enumerate(tails):
                if tail == node and weight > -math.inf:
                    others = [self.derivations(t) for p, t in enumerate(tails) if p != place]
                    for around in self.contexts(head):
                        found += [around + weight + sum(w for w, _ in rest) for rest in product(*others)]
        return found

    def size(self) -> float:
        """How many derivations the goal has, without listing them."""
        count: list[int] = []
        for node in range(self.nodes):
            made = [(tails, w) for head, tails, w in self.hyperedges if head == node]
            count.append(sum(math.prod(count[t] for t in tails) for tails, w in made if w > -math.inf))
        return max(count)

    def bounded(self, depth: int) -> list[list[tuple[float, Sequence]]]:
        """By node: (weight, hyperedges parents first) of every derivation that is at most so deep."""
        found: list[list[tuple[float, Sequence]]] = [[] for _ in range(self.nodes)]
        for _ in range(depth):
            now: list[list[tuple[float, Sequence]]] = [[] for _ in range(self.nodes)]
            for h, (head, tails, weight) in enumerate(self.hyperedges):
                if weight > -math.inf:
                    for below in product(*(found[t] for t in tails)):
                        steps = (h, *(step for _, part in below for step in part))
                        now[head].append((added(weight, [value for value, _ in below]), steps))
            found = now
        return found

    def bounded_size(self, depth: int) -> int:
        """How many derivations `bounded` would list."""
        count = [0] * self.nodes
        for _ in range(depth):
            now = [0] * self.nodes
            for head, tails, weight in self.hyperedges:
                now[head] += math.prod(count[t] for t in tails) if weight > -math.inf else 0
            count = now
        return sum(count)

    def together(self) -> list[set[int]]:
        """By node: those that it is needed for and that it needs, itself only if it needs itself."""
        needs = [
            {t for head, tails, _ in self.hyperedges if head == v for t in tails} for v in range(self.nodes)
        ]
        for _ in range(self.nodes):
            needs = [below.union(*(needs[t] for t in below)) for below in needs]
        return [{u for u in needs[v] if v in needs[u]} for v in range(self.nodes)]

    def best(self) -> Best | None:
        """Values until nothing rises any more, then heights until nothing falls; None: refused."""
        value = [-math.inf] * self.nodes
        for _ in range(self.nodes + 1):
            made = [added(w, [value[t] for t in tails]) for _, tails, w in self.hyperedges]
            before, value = value, [-math.inf] * self.nodes
            for (head, _, _), worth in zip(self.hyperedges, made, strict=True):
                value[head] = max(value[head], worth)
        if value != before:
            return None
        cycles = self.together()
        inner = [[t for t in tails if t in cycles[head]] for head, tails, _ in self.hyperedges]
        if any(m > value[t] for m, tails in zip(made, inner, strict=True) for t in tails):
            return None
        height = [math.inf] * self.nodes
        first = [-1] * self.nodes
        for _ in range(self.nodes + 1):
            ways: list[list[tuple[float, int]]] = [[(math.inf, -1)] for _ in range(self.nodes)]
            for h, (head, _, _) in enumerate(self.hyperedges):
                if made[h] == value[head] > -math.inf:
                    free = [height[t] + 1 for t in inner[h] if value[t] == made[h]]
                    ways[head].append((max(free, default=0), h))
            height, first = (list(found) for found in zip(*map(min, ways), strict=True))

        def steps(v: int) -> Sequence:
            return (first[v], *(step for t in self.hyperedges[first[v]][1] for step in steps(t)))

        work = sum(m > -math.inf for m in made)
        return Best(value, made, work, steps(self.goal) if value[self.goal] > -math.inf else None)

    def kbest(self, k: int) -> list[tuple[float, Sequence]]:
        """The k best of every node from the k best of its tails, until nothing changes.

        A derivation is (-value, hyperedge, derivations of the tails): tuples have just the order that is due.
        """
        found: list[list[Any]] = [[] for _ in range(self.nodes)]
        while True:
            now: list[list[Any]] = [[] for _ in range(self.nodes)]
            for h, (head, tails, weight) in enumerate(self.hyperedges):
                if weight > -math.inf:
                    for below in product(*(found[t] for t in tails)):
                        now[head].append((-added(weight, [-d[0] for d in below]), h, below))
            now = [sorted(ways)[:k] for ways in now]
            if now == found:
                break
            found = now

        def steps(derivation: Any) -> Sequence:
            return (derivation[1], *(step for part in derivation[2] for step in steps(part)))

        return [(-d[0], steps(d)) for d in found[self.goal]]

    def summed(self, amounts: np.ndarray, rounds: int, start: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """By node the weight of all derivations, and weight times amount [H, q] summed over their hyperedges.

        So many rounds in the semiring of such pairs, in long double. From 0 they rise towards the sums.
        """
        total = np.full(self.nodes, start, np.longdouble)
        moment = np.zeros((self.nodes, amounts.shape[1]), np.longdouble)
        for _ in range(rounds):
            now, now_moment = np.zeros_like(total), np.zeros_like(moment)
            for h, (head, tails, weight) in enumerate(self.hyperedges):
                p = np.exp(np.longdouble(weight))
                r = p * amounts[h]
                for t in tails:
                    p, r = p * total[t], p * moment[t] + r * total[t]
                now[head] += p
                now_moment[head] += r
            if np.all(np.abs(now - total) <= 1e-19 * now) and np.all(
                np.abs(now_moment - moment) <= 1e-19 * np.abs(now_moment)
            ):
                break
            total, moment = now, now_moment
        return total, moment


class Best(NamedTuple):
    """Of the nodes, of the hyperedges, how many hyperedges can be built, and the goal's best derivation."""

    value: list[float]
    made: list[float]
    work: int
    steps: Sequence | None


def added(weight: float, values: Iterable[float]) -> float:
    """From left to right, as the order of ties demands (sum() of floats is another)."""
    for value in values:
        weight += value
    return weight


def combined(semiring: Semiring, weights: Iterable[float]) -> float:
    """The sum, in a semiring, of derivations with these weights."""
    listed = list(weights)
    if semiring == Semiring.COUNT:
        return float(len(listed))
    if semiring == Semiring.BOOLEAN:
        return float(bool(listed))
    top = max(listed, default=-math.inf)
    if semiring == Semiring.VITERBI or top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(weight - top) for weight in listed))
