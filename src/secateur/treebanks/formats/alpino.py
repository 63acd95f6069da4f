"""Alpino's XML: nodes inside each other, each with the positions that it begins and ends at.

Words are nodes with a word; their tag is `pos`, the label of others `cat`. A node without a word and without
nodes in it stands for another with the same index, which is where it is: those that stand for others are
dropped, and nothing is copied. A word may be listed far from its place: its position counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.formats import elements, graph
from secateur.treebanks.formats.elements import Attributes, attribute, quoted, tag
from secateur.treebanks.formats.graph import NONE, Fault, Node, Place, given, written
from secateur.treebanks.tree import MAX_DEPTH, Leaf, Tree

OPENING = '<?xml version="1.0" encoding="utf-8"?>\n<alpino>\n'
CLOSING = "</alpino>\n"

_STARTS = re.compile(r"<alpino(?:_ds)?[\s/>]")
_NUMBER = re.compile(r"[0-9]{1,6}")
_TOP = "top"  # what the root is, which has no parent


def _trees(lines: Iterable[str], name: str, empty: bool) -> Iterator[Tree | InputError]:
    def begin(attributes: Attributes, place: Place) -> _Sentence:
        return _Sentence(attributes, place, empty)

    return elements.trees(lines, name, "alpino_ds", begin)


read = graph.reading(_trees)


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    return text.lstrip().startswith("<") and _STARTS.search(text) is not None


class _Found(NamedTuple):
    """A node as it is listed."""

    node: Node
    word: str  # empty for those that have none
    position: int  # of the word
    stands_for: bool  # another has the same index


class _Sentence:
    """The elements of a sentence as they come."""

    def __init__(self, attributes: Attributes, place: Place, empty: bool) -> None:
        self._id, self._place, self._empty = attributes.get("id", ""), place, empty
        self._found: list[_Found] = []  # parents first
        self._open: list[int] = []

    def start(self, name: str, attributes: Attributes, place: Place) -> None:
        """An element."""
        if name == "sentence":
            self._id = self._id or attributes.get("sentid", "")
        elif name == "node":
            self._check_nesting(place)
            above = self._open[-1] if self._open else NONE
            self._open.append(len(self._found))
            self._found.append(_found(attributes, above, place))

    def end(self, name: str) -> None:
        """Its end."""
        if name == "node":
            self._open.pop()

    def _check_nesting(self, place: Place) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise Fault(place, f"{MAX_DEPTH} nodes inside each other", "check the nodes")
        if self._open and self._found[self._open[-1]].word:
            raise Fault(place, "a node inside a word", "close the word before it")
        if self._found and not self._open:
            raise Fault(place, "a second root", "put all nodes into one")

    def tree(self) -> Tree:
        """The tree of what there was."""
        kept = self._kept()
        words = sorted((n for n in kept if self._found[n].word), key=lambda n: self._found[n].position)
        if not words:
            if self._empty:
                return graph.empty_tree(self._id)
            raise Fault(self._place, "a sentence without words", "delete it")
        for place, n in enumerate(words):
            self._check_position(n, place)
        order = [*words, *(n for n in kept if not self._found[n].word)]
        number = {n: place for place, n in enumerate(order)} | {NONE: NONE}
        nodes = [self._found[n].node for n in order]
        nodes = [node._replace(parent=number[node.parent]) for node in nodes]
        return graph.tree_of([self._found[n].word for n in words], nodes, id=self._id)

    def _kept(self) -> list[int]:
        """The nodes that have words."""
        has_words = [bool(one.word) for one in self._found]
        has_nodes = [False] * len(self._found)
        for n in range(len(self._found) - 1, -1, -1):
            one = self._found[n]
            if not (has_words[n] or has_nodes[n] or one.stands_for):
                fix = "delete it; what stands for another node has its index"
                raise Fault(one.node.place, "a node without words", fix)
            if one.node.parent != NONE:
                has_nodes[one.node.parent] = True
                has_words[one.node.parent] |= has_words[n]
        return [n for n, has in enumerate(has_words) if has]

    def _check_position(self, n: int, expected: int) -> None:
        one = self._found[n]
        if one.position < expected:
            raise Fault(one.node.place, f"a second word at position {one.position}", "mend its begin and end")
        if one.position > expected:
            fix = "number the words 0, 1, 2, ... by begin"
            raise Fault(one.node.place, f"no word at position {expected}, before this one", fix)


def _found(attributes: Attributes, above: int, place: Place) -> _Found:
    rel = given(attributes.get("rel", "")) if above != NONE else ""
    if "word" not in attributes:
        stands_for = "index" in attributes
        label = attributes.get("cat", "") if stands_for else attribute(attributes, "cat", place, "node")
        return _Found(Node(intern(label), rel, above, place), "", NONE, stands_for)
    word = attribute(attributes, "word", place, "node")
    label = attributes.get("pos", "") or attribute(attributes, "pt", place, "node")
    begin, end = (attribute(attributes, key, place, "node") for key in ("begin", "end"))
    if not (_NUMBER.fullmatch(begin) and _NUMBER.fullmatch(end)):
        what = f'a word from "{begin}" to "{end}"'
        raise Fault(place, what, "use numbers from 0 to 999999")
    if int(end) != int(begin) + 1:
        raise Fault(place, f"a word from {begin} to {end}", "let it end one position after its begin")
    lemma = given(attributes.get("lemma", "") or attributes.get("root", ""))
    return _Found(Node(intern(label), rel, above, place, lemma), word, int(begin), False)


# Writing ----------------------------------------------------------------------------------------------------


def write(tree: Tree) -> str:
    """The element of a sentence; one without an id gets the number 1."""
    found = graph.rows(tree)
    lemmas = {row.place: lemma for row, lemma, _ in found.carried()}
    lines = [tag("alpino_ds", {"version": "1.1", "id": found.aside.id or "1"})]
    if found.words:
        lines += _nodes(tree, iter(range(len(lemmas) + len(found.nodes))), lemmas, 1)
    lines.append(f"  <sentence>{quoted(' '.join(tree.words()))}</sentence>")
    return "\n".join((*lines, "</alpino_ds>"))


def _nodes(node: Tree, places: Iterator[int], lemmas: dict[int, str], depth: int) -> list[str]:
    """The lines of a node; `places` counts the nodes, parents first."""
    place, indices = next(places), node.indices()
    is_word, margin = node.is_preterminal, "  " * depth
    about = {"begin": str(indices[0]), "end": str(indices[-1] + 1), "id": str(place)}
    about["pos" if is_word else "cat"] = elements.filled(node.label, "label")
    about["rel"] = written(node.rel) if place else _TOP
    if is_word:
        leaf = node.children[0]
        assert isinstance(leaf, Leaf)
        about |= {"root": lemmas[place]} if lemmas[place] else {}
        about["word"] = elements.filled(leaf.word, "word")
        return [margin + tag("node", about, closed=True)]
    lines = [margin + tag("node", about)]
    for child in node.children:
        assert isinstance(child, Tree)
        lines += _nodes(child, places, lemmas, depth + 1)
    return [*lines, margin + "</node>"]
