"""Log-linear ranking of choices with any number of features each, given as their columns.

s_r = theta[0] base_r + sum over a row's columns of theta[column]; column 0 is no feature's.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def scores(base, row_ptr, columns, theta):
    """[R] of rows row_ptr[r] .. row_ptr[r+1] - 1 of `columns`."""
    found = np.empty(base.shape[0])
    for r in range(base.shape[0]):
        total = theta[0] * base[r]
        for p in range(row_ptr[r], row_ptr[r + 1]):
            total += theta[columns[p]]
        found[r] = total
    return found


@njit(cache=True, nogil=True)
def loss_and_gradient(ptr, base, row_ptr, columns, good, theta):
    """sum_t (log sum_r exp(s_r) - log sum_{good r} exp(s_r)), r the rows ptr[t] .. ptr[t+1] - 1, some of them
    good; and its gradient."""
    gradient = np.zeros(theta.shape[0])
    found = scores(base, row_ptr, columns, theta)
    total = 0.0
    for t in range(ptr.shape[0] - 1):
        begin, end = ptr[t], ptr[t + 1]
        top = top_good = -np.inf
        for r in range(begin, end):
            top = max(top, found[r])
            if good[r]:
                top_good = max(top_good, found[r])
        every = right = 0.0
        for r in range(begin, end):
            every += math.exp(found[r] - top)
            if good[r]:
                right += math.exp(found[r] - top_good)
        total += top + math.log(every) - top_good - math.log(right)
        for r in range(begin, end):
            amount = math.exp(found[r] - top) / every
            if good[r]:
                amount -= math.exp(found[r] - top_good) / right
            gradient[0] += amount * base[r]
            for p in range(row_ptr[r], row_ptr[r + 1]):
                gradient[columns[p]] += amount
    return total, gradient
