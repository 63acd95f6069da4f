"""Hypergraphs by enumeration: every derivation and every context, as a plain list."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import NamedTuple

from secateur.hypergraph.semiring import Semiring

Sequence = tuple[int, ...]


class Listed(NamedTuple):
    """Hyperedges as (head, tails, weight); nodes are 0, 1, ..., tails before heads."""

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
                        total = weight
                        for value, _ in below:
                            total += value
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
