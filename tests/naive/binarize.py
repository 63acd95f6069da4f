"""Binarization by rewriting one node at a time until nothing is left to rewrite."""

from __future__ import annotations

from secateur.treebanks.tree import Leaf, Tree


def binarize(tree: Tree, direction: str, h: int | None, v: int) -> Tree:
    """Tags are left alone; phrases first get their ancestors, then lose children two by two."""
    return _fold(_annotate(tree, [], v), tree, direction, h)


def _annotate(node: Tree, ancestors: list[str], v: int) -> Tree:
    """NP under VP under S becomes NP^<VP> for v = 2 and NP^<S-VP> for v = 3."""
    if node.is_preterminal:
        return node
    nearest = ancestors[max(0, len(ancestors) - (v - 1)) :]
    label = node.label + ("^<" + "-".join(nearest) + ">" if nearest else "")
    return Tree(label, tuple(_annotate(child, [*ancestors, node.label], v) for child in _phrases(node)))


def _fold(node: Tree, original: Tree, direction: str, h: int | None) -> Tree:
    """`original` is the same node before its annotation: histories hold plain labels."""
    if node.is_preterminal:
        return node
    plain = _phrases(original)
    # Each child with the plain labels of the treebank's children below it.
    row = [
        (_fold(child, before, direction, h), [before.label])
        for child, before in zip(_phrases(node), plain, strict=True)
    ]
    while len(row) > 2:
        first = 0 if direction == "left" else len(row) - 2
        (a, before_a), (b, before_b) = row[first : first + 2]
        covered = before_a + before_b
        if h == 0:
            name = "@" + node.label
        else:
            size = len(covered) if h is None else min(h, len(covered))
            # The h children next to the child that will be joined: the last ones when going left to right.
            kept = covered[len(covered) - size :] if direction == "left" else covered[:size]
            name = node.label + "|<" + "-".join(kept) + ">"
        row[first : first + 2] = [(Tree(name, (a, b)), covered)]
    return Tree(node.label, tuple(child for child, _ in row))


def _phrases(node: Tree) -> list[Tree]:
    """The children, none of which is a bare word here."""
    assert not any(isinstance(child, Leaf) for child in node.children)
    return [child for child in node.children if isinstance(child, Tree)]
