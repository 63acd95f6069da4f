"""Discontinuous trees to binary trees and back.

The children of a node are joined one after another, in an order that the binarization says, and what is
joined so far gets a made symbol: `X|<b-c>` with the h children joined last, in reading order, or `@X` with
h = 0. Vertical markovization v adds v - 1 ancestors to each phrase label: NP^<S>. In the end every symbol
that covers several runs of words is marked with their number: VP_2. A label that itself ends like a mark
always gets one: X_2_1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from secateur.errors import InputError
from secateur.grammar.lcfrs.heads import head
from secateur.grammar.lcfrs.orders import (
    MOST_CHILDREN,
    is_discontinuous,
    leftmost,
    minimal,
    outward,
    rightmost,
)
from secateur.grammar.lcfrs.patterns import fanout
from secateur.grammar.pcfg import is_intermediate, plain_label
from secateur.options import check_choice
from secateur.treebanks.tree import Leaf, Tree

Order = Literal["minimal", "head", "right", "left"]
ORDERS: tuple[Order, ...] = ("minimal", "head", "right", "left")

_MARKED = re.compile(r"(.*)_[0-9]+", re.DOTALL)


def marked(label: str, fan_out: int) -> str:
    """The symbol for a label and a fan-out."""
    return label if fan_out == 1 and not _MARKED.fullmatch(label) else f"{label}_{fan_out}"


def unmarked(symbol: str) -> str:
    """The label that `marked` was given."""
    match = _MARKED.fullmatch(symbol)
    return match[1] if match else symbol


def is_made(symbol: str) -> bool:
    """Whether a phrase's symbol was made by binarization."""
    return is_intermediate(unmarked(symbol))


def label_of(symbol: str) -> str:
    """The treebank's label of a phrase's symbol."""
    return plain_label(unmarked(symbol))


class _Part(NamedTuple):
    """A binary tree, what it was made from and the positions it covers."""

    tree: Tree
    label: str
    positions: int


@dataclass(frozen=True, slots=True)
class Binarization:
    """How trees are made binary; h None keeps the whole history.

    order: "minimal" keeps fan-out and then complexity lowest, in nodes that are discontinuous or have a
    discontinuous child, and joins the children of others from the head outwards, as "head" does everywhere.
    """

    order: Order = "minimal"
    h: int | None = 1
    v: int = 1

    def __post_init__(self) -> None:
        check_choice("binarization", self.order, ORDERS)
        if (self.h is not None and self.h < 0) or self.v < 1:
            raise InputError(f"h = {self.h}, v = {self.v}", fix="h is 0 or more, v is 1 or more")

    def __call__(self, tree: Tree) -> Tree:
        return self._node(tree, ()).tree

    def notes(self) -> dict[str, str]:
        """As grammars and models record it."""
        return {
            "binarization": self.order,
            "h": "inf" if self.h is None else str(self.h),
            "v": str(self.v),
        }

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Binarization:
        """The one that was noted; the default where none was."""
        default = cls()
        h = notes.get("h", str(default.h))
        order = notes.get("binarization", default.order)
        return cls(order, None if h == "inf" else int(h), int(notes.get("v", default.v)))

    def _node(self, tree: Tree, ancestors: tuple[str, ...]) -> _Part:
        first = tree.children[0]
        if isinstance(first, Leaf):
            word = Tree(marked(tree.label, 1), tree.children, tree.rel)
            return _Part(word, tree.label, 1 << first.position)
        above = (*ancestors, tree.label)[-(self.v - 1) :] if self.v > 1 else ()
        parts = [self._node(child, above) for child in tree.children if isinstance(child, Tree)]
        label = f"{tree.label}^<{'-'.join(ancestors)}>" if ancestors else tree.label
        order = self._order(tree, [part.positions for part in parts])
        last = [parts[order[0]]]
        for size, child in enumerate(order[1:], 2):
            last.append(parts[child])
            if size < len(order):
                last = [_joined(self._made(label, parts, order[:size]), last)]
        whole = _joined(label, last)
        return _Part(Tree(whole.tree.label, whole.tree.children, tree.rel), tree.label, whole.positions)

    def _order(self, tree: Tree, sets: Sequence[int]) -> list[int]:
        if len(sets) < 3 or self.order == "left":
            return leftmost(sets)
        if self.order == "right":
            return rightmost(sets)
        if self.order == "minimal" and len(sets) <= MOST_CHILDREN and is_discontinuous(sets):
            return minimal(sets)
        return outward(sets, head(tree))

    def _made(self, label: str, parts: Sequence[_Part], joined: Sequence[int]) -> str:
        """The label over the children joined so far."""
        if self.h == 0:
            return f"@{label}"
        kept = sorted(joined if self.h is None else joined[-self.h :])
        return f"{label}|<{'-'.join(parts[child].label for child in kept)}>"


def _joined(label: str, parts: Sequence[_Part]) -> _Part:
    """A node over some parts, in the order of their first positions."""
    positions = sum(part.positions for part in parts)
    ordered = sorted(parts, key=lambda part: part.positions & -part.positions)
    children = tuple(part.tree for part in ordered)
    return _Part(Tree(marked(label, fanout(positions)), children), label, positions)


def debinarize(tree: Tree) -> Tree:
    """Undo any Binarization: made nodes dissolve into their parents, marks and annotations go."""
    if tree.is_preterminal:
        return Tree(unmarked(tree.label), tree.children, tree.rel)
    return Tree(label_of(tree.label), tuple(child for _, child in _below(tree)), tree.rel)


def _below(tree: Tree) -> list[tuple[int, Tree]]:
    """The children that a node has then, by their first positions."""
    found: list[tuple[int, Tree]] = []
    for child in tree.children:
        assert isinstance(child, Tree)
        first = child.children[0]
        if isinstance(first, Leaf):
            found.append((first.position, Tree(unmarked(child.label), child.children, child.rel)))
            continue
        below = _below(child)
        if is_made(child.label):
            found += below
        else:
            restored = Tree(label_of(child.label), tuple(each for _, each in below), child.rel)
            found.append((below[0][0], restored))
    return sorted(found, key=lambda pair: pair[0])
