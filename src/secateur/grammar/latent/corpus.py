"""Training trees as arrays: nodes, and the words under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG
from secateur.grammar.unaries import chain
from secateur.kernels.split.tree_em import BINARY, LEXICAL, UNARY, Nodes
from secateur.treebanks.tree import Leaf, Tree

Entry = tuple[str, str, bool]  # tag, word, whether it opens the sentence


@dataclass(frozen=True)
class Corpus:
    """Binarized trees, their rules numbered as in the grammar they gave."""

    nodes: Nodes
    entries: tuple[Entry, ...]  # what the lexical nodes' rules number, sorted

    @property
    def trees(self) -> int:
        return len(self.nodes.ptr) - 1


def corpus_of(trees: Iterable[Tree], grammar: PCFG) -> Corpus:
    """Trees with another root than the grammar's start symbol are left out: nothing derives them."""
    kept = [tree for tree in trees if tree.label == grammar.start]
    entries = tuple(sorted({entry for tree in kept for entry in _entries(tree)}))
    return Corpus(_nodes(kept, grammar, entries), entries)


def _entries(tree: Tree) -> Iterable[Entry]:
    for node in tree.preterminals():
        leaf = node.children[0]
        assert isinstance(leaf, Leaf)
        yield node.label, leaf.word, leaf.position == 0


def _nodes(trees: Sequence[Tree], grammar: PCFG, entries: Sequence[Entry]) -> Nodes:
    number, binary, unary = grammar.number, grammar.binary, grammar.unary
    binaries = _ids(binary.parent, binary.left, binary.right)
    unaries = _ids(unary.parent, unary.child)
    entry = {e: r for r, e in enumerate(entries)}
    rows: list[tuple[int, int, int, int, int]] = []
    ptr = [0]
    for tree in trees:
        # Parents first, with the places of their children in this list.
        found: list[list[int]] = []
        stack = [(tree, -1, 0)]
        while stack:
            upper, parent, side = stack.pop()
            if parent >= 0:
                found[parent][side] = len(found)
            labels, node = chain(upper)
            top, bottom = number[labels[0]], number[labels[-1]]
            # As in counting: a chain that returns to its first label is no rule.
            if top != bottom:
                found.append([UNARY, top, unaries[top, bottom], len(found) + 1, 0])
            first = node.children[0]
            if isinstance(first, Leaf):
                found.append([LEXICAL, bottom, entry[node.label, first.word, first.position == 0], 0, 0])
                continue
            right = node.children[1]
            assert isinstance(right, Tree)
            rule = binaries[bottom, number[first.label], number[right.label]]
            stack += ((first, len(found), 3), (right, len(found), 4))
            found.append([BINARY, bottom, rule, 0, 0])
        last = len(found) - 1
        rows += ((kind, x, rule, last - y, last - z) for kind, x, rule, y, z in reversed(found))
        ptr.append(len(rows))
    columns = np.array(rows, np.uint32).reshape(-1, 5).T.copy()
    return Nodes(np.array(ptr, np.uint32), columns[0].astype(np.uint8), *columns[1:])


def _ids(*columns: npt.NDArray[np.uint32]) -> dict[tuple[int, ...], int]:
    return {key: r for r, key in enumerate(zip(*(column.tolist() for column in columns), strict=True))}
