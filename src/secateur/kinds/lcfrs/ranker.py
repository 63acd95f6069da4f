"""Ranker: which of a sentence's likeliest trees is the best, by what can be said of whole trees.

A grammar of blocks judges rules, each by itself. What it finds likeliest by max-rule is judged again by a
log-linear model with features of whole trees, of the discontinuous ones (Collins 2000; Charniak and Johnson
2005); what the grammar says is one feature more. Under the model's probabilities, the tree is chosen that has
the highest expected F1: the one most like all others (Goodman 1996; Kumar and Byrne 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from secateur.features.tree import SentenceTrees, TreeFeatures
from secateur.models.parse import Parse
from secateur.search.arrays import Floats, Weights
from secateur.treebanks.blocks import merge
from secateur.treebanks.tree import Tree

AMONG = 30  # trees of a sentence
EVEN = 1.5  # by which scores are divided: probabilities that are less sure of themselves choose better


class Candidates(NamedTuple):
    """Different trees of a sentence, and what a grammar says of each."""

    trees: list[Tree]
    numbers: list[int]  # of the trees, by those who tell of them
    said: list[float]

    @classmethod
    def of(cls, told: SentenceTrees, parses: Iterable[Parse[Tree]]) -> Candidates:
        """From parses of blocks, best first: where several are put together to one tree, the first counts.
        There is none where a sentence was not parsed."""
        found = cls([], [], [])
        for parse in parses:
            if parse.failed or parse.score is None:
                continue
            tree = merge(parse.tree)
            number = told.number(tree)
            if number not in found.numbers:
                found.trees.append(tree)
                found.numbers.append(number)
                found.said.append(parse.score)
        return found


class Judged(NamedTuple):
    """The same with the scores that their features have, and their phrases."""

    trees: list[Tree]
    said: Floats
    own: Floats
    phrases: list[list[int]]

    def expected(self, trust: float) -> Floats:
        """F1, if what a grammar says has this weight."""
        return expected_f1(self.phrases, (self.own + trust * self.said) / EVEN)


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
        """Trees and their expected F1, from parses of blocks; the best first, of equals what came first."""
        judged = self.judged(parses)
        expected = judged.expected(self.trust)
        order = np.argsort(-expected, kind="stable")
        return [(judged.trees[place], float(expected[place])) for place in order.tolist()]

    def judged(self, parses: Sequence[Parse[Tree]]) -> Judged:
        """What features say of the different trees of a sentence."""
        told = self.features.of(parses[0].tree.words())
        trees, numbers, said = Candidates.of(told, parses)
        own = (self.weights[np.array(told.buckets(number), np.int64)] for number in numbers)
        scores = [float(weights.sum(dtype=np.float64)) for weights in own]
        return Judged(trees, np.array(said), np.array(scores), list(map(told.phrases, numbers)))


def expected_f1(trees: Sequence[Iterable[int]], scores: Floats) -> Floats:
    """Of each tree, given by its phrases, against all of them, likely in proportion to exp score."""
    names = sorted(set(chain.from_iterable(trees)))
    column = {name: place for place, name in enumerate(names)}
    has = np.zeros((len(trees), len(names)))
    for row, phrases in enumerate(trees):
        has[row, [column[name] for name in phrases]] = 1.0
    sizes = has.sum(axis=1)
    # A tree without phrases is like one without.
    both = np.maximum(sizes[:, None] + sizes, 1e-9)
    alike = np.where(sizes[:, None] + sizes > 0.0, 2.0 * (has @ has.T) / both, 1.0)
    chances = np.exp(scores - scores.max())
    found: Floats = np.einsum("ij,j->i", alike, chances / chances.sum())
    return found
