"""TIGER-XML: the words of a sentence, then its nodes, each with references to its children.

A node without a parent is the root if there is no other; else all of them hang from VROOT. What refers to a
secondary parent stands with the child. The number 1 of a sentence is written as the id s1, for XML wants a
letter, and read as 1. A comment, for which the format has no place, is an attribute of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern

from secateur.errors import InputError
from secateur.treebanks.aside import Secondary
from secateur.treebanks.formats import elements, graph
from secateur.treebanks.formats.brackets import OUTER
from secateur.treebanks.formats.elements import Attributes, attribute, filled, tag
from secateur.treebanks.formats.graph import NONE, VIRTUAL, Fault, Node, Place, Row, Rows, given, written
from secateur.treebanks.tree import Leaf, Tree

OPENING = '<?xml version="1.0" encoding="utf-8"?>\n<corpus>\n<body>\n'
CLOSING = "</body>\n</corpus>\n"

_SECONDARY = "secedge"  # the elements that refer to others
_PRIMARY = _SECONDARY.removeprefix("sec")
_FIRST_NODE = 500
_STARTS = re.compile(r"<(?:corpus|subcorpus|s)[\s>]")
_NUMBERED = re.compile(r"s([0-9]+)")
_NUMBER = re.compile(r"[0-9]+")


def _trees(lines: Iterable[str], name: str, empty: bool) -> Iterator[Tree | InputError]:
    return elements.trees(lines, name, "s", lambda attributes, place: _Sentence(attributes, place, empty))


read = graph.reading(_trees)


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    return text.lstrip().startswith("<") and _STARTS.search(text) is not None


class _Sentence:
    """The elements of a sentence as they come."""

    def __init__(self, attributes: Attributes, place: Place, empty: bool) -> None:
        id = attributes.get("id", "")
        number = _NUMBERED.fullmatch(id)
        self._id = number[1] if number else id
        self._comment = graph.spaced(attributes.get("comment", ""))
        self._place, self._empty = place, empty
        self._root: tuple[str, Place] | None = None
        self._words: dict[str, Node] = {}  # by their ids
        self._nodes: dict[str, Node] = {}
        self._texts: list[str] = []
        self._edges: dict[str, tuple[str, str, Place]] = {}  # child: label, parent
        self._further: list[tuple[str, str, str, Place]] = []  # child, label, parent
        self._within = ""  # the word or node whose element is open

    def start(self, name: str, attributes: Attributes, place: Place) -> None:
        """An element."""
        if name == "t":
            word, pos = attribute(attributes, "word", place, "t"), attribute(attributes, "pos", place, "t")
            lemma, morph = given(attributes.get("lemma", "")), given(attributes.get("morph", ""))
            self._add(self._words, Node(intern(pos), "", NONE, place, lemma, morph), attributes, "t")
            self._texts.append(word)
        elif name == "nt":
            label = intern(attribute(attributes, "cat", place, "nt"))
            self._add(self._nodes, Node(label, "", NONE, place), attributes, "nt")
        elif name in (_PRIMARY, _SECONDARY):
            self._join(name, attributes, place)
        elif name == "graph" and "root" in attributes:
            self._root = attributes["root"], place

    def end(self, name: str) -> None:
        """Its end."""
        if name in ("t", "nt"):
            self._within = ""

    def _add(self, known: dict[str, Node], node: Node, attributes: Attributes, name: str) -> None:
        self._within = id = attribute(attributes, "id", node.place, name)
        if id in self._words or id in self._nodes:
            raise Fault(node.place, f'a second element with the id "{id}"', "give it another")
        known[id] = node

    def _join(self, name: str, attributes: Attributes, place: Place) -> None:
        other = attribute(attributes, "idref", place, name)
        label = given(attributes.get("label", ""))
        if not self._within or (name == _PRIMARY and self._within not in self._nodes):
            raise Fault(place, f"an <{name}> outside a node", "put it into the <nt> that it belongs to")
        if name == _SECONDARY:
            self._further.append((self._within, label, other, place))
        elif other in self._edges:
            raise Fault(place, f'a second parent of "{other}"', "delete one, or make it a secedge")
        else:
            self._edges[other] = label, self._within, place

    def tree(self) -> Tree:
        """The tree of what there was."""
        if not self._texts and not self._nodes:
            if self._empty:
                return graph.empty_tree(self._id, self._comment)
            raise Fault(self._place, "a sentence without words", "delete it")
        number = {id: n for n, id in enumerate([*self._words, *self._nodes])}
        for child, _, parent, place in self._references():
            if unknown := next((id for id in (child, parent) if id not in number), ""):
                raise Fault(
                    place, f'nothing has the id "{unknown}"', "mend the reference, or add the element"
                )
        nodes = [*self._words.values(), *self._nodes.values()]
        for child, (label, parent, _) in self._edges.items():
            nodes[number[child]] = nodes[number[child]]._replace(rel=label, parent=number[parent])
        further = [(number[child], label, number[parent]) for child, label, parent, _ in self._further]
        self._root_them(nodes, number)
        return graph.tree_of(self._texts, nodes, further, id=self._id, comment=self._comment)

    def _references(self) -> Iterator[tuple[str, str, str, Place]]:
        yield from ((child, label, parent, place) for child, (label, parent, place) in self._edges.items())
        yield from self._further

    def _root_them(self, nodes: list[Node], number: dict[str, int]) -> None:
        """Let one node be without a parent: the root of the graph if it may be above others, or VROOT."""
        tops = [n for n, node in enumerate(nodes) if node.parent == NONE]
        root = NONE
        if self._root is not None:
            id, place = self._root
            root = number.get(id, NONE)
            if root not in tops:
                what = f'the root "{id}" ' + ("has a parent" if root != NONE else "is not there")
                raise Fault(place, what, "name the node that is above the others")
        if len(tops) < 2:
            return
        if root < len(self._words) or nodes[root].label not in OUTER:
            root = len(nodes)
            nodes.append(Node(VIRTUAL, "", NONE, self._place))
        for top in tops:
            if top != root:
                nodes[top] = nodes[top]._replace(parent=root)


# Writing ----------------------------------------------------------------------------------------------------


def write(tree: Tree) -> str:
    """The element of a sentence; one without an id gets s1."""
    found = graph.rows(tree)
    aside = found.aside
    id = f"s{aside.id or 1}" if _NUMBER.fullmatch(aside.id or "1") else aside.id
    ids = _ids(found, id)
    comment = {"comment": graph.spaced(aside.comment)} if aside.comment else {}
    lines = [tag("s", {"id": id, **comment}), tag("graph", {"root": ids[0]} if ids else {})]
    lines.append(tag("terminals"))
    for row, lemma, morph in found.carried():
        word = row.node.children[0]
        assert isinstance(word, Leaf)
        about = {"id": ids[row.place], "word": filled(word.word, "word"), "lemma": written(lemma)}
        about |= {"pos": filled(row.node.label, "label"), "morph": written(morph)}
        lines += _element("t", about, [], found.further.get(row.place, []), ids)
    lines += ["</terminals>", tag("nonterminals")]
    below: dict[int, list[Row]] = {}
    for row in sorted([*found.words, *found.nodes], key=lambda row: row.place):
        below.setdefault(row.parent, []).append(row)
    for row in found.nodes:
        about = {"id": ids[row.place], "cat": filled(row.node.label or VIRTUAL * (row.place == 0), "label")}
        lines += _element("nt", about, below[row.place], found.further.get(row.place, []), ids)
    return "\n".join((*lines, "</nonterminals>", "</graph>", "</s>"))


def _ids(found: Rows, id: str) -> dict[int, str]:
    """Of words and nodes, by their places; those of nodes start with 500."""
    first = max(_FIRST_NODE, 1 + len(found.words))
    ids = {row.place: f"{id}_{number}" for number, row in enumerate(found.words, 1)}
    ids |= {row.place: f"{id}_{number}" for number, row in enumerate(found.nodes, first)}
    if found.nodes and found.nodes[-1].node.label in ("", VIRTUAL):
        ids[0] = f"{id}_{VIRTUAL}"
    return ids


def _element(
    name: str, about: Attributes, below: list[Row], further: list[Secondary], ids: dict[int, str]
) -> Iterator[str]:
    """The lines of a word or node, with references to what is below it and to its secondary parents."""
    if not below and not further:
        yield tag(name, about, closed=True)
        return
    yield tag(name, about)
    for row in below:
        yield tag(_PRIMARY, {"label": written(row.node.rel), "idref": ids[row.place]}, closed=True)
    for _, label, parent in further:
        yield tag(_SECONDARY, {"label": written(label), "idref": ids[parent]}, closed=True)
    yield f"</{name}>"
