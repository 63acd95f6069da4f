"""Labelled brackets of derivations, counted against gold ones.

The same as EVALB's wherever the parse's tags agree with the gold ones about punctuation: positions are
counted without it, brackets left empty are dropped, the outer bracket does not count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .viterbi import UNARY

NO_BRACKET = 0xFFFFFFFF  # made symbols, tags, the outer label


class Classes(NamedTuple):
    """Which brackets a derivation's steps make: label classes, equal labels sharing one."""

    symbol: np.ndarray  # [N] uint32, class of a symbol's bracket, or NO_BRACKET
    path_ptr: np.ndarray  # [U+1] uint32, the classes a composed unary passes over ...
    path: np.ndarray  # uint32
    count: int


class GoldBrackets(NamedTuple):
    """A gold tree's brackets."""

    position: np.ndarray  # [n+1] uint32, number of counted words before each position
    number: np.ndarray  # [B] int64, the different brackets, as bracket_of numbers them, in order
    left: np.ndarray  # [B] uint8, how often each is there
    total: int


@njit(inline="always")
def bracket_of(gold, classes, symbol_class, i, k):
    """The number of a bracket, or -1 where it does not count."""
    if symbol_class == NO_BRACKET:
        return np.int64(-1)
    a = np.int64(gold.position[i])
    b = np.int64(gold.position[k])
    if a == b:
        return np.int64(-1)
    return (b * (b - 1) // 2 + a) * classes.count + np.int64(symbol_class)


@njit(cache=True, nogil=True)
def count_matches(classes, gold, steps):
    """(matched, made): how many brackets of a derivation are gold, and how many it has."""
    used = np.empty(3 * steps.shape[0] + classes.path.shape[0], np.int64)
    matched = 0
    made = 0
    for s in range(steps.shape[0]):
        kind, x, i, k, rule = steps[s]
        first = 0
        last = 0
        if kind == UNARY:
            first = classes.path_ptr[rule]
            last = classes.path_ptr[rule + 1]
        for q in range(first, last + 1):
            label = classes.symbol[x] if q == last else classes.path[q]
            bracket = bracket_of(gold, classes, label, i, k)
            if bracket >= 0:
                made += 1
                # Each gold bracket is matched once.
                place = np.searchsorted(gold.number, bracket)
                if place < gold.number.shape[0] and gold.number[place] == bracket and gold.left[place] > 0:
                    gold.left[place] -= 1
                    used[matched] = place
                    matched += 1
    for m in range(matched):
        gold.left[used[m]] += 1
    return matched, made
