"""Policies that need no learner: keep everything, or move the threshold of one that is there.

All are weights, as any policy: the bias, a feature of every span, is what they set. A feature that happens to
share its hash bucket (one in 2^bits) is moved with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.search.arrays import Floats
from secateur.search.core import Policy
from secateur.tasks.span_pruning.task import SpanPruning, sites_of

BIAS = "bias"


def keep_all(task: SpanPruning) -> Policy:
    """Keeps every span: the unpruned parser."""
    weights = np.zeros(task.dim, np.float32)
    weights[_bias(task.span_features)] = 1.0
    return Policy(weights)


def thresholded(policy: Policy, task: SpanPruning, threshold: float) -> Policy:
    """Keeps the spans whose score under `policy` is above the threshold, as exactly as float32 can say it."""
    if not np.isfinite(threshold):
        raise InputError(f"a threshold of {threshold}", fix="give a finite one; keep_all keeps everything")
    weights = policy.weights.copy()
    weights[_bias(task.span_features)] -= threshold
    return replace(policy, weights=weights)


def keeping(policy: Policy, task: SpanPruning, sentences: Sequence[Sequence[str]], share: float) -> Policy:
    """The policy with the threshold that keeps this share, 0 to 1, of the spans of all sentences together.

    Where scores tie, it keeps the nearest share it can.
    """
    if not 0.0 <= share <= 1.0:
        raise InputError(f"a share of {share}", fix="give one from 0 to 1")
    scores = np.sort(np.concatenate([_scores(policy, task, words) for words in sentences] or [np.zeros(0)]))
    if not len(scores):
        raise InputError("no spans to choose from", fix="give sentences of 3 or more words")
    return thresholded(policy, task, _threshold(scores, share))


def _threshold(scores: Floats, share: float) -> float:
    """Half-way between two neighbours of the sorted scores, or beyond either end."""
    steps = np.flatnonzero(np.diff(scores)) + 1  # how many are pruned by a threshold below each new score
    pruned = np.concatenate(([0], steps, [len(scores)]))
    cut = int(pruned[np.argmin(np.abs(pruned - (1.0 - share) * len(scores)))])
    if cut == 0:
        return float(scores[0]) - 1.0
    if cut == len(scores):
        return float(scores[-1]) + 1.0
    return float(scores[cut - 1] + scores[cut]) / 2.0


def _scores(policy: Policy, task: SpanPruning, words: Sequence[str]) -> Floats:
    """[T] of the decided spans of a sentence."""
    features, sites = task.span_features, sites_of(len(words))
    return features.scores(features.columns(words), policy.weights)[sites[:, 0], sites[:, 1]]


def _bias(features: SpanFeatures) -> int:
    """The bucket of the bias."""
    if BIAS not in features.templates:
        raise InputError("these features have no bias to set", fix=f'add "{BIAS}" to the templates')
    somewhere = features.rows(features.columns(["a", "b", "c"]), np.array([[0, 2]], np.int32))
    return int(somewhere[0, features.templates.index(BIAS)])
