"""Unary chains: one composed unary for each, its path kept.

In trees, a chain A over B over C becomes the one unary A -> C with path (B,). In grammars read from
elsewhere, whose rules chain freely, the best chain between two symbols becomes one rule.
"""

from __future__ import annotations

from collections.abc import Iterable

from secateur.errors import InputError
from secateur.treebanks.tree import Tree

UnaryRule = tuple[str, str, float, tuple[str, ...]]  # parent, child, log weight, path


def chain(tree: Tree) -> tuple[tuple[str, ...], Tree]:
    """The labels from this node down to the first node that is no unary, and that node."""
    labels = [tree.label]
    node = tree
    while len(node.children) == 1 and isinstance(node.children[0], Tree):
        node = node.children[0]
        labels.append(node.label)
    return tuple(labels), node


def chains(tree: Tree) -> list[tuple[tuple[str, ...], int, int]]:
    """The nodes (i, k) of a binarized tree, unary chains as one with all their labels, top first."""
    found: list[tuple[tuple[str, ...], int, int]] = []

    def visit(node: Tree) -> tuple[int, int]:
        labels, bottom = chain(node)
        children = [child for child in bottom.children if isinstance(child, Tree)]
        if children:
            parts = [visit(child) for child in children]
            i, k = parts[0][0], parts[-1][1]
        else:
            i = bottom.leaves()[0][0]
            k = i + 1
        found.append((labels, i, k))
        return i, k

    visit(tree)
    return found


def compose(rules: Iterable[tuple[str, str, float]]) -> list[UnaryRule]:
    """Best chains of unary rules (parent, child, weight) as single rules.

    best(a, c) = max over chains a -> ... -> c of the sum of log weights. A cycle of weight 0 or more has no
    best chain and is an error; a lighter one never helps and is dropped.
    """
    best: dict[str, dict[str, tuple[float, tuple[str, ...]]]] = {}
    names: set[str] = set()
    for parent, child, weight in rules:
        names.update((parent, child))
        best.setdefault(parent, {})[child] = (weight, ())
    # Floyd and Warshall: chains through a growing set of middle symbols.
    for middle in sorted(names):
        below = best.get(middle, {})
        if middle in below and below[middle][0] >= 0.0:
            _refuse(middle, below[middle])
        for top in sorted(best):
            if middle not in best[top] or top == middle:
                continue
            weight, path = best[top][middle]
            for bottom, (further, rest) in below.items():
                if bottom == middle:
                    continue
                total = weight + further
                if bottom not in best[top] or total > best[top][bottom][0]:
                    best[top][bottom] = (total, (*path, middle, *rest))
    for name in sorted(best):
        if name in best[name] and best[name][name][0] >= 0.0:
            _refuse(name, best[name][name])
    return [
        (top, bottom, weight, path)
        for top, row in best.items()
        for bottom, (weight, path) in row.items()
        if top != bottom
    ]


def _refuse(name: str, cycle: tuple[float, tuple[str, ...]]) -> None:
    weight, path = cycle
    cycle_text = " -> ".join((name, *path, name))
    raise InputError(
        f"unary cycle {cycle_text} has log weight {weight:g}: it can be repeated for free",
        fix="give the rules of the cycle weights whose sum is below 0",
    )
