"""Treebank formats by name: one module each, with `read`, `write` and `looks_like`.

One that has something around all its trees has it as OPENING and CLOSING.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import PathLike
from typing import Any, NamedTuple, Protocol

from secateur.errors import InputError
from secateur.treebanks import aside
from secateur.treebanks.formats import alpino, brackets, conll, discbracket, export, source, tigerxml
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


# Of those that are alike, the more special comes first: it is tried first on an unknown file.
LISTS: dict[str, Format] = {"export": export, "tigerxml": tigerxml, "alpino": alpino}
FORMATS: dict[str, Format] = {"discbracket": discbracket, **LISTS, "brackets": brackets}
DEPENDENCY_FORMATS = {form.name: form for form in (conll.CONLLU, conll.CONLLX)}
ALL_FORMATS = (*FORMATS, *DEPENDENCY_FORMATS)

# What a file in each format holds.
PHRASES, DISCONTINUOUS, DEPENDENCIES = "phrases", "discontinuous", "dependencies"
ANNOTATIONS = {
    **dict.fromkeys(FORMATS, DISCONTINUOUS),
    "brackets": PHRASES,
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
    for name in (*LISTS, *DEPENDENCY_FORMATS, *FORMATS):
        if looks_like(text, name):
            return name
    if not text.strip():
        return "brackets"  # whose reader will say that there are no trees
    raise InputError(
        f"this is none of the formats {', '.join(ALL_FORMATS)}", fix="name its format with --from"
    )


def looks_like(text: str, format: str) -> bool:
    """Whether a file that starts with `text` may be in that format."""
    form: Format | conll.Conll = FORMATS[format] if format in FORMATS else DEPENDENCY_FORMATS[format]
    return form.looks_like(text)


def opened(path: str | PathLike[str], *, format: str | None = None, encoding: str = "utf-8") -> Opened:
    """A file ("-": standard input; or a folder of files) ready to be read.

    The format is sniffed unless given; that of a folder is the format of its first file.
    """
    if format is not None and format not in ALL_FORMATS:
        raise _unknown(format, ALL_FORMATS)
    name = source.name_of(path)
    if source.is_folder(path):
        folder = source.Folder(path, encoding=encoding)
        return Opened(name, format or opened(folder.first, encoding=encoding).format, folder)
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


def around(format: str) -> tuple[str, str]:
    """What stands before and behind all the trees of a file in that format."""
    form = FORMATS.get(format)
    return getattr(form, "OPENING", ""), getattr(form, "CLOSING", "")


def numbered(tree: Any, number: int, format: str) -> Any:
    """The tree with an id, where the format has ids and the tree has none: its number in the file."""
    return aside.numbered(tree, number) if format in LISTS else tree


def _unknown(format: str, known: Iterable[str]) -> InputError:
    return InputError(f'unknown format "{format}"', fix=f"use one of {', '.join(known)}")
