"""Normalization: what is done to treebank trees before anything is learned from them or scored on them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from secateur.treebanks.formats.brackets import OUTER
from secateur.treebanks.tree import Leaf, Tree, new_tree, renumber

TRACE = "-NONE-"  # the tag of what is not in the sentence
_CATEGORY = re.compile(r"[^-=]+(?=[-=])")  # what stands before -SBJ, -1 or =2; -LRB- has none
_ADVERBS = frozenset({"ADVP", "PRT|ADVP", "ADVP|PRT"})


@dataclass(frozen=True, slots=True)
class Normalization:
    """A choice of steps, applied in this order; by default those of the 2017 paper without `advp`.

    That one makes two labels one, and what is parsed then has only one of them; that EVALB holds ADVP and PRT
    equal is a matter of scoring.
    """

    functions: bool = True  # NP-SBJ-1 and NP=2 become NP
    traces: bool = True  # words tagged -NONE- go, and the others are numbered anew
    empty: bool = True  # nodes without words go
    advp: bool = False  # ADVP and PRT|ADVP become PRT
    unaries: bool = True  # X over nothing but X becomes one X
    root: str | None = "ROOT"  # the label of the bracket around the tree, which is added if need be

    def __call__(self, tree: Tree) -> Tree | None:
        """The normalized tree, or None where nothing is left of it."""
        dropped: list[int] = []
        node = self._clean(tree, dropped)
        if node is None:
            return None
        if dropped:
            node = closed_up(node)
        return node if self.root is None else self._rooted(node, self.root)

    @property
    def steps(self) -> list[str]:
        """The names of those that are taken."""
        return [step.name for step in fields(self) if getattr(self, step.name) not in (False, None)]

    def notes(self) -> dict[str, str]:
        """As models record it."""
        found = {"normalization": ", ".join(self.steps)}
        return found if self.root is None else {**found, "root": self.root}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Normalization:
        """The one that was noted; the default where none was."""
        if "normalization" not in notes:
            return cls()
        taken = notes["normalization"].split(", ")
        switches: dict[str, Any] = {step.name: step.name in taken for step in fields(cls)}
        return cls(**{**switches, "root": notes.get("root")})

    def _clean(self, node: Tree, dropped: list[int]) -> Tree | None:
        """The node after all steps but the last; the places of traces are added to `dropped`."""
        label = without_functions(node.label) if self.functions else node.label
        first = node.children[0] if len(node.children) == 1 else None
        if isinstance(first, Leaf):
            if self.traces and label == TRACE:
                dropped.append(first.position)
                return None
            return node if label == node.label else new_tree(label, node.children, node.rel)
        if self.advp and label in _ADVERBS:
            label = "PRT"
        children: list[Tree | Leaf] = []
        for child in node.children:
            kept = child if isinstance(child, Leaf) else self._clean(child, dropped)
            if kept is not None:
                children.append(kept)
        if self.empty and not children:
            return None
        return self._joined(label, tuple(children), node.rel)

    def _joined(self, label: str, children: tuple[Tree | Leaf, ...], rel: str) -> Tree:
        """A node; but its only child, if that has the same label and unaries are removed."""
        first = children[0] if len(children) == 1 else None
        if self.unaries and isinstance(first, Tree) and first.label == label:
            return first if first.rel == rel else new_tree(label, first.children, rel)
        return new_tree(label, children, rel)

    def _rooted(self, tree: Tree, root: str) -> Tree:
        is_outer = tree.label in OUTER or tree.label == root
        if is_outer and not tree.is_preterminal:
            return self._joined(root, tree.children, tree.rel)
        return Tree(root, (tree,))


AS_IN_THE_PAPER = Normalization(advp=True)  # all steps, as the trees of the 2017 paper were prepared


@lru_cache(maxsize=10_000)
def without_functions(label: str) -> str:
    """NP of NP-SBJ-1 and NP=2; -LRB- as it is."""
    category = _CATEGORY.match(label)
    return category[0] if category else label


def closed_up(tree: Tree) -> Tree:
    """The tree with its words numbered 0, 1, 2, ... in the same order."""
    indices = tree.indices()
    positions = [0] * (1 + max(indices, default=-1))
    for position, index in enumerate(indices):
        positions[index] = position
    return renumber(tree, positions)
