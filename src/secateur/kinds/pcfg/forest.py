"""The k best trees by max-rule, from the forest that a ladder leaves of a sentence.

What a derivation is worth is the log of the product of its rules' posteriors, which all grammars have
multiplied; the first is the max-rule tree. A node of the hypergraph is an item as a base, or with its unary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.grammar.derivation import BINARY, LEXICAL, UNARY, Steps
from secateur.hypergraph import Hypergraph, Weighted
from secateur.kernels.split.forest import NONE

STAY = -1  # from a base to its node, without a unary

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RuleForest:
    """A hypergraph with what its hyperedges stand for."""

    weighted: Weighted
    rows: Steps  # [H, 5] each as a step: kind, symbol, i, k, rule

    def kbest(self, k: int) -> Iterator[tuple[Steps, float]]:
        """Steps and score of up to k derivations, best first."""
        for found in self.weighted.kbest(k):
            rows = self.rows[np.array(found.hyperedges, np.int64)]
            yield rows[rows[:, 0] != STAY], found.value


def rule_forest(woods: Any, found: Any) -> RuleForest:
    """From a kernel's forest that has a top, and its posteriors."""
    items = len(woods.label)
    lexical = np.flatnonzero((woods.entry != NONE) & (found.base > 0.0))
    # Hyperedges into an item by their number, as max_rule goes through them.
    binary, unary = np.flatnonzero(found.binary > 0.0), np.flatnonzero(found.unary > 0.0)
    pair, lone = woods.binary[binary].astype(np.int64), woods.unary[unary].astype(np.int64)
    every = np.arange(items)
    head = np.concatenate((lexical, pair[:, 1], items + every, items + lone[:, 1]))
    sizes = np.repeat([0, 2, 1, 1], [len(lexical), len(pair), items, len(lone)])
    tails = np.concatenate((items + pair[:, 2:].ravel(), every, lone[:, 2]))
    graph = Hypergraph.from_arrays(
        items + int(woods.top), head, np.concatenate(([0], np.cumsum(sizes))), tails, nodes=2 * items
    )
    posterior = found.base[lexical], found.binary[binary], np.ones(items), found.unary[unary]
    kinds = np.repeat([LEXICAL, BINARY, STAY, UNARY], [len(lexical), len(pair), items, len(lone)])
    none = np.full(max(items, len(lexical)), -1)
    rule = np.concatenate((none[: len(lexical)], pair[:, 0], none[:items], lone[:, 0]))
    cell = woods.cell[np.repeat(np.arange(len(woods.cell)), np.diff(woods.item_ptr))]
    item = head % items
    rows = np.column_stack((kinds, woods.label[item], cell[item], rule)).astype(np.int64)
    return RuleForest(graph.weigh(np.log(np.concatenate(posterior))), rows)
