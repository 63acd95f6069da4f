"""Weighted, L2-regularized logistic regression over hashed features, by L-BFGS.

Only the features that occur are optimised over. The objective is

    sum_r w_r log(1 + exp(-y_r <theta, phi_r>)) + (regularizer / 2) |theta|^2,   sum_r w_r = 1

with y = +1 (take) or -1 (decline).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from secateur.search.core import Floats, Rows, Weights


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Rows of features as a sparse matrix over the active ones."""

    table: csr_matrix  # [R, active]
    transposed: csr_matrix  # [active, R]
    active: npt.NDArray[np.uint32]  # [active] the buckets they stand for
    dim: int

    @classmethod
    def build(cls, rows: Rows, dim: int) -> Matrix:
        """From buckets [R, w]; two features of a row in one bucket add up."""
        seen = np.zeros(dim, bool)
        seen[rows] = True
        active = np.flatnonzero(seen).astype(np.uint32)
        number = np.zeros(dim, np.int32)
        number[active] = np.arange(len(active), dtype=np.int32)
        count, width = rows.shape
        ptr = np.arange(0, count * width + 1, width, dtype=np.int64 if count * width >= 2**31 else np.int32)
        ones = np.ones(count * width, np.float32)
        table = csr_matrix((ones, number[rows.ravel()], ptr), shape=(count, len(active)))
        return cls(table, table.T.tocsr(), active, dim)

    def spread(self, theta: Floats) -> Weights:
        """Weights over all buckets."""
        weights = np.zeros(self.dim, np.float32)
        weights[self.active] = theta
        return weights

    def gather(self, weights: Weights) -> Floats:
        """Weights over the active features."""
        return weights[self.active].astype(np.float64)


def logistic_regression(
    matrix: Matrix,
    advantage: Floats,
    *,
    regularizer: float,
    start: Weights | None = None,
    iterations: int = 200,
    tolerance: float = 1e-5,
) -> Weights:
    """Weights that take where advantage (value of taking minus value of declining) is positive.

    The example weights are the advantages' sizes, scaled to sum to 1.
    """
    total = np.abs(advantage).sum()
    if total == 0.0:
        return start if start is not None else np.zeros(matrix.dim, np.float32)
    weight = np.abs(advantage) / total
    sign = np.where(advantage > 0, 1.0, -1.0)

    def objective(theta: Floats) -> tuple[float, Floats]:
        margin = sign * (matrix.table @ theta)
        loss = np.logaddexp(0.0, -margin)
        # d/dm log(1 + exp(-m)) = -1 / (1 + exp(m))
        slope = -weight * sign * np.exp(-np.logaddexp(0.0, margin))
        gradient = matrix.transposed @ slope + regularizer * theta
        return float(weight @ loss + 0.5 * regularizer * (theta @ theta)), gradient

    first = matrix.gather(start) if start is not None else np.zeros(len(matrix.active))
    found = minimize(
        objective,
        first,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "ftol": tolerance * 1e-4, "gtol": 1e-10, "maxcor": 10},
    )
    return matrix.spread(found.x)
