"""Phrases: continuous trees over words, as in the Penn Treebank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from secateur.errors import InputError
from secateur.options import option
from secateur.treebanks import formats
from secateur.treebanks.bank import Bank, Shelf
from secateur.treebanks.draw import phrases as drawn
from secateur.treebanks.formats import Opened, brackets
from secateur.treebanks.formats.brackets import Faults
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.packed import pack
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

# Those that are usual: the other has an option of its own.
STEPS = tuple(step.name for step in fields(Normalization) if step.name != "advp")


class Treebank(Bank[Tree]):
    """Phrase trees under a name, packed."""

    __slots__ = ()

    annotation: ClassVar[str] = formats.PHRASES

    @staticmethod
    def _shelve(trees: Iterable[Tree]) -> Shelf[Tree]:
        return pack(trees)

    @staticmethod
    def _read(
        file: Opened, on_error: Faults, *, normalization: Normalization | None = None
    ) -> Iterator[Tree]:
        """Normalized; those left without words are dropped."""
        how = None if normalization is None else PhraseReading.of(normalization)
        return PHRASES.trees(file, how, on_error)

    def normalize(self, normalization: Normalization) -> Treebank:
        """The normalized trees; those left without words are dropped."""
        return Treebank(_normalized(self, normalization), name=self.name)


@dataclass(frozen=True, slots=True)
class PhraseReading:
    """What is done to trees before anything is learned from them or scored on them."""

    steps: ClassVar[tuple[str, ...]] = STEPS

    keep: tuple[str, ...] = option((), f"A normalization step to leave out: {', '.join(STEPS)}.")
    root: str = "ROOT"  # the label of the bracket around a tree
    advp: bool = option(False, "Make ADVP into PRT, as the 2017 paper does.")

    def __post_init__(self) -> None:
        for step in self.keep:
            if step not in self.steps:
                fix = f"choose from {', '.join(self.steps)}"
                raise InputError(f"no normalization step {step!r}", fix=fix)

    @classmethod
    def of(cls, steps: Normalization) -> PhraseReading:
        """Of given steps."""
        left_out = tuple(step for step in STEPS if step not in steps.steps)
        return cls(left_out, steps.root or "ROOT", steps.advp)

    @property
    def normalization(self) -> Normalization:
        kept: dict[str, Any] = dict.fromkeys(self.keep, False)
        root = None if "root" in self.keep else self.root
        return Normalization(**{"advp": self.advp, **kept, "root": root})

    def read(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """Trees as they are read; those left without words are dropped."""
        return _normalized(trees, self.normalization)

    def notes(self) -> dict[str, Any]:
        """As models record it."""
        return dict(self.normalization.notes())

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> PhraseReading:
        """The one that was noted; the default where none was."""
        return cls.of(Normalization.from_notes(notes)) if "normalization" in notes else cls()

    def faulty(self) -> None:
        """To look for faults, trees are read as they stand."""

    def said(self) -> str:
        """For protocols."""
        return f"gold normalized ({', '.join(self.normalization.steps) or 'no step'})"


_How = PhraseReading | None
_Trees = Iterator[Tree]


class Phrases:
    """Penn brackets; see `Annotation`."""

    name = formats.PHRASES
    needed = "phrases"  # as messages say it
    tree = Tree
    formats: tuple[str, ...] = ("brackets",)
    reading = PhraseReading

    def trees(
        self, file: Opened, how: _How, on_error: Faults = None, *, unparsed: bool = False, empty: bool = False
    ) -> _Trees:
        check_phrases(file, self.needed)
        form = formats.FORMATS[file.format]
        read = form.read(file.lines, name=file.name, on_error=on_error, empty=empty)
        return iter(read) if how is None else how.read(read)

    def normalized(self, trees: Iterable[Tree], how: PhraseReading) -> Iterator[Tree]:
        return how.read(trees)

    def bank(self, trees: Iterable[Tree], name: str = "") -> Treebank:
        return Treebank(trees, name=name)

    def sentence(self, tree: Tree) -> Sentence:
        return Sentence.of(tree.words())

    def words(self, tree: Tree) -> Sequence[str]:
        return tree.words()

    def text(self, tree: Tree, format: str) -> str:
        return formats.write(tree, format) + "\n"

    def gap(self, before: str) -> str:
        return ""

    def fields(self, tree: Tree) -> dict[str, Any]:
        return {"words": tree.words(), "tree": str(tree)}

    def draw(self, tree: Tree, *, notes: Sequence[Sequence[str]] | None = None) -> str:
        return drawn.text(tree)

    def svg(self, tree: Tree, *, title: str = "") -> str:
        return drawn.svg(tree, title=title)

    def grown(self, count: int, *, seed: int = 0) -> Iterator[Tree]:
        from secateur.treebanks.garden import garden

        return (sample.penn for sample in garden(count, seed=seed))

    def indented(self, tree: Tree) -> str:
        """Over several lines, for people."""
        return brackets.write(tree, indent=True) + "\n"


PHRASES = Phrases()


def check_phrases(file: Opened, needed: str = formats.PHRASES) -> None:
    """Refuse a file of dependencies where trees of phrases are read."""
    if file.annotation == formats.DEPENDENCIES:
        fix = "give Penn brackets or discontinuous trees"
        raise InputError(f"dependencies, where {needed} are needed", where=file.name, fix=fix)


def _normalized(trees: Iterable[Tree], steps: Normalization) -> Iterator[Tree]:
    return (tree for tree in map(steps, trees) if tree is not None)
