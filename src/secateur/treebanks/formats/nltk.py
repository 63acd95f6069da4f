"""Trees of the NLTK library, for those who have it (the extra `nltk`)."""

from __future__ import annotations

from typing import Any

from secateur.errors import InputError, needing
from secateur.treebanks.tree import MAX_DEPTH, Leaf, Tree


def to_nltk(tree: Tree) -> Any:
    """An nltk.Tree with the words as its leaves; NLTK cannot hold a discontinuous tree."""
    if tree.is_discontinuous:
        raise InputError("NLTK cannot hold a discontinuous tree", fix="write it as discbracket instead")
    return _to_nltk(tree, _nltk_tree())


def from_nltk(tree: Any) -> Tree:
    """The Tree for an nltk.Tree whose leaves are words, each alone under its tag."""
    if not isinstance(tree, _nltk_tree()):
        raise InputError(f"this is a {type(tree).__name__}, not an nltk.Tree", fix="give an nltk.Tree")
    if tree.height() > MAX_DEPTH:
        raise InputError(f"the tree is deeper than {MAX_DEPTH} nodes", fix="check how it was made")
    return _from_nltk(tree, [])


def _nltk_tree() -> Any:
    with needing("nltk", "nltk"):
        from nltk.tree import Tree as NltkTree
    return NltkTree


def _to_nltk(node: Tree, make: Any) -> Any:
    return make(node.label, [c.word if isinstance(c, Leaf) else _to_nltk(c, make) for c in node.children])


def _from_nltk(node: Any, words: list[str]) -> Tree:
    """The node as a Tree; `words` are those before it, and get the ones in it."""
    is_tag = any(isinstance(child, str) for child in node)
    if is_tag and len(node) > 1:
        raise InputError(
            f'a word stands beside something else under "{node.label()}"',
            fix="give each word a node of its own",
        )
    children: list[Tree | Leaf] = []
    for child in node:
        if isinstance(child, str):
            children.append(Leaf(len(words), child))
            words.append(child)
        elif isinstance(child, type(node)):
            children.append(_from_nltk(child, words))
        else:
            raise InputError(f"the leaf {child!r} is not a word", fix="use strings as leaves")
    return Tree(str(node.label()), tuple(children))
