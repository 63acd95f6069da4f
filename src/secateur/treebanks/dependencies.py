"""Dependencies: words with heads and labels, as in CoNLL-U and CoNLL-X."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from secateur.errors import InputError
from secateur.options import option
from secateur.treebanks import formats
from secateur.treebanks.bank import Bank, Ints, Shelf
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.draw import arcs as drawn
from secateur.treebanks.formats import Opened
from secateur.treebanks.formats.brackets import Faults, OnError
from secateur.treebanks.formats.conll import Heads, gap_after
from secateur.treebanks.sentence import Sentence, Tags
from secateur.treebanks.text import penn_spelling

NO_TAG = "_"


@dataclass(frozen=True, slots=True)
class _Row:
    """Trees as objects, one after the other."""

    trees: tuple[DependencyTree, ...]

    def __len__(self) -> int:
        return len(self.trees)

    def tree(self, number: int) -> DependencyTree:
        return self.trees[number]

    def lengths(self) -> Ints:
        return np.fromiter(map(len, self.trees), np.int64, len(self.trees))

    def words(self, chosen: Ints) -> Counter[str]:
        return self._counted(chosen, lambda tree: tree.words)

    def tags(self, chosen: Ints) -> Counter[str]:
        return self._counted(chosen, lambda tree: tree.tags)

    def labels(self, chosen: Ints) -> Counter[str]:
        return self._counted(chosen, lambda tree: tree.labels)

    def only(self, chosen: Ints) -> _Row:
        return _Row(tuple(self.trees[number] for number in chosen.tolist()))

    def content(self) -> Iterator[bytes]:
        for tree in self.trees:
            content = (tree.words, tree.tags, tree.coarse, tree.heads, tree.labels)
            yield json.dumps(content).encode() + b"\n"

    def special(self, chosen: Ints) -> dict[str, int]:
        trees = [self.trees[number] for number in chosen.tolist()]
        return {
            "different coarse tags": len(self._counted(chosen, lambda tree: tree.coarse)),
            "non-projective trees": sum(not tree.is_projective for tree in trees),
            "trees with several roots": sum(tree.heads.count(0) > 1 for tree in trees),
        }

    def _counted(self, chosen: Ints, of: Callable[[DependencyTree], Iterable[str]]) -> Counter[str]:
        return Counter(chain.from_iterable(of(self.trees[number]) for number in chosen.tolist()))


class DependencyBank(Bank[DependencyTree]):
    """Dependency trees under a name."""

    __slots__ = ()

    annotation: ClassVar[str] = formats.DEPENDENCIES

    @staticmethod
    def _shelve(trees: Iterable[DependencyTree]) -> Shelf[DependencyTree]:
        return _Row(tuple(trees))

    @staticmethod
    def _read(
        file: Opened,
        on_error: Faults,
        *,
        heads: Heads = "required",
        several_roots: bool = False,
        fine: bool = True,
    ) -> Iterator[DependencyTree]:
        """The options are those of `formats.conll`."""
        return _read(file, DependencyReading(several_roots, fine), on_error, heads)

    def without_fine_tags(self) -> DependencyBank:
        """The same sentences with the coarse tags as their only ones."""
        return DependencyBank((tree.without_fine_tags() for tree in self), name=self.name)


@dataclass(frozen=True, slots=True)
class DependencyReading:
    """How the sentences of a file are taken."""

    several_roots: bool = option(False, "There may be more than one root in a sentence.")
    fine: bool = option(True, "Take the finer column of tags; without, the coarse one alone.")

    def notes(self) -> dict[str, Any]:
        """As models record it; what is not the default."""
        return {} if self.fine else {"fine": False}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> DependencyReading:
        """The one that was noted; several roots are no fault in what a model is scored on."""
        return cls(several_roots=True, fine=bool(notes.get("fine", True)))

    def faulty(self) -> DependencyReading:
        """To look for faults."""
        return self

    def said(self) -> str:
        """For protocols."""
        return "" if self.fine else "coarse tags alone"


_How = DependencyReading | None
_Trees = Iterator[DependencyTree]


class Dependencies:
    """CoNLL-U and CoNLL-X; see `Annotation`."""

    name = formats.DEPENDENCIES
    tree = DependencyTree
    formats = tuple(formats.DEPENDENCY_FORMATS)
    reading = DependencyReading

    def trees(
        self, file: Opened, how: _How, on_error: Faults = None, *, unparsed: bool = False, empty: bool = False
    ) -> _Trees:
        how = DependencyReading(several_roots=True) if how is None else how
        return _read(file, how, on_error, "optional" if unparsed else "required")

    def normalized(self, trees: Iterable[DependencyTree], how: DependencyReading) -> Iterator[DependencyTree]:
        return iter(trees) if how.fine else (tree.without_fine_tags() for tree in trees)

    def bank(self, trees: Iterable[DependencyTree], name: str = "") -> DependencyBank:
        return DependencyBank(trees, name=name)

    def sentence(self, tree: DependencyTree) -> Sentence:
        tagged = any(tag != NO_TAG for tag in tree.tags)
        tags = Tags(tree.tags, tree.coarse) if tagged else None
        return Sentence(tree.words, penn_spelling(tree.words), tags, tree.source)

    def words(self, tree: DependencyTree) -> Sequence[str]:
        return tree.words

    def text(self, tree: DependencyTree, format: str) -> str:
        # A sentence without words has no place in CoNLL.
        return formats.DEPENDENCY_FORMATS[format].write(tree) if tree.words else ""

    def gap(self, before: str) -> str:
        return gap_after(before)

    def fields(self, tree: DependencyTree) -> dict[str, Any]:
        return {
            "words": tree.words,
            "tags": tree.tags,
            "coarse": tree.coarse,
            "heads": tree.heads,
            "labels": tree.labels,
        }

    def draw(self, tree: DependencyTree, *, notes: Sequence[Sequence[str]] | None = None) -> str:
        return drawn.text(tree, notes)

    def svg(self, tree: DependencyTree, *, title: str = "") -> str:
        return drawn.svg(tree, title=title)

    def grown(self, count: int, *, seed: int = 0) -> Iterator[DependencyTree]:
        from secateur.treebanks.garden import garden

        return (sample.dependencies for sample in garden(count, seed=seed))


DEPENDENCIES = Dependencies()


def _read(
    file: Opened, how: DependencyReading, on_error: OnError | None, heads: Heads
) -> Iterator[DependencyTree]:
    if file.annotation != formats.DEPENDENCIES:
        if all(map(str.isspace, file.lines)):  # sniffed as trees, for want of anything
            fix = "check that this is the file you meant"
            raise InputError("no sentences", where=file.name, fix=fix)
        fix = "convert it first: secateur treebank convert --to conllx"
        raise InputError("phrases, where dependencies are needed", where=file.name, fix=fix)
    return formats.DEPENDENCY_FORMATS[file.format].read(
        file.lines,
        name=file.name,
        on_error=on_error,
        heads=heads,
        several_roots=how.several_roots,
        fine=how.fine,
    )
