"""Frontiers: operating points, which of them are worth having, and which one a user means.

Accuracies are percent, work is in mega-pushes per sentence (mega-templates in dependency parsing, or any unit
of runtime), tradeoffs are accuracy points per unit of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """One policy as measured on held-out trees."""

    name: str
    accuracy: float  # corpus F1; of dependencies, UAS
    low: float  # its 95% confidence interval
    high: float
    mpush: float  # mega-pushes per sentence; of dependencies, mega-templates
    words_per_second: float  # one core
    seconds_per_sentence: float
    kept: float  # share of the spans; of dependencies, of the templates that full features would take
    failures: float  # share of the sentences without a parse; of dependencies, of those that fell back
    tradeoff: float | None = None  # the true one at which it is best, points per mega-push; None: at none


class Figures(NamedTuple):
    """What a kind of model calls the figures of its points."""

    accuracy: str
    work: str
    unit: str  # of the work in a tradeoff
    units: str
    kept: str
    failures: str
    cost: str  # the field that the frontier goes by


TREES = Figures("F1", "Mpush/sentence", "mega-push", "mega-pushes", "spans kept", "without a parse", "mpush")
# Deciding and searching are work too that templates do not tell of: the frontier goes by time.
ARCS = Figures(
    "UAS",
    "Mtemplate/sentence",
    "mega-template",
    "mega-templates",
    "templates",
    "fell back",
    "seconds_per_sentence",
)


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


def pareto(points: Sequence[Point], figures: Figures = TREES) -> list[Point]:
    """The points that no other beats in accuracy and cost both, the cheapest first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (getattr(p, figures.cost), -p.accuracy)):
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


def at_least(points: Sequence[Point], accuracy: float, figures: Figures = TREES) -> Choice:
    """The fastest point with this accuracy."""
    able = [p for p in points if p.accuracy >= accuracy]
    if able:
        return fastest(able)
    best = most_accurate(points).point
    return Choice(
        best,
        f"{figures.accuracy} {accuracy:g} is beyond this model: "
        f"its most accurate point has {best.accuracy:.2f}",
    )


def within_loss(points: Sequence[Point], loss: float, figures: Figures = TREES) -> Choice:
    """The fastest point that loses at most so many points of accuracy against the most accurate one."""
    if not loss >= 0:
        raise InputError(f"a loss of {loss} {figures.accuracy} points", fix="give 0 or more")
    return fastest([p for p in points if p.accuracy >= most_accurate(points).point.accuracy - loss])


def for_tradeoff(points: Sequence[Point], tradeoff: float, figures: Figures = TREES) -> Choice:
    """The point with the largest accuracy - tradeoff * work."""
    if not (tradeoff >= 0 and np.isfinite(tradeoff)):
        raise InputError(
            f"a tradeoff of {tradeoff}",
            fix=f"give {figures.accuracy} points per {figures.unit}: 0 or more, and finite",
        )
    return Choice(max(points, key=lambda p: (p.accuracy - tradeoff * p.mpush, p.accuracy)))


def choose(
    points: Sequence[Point],
    *,
    figures: Figures = TREES,
    budget: str | None = None,
    accuracy: float | None = None,
    max_loss: float | None = None,
    tradeoff: float | None = None,
    fastest: bool = False,
    most_accurate: bool = False,
    point: str | None = None,
) -> Choice:
    """The dial: one request at most; the most accurate point of the frontier without any.

    A point's name may be that of any point, one that others beat included.
    """
    asked = [a is not None for a in (budget, accuracy, max_loss, tradeoff, point)]
    if sum([*asked, fastest, most_accurate]) > 1:
        raise InputError("more than one setting of the dial", fix="give one of them")
    worth = pareto(points, figures)
    if budget is not None:
        return within_budget(worth, budget)
    if accuracy is not None:
        return at_least(worth, accuracy, figures)
    if max_loss is not None:
        return within_loss(worth, max_loss, figures)
    if tradeoff is not None:
        return for_tradeoff(worth, tradeoff, figures)
    if point is not None:
        found = {p.name: p for p in points}
        if point not in found:
            raise InputError(f"no operating point {point!r}", fix="choose from " + ", ".join(found))
        return Choice(found[point])
    return _extreme(worth, fastest)


def _extreme(points: Sequence[Point], is_fast: bool) -> Choice:
    return fastest(points) if is_fast else most_accurate(points)


def card(settings: Mapping[str, Any], points: Sequence[Point], figures: Figures) -> str:
    """For people: on what a model was trained, and how fast and how accurate its points are."""
    columns = ["point", figures.accuracy, "95%", "words/s", figures.work, figures.kept, figures.failures]
    lines = ["# Model card", "", *(f"- {key}: {value}" for key, value in settings.items()), ""]
    lines += [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += [
        f"| {p.name} | {p.accuracy:.2f} | {p.low:.2f}-{p.high:.2f} | {p.words_per_second:,.0f} "
        f"| {p.mpush:.4f} | {p.kept:.1%} | {p.failures:.1%} |"
        for p in points
    ]
    return "\n".join(lines) + "\n"


def protocol(scores: str, what: str, settings: Mapping[str, Any]) -> str:
    """How the figures of a model's points were taken: the scores' own protocol, on what, and the clock."""
    judged, repeat = settings.get("judged on"), settings.get("repeat")
    return (
        f"{scores}, on {f'{judged:,}' if judged else 'the'} held-out {what}; "
        f"words/s: CPU time on one core{f', best of {repeat}' if repeat else ''}"
    )


def _sigmoid(x: npt.ArrayLike) -> Floats:
    found: Floats = np.exp(-np.logaddexp(0.0, -np.asarray(x, float)))
    return found


def with_tradeoffs(points: Sequence[Point]) -> list[Point]:
    """Points with the true tradeoff at which each is best; those that others beat in work are so at none."""
    worth = pareto(points)
    if len(worth) < 3:
        return list(points)
    slopes = tradeoffs([p.mpush for p in worth], [p.accuracy for p in worth])
    best = {p.name: float(slope) for p, slope in zip(worth, slopes, strict=True)}
    return [replace(p, tradeoff=best.get(p.name)) for p in points]
