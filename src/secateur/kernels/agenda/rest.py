"""What an agenda has not come to, when it stops: how good a parse with any of it may be."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..cky.sparse import cell_of
from .state import DROPPED, WAITING, start_of, symbol_of, width_of


@njit(cache=True, nogil=True)
def best_of_rest(state, delta, outside, seen):
    """The best of what waits, and of what delta dropped, with what is outside of it at best; -inf: nothing.

    `outside` [cells, M] is never too low, `seen` [N] its column of a symbol. What was dropped is below the
    best of its span by more than delta, whenever that was.
    """
    found = -np.inf
    for place in range(state.tally[WAITING]):
        item = state.waiting[place]
        i, x = start_of(state.name[item]), symbol_of(state.name[item])
        cell = cell_of(i, i + width_of(state.name[item]))
        found = max(found, np.float64(state.made[item]) + np.float64(outside[cell, seen[x]]))
    n = state.best.shape[0] - 1
    for k in range(1, n + 1 if state.tally[DROPPED] else 0):
        for i in range(k):
            most = np.float64(state.best[i, k]) - delta
            found = max(found, most + np.float64(outside[cell_of(i, k)].max()))
    return found
