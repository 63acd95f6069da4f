"""The command line: one file a command. Exit codes: 0 done, 1 wrong input, 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from secateur.cli import (
    bench,
    doctor,
    evaluate,
    frontier,
    grammar,
    inspect,
    parse,
    quickstart,
    train,
    treebank,
)
from secateur.cli.options import with_dial, with_text_source
from secateur.cli.owners import (
    with_inducing,
    with_looking,
    with_reading,
    with_scoring,
    with_settings,
    with_using,
)
from secateur.cli.terminal import complain, err
from secateur.errors import InputError, MissingExtra
from secateur.models.table import KINDS
from secateur.search.workers import WorkersLost


class _Commands(TyperGroup):
    """What goes wrong in any command is said before the library of commands sees it."""

    def invoke(self, ctx: Any) -> Any:
        with _said():
            return super().invoke(ctx)


@contextmanager
def _said() -> Iterator[None]:
    """Turns what goes wrong within into a message and an exit code."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # a closed pipe or a full disk shows now, not while Python shuts down
    except (InputError, MissingExtra, WorkersLost) as problem:
        complain(str(problem))
        raise SystemExit(1) from None
    except (KeyboardInterrupt, SystemError) as problem:
        if not _is_interrupt(problem):
            raise
        err.print("interrupted")
        raise SystemExit(130) from None
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing left to say to it.
        _drop_output()
        raise SystemExit(0) from None
    except OSError as problem:
        what, where = problem.strerror or str(problem), str(problem.filename or "")
        fix = "check the path, its permissions and the space on the disk"
        if _is_stuck():
            what, where = f"cannot write: {what}", "standard output"
            _drop_output()
        complain(str(InputError(what, where=where, fix=fix)))
        raise SystemExit(1) from None


def _is_stuck() -> bool:
    """Whether standard output holds what it cannot get rid of."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Closed(io.TextIOBase):
    """Standard output where a program starts without one: whoever writes to it is told."""

    def write(self, text: str) -> int:
        fix = "give it a file or a pipe, or name a file with --output"
        raise InputError("standard output is closed", fix=fix)


def _is_interrupt(problem: BaseException) -> bool:
    """Also where it came while numba called back into Python, which makes a SystemError of it."""
    return isinstance(problem, KeyboardInterrupt) or isinstance(problem.__cause__, KeyboardInterrupt)


def _print_version(wanted: bool) -> None:
    if wanted:
        from secateur import __version__

        print(f"secateur {__version__}")
        raise typer.Exit


def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train parsers to the speed/accuracy trade-off you choose."""


@lru_cache
def built(kinds: tuple[str, ...]) -> typer.Typer:
    """All commands, with the options of these kinds of models."""
    style: dict[str, Any] = {
        "no_args_is_help": True,
        "add_completion": False,
        "pretty_exceptions_enable": False,
        "context_settings": {"help_option_names": ["-h", "--help"]},
    }
    app = typer.Typer(name="secateur", cls=_Commands, **style)
    app.callback()(top)
    app.command()(with_reading(quickstart.quickstart))
    app.command()(with_settings(with_reading(train.train)))
    app.command()(with_using(with_dial(with_text_source(parse.parse))))
    app.command()(with_scoring(with_reading(with_using(with_dial(evaluate.evaluate)))))
    app.command()(frontier.frontier)
    app.command()(with_looking(with_using(with_dial(inspect.inspect))))
    app.command()(with_using(with_dial(with_text_source(bench.bench))))
    app.command()(doctor.doctor)
    treebanks = typer.Typer(help=treebank.HELP, no_args_is_help=True)
    for command in (treebank.check, treebank.info, treebank.convert, treebank.draw):
        treebanks.command()(with_reading(command))
    treebanks.command("garden")(treebank.grow)
    app.add_typer(treebanks, name="treebank")
    grammars = typer.Typer(help=grammar.HELP, no_args_is_help=True)
    grammars.command()(with_reading(with_inducing(grammar.induce)))
    grammars.command()(grammar.info)
    grammars.command()(grammar.check)
    grammars.command()(grammar.convert)
    app.add_typer(grammars, name="grammar")
    return app


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """What is said, without the place in the code that says it."""
    err.print(str(message))


def main() -> None:
    """Run the command that sys.argv names; output is UTF-8 wherever it goes."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    warnings.showwarning = _warn
    with _said():  # help is printed before any command is invoked
        built(tuple(KINDS.values()))(prog_name="secateur")
