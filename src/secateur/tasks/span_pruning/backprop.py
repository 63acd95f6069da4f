"""Roll-outs of span pruning by dynamic programming (Vieira & Eisner 2017, section 5.3): all flips at once.

Their reward is expected recall, over all derivations that the mask leaves, minus tradeoff * kept spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from secateur.errors import InputError
from secateur.kernels.cky import expect as cky_expect
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search import core
from secateur.search.arrays import Bools, Floats, Sites, Steps
from secateur.search.core import DECLINE, TAKE, Outcome, Reward
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning

NO_SITES: Sites = np.zeros((0, 2), np.int32)


@dataclass(frozen=True, slots=True)
class ExpectedRecall:
    """An accuracy: the expected share of the binarized gold tree's nodes in a derivation of the sentence.

    Derivations are drawn by their weights from those that the mask leaves. The root, single words and the
    children of unary rules do not count. 0 where there is no derivation, 1 where there is nothing to find.
    """

    task: SpanPruning

    def __call__(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        if outcome.parts is None:
            return 0.0
        return self.flipped(x, outcome.parts.mask, gold, NO_SITES)[0]

    def flipped(self, x: Encoded, mask: Bools, gold: Gold, sites: Sites) -> tuple[float, Floats]:
        """The expected recall under a mask, and [sites] with each of the sites flipped alone."""
        as_is, flipped = cky_expect.expected_recalls(
            self.task.grammar.rules,
            x.words,
            mask,
            gold.nodes,
            gold.total,
            NO_ANCHORS,
            sites.copy(),  # a read-only array would be compiled for anew
        )
        return float(as_is), flipped


def backprop(
    task: core.Task,
    x: Encoded,
    gold: Gold,
    policy: core.Policy,
    episode: core.Episode,
    reward: core.RewardOf,
    steps: Steps,
) -> Floats:
    """The reward of pruning and of keeping each span: what `replay` returns, in the time of a few parses."""
    match reward:
        case Reward(accuracy=ExpectedRecall() as recall, runtime="kept", tradeoff=tradeoff):
            pass
        case _:
            raise InputError(
                "back-propagation computes expected recall and kept spans only",
                fix='give it Reward(ExpectedRecall(task), "kept", tradeoff), or use replay',
            )
    sites, taken = episode.trace.site, episode.trace.action == TAKE
    n = len(x.words)
    mask = np.zeros((n + 1, n + 1), np.bool_)
    mask[sites[:, 0], sites[:, 1]] = taken
    as_is, flipped = recall.flipped(x, mask, gold, sites)
    found = np.full((len(sites), 2), as_is)
    found[np.arange(len(sites)), np.where(taken, DECLINE, TAKE)] = flipped
    kept = int(taken.sum()) - taken  # without this span
    found[:, DECLINE] -= tradeoff * kept
    found[:, TAKE] -= tradeoff * (kept + 1)
    return found[steps]
