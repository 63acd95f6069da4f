"""What the commands share in talking to people and to machines."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from secateur.errors import InputError

if TYPE_CHECKING:
    from secateur.models.measure import Watch
    from secateur.models.run import Step

T = TypeVar("T")

# Shorter work needs no progress bar.
PATIENCE = 2.0

_BLOCK = 1 << 16  # bytes read at a time

# Summaries, progress and errors: standard output is kept for results.
err = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)


def complain(what: str) -> None:
    err.print("error:", style="bold red", end=" ")
    err.print(what)


def progress(
    things: Iterable[T],
    what: str,
    *,
    total: int | None = None,
    quiet: bool = False,
    size: Callable[[T], int] = lambda thing: 1,
) -> Iterator[T]:
    """The things, with a bar on stderr once it has taken a while and someone is watching.

    A thing may stand for several: its `size` says for how many.
    """
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
        for thing in things:
            if not running and time.monotonic() - started > PATIENCE:
                bar.start()
                running = True
            yield thing
            bar.advance(task, size(thing))
    finally:
        if running:
            bar.stop()


def watching(quiet: bool) -> Watch:
    """For what takes things, what is done with them, and how many there are."""

    def watch(things: Iterable[T], what: str, total: int) -> Iterable[T]:
        return progress(things, what, total=total, quiet=quiet)

    return watch


@contextmanager
def telling(quiet: bool) -> Iterator[Callable[[Step], None]]:
    """Shows the steps of a training with the time left: in a terminal, those that matter little on one line
    that the next takes the place of."""
    if quiet:
        yield lambda step: None
        return
    started = time.monotonic()
    live = err.status("", spinner="line") if err.is_terminal else None

    def tell(step: Step) -> None:
        left = "" if step.left is None else f"  {_duration(step.left)} left"
        line = f"[{time.monotonic() - started:6.0f} s, {step.done}/{step.total}] {step.text}{left}"
        if live is not None:
            live.update(escape(line))
        if not step.minor:
            err.print(line)

    with live or nullcontext():
        yield tell


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def sink(output: Path | None) -> Iterator[IO[str]]:
    """Where results go: standard output, or a file that appears whole when the work is done.

    A run that is interrupted or fails leaves its complete lines in FILE.partial.
    """
    if output is None:
        yield sys.stdout
        return
    # A device or a pipe is written to; only a file can be put in its place afterwards.
    whole = output.is_file() or not output.exists()
    place = output.with_name(output.name + ".partial") if whole else output
    try:
        with place.open("w", encoding="utf-8", errors="surrogateescape", buffering=1) as stream:
            yield stream
        if whole:
            place.replace(output)
    except OSError as problem:
        fix = "free some space, or write to another place"
        raise InputError(f"cannot write: {problem.strerror}", where=str(output), fix=fix) from problem
    finally:
        if whole and place.exists():
            _keep_or_delete(place)


def _keep_or_delete(partial: Path) -> None:
    """What a disk that is full took of a line is no use to anyone."""
    with partial.open("rb+") as stream:
        size = stream.seek(0, os.SEEK_END)
        while size:
            begin = max(size - _BLOCK, 0)
            stream.seek(begin)
            end = stream.read(size - begin).rfind(b"\n") + 1
            size = begin + end
            if end:
                break
        stream.truncate(size)
    if size:
        err.print(f"what was done so far is in {partial}")
    else:
        partial.unlink()


def print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False))


def print_faults(faults: Sequence[InputError], read: Mapping[str, int], json: bool) -> None:
    """What a check found in so much, counted by noun; the exit code is 1 if there is anything."""
    if json:
        found = [{"where": fault.where, "what": fault.what, "fix": fault.fix} for fault in faults]
        print_json({**{f"{noun}s": number for noun, number in read.items()}, "faults": found})
    else:
        for fault in faults:
            print(fault)
        numbers = {**read, "fault": len(faults)}
        print(", ".join(count(number, noun) for noun, number in numbers.items()))
    if faults:
        raise typer.Exit(1)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout; all columns but the first are figures."""
    lines = [list(columns), *([show(cell) for cell in row] for row in rows)]
    first, *others = (max(map(len, column)) for column in zip(*lines, strict=True))
    for name, *figures in lines:
        cells = (f"{cell:>{width}}" for cell, width in zip(figures, others, strict=True))
        print("  ".join((f"{name:<{first}}", *cells)).rstrip())


def print_pairs(pairs: Mapping[str, object]) -> None:
    """Names and values, a line each."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        print(f"{name:<{width}}  {show(value)}")


def show(value: object) -> str:
    """A figure as people read it."""
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def count(number: int, noun: str) -> str:
    """A number of things: "1 tree", "2 trees"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def fits(width: int) -> bool:
    """Whether standard output has so many columns; a file has any number."""
    console = Console(file=sys.stdout)
    return not console.is_terminal or width <= console.width


def this_command() -> str:
    """How to call secateur again, so that it can be copied and run."""
    called, known = Path(sys.argv[0]), shutil.which("secateur")
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m secateur"
    if called.is_file() and (known is None or not called.samefile(known)):
        return shlex.quote(str(called))
    return "secateur"
