"""Which decisions the gold tree would take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from secateur.grammar.lcfrs.patterns import components_of, encode
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.unaries import chain
from secateur.search.arrays import Bools, Sites
from secateur.tasks.hyperedge_pruning.space import Unit
from secateur.treebanks.tree import Leaf, Tree

GoldSites = frozenset[bytes]  # rows of sites
_WORD = (1 << 32) - 1


@dataclass(frozen=True)
class RuleNumbers:
    """Rules by the names of what they are made of."""

    symbol: dict[str, int]
    binary: dict[tuple[int, int, int, int], int]  # left, right, parent, pattern
    unary: dict[tuple[int, int], int]  # child, parent

    @classmethod
    def of(cls, grammar: PLCFRS) -> RuleNumbers:
        binary, unary = grammar.binary, grammar.unary
        columns = (binary.left, binary.right, binary.parent, binary.pattern)
        rules = zip(*(column.tolist() for column in columns), strict=True)
        pairs = zip(unary.child.tolist(), unary.parent.tolist(), strict=True)
        return cls(
            grammar.number,
            {rule: number for number, rule in enumerate(rules)},
            {pair: number for number, pair in enumerate(pairs)},
        )


def is_among(site: Sites, known: GoldSites) -> Bools:
    """[R] whether each row is one of these."""
    found = (row.tobytes() in known for row in np.ascontiguousarray(site))
    return np.fromiter(found, np.bool_, len(site))


def gold_sites(tree: Tree, rules: RuleNumbers, unit: Unit) -> GoldSites:
    """Of a binarized gold tree. A hyperedge must be the tree's own; an item or a set need only be in it, also
    where the grammar does not have the rule."""
    found = _hyperedges(tree, rules) if unit == "hyperedge" else _items(tree, rules, unit)
    return frozenset(np.array(row, np.int64).astype(np.uint32).tobytes() for row in found)


def _items(tree: Tree, rules: RuleNumbers, unit: Unit) -> Iterator[list[int]]:
    for label, positions, _ in _nodes(tree):
        symbol = -1 if unit == "set" else rules.symbol.get(label)
        if symbol is not None:
            yield from ([is_unary, symbol & _WORD, *_words(positions)] for is_unary in (0, 1))


def _hyperedges(tree: Tree, rules: RuleNumbers) -> Iterator[list[int]]:
    for label, positions, below in _nodes(tree):
        parent, *children = (rules.symbol.get(name, -1) for name in (label, *(name for name, _ in below)))
        rule = None
        if len(below) == 1:
            rule = rules.unary.get((children[0], parent))
        elif len(below) == 2:
            pattern = encode(components_of([covered for _, covered in below]))
            rule = rules.binary.get((children[0], children[1], parent, pattern))
        if rule is not None:
            yield [int(len(below) == 1), parent, *_words(positions), rule, *_words(below[0][1])]


def _nodes(tree: Tree) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """(label, positions, children) of every node of a derivation, chains of unary rules as one."""
    found: list[tuple[str, int, list[tuple[str, int]]]] = []

    def visit(node: Tree) -> tuple[str, int]:
        labels, bottom = chain(node)
        if isinstance(bottom.children[0], Leaf):
            positions, below = 1 << bottom.children[0].position, []
        else:
            below = [visit(child) for child in bottom.children if isinstance(child, Tree)]
            positions = sum(covered for _, covered in below)
        found.append((bottom.label, positions, below))
        if labels[0] != bottom.label:
            found.append((labels[0], positions, [(bottom.label, positions)]))
        return labels[0], positions

    visit(tree)
    return found


def _words(positions: int) -> Iterable[int]:
    """Four times 32 bits."""
    return (positions >> shift & _WORD for shift in (0, 32, 64, 96))
