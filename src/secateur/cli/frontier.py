"""secateur frontier: the operating points of a model, as a table, a figure and a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secateur.cli.options import Dial, Json, ModelFolder, Quiet, check_page, check_picture
from secateur.cli.terminal import err, print_json, print_table, sink
from secateur.errors import InputError
from secateur.models.dial import TREES, Figures

if TYPE_CHECKING:
    from secateur.kinds.arcs.model import DependencyModel
    from secateur.kinds.pcfg.model import Model
    from secateur.models.dial import Point

    AnyModel = Model | DependencyModel


def frontier(
    model: ModelFolder,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A figure to draw (.png, .svg, .pdf).", callback=check_picture),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="An interactive page to write, in one file.", callback=check_page),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Every measured point, not only those that no other beats.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a model can do: F1 or UAS, words/s and work of each point of its dial."""
    from secateur.kinds.loading import load_any

    loaded = load_any(model)
    best = {point.name for point in loaded.frontier}
    shown = sorted(loaded.points, key=lambda point: point.mpush) if all_ else loaded.frontier
    said, figures = loaded.protocol, loaded.figures
    if output:
        from secateur.plots.frontier import draw_frontier

        draw_frontier(
            output,
            loaded.points,
            unpruned=loaded.unpruned,
            title=f"Frontier of {model}",
            protocol=said,
            figures=figures,
        )
    if html:
        from secateur.plots.page import page

        with sink(html) as out:
            made = page(
                loaded.points, unpruned=loaded.unpruned, model=str(model), protocol=said, names=figures
            )
            out.write(made)
    if json:
        points = [asdict(point) | {"dominated": point.name not in best} for point in shown]
        print_json({"model": str(model), "protocol": said, "points": points})
    else:
        print(f"protocol: {said}\n")
        remarks = {point.name: "" if point.name in best else "dominated" for point in shown}
        print_points(shown, remarks, figures)
    if not quiet:
        for path in filter(None, (output, html)):
            err.print(f"written: {path}")


def choose(path: str, model: AnyModel, dial: Dial) -> Point:
    """The point that a setting of the dial picks; says so where the setting lies beyond the frontier."""
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


def chosen(path: str, model: AnyModel, settings: Sequence[Dial]) -> list[tuple[str, str]]:
    """Each setting as an option, with the name of its point."""
    if settings:
        return [(typed(dial), choose(path, model, dial).name) for dial in settings]
    return [(f"--point {point.name}", point.name) for point in model.frontier]


def typed(dial: Dial) -> str:
    """The setting as an option."""
    (option, value), *_ = [*dial.items(), ("most_accurate", True)]
    return f"--{option.replace('_', '-')}" + ("" if value is True else f" {value}")


def print_points(points: Iterable[Point], remarks: Mapping[str, str], figures: Figures = TREES) -> None:
    """A row a point; remarks by name."""
    columns = [
        "point",
        figures.accuracy,
        "95% interval",
        "words/s",
        figures.work,
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
            f"{point.mpush:.4f}",
            f"{point.kept:.1%}",
            f"{point.failures:.1%}",
            "-" if point.tradeoff is None else f"{point.tradeoff:,.4g}",
            remarks.get(point.name, ""),
        )
        for point in points
    ]
    print_table([*columns, ""], rows)
