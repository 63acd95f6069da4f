"""secateur quickstart: from a treebank to a model with a dial, tried on held-out sentences, in one go."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, From, Json, Keep, Quiet, Seed
from secateur.cli.terminal import count, print_json, print_table, step_printer
from secateur.errors import InputError
from secateur.treebanks.bank import Treebank
from secateur.treebanks.normalization import Normalization

if TYPE_CHECKING:
    from secateur.kinds.pcfg.model import Model
    from secateur.models.dial import Point

TRAIN, DEV, TEST = 1600, 300, 300
LONGEST = 30  # words in a training sentence: enough to learn from, and quick


def quickstart(
    data: Annotated[
        str | None, typer.Argument(help="Your treebank; without one, the embedded garden.")
    ] = None,
    *,
    folder: Annotated[Path, typer.Option("--output", "-o", help="The folder for the results.")] = Path(
        "quickstart"
    ),
    sentences: Annotated[int, typer.Option(min=1, help="Held-out sentences to parse, at most.")] = TEST,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a small model, parse held-out sentences at the ends and the middle of its dial, draw a tree."""
    from secateur.kinds.pcfg.ahead import compiled_ahead
    from secateur.kinds.pcfg.recipe import Settings
    from secateur.kinds.pcfg.recipe import train as train_model

    if folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", where=str(folder), fix="name another with --output")
    steps = inputs.normalization(keep)
    train, dev, test = _split(data, steps, from_, encoding, seed, sentences)
    settings = Settings(points=4, iterations=1, max_length=LONGEST, repeat=1, seed=seed)
    folder.mkdir(parents=True, exist_ok=True)
    model_path = folder / "model"
    with inputs.located(train.name), compiled_ahead():
        # Unsplit: to compile what makes and parses with sub-symbols takes a minute more.
        model = train_model(
            train,
            dev=dev,
            settings=settings,
            grammar=None,
            normalization=steps,
            tell=step_printer(quiet),
        )
    model.save(model_path)
    (folder / "gold.mrg").write_text("".join(f"{tree}\n" for tree in test), encoding="utf-8")
    points = _try_out(model, test)
    if json:
        figures = [{"point": p.name, **_figures(p, points[0])} for p in points]
        print_json({"train": len(train), "test": len(test), "points": figures})
        return
    rules = count(len(model.rules.binary.weight), "binary rule")
    print(f"{train.name}: {rules} from {count(len(train), 'tree')}, tried on {len(test):,} held-out ones\n")
    print_table(
        ["", *_figures(points[0], points[0])], [[p.name, *_figures(p, points[0]).values()] for p in points]
    )
    print("protocol: EVALB (COLLINS.prm), all lengths, words only; one process, CPU time\n")
    _show(model, test, model_path)


def _figures(point: Point, exact: Point) -> dict[str, object]:
    return {
        "F1": point.accuracy,
        "gain": f"{point.accuracy - exact.accuracy:+.2f}",
        "words/s": round(point.words_per_second),
        "faster": f"{exact.seconds_per_sentence / point.seconds_per_sentence:.1f}x",
        "chart built": f"{point.mpush / exact.mpush:.1%}",
        "without a parse": f"{point.failures:.1%}",
    }


def _try_out(model: Model, test: Treebank) -> list[Point]:
    """The exact parser, and the most accurate, the middle and the fastest learned point, on test trees."""
    from secateur.kinds.pcfg.parser import model_parser
    from secateur.models.measure import measure

    learned = [p.name for p in reversed(model.frontier) if model.policy(p.name)]
    chosen = [learned[place] for place in sorted({0, len(learned) // 2, len(learned) - 1})]
    return [measure(name, model_parser(model, name), test, repeat=3) for name in (model.unpruned, *chosen)]


def _show(model: Model, test: Treebank, path: Path) -> None:
    """A parse of a handy length, and what to do next."""
    from secateur.kinds.pcfg.parser import model_parser
    from secateur.treebanks.draw import phrases as draw

    shown = min(test, key=lambda tree: abs(len(tree.leaves()) - 9))
    best = model_parser(model, model.choose(most_accurate=True).point.name)
    print(draw.text(best.parse(shown.words()).tree))
    folder, sentence = shlex.quote(str(path)), shlex.quote(" ".join(shown.words()))
    print(f"\nThe model is {path}. Try:")
    print(f"  secateur parse {folder} {sentence} --fastest --to drawn")
    print(f"  secateur evaluate {folder} {shlex.quote(str(path.parent / 'gold.mrg'))} --points all")
    print(f"  secateur frontier {folder} --html frontier.html")
    print(f"  secateur inspect {folder} {sentence}")


def _split(
    data: str | None, steps: Normalization, format: str | None, encoding: str, seed: int, sentences: int
) -> tuple[Treebank, Treebank, Treebank]:
    if data is None:
        from secateur.treebanks.garden import garden

        grown = (steps(sample.penn) for sample in garden(TRAIN + DEV + sentences, seed=seed))
        treebank = Treebank((tree for tree in grown if tree is not None), name="garden")
        return treebank[:TRAIN], treebank[TRAIN : TRAIN + DEV], treebank[TRAIN + DEV :]
    treebank = inputs.read_treebank([data], format=format, encoding=encoding, steps=steps)
    if len(treebank) < 30:
        raise InputError(
            f"{count(len(treebank), 'tree')}: too few to train on some and hold others out",
            where=treebank.name,
            fix="give 30 or more",
        )
    train, dev, test = treebank.split(dev=0.1, test=0.1)
    return train[:TRAIN], dev[:DEV], test[:sentences]
