"""Filtering arcs by max-marginals of a cheap model, in the manner of vine parsing (Rush and Petrov 2012).

Lengths of arcs are in classes, as in all patterns. One pass; theirs are several, the first of short arcs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from secateur.kernels.perceptron.mira import sentence_at

from .features import AROUND, no_shares, score_parts
from .graph import allowed_arcs
from .inside import arc_max_marginals
from .locking import NO_TREE, STATE, Choices, Log, lock_arcs
from .parts import arc_parts
from .stages import templates_of

ROUNDING = 1e-6


@njit(cache=True, nogil=True)
def vine_arcs(patterns, group, weights, sentence, shares, allowed, single_root, share):
    """The arcs left [n+1, n+1], and templates computed. With M(h, m) the best projective tree with an arc,
    an arc is barred where
        M(h, m) < share * max M + (1 - share) * mean M
    over the allowed arcs that are in some tree. Where there is no tree, nothing more is barred.
    """
    n = allowed.shape[0] - 1
    parts = arc_parts(allowed)
    modifier, head = parts.modifier, parts.head
    scores = np.zeros(head.shape[0], np.float32)
    score_parts(patterns, group, sentence, shares, parts, weights, scores)
    dense = np.full((n + 1, n + 1), -np.inf, np.float32)
    for r in range(scores.shape[0]):
        dense[modifier[r], head[r]] = scores[r]
    with_arc = np.empty((n + 1, n + 1))
    best = arc_max_marginals(dense, single_root, with_arc)
    computed = scores.shape[0] * templates_of(group)
    if best == -np.inf:
        return allowed.copy(), computed
    total, count = 0.0, 0
    for r in range(scores.shape[0]):
        value = with_arc[modifier[r], head[r]]
        if value > -np.inf:
            total, count = total + value, count + 1
    least = share * best + (1 - share) * total / count - ROUNDING * (1 + abs(best))
    return with_arc >= least, computed


@njit(cache=True, nogil=True)
def vine_corpus(patterns, stages, weights, rules, group, share, corpus, tags, limits, heads):
    """Parse many sentences on what the cheap model leaves, as lock_corpus does. Templates computed, [S]."""
    count = corpus.start.shape[0] - 1
    found = np.zeros(count, np.int64)
    choices = Choices(0.0, 0.0, np.empty(0, np.int32), np.empty((2, 0)), -1, 0)
    log = Log(np.empty((0, 4), np.int32), np.empty((0, STATE)), np.empty(0, np.int64))
    for i in range(count):
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        sentence, own = sentence_at(corpus, i), heads[a : a + n + 1]
        shares, behind = no_shares(patterns, sentence), np.zeros((n + 1, n + 1), np.float32)
        allowed = allowed_arcs(tags[a : a + n + 1], limits)
        kept, computed = vine_arcs(
            patterns, group, weights.crossing, sentence, shares, allowed, rules.single_root, share
        )
        for arcs in (kept, allowed, np.ones_like(allowed)):
            ending, stage, more, _ = lock_arcs(
                patterns, stages, weights, rules, choices, sentence, shares, arcs, behind, own, log
            )
            computed += more
            if ending != NO_TREE or stage > 0:
                break
        found[i] = computed
    return found
