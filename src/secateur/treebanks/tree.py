"""Tree: an immutable labelled tree over words, continuous or discontinuous.

A leaf knows the position of its word, so a node may cover any set of positions; children are kept in
the order of their first position. Spans are half-open (i, k).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, cast

# Deeper nesting than this is refused by the readers: no treebank has it, and recursion stays safe
# (comparing two trees takes four levels of the interpreter's 1000 for each of ours).
MAX_DEPTH = 200

_SHOWN = 100  # characters of a tree that `repr` shows


class Leaf(NamedTuple):
    """A word and its position in the sentence, counted from 0."""

    position: int
    word: str


class Span(NamedTuple):
    """A labelled constituent over the words i, ..., k - 1."""

    label: str
    i: int
    k: int


class Constituent(NamedTuple):
    """A labelled constituent over any set of positions (sorted)."""

    label: str
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """A node: its label, its children in the order of their first position, and what it is to its parent."""

    label: str
    children: tuple[Tree | Leaf, ...]
    rel: str = ""  # such as TIGER's SB or Alpino's su

    def __eq__(self, other: object) -> bool:
        """The same labels over the same words, whatever else a sentence carries."""
        if not isinstance(other, Tree):
            return NotImplemented
        mine, others = (self.label, self.children, self.rel), (other.label, other.children, other.rel)
        return mine == others

    def __iter__(self) -> Iterator[Tree | Leaf]:
        """The children, from left to right."""
        return iter(self.children)

    @property
    def is_preterminal(self) -> bool:
        return len(self.children) == 1 and isinstance(self.children[0], Leaf)

    def nodes(self) -> Iterator[Tree]:
        """This node and all below it, parents first, left to right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(child for child in reversed(node.children) if isinstance(child, Tree))

    def preterminals(self) -> list[Tree]:
        """The nodes directly over words, in sentence order."""
        found = [node for node in self.nodes() if node.is_preterminal]
        return sorted(found, key=_first_position)

    def leaves(self) -> list[Leaf]:
        """The words with their positions, in sentence order."""
        return sorted(child for node in self.nodes() for child in node.children if isinstance(child, Leaf))

    def words(self) -> list[str]:
        return [leaf.word for leaf in self.leaves()]

    def tags(self) -> list[str]:
        return [node.label for node in self.preterminals()]

    def indices(self) -> tuple[int, ...]:
        """The positions this node covers, sorted."""
        return tuple(leaf.position for leaf in self.leaves())

    def constituents(self) -> list[Constituent]:
        """Every node above the preterminals with the positions it covers, parents first."""
        walked = walk(self)
        covered: list[list[int]] = [[] for _ in walked]
        # Children stand behind their parents in the walk: from last to first, each is complete in time.
        for place in range(len(walked) - 1, -1, -1):
            node, parent = walked[place]
            covered[place] += [child.position for child in node.children if isinstance(child, Leaf)]
            if parent >= 0:
                covered[parent] += covered[place]
        return [
            Constituent(node.label, tuple(sorted(indices)))
            for (node, _), indices in zip(walked, covered, strict=True)
            if not node.is_preterminal
        ]

    @property
    def is_discontinuous(self) -> bool:
        # Nearly all trees are in order, which is soon seen; others may have a node without words at fault.
        return not _is_in_order(self) and any(
            ix[-1] - ix[0] + 1 != len(ix) for _, ix in self.constituents() if ix
        )

    def spans(self) -> list[Span]:
        """Every node above the preterminals as a span, parents first; the tree must be continuous."""
        found = []
        for label, indices in self.constituents():
            i, k = (indices[0], indices[-1] + 1) if indices else (0, 0)
            if k - i != len(indices):
                raise ValueError(f"{label} covers the positions {indices}: not one span")
            found.append(Span(label, i, k))
        return found

    def relabel(self, rename: Callable[[str], str], *, tags: bool = False) -> Tree:
        """The same tree with new labels; preterminals keep theirs unless `tags`."""
        if self.is_preterminal:
            return Tree(rename(self.label), self.children, self.rel) if tags else self
        children = tuple(c if isinstance(c, Leaf) else c.relabel(rename, tags=tags) for c in self.children)
        return Tree(rename(self.label), children, self.rel)

    def height(self) -> int:
        """Nodes on the longest path from here down to a word, the word not counted."""
        depth: list[int] = []
        for _, parent in walk(self):
            depth.append(1 if parent < 0 else depth[parent] + 1)
        return max(depth)

    def __str__(self) -> str:
        """One line of Penn brackets; a discontinuous tree shows each word's position (`3=word`)."""
        return _brackets(self, numbered=self.is_discontinuous)

    def __repr__(self) -> str:
        """The brackets, cut short where there are many."""
        return f"<Tree {shortened(str(self))}>"


def shortened(text: str) -> str:
    """As much of a text as is good to read in a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def _first_position(node: Tree) -> int:
    leaf = node.children[0]
    assert isinstance(leaf, Leaf)
    return leaf.position


def _is_in_order(root: Tree) -> bool:
    """Whether the words have one position after the other from left to right: then every node is one span."""
    found: list[int] = []
    stack: list[Tree | Leaf] = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, Leaf):
            found.append(part.position)
        else:
            stack += part.children[::-1]
    return is_range(found)


def is_range(positions: Sequence[int]) -> bool:
    """Whether they are one after the other."""
    return not positions or positions == list(range(positions[0], positions[0] + len(positions)))


def walk(root: Tree) -> list[tuple[Tree, int]]:
    """Every node, parents first, with the place of its parent in this list (-1: none)."""
    found: list[tuple[Tree, int]] = []
    stack = [(root, -1)]
    while stack:
        node, parent = stack.pop()
        place = len(found)
        found.append((node, parent))
        stack.extend((child, place) for child in reversed(node.children) if isinstance(child, Tree))
    return found


def _brackets(root: Tree, numbered: bool) -> str:
    parts: list[str] = []
    stack: list[Tree | Leaf | str] = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Leaf):
            parts.append(f"{part.position}={part.word}" if numbered else part.word)
        else:
            parts.append(f"({part.label} ")
            stack.append(")")
            for place, child in enumerate(reversed(part.children)):
                stack += [" ", child] if place else [child]
    return "".join(parts)


# Readers and parsers make millions of leaves and nodes: Leaf((position, word)) without its Python frame, and
# Tree(label, children, rel) without the detours of a frozen dataclass, whose fields are set more slowly.
new_leaf = cast(Callable[[tuple[int, str]], Leaf], partial(tuple.__new__, Leaf))


class _Open:
    """A node that can still be written to; with the same slots as a Tree, it can become one."""

    __slots__ = ("children", "label", "rel")

    label: str
    children: tuple[Tree | Leaf, ...]
    rel: str


def new_tree(label: str, children: tuple[Tree | Leaf, ...], rel: str = "") -> Tree:
    """The same as Tree(label, children, rel), sooner."""
    node = _Open()
    node.label = label
    node.children = children
    node.rel = rel
    node.__class__ = Tree  # type: ignore[assignment]
    return node  # type: ignore[return-value]


def renumber(node: Tree, positions: Sequence[int]) -> Tree:
    """The tree with each word moved from place i to `positions[i]`, children in order of their first word."""
    return _moved(node, positions)[1]


def _moved(node: Tree, positions: Sequence[int]) -> tuple[int, Tree]:
    """The new node and its first position, -1 if it has no words."""
    children: list[tuple[int, Tree | Leaf]] = []
    for child in node.children:
        if isinstance(child, Leaf):
            first: int = positions[child.position]
            moved: Tree | Leaf = Leaf(first, child.word)
        else:
            first, moved = _moved(child, positions)
        if first < 0 and children:
            first = children[-1][0]  # stays behind the sibling before it
        children.append((first, moved))
    children.sort(key=lambda pair: pair[0])
    first = next((position for position, _ in children if position >= 0), -1)
    return first, Tree(node.label, tuple(child for _, child in children), node.rel)
