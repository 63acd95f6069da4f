"""secateur frontier: the operating points of a model, as a table, a figure and a page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from secateur.cli import inputs
from secateur.cli.options import Json, ModelFolder, Quiet, check_page, check_picture
from secateur.cli.settings import print_points
from secateur.cli.terminal import err, print_json, sink


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
    """What a model can do: accuracy, words/s and work of each point of its dial."""
    loaded = inputs.read_model(model)
    best = {point.name for point in loaded.frontier}
    shown = sorted(loaded.points, key=lambda p: p.seconds_per_sentence) if all_ else loaded.frontier
    said, figures = loaded.protocol, loaded.kind.figures
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
        print_json({"model": str(model), "kind": loaded.kind.name, "protocol": said, "points": points})
    else:
        print(f"protocol: {said}\n")
        remarks = {point.name: "" if point.name in best else "dominated" for point in shown}
        print_points(shown, remarks, figures)
    if not quiet:
        for path in filter(None, (output, html)):
            err.print(f"written: {path}")
