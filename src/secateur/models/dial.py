"""The dial: which operating point a user means.

Accuracies are percent, work is in millions of the kind's unit per sentence, tradeoffs are accuracy points per
million of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

import numpy as np

from secateur.errors import InputError
from secateur.models.point import Figures, Point, pareto
from secateur.options import check_number


class Dial(TypedDict, total=False):
    """The settings there are; one at most is given."""

    budget: str
    accuracy: float
    max_loss: float
    tradeoff: float
    fastest: bool
    most_accurate: bool
    point: str


class Choice(NamedTuple):
    """The point a request picks, and a remark where the request lies beyond the frontier."""

    point: Point
    remark: str = ""


def most_accurate(points: Sequence[Point]) -> Choice:
    return Choice(max(points, key=lambda p: (p.accuracy, -p.work)))


def fastest(points: Sequence[Point]) -> Choice:
    return Choice(min(points, key=lambda p: (p.seconds_per_sentence, -p.accuracy)))


def within_budget(points: Sequence[Point], budget: str) -> Choice:
    """The most accurate point within a budget: `20000wps` or `2ms/sent`, both on average."""
    speed = re.fullmatch(r"(\d[\d,_]*(?:\.\d*)?|\.\d+)\s*(wps|ms/sent|s/sent)", budget.strip())
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


def at_least(points: Sequence[Point], accuracy: float, figures: Figures) -> Choice:
    """The fastest point with this accuracy."""
    if not 1.0 < accuracy <= 100.0:
        raise InputError(
            f"an accuracy of {accuracy:g}", fix=f"give {figures.accuracy} in percent, such as 62"
        )
    able = [p for p in points if p.accuracy >= accuracy]
    if able:
        return fastest(able)
    best = most_accurate(points).point
    return Choice(
        best,
        f"{figures.accuracy} {accuracy:g} is beyond this model: "
        f"its most accurate point has {best.accuracy:.2f}",
    )


def within_loss(points: Sequence[Point], loss: float, figures: Figures) -> Choice:
    """The fastest point that loses at most so many points of accuracy against the most accurate one."""
    if not loss >= 0:
        raise InputError(f"a loss of {loss} {figures.accuracy} points", fix="give 0 or more")
    return fastest([p for p in points if p.accuracy >= most_accurate(points).point.accuracy - loss])


def for_tradeoff(points: Sequence[Point], tradeoff: float, figures: Figures) -> Choice:
    """The point with the largest accuracy - tradeoff * work."""
    if not (tradeoff >= 0 and np.isfinite(tradeoff)):
        raise InputError(
            f"a tradeoff of {tradeoff}",
            fix=f"give {figures.accuracy} points per mega-{figures.unit}: 0 or more, and finite",
        )
    return Choice(max(points, key=lambda p: (p.accuracy - tradeoff * p.work, p.accuracy)))


def choose(points: Sequence[Point], figures: Figures, dial: Dial) -> Choice:
    """The point that a setting picks; the most accurate one without any.

    A point's name may be that of any point, one that others beat included.
    """
    known = Dial.__annotations__
    for name in dial:
        if name not in known:
            raise InputError(f"the dial has no setting {name!r}", fix=f"choose from {', '.join(known)}")
    asked = {name: value for name, value in dial.items() if value is not None and value is not False}
    if len(asked) > 1:
        what = f"more than one setting of the dial: {', '.join(asked)}"
        raise InputError(what, fix="give one of them")
    worth = pareto(points)
    match asked:
        case {"budget": budget}:
            return within_budget(worth, _text(budget))
        case {"accuracy": accuracy}:
            return at_least(worth, check_number("accuracy", accuracy), figures)
        case {"max_loss": loss}:
            return within_loss(worth, check_number("max_loss", loss), figures)
        case {"tradeoff": tradeoff}:
            return for_tradeoff(points, check_number("tradeoff", tradeoff), figures)
        case {"point": wanted}:
            return _named(points, wanted)
        case {"fastest": _}:
            return fastest(worth)
    return most_accurate(worth)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f'a budget is a text such as "20000wps" or "2ms/sent", not {value!r}')
    return value


def _named(points: Sequence[Point], name: object) -> Choice:
    found = {p.name: p for p in points}
    if not isinstance(name, str) or name not in found:
        raise InputError(f"no operating point {name!r}", fix="choose from " + ", ".join(found))
    return Choice(found[name])
