"""Gates of what another grammar finds likely: all or nothing, for each component by itself.

kept(x, U) = posterior(component, i, k) >= threshold for every component [i, k) of U
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .gate import Gate
from .rules import NONE


class Components(NamedTuple):
    """The components of the symbols, those of a symbol one after the other."""

    slot: np.ndarray  # [N] uint32 the first of a symbol's
    fanout: np.ndarray  # [slots] uint8 of the symbol that each is of
    part: np.ndarray  # [slots] uint8 which of its components it is
    of_column: np.ndarray  # [C] uint32 by column of a table of posteriors; NONE: no component
    tag: np.ndarray  # [T] uint32 those of tags, which pass over every word


def likely(components: Components, table: np.ndarray, threshold: float, n: int) -> Gate:
    """Of posteriors [cells, C or more], cell k * (k-1) / 2 + i for the interval [i, k)."""
    symbols, fans = len(components.slot), int(components.fanout.max())
    # What passes has 1, all else less than any sum can make up for.
    interval = np.full((len(components.part), n + 1, n + 1), -np.inf)
    most = np.full((fans + 1, fans, n + 1, n + 1), -np.inf)
    _fill(*components[1:], table, threshold, interval, most)
    nothing = np.zeros((symbols, n + 1))
    return Gate(components.slot, interval, nothing, nothing, most)


@njit(cache=True, nogil=True)
def _fill(fanout, part, of_column, tag, table, threshold, interval, most):
    n = interval.shape[1] - 1
    for k in range(1, n + 1):
        for i in range(k):
            row = table[k * (k - 1) // 2 + i]
            for column in range(of_column.shape[0]):
                if row[column] >= threshold and of_column[column] != NONE:
                    c = of_column[column]
                    interval[c, i, k] = most[fanout[c], part[c], i, k] = 1.0
        for c in tag:
            interval[c, k - 1, k] = most[1, 0, k - 1, k] = 1.0
