"""secateur quickstart: from a treebank to an evaluated parser, in one go."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, From, Json, Keep, Quiet, Seed
from secateur.cli.terminal import count, print_json, print_table, progress
from secateur.errors import InputError
from secateur.treebank import Treebank

TRAIN, TEST = 2000, 300


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
    """Induce a grammar, parse held-out sentences, print F1 and words/s, draw a tree."""
    from secateur import induce, metrics, write_grammar
    from secateur.parser import Parser

    if folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", where=str(folder), fix="name another with --output")
    train, test = _split(data, keep, from_, encoding, seed, sentences)
    with inputs.located(train.name):
        grammar = induce(train)
    folder.mkdir(parents=True, exist_ok=True)
    write_grammar(grammar, folder / "grammar.gr")
    parser = Parser(grammar)
    given = [tree.words() for tree in test]
    parser.parse(given[0])  # compiles, or loads what is compiled, before the clock starts
    started = time.process_time()
    parses = list(progress(parser.pipe(given), "parsing", total=len(test), quiet=quiet))
    seconds = time.process_time() - started
    result = metrics.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses])
    _write(folder / "gold.mrg", test)
    _write(folder / "parsed.mrg", parses)
    words = int(test.lengths().sum())
    figures = {
        "sentences": len(test),
        "words": words,
        "F1": result.total.f1,
        "words/s": round(words / max(seconds, 1e-9)),
        "pushes/sentence": round(sum(p.work.pushes for p in parses) / len(parses)),
        "without a parse": result.total.failures,
    }
    if json:
        print_json({**figures, "train": len(train), "protocol": result.protocol})
        return
    rules = count(len(grammar.binary.weight), "binary rule")
    print(
        f"{train.name}: a grammar of {rules} from {count(len(train), 'tree')}, tried on {len(test):,} more\n"
    )
    print_table(["", *figures], [["exact", *figures.values()]])
    print(f"protocol: {result.protocol}\n")
    _show(test, parses, folder)


def _write(path: Path, trees: Iterable[object]) -> None:
    path.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")


def _show(test: Treebank, parses: list[Any], folder: Path) -> None:
    """A parse of a handy length, and what to do next."""
    from secateur import draw

    shown = min(range(len(test)), key=lambda s: abs(len(test[s].leaves()) - 9))
    print(draw.text(parses[shown].tree))
    grammar, gold, parsed = (shlex.quote(str(folder / f)) for f in ("grammar.gr", "gold.mrg", "parsed.mrg"))
    print(f"\nWritten to {folder}: grammar.gr, gold.mrg, parsed.mrg. Try:")
    print(f"  secateur parse {grammar} {shlex.quote(' '.join(test[shown].words()))} --to drawn")
    print(f"  secateur evaluate {gold} {parsed} --by length")


def _split(
    data: str | None, keep: list[str] | None, format: str | None, encoding: str, seed: int, sentences: int
) -> tuple[Treebank, Treebank]:
    if data is None:
        from secateur.garden import garden

        step = inputs.normalization(keep)
        grown = (step(sample.penn) for sample in garden(TRAIN + sentences, seed=seed))
        treebank = Treebank((tree for tree in grown if tree is not None), name="garden")
        return treebank[:TRAIN], treebank[TRAIN:]
    treebank = inputs.read_treebank([data], format=format, encoding=encoding, keep=keep)
    if len(treebank) < 10:
        raise InputError(
            f"{count(len(treebank), 'tree')}: too few to hold some out",
            where=treebank.name,
            fix="give 10 or more",
        )
    train, _, test = treebank.split(dev=0.0, test=0.1)
    return train, test[:sentences]
