"""Frontiers: operating points, which of them are worth having, and which one a user means.

Accuracies are percent, work is in mega-pushes per sentence (or any unit of runtime), tradeoffs are accuracy
points per unit of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """One policy as measured on held-out trees."""

    name: str
    accuracy: float  # corpus F1
    low: float  # its 95% confidence interval
    high: float
    mpush: float  # mega-pushes per sentence
    words_per_second: float  # one core
    seconds_per_sentence: float
    kept: float  # share of the spans
    failures: float  # share of the sentences
    tradeoff: float | None = None  # the true one at which it is best, F1 points per mega-push; None: at none


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
    for steepness in (0.5, 1.0, 2.0, 4.0):
        for shift in (1e-3, 0.1, 1.0):
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


def pareto(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats in accuracy and work both, the fastest first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.mpush, -p.accuracy)):
        if not kept or point.accuracy > kept[-1].accuracy:
            kept.append(point)
    return kept


class Choice(NamedTuple):
    """The point a request picks, and a remark where the request lies beyond the frontier."""

    point: Point
    remark: str = ""


def most_accurate(points: Sequence[Point]) -> Choice:
    return Choice(max(points, key=lambda p: (p.accuracy, -p.mpush)))


def fastest(points: Sequence[Point]) -> Choice:
    return Choice(min(points, key=lambda p: (p.seconds_per_sentence, -p.accuracy)))


def within_budget(points: Sequence[Point], budget: str) -> Choice:
    """The most accurate point within a budget: `20000wps` or `2ms/sent`."""
    speed = re.fullmatch(r"([\d.,_]+)\s*(wps|ms/sent|s/sent)", budget.strip())
    if not speed:
        raise InputError(f"a budget of {budget!r}", fix="write it as 20000wps or 2ms/sent")
    amount = float(re.sub("[,_]", "", speed[1]))
    if amount <= 0:
        raise InputError(f"a budget of {budget!r}", fix="give more than nothing")
    if speed[2] == "wps":
        able = [p for p in points if p.words_per_second >= amount]
    else:
        seconds = amount * (1e-3 if speed[2] == "ms/sent" else 1.0)
        able = [p for p in points if p.seconds_per_sentence <= seconds]
    if able:
        return most_accurate(able)
    best = fastest(points).point
    return Choice(
        best, f"{budget} is beyond this model: its fastest point does {best.words_per_second:,.0f} words/s"
    )


def at_least(points: Sequence[Point], accuracy: float) -> Choice:
    """The fastest point with this accuracy."""
    able = [p for p in points if p.accuracy >= accuracy]
    if able:
        return fastest(able)
    best = most_accurate(points).point
    return Choice(
        best, f"F1 {accuracy:g} is beyond this model: its most accurate point has {best.accuracy:.2f}"
    )


def within_loss(points: Sequence[Point], loss: float) -> Choice:
    """The fastest point that loses at most so many F1 points against the most accurate one."""
    if not loss >= 0:
        raise InputError(f"a loss of {loss} F1 points", fix="give 0 or more")
    return fastest([p for p in points if p.accuracy >= most_accurate(points).point.accuracy - loss])


def for_tradeoff(points: Sequence[Point], tradeoff: float) -> Choice:
    """The point with the largest F1 - tradeoff * mega-pushes."""
    if not (tradeoff >= 0 and np.isfinite(tradeoff)):
        raise InputError(
            f"a tradeoff of {tradeoff}", fix="give F1 points per mega-push: 0 or more, and finite"
        )
    return Choice(max(points, key=lambda p: (p.accuracy - tradeoff * p.mpush, p.accuracy)))


def _sigmoid(x: npt.ArrayLike) -> Floats:
    found: Floats = np.exp(-np.logaddexp(0.0, -np.asarray(x, float)))
    return found
