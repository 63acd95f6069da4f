"""What change propagation walks over: the spans around a flipped one.

A flip of the mask at a span reaches only the spans that contain it. Two adjacent spans cannot both contain
it: where one child of a split changes, the other, its sibling, is as it was. Sides: 0 where the child in
question is the left one, 1 where it is the right one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import trailing_zeros

from .viterbi import cell_of

ONE = np.uint64(1)
NONE = np.uint64(0)


class Pairs(NamedTuple):
    """Child pairs by either child."""

    ptr: np.ndarray  # [2, N+1] uint32, pairs with this child on this side
    pair: np.ndarray  # [2, P] uint32
    partner: np.ndarray  # [2, P] uint32, the other child


class Front(NamedTuple):
    """Which spans a flip has changed so far, and those at hand: scratch, used again for every flip."""

    kept_ends: np.ndarray  # [n+1, words64] uint64, ends of the kept spans from a start
    kept_starts: np.ndarray  # [n+1, words64] uint64
    ends: np.ndarray  # [n+1, words64] uint64, ends of the changed spans from a start
    starts: np.ndarray  # [n+1, words64] uint64
    child: np.ndarray  # [2, n] int64, changed children of the span at hand, by side ...
    sibling: np.ndarray  # [2, n] int64, ... the other child there ...
    size: np.ndarray  # [2] int64, ... and how many


@njit(inline="always")
def include(chosen, x):
    """Put x into a set."""
    chosen[x >> 6] |= ONE << np.uint64(x & 63)


@njit(inline="always")
def assign(into, source):
    """into[:] = source, which takes numba longer to compile."""
    for x in range(into.shape[0]):
        into[x] = source[x]


@njit(cache=True, nogil=True)
def build_pairs(rules):
    labels = rules.pair_ptr.shape[0] - 1
    size = rules.pair_right.shape[0]
    ptr = np.zeros((2, labels + 2), np.uint32)
    pair = np.empty((2, size), np.uint32)
    partner = np.empty((2, size), np.uint32)
    for p in range(size):
        ptr[1, rules.pair_right[p] + 2] += 1
    for z in range(labels):
        ptr[1, z + 2] += ptr[1, z + 1]
    for y in range(labels):
        ptr[0, y + 1] = rules.pair_ptr[y + 1]
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
            z = rules.pair_right[p]
            pair[0, p] = p
            partner[0, p] = z
            pair[1, ptr[1, z + 1]] = p
            partner[1, ptr[1, z + 1]] = y
            ptr[1, z + 1] += 1
    return Pairs(ptr[:, :-1].copy(), pair, partner)


@njit(cache=True, nogil=True)
def kept_spans(mask):
    """The mask with the spans that are always kept, and nothing that is not a span."""
    n = mask.shape[0] - 1
    kept = np.zeros((n + 1, n + 1), np.bool_)
    for k in range(1, n + 1):
        for i in range(k):
            kept[i, k] = k - i == 1 or k - i == n or mask[i, k]
    return kept


@njit(cache=True, nogil=True)
def build_front(kept):
    n = kept.shape[0] - 1
    wide = (n + 64) // 64
    front = Front(
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((2, n), np.int64),
        np.zeros((2, n), np.int64),
        np.zeros(2, np.int64),
    )
    for k in range(1, n + 1):
        for i in range(k):
            if kept[i, k]:
                include(front.kept_ends[i], k)
                include(front.kept_starts[k], i)
    return front


@njit(cache=True, nogil=True)
def begin(front, i, k):
    """A new flip, at (i, k)."""
    front.ends[:] = NONE
    front.starts[:] = NONE
    advance(front, i, k)


@njit(cache=True, nogil=True)
def advance(front, i, k):
    """(i, k) is changed too."""
    include(front.ends[i], k)
    include(front.starts[k], i)


@njit(cache=True, nogil=True)
def look_around(front, i, k):
    """Set child and sibling to the splits of (i, k) with a changed child and a kept sibling; how many."""
    left = 0
    right = 0
    for word in range(front.ends.shape[1]):
        bits = front.ends[i, word] & front.kept_starts[k, word]
        while bits:
            j = (word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - ONE
            front.child[0, left] = cell_of(i, j)
            front.sibling[0, left] = cell_of(j, k)
            left += 1
        bits = front.starts[k, word] & front.kept_ends[i, word]
        while bits:
            j = (word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - ONE
            front.child[1, right] = cell_of(j, k)
            front.sibling[1, right] = cell_of(i, j)
            right += 1
    front.size[0] = left
    front.size[1] = right
    return left + right
