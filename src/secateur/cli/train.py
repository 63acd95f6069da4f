"""secateur train: from a treebank to a model with a dial."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, From, Jobs, Json, Keep, Quiet, Seed, cores
from secateur.cli.terminal import err, print_json, print_table
from secateur.errors import InputError


class Surrogate(StrEnum):
    dp = "dp"
    cp = "cp"


def train(
    files: Annotated[list[str], typer.Argument(help="Treebank files to learn from.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model directory to write.")],
    *,
    dev: Annotated[
        list[str] | None, typer.Option("--dev", help="Held-out trees; without any, a tenth is split off.")
    ] = None,
    surrogate: Annotated[
        Surrogate, typer.Option(help="dp: expected recall and kept spans; cp: F1 and items.")
    ] = Surrogate.dp,
    points: Annotated[int, typer.Option(min=3, help="Operating points along the frontier.")] = 8,
    iterations: Annotated[int, typer.Option(min=1, help="Rounds of learning for each, at most.")] = 10,
    max_length: Annotated[int, typer.Option(min=3, help="Leave out longer training sentences.")] = 40,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    jobs: Jobs = 1,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a grammar and a frontier of pruning policies; started again, it goes on where it was."""
    from secateur.search.parallel import Engine
    from secateur.training import Settings
    from secateur.training import train as train_model

    if output.exists() and not output.is_dir():
        raise InputError("this is no folder", where=str(output), fix="name another with --output")
    trees = inputs.read_treebank(files, format=from_, encoding=encoding, keep=keep)
    held_out = inputs.read_treebank(dev, format=from_, encoding=encoding, keep=keep) if dev else None
    started = time.monotonic()

    def tell(line: str) -> None:
        if not quiet:
            err.print(f"[{time.monotonic() - started:6.0f} s] {line}", markup=False)

    model = train_model(
        trees,
        dev=held_out,
        settings=Settings(
            surrogate=surrogate.value, points=points, iterations=iterations, max_length=max_length, seed=seed
        ),
        work=output / "work",
        engine=Engine(jobs=cores(jobs)),
        tell=tell,
    )
    model.save(output)
    if json:
        print_json([p.name for p in model.frontier])
        return
    print_table(
        ["point", "F1", "95%", "words/s", "pushes/sentence", "spans kept", "without a parse"],
        (
            (
                p.name,
                p.accuracy,
                f"{p.low:.1f}-{p.high:.1f}",
                round(p.words_per_second),
                round(1e6 * p.mpush),
                f"{p.kept:.1%}",
                f"{p.failures:.1%}",
            )
            for p in model.frontier
        ),
    )
    print(f"\nTry:  secateur parse {output} --max-loss 0.5 < sentences.txt")
