"""Options and arguments that several commands share, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.formats import Opened

TOKENS = "tokens"


def _from(what: str, known: tuple[str, ...]) -> Any:
    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}")
        return value

    text = f"Format of {what}: {', '.join(known)}. Recognised if not given."
    return typer.Option("--from", help=text, callback=check)


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


def check_page(path: Path | None) -> Path | None:
    return None if path is None else _check_regular(path)


def check_svg(path: Path | None) -> Path | None:
    if path is not None and path.suffix != ".svg":
        raise typer.BadParameter(f"{path} is no SVG; end its name in .svg")
    return check_page(path)


def _check_model(path: Path) -> Path:
    if not path.is_dir():
        what = "this is a file, not a model" if path.exists() else "no such model"
        raise InputError(what, where=str(path), fix="name a directory that `secateur train` wrote")
    return path


Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Processes; 0 means all cores.", min=0)]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all random choices.")]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the input.", callback=_check_encoding)]
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


ModelFolder = Annotated[Path, typer.Argument(help="A model directory.", callback=_check_model)]

From = Annotated[str | None, _from("the trees", formats.ALL_FORMATS)]
FromText = Annotated[str | None, _from("the input", (TOKENS, *formats.ALL_FORMATS))]


class Source(NamedTuple):
    """How what is read is written."""

    format: str | None  # None: to be recognised
    encoding: str

    def opened(self, file: str) -> Opened:
        return formats.opened(file, format=self.format, encoding=self.encoding)


def _source(*, from_: From = None, encoding: Encoding = "utf-8") -> Source:
    return Source(from_, encoding)


def _text_source(*, from_: FromText = None, encoding: Encoding = "utf-8") -> Source:
    return Source(from_, encoding)


Dial = dict[str, Any]  # the settings that were given: keywords of Model.choose


def _dial(
    *,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="The most accurate point within 20000wps or 2ms/sent, each a mean over sentences."),
    ] = None,
    accuracy: Annotated[
        list[float] | None, typer.Option(help="The fastest point with this F1 or UAS, in percent.")
    ] = None,
    max_loss: Annotated[
        list[float] | None, typer.Option(help="The fastest point losing at most so many points of it.")
    ] = None,
    tradeoff: Annotated[
        list[float] | None,
        typer.Option(help="The best point at so many points of it per million pushes or templates."),
    ] = None,
    fastest: Annotated[bool, typer.Option("--fastest", help="The fastest point.")] = False,
    most_accurate: Annotated[
        bool, typer.Option("--most-accurate", help="The most accurate point: the default of parse.")
    ] = False,
    point: Annotated[
        list[str] | None, typer.Option(help="The point of this name, as `secateur frontier` lists them.")
    ] = None,
) -> Dial:
    given = {name: value for name, value in locals().items() if value}
    for name, value in given.items():
        if value is not True and len(value) > 1:
            raise typer.BadParameter(f"--{name.replace('_', '-')} is given more than once: give it once")
    return {name: value if value is True else value[0] for name, value in given.items()}


def with_dial(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes `dial` as one that has the dial's options, the same for all commands."""
    return _gathering("dial", _dial, command)


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """The same of `source`, where treebanks are read."""
    return _gathering("source", _source, command)


def with_text_source(command: Callable[..., None]) -> Callable[..., None]:
    """The same of `source`, where text is read too."""
    return _gathering("source", _text_source, command)


def _gathering(name: str, gather: Callable[..., Any], command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes what is gathered from options, as one that has these options."""
    own, options = (signature(made, eval_str=True) for made in (command, gather))

    @wraps(command)
    def spread(**given: Any) -> None:
        gathered = {option: given.pop(option) for option in options.parameters}
        command(**given, **{name: gather(**gathered)})

    kept = [
        parameter.replace(kind=Parameter.KEYWORD_ONLY)
        for parameter in own.parameters.values()
        if parameter.name != name
    ]
    spread.__signature__ = Signature([*kept, *options.parameters.values()])  # type: ignore[attr-defined]
    return spread
