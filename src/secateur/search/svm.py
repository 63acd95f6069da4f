"""A linear classifier with asymmetric costs, by LIBLINEAR."""

from __future__ import annotations

import warnings

import numpy as np

from secateur.search.core import Bools, Rows, Weights


def linear_svm(
    rows: Rows, taken: Bools, *, dim: int, cost: float, strength: float, nothing: int | None = None
) -> Weights:
    """Weights that are positive where `taken`; an error where it is not costs `cost` times the other one.

    `nothing` is a bucket that gets no weight. Labels of one kind alone are taken as they are.
    """
    from scipy.sparse import csr_matrix
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    if taken.all() or not taken.any():
        weights = np.zeros(dim, np.float32)
        weights[np.unique(rows)] = 1.0 if taken.all() else -1.0
        return weights
    there = np.ones(rows.shape, bool) if nothing is None else rows != nothing
    ptr = np.concatenate(([0], np.cumsum(there.sum(axis=1))))
    matrix = csr_matrix((np.ones(ptr[-1]), rows[there].astype(np.int32), ptr), shape=(len(rows), dim))
    matrix.sum_duplicates()
    machine = LinearSVC(
        C=strength, class_weight={False: cost, True: 1.0}, fit_intercept=False, tol=0.1, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what it has then is good enough
        machine.fit(matrix, taken)
    found: Weights = machine.coef_[0].astype(np.float32)
    return found
