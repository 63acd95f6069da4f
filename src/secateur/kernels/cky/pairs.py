"""How much there is to do for a chart with the spans of a mask, before it is begun."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..split.simd import popcount


@njit(cache=True, nogil=True)
def count_pairs(mask):
    """How often two kept spans beside each other make a kept one; single words and the sentence are kept.

    sum over kept (i, k) of the number of i < j < k with (i, j) and (j, k) kept
    """
    n = mask.shape[0] - 1
    words = n // 64 + 1
    begin, end = np.zeros((n + 1, words), np.uint64), np.zeros((n + 1, words), np.uint64)
    for i in range(n):
        for k in range(i + 1, n + 1):
            if mask[i, k] or k == i + 1:
                begin[i, k >> 6] |= np.uint64(1) << np.uint64(k & 63)
                end[k, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    found = 0
    for i in range(n):
        for k in range(i + 2, n + 1):
            if mask[i, k] or k - i == n:
                for word in range(i >> 6, (k >> 6) + 1):
                    found += np.int64(popcount(begin[i, word] & end[k, word]))
    return found
