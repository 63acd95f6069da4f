"""The logistic loss over rows of few ones, given as their columns: most of the time of a regression.

scipy's sparse matrices store the ones, too, and go over the rows twice, with an array of them between each
two operations; here a row is read once, and its margin, loss and part of the gradient are done with.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def loss_and_gradient(columns, signed, theta):
    """sum_r |s_r| log(1 + exp(-m_r)) with m_r = sign(s_r) sum_f theta[columns[r, f]]; and its gradient.

    Column 0 stands for what has no weight. Rows with s = 0 cost nothing.
    """
    gradient = np.zeros(len(theta))
    total = 0.0
    for r in range(columns.shape[0]):
        if signed[r] == 0.0:
            continue
        score = 0.0
        for f in range(columns.shape[1]):
            score += theta[columns[r, f]]
        margin = score if signed[r] > 0.0 else -score
        # With e = exp(-|m|): log(1 + exp(-m)) = log(1 + e) + max(-m, 0), and its slope is -1 / (1 + exp(m)).
        small = math.exp(-abs(margin))
        total += abs(signed[r]) * (math.log1p(small) + max(-margin, 0.0))
        amount = -signed[r] * (small if margin > 0.0 else 1.0) / (1.0 + small)
        for f in range(columns.shape[1]):
            gradient[columns[r, f]] += amount
    gradient[0] = 0.0
    return total, gradient
