"""Products with a matrix of few ones a row, given as their columns: most of the time of a regression.

scipy's sparse matrices store the ones, too; leaving them out is 2.5 times faster, and the transposed product
needs no transposed matrix.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def times(columns, theta):
    """[R] the sum of theta over each row's columns."""
    found = np.empty(columns.shape[0])
    for r in range(columns.shape[0]):
        total = 0.0
        for f in range(columns.shape[1]):
            total += theta[columns[r, f]]
        found[r] = total
    return found


@njit(cache=True, nogil=True)
def transposed_times(columns, amount, size):
    """[size] the sum of the amounts of the rows with each column."""
    found = np.zeros(size)
    for r in range(columns.shape[0]):
        for f in range(columns.shape[1]):
            found[columns[r, f]] += amount[r]
    return found
