"""What the commands share in talking to people and to machines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from secateur.errors import InputError

T = TypeVar("T")

# Shorter work needs no progress bar.
PATIENCE = 2.0

Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 means all cores.", min=0)]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the input.")]
From = Annotated[str | None, typer.Option("--from", help="Input format: brackets, discbracket. Sniffed.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random choices.")]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        help="A normalization step to leave out (repeatable): functions, traces, empty, advp, unaries, root.",
    ),
]

err = Console(stderr=True, soft_wrap=True, highlight=False)


def cores(jobs: int) -> int:
    """The number of processes asked for; 0 means all cores this process may use."""
    from joblib import cpu_count

    return jobs or int(cpu_count())


def progress(things: Iterable[T], what: str, *, total: int | None = None, quiet: bool = False) -> Iterator[T]:
    """The things, with a bar on stderr once it has taken a while and someone is watching."""
    if quiet or not sys.stderr.isatty():
        yield from things
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    started = time.monotonic()
    bar = Progress(*columns, console=err, transient=True)
    task = bar.add_task(what, total=total)
    running = False
    try:
        for done, thing in enumerate(things):
            if not running and time.monotonic() - started > PATIENCE:
                bar.start()
                running = True
            bar.update(task, completed=done)
            yield thing
    finally:
        if running:
            bar.stop()


@contextmanager
def sink(output: Path | None) -> Iterator[IO[str]]:
    """Where results go: a file that appears whole when the work is done, or standard output line by line.

    An interrupted run leaves what it had in FILE.partial.
    """
    if output is None:
        yield sys.stdout
        return
    partial = output.with_name(output.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8", buffering=1) as stream:
            yield stream
        partial.replace(output)
    except OSError as problem:
        raise InputError(
            f"cannot write: {problem.strerror}", where=str(output), fix="free space or another place"
        ) from problem


def print_json(value: Any, stream: IO[str] | None = None) -> None:
    print(json.dumps(value, ensure_ascii=False), file=stream or sys.stdout)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; all columns but the first are figures."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(show(cell) for cell in row))
    Console(soft_wrap=True, highlight=False).print(table)


def print_pairs(pairs: Mapping[str, object]) -> None:
    """Names and values, a line each."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        print(f"{name:<{width}}  {show(value)}")


def show(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
