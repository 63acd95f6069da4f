"""Continuous: a discontinuous tree made fit for parsers, formats and scores that know only spans.

A node whose words do not stand together keeps the part in which its head is, or its longest part (the first
of equals) where the head rules do not know its children. What is in its other parts is raised: attached to
the lowest ancestor in which it stands together with what that ancestor keeps. Words, tags and nodes stay, but
for nodes without words; some nodes cover fewer words than before, none covers more. A continuous tree stays
as it is.
"""

from __future__ import annotations

from typing import NamedTuple

from secateur.treebanks.head_rules import YAMADA_MATSUMOTO, HeadRules
from secateur.treebanks.runs import runs
from secateur.treebanks.tree import Leaf, Tree


def continuous(tree: Tree, rules: HeadRules = YAMADA_MATSUMOTO) -> Tree:
    """The tree without discontinuous nodes; its words must be numbered 0, 1, 2, ..."""
    if not tree.is_discontinuous:
        return tree
    whole, raised = _settled(tree, rules)
    if whole is None or raised:
        raise ValueError(f"the words of the tree are numbered {tree.indices()}, not 0, 1, 2, ...")
    assert isinstance(whole.item, Tree)
    return whole.item


class _Part(NamedTuple):
    """What covers the words i, ..., k - 1, all of them."""

    i: int
    k: int
    item: Tree | Leaf


def _settled(node: Tree, rules: HeadRules) -> tuple[_Part | None, list[_Part]]:
    """The node with what it keeps, if it has words at all, and what is raised."""
    own: list[_Part] = []
    strange: list[_Part] = []  # raised from below
    for child in node.children:
        if isinstance(child, Leaf):
            own.append(_Part(child.position, child.position + 1, child))
            continue
        part, raised = _settled(child, rules)
        own += [part] if part else []
        strange += raised
    if not own:
        return None, []
    found = runs([*own, *strange])
    stays = _kept_run(node.label, own, found, rules) if len(found) > 1 else 0
    kept = found[stays]
    others = [part for number, run in enumerate(found) if number != stays for part in run]
    return _Part(kept[0].i, kept[-1].k, Tree(node.label, tuple(part.item for part in kept))), others


def _kept_run(label: str, own: list[_Part], found: list[list[_Part]], rules: HeadRules) -> int:
    """Which run stays: the head's, or else the longest with something of the node's own in it."""
    head = rules.listed_head(label, [part.item.label if isinstance(part.item, Tree) else "" for part in own])
    hold = own if head is None else [own[head]]
    possible = [number for number, run in enumerate(found) if any(part in run for part in hold)]
    return max(possible, key=lambda number: (found[number][-1].k - found[number][0].i, -number))
