"""A baseline for arc locking: a vine-style filter, and then all templates on what it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secateur.kernels.arcs import vine as kernel
from secateur.kernels.arcs.features import Group, no_shares
from secateur.kernels.arcs.locking import META
from secateur.kernels.perceptron.mira import Corpus
from secateur.search.arrays import Bools, Ints
from secateur.search.core import Policy
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, Heads

_NO_DECISIONS = Policy(np.zeros(META, np.float32))


@dataclass(frozen=True)
class Vine:
    """Bars arcs whose best tree, by a few templates, is too far behind the best of all."""

    whole: ArcLocking  # one stage, no filters
    cheap: tuple[int, ...]  # templates of arcs, weighed as in the whole
    share: float  # of the way from the mean of all arcs to the best: 0 bars least, 1 leaves only the best

    @cached_property
    def group(self) -> Group:
        return self.whole.arc_features.group(self.cheap)

    def mask(self, x: ArcInput) -> Bools:
        """[n+1, n+1] arcs left, modifier first."""
        patterns = self.whole.arc_features.compiled
        kept: Bools = kernel.vine_arcs(
            patterns,
            self.group,
            self.whole.models.crossing,
            x.sentence,
            no_shares(patterns, x.sentence),
            x.allowed,
            self.whole.single_root,
            self.share,
        )[0]
        return kept

    def search(self, corpus: Corpus, tags: Heads) -> Ints:
        """Put heads into a corpus; templates computed on parts, by sentence. Tags are those of the limits."""
        task = self.whole
        computed: Ints = kernel.vine_corpus(
            task.arc_features.compiled,
            task.stages,
            task.weights(_NO_DECISIONS),
            task.rules,
            self.group,
            self.share,
            corpus,
            tags,
            task.limits.longest,
            corpus.heads,
        )
        return computed
