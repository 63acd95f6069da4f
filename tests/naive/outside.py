"""Viterbi inside and outside by dictionaries, written from the definition of a derivation, in float64."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from naive.cky import entries_of, rules_of
from secateur.grammar.pcfg import PCFG


class Scores:
    """Of a sentence: `base` and `node` inside, `above` (the outside of a node) and `outer` (of a base)."""

    def __init__(self, grammar: PCFG, words: npt.NDArray[np.uint32]) -> None:
        self.words = words
        self.n = len(words)
        self.symbols = range(len(grammar.symbols))
        self.start = grammar.number[grammar.start]
        self.grammar = grammar
        self.binary, self.unary = rules_of(grammar)
        self.base = cache(self._base)
        self.node = cache(self._node)
        self.above = cache(self._above)
        self.outer = cache(self._outer)

    def _base(self, i: int, k: int, x: int) -> float:
        if k == i + 1:
            found = [float(w) for tag, w in entries_of(self.grammar, int(self.words[i])) if tag == x]
        else:
            found = [
                self.node(i, j, y) + self.node(j, k, z) + float(w)
                for parent, y, z, w in self.binary
                if parent == x
                for j in range(i + 1, k)
            ]
        return max(found, default=-math.inf)

    def _node(self, i: int, k: int, x: int) -> float:
        return max(
            self.base(i, k, x),
            *(self.base(i, k, y) + float(w) for parent, y, w in self.unary if parent == x),
            -math.inf,
        )

    def _above(self, i: int, k: int, x: int) -> float:
        found = [0.0 if (i, k, x) == (0, self.n, self.start) else -math.inf]
        for parent, y, z, w in self.binary:
            if y == x:
                found += [
                    self.outer(i, e, parent) + float(w) + self.node(k, e, z) for e in range(k + 1, self.n + 1)
                ]
            if z == x:
                found += [self.outer(b, k, parent) + float(w) + self.node(b, i, y) for b in range(i)]
        return max(found)

    def _outer(self, i: int, k: int, y: int) -> float:
        """Where there is no base, there is nothing for a unary to come over."""
        if self.base(i, k, y) == -math.inf:
            return self.above(i, k, y)
        over = [self.above(i, k, x) + float(w) for x, child, w in self.unary if child == y]
        return max(self.above(i, k, y), *over, -math.inf)
