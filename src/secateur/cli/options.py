"""Options and arguments that several commands share, checked before any work is done."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from secateur import formats
from secateur.errors import InputError
from secateur.normalization import Normalization

TOKENS = "tokens"
STEPS = tuple(field.name for field in fields(Normalization))


def _one_of(known: tuple[str, ...], value: str | None) -> str | None:
    if value is not None and value not in known:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}")
    return value


def _check_format(value: str | None) -> str | None:
    return _one_of(tuple(formats.FORMATS), value)


def _check_text_format(value: str | None) -> str | None:
    return _one_of((TOKENS, *formats.FORMATS), value)


def _check_steps(values: list[str] | None) -> list[str] | None:
    for value in values or ():
        _one_of(STEPS, value)
    return values


def _check_encoding(value: str) -> str:
    try:
        " ".encode(value)
    except LookupError:
        raise typer.BadParameter(f"{value!r} is no encoding; try utf-8, latin-1 or utf-16") from None
    return value


def _check_output(path: Path | None) -> Path | None:
    """None for standard output."""
    if path is None or str(path) == "-":
        return None
    return _check_file(path)


def _check_file(path: Path) -> Path:
    if path.is_dir():
        raise InputError("cannot write: this is a folder", where=str(path), fix="name a file in it")
    if not path.parent.is_dir():
        fix = f"make it first: mkdir -p {path.parent}"
        raise InputError(f"cannot write: there is no folder {path.parent}", where=str(path), fix=fix)
    return path


def _check_regular(path: Path) -> Path:
    """For what is put in place whole, which would replace a device."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError("cannot write: this is no regular file", where=str(path), fix="name a file")
    return _check_file(path)


def check_picture(path: Path | None) -> Path | None:
    """The formats every installation can draw."""
    if path is None:
        return None
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"{path} is no picture; end its name in .png, .svg or .pdf")
    return _check_regular(path)


Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 means all cores.", min=0)]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random choices.")]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the input.", callback=_check_encoding)]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help=f"Format of the trees: {', '.join(formats.FORMATS)}. Recognised if not given.",
        callback=_check_format,
    ),
]
FromText = Annotated[
    str | None,
    typer.Option(
        "--from",
        help=f"Format of the input: {', '.join((TOKENS, *formats.FORMATS))}. Recognised if not given.",
        callback=_check_text_format,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        help=f"A normalization step to leave out (repeatable): {', '.join(STEPS)}.",
        callback=_check_steps,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="A file to write instead of standard output.", callback=_check_output
    ),
]
GrammarOutput = Annotated[
    Path,
    typer.Option(
        "--output", "-o", help="The grammar file to write; .gz compresses it.", callback=_check_regular
    ),
]


Budget = Annotated[
    str | None, typer.Option(help="A model's most accurate point within 20000wps or 2ms/sent.")
]
Accuracy = Annotated[float | None, typer.Option(help="A model's fastest point with this F1.")]
MaxLoss = Annotated[
    float | None, typer.Option(help="A model's fastest point losing at most so many F1 points.")
]
Tradeoff = Annotated[
    float | None, typer.Option(help="A model's best point at so many F1 points per mega-push.")
]
Fastest = Annotated[bool, typer.Option("--fastest", help="A model's fastest point.")]
MostAccurate = Annotated[
    bool, typer.Option("--most-accurate", help="A model's most accurate point (default).")
]


def cores(jobs: int) -> int:
    """The number of processes asked for; 0 means all cores this process may use."""
    from joblib import cpu_count

    return jobs or int(cpu_count())
