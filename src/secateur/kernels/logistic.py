"""The logistic loss over rows of few features, given as their columns: most of the time of a regression.

scipy's sparse matrices store the ones, too, and go over the rows twice, with an array of them between each
two operations; here a row is read once, and its margin, loss and part of the gradient are done with.

`values` is empty where all features have the value 1. Column 0 stands for what has no weight.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def loss_and_gradient(columns, values, signed, theta):
    """sum_r |s_r| log(1 + exp(-m_r)) with m_r = sign(s_r) sum_f v_rf theta[columns[r, f]]; and its gradient.

    Rows with s = 0 cost nothing.
    """
    gradient = np.zeros(len(theta))
    total = 0.0
    valued = values.shape[0] > 0
    for r in range(columns.shape[0]):
        if signed[r] == 0.0:
            continue
        score = 0.0
        if valued:
            for f in range(columns.shape[1]):
                score += values[r, f] * theta[columns[r, f]]
        else:
            for f in range(columns.shape[1]):
                score += theta[columns[r, f]]
        margin = score if signed[r] > 0.0 else -score
        # With e = exp(-|m|): log(1 + exp(-m)) = log(1 + e) + max(-m, 0), and its slope is -1 / (1 + exp(m)).
        small = math.exp(-abs(margin))
        total += abs(signed[r]) * (math.log1p(small) + max(-margin, 0.0))
        amount = -signed[r] * (small if margin > 0.0 else 1.0) / (1.0 + small)
        if valued:
            for f in range(columns.shape[1]):
                gradient[columns[r, f]] += values[r, f] * amount
        else:
            for f in range(columns.shape[1]):
                gradient[columns[r, f]] += amount
    gradient[0] = 0.0
    return total, gradient


@njit(cache=True, nogil=True)
def ranking_loss_and_gradient(columns, values, ptr, weight, good, theta):
    """sum_t w_t (log sum_c exp(s_c) - log sum_{good c} exp(s_c)), c the choices of t; and its gradient.

    s_c is the score of a row ptr[t] .. ptr[t+1] - 1. A decision of one row may decline it, which scores 0 and
    is good where the row is not.
    """
    gradient = np.zeros(len(theta))
    total = 0.0
    valued = values.shape[0] > 0
    score = np.empty(columns.shape[0])
    for t in range(len(weight)):
        if weight[t] == 0.0:
            continue
        begin, end = ptr[t], ptr[t + 1]
        alone = end - begin == 1
        top = 0.0 if alone else -np.inf
        top_good = 0.0 if alone and not good[begin] else -np.inf
        for r in range(begin, end):
            score[r] = 0.0
            for f in range(columns.shape[1]):
                score[r] += (values[r, f] if valued else 1.0) * theta[columns[r, f]]
            top = max(top, score[r])
            if good[r]:
                top_good = max(top_good, score[r])
        every = math.exp(-top) if alone else 0.0
        right = math.exp(-top_good) if alone and not good[begin] else 0.0
        for r in range(begin, end):
            every += math.exp(score[r] - top)
            if good[r]:
                right += math.exp(score[r] - top_good)
        total += weight[t] * (top + math.log(every) - top_good - math.log(right))
        for r in range(begin, end):
            amount = math.exp(score[r] - top) / every
            if good[r]:
                amount -= math.exp(score[r] - top_good) / right
            for f in range(columns.shape[1]):
                gradient[columns[r, f]] += weight[t] * amount * (values[r, f] if valued else 1.0)
    gradient[0] = 0.0
    return total, gradient
