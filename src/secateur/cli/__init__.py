"""The command line: one file a command."""

from __future__ import annotations

import os
import sys

import typer
from rich.console import Console

from secateur.cli import bench, doctor, evaluate, grammar, parse, quickstart, treebank
from secateur.errors import InputError, MissingExtra

app = typer.Typer(
    name="secateur",
    help="Train parsers to the speed/accuracy trade-off you choose.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(quickstart.quickstart)
app.command()(parse.parse)
app.command()(evaluate.evaluate)
app.command()(bench.bench)
app.command()(doctor.doctor)
app.add_typer(treebank.app, name="treebank")
app.add_typer(grammar.app, name="grammar")


def main() -> None:
    """Exit codes: 0 done, 1 wrong input, 2 wrong usage, 130 interrupted."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        app()
    except (InputError, MissingExtra) as problem:
        console.print("[bold red]error[/]", end=" ")
        console.print(str(problem), markup=False)
        sys.exit(1)
    except KeyboardInterrupt:
        console.print("interrupted; what was written so far is complete up to the last line")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
