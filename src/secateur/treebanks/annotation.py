"""Annotation: what people have (phrases, discontinuous phrases, dependencies), and all that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self, TypeVar

from secateur.options import Options
from secateur.treebanks import formats
from secateur.treebanks.bank import Bank
from secateur.treebanks.formats import Opened
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.sentence import Sentence

T = TypeVar("T")


class Reading(Options, Protocol):
    """How a file becomes trees."""

    def notes(self) -> dict[str, Any]:
        """As models record it."""

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Self:
        """The one that was noted; the default where none was."""

    def faulty(self) -> Self | None:
        """How to read where faults are looked for; None: trees as they stand."""

    def said(self) -> str:
        """For protocols: what is done to gold trees, if anything."""


class Annotation(Protocol[T]):
    """Formats, banks, sentences, texts and pictures of one annotation."""

    name: str
    tree: type[T]
    formats: tuple[str, ...]  # the first is what text is parsed into
    reading: type[Any]  # a Reading

    def trees(
        self,
        file: Opened,
        how: Any | None,
        on_error: OnError | None = None,
        *,
        unparsed: bool = False,
        empty: bool = False,
    ) -> Iterator[T]:
        """The trees of a file; as they stand where `how` is None. Some may be `unparsed` (without heads) or
        `empty` (without words) if that is said, and if the annotation knows such trees."""

    def normalized(self, trees: Iterable[T], how: Any) -> Iterator[T]:
        """Trees as `how` says that they are read."""

    def bank(self, trees: Iterable[T], name: str = "") -> Bank[T]:
        """Trees as a bank."""

    def sentence(self, tree: T) -> Sentence:
        """What a parser is given of a tree."""

    def words(self, tree: T) -> Sequence[str]:
        """Of a tree, in order."""

    def text(self, tree: T, format: str) -> str:
        """A tree in a format, its last newline included."""

    def gap(self, before: str) -> str:
        """What stands between two trees in a file, after the text of the first."""

    def fields(self, tree: T) -> dict[str, Any]:
        """A tree for machines."""

    def draw(self, tree: T, *, notes: Sequence[Sequence[str]] | None = None) -> str:
        """A tree for the terminal; notes stand beside the words where there is room for some."""

    def svg(self, tree: T, *, title: str = "") -> str:
        """A tree as a picture."""

    def grown(self, count: int, *, seed: int = 0) -> Iterator[T]:
        """Trees of the embedded treebank."""


def read_files(
    annotation: Annotation[T],
    files: Sequence[str | PathLike[str] | Opened],
    how: Any | None,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
) -> Bank[T]:
    """The trees of several files as one bank."""
    opened = [
        file if isinstance(file, Opened) else formats.opened(file, format=format, encoding=encoding)
        for file in files
    ]
    trees = (tree for file in opened for tree in annotation.trees(file, how))
    return annotation.bank(trees, name=" ".join(file.name for file in opened))
