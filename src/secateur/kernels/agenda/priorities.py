"""What the items of a sentence are worth to an agenda: theta . phi as tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Priorities(NamedTuple):
    """The priority of item (i, k, x) is the sum of what these say, in this order.

    C columns of labels, M columns of the estimate, N symbols; cells are numbered as in cky.sparse.cell_of.
    """

    inside: float  # times the item's inside score
    span: np.ndarray  # [n+1, n+1] float64, + what depends on the span alone
    first: np.ndarray  # [n+1, C] float64, + what depends on where it begins and on the label's column
    last: np.ndarray  # [n+1, C] float64, + where it ends
    column: np.ndarray  # [N] uint32, of a symbol
    outside: (
        np.ndarray
    )  # [n*(n+1)//2, M] float32, + an estimate of what is outside; -inf: never useful. Or (0, 0)
    seen: np.ndarray  # [N] uint32, its column of a symbol
