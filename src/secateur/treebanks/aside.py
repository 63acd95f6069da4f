"""Aside: what a sentence carries besides its tree, where its format has more to say.

It hangs on the root and takes no part in equality; whatever makes another tree of a tree loses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from secateur.treebanks.tree import Tree


class Secondary(NamedTuple):
    """A further parent of a node; nodes are counted from 0 as `Tree.nodes` gives them."""

    child: int
    rel: str  # what it is to that parent
    parent: int


class Aside(NamedTuple):
    """The lists of words are empty where no word has any; else they have an entry for each, in order."""

    id: str = ""  # of the sentence
    comment: str = ""
    lemmas: tuple[str, ...] = ()
    morphs: tuple[str, ...] = ()
    secondary: tuple[Secondary, ...] = ()  # sorted


NOTHING = Aside()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Carrier(Tree):
    """A root that carries something."""

    aside: Aside = NOTHING


def aside_of(tree: Tree) -> Aside:
    """What a tree carries; nothing, for most."""
    return tree.aside if isinstance(tree, _Carrier) else NOTHING


def with_aside(tree: Tree, aside: Aside) -> Tree:
    """The same tree, carrying this."""
    if aside == NOTHING:
        return tree if type(tree) is Tree else Tree(tree.label, tree.children, tree.rel)
    return _Carrier(tree.label, tree.children, tree.rel, aside)


def numbered(tree: Tree, number: int) -> Tree:
    """The tree with an id: its own, or else this number."""
    aside = aside_of(tree)
    return tree if aside.id else with_aside(tree, aside._replace(id=str(number)))


def per_word(values: list[str]) -> tuple[str, ...]:
    """An entry for each word, if any word has one."""
    return tuple(values) if any(values) else ()
