"""The frontier as a figure: accuracy against words per second."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from secateur.models.point import Figures, Point, pareto

# Told apart by colour-blind people too (Okabe and Ito's palette), and each has a marker of its own.
LEARNED, UNPRUNED, DOMINATED = "#0072B2", "#D55E00", "#8A8A8A"


@dataclass(frozen=True, slots=True)
class Axis:
    """What accuracy is plotted against, on a log scale."""

    label: str
    of: Callable[[Point], float]


SPEED = Axis("words per second, one core", lambda point: point.words_per_second)


def work_axis(figures: Figures) -> Axis:
    return Axis(f"{figures.units} per sentence", lambda point: max(point.work, 1e-6))


@dataclass(frozen=True, slots=True)
class Roles:
    """The part each measured point plays in a picture; the unpruned parser may be on the frontier too."""

    frontier: Sequence[Point]
    dominated: Sequence[Point]
    unpruned: Sequence[Point]  # one, or none

    @classmethod
    def of(cls, points: Sequence[Point], unpruned: str) -> Roles:
        """`unpruned` is the name of the point without a policy."""
        best = pareto(points)
        exact = [point for point in points if point.name == unpruned]
        return cls(best, [point for point in points if point not in best and point not in exact], exact)

    def line(self, axis: Axis) -> list[Point]:
        """The frontier from left to right."""
        return sorted(self.frontier, key=axis.of)


def draw_frontier(
    path: Path,
    points: Sequence[Point],
    *,
    unpruned: str,
    title: str,
    protocol: str,
    figures: Figures,
) -> None:
    """Write a png, svg or pdf of accuracy over words/s with confidence intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    roles = Roles.of(points, unpruned)
    with pyplot.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = pyplot.subplots(figsize=(7.2, 4.5))
        line = roles.line(SPEED)
        axes.plot(
            [SPEED.of(p) for p in line], [p.accuracy for p in line], color=LEARNED, linewidth=1.4, zorder=2
        )
        learned = [p for p in line if p not in roles.unpruned]
        _put(axes, learned, "o", LEARNED, "frontier")
        _put(axes, roles.unpruned, "D", UNPRUNED, "unpruned")
        _put(axes, roles.dominated, "o", DOMINATED, "dominated", faint=True)
        _scale(axes, [SPEED.of(p) for p in points])
        axes.set(xlabel=SPEED.label, ylabel=f"{figures.accuracy} on held-out sentences, 95% interval")
        axes.set_title(title, loc="left", fontsize=11)
        axes.grid(True, which="major", color="0.92", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="best")
        said = textwrap.wrap(protocol, 130)
        figure.text(0.015, 0.015, "\n".join(said), fontsize=7, color="0.35")
        figure.tight_layout(rect=(0, 0.03 * len(said), 1, 1))
        figure.savefig(path, dpi=150)
        pyplot.close(figure)


def _put(
    axes: Any, points: Sequence[Point], marker: str, colour: str, label: str, faint: bool = False
) -> None:
    if not points:
        return
    axes.errorbar(
        [SPEED.of(p) for p in points],
        [p.accuracy for p in points],
        yerr=[[p.accuracy - p.low for p in points], [p.high - p.accuracy for p in points]],
        fmt=marker,
        color=colour,
        markersize=5 if faint else 6.5,
        markerfacecolor="white" if faint else colour,
        elinewidth=0.9,
        capsize=2.5,
        alpha=0.45 if faint else 1.0,
        label=label,
        zorder=1 if faint else 3,
    )


def _scale(axes: Any, values: Sequence[float]) -> None:
    """A log axis whose ticks are plain numbers; a single decade gets more of them."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    low, high = log_range(values)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(list(log_ticks(low, high))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: figure_text(value)))


def log_range(values: Sequence[float]) -> tuple[float, float]:
    """The values with some room around them, on a log scale."""
    low, high = min(values), max(values)
    room = max((high / low) ** 0.07, 1.1)
    return low / room, high * room


def log_ticks(low: float, high: float) -> Iterator[float]:
    """Powers of ten between low and high, and steps between them where these would be few."""
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        found = [step * 10.0**power for power in range(-9, 12) for step in steps]
        inside = [value for value in found if low <= value <= high]
        if len(inside) >= 4:
            break
    yield from inside


def figure_text(value: float) -> str:
    """A number on an axis: 20,000 or 0.0005."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.6f}".rstrip("0").rstrip(".")
