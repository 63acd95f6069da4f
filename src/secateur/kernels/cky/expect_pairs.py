"""Pairs (Z, R) and what holds them: spans by number, labels as sets of bits, gold nodes.

A pair is a complex number; pairs add as such, and multiply without the product of imaginary parts. The pairs
of a span share a power of two, taken from its likeliest label: they stay in range at any length, with or
without a parse (lost are labels 10^300 times less likely than another of the same span).

The bit sets of ends and starts tell which child pairs meet in a span, as in cky.py. Where few spans are kept
there are few splits: the pairs of a span lie side by side, and the sum over splits of a child pair runs
through all of the span's without asking who is present; what is not is (0, 0).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import trailing_zeros

from .viterbi import cell_of

UNSET = -(1 << 40)  # the power of a span without labels


class Bits(NamedTuple):
    """Which spans have which labels, as sets of positions kept 64 to a machine word."""

    ends: np.ndarray  # [n+1, N, words64] uint64, the ends of label's spans from start
    starts: np.ndarray  # [n+1, N, words64] uint64
    some_end: np.ndarray  # [n+1, words64] uint64, the ends of all labels' spans
    some_start: np.ndarray  # [n+1, words64] uint64


class Pairs(NamedTuple):
    """Pairs of the nodes of spans."""

    row: np.ndarray  # [n+1, n+1] uint32, the number of a span
    value: np.ndarray  # [rows, N] complex128 ...
    power: np.ndarray  # [n+1, n+1] int64, ... in units of two to this


class Room(NamedTuple):
    """Space for the work on one span."""

    split: np.ndarray  # [64] uint32
    left: np.ndarray  # [128] uint32, rows of the spans left of the splits ...
    right: np.ndarray  # [128] uint32, ... and right of them
    factor: np.ndarray  # [128] float64
    chosen: np.ndarray  # [P+1] uint32, child pairs
    base: np.ndarray  # [N] complex128, (0, 0) between uses
    node: np.ndarray  # [N] complex128, (0, 0) between uses


class Gold(NamedTuple):
    """Gold nodes, chained by span; 0 ends a chain."""

    first: np.ndarray  # [n+1, n+1] uint32, 1 + a node of the span
    following: np.ndarray  # [G] uint32, 1 + another node of the same span
    label: np.ndarray  # [G] uint32


@njit(cache=True, nogil=True)
def times(a, b):
    return complex(a.real * b.real, a.real * b.imag + a.imag * b.real)


@njit(cache=True, nogil=True)
def scaled(a, c):
    return complex(a.real * c, a.imag * c)


@njit(cache=True, nogil=True)
def two_to(power):
    return math.ldexp(1.0, int(max(power, -1100)))


@njit(cache=True, nogil=True)
def power_of(number):
    """The power of two just above a number, as far as the other way round can be expressed."""
    return max(math.frexp(number)[1], -1000)


@njit(cache=True, nogil=True)
def bit(position):
    return np.uint64(1) << np.uint64(position & 63)


@njit(cache=True, nogil=True)
def is_kept(mask, i, k):
    return k == i + 1 or k - i == mask.shape[0] - 1 or mask[i, k]


@njit(cache=True, nogil=True)
def bonus(anchors, i, k, x):
    """What anchors multiply a phrase node by."""
    return math.exp(np.float64(anchors.span[cell_of(i, k), x])) if anchors.span.shape[0] else 1.0


@njit(inline="always")
def chain_gold(nodes, n):
    """From rows (i, k, label)."""
    first = np.zeros((n + 1, n + 1), np.uint32)
    following = np.zeros(nodes.shape[0], np.uint32)
    label = np.empty(nodes.shape[0], np.uint32)
    for g in range(nodes.shape[0]):
        i, k, x = nodes[g]
        following[g] = first[i, k]
        first[i, k] = g + 1
        label[g] = x
    return Gold(first, following, label)


@njit(inline="always")
def no_bits(n, labels):
    wide = (n + 64) // 64
    return Bits(
        np.zeros((n + 1, labels, wide), np.uint64),
        np.zeros((n + 1, labels, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
    )


@njit(cache=True, nogil=True)
def number_rows(mask, flips):
    """Number the kept spans and, for flips, after them the pruned ones over two kept ones; and how many."""
    n = mask.shape[0] - 1
    row = np.zeros((n + 1, n + 1), np.uint32)
    rows = 0
    for k in range(1, n + 1):
        for i in range(k):
            if is_kept(mask, i, k):
                row[i, k] = rows
                rows += 1
    for k in range(2, n + 1 if flips else 0):
        for i in range(k - 1):
            if is_kept(mask, i, k):
                continue
            for j in range(i + 1, k):
                if is_kept(mask, i, j) and is_kept(mask, j, k):
                    row[i, k] = rows
                    rows += 1
                    break
    return row, rows


@njit(inline="always")
def new_room(rules):
    labels = rules.pair_ptr.shape[0] - 1
    return Room(
        np.empty(64, np.uint32),
        np.empty(128, np.uint32),
        np.empty(128, np.uint32),
        np.empty(128),
        np.empty(rules.pair_right.shape[0] + 1, np.uint32),
        np.zeros(labels, np.complex128),
        np.zeros(labels, np.complex128),
    )


@njit(cache=True, nogil=True)
def set_bit(bits, i, x, k):
    bits.ends[i, x, k >> 6] |= bit(k)
    bits.starts[k, x, i >> 6] |= bit(i)
    bits.some_end[i, k >> 6] |= bit(k)
    bits.some_start[k, i >> 6] |= bit(i)


@njit(inline="always")
def meet(some_end, some_start, i, k, w, split):
    """The splits between spans from i and spans to k, of machine word w; returns how many."""
    size = 0
    both = some_end[i, w] & some_start[k, w]
    while both:
        split[size] = trailing_zeros(both) + np.uint64(64 * w)
        both &= both - np.uint64(1)
        size += 1
    return size


@njit(inline="always")
def choose(rules, kept, reach, i, k, w, chosen):
    """The child pairs that meet in a span, one kept and one within reach, at splits of machine word w.

    Returns how many.
    """
    size = 0
    for y in range(np.uint32(kept.ends.shape[1])):
        near = reach.ends[i, y, w]
        if near & reach.some_start[k, w] == 0:
            continue
        sure = kept.ends[i, y, w]
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + np.uint32(1)]):
            z = rules.pair_right[p]
            # Without a branch: it would be guessed wrong too often.
            chosen[size] = p
            size += ((near & kept.starts[k, z, w]) | (sure & reach.starts[k, z, w])) != 0
    return size
