"""secateur train: from a treebank to a model with a dial."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secateur.cli import inputs
from secateur.cli.attachment import Tags
from secateur.cli.frontier import print_points
from secateur.cli.options import Encoding, From, Jobs, Json, Keep, Quiet, Seed, cores, refuse
from secateur.cli.terminal import err, print_json, step_printer
from secateur.errors import InputError
from secateur.treebanks import formats

if TYPE_CHECKING:
    from secateur.cli.frontier import AnyModel
    from secateur.grammar.pcfg import PCFG
    from secateur.kinds.pcfg.recipe import SplitSettings
    from secateur.search.parallel import Engine


COARSE, FINE = "coarse", "fine"


class Surrogate(StrEnum):
    dp = "dp"
    cp = "cp"


class Where(StrEnum):
    local = "local"
    dask = "dask"
    ray = "ray"


class Order(StrEnum):
    first = "1"
    second = "2"


class Projective(StrEnum):
    always = "always"
    last = "last"
    never = "never"


# Options that mean nothing for the other kind of treebank.
OF_TREES = ("grammar", "levels", "products", "surrogate", "iterations", "max_length", "minibatch", "keep")
OF_DEPENDENCIES = ("order", "projective", "tags")
OF_FINE = ("levels", "products")
# What the address of a cluster looks like.
ADDRESSES = {Where.dask: "tcp://HOST:8786", Where.ray: "HOST:6379"}


def train(
    ctx: typer.Context,
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
    points: Annotated[
        int, typer.Option(min=3, help="Operating points along the frontier; of dependencies, policies.")
    ] = 8,
    iterations: Annotated[int, typer.Option(min=1, help="Rounds of learning for each, at most.")] = 10,
    max_length: Annotated[int, typer.Option(min=3, help="Leave out longer training sentences.")] = 40,
    minibatch: Annotated[int | None, typer.Option(min=1, help="Sentences a round; all by default.")] = None,
    order: Annotated[
        Order, typer.Option(help="Of dependencies: arcs alone, or with their siblings.")
    ] = Order.first,
    projective: Annotated[
        Projective,
        typer.Option(
            help="Of dependencies: in which stages arcs must not cross; never: they may in the result."
        ),
    ] = Projective.always,
    tags: Annotated[
        Tags,
        typer.Option(help="Of dependencies: those that the parser learns with; a tagger is trained anyway."),
    ] = Tags.gold,
    keep: Keep = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    jobs: Jobs = 1,
    engine: Annotated[
        Where, typer.Option("--engine", help="Where roll-outs run: on this machine, or on a cluster.")
    ] = Where.local,
    address: Annotated[
        str | None, typer.Option("--address", help="The cluster's, such as tcp://HOST:8786.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a grammar and a frontier of pruning policies; started again, it goes on where it was.

    From dependencies (CoNLL-U or CoNLL-X): a tagger, a parser in stages, a labeller, and policies for them.
    """
    from secateur.kinds.pcfg import recipe as training
    from secateur.kinds.pcfg.ahead import compiled_ahead

    if output.exists() and not output.is_dir():
        raise InputError("this is no folder", where=str(output), fix="name another with --output")
    workers = _engine(engine, cores(jobs), address)
    tell = step_printer(quiet)
    given = [formats.opened(file, format=from_, encoding=encoding) for file in files]
    held = [formats.opened(file, format=from_, encoding=encoding) for file in dev or ()]
    work = output / "work"
    made: AnyModel
    if any(file.has_dependencies for file in given):
        _refuse_given(ctx, OF_TREES, "trees")
        arc_settings = training.ArcSettings(
            order=int(order), projective=projective.value, tags=tags.value, seed=seed
        )
        if _is_given(ctx, "points"):
            costs = tuple(arc_settings.policy_costs[0] * 2.0**n for n in range(points))
            arc_settings = replace(arc_settings, costs=costs)
        bank = inputs.read_dependencies(given)
        others = inputs.read_dependencies(held) if held else None
        with _kept(work):
            made = training.train_arcs(
                bank, others, settings=arc_settings, work=work, engine=workers, tell=tell
            )
            made.save(output)
    else:
        _refuse_given(ctx, OF_DEPENDENCIES, "dependencies")
        if grammar != FINE:
            _refuse_given(ctx, OF_FINE, "a fine grammar")
        settings = training.Settings(
            surrogate=surrogate.value,
            points=points,
            iterations=iterations,
            max_length=max_length,
            minibatch=minibatch,
            seed=seed,
        )
        steps = inputs.normalization(keep)
        trees = inputs.read_trees(given, steps)
        held_out = inputs.read_trees(held, steps) if held else None
        with _kept(work), compiled_ahead():
            made = training.train_trees(
                trees,
                dev=held_out,
                settings=settings,
                grammar=_grammar(grammar, levels, products, seed),
                normalization=steps,
                work=work,
                engine=workers,
                tell=tell,
            )
            made.save(output)
    if json:
        print_json([p.name for p in made.frontier])
        return
    if quiet:
        return
    print_points(made.frontier, {}, made.figures)
    print(f"\nTry:  secateur parse {shlex.quote(str(output))} --max-loss 0.5 < sentences.txt")


@contextmanager
def _kept(work: Path) -> Iterator[None]:
    """Says how to go on where a run is stopped."""
    from secateur.search.parallel import NoCluster, WorkersLost

    try:
        yield
    except (KeyboardInterrupt, SystemError):  # numba makes a SystemError of an interrupt
        err.print(f"finished rounds are kept in {work}; to go on:\n  {_command()}")
        raise
    except (WorkersLost, NoCluster) as problem:
        fix = f"finished rounds are kept; to go on, if need be with fewer --jobs:\n  {_command()}"
        raise InputError(str(problem), where=str(work), fix=fix) from problem


def _is_given(ctx: typer.Context, option: str) -> bool:
    source = ctx.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _refuse_given(ctx: typer.Context, options: Sequence[str], wanted: str) -> None:
    given = {f"--{option.replace('_', '-')}": _is_given(ctx, option) for option in options}
    refuse(given, f"training on {wanted}")


def _grammar(name: str, levels: int, products: int, seed: int) -> PCFG | SplitSettings | None:
    from secateur.grammar.text import read_grammar
    from secateur.kinds.pcfg.recipe import SplitSettings

    if name == FINE:
        return SplitSettings(levels=levels, products=products, seed=seed)
    return None if name == COARSE else read_grammar(name)


def _command() -> str:
    return shlex.join(["secateur", *sys.argv[1:]])


def _engine(kind: Where, jobs: int, address: str | None) -> Engine:
    """Tried out before any work is done."""
    from secateur.search.parallel import Engine, NoCluster

    made = Engine(jobs, kind.value, address)
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
