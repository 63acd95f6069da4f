"""How many of a gold tree's brackets derivations have."""

from __future__ import annotations

import numpy as np
from numba import njit

FREE, ELSE = -1, -2  # in place of a gold bracket's number: not counted; counted, but not gold


@njit(cache=True, nogil=True)
def matches(ptr, hyperedges, bracket_ptr, bracket, left):
    """[G, 2] of derivations, the hyperedges ptr[g] to ptr[g+1] - 1 each: brackets that are gold, and all.

    bracket[bracket_ptr[h]:bracket_ptr[h+1]] are those of hyperedge h. A gold bracket matches as often as it
    is in the gold tree, `left` times.
    """
    found = np.zeros((ptr.shape[0] - 1, 2), np.int64)
    used = np.zeros(left.shape[0], np.int64)
    for g in range(ptr.shape[0] - 1):
        for p in range(ptr[g], ptr[g + 1]):
            h = hyperedges[p]
            for b in range(bracket_ptr[h], bracket_ptr[h + 1]):
                number = bracket[b]
                if number == FREE:
                    continue
                found[g, 1] += 1
                if number >= 0:
                    found[g, 0] += used[number] < left[number]
                    used[number] += 1
        used[:] = 0
    return found
