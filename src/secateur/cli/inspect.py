"""secateur inspect: what a model is, and what it does with a sentence."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import Dial, Encoding, Json, ModelFolder, Quiet, check_svg
from secateur.cli.settings import choose, one_tree, print_points
from secateur.cli.spread import Given
from secateur.cli.terminal import err, fits, print_json, print_pairs, sink

if TYPE_CHECKING:
    from secateur.models.model import Model


def inspect(
    model: ModelFolder,
    sentence: Annotated[
        str | None,
        typer.Argument(help='A sentence in quotes; "-": standard input. Without: the model itself.'),
    ] = None,
    *,
    gold: Annotated[
        str | None,
        typer.Option("--gold", help="The sentence's gold tree, as text or in a file that has it."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", help="Also draw a picture, of any length.", callback=check_svg)
    ] = None,
    dial: Dial,
    using: Given,
    looking: Given,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a model is; or what it decides in a sentence, and why.

    Of phrases: what is pruned, and the features that decided. Of dependencies: the stage at which each arc
    was settled, and what that took. With the gold tree, what went wrong.
    """
    from secateur.models.kind import LookedAt

    loaded, path = inputs.read_model(model), str(model)
    if sentence is None:
        if gold or svg or dial or using.values or looking.values:
            raise typer.BadParameter("there is no sentence: options for one have no effect")
        _show_model(path, loaded, json)
        return
    kind, given = loaded.kind, inputs.one_sentence(sentence, encoding)
    point = choose(path, loaded, dial)
    assert point is not None, "a model directory has points"
    how = kind.annotation.reading.from_notes(loaded.settings)
    tree = None if gold is None else inputs.read_gold(gold, given, kind.annotation, how, encoding)
    options = kind.looking(**looking.of(kind.name)), kind.using(**one_tree(kind, using))
    found = kind.look(
        LookedAt(loaded.parts, point.way, loaded.policies, given, tree, *options, loaded.settings)
    )
    if svg:
        with sink(svg) as out:
            out.write(found.svg)
    if json:
        print_json({"model": path, "kind": kind.name, "point": asdict(point), **found.fields})
    else:
        print(f"{path}, point {point.name}\n")
        if fits(found.width):
            print(found.drawing, end="\n" * bool(found.drawing))
        else:
            print(f"this is {found.width} columns wide, more than this terminal: draw it with --svg\n")
        print(found.text)
    if svg and not quiet:
        err.print(f"written: {svg}")


def _show_model(name: str, model: Model[Any, Any], json: bool) -> None:
    if json:
        print_json(
            {
                "model": name,
                "kind": model.kind.name,
                "settings": dict(model.settings),
                "sizes": model.sizes(),
                "protocol": model.protocol,
                "points": [asdict(point) for point in model.points],
                "frontier": [point.name for point in model.frontier],
            }
        )
        return
    settings = {key: _plain(value) for key, value in model.settings.items()}
    print_pairs({"model": name, "kind": model.kind.name, **settings})
    print()
    print_pairs(model.sizes())
    print(f"\nprotocol: {model.protocol}\n")
    print_points(model.frontier, {}, model.kind.figures)


def _plain(value: object) -> object:
    """Settings as they were given: 1000, not 1,000."""
    return f"{value:g}" if isinstance(value, float) else str(value)
