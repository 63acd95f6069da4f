"""Blocks: a discontinuous tree as a continuous one, and back (Boyd's split).

A node whose words form f blocks becomes f nodes under the same parent, each over one block: `X*0` to `X*f-1`.
Whoever parses continuous trees can learn such trees. Merging goes down from the root: among siblings, `X*i`
joins the open `X` whose last index is i - 1 (the latest of several), and else begins a new one, so that any
tree can be merged. What was split comes back as it was, unless two discontinuous siblings have one label.

A `*` of the treebank's own is doubled in the labels of phrases: `X*` in one block is `X**`, in two blocks
`X***0` and `X***1`. Tags and words stay as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.runs import runs
from secateur.treebanks.tree import Leaf, Tree, new_tree

_INDEXED = re.compile(r"(.*?)(\*+)([0-9]{1,9})", re.DOTALL)


class Label(NamedTuple):
    """What the label of a split tree says."""

    plain: str
    block: int | None  # which it is of its node, None where there is only one


def parsed(label: str) -> Label:
    """A label of a split tree, taken apart."""
    found = _INDEXED.fullmatch(label)  # one * too many before digits is ours
    if found is None or len(found[2]) % 2 == 0:
        return Label(_own(label), None)
    return Label(_own(found[1] + found[2][1:]), int(found[3]))


def split(tree: Tree) -> Tree:
    """The continuous tree, without nodes that have no words.

    The words must be numbered 0, 1, 2, ..., and each must have a tag."""
    if tree.is_preterminal:
        return tree
    blocks = _split(tree)
    if len(blocks) > 1:
        raise ValueError(f"the words of the tree are numbered {tree.indices()}, not 0, 1, 2, ...")
    return blocks[0].node if blocks else new_tree(_escaped(tree.label), (), tree.rel)


def merge(tree: Tree) -> Tree:
    """The tree that was split, or whatever nodes the blocks in a tree can be taken for."""
    return tree if tree.is_preterminal else _merged(parsed(tree.label).plain, [tree])


class _Block(NamedTuple):
    """A node over the words i, ..., k - 1."""

    i: int
    k: int
    node: Tree


def _split(node: Tree) -> list[_Block]:
    """The blocks of a phrase, in order."""
    parts: list[_Block] = []
    for child in node.children:
        if isinstance(child, Leaf):
            what = f'"{child.word}" stands directly under {node.label}'
            raise InputError(what, fix="give each word a tag")
        first = child.children[0] if child.is_preterminal else None
        if isinstance(first, Leaf):
            parts.append(_Block(first.position, first.position + 1, child))
        else:
            parts += _split(child)
    found = runs(parts)
    label = _escaped(node.label)
    labels = [label] if len(found) == 1 else [f"{label}*{index}" for index in range(len(found))]
    return [
        _Block(run[0].i, run[-1].k, new_tree(name, tuple(part.node for part in run), node.rel))
        for name, run in zip(labels, found, strict=True)
    ]


def _escaped(label: str) -> str:
    return label.replace("*", "**")


def _own(label: str) -> str:
    return label.replace("**", "*")


class _Group(NamedTuple):
    """Blocks that become one node."""

    label: str
    blocks: list[Tree]


def _merged(label: str, blocks: list[Tree]) -> Tree:
    """The node of some blocks, with all below it merged."""
    found: list[_Group | Tree | Leaf] = []  # words, too
    waiting: dict[tuple[str, int], list[_Group]] = defaultdict(list)  # by label and the index of the next
    for child in (child for block in blocks for child in block.children):
        if isinstance(child, Leaf) or child.is_preterminal:
            found.append(child)
            continue
        plain, index = parsed(child.label)
        if index and waiting[plain, index]:
            group = waiting[plain, index].pop()
            group.blocks.append(child)
        else:
            group = _Group(plain, [child])
            found.append(group)
        if index is not None:
            waiting[plain, index + 1].append(group)
    children = (_merged(*each) if isinstance(each, _Group) else each for each in found)
    return new_tree(label, tuple(children), blocks[0].rel)
