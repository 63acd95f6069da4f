"""secateur frontier: the operating points of a model, as a table, a figure and a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secateur.cli.options import Dial, Json, ModelFolder, Quiet, check_page, check_picture
from secateur.cli.terminal import err, print_json, print_table, sink

if TYPE_CHECKING:
    from secateur.frontier import Point
    from secateur.model import Model


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
    """What a model can do: F1, words/s and work of each point of its dial."""
    from secateur.model import load_model

    loaded = load_model(model)
    best = {point.name for point in loaded.frontier}
    shown = sorted(loaded.points, key=lambda point: point.mpush) if all_ else loaded.frontier
    said = protocol(loaded)
    if output:
        from secateur.plots.frontier import draw_frontier

        draw_frontier(
            output, loaded.points, unpruned=loaded.unpruned, title=f"Frontier of {model}", protocol=said
        )
    if html:
        from secateur.plots.page import page

        with sink(html) as out:
            out.write(page(loaded.points, unpruned=loaded.unpruned, model=str(model), protocol=said))
    if json:
        points = [asdict(point) | {"dominated": point.name not in best} for point in shown]
        print_json({"model": str(model), "protocol": said, "points": points})
    else:
        print(f"protocol: {said}\n")
        print_points(shown, {point.name: "" if point.name in best else "dominated" for point in shown})
    if not quiet:
        for path in filter(None, (output, html)):
            err.print(f"written: {path}")


def choose(path: str, model: Model, dial: Dial) -> Point:
    """The point that a setting of the dial picks; says so where the setting lies beyond the frontier."""
    choice = model.choose(**dial)
    if choice.remark:
        err.print(f"{path}: {choice.remark}")
    return choice.point


def protocol(model: Model) -> str:
    """How the figures of a model's points were taken: as `secateur train` takes them."""
    from secateur.metrics import COLLINS

    held_out, repeat = model.settings.get("held out"), model.settings.get("repeat")
    return (
        f"{COLLINS.protocol()}, on {held_out or 'the'} held-out trees; "
        f"words/s: CPU time on one core{f', best of {repeat}' if repeat else ''}"
    )


def print_points(points: Iterable[Point], remarks: Mapping[str, str]) -> None:
    """A row a point; remarks by name."""
    columns = [
        "point",
        "F1",
        "95% interval",
        "words/s",
        "Mpush/sentence",
        "kept",
        "without a parse",
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
