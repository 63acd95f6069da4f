"""Discontinuous phrases: trees in which the words of a node need not stand together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from secateur.options import check_choice, option
from secateur.treebanks import formats
from secateur.treebanks.formats.brackets import OUTER
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.phrases import STEPS, PhraseReading, Phrases, Treebank
from secateur.treebanks.punctuation import TREATMENTS, Treatment, treat
from secateur.treebanks.tree import Tree, new_tree

# Functions are no part of labels in TIGER and Alpino: cutting them is an option of its own.
_STEPS = tuple(step for step in STEPS if step != "functions")
_NONE = Normalization(functions=False, traces=False, empty=False, unaries=False, root=None)
_SAID = {"move": "moved", "leave": "left", "remove": "removed"}


@dataclass(frozen=True, slots=True)
class DiscontinuousReading(PhraseReading):
    """What is done to trees before anything is learned from them or scored on them."""

    steps: ClassVar[tuple[str, ...]] = _STEPS

    keep: tuple[str, ...] = option((), f"A normalization step to leave out: {', '.join(_STEPS)}.")
    functions: bool = option(False, "Cut labels at their first - or =: NP-SBJ becomes NP.")
    marks: Treatment = option("move", "Punctuation that hangs too high: moved down, left, or removed.")

    def __post_init__(self) -> None:
        PhraseReading.__post_init__(self)
        check_choice("treatment of punctuation", self.marks, TREATMENTS)

    @classmethod
    def of(cls, steps: Normalization) -> DiscontinuousReading:
        """Of given steps, punctuation left where it is."""
        left_out = tuple(step for step in _STEPS if step not in steps.steps)
        return cls(left_out, steps.root or "ROOT", steps.advp, steps.functions, "leave")

    @property
    def normalization(self) -> Normalization:
        kept: dict[str, Any] = dict.fromkeys(self.keep, False)
        root = None if "root" in self.keep else self.root
        return Normalization(**{"functions": self.functions, "advp": self.advp, **kept, "root": root})

    def read(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """Trees as they are read; those left without words are dropped."""
        steps = self.normalization
        first = replace(steps, unaries=False)  # with the root: a full stop hangs below it
        last = replace(_NONE, unaries=steps.unaries, root=steps.root)  # what is moved may leave X over X
        for tree in trees:
            rooted = first(tree if steps.root is None else _outer(tree))
            treated = None if rooted is None else treat(rooted, self.marks)
            found = None if treated is None else last(treated)
            if found is not None:
                yield found

    def notes(self) -> dict[str, Any]:
        """As models record it."""
        return {**self.normalization.notes(), "marks": self.marks}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> DiscontinuousReading:
        """The one that was noted; the default where none was."""
        if "normalization" not in notes:
            return cls()
        return replace(cls.of(Normalization.from_notes(notes)), marks=notes.get("marks", "leave"))

    def said(self) -> str:
        """For protocols."""
        return f"{PhraseReading.said(self)}, punctuation {_SAID[self.marks]}"


def _outer(tree: Tree) -> Tree:
    """The tree with its outer label as other treebanks spell it (Alpino's is top), and only one of them, for
    export has VROOT over whatever stood on top."""
    while _is_outer(tree):
        inner = tree.children[0] if len(tree.children) == 1 else None
        if not isinstance(inner, Tree) or not _is_outer(inner):
            return new_tree(tree.label.upper(), tree.children, tree.rel)
        tree = inner
    return tree


def _is_outer(tree: Tree) -> bool:
    return tree.label.upper() in OUTER and not tree.is_preterminal


class DiscontinuousBank(Treebank):
    """Discontinuous trees under a name, packed."""

    __slots__ = ()

    annotation: ClassVar[str] = formats.DISCONTINUOUS

    def special(self) -> dict[str, int]:
        """How discontinuous the trees and their nodes are, preterminals aside."""
        nodes: Counter[int] = Counter()  # by fan-out: the number of blocks their words form
        trees: Counter[int] = Counter()  # by gap degree: the largest fan-out of a node - 1
        for tree in self:
            fan_outs = [fan_out(indices) for _, indices in tree.constituents() if indices]
            nodes.update(fan_outs)
            trees[max(fan_outs, default=1) - 1] += 1
        found: dict[str, int] = {}
        for name, counts, least in (("trees", trees, 0), ("nodes", nodes, 1)):
            gapped, total = counts.total() - counts[least], max(counts.total(), 1)
            found[f"discontinuous {name}"] = gapped
            found[f"discontinuous {name} per thousand"] = round(1000 * gapped / total)
        found["gap degree"] = max(trees, default=0)
        found |= {f"trees of gap degree {degree}": trees[degree] for degree in sorted(trees)}
        found |= {f"nodes of fan-out {blocks}": nodes[blocks] for blocks in sorted(nodes)}
        return {**found, "unary chains": self._shelf.special(self._chosen)["unary chains"]}


def fan_out(indices: Sequence[int]) -> int:
    """How many blocks some positions form; they are sorted, and at least one."""
    return 1 + sum(after - before > 1 for before, after in pairwise(indices))


class Discontinuous(Phrases):
    """Brackets with positions, NEGRA's export, TIGER-XML, Alpino; see `Annotation`.

    The trees are those of phrases, less tame."""

    name = formats.DISCONTINUOUS
    needed = "discontinuous phrases"
    formats: tuple[str, ...] = ("discbracket", "export", "tigerxml", "alpino")
    reading = DiscontinuousReading

    def bank(self, trees: Iterable[Tree], name: str = "") -> DiscontinuousBank:
        return DiscontinuousBank(trees, name=name)

    def grown(self, count: int, *, seed: int = 0) -> Iterator[Tree]:
        from secateur.treebanks.garden import garden

        return (sample.discontinuous for sample in garden(count, seed=seed))


DISCONTINUOUS = Discontinuous()
