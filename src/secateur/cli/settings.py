"""Settings of a model's dial, as commands get and show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from secateur.cli.options import Dial
from secateur.cli.spread import Given, flag
from secateur.cli.terminal import err, print_table
from secateur.errors import InputError

if TYPE_CHECKING:
    from secateur.models.kind import Kind
    from secateur.models.model import Model
    from secateur.models.point import Figures, Point


def choose(path: str, model: Model[Any, Any], dial: Dial) -> Point | None:
    """The point that a setting of the dial picks; None of a grammar, which has no dial."""
    if not model.points:
        if dial:
            fix = "name a model, or leave the setting out"
            raise InputError("a grammar has no dial", where=path, fix=fix)
        return None
    choice = model.choose(**dial)
    if choice.remark:
        err.print(f"{path}: {choice.remark}")
    return choice.point


def settings_of(dial: Dial, points: str | None) -> list[Dial]:
    """One setting of the dial for each row of a report; none: all points of the frontier."""
    if points is not None:
        if dial:
            raise InputError("more than one setting of the dial", fix="give one of them")
        return [] if points == "all" else [{"point": name} for name in points.split(",")]
    if list(dial) == ["budget"]:
        # A comma behind a unit, not one within a number.
        return [{"budget": budget} for budget in re.split(r"(?<=[a-z])\s*,\s*", dial["budget"])]
    return [dial]


def chosen(path: str, model: Model[Any, Any], settings: Sequence[Dial]) -> list[tuple[str, str]]:
    """Each setting as an option, with the name of its point; a grammar has but one way, without a name."""
    if not model.points:
        if settings != [{}]:
            fix = "name a model first, or leave the setting out"
            raise InputError("only a model has a dial", where=path, fix=fix)
        return [("", model.unpruned)]
    if settings:
        points = [(typed(dial), choose(path, model, dial)) for dial in settings]
        return [(setting, point.name) for setting, point in points if point is not None]
    return [(f"--point {point.name}", point.name) for point in model.frontier]


def one_tree(kind: Kind[Any, Any], using: Given) -> dict[str, Any]:
    """How to parse, where there is one tree of each sentence to score or to time."""
    own = using.of(kind.name)
    made = kind.using(**own)
    if made.is_several or made.is_json:
        raise typer.BadParameter(f"{' and '.join(map(flag, own))} is for `secateur parse`")
    return own


def typed(dial: Dial) -> str:
    """The setting as an option."""
    (option, value), *_ = [*dial.items(), ("most_accurate", True)]
    return f"--{option.replace('_', '-')}" + ("" if value is True else f" {value}")


def print_points(points: Iterable[Point], remarks: Mapping[str, str], figures: Figures) -> None:
    """A row a point; remarks by name."""
    columns = [
        "point",
        figures.accuracy,
        "95% interval",
        "words/s",
        figures.per_sentence,
        figures.kept,
        figures.failures,
        "tradeoff",
    ]
    rows = [
        (
            point.name,
            point.accuracy,
            f"{point.low:.2f}-{point.high:.2f}",
            round(point.words_per_second),
            f"{point.work:.4f}",
            f"{point.kept:.1%}",
            f"{point.failures:.1%}",
            "-" if point.tradeoff is None else f"{point.tradeoff:,.4g}",
            remarks.get(point.name, ""),
        )
        for point in points
    ]
    print_table([*columns, ""], rows)
