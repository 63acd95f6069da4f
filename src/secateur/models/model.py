"""Model: what training made, whatever its kind: parts, policies and a frontier of measured points.

A saved one is a directory of readable files (`models.files`); nothing in it is executable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

from secateur.errors import InputError
from secateur.metrics.scores import SCORING
from secateur.models import dial, files
from secateur.models.dial import Choice, Dial
from secateur.models.kind import Kind, Using, Views
from secateur.models.limits import Limits
from secateur.models.measure import clock_said
from secateur.models.parse import SentenceParser
from secateur.models.point import Point, Way, pareto
from secateur.models.storage import AGAIN, damaged
from secateur.models.table import KINDS, kind_named
from secateur.options import made
from secateur.search.core import Policy

P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Model(Generic[P, T]):
    """Parts of a parser, policies for it, and the points of its dial; a mere grammar has no points."""

    kind: Kind[P, T]
    parts: P
    policies: Mapping[str, Policy] = field(default_factory=dict)
    points: Sequence[Point] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    log: Sequence[Mapping[str, Any]] = ()

    def __repr__(self) -> str:
        points = f"{len(self.points)} points, {len(self.frontier)} on the frontier"
        return f"<Model of kind {self.kind.name}: {points}>"

    # The dial -----------------------------------------------------------------------------------------------

    @property
    def frontier(self) -> list[Point]:
        """The points worth having, the fastest first."""
        return pareto(self.points)

    @property
    def unpruned(self) -> str:
        """The name of the point that looks at everything."""
        return next(iter(self.ways()))

    def ways(self) -> Mapping[str, Way]:
        """The ways to parse with it, by the names of their points."""
        return self.kind.ways(self.parts, self.policies)

    def choose(self, **setting: Any) -> Choice:
        """The point that a setting of the dial picks (see `Dial`); the most accurate one without any."""
        if not self.points:
            raise InputError("this has no dial: no points were measured", fix="name a model with a dial")
        return dial.choose(self.points, self.kind.figures, _as_dial(setting))

    def parser(
        self, point: str | None = None, *, limits: Limits | None = None, **using: Any
    ) -> SentenceParser[T]:
        """A parser at a point; without one, the most accurate, or the only one that a grammar has.

        `using` are options of the kind's parsers.
        """
        if point is None:
            point = self.choose().point.name if self.points else self.unpruned
        ways = {p.name: p.way for p in self.points} | dict(self.ways())
        if point not in ways:
            raise InputError(f"no operating point {point!r}", fix=f"choose from {', '.join(ways)}")
        if limits is not None and not isinstance(limits, Limits):
            raise TypeError(f"limits are Limits, not {limits!r}")
        made_of = self._using(using)
        return self.kind.parser(self.parts, ways[point], self.policies, limits or Limits(), made_of)

    def measured_parser(self, point: str, **using: Any) -> SentenceParser[T]:
        """A parser as the dial's points were measured, unless told otherwise."""
        noted = self.kind.measured(self.settings)
        known = {one.name: getattr(noted, one.name) for one in fields(noted)}
        return self.parser(point, **{**known, **using})

    def _using(self, given: Mapping[str, Any]) -> Using:
        return made(self.kind.using, given, f"a parser of kind {self.kind.name}")

    # What it is ---------------------------------------------------------------------------------------------

    @property
    def protocol(self) -> str:
        """How the figures of the points were taken: as training takes them."""
        judged = self.settings.get("judged on")
        where = f"on {f'{judged:,}' if judged else 'the'} held-out sentences"
        using = self.kind.measured(self.settings)
        said = [SCORING[self.kind.annotation.name]().said(), using.said(), where]
        repeat = self.settings.get("repeat")
        return f"{', '.join(filter(None, said))}; {clock_said(repeat)}"

    def sizes(self) -> dict[str, int]:
        """What there is of it, by name."""
        return {
            **self.kind.sizes(self.parts),
            "policies": len(self.policies),
            "points measured": len(self.points),
            "points on the frontier": len(self.frontier),
        }

    def card(self) -> str:
        """For people: on what it was trained, and how fast and how accurate its points are."""
        figures = self.kind.figures
        columns = ["point", figures.accuracy, "95%", "words/s", figures.per_sentence, figures.kept]
        columns.append(figures.failures)
        lines = ["# Model card", "", f"- kind: {self.kind.name}"]
        lines += [f"- {key}: {value}" for key, value in self.settings.items()]
        lines += ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        lines += [
            f"| {p.name} | {p.accuracy:.2f} | {p.low:.2f}-{p.high:.2f} | {p.words_per_second:,.0f} "
            f"| {p.work:.4f} | {p.kept:.1%} | {p.failures:.1%} |"
            for p in self.frontier
        ]
        return "\n".join([*lines, "", f"Protocol: {self.protocol}.", ""])

    # Files --------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the directory."""
        written = {
            **self.kind.write(self.parts),
            files.ABOUT: files.about_text(self.kind.name, self.settings),
            files.CARD: self.card(),
        }
        files.save(path, written, self.policies, self.points, self.log)

    @staticmethod
    def load(path: str | PathLike[str], *, views: Views | None = None) -> Model[Any, Any]:
        """Read a directory; `views` brings the functions of templates that users added."""
        about = files.read_about(path)
        store = files.open_model(path, about, KINDS)
        kind = kind_named(str(about["kind"]))
        parts = kind.read(store, views or {})
        policies = files.read_policies(store, kind.fits(parts))
        points, log = files.read_points(store), files.read_log(store)
        store.finish()
        model = Model(kind, parts, policies, points, files.settings_of(about), log)
        _check_points(model, Path(path))
        _check_settings(model, Path(path))
        return model


def _check_points(model: Model[Any, Any], folder: Path) -> None:
    """Refuse points that lead nowhere."""
    ways = model.ways()
    for point in model.points:
        if point.name not in ways or dict(ways[point.name]) != dict(point.way):
            raise InputError(
                f"damaged: the point {point.name!r} is no way to parse with this model",
                where=str(folder / files.POINTS),
                fix=AGAIN,
            )


def _check_settings(model: Model[Any, Any], folder: Path) -> None:
    """Refuse notes on training that those who look at them could make nothing of."""
    try:
        model.kind.annotation.reading.from_notes(model.settings).said()
        model.card()
    except (TypeError, ValueError, AttributeError, KeyError) as problem:
        raise damaged(folder / files.ABOUT, f"settings that are none: {problem}") from None


def _as_dial(setting: Mapping[str, Any]) -> Dial:
    found: Dial = {}
    found.update(setting)  # type: ignore[typeddict-item]  # names are checked where it is used
    return found
