"""Treebank formats by name: one module each, with `read`, `write` and `looks_like`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike
from typing import Protocol

from secateur.errors import InputError
from secateur.formats import brackets, discbracket, source
from secateur.formats.brackets import OnError
from secateur.trees import Tree

_SNIFFED_LINES = 50


class Format(Protocol):
    """What a module of this package offers."""

    def read(
        self, lines: Iterable[str], *, name: str = "", on_error: OnError | None = None
    ) -> Iterator[Tree]: ...

    def write(self, tree: Tree) -> str: ...

    def looks_like(self, text: str) -> bool: ...


# In the order in which they are tried on an unknown file: the more special first.
FORMATS: dict[str, Format] = {"discbracket": discbracket, "brackets": brackets}


def sniff(first_lines: Iterable[str]) -> str:
    """The name of the format that a file with these first lines is in."""
    text = "".join(line if line.endswith("\n") else line + "\n" for line in first_lines)
    for name, form in FORMATS.items():
        if form.looks_like(text):
            return name
    if not text.strip():
        return "brackets"  # whose reader will say that there are no trees
    raise InputError(f"this is none of the formats {', '.join(FORMATS)}", fix="name its format with --from")


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    on_error: OnError | None = None,
) -> Iterator[Tree]:
    """The trees of a file ("-": standard input), one at a time; the format is sniffed unless given.

    Faults of single trees go to `on_error`, if there is one; a file that cannot be read at all raises.
    """
    name = source.name_of(path)
    lines = source.lines(path, encoding=encoding)
    if format is None:
        head = list(islice(lines, _SNIFFED_LINES))
        lines = chain(head, lines)
        try:
            format = sniff(head)
        except InputError as error:
            raise InputError(error.what, where=f"{name}:1:1", fix=error.fix) from None
    yield from _named(format).read(lines, name=name, on_error=on_error)


def write(tree: Tree, format: str) -> str:
    """The tree as text in the format of that name."""
    return _named(format).write(tree)


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise InputError(f'unknown format "{format}"', fix=f"use one of {', '.join(FORMATS)}")
    return FORMATS[format]
