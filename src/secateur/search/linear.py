"""Weighted, L2-regularized logistic regression over hashed features, by L-BFGS.

Only the features that occur (and often enough) are optimised over. The objective is

    sum_r w_r log(1 + exp(-y_r <theta, phi_r>)) + (regularizer / 2) |theta|^2,   sum_r w_r = 1

with y = +1 (take) or -1 (decline).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.kernels import logistic
from secateur.search.core import Bools, Floats, Rows, Weights


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Rows of features as columns over the active ones. Column 0 stands for what is left out."""

    columns: npt.NDArray[np.uint32]  # [R, w]
    active: npt.NDArray[np.uint32]  # [active] the bucket of each column but the first
    dim: int

    @classmethod
    def build(cls, rows: Rows, wanted: Bools) -> Matrix:
        """From buckets [R, w] and which of all buckets [dim] are to get weights."""
        active = np.flatnonzero(wanted).astype(np.uint32)
        number = np.zeros(len(wanted), np.uint32)
        number[active] = np.arange(1, len(active) + 1, dtype=np.uint32)
        return cls(number[rows], active, len(wanted))

    @property
    def size(self) -> int:
        return len(self.active) + 1

    def spread(self, theta: Floats) -> Weights:
        """Weights over all buckets."""
        weights = np.zeros(self.dim, np.float32)
        weights[self.active] = theta[1:]
        return weights

    def gather(self, weights: Weights) -> Floats:
        """Weights over the columns."""
        return np.concatenate(([0.0], weights[self.active]))


def logistic_regression(
    matrix: Matrix,
    advantage: Floats,
    *,
    regularizer: float,
    start: Weights | None = None,
    iterations: int = 100,
    tolerance: float = 1e-6,
) -> Weights:
    """Weights that take where advantage (value of taking minus value of declining) is positive.

    The example weights are the advantages' sizes, scaled to sum to 1.
    """
    total = np.abs(advantage).sum()
    if total == 0.0:
        return start if start is not None else np.zeros(matrix.dim, np.float32)
    signed = advantage / total

    def objective(theta: Floats) -> tuple[float, Floats]:
        loss, gradient = logistic.loss_and_gradient(matrix.columns, signed, theta)
        gradient += regularizer * theta
        return loss + 0.5 * regularizer * _dot(theta, theta), gradient

    first = matrix.gather(start) if start is not None else np.zeros(matrix.size)
    return matrix.spread(minimize(objective, first, iterations=iterations, tolerance=tolerance))


def minimize(
    objective: Callable[[Floats], tuple[float, Floats]],
    first: Floats,
    *,
    iterations: int,
    tolerance: float,
    memory: int = 7,
) -> Floats:
    """The minimum of a smooth convex function, by L-BFGS with backtracking.

    Ends when the function falls by less than `tolerance` of itself. scipy's L-BFGS-B minds bounds that we do
    not have, and its sums go through BLAS: on a million features it was several times slower.
    """
    theta = first
    value, gradient = objective(theta)
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=memory)
    step = 1.0 / max(_dot(gradient, gradient) ** 0.5, 1e-12)
    for _ in range(iterations):
        direction = -_inverse_hessian(pairs, gradient)
        slope = _dot(direction, gradient)
        if slope >= 0.0:
            break
        while True:
            moved = theta + step * direction
            new_value, new_gradient = objective(moved)
            if new_value <= value + 1e-4 * step * slope or step < 1e-12:
                break
            step *= 0.5
        change, bend = moved - theta, new_gradient - gradient
        curvature = _dot(change, bend)
        if curvature > 1e-300:
            pairs.append((change, bend, 1.0 / curvature))
        fallen = value - new_value
        theta, value, gradient, step = moved, new_value, new_gradient, 1.0
        if fallen <= tolerance * abs(value):
            break
    return theta


def _inverse_hessian(pairs: deque[tuple[Floats, Floats, float]], gradient: Floats) -> Floats:
    """The two-loop recursion: the inverse Hessian of the last steps, times the gradient."""
    found = gradient.copy()
    factors = []
    for change, bend, inverse in reversed(pairs):
        factor = inverse * _dot(change, found)
        found -= factor * bend
        factors.append(factor)
    if pairs:
        change, bend, inverse = pairs[-1]
        found *= 1.0 / (inverse * _dot(bend, bend))
    for (change, bend, inverse), factor in zip(pairs, reversed(factors), strict=True):
        found += (factor - inverse * _dot(bend, found)) * change
    return found


def _dot(a: Floats, b: Floats) -> float:
    """Not by BLAS, whose sums depend on its number of threads: the same policy must come out everywhere."""
    return float(np.einsum("i,i->", a, b))
