"""Punctuation that hangs too high: below the root in Alpino and TIGER, so that every phrase around a comma
has a gap. It can be moved down to the words beside it, removed, or left where it is.

A mark is moved into the lowest node that begins before it, ends after it and has a word next to it; one for
which there is no such node hangs below the root. Marks are moved from left to right, and one that has been is
a word to the next. No node has more gaps then than it would have without any punctuation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from unicodedata import category

from secateur.options import check_choice
from secateur.treebanks.normalization import TRACE, closed_up
from secateur.treebanks.tree import Leaf, Tree, new_tree

Treatment = Literal["move", "leave", "remove"]
TREATMENTS: tuple[Treatment, ...] = ("move", "leave", "remove")

# Tags of punctuation in TIGER and NEGRA, Alpino and Lassy, the Penn Treebank, Universal Dependencies.
TAGS = frozenset(
    (
        *("$,", "$.", "$(", "$["),
        *("punct", "let", "LET", "let()", "LET()", "let[]", "LET[]"),
        *(",", ":", ".", "``", "''", '"', "-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"),
        *("HYPH", "NFP", "PUNCT"),
    )
)
# Tags of what has no letters either: what is not in the sentence, and the genitive in "the boys' room".
_NEVER = frozenset({TRACE, "POS"})
_READ = frozenset("%‰&§#+=°@")  # besides signs of currencies


def is_punctuation(tag: str, word: str) -> bool:
    """By its tag, or as a word without any letter, digit, or sign that is read as a word."""
    return tag in TAGS or (tag not in _NEVER and _is_mark(word))


def treat(tree: Tree, how: Treatment) -> Tree | None:
    """The tree with its punctuation treated; None where nothing is left of it."""
    check_choice("treatment of punctuation", how, TREATMENTS)
    return tree if how == "leave" else move(tree) if how == "move" else remove(tree)


def move(tree: Tree) -> Tree:
    """The tree with its punctuation moved to the words beside it; nodes of nothing but punctuation go.

    A tree of nothing but punctuation stays as it is."""
    root, marks = _parted(tree)
    if root is None or not marks:
        return tree
    for mark in sorted(marks, key=lambda mark: mark.words):
        root.put(mark)
    return root.tree()


def remove(tree: Tree) -> Tree | None:
    """The tree without punctuation, its words numbered anew; None where it has nothing else."""
    root, marks = _parted(tree)
    if not marks:
        return tree
    return None if root is None else closed_up(root.tree())


@lru_cache(maxsize=10_000)
def _is_mark(word: str) -> bool:
    return not any(category(sign)[0] in "LN" or category(sign) == "Sc" or sign in _READ for sign in word)


class _Part:
    """A word with its tag, or a node that words can be put into."""

    __slots__ = ("children", "own", "words")

    def __init__(self, own: Tree | Leaf, children: list[_Part], words: int) -> None:
        self.own = own  # as it was
        self.children = children
        self.words = words  # a bit for each position that it covers

    def put(self, mark: _Part) -> None:
        """Into the lowest node with a place for it, this one if there is none below."""
        for node in self._way(mark.words):
            node.words |= mark.words
        node.children.append(mark)

    def _way(self, mark: int) -> list[_Part]:
        """The nodes from here down to that one: past the word before or past the one after."""
        ways = [child._way(mark) for child in self.children if child._has_place(mark)]
        return [self, *max(ways, key=len, default=[])]

    def _has_place(self, mark: int) -> bool:
        """Whether it begins before the mark, ends after it and has a word next to it."""
        words = self.words
        return bool(words & (mark << 1 | mark >> 1) and words & (mark - 1) and words & -(mark << 1))

    def tree(self) -> Tree:
        own = self.own
        assert isinstance(own, Tree)
        if not self.children:
            return own
        parts = sorted(self.children, key=lambda part: part.words & -part.words)
        children = (part.own if isinstance(part.own, Leaf) else part.tree() for part in parts)
        return new_tree(own.label, tuple(children), own.rel)


def _parted(tree: Tree) -> tuple[_Part | None, list[_Part]]:
    """The tree without punctuation, if anything is left of it, and the marks."""
    marks: list[_Part] = []

    def part(own: Tree | Leaf) -> _Part | None:
        if isinstance(own, Leaf):
            return _Part(own, [], 1 << own.position)
        first = own.children[0] if own.is_preterminal else None
        if isinstance(first, Leaf):
            word = _Part(own, [], 1 << first.position)
            if not is_punctuation(own.label, first.word):
                return word
            marks.append(word)
            return None
        children = [child for child in map(part, own.children) if child]
        words = 0
        for child in children:
            words |= child.words
        return _Part(own, children, words) if children else None

    return part(tree), marks
