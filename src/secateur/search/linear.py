"""Weighted, L2-regularized regressions over hashed features, by L-BFGS: of single rows, and of rankings.

Only the features that occur (and often enough) are optimised over. The objectives are

    sum_r w_r log(1 + exp(-y_r <theta, phi_r>)) + (regularizer / 2) |theta|^2,   sum_r w_r = 1

with y = +1 (take) or -1 (decline), and

    -sum_t w_t log sum_{c best of t} p(c | t) + (regularizer / 2) |theta|^2,   sum_t w_t = 1

with p(c | t) in proportion to exp <theta, phi_c> over the choices c of decision t. For decisions with one
candidate, to be taken or declined, they are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.kernels import logistic
from secateur.search.arrays import Bools, Floats, Ints, Ptr, Weights
from secateur.search.core import Rows, all_ones

# Among the best of 2^-11 to 2^-19 for baselines on the dev part of the PTB sample: docs/papers.
REGULARIZER = 2.0**-18


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Rows of features as columns over the active ones. Column 0 stands for what is left out."""

    columns: npt.NDArray[np.uint32]  # [R, w]
    active: npt.NDArray[np.uint32]  # [active] the bucket of each column but the first
    dim: int
    values: Weights = field(default_factory=all_ones)  # [R, w]; empty: all 1

    @classmethod
    def build(cls, rows: Rows, wanted: Bools) -> Matrix:
        """From features and which of all buckets [dim] are to get weights."""
        active = np.flatnonzero(wanted).astype(np.uint32)
        number = np.zeros(len(wanted), np.uint32)
        number[active] = np.arange(1, len(active) + 1, dtype=np.uint32)
        return cls(number[rows.bucket], active, len(wanted), rows.value)

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
        loss, gradient = logistic.loss_and_gradient(matrix.columns, matrix.values, signed, theta)
        gradient += regularizer * theta
        return loss + 0.5 * regularizer * _dot(theta, theta), gradient

    first = matrix.gather(start) if start is not None else np.zeros(matrix.size)
    return matrix.spread(minimize(objective, first, iterations=iterations, tolerance=tolerance))


# From the features of candidates, the bounds of decisions among them, what each candidate is worth more than
# its decision's first choice (declining, where there is one candidate), and weights to start from.
Fit = Callable[[Matrix, Ptr, Floats, Weights | None], Weights]


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fit that sees every candidate on its own, against the best of the other choices at its decision."""

    regularizer: float = REGULARIZER
    iterations: int = 100  # of the optimizer
    tolerance: float = 1e-6

    def __call__(self, matrix: Matrix, ptr: Ptr, advantage: Floats, start: Weights | None) -> Weights:
        return logistic_regression(
            matrix,
            over_others(ptr, advantage),
            regularizer=self.regularizer,
            start=start,
            iterations=self.iterations,
            tolerance=self.tolerance,
        )


@dataclass(frozen=True, slots=True)
class Softmax:
    """A fit of rankings: the likelihood of choosing one of the best candidates at every decision.

    A decision weighs what its other choices are worth less than the best, on average.
    """

    regularizer: float = REGULARIZER
    iterations: int = 100
    tolerance: float = 1e-6

    def __call__(self, matrix: Matrix, ptr: Ptr, advantage: Floats, start: Weights | None) -> Weights:
        weight, best = stakes(ptr, advantage)
        total = weight.sum()
        if total == 0.0:
            return start if start is not None else np.zeros(matrix.dim, np.float32)
        share = weight / total

        def objective(theta: Floats) -> tuple[float, Floats]:
            loss, gradient = logistic.ranking_loss_and_gradient(
                matrix.columns, matrix.values, ptr, share, best, theta
            )
            gradient += self.regularizer * theta
            return loss + 0.5 * self.regularizer * _dot(theta, theta), gradient

        first = matrix.gather(start) if start is not None else np.zeros(matrix.size)
        found = minimize(objective, first, iterations=self.iterations, tolerance=self.tolerance)
        return matrix.spread(found)


def over_others(ptr: Ptr, advantage: Floats) -> Floats:
    """[R] what each candidate is worth more than the best of the other choices at its decision.

    The other choice of a single candidate is to decline it, over which its advantage is given.
    """
    if len(ptr) - 1 == len(advantage):
        return advantage
    sizes = np.diff(ptr)
    top = np.repeat(np.maximum.reduceat(advantage, ptr[:-1]), sizes)
    first = advantage == top
    shared = np.repeat(np.add.reduceat(first, ptr[:-1], dtype=np.int64), sizes) > 1
    rest = np.where(first, -np.inf, advantage)
    second = np.repeat(np.maximum.reduceat(rest, ptr[:-1]), sizes)
    found = advantage - np.where(first & ~shared, second, top)
    return np.where(np.repeat(sizes, sizes) == 1, advantage, found)


def stakes(ptr: Ptr, advantage: Floats) -> tuple[Floats, Bools]:
    """What is at stake at each decision: [T] how much less its other choices are worth than the best, on
    average; and [R] whether each candidate is among the best."""
    if not len(advantage):
        return np.zeros(0), np.zeros(0, bool)
    sizes = np.diff(ptr)
    declined = np.where(sizes == 1, 0.0, -np.inf)  # what it is worth to decline, where one may
    top = np.maximum(np.maximum.reduceat(advantage, ptr[:-1]), declined)
    less = np.repeat(top, sizes) - advantage
    lost = np.add.reduceat(less, ptr[:-1]) + np.where(sizes == 1, top, 0.0)
    worse: Ints = np.add.reduceat(less > 0.0, ptr[:-1], dtype=np.int64) + ((sizes == 1) & (top > 0.0))
    return np.divide(lost, worse, out=np.zeros(len(sizes)), where=worse > 0), less == 0.0


def sparse(weights: Weights) -> npt.NDArray[np.uint32]:
    """[2, active] the features with a weight, and the weights' bits."""
    active = np.flatnonzero(weights).astype(np.uint32)
    return np.stack((active, weights[active].view(np.uint32)))


def dense(stored: npt.NDArray[Any], dim: int) -> Weights:
    """Weights over so many features, from what `sparse` gave; ValueError if it is anything else."""
    if stored.dtype != np.uint32 or stored.ndim != 2 or len(stored) != 2:
        raise ValueError(f"weights are {stored.dtype} {stored.shape}, not two rows of uint32")
    active, bits = np.ascontiguousarray(stored)
    if len(active) and (int(active[-1]) >= dim or (active[1:] <= active[:-1]).any()):
        raise ValueError(f"weights of features that do not grow, or not below {dim}")
    if not np.isfinite(bits.view(np.float32)).all():
        raise ValueError("weights that are no finite numbers")
    weights = np.zeros(dim, np.float32)
    weights[active] = bits.view(np.float32)
    return weights


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
