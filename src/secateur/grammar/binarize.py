"""Trees to binary trees and back.

Left binarization groups children from the left: X(a b c) becomes X(@X(a b) c); right from the right. The
made symbol is `@X` with no history (h = 0), else `X|<b-c>` with the h children nearest to what follows.
Vertical markovization v adds v - 1 ancestors to each phrase label: NP^<S>, NP^<S-VP>.

Where children are blocks of discontinuous nodes (treebanks.blocks), a made symbol may say which of them it
owes to blocks beside it: X(A*0 b c A*1) becomes X(A*0 @X|<A*1>(b @X|<A*1>(c A*1))), so that a grammar of such
trees does not begin a node without ending it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from secateur.errors import InputError
from secateur.grammar.pcfg import is_intermediate, plain_label
from secateur.treebanks.blocks import parsed
from secateur.treebanks.tree import Leaf, Tree

_OWED = "owed"  # as it is noted


@dataclass(frozen=True, slots=True)
class Binarization:
    """How trees are made binary; h None keeps the whole history."""

    direction: Literal["left", "right"] = "left"
    h: int | None = 0
    v: int = 1
    owed: bool = False  # made symbols say which blocks of nodes begun outside they have, or the reverse

    def __post_init__(self) -> None:
        if self.direction not in ("left", "right"):
            raise InputError(f"unknown binarization {self.direction!r}", fix='choose "left" or "right"')
        if (self.h is not None and self.h < 0) or self.v < 1:
            raise InputError(f"h = {self.h}, v = {self.v}", fix="h is 0 or more, v is 1 or more")

    def __call__(self, tree: Tree) -> Tree:
        return self._node(tree, ())

    def notes(self) -> dict[str, str]:
        """As grammars and models record it; a subclass by its name."""
        noted = {
            "binarization": self.direction if type(self) is Binarization else type(self).__name__,
            "h": "inf" if self.h is None else str(self.h),
            "v": str(self.v),
        }
        return {**noted, "blocks": _OWED} if self.owed else noted

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Binarization:
        """The one that was noted; the default where none was."""
        direction, h = notes.get("binarization", "left"), notes.get("h", "0")
        if direction not in ("left", "right"):
            raise InputError(
                f"trees were made binary by {direction}, which is not a part of secateur",
                fix="do without gold spans, or make them with that class in Python",
            )
        owed = notes.get("blocks") == _OWED
        return cls(direction, None if h == "inf" else int(h), int(notes.get("v", "1")), owed)

    def _node(self, tree: Tree, ancestors: tuple[str, ...]) -> Tree:
        if tree.is_preterminal:
            return tree
        above = (*ancestors, tree.label)[-(self.v - 1) :] if self.v > 1 else ()
        children = tuple(c if isinstance(c, Leaf) else self._node(c, above) for c in tree.children)
        label = f"{tree.label}^<{'-'.join(ancestors)}>" if ancestors else tree.label
        if len(children) <= 2:
            return Tree(label, children)
        if self.direction == "left":
            inner = children[0]
            for m in range(2, len(children)):
                name = self._made(label, tree.children[:m]) + self._owing(tree, m)
                inner = Tree(name, (inner, children[m - 1]))
            return Tree(label, (inner, children[-1]))
        inner = children[-1]
        for m in range(len(children) - 2, 0, -1):
            name = self._made(label, tree.children[m:]) + self._owing(tree, m)
            inner = Tree(name, (children[m], inner))
        return Tree(label, (children[0], inner))

    def _made(self, label: str, covered: Sequence[Tree | Leaf]) -> str:
        """The symbol over the children covered so far."""
        if self.h == 0:
            return f"@{label}"
        kept = (
            covered
            if self.h is None
            else covered[-self.h :]
            if self.direction == "left"
            else covered[: self.h]
        )
        return f"{label}|<{'-'.join(c.word if isinstance(c, Leaf) else c.label for c in kept)}>"

    def _owing(self, tree: Tree, m: int) -> str:
        """What a made symbol says of nodes with a block among m children and the next among the others."""
        if not self.owed:
            return ""
        begun, later = _blocks(tree.children[:m]), _blocks(tree.children[m:])
        both = [f"{label}*{block}" for label, block in later if (label, block - 1) in begun]
        return f"|<{'-'.join(sorted(both))}>" if both else ""


def _blocks(children: Sequence[Tree | Leaf]) -> set[tuple[str, int]]:
    """Label and number of those children that are blocks."""
    phrases = [c for c in children if isinstance(c, Tree) and not c.is_preterminal]
    found = [parsed(child.label) for child in phrases]
    return {(one.plain, one.block) for one in found if one.block is not None}


def debinarize(tree: Tree) -> Tree:
    """Undo any Binarization: made nodes dissolve into their parents, annotations go."""
    if tree.is_preterminal:
        return tree
    return Tree(plain_label(tree.label), tuple(_dissolve(tree)))


def _dissolve(tree: Tree) -> list[Tree | Leaf]:
    children: list[Tree | Leaf] = []
    for child in tree.children:
        if isinstance(child, Leaf):
            children.append(child)
        elif not child.is_preterminal and is_intermediate(child.label):
            children.extend(_dissolve(child))
        else:
            children.append(debinarize(child))
    return children
