"""secateur quickstart: from a treebank to an evaluated parser, in one go."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from secateur.cli import inputs
from secateur.cli.terminal import Encoding, From, Json, Keep, Quiet, Seed, print_json, print_table, progress
from secateur.errors import InputError
from secateur.treebank import Treebank

TRAIN, TEST = 2000, 300


def quickstart(
    data: Annotated[
        str | None, typer.Argument(help="Your treebank; without one, the embedded garden.")
    ] = None,
    *,
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where the results go.")] = Path(
        "quickstart"
    ),
    sentences: Annotated[int, typer.Option(min=1, help="Held-out sentences to parse at the most.")] = TEST,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Induce a grammar, parse held-out sentences, print F1 and words/s, draw a tree."""
    from secateur import draw, induce, metrics, write_grammar
    from secateur.parser import Parser

    train, test = _split(data, keep, from_, encoding, seed, sentences)
    grammar = induce(train)
    folder.mkdir(parents=True, exist_ok=True)
    write_grammar(grammar, folder / "grammar.gr")
    parser = Parser(grammar)
    parser.parse(test[0].words())  # compiles, or loads what is compiled, before the clock starts
    started = time.perf_counter()
    parses = list(progress(parser.pipe(t.words() for t in test), "parsing", total=len(test), quiet=quiet))
    seconds = time.perf_counter() - started
    result = metrics.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses])
    (folder / "gold.mrg").write_text("".join(f"{tree}\n" for tree in test), encoding="utf-8")
    (folder / "parsed.mrg").write_text("".join(f"{parse}\n" for parse in parses), encoding="utf-8")
    figures = {
        "sentences": len(test),
        "words": int(test.lengths().sum()),
        "F1": result.total.f1,
        "words/s": float(test.lengths().sum()) / seconds,
        "Mpush/sentence": sum(p.work.pushes for p in parses) / len(parses) / 1e6,
        "without a parse": result.total.failures,
    }
    if json:
        print_json({**figures, "train": len(train), "protocol": result.protocol})
        return
    print_table(
        f"{data or 'garden'}: grammar from {len(train):,} trees, {len(grammar.binary.weight):,} binary rules",
        ["", *figures],
        [["exact", *figures.values()]],
    )
    print(f"protocol: {result.protocol}\n")
    shown = min(range(len(test)), key=lambda s: abs(len(test[s].leaves()) - 9))
    print(draw.text(parses[shown].tree))
    print(f"\nWritten to {folder}/: grammar.gr, gold.mrg, parsed.mrg. Try:")
    print(f'  secateur parse {folder}/grammar.gr "{" ".join(test[shown].words())}" --to drawn')
    print(f"  secateur evaluate {folder}/gold.mrg {folder}/parsed.mrg --by length")


def _split(
    data: str | None, keep: list[str] | None, format: str | None, encoding: str, seed: int, sentences: int
) -> tuple[Treebank, Treebank]:
    if data is None:
        from secateur.garden import garden

        step = inputs.normalization(keep)
        grown = (step(sample.penn) for sample in garden(TRAIN + sentences, seed=seed))
        treebank = Treebank((tree for tree in grown if tree is not None), name="garden")
        return treebank[:TRAIN], treebank[TRAIN:]
    treebank = inputs.read_treebank(data, format=format, encoding=encoding, keep=keep)
    if len(treebank) < 10:
        raise InputError(
            f"{len(treebank)} trees are too few to hold some out", where=data, fix="give 10 or more"
        )
    train, _, test = treebank.split(dev=0.0, test=0.1)
    return train, test[:sentences]
