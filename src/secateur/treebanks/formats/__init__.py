"""Treebank formats by name: one module each, with `read`, `write` and `looks_like`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike
from typing import NamedTuple, Protocol

from secateur.errors import InputError
from secateur.treebanks.formats import brackets, conll, discbracket, source
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.tree import Tree

_SNIFFED_LINES = 50


class Format(Protocol):
    """What a module of this package offers."""

    def read(
        self,
        lines: Iterable[str],
        *,
        name: str = "",
        on_error: OnError | None = None,
        empty: bool = False,
    ) -> Iterator[Tree]: ...

    def write(self, tree: Tree) -> str: ...

    def looks_like(self, text: str) -> bool: ...


# In the order in which they are tried on an unknown file: the more special first.
FORMATS: dict[str, Format] = {"discbracket": discbracket, "brackets": brackets}
DEPENDENCY_FORMATS = {form.name: form for form in (conll.CONLLU, conll.CONLLX)}
ALL_FORMATS = (*FORMATS, *DEPENDENCY_FORMATS)

# What a file in each format holds.
PHRASES, DISCONTINUOUS, DEPENDENCIES = "phrases", "discontinuous", "dependencies"
ANNOTATIONS = {
    "brackets": PHRASES,
    "discbracket": DISCONTINUOUS,
    **dict.fromkeys(DEPENDENCY_FORMATS, DEPENDENCIES),
}


class Opened(NamedTuple):
    """A file (or standard input) whose format is known."""

    name: str
    format: str
    lines: Iterator[str]

    @property
    def annotation(self) -> str:
        """The name of what it holds."""
        return ANNOTATIONS[self.format]


def sniff(first_lines: Iterable[str]) -> str:
    """The name of the format that a file with these first lines is in."""
    text = "".join(line if line.endswith("\n") else line + "\n" for line in first_lines)
    tests = {name: form.looks_like for name, form in DEPENDENCY_FORMATS.items()}
    tests |= {name: form.looks_like for name, form in FORMATS.items()}
    for name, looks_like in tests.items():
        if looks_like(text):
            return name
    if not text.strip():
        return "brackets"  # whose reader will say that there are no trees
    raise InputError(
        f"this is none of the formats {', '.join(ALL_FORMATS)}", fix="name its format with --from"
    )


def opened(path: str | PathLike[str], *, format: str | None = None, encoding: str = "utf-8") -> Opened:
    """A file ("-": standard input) ready to be read; the format is sniffed unless given."""
    if format is not None and format not in ALL_FORMATS:
        raise _unknown(format, ALL_FORMATS)
    name = source.name_of(path)
    lines = source.lines(path, encoding=encoding)
    if format is None:
        head = list(islice(lines, _SNIFFED_LINES))
        lines = chain(head, lines)
        try:
            format = sniff(head)
        except InputError as error:
            raise InputError(error.what, where=f"{name}:1:1", fix=error.fix) from None
    return Opened(name, format, lines)


def write(tree: Tree, format: str) -> str:
    """The tree as text in the format of that name."""
    if format not in FORMATS:
        raise _unknown(format, FORMATS)
    return FORMATS[format].write(tree)


def _unknown(format: str, known: Iterable[str]) -> InputError:
    return InputError(f'unknown format "{format}"', fix=f"use one of {', '.join(known)}")
