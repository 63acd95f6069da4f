"""What export, TIGER-XML and Alpino share: lists of the words and nodes of a sentence, and trees of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from sys import intern
from typing import NamedTuple, Protocol

from secateur.errors import InputError
from secateur.treebanks.aside import Aside, Secondary, aside_of, per_word, with_aside
from secateur.treebanks.formats.brackets import OnError
from secateur.treebanks.tree import MAX_DEPTH, Leaf, Tree, new_leaf, new_tree, walk

VIRTUAL = "VROOT"  # over all that hangs from nothing
NONE = -1  # the number of no node
MOST_NODES = 100_000  # of a sentence: memory stays bounded
_ABSENT = "--"  # how all three formats write that there is nothing
_CONTROLS = re.compile(r"[ \t\n\r\f\v]+")

Place = tuple[int, int]  # line and column, from 1


class Node(NamedTuple):
    """A word's tag, or a node over others; its number is its place in a list that starts with the words."""

    label: str
    rel: str
    parent: int
    place: Place
    lemma: str = ""
    morph: str = ""


class Fault(Exception):
    """What is wrong at a place of a sentence."""

    def __init__(self, place: Place, what: str, fix: str) -> None:
        self.place, self.what, self.fix = place, what, fix

    def error(self, name: str) -> InputError:
        line, column = self.place
        where = f"{name}:{line}:{column}" if name else f"{line}:{column}"
        return InputError(self.what, where=where, fix=self.fix)


def given(value: str) -> str:
    """A value of a column or attribute; empty for the mark of nothing."""
    return "" if value == _ABSENT else intern(value)


def written(value: str) -> str:
    """The same on the way back."""
    return value or _ABSENT


def spaced(comment: str) -> str:
    """On one line."""
    return _CONTROLS.sub(" ", comment).strip(" ")


def trees(found: Iterable[Tree | InputError], name: str, on_error: OnError | None) -> Iterator[Tree]:
    """The trees of a file; the first fault is raised if nobody is to be told of faults."""
    is_empty = True
    for one in found:
        is_empty = False
        if isinstance(one, Tree):
            yield one
        elif on_error is None:
            raise one
        else:
            on_error(one)
    if is_empty:
        if on_error is None:
            raise nothing_in(name)
        on_error(nothing_in(name))


class Reading(Protocol):
    """Reads a format."""

    def __call__(
        self, lines: Iterable[str], *, name: str = "", on_error: OnError | None = None, empty: bool = False
    ) -> Iterator[Tree]: ...


def reading(found: Callable[[Iterable[str], str, bool], Iterable[Tree | InputError]]) -> Reading:
    """A format's `read`, by what is found in lines, trees and faults; given too are the file's name, and
    whether sentences may have no words."""

    def read(
        lines: Iterable[str], *, name: str = "", on_error: OnError | None = None, empty: bool = False
    ) -> Iterator[Tree]:
        """The trees in a stream of lines (or of the files of a folder), one at a time.

        Without `on_error` the first fault is raised. With it the first fault of each sentence is reported and
        the sentence left out. `empty` allows sentences without words.
        """
        return trees(found(lines, name, empty), name, on_error)

    return read


def nothing_in(name: str) -> InputError:
    """The fault of a file without trees."""
    return InputError("no trees", where=name, fix="check that this is the file you meant")


# Reading ----------------------------------------------------------------------------------------------------


def tree_of(
    words: Sequence[str],
    nodes: Sequence[Node],
    secondary: Iterable[tuple[int, str, int]] = (),
    *,
    id: str = "",
    comment: str = "",
) -> Tree:
    """The tree of the nodes, the first of which are those of the words, in order; one has no parent."""
    children = _children(words, nodes)
    order = _order(children, nodes)
    made: list[Tree | None] = [None] * len(nodes)
    for number in reversed(order):
        node = nodes[number]
        if number < len(words):
            made[number] = new_tree(node.label, (new_leaf((number, intern(words[number]))),), node.rel)
        else:
            below = tuple([child for n in children[number] if (child := made[n]) is not None])
            made[number] = new_tree(node.label, below, node.rel)
    root = made[order[0]]
    assert root is not None
    place = {number: place for place, number in enumerate(order)}
    further = sorted(Secondary(place[child], label, place[parent]) for child, label, parent in secondary)
    lemmas, morphs = (per_word([getattr(n, of) for n in nodes[: len(words)]]) for of in ("lemma", "morph"))
    return with_aside(root, Aside(id, comment, lemmas, morphs, tuple(further)))


def _children(words: Sequence[str], nodes: Sequence[Node]) -> list[list[int]]:
    """The children of each node, in the order of their first words."""
    children: list[list[int]] = [[] for _ in nodes]
    for word in range(len(words)):
        below = word
        while (above := nodes[below].parent) != NONE:
            children[above].append(below)
            if len(children[above]) > 1:
                break  # what is above has been seen
            below = above
    for number in range(len(words), len(nodes)):
        if not children[number]:
            raise _wordless(number, nodes)
    return children


def _order(children: list[list[int]], nodes: Sequence[Node]) -> list[int]:
    """The numbers of the nodes, parents first, left to right."""
    root = next((number for number, node in enumerate(nodes) if node.parent == NONE), NONE)
    order: list[int] = []
    stack = [(root, 1)] if root != NONE else []
    while stack:
        number, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise Fault(nodes[number].place, f"{MAX_DEPTH} nodes inside each other", "check the parents")
        order.append(number)
        stack.extend((child, depth + 1) for child in reversed(children[number]))
    if len(order) < len(nodes):
        raise _circular(min(set(range(len(nodes))).difference(order)), nodes)
    return order


def _wordless(number: int, nodes: Sequence[Node]) -> Fault:
    above = number
    for _ in nodes:
        above = nodes[above].parent
        if above == NONE:
            what = f'no word under the node "{nodes[number].label}"'
            return Fault(nodes[number].place, what, "delete it, or give it words")
    return _circular(number, nodes)


def _circular(number: int, nodes: Sequence[Node]) -> Fault:
    """Of a node that is part of a circle, or below one."""
    for _ in nodes:
        number = nodes[number].parent
    node = nodes[number]
    return Fault(node.place, f'the node "{node.label}" is its own ancestor', "mend the parents")


def empty_tree(id: str, comment: str = "") -> Tree:
    """The tree of a sentence without words."""
    return with_aside(Tree(VIRTUAL, ()), Aside(id, comment))


# Writing ----------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A node on its way into a list."""

    node: Tree
    place: int  # among all nodes, parents first
    parent: int  # its parent's place


class Rows(NamedTuple):
    """The words of a tree in order, and the nodes above them, children first."""

    words: list[Row]
    nodes: list[Row]
    aside: Aside
    further: dict[int, list[Secondary]]  # by the place of the child

    def carried(self) -> Iterator[tuple[Row, str, str]]:
        """The words with their lemmas and morphology."""
        blank = ("",) * len(self.words)
        return zip(self.words, self.aside.lemmas or blank, self.aside.morphs or blank, strict=True)


def rows(tree: Tree) -> Rows:
    """A tree as a list; each word must be alone under its tag, and the words numbered from 0."""
    walked = [Row(node, place, parent) for place, (node, parent) in enumerate(walk(tree))]
    words: dict[int, Row] = {}
    below: list[list[int]] = [[] for _ in walked]
    count = 0
    for row in walked:
        first = row.node.children[0] if row.node.children else None
        if isinstance(first, Leaf) and len(row.node.children) == 1:
            words[first.position] = row
            count += 1
        elif any(isinstance(child, Leaf) for child in row.node.children):
            raise _unlisted(f'the words under "{row.node.label}" have no tags', "give each a tag of its own")
        elif not row.node.children and len(walked) > 1:
            raise _unlisted(f'no word under "{row.node.label}"', "normalize the trees first")
        if row.parent != NONE:
            below[row.parent].append(row.place)
    if words.keys() != set(range(count)):
        raise _unlisted("the words are not numbered 0, 1, 2, ...", "number them")
    order, stack = list[int](), [0]
    while stack:
        place = stack.pop()
        order.append(place)
        stack += below[place]
    nodes = [walked[place] for place in reversed(order) if below[place]]
    aside = aside_of(tree)
    return Rows(
        [words[n] for n in range(count)], nodes, aside, _further(aside, words=count, places=len(walked))
    )


def _further(aside: Aside, *, words: int, places: int) -> dict[int, list[Secondary]]:
    for values in (aside.lemmas, aside.morphs):
        if len(values) not in (0, words):
            raise _unlisted(f"{len(values)} lemmas or morphs of {words} words", "give one for each, or none")
    further: dict[int, list[Secondary]] = {}
    for one in aside.secondary:
        if not (0 <= one.child < places and 0 <= one.parent < places):
            raise _unlisted(f"a secondary parent among nodes that it does not have: {one}", "leave it out")
        further.setdefault(one.child, []).append(one)
    return further


def _unlisted(what: str, fix: str) -> InputError:
    return InputError(f"the tree cannot be written: {what}", fix=fix)
