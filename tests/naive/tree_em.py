"""Trees over latent sub-symbols: every assignment of sub-symbols to nodes, one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG
from secateur.kernels.split.tree_em import Blocks
from secateur.treebanks.tree import Leaf, Tree

SubSymbol = tuple[str, int]
# (x, y, z) and (x, y) of sub-symbols, or (tag, word, whether it opens the sentence)
Rule = tuple[Any, ...]
Splits = Mapping[str, int]
Table = dict[Rule, float]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Node:
    """A node that is rewritten by one rule; told apart from its equals, as a key, by being itself."""

    label: str
    children: tuple[Node, ...]  # none over a word
    word: str = ""
    initial: bool = False


def node_of(tree: Tree) -> Node:
    """A chain of unary nodes is one rule from its first label to its last; none where these are the same."""
    bottom = tree
    while len(bottom.children) == 1 and isinstance(bottom.children[0], Tree):
        bottom = bottom.children[0]
    if bottom.label != tree.label:
        return Node(tree.label, (node_of(bottom),))
    first = bottom.children[0]
    if isinstance(first, Leaf):
        return Node(bottom.label, (), first.word, first.position == 0)
    return Node(bottom.label, tuple(node_of(child) for child in bottom.children if isinstance(child, Tree)))


def below(node: Node) -> list[Node]:
    """This node and all under it."""
    return [node, *(found for child in node.children for found in below(child))]


def assignments(nodes: Sequence[Node], splits: Splits) -> Iterator[dict[Node, int]]:
    for choice in product(*(range(splits[node.label]) for node in nodes)):
        yield dict(zip(nodes, choice, strict=True))


def size(root: Node, splits: Splits) -> int:
    """How many assignments there are."""
    return math.prod(splits[node.label] for node in below(root))


def rule_at(node: Node, choice: Mapping[Node, int]) -> Rule:
    own = (node.label, choice[node])
    if not node.children:
        return own, node.word, node.initial
    return own, *((child.label, choice[child]) for child in node.children)


def expectations(root: Node, splits: Splits, p: Mapping[Rule, float]) -> tuple[float, Table]:
    """The tree's probability, and how often each rule is used on average; nothing if the tree has none."""
    nodes = below(root)
    total = 0.0
    counts: dict[Rule, float] = Counter()
    for choice in assignments(nodes, splits):
        rules = [rule_at(node, choice) for node in nodes]
        weight = math.prod(p[rule] for rule in rules)
        total += weight
        if weight > 0.0:
            for rule in rules:
                counts[rule] += weight
    return total, {rule: weight / total for rule, weight in counts.items()}


def inside(node: Node, a: int, splits: Splits, p: Mapping[Rule, float]) -> float:
    """The probability of what is under the node, if that is the a-th of its sub-symbols."""
    under = below(node)
    return sum(
        math.prod(p[rule_at(one, choice)] for one in under)
        for choice in assignments(under, splits)
        if choice[node] == a
    )


def outside(root: Node, node: Node, a: int, splits: Splits, p: Mapping[Rule, float]) -> float:
    """The probability of the tree around the node, if that is the a-th of its sub-symbols."""
    under = below(node)
    around = [one for one in below(root) if one not in under]
    return sum(
        math.prod(p[rule_at(one, choice)] for one in around)
        for choice in assignments([*around, node], splits)
        if choice[node] == a
    )


def merge_losses(
    root: Node, splits: Splits, p: Mapping[Rule, float], mass: Mapping[SubSymbol, float]
) -> dict[SubSymbol, float]:
    """What it costs in log-likelihood to make sub-symbols 2q and 2q+1 of a symbol one: summed over the nodes.

    A node's probability is the sum of inside times outside over its sub-symbols. Of a merged pair the inside
    is the mean by mass, the outside the sum. A pair that has no mass is left out.
    """
    losses: dict[SubSymbol, float] = {}
    for node in below(root):
        k = splits[node.label]
        ins = [inside(node, a, splits, p) for a in range(k)]
        outs = [outside(root, node, a, splits, p) for a in range(k)]
        whole = sum(ins[a] * outs[a] for a in range(k))
        for q in range(k // 2):
            a, b = 2 * q, 2 * q + 1
            first, second = mass[node.label, a], mass[node.label, b]
            if first + second == 0.0:
                continue
            merged = (first * ins[a] + second * ins[b]) / (first + second) * (outs[a] + outs[b])
            merged += sum(ins[c] * outs[c] for c in range(k) if c not in (a, b))
            loss = math.log(whole / merged) if merged > 0.0 else math.inf
            losses[node.label, q] = losses.get((node.label, q), 0.0) + loss
    return losses


def masses(counts: Mapping[Rule, float]) -> dict[SubSymbol, float]:
    """The sum over all rules of each parent."""
    found: dict[SubSymbol, float] = Counter()
    for (parent, *_), count in counts.items():
        found[parent] += count
    return dict(found)


def normalized(counts: Mapping[Rule, float]) -> Table:
    whole = masses(counts)
    return {rule: count / whole[rule[0]] if count else 0.0 for rule, count in counts.items()}


def layout(
    grammar: PCFG, entries: Sequence[tuple[str, str, bool]], splits: Splits
) -> tuple[list[Rule], list[Rule], list[Rule]]:
    """Which rule each number of Blocks belongs to: binary, unary, lexical."""

    def subs(name: str) -> list[SubSymbol]:
        return [(name, a) for a in range(splits[name])]

    names = grammar.symbols
    left, right, parent, _ = grammar.binary
    child, over, _, _ = grammar.unary
    return (
        [
            (x, y, z)
            for r in range(len(parent))
            for x in subs(names[parent[r]])
            for y in subs(names[left[r]])
            for z in subs(names[right[r]])
        ],
        [(x, y) for r in range(len(over)) for x in subs(names[over[r]]) for y in subs(names[child[r]])],
        [(x, word, initial) for tag, word, initial in entries for x in subs(tag)],
    )


def to_blocks(
    grammar: PCFG, entries: Sequence[tuple[str, str, bool]], splits: Splits, table: Mapping[Rule, float]
) -> Blocks:
    k = np.array([splits[name] for name in grammar.symbols], np.uint32)
    binary, unary = grammar.binary, grammar.unary
    sizes = (
        k[binary.parent] * k[binary.left] * k[binary.right],
        k[unary.parent] * k[unary.child],
        np.array([splits[tag] for tag, _, _ in entries]),
    )
    parts: list[Any] = []
    for rules, size in zip(layout(grammar, entries, splits), sizes, strict=True):
        parts.append(np.append(0, np.cumsum(size)).astype(np.uint64))
        parts.append(np.array([table[rule] for rule in rules], np.float64))
    return Blocks(k, *parts)


def to_table(grammar: PCFG, entries: Sequence[tuple[str, str, bool]], blocks: Blocks) -> Table:
    splits = dict(zip(grammar.symbols, blocks.splits.tolist(), strict=True))
    flat = (blocks.binary, blocks.unary, blocks.lexical)
    return {
        rule: number
        for rules, numbers in zip(layout(grammar, entries, splits), flat, strict=True)
        for rule, number in zip(rules, numbers.tolist(), strict=True)
    }
