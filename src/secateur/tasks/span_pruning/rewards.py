"""Rewards of span pruning: the surrogates that policies are trained by, and the true reward of a corpus.

A `Reward` is accuracy - tradeoff * runtime. Accuracies: `task.f1` and `task.recall` of a sentence's best
parse, `ExpectedRecall(task)` over all its parses, `CorpusF1(task)` of a batch, or any function of your own,
(x, outcome, gold) -> float. Runtimes: "pushes", "pops", "items", "kept", or measured "seconds".

Roll-outs: `backprop` for r_dp, `propagate` for f1, recall or corpus F1 with pushes, items or kept, and
`replay` for all else: a reward of any other form is `Reward(function, "pushes", 0.0)`, its runtime then only
reported.

Seconds are as good as the clock: a policy trained by them is not the same twice, and the first parse of a
process, which loads or compiles the kernels, counts in full. Parse a sentence beforehand, and use few jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.grammar.derivation import build_tree, flat_tree
from secateur.metrics import Counts, score
from secateur.search.arrays import Floats, Ints
from secateur.search.core import Outcome, Reward
from secateur.tasks.span_pruning.backprop import ExpectedRecall
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning
from secateur.treebanks.tree import Tree

MEGA = 1e6
_CELLS = 4_000_000  # exchanges drawn at a time: 32 MB, whatever the number of sentences
_CLOSE = 1e-9  # reward differences nearer than this are ties: sums in another order


@dataclass(frozen=True, slots=True)
class CorpusF1:
    """A batched accuracy: labelled F1, 0 to 1, of the brackets of all sentences together.

    A sentence weighs as its brackets do. One without a parse makes none, and misses all its gold ones. It is
    EVALB's but for sentences whose punctuation the parse tags as words, or words as punctuation: EVALB leaves
    those out.
    """

    task: SpanPruning

    def counts(self, x: Encoded, outcome: Outcome, gold: Gold) -> Ints:
        """[3] brackets: matched, made, gold."""
        return np.array(self.task.matches(outcome, gold), np.int64)

    def of(self, counts: Ints) -> Floats:
        matched, brackets = counts[..., 0], counts[..., 1] + counts[..., 2]
        # Where there are no brackets none is wrong.
        f1: Floats = np.divide(2.0 * matched, brackets, out=np.ones(brackets.shape), where=brackets > 0)
        return f1

    def __call__(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        return float(self.of(self.counts(x, outcome, gold)))


def r_cp(task: SpanPruning, tradeoff: float) -> Reward:
    """The paper's reward for change propagation: sentence F1 - tradeoff * items built."""
    return Reward(task.f1, "items", tradeoff)


def r_dp(task: SpanPruning, tradeoff: float) -> Reward:
    """The paper's reward for dynamic programming: expected recall - tradeoff * kept spans."""
    return Reward(ExpectedRecall(task), "kept", tradeoff)


def r_corpus(task: SpanPruning, tradeoff: float) -> Reward:
    """The true reward, by batches, in hundredths: corpus F1 - tradeoff * mega-pushes / 100.

    The tradeoff is the true one, in F1 points per mega-push.
    """
    return Reward(CorpusF1(task), "pushes", tradeoff / (100.0 * MEGA))


class Scored(NamedTuple):
    """A sentence under a policy, as the true reward sees it."""

    counts: Counts  # of EVALB
    pushes: int


class Comparison(NamedTuple):
    """Two policies on the same sentences."""

    gain: float  # true reward of the second minus that of the first
    p: float  # two-sided


def scored(task: SpanPruning, tree: Tree, outcome: Outcome) -> Scored:
    """EVALB's counts of a parse against its gold tree; where there is none, of a flat tree."""
    words = tree.words()
    if outcome.parts is None:
        found = flat_tree(task.grammar, task.grammar.lexicon.encode(words), words)
    else:
        found = build_tree(task.grammar, outcome.parts.steps, words)
    counts = score(tree, found, task.parameters, failed=outcome.parts is None).counts
    return Scored(counts, outcome.work.pushes)


def true_reward(sentences: Sequence[Scored], tradeoff: float) -> float:
    """Corpus F1 in percent - tradeoff * mega-pushes per sentence."""
    table = _table(sentences)
    return float(_true_rewards(table.sum(axis=0), len(table), tradeoff))


def compare(
    a: Sequence[Scored], b: Sequence[Scored], tradeoff: float, *, samples: int = 5000, seed: int = 0
) -> Comparison:
    """How much better b is than a, and a paired permutation test of it.

    Every sentence's two results, brackets and pushes, change places with probability 1/2;
    p = (r + 1) / (samples + 1) for r draws whose difference is at least as large as the one observed.
    """
    if len(a) != len(b):
        raise InputError(f"{len(a)} sentences of one policy but {len(b)} of the other")
    if samples < 1:
        raise InputError(f"at least one sample is needed, not {samples}")
    table_a, table_b = _table(a), _table(b)
    n, change = len(a), table_b - table_a
    sum_a, sum_b = table_a.sum(axis=0), table_b.sum(axis=0)
    gain = float(_true_rewards(sum_b, n, tradeoff) - _true_rewards(sum_a, n, tradeoff))
    rng = np.random.default_rng(seed)
    as_large, left = 0, samples
    while left:
        size = min(left, max(1, _CELLS // n))
        moved = rng.integers(0, 2, size=(size, n), dtype=np.uint8).astype(np.float64) @ change
        difference = _true_rewards(sum_a + moved, n, tradeoff) - _true_rewards(sum_b - moved, n, tradeoff)
        as_large += int(np.count_nonzero(np.abs(difference) >= abs(gain) - _CLOSE))
        left -= size
    return Comparison(gain, (as_large + 1) / (samples + 1))


def _table(sentences: Sequence[Scored]) -> Floats:
    """[n, 3] matched brackets, gold and made ones together, pushes."""
    if not sentences:
        raise InputError("no sentences to judge by")
    return np.array([(c.matched, c.gold + c.test, pushes) for c, pushes in sentences], np.float64)


def _true_rewards(sums: Floats, sentences: int, tradeoff: float) -> Floats:
    """[...] from summed rows [..., 3]."""
    f1 = 200.0 * sums[..., 0] / np.maximum(sums[..., 1], 1.0)
    return np.asarray(f1 - tradeoff * sums[..., 2] / (sentences * MEGA))
