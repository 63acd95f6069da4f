"""Point: one way to parse with a model, as measured; and what a kind of model calls its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# How to parse at a point: {"mask": "lols-3", "decode": "max-rule", "least": 0.001}.
Way = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Point:
    """One way to parse, as measured on held-out sentences."""

    name: str
    way: Way
    accuracy: float  # percent, as the kind of model scores
    low: float  # its 95% confidence interval
    high: float
    work: float  # in millions of the kind's unit, per sentence
    words_per_second: float  # one core
    seconds_per_sentence: float
    kept: float  # share of what the whole parser would look at
    failures: float  # share of the sentences without a parse of their own
    tradeoff: float | None = None  # accuracy points per million units at which it is best; None: at none


class Figures(NamedTuple):
    """What a kind of model calls the figures of its points."""

    accuracy: str
    work: str  # the counter of Work that tradeoffs are in
    unit: str  # of the work: "push", "template"
    share: str  # the counter of Work that is compared with the whole
    kept: str  # what that share is called
    failures: str

    @property
    def per_sentence(self) -> str:
        """The column of work, in millions."""
        return f"M{self.unit}/sentence"

    @property
    def units(self) -> str:
        """In words."""
        return f"mega-{self.unit}" + ("es" if self.unit.endswith("sh") else "s")


def by_time(point: Point) -> float:
    return point.seconds_per_sentence


def by_work(point: Point) -> float:
    """What no clock disturbs."""
    return point.work


def pareto(points: Sequence[Point], cost: Callable[[Point], float] = by_time) -> list[Point]:
    """The points that no other beats in accuracy and cost both, the cheapest first."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (cost(p), -p.accuracy)):
        if not kept or point.accuracy > kept[-1].accuracy:
            kept.append(point)
    return kept
