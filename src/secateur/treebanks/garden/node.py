"""Node: one derivation, from which all three annotations are read.

Children stand in surface order. Every child has a relation to the head of its parent, or is the head. An
empty element is a word tagged -NONE-; where it has an antecedent, the two share an index in the Penn tree,
and an antecedent that was *moved* (*T*, *ICH*) goes back to the place of its trace elsewhere.
"""

from __future__ import annotations

HEAD = "head"
EMPTY = "-NONE-"
MOVED = frozenset({"*T*", "*ICH*"})


class Node:
    """A phrase, a word, or an empty element; the grammar fills in roles as it goes, `derive` the rest."""

    __slots__ = (
        "antecedent",
        "children",
        "function",
        "label",
        "moved",
        "number",
        "position",
        "relation",
        "word",
    )

    def __init__(
        self,
        label: str,
        children: list[Node],
        word: str = "",
        relation: str = HEAD,
        function: str = "",
        antecedent: Node | None = None,
    ) -> None:
        self.label = label
        self.children = children  # [] for words and empty elements
        self.word = word
        self.relation = relation
        self.function = function
        self.antecedent = antecedent
        self.position = -1  # how many words stand before it; -1 until it is found in the sentence
        self.number = 0  # the index it shares with its traces, if any
        self.moved = False  # whether it stands elsewhere than where it is interpreted

    @property
    def gap(self) -> Node | None:
        """The empty element, if that is all this phrase consists of."""
        only = self.children[0] if len(self.children) == 1 else None
        return only if only is not None and only.label == EMPTY else None


def word(tag: str, text: str, relation: str = HEAD) -> Node:
    return Node(tag, [], text, relation)


def phrase(label: str, *children: Node) -> Node:
    return Node(label, list(children))


def role(node: Node, relation: str, function: str = "") -> Node:
    """Give the node its place under its parent: a dependency relation and a Penn function tag."""
    node.relation = relation
    node.function = function
    return node


def empty(text: str, antecedent: Node | None = None) -> Node:
    return Node(EMPTY, [], text, HEAD, "", antecedent)


def trace(label: str, text: str, antecedent: Node | None = None) -> Node:
    """A phrase with nothing in it but an empty element."""
    return Node(label, [empty(text, antecedent)])


def punct(text: str, tag: str = "") -> Node:
    return Node(tag or text, [], text, "punct")


def first_word(node: Node) -> Node | None:
    """The first word of the node that is not an empty element."""
    if not node.children:
        return None if node.label == EMPTY else node
    return next((found for child in node.children if (found := first_word(child))), None)


def capitalize(node: Node) -> Node:
    """Begin the node's first word that has a letter with a capital, quotation marks passed over."""
    first = _first_letters(node)
    if first is not None:
        first.word = first.word[0].upper() + first.word[1:]
    return node


def _first_letters(node: Node) -> Node | None:
    if not node.children:
        return node if node.label != EMPTY and node.word[0].isalpha() else None
    for child in node.children:
        found = _first_letters(child)
        if found is not None or (first_word(child) is not None and child.label not in ("``", "-LRB-")):
            return found
    return None
