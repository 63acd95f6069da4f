"""secateur quickstart: from a treebank to a model with a dial, tried on held-out sentences, in one go."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from secateur.cli import inputs
from secateur.cli.options import Json, Quiet, Seed, Source
from secateur.cli.spread import Given
from secateur.cli.terminal import count, print_json, print_table, telling, this_command
from secateur.errors import InputError
from secateur.models.table import kind_for
from secateur.treebanks import formats
from secateur.treebanks.annotation import read_files

if TYPE_CHECKING:
    from secateur.models.kind import Kind
    from secateur.models.model import Model
    from secateur.models.point import Point
    from secateur.treebanks.bank import Bank

TRAIN, DEV, TEST = 1600, 300, 300
LEAST = 30  # trees of one's own


class Parts(NamedTuple):
    """A treebank in three."""

    train: Bank[Any]
    dev: Bank[Any]
    test: Bank[Any]


def quickstart(
    data: Annotated[
        str | None, typer.Argument(help="Your treebank; without one, the embedded garden.")
    ] = None,
    *,
    folder: Annotated[Path, typer.Option("--output", "-o", help="The folder for the results.")] = Path(
        "quickstart"
    ),
    sentences: Annotated[int, typer.Option(min=1, help="Held-out sentences to parse, at most.")] = TEST,
    reading: Given,
    source: Source,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a small model, parse held-out sentences at the ends and the middle of its dial, draw a tree."""
    from secateur.models.training import train

    if folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", where=str(folder), fix="name another with --output")
    file = None if data is None else source.opened(data)
    with inputs.located(file.name if file else ""):
        kind = kind_for(file.annotation if file else formats.PHRASES)
    how = inputs.reading_of(kind.annotation, reading)
    if file is None:
        parts = _grown(kind, how, seed, sentences)
    else:
        parts = _parts(read_files(kind.annotation, [file], how), sentences)
    folder.mkdir(parents=True, exist_ok=True)
    with inputs.located(parts.train.name), telling(quiet) as tell:
        model = train(
            parts.train, dev=parts.dev, kind=kind.name, settings=kind.quick(seed), reading=how, tell=tell
        )
    model.save(folder / "model")
    gold = folder / f"gold.{kind.annotation.formats[0]}"
    texts = (kind.annotation.text(tree, kind.annotation.formats[0]) for tree in parts.test)
    gold.write_text("".join(texts), encoding="utf-8")
    points = _try_out(model, parts.test)
    if json:
        rows = [{"point": p.name, **_figures(p, points[0], model)} for p in points]
        print_json({"kind": kind.name, "train": len(parts.train), "test": len(parts.test), "points": rows})
        return
    _show(model, parts, points, folder / "model", gold)


def _grown(kind: Kind[Any, Any], how: Any, seed: int, sentences: int) -> Parts:
    trees = inputs.grown(kind.annotation, TRAIN + DEV + sentences, seed=seed, how=how)
    bank = kind.annotation.bank(trees, name="garden")
    return Parts(bank[:TRAIN], bank[TRAIN : TRAIN + DEV], bank[TRAIN + DEV :])


def _parts(bank: Bank[Any], sentences: int) -> Parts:
    if len(bank) < LEAST:
        raise InputError(
            f"{count(len(bank), 'tree')}: too few to train on some and hold others out",
            where=bank.name,
            fix=f"give {LEAST} or more",
        )
    train, dev, test = bank.split(dev=0.1, test=0.1)
    return Parts(train[:TRAIN], dev[:DEV], test[:sentences])


def _figures(point: Point, whole: Point, model: Model[Any, Any]) -> dict[str, object]:
    return {
        model.kind.figures.accuracy: point.accuracy,
        "gain": f"{point.accuracy - whole.accuracy:+.2f}",
        "words/s": round(point.words_per_second),
        "faster": f"{whole.seconds_per_sentence / point.seconds_per_sentence:.1f}x",
        "work done": f"{point.work / whole.work:.1%}" if whole.work else "-",
        model.kind.figures.failures: f"{point.failures:.1%}",
    }


def _try_out(model: Model[Any, Any], test: Bank[Any]) -> list[Point]:
    """The point that looks at everything; the most accurate, the middle and the fastest of the others."""
    from secateur.metrics.scores import SCORING
    from secateur.models.measure import measure

    others = [p.name for p in reversed(model.frontier) if p.name != model.unpruned]
    chosen = [others[place] for place in sorted({0, len(others) // 2, len(others) - 1})] if others else []
    ways = {p.name: p.way for p in model.points}
    parsers = {name: (ways[name], model.measured_parser(name)) for name in (model.unpruned, *chosen)}
    scoring = SCORING[model.kind.annotation.name]()
    return measure(parsers, test, model.kind.figures, scoring, repeat=3)


def _show(model: Model[Any, Any], parts: Parts, points: list[Point], path: Path, gold: Path) -> None:
    """Figures, a parse of a handy length, and what to do next."""
    annotation, test = model.kind.annotation, parts.test
    trained = f"{parts.train.name}: trained on {count(len(parts.train), 'tree')}"
    print(f"{trained}, tried on {len(test):,} held-out ones\n")
    columns = ["", *_figures(points[0], points[0], model)]
    print_table(columns, [[p.name, *_figures(p, points[0], model).values()] for p in points])
    print(f"protocol: {model.protocol}\n")
    shown = min(test, key=lambda tree: abs(len(annotation.words(tree)) - 9))
    words = annotation.words(shown)
    print(annotation.draw(model.parser().parse(annotation.sentence(shown)).tree))
    folder, sentence = shlex.quote(str(path)), shlex.quote(" ".join(words))
    command = this_command()
    print(f"\nThe model is {path}. Try:")
    print(f"  {command} parse {folder} {sentence} --fastest --to drawn")
    print(f"  {command} evaluate {folder} {shlex.quote(str(gold))} --points all")
    print(f"  {command} frontier {folder} --html frontier.html")
    print(f"  {command} inspect {folder} {sentence}")
