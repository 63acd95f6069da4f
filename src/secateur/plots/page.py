"""The frontier as a page: one file, without a network or a library.

The pictures are drawn here, one for each axis; the script in page.html only shows, hides and marks.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from secateur.models import dial
from secateur.models.point import Figures, Point
from secateur.plots.frontier import SPEED, Axis, Roles, figure_text, log_range, log_ticks, work_axis

_WIDTH, _HEIGHT = 760, 420  # of a picture, in its own units
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 16, 52  # margins


def page(points: Sequence[Point], *, unpruned: str, model: str, protocol: str, names: Figures) -> str:
    """A self-contained HTML page; `unpruned` is the name of the point without a policy."""
    roles = Roles.of(points, unpruned)
    data = [
        {
            "name": point.name,
            "figures": figures(point, names),
            "commands": commands(roles.frontier, point, model, names),
        }
        for point in roles.frontier
    ]
    told = {point.name: _told(point, names) for point in points}
    parts = {
        "TITLE": escape(f"Frontier of {model}"),
        "PROTOCOL": escape(protocol),
        "SPEED": picture(roles, SPEED, told, names.accuracy),
        "WORK": picture(roles, work_axis(names), told, names.accuracy),
        "ACCURACY": names.accuracy,
        "UNITS": names.units,
        "TABLE": table(roles, points, names),
        "LAST": str(len(data) - 1),
        "DATA": json.dumps(data).replace("<", "\\u003c"),
    }
    made = files("secateur.plots").joinpath("page.html").read_text(encoding="utf-8")
    for name, content in parts.items():
        made = made.replace(f"<!--{name}-->", content)
    return made


def figures(point: Point, names: Figures) -> dict[str, str]:
    """What there is to say about a point."""
    return {
        names.accuracy: f"{point.accuracy:.2f}",
        "95% interval": f"{point.low:.2f} to {point.high:.2f}",
        "words/s": f"{point.words_per_second:,.0f}",
        names.per_sentence: f"{point.work:.4f}",
        names.kept: f"{point.kept:.1%}",
        names.failures: f"{point.failures:.1%}",
        "tradeoff": "-" if point.tradeoff is None else f"{point.tradeoff:,.4g}",
    }


def commands(points: Sequence[Point], point: Point, model: str, names: Figures) -> list[str]:
    """`secateur parse` at this point of the frontier: by speed and by accuracy, where these lead to it."""
    digits = len(str(int(point.words_per_second)))
    step = 10 ** max(digits - 2, 0)
    speed = int(point.words_per_second) // step * step
    accuracy = math.floor(point.accuracy * 10) / 10
    asked = {
        f"--budget {speed}wps": dial.within_budget(points, f"{speed}wps") if speed else None,
        f"--accuracy {accuracy:g}": dial.at_least(points, accuracy, names) if accuracy > 1 else None,
    }
    found = [option for option, choice in asked.items() if choice and choice.point is point]
    return [f"secateur parse {shlex.quote(model)} {option}" for option in found or [f"--point {point.name}"]]


def _told(point: Point, names: Figures) -> str:
    return ", ".join(f"{name} {value}" for name, value in figures(point, names).items())


# The table --------------------------------------------------------------------------------------------------

# By what each column of `figures` is sorted.
_SORTED: tuple[Callable[[Point], float | None], ...] = (
    lambda p: p.accuracy,
    lambda p: p.low,
    lambda p: p.words_per_second,
    lambda p: p.work,
    lambda p: p.kept,
    lambda p: p.failures,
    lambda p: p.tradeoff,
)


def table(roles: Roles, points: Sequence[Point], names: Figures) -> str:
    """All points, those of the frontier first; the script sorts by the values behind the texts."""
    columns = ("point", *figures(roles.frontier[0], names))
    head = "".join(f'<th scope="col"><button>{name}</button></th>' for name in columns)
    others = sorted((p for p in points if p not in roles.frontier), key=lambda p: p.work)
    rows = "".join(_row(point, names, "") for point in roles.frontier)
    rows += "".join(
        _row(point, names, ' class="dominated" title="dominated: another is better"') for point in others
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(point: Point, names: Figures, marks: str) -> str:
    cells = ""
    for text, of in zip(figures(point, names).values(), _SORTED, strict=True):
        value = of(point)
        cells += f'<td data-value="{"" if value is None else value}">{text}</td>'
    name = escape(point.name)
    return f'<tr data-point="{name}"{marks}><th scope="row" data-value="{name}">{name}</th>{cells}</tr>'


# The pictures -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """From figures to places in the picture."""

    axis: Axis
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, value: float) -> float:
        low, high = map(math.log, self.x)
        return _LEFT + (math.log(value) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def up(self, accuracy: float) -> float:
        low, high = self.y
        return _HEIGHT - _BOTTOM - (accuracy - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    def place(self, point: Point) -> tuple[float, float]:
        return self.at(self.axis.of(point)), self.up(point.accuracy)


def picture(roles: Roles, axis: Axis, told: dict[str, str], accuracy: str) -> str:
    """Accuracy over one axis, as SVG that takes its colours from the page."""
    points = [*roles.frontier, *roles.dominated, *roles.unpruned]
    low, high = min(p.low for p in points), max(p.high for p in points)
    room = max(0.04 * (high - low), 0.5)
    scale = _Scale(axis, log_range([axis.of(p) for p in points]), (low - room, min(high + room, 100.5)))
    line = " ".join("{:.1f},{:.1f}".format(*scale.place(p)) for p in roles.line(axis))
    learned = [p for p in roles.frontier if p not in roles.unpruned]
    marks = [
        *(_mark(scale, p, "dominated", told) for p in roles.dominated),
        f'<polyline class="line" points="{line}"/>',
        *(_mark(scale, p, "frontier", told) for p in learned),
        *(_mark(scale, p, "unpruned", told) for p in roles.unpruned),
    ]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="group" '
        f'aria-label="{accuracy} against {axis.label}">{_axes(scale, accuracy)}{"".join(marks)}</svg>'
    )


def _axes(scale: _Scale, accuracy: str) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for value in log_ticks(*scale.x):
        x = f"{scale.at(value):.1f}"
        parts.append(f'<path class="grid" d="M{x} {_TOP}V{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{figure_text(value)}</text>')
    for value in _even_ticks(*scale.y):
        y = scale.up(value)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    middle = (_TOP + bottom) / 2
    parts.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>')
    parts.append(
        f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 10}" text-anchor="middle">{scale.axis.label}</text>'
    )
    parts.append(
        f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
        f"{accuracy}, 95% interval</text>"
    )
    return "".join(parts)


def _even_ticks(low: float, high: float) -> list[float]:
    """Four to ten round numbers."""
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if (high - low) / s < 9 or s == 20)
    return [round(n * step, 1) for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _mark(scale: _Scale, point: Point, role: str, told: dict[str, str]) -> str:
    """A point with its interval; shapes differ, not only colours."""
    x, y = scale.place(point)
    bar = f"M{x:.1f} {scale.up(point.low):.1f}V{scale.up(point.high):.1f}"
    shape: Any = (
        f'<path class="dot" d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z"/>'
        if role == "unpruned"
        else f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{5 if role == "frontier" else 4}"/>'
    )
    name = escape(point.name)
    return (
        f'<g class="point {role}" data-point="{name}" tabindex="0" role="img" '
        f'aria-label="{name}: {told[point.name]}"><path class="bar" d="{bar}"/>'
        f'<circle class="hit" cx="{x:.1f}" cy="{y:.1f}" r="12"/>{shape}</g>'
    )
