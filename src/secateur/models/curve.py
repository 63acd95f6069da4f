"""The curve through operating points: what accuracy costs where, and which penalties spread them evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.models.point import Point, by_work, pareto
from secateur.search.arrays import Floats

# Where fits start: the slope, and how far from 0 work begins to pay, as a share of the least runtime.
STEEPNESS, SHIFTS = (0.5, 1.0, 2.0, 4.0), (1e-3, 0.1, 1.0)


class Curve(NamedTuple):
    """accuracy = top * sigmoid(a * log(runtime + c) + b): near 0 without work, levelling off with much."""

    top: float
    a: float
    b: float
    c: float

    def __call__(self, runtime: npt.ArrayLike) -> Floats:
        return self.top * _sigmoid(self.a * np.log(np.asarray(runtime) + self.c) + self.b)

    def slope(self, runtime: npt.ArrayLike) -> Floats:
        """Accuracy gained per unit of runtime, there."""
        x = np.asarray(runtime) + self.c
        s = _sigmoid(self.a * np.log(x) + self.b)
        return self.top * s * (1.0 - s) * self.a / x


def fit_curve(runtime: npt.ArrayLike, accuracy: npt.ArrayLike) -> Curve:
    """Least squares from several starts, each stopped where what is left to gain is far below the noise."""
    from scipy.optimize import least_squares

    x, y = np.asarray(runtime, float), np.asarray(accuracy, float)
    if len(x) < 3 or len(x) != len(y):
        raise InputError(f"{len(x)} operating points are too few to fit a curve", fix="train 3 or more")

    def curve(parameters: Floats) -> Curve:
        top, a, b, c = parameters
        return Curve(float(np.exp(top)), float(np.exp(a)), float(b), float(np.exp(c)))

    best = None
    for steepness in STEEPNESS:
        for shift in SHIFTS:
            middle = float(np.median(x)) + shift * float(x.min())
            start = np.array(
                [
                    np.log(1.02 * y.max()),
                    np.log(steepness),
                    -steepness * np.log(middle),
                    np.log(shift * x.min() + 1e-12),
                ]
            )
            found = least_squares(lambda p: curve(p)(x) - y, start, max_nfev=300)
            if best is None or found.cost < best.cost:
                best = found
    assert best is not None
    return curve(best.x)


def tradeoffs(runtime: npt.ArrayLike, accuracy: npt.ArrayLike) -> Floats:
    """For each operating point, the tradeoff for which it is best: the slope of the curve through them.

    A few points hardly hold a curve of four parameters: a slope is at least half the smaller and at most
    twice the larger of those between a point and its neighbours.
    """
    x, y = np.asarray(runtime, float), np.asarray(accuracy, float)
    if y.max() <= 0.0:
        return np.zeros(len(x))
    slope = fit_curve(x, y).slope(x)
    order = np.argsort(x, kind="stable")
    between = np.diff(y[order]) / np.maximum(np.diff(x[order]), 1e-12)
    before, after = np.append(between[:1], between), np.append(between, between[-1:])
    found = np.empty(len(x))
    found[order] = np.clip(slope[order], np.minimum(before, after) / 2, 2 * np.maximum(before, after))
    return np.maximum(found, 0.0)


def even_penalties(
    penalties: Sequence[float], runtime: Sequence[float], count: int, slow: float, fast: float
) -> list[float]:
    """Penalties whose runtimes lie evenly on a log scale between `slow` and `fast`, from a few tried before.

    log runtime is nearly linear in the logit of the penalty: between neighbours it is taken to be, and so on
    beyond the last of them.
    """
    logit = np.log(penalties) - np.log1p(-np.asarray(penalties))
    tried = np.log(np.maximum(runtime, 1e-9))
    if len(tried) < 2 or not (np.diff(tried) < 0).all() or not slow > fast > 0:
        raise InputError(
            "a larger penalty did not make the parser faster", fix="give more or longer training sentences"
        )
    wanted = np.linspace(np.log(slow), np.log(fast), count)
    place = np.clip(np.searchsorted(-tried, -wanted), 1, len(tried) - 1)
    share = (wanted - tried[place - 1]) / (tried[place] - tried[place - 1])
    return [float(p) for p in _sigmoid(logit[place - 1] + share * (logit[place] - logit[place - 1]))]


def _sigmoid(x: npt.ArrayLike) -> Floats:
    found: Floats = np.exp(-np.logaddexp(0.0, -np.asarray(x, float)))
    return found


def with_tradeoffs(points: Sequence[Point]) -> list[Point]:
    """Points with the true tradeoff at which each is best; those that others beat in work are so at none."""
    worth = pareto(points, by_work)
    if len(worth) < 3:
        return list(points)
    slopes = tradeoffs([p.work for p in worth], [p.accuracy for p in worth])
    best = {p.name: float(slope) for p, slope in zip(worth, slopes, strict=True)}
    return [replace(p, tradeoff=best.get(p.name)) for p in points]
