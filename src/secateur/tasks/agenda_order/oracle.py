"""What gold says of an agenda's items: those of the best derivation that agrees with the gold tree.

Where the grammar can derive the gold tree, that is its likeliest derivation (of a split grammar: of many).
Elsewhere it is the likeliest among those with most gold nodes, by anchored scores: so much more for a gold
label or tag, so much less for another one, nothing for made symbols. Nearly always there is one, and learners
may use it or leave the sentence out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.binarize import Binarization
from secateur.grammar.derivation import UNARY, Steps
from secateur.grammar.pcfg import PCFG, Ids
from secateur.grammar.unaries import chains
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import Anchors
from secateur.kernels.cky.sparse import cell_of
from secateur.treebanks.tree import Tree

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]

GoldItem = tuple[int, int, int, int]  # i, k, label, over

# What gold labels gain and others lose, in nats. First there are no others, and if need be a gain makes sure
# that no node is left out. A tree that is not quite gold may be likelier by any amount, but what comes last
# is for sentences whose gold tree cannot be derived.
GAIN = 40.0
PASSES = ((0.0, -np.inf), (10 * GAIN, -np.inf), (GAIN, -GAIN))
UNLIMITED = 1 << 62


class GoldItems(NamedTuple):
    """Of a sentence. An item is `over` if a unary rule made it; `nodes` ask for no sub-symbol."""

    steps: Steps  # the oracle's derivation, parents first; none where the sentence has none
    items: Ints  # [M, 4] (i, k, symbol, over) of its items, made symbols and tags too
    nodes: Ints  # [G, 3] (i, k, label) of the gold tree, tags and both ends of unary chains, no made ones
    whole: bool  # whether the derivation is that of the gold tree


@dataclass(frozen=True)
class Oracle:
    """For trees under a grammar."""

    grammar: PCFG
    binarization: Binarization

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The symbols without their sub-symbols, sorted; the last stands for what the grammar has not."""
        return (*sorted(set(self.grammar.unsplit)), "")

    @cached_property
    def label(self) -> Ids:
        """[N] the label of each symbol."""
        return np.array([self._number[name] for name in self.grammar.unsplit], np.uint32)

    def __call__(self, words: Ids, tree: Tree) -> GoldItems:
        """Of a sentence, given as word ids, and its normalized gold tree."""
        found = chains(self.binarization(tree))
        gold = {item for chain, i, k in found for item in self._items(chain, i, k)}
        nodes = np.array(sorted({item[:3] for item in gold if not self._is_made[item[2]]}), np.int64)
        steps = np.zeros((0, 5), np.int64)
        for gain, other in PASSES:
            mask, anchors = self._constraint(len(words), gold, gain, other)
            steps, *_ = cky.viterbi(self.grammar.rules, words, mask, anchors, UNLIMITED)
            items = items_of(steps)
            labels = self.label[items[:, 2]].tolist()
            if {(i, k, x, over) for (i, k, _, over), x in zip(items.tolist(), labels, strict=True)} == gold:
                return GoldItems(steps, items, nodes, True)
        return GoldItems(steps, items_of(steps), nodes, False)

    def item_keys(self, found: GoldItems) -> Keys:
        """[M] numbers of the oracle's items, sorted: 2 * (N * cell + symbol) + over."""
        i, k, symbol, over = found.items.T
        return np.sort(2 * (len(self.grammar.symbols) * cell_of(i, k) + symbol) + over).astype(np.uint64)

    def node_keys(self, found: GoldItems) -> Keys:
        """[G] numbers of the gold nodes, sorted: labels * cell + label."""
        i, k, label = found.nodes.T
        return np.sort(len(self.labels) * cell_of(i, k) + label).astype(np.uint64)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.labels)}

    @cached_property
    def _is_made(self) -> Bools:
        """[labels] of symbols; a label that the grammar has not is none of them."""
        found = np.zeros(len(self.labels), np.bool_)
        found[self.label[self.grammar.intermediate]] = True
        return found

    def _items(self, chain: tuple[str, ...], i: int, k: int) -> list[GoldItem]:
        """(i, k, label, over) of a chain's two ends, which are one if it returns to its label."""
        top, bottom = (self._number.get(name, len(self.labels) - 1) for name in (chain[0], chain[-1]))
        return [(i, k, bottom, 0)] if chain[0] == chain[-1] else [(i, k, bottom, 0), (i, k, top, 1)]

    def _constraint(self, n: int, gold: set[GoldItem], gain: float, other: float) -> tuple[Bools, Anchors]:
        """Spans, and scores of labels: where others are ruled out, so are made symbols that gold has not."""
        hard = other == -np.inf
        elsewhere = np.where(self._is_made & ~hard, 0.0, other).astype(np.float32)
        span = np.tile(elsewhere, (n * (n + 1) // 2, 1))
        tag = np.full((n, len(self.labels)), other, np.float32)
        mask = np.full((n + 1, n + 1), not hard)
        for i, k, label, over in gold:
            mask[i, k] = True
            if k - i == 1 and not over:
                tag[i, label] = gain
            else:
                span[cell_of(i, k), label] = 0.0 if self._is_made[label] else gain
        return mask, Anchors(span[:, self.label], tag[:, self.label])


def items_of(steps: Steps) -> Ints:
    """[M, 4] (i, k, symbol, over) of a derivation."""
    kind, symbol, i, k, _ = steps.T
    return np.stack((i, k, symbol, (kind == UNARY).astype(np.int64)), 1)
