"""DependencyBank: an immutable sequence of dependency trees under a name."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os import PathLike
from typing import NamedTuple, overload

from secateur.treebanks import formats, partition
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.formats.conll import Heads


class DependencyDescription(NamedTuple):
    """What a bank holds, in numbers."""

    sentences: int
    words: int
    types: int  # different words
    hapaxes: int  # words that occur once
    tags: int  # different fine tags
    coarse_tags: int
    labels: int
    max_length: int
    mean_length: float
    non_projective: int  # sentences with arcs that cross
    several_roots: int  # sentences with more than one word under the root


class DependencyBank(Sequence[DependencyTree]):
    """Dependency trees in order; parts of a bank share its trees."""

    __slots__ = ("_trees", "name")

    def __init__(self, trees: Iterable[DependencyTree], *, name: str = "") -> None:
        self.name = name
        self._trees = tuple(trees)

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        encoding: str = "utf-8",
        on_error: OnError | None = None,
        heads: Heads = "required",
        several_roots: bool = False,
        fine: bool = True,
    ) -> DependencyBank:
        """The sentences of a file ("-": standard input); the options are those of `formats.conll`."""
        file = formats.opened(path, format=format, encoding=encoding)
        trees = file.dependencies(on_error=on_error, heads=heads, several_roots=several_roots, fine=fine)
        return cls(trees, name=file.name)

    def __len__(self) -> int:
        return len(self._trees)

    @overload
    def __getitem__(self, key: int) -> DependencyTree: ...

    @overload
    def __getitem__(self, key: slice) -> DependencyBank: ...

    def __getitem__(self, key: int | slice) -> DependencyTree | DependencyBank:
        if isinstance(key, slice):
            return DependencyBank(self._trees[key], name=self.name)
        return self._trees[key]

    def __iter__(self) -> Iterator[DependencyTree]:
        return iter(self._trees)

    def __eq__(self, other: object) -> bool:
        """The same trees in the same order; the names do not matter."""
        return self._trees == other._trees if isinstance(other, DependencyBank) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<DependencyBank {self.name!r}: {len(self)} trees>"

    def split(
        self, *, dev: float = 0.1, test: float = 0.1, seed: int | None = None
    ) -> tuple[DependencyBank, DependencyBank, DependencyBank]:
        """Train, dev and test, in this order in the file, or drawn at random if there is a seed."""
        first, second, third = (
            self._part(part.tolist())
            for part in partition.three_parts(len(self), dev=dev, test=test, seed=seed, name=self.name)
        )
        return first, second, third

    def folds(self, count: int) -> Iterator[tuple[DependencyBank, DependencyBank]]:
        """Cut into so many parts: each with all the rest before it, as (rest, fold)."""
        for rest, fold in partition.folds(len(self), count):
            yield self._part(rest.tolist()), self._part(fold.tolist())

    def filter(self, *, min_length: int = 1, max_length: int | None = None) -> DependencyBank:
        """The trees over so many words."""
        top = float("inf") if max_length is None else max_length
        return DependencyBank((t for t in self._trees if min_length <= len(t) <= top), name=self.name)

    def without_fine_tags(self) -> DependencyBank:
        """The same sentences with the coarse tags as their only ones."""
        return DependencyBank((tree.without_fine_tags() for tree in self._trees), name=self.name)

    def lengths(self) -> list[int]:
        """Words in each sentence."""
        return list(map(len, self._trees))

    def vocabulary(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(chain.from_iterable(tree.words for tree in self._trees))

    def tags(self) -> Counter[str]:
        """How often each fine tag occurs."""
        return Counter(chain.from_iterable(tree.tags for tree in self._trees))

    def coarse_tags(self) -> Counter[str]:
        """How often each coarse tag occurs."""
        return Counter(chain.from_iterable(tree.coarse for tree in self._trees))

    def labels(self) -> Counter[str]:
        """How often each label occurs."""
        return Counter(chain.from_iterable(tree.labels for tree in self._trees))

    def describe(self) -> DependencyDescription:
        """The bank in numbers."""
        lengths, vocabulary = self.lengths(), self.vocabulary()
        return DependencyDescription(
            sentences=len(self),
            words=sum(lengths),
            types=len(vocabulary),
            hapaxes=sum(count == 1 for count in vocabulary.values()),
            tags=len(self.tags()),
            coarse_tags=len(self.coarse_tags()),
            labels=len(self.labels()),
            max_length=max(lengths, default=0),
            mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
            non_projective=sum(not tree.is_projective for tree in self._trees),
            several_roots=sum(tree.heads.count(0) > 1 for tree in self._trees),
        )

    def checksum(self) -> str:
        """SHA-256 of words, tags, heads and labels in their order, whatever format they came from."""
        digest = hashlib.sha256()
        for tree in self._trees:
            content = (tree.words, tree.tags, tree.coarse, tree.heads, tree.labels)
            digest.update(json.dumps(content).encode() + b"\n")
        return digest.hexdigest()

    def _part(self, numbers: list[int]) -> DependencyBank:
        return DependencyBank((self._trees[number] for number in numbers), name=self.name)
