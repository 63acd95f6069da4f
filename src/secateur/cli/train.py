"""secateur train: from a treebank to a model with a dial."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secateur.cli import inputs
from secateur.cli.frontier import print_points
from secateur.cli.options import Encoding, From, Jobs, Json, Keep, Quiet, Seed, cores
from secateur.cli.terminal import err, print_json, step_printer
from secateur.errors import InputError

if TYPE_CHECKING:
    from secateur.grammar.pcfg import PCFG
    from secateur.search.parallel import Engine
    from secateur.training import SplitSettings


COARSE, FINE = "coarse", "fine"


class Surrogate(StrEnum):
    dp = "dp"
    cp = "cp"


class Where(StrEnum):
    loky = "loky"
    dask = "dask"
    ray = "ray"


# What the address of a cluster looks like.
ADDRESSES = {Where.dask: "tcp://HOST:8786", Where.ray: "HOST:6379"}


def train(
    files: Annotated[list[str], typer.Argument(help="Treebank files to learn from.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model directory to write.")],
    *,
    dev: Annotated[
        list[str] | None, typer.Option("--dev", help="Held-out trees; without any, a tenth is split off.")
    ] = None,
    grammar: Annotated[
        str,
        typer.Option("--grammar", help="fine: split into sub-symbols; coarse: the trees' own; or a file."),
    ] = FINE,
    levels: Annotated[int, typer.Option(min=1, help="Levels of splitting a fine grammar, at most.")] = 5,
    products: Annotated[
        int, typer.Option(min=1, help="Fine grammars, from as many seeds, that judge together.")
    ] = 1,
    surrogate: Annotated[
        Surrogate, typer.Option(help="dp: expected recall and kept spans; cp: F1 and items.")
    ] = Surrogate.dp,
    points: Annotated[int, typer.Option(min=3, help="Operating points along the frontier.")] = 8,
    iterations: Annotated[int, typer.Option(min=1, help="Rounds of learning for each, at most.")] = 10,
    max_length: Annotated[int, typer.Option(min=3, help="Leave out longer training sentences.")] = 40,
    minibatch: Annotated[int | None, typer.Option(min=1, help="Sentences a round; all by default.")] = None,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    jobs: Jobs = 1,
    engine: Annotated[
        Where, typer.Option("--engine", help="Where roll-outs run: on this machine, or on a cluster.")
    ] = Where.loky,
    address: Annotated[
        str | None, typer.Option("--address", help="The cluster's, such as tcp://HOST:8786.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a grammar and a frontier of pruning policies; started again, it goes on where it was."""
    from secateur.search.parallel import NoCluster, WorkersLost
    from secateur.training import Settings
    from secateur.training import train as train_model
    from secateur.training.ahead import compiled_ahead

    if output.exists() and not output.is_dir():
        raise InputError("this is no folder", where=str(output), fix="name another with --output")
    workers = _engine(engine, cores(jobs), address)
    settings = Settings(
        surrogate=surrogate.value,
        points=points,
        iterations=iterations,
        max_length=max_length,
        minibatch=minibatch,
        seed=seed,
    )
    steps = inputs.normalization(keep)
    trees = inputs.read_treebank(files, format=from_, encoding=encoding, steps=steps)
    held_out = inputs.read_treebank(dev, format=from_, encoding=encoding, steps=steps) if dev else None
    work = output / "work"
    try:
        with compiled_ahead():
            model = train_model(
                trees,
                dev=held_out,
                settings=settings,
                grammar=_grammar(grammar, levels, products, seed),
                normalization=steps,
                work=work,
                engine=workers,
                tell=step_printer(quiet),
            )
        model.save(output)
    except (KeyboardInterrupt, SystemError):  # numba makes a SystemError of an interrupt
        err.print(f"finished rounds are kept in {work}; to go on:\n  {_command()}")
        raise
    except (WorkersLost, NoCluster) as problem:
        fix = f"finished rounds are kept; to go on, if need be with fewer --jobs:\n  {_command()}"
        raise InputError(str(problem), where=str(work), fix=fix) from problem
    if json:
        print_json([p.name for p in model.frontier])
        return
    print_points(model.frontier, {})
    print(f"\nTry:  secateur parse {shlex.quote(str(output))} --max-loss 0.5 < sentences.txt")


def _grammar(name: str, levels: int, products: int, seed: int) -> PCFG | SplitSettings | None:
    from secateur.grammar.text import read_grammar
    from secateur.training import SplitSettings

    if name == FINE:
        return SplitSettings(levels=levels, products=products, seed=seed)
    return None if name == COARSE else read_grammar(name)


def _command() -> str:
    return shlex.join(["secateur", *sys.argv[1:]])


def _engine(kind: Where, jobs: int, address: str | None) -> Engine:
    """Tried out before any work is done."""
    from secateur.search.parallel import Engine, NoCluster

    made = Engine(jobs, kind.value, address)
    if kind is Where.loky:
        if address is not None:
            fix = "give --engine dask or --engine ray as well"
            raise InputError("an address without a cluster", where=address, fix=fix)
        return made
    try:
        made.workers()
    except NoCluster as problem:
        fix = f"give the --address of a cluster that runs, such as {ADDRESSES[kind]}"
        raise InputError(str(problem), fix=fix) from None
    return made
