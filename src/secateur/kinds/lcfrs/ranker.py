"""Ranker: which of a sentence's likeliest trees is the best, by what can be said of whole trees.

A grammar of blocks judges rules, each by itself. What it finds likeliest by max-rule is ranked again by a
log-linear model with features of whole trees, of the discontinuous ones (Collins 2000; Charniak and Johnson
2005); what the grammar says is one feature more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from secateur.features.tree import SentenceTrees, TreeFeatures
from secateur.models.parse import Parse
from secateur.search.arrays import Floats, Weights
from secateur.treebanks.blocks import merge
from secateur.treebanks.tree import Tree

AMONG = 30  # trees of a sentence


class Candidates(NamedTuple):
    """Different trees of a sentence, and what a grammar says of each."""

    trees: list[Tree]
    said: list[float]

    @classmethod
    def of(cls, told: SentenceTrees, parses: Iterable[Parse[Tree]]) -> Candidates:
        """From parses of blocks, best first: where several are put together to one tree, the first counts.
        There is none where a sentence was not parsed."""
        found: dict[int, tuple[Tree, float]] = {}
        for parse in parses:
            if not parse.failed and parse.score is not None:
                tree = merge(parse.tree)
                found.setdefault(told.number(tree), (tree, parse.score))
        return cls([tree for tree, _ in found.values()], [score for _, score in found.values()])


@dataclass(frozen=True, eq=False)
class Ranker:
    """A trained one."""

    features: TreeFeatures
    weights: Weights  # [2 ** bits]
    trust: float  # the weight of what a grammar says
    among: int = AMONG

    def trusting(self, trust: float) -> Ranker:
        """The same with another weight of what a grammar says."""
        return replace(self, trust=trust)

    def ranked(self, parses: Sequence[Parse[Tree]]) -> list[tuple[Tree, float]]:
        """Trees and their scores, from parses of blocks; the best first, of equals what came first."""
        told = self.features.of(parses[0].tree.words())
        trees, said = Candidates.of(told, parses)
        scores = self.trust * np.array(said) + self.scores([told.buckets(tree) for tree in trees])
        order = np.argsort(-scores, kind="stable")
        return [(trees[place], float(scores[place])) for place in order.tolist()]

    def scores(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Of features alone."""
        own = (self.weights[np.array(row, np.int64)] for row in rows)
        return np.array([float(weights.sum(dtype=np.float64)) for weights in own])
