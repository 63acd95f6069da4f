"""A linear classifier by LIBLINEAR, as a fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from secateur.search.arrays import Floats, Ptr, Weights
from secateur.search.linear import Matrix, over_others


@dataclass(frozen=True, slots=True)
class Svm:
    """A support vector machine that takes or declines each candidate; an error costs what was at stake.

    Where all are to be taken, or none, the features get weights of that sign.
    """

    strength: float = 1.0  # of the errors against small weights
    tolerance: float = 0.1

    def __call__(self, matrix: Matrix, ptr: Ptr, advantage: Floats, start: Weights | None) -> Weights:
        from scipy.sparse import csr_matrix
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        signed = over_others(ptr, advantage)
        told = signed != 0.0
        taken = signed[told] > 0.0
        if not len(taken):
            return start if start is not None else np.zeros(matrix.dim, np.float32)
        if taken.all() or not taken.any():
            return matrix.spread(np.full(matrix.size, 1.0 if taken.all() else -1.0))
        columns = matrix.columns if told.all() else matrix.columns[told]
        there = columns > 0
        ends = np.concatenate(([0], np.cumsum(there.sum(axis=1))))
        values = matrix.values[told][there] if matrix.values.size else np.ones(ends[-1])
        # By bucket: which algorithm is quick depends on how many features there are.
        buckets = matrix.active[columns[there] - 1].astype(np.int32)
        rows = csr_matrix((values, buckets, ends), shape=(len(columns), matrix.dim), dtype=np.float64)
        rows.sum_duplicates()
        machine = LinearSVC(C=self.strength, fit_intercept=False, tol=self.tolerance, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # what it has then is good enough
            machine.fit(rows, taken, np.abs(signed[told]))
        found: Weights = machine.coef_[0].astype(np.float32)
        return found
