"""secateur train: from a treebank to a model with a dial."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import Jobs, Json, Quiet, Seed, Source
from secateur.cli.settings import print_points
from secateur.cli.spread import Given
from secateur.cli.terminal import err, print_json, telling, this_command
from secateur.errors import InputError
from secateur.models.table import KINDS, kind_for, kind_named
from secateur.options import made
from secateur.treebanks.annotation import read_files
from secateur.treebanks.reading import annotation_of

if TYPE_CHECKING:
    from secateur.models.kind import Kind
    from secateur.models.model import Model
    from secateur.search.parallel import Engine


class Where(StrEnum):
    local = "local"
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
    kind: Annotated[
        str | None,
        typer.Option("--kind", help=f"A kind of model: {', '.join(KINDS)}; the first that suits the trees."),
    ] = None,
    settings: Given,
    reading: Given,
    source: Source,
    jobs: Jobs = 1,
    engine: Annotated[
        Where, typer.Option("--engine", help="Where the work is done: on this machine, or on a cluster.")
    ] = Where.local,
    address: Annotated[
        str | None, typer.Option("--address", help="The cluster's, such as tcp://HOST:8786.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a parser and a frontier of policies for it; started again, it goes on where it was.

    From phrases (Penn brackets) or discontinuous ones (export, TIGER-XML, Alpino, discbracket): a grammar and
    what to prune of its charts. From dependencies (CoNLL): a tagger, a parser in stages, a labeller, and
    where to stop buying features.
    """
    from secateur.models.training import train as train_model

    if output.exists() and not output.is_dir():
        raise InputError("this is no folder", where=str(output), fix="name another with --output")
    given, held = ([source.opened(file) for file in some] for some in (files, dev or []))
    with inputs.located(" ".join(files)):
        chosen = _kind(kind, annotation_of([*given, *held]).name)
    wanted = made(chosen.settings, {**settings.of(chosen.name), "seed": seed}, chosen.name)
    how = inputs.reading_of(chosen.annotation, reading)
    workers = _engine(engine, jobs, address)
    with _kept(output / "work"), telling(quiet) as tell, inputs.located(" ".join(files)):
        model = train_model(
            read_files(chosen.annotation, given, how),
            dev=read_files(chosen.annotation, held, how) if held else None,
            kind=chosen.name,
            settings=wanted,
            reading=how,
            work=output / "work",
            engine=workers,
            tell=tell,
        )
        model.save(output)
    _report(model, output, json, quiet)


def _kind(name: str | None, annotation: str) -> Kind[Any, Any]:
    if name is None:
        return kind_for(annotation)
    if name not in KINDS:
        raise typer.BadParameter(f"--kind {name!r} is not one of {', '.join(KINDS)}")
    return kind_named(name)


def _report(model: Model[Any, Any], output: Path, json: bool, quiet: bool) -> None:
    if json:
        print_json(
            {"model": str(output), "kind": model.kind.name, "frontier": [p.name for p in model.frontier]}
        )
    elif not quiet:
        print_points(model.frontier, {}, model.kind.figures)
        print(f"\nprotocol: {model.protocol}")
        print(f"\nTry:  {this_command()} parse {shlex.quote(str(output))} --max-loss 0.5 < sentences.txt")


@contextmanager
def _kept(work: Path) -> Iterator[None]:
    """Says how to go on where a run is stopped."""
    from secateur.search.parallel import NoCluster, WorkersLost

    try:
        yield
    except (KeyboardInterrupt, SystemError):  # numba makes a SystemError of an interrupt
        err.print(f"finished rounds are kept in {work}; to go on:\n  {_again()}")
        raise
    except (WorkersLost, NoCluster) as problem:
        fix = f"finished rounds are kept; to go on, if need be with fewer --jobs:\n  {_again()}"
        raise InputError(str(problem), where=str(work), fix=fix) from problem


def _again() -> str:
    return f"{this_command()} {shlex.join(sys.argv[1:])}"


def _engine(kind: Where, jobs: int, address: str | None) -> Engine:
    """Tried out before any work is done."""
    from secateur.models.parse import cores
    from secateur.search.parallel import Engine, NoCluster

    made = Engine(cores(jobs), kind.value, address)
    if kind is Where.local:
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
