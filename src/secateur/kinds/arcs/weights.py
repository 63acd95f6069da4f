"""Weights of dependency parsers, by MIRA.

The paper trains with all templates and then leaves some out; a tree found by a few of them is then poor. Here
a sentence is parsed at a stage drawn for it, with the templates up to that stage alone, and the weights learn
to do without the others too: ten templates find 85% of the heads on the PTB sample instead of 69%, and all
of them as many as before. With one group there is one stage, and this is plain training.

Weights depend on the order of the sentences: the average over several orders parses better than any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.features.stages import stages_of
from secateur.kernels.arcs.stages import ALWAYS, NEVER, Rules
from secateur.kernels.perceptron import mira
from secateur.kernels.perceptron.mira import Arcs, Corpus
from secateur.search.arrays import Floats, Ints, Weights

BITS = 24
EPOCHS = 12
SHUFFLES = 2  # trainings, each with its own order of sentences, whose weights are averaged
LOSS = 0.3  # by which a wrong arc seems better than it is while training
SHARE = 0.6  # of the sentences are parsed at the last stage
ANY = 50  # sentences that see the same order of templates, where it is drawn
ANY_STAGES = 40

ALL_ARCS = Arcs(np.empty(0, np.bool_), np.empty(0, np.int64))

Report = Callable[[int, float], None]  # epoch, share of right heads while training


class Averaged:
    """Weights while they are trained, and their average so far."""

    def __init__(self, bits: int) -> None:
        self.weights = np.zeros(1 << bits, np.float32)
        self.summed = np.zeros(1 << bits, np.float32)
        self.scratch = np.zeros(1 << bits, np.int16)
        self.clock = 0

    def average(self) -> Weights:
        """Of the weights after each sentence."""
        found: Weights = self.weights - self.summed / np.float32(max(self.clock, 1))
        return found

    def visit(
        self,
        features: ArcFeatures,
        groups: Sequence[Sequence[int]],
        rules: Rules,
        corpus: Corpus,
        order: Ints,
        drawn: Ints,
        arcs: Arcs = ALL_ARCS,
    ) -> tuple[int, int]:
        """Train on some sentences, each at its stage: right heads, and words."""
        self.clock, right, words = mira.train(
            features.compiled,
            stages_of(features, groups),
            rules,
            self.weights,
            corpus,
            arcs,
            order,
            drawn,
            np.inf,
            np.float32(LOSS),
            self.summed,
            self.scratch,
            self.clock,
        )
        return right, words


def staged_weights(
    features: ArcFeatures,
    corpus: Corpus,
    groups: Sequence[Sequence[int]],
    *,
    arcs: Arcs = ALL_ARCS,
    projective: int = ALWAYS,
    single_root: bool = True,
    epochs: int = EPOCHS,
    shuffles: int = SHUFFLES,
    bits: int = BITS,
    seed: int = 0,
    shares: Sequence[float] | None = None,
    report: Report = lambda epoch, share: None,
) -> Weights:
    """Weights that serve every stage; `shares` says how many of the sentences are parsed at each."""
    rules = Rules(single_root, projective, len(groups) - 1)
    chances = _shares(len(groups)) if shares is None else np.asarray(shares)
    rng = np.random.default_rng(seed)
    total = np.zeros(1 << bits, np.float32)
    for shuffle in range(shuffles):
        state = Averaged(bits)
        for epoch in range(epochs):
            order = rng.permutation(len(corpus.start) - 1)
            drawn = rng.choice(len(groups), len(order), p=chances)
            right, words = state.visit(features, groups, rules, corpus, order, drawn, arcs)
            report(shuffle * epochs + epoch + 1, right / words)
        total += state.average()
    return total / np.float32(shuffles)


def _shares(stages: int) -> Floats:
    shares = np.full(stages, (1.0 - SHARE) / max(stages - 1, 1))
    shares[-1] = SHARE if stages > 1 else 1.0
    return shares


def any_weights(
    features: ArcFeatures,
    corpus: Corpus,
    units: Sequence[Sequence[int]],
    *,
    single_root: bool = True,
    epochs: int = EPOCHS,
    bits: int = BITS,
    seed: int = 0,
    report: Report = lambda epoch, share: None,
) -> Weights:
    """Weights that serve any choice of units of first-order templates: sentences see a random one."""
    rules = Rules(single_root, NEVER, ANY_STAGES - 1)
    rng = np.random.default_rng(seed)
    state = Averaged(bits)
    # Stages of growing size: half of all sentences see less than a tenth of the units.
    sizes = np.unique(np.geomspace(1, len(units), ANY_STAGES).round().astype(int))
    for epoch in range(epochs):
        order = rng.permutation(len(corpus.start) - 1)
        right = words = 0
        for first in range(0, len(order), ANY):
            shuffled = [units[i] for i in rng.permutation(len(units))]
            groups = [[*chain(*shuffled[a:b])] for a, b in pairwise([0, *sizes])]
            own = order[first : first + ANY]
            drawn = rng.integers(len(groups), size=len(own))
            found = state.visit(features, groups, rules, corpus, own, drawn)
            right, words = right + found[0], words + found[1]
        report(epoch + 1, right / words)
    return state.average()
