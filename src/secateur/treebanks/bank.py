"""Bank: an immutable sequence of trees under a name, of any annotation."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from secateur.treebanks import formats, partition
from secateur.treebanks.formats import Opened
from secateur.treebanks.formats.brackets import Faults

Ints = npt.NDArray[np.signedinteger]
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Description(NamedTuple):
    """What every bank holds, in numbers."""

    sentences: int
    words: int
    types: int  # different words
    hapaxes: int  # words that occur once
    tags: int  # different ones of words
    labels: int  # different ones of anything else
    max_length: int
    mean_length: float


class Shelf(Protocol[T_co]):
    """How trees are held: as objects, or in a few arrays."""

    def __len__(self) -> int: ...

    def tree(self, number: int) -> T_co:
        """One of them."""

    def lengths(self) -> Ints:
        """[T] words in each."""

    def words(self, chosen: Ints) -> Counter[str]:
        """How often each word occurs in some trees."""

    def tags(self, chosen: Ints) -> Counter[str]:
        """How often each tag does."""

    def labels(self, chosen: Ints) -> Counter[str]:
        """How often each label does."""

    def only(self, chosen: Ints) -> Self:
        """Some trees alone, as if they had just been read."""

    def content(self) -> Iterator[bytes]:
        """All there is, as bytes that do not depend on file and format."""

    def special(self, chosen: Ints) -> dict[str, int]:
        """What else there is to count in trees of this annotation, by name."""


class Bank(Sequence[T], Generic[T]):
    """Trees under a name. Parts of a bank share its shelf."""

    __slots__ = ("_chosen", "_shelf", "name")

    annotation: ClassVar[str] = ""

    def __init__(self, trees: Iterable[T], *, name: str = "") -> None:
        self._put(self._shelve(trees), name)

    @staticmethod
    def _shelve(trees: Iterable[T]) -> Shelf[T]:
        raise NotImplementedError  # an annotation says how its trees are held

    def _put(self, shelf: Shelf[T], name: str, chosen: Ints | None = None) -> None:
        self._shelf, self.name = shelf, name
        self._chosen: Ints = np.arange(len(shelf)) if chosen is None else chosen  # [T] in order

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        encoding: str = "utf-8",
        on_error: Faults = None,
        **how: Any,
    ) -> Self:
        """The trees of a file ("-": standard input); `how` are options of the annotation's reader."""
        file = formats.opened(path, format=format, encoding=encoding)
        return cls(cls._read(file, on_error, **how), name=file.name)

    @staticmethod
    def _read(file: Opened, on_error: Faults) -> Iterator[T]:
        raise NotImplementedError  # an annotation says how its files are read

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, key: int) -> T: ...

    @overload
    def __getitem__(self, key: slice) -> Self: ...

    def __getitem__(self, key: int | slice) -> T | Self:
        if isinstance(key, slice):
            return self._part(self._chosen[key])
        return self._shelf.tree(int(self._chosen[key]))

    def __iter__(self) -> Iterator[T]:
        return map(self._shelf.tree, self._chosen.tolist())

    def __eq__(self, other: object) -> bool:
        """The same trees in the same order; the names do not matter."""
        if type(other) is not type(self):
            return NotImplemented
        return list(self._own().content()) == list(other._own().content())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self)} trees>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), self._own(), self.name)

    def split(
        self, *, dev: float = 0.1, test: float = 0.1, seed: int | None = None
    ) -> tuple[Self, Self, Self]:
        """Train, dev and test, in this order in the file, or drawn at random if there is a seed."""
        parts = partition.three_parts(len(self), dev=dev, test=test, seed=seed, name=self.name)
        first, second, third = (self._part(self._chosen[part]) for part in parts)
        return first, second, third

    def folds(self, count: int) -> Iterator[tuple[Self, Self]]:
        """Cut into so many parts: each with all the rest before it, as (rest, fold)."""
        for rest, fold in partition.folds(len(self), count):
            yield self._part(self._chosen[rest]), self._part(self._chosen[fold])

    def filter(self, *, min_length: int = 1, max_length: int | None = None) -> Self:
        """The trees over so many words."""
        lengths = self.lengths()
        wanted = lengths >= min_length
        if max_length is not None:
            wanted &= lengths <= max_length
        return self._part(self._chosen[wanted])

    def lengths(self) -> Ints:
        """Words in each tree."""  # [T]
        lengths: Ints = self._shelf.lengths()[self._chosen]
        return lengths

    def vocabulary(self) -> Counter[str]:
        """How often each word occurs."""
        return self._shelf.words(self._chosen)

    def tags(self) -> Counter[str]:
        """How often each tag of a word occurs."""
        return self._shelf.tags(self._chosen)

    def labels(self) -> Counter[str]:
        """How often each other label occurs: of phrases, or of arcs."""
        return self._shelf.labels(self._chosen)

    def describe(self) -> Description:
        """The bank in numbers."""
        lengths, vocabulary = self.lengths(), self.vocabulary()
        return Description(
            sentences=len(self),
            words=int(lengths.sum()),
            types=len(vocabulary),
            hapaxes=sum(count == 1 for count in vocabulary.values()),
            tags=len(self.tags()),
            labels=len(self.labels()),
            max_length=int(lengths.max(initial=0)),
            mean_length=float(lengths.mean()) if len(self) else 0.0,
        )

    def special(self) -> dict[str, int]:
        """What else there is to count in trees of this annotation, by name."""
        return self._shelf.special(self._chosen)

    def checksum(self) -> str:
        """SHA-256 of the trees and their order, whatever file and format they came from."""
        digest = hashlib.sha256()
        for piece in self._own().content():
            digest.update(piece)
        return digest.hexdigest()

    def _part(self, chosen: Ints) -> Self:
        part = object.__new__(type(self))
        part._put(self._shelf, self.name, chosen)
        return part

    def _own(self) -> Shelf[T]:
        whole = np.array_equal(self._chosen, np.arange(len(self._shelf)))
        return self._shelf if whole else self._shelf.only(self._chosen)


def _restored(bank: type[Bank[T]], shelf: Shelf[T], name: str) -> Bank[T]:
    made = object.__new__(bank)
    made._put(shelf, name)
    return made
