"""Online large-margin training of arc weights (MIRA with one best tree), and parsing without decisions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.arcs.features import AROUND, Sentence, no_shares, part_rows, score_parts
from secateur.kernels.arcs.parts import arc_parts, parts_of, sibling_parts, siblings_in, siblings_of
from secateur.kernels.arcs.stages import group_of, search


class Corpus(NamedTuple):
    """S sentences one after the other; sentence i has the columns from start[i] on, n + 4 of them."""

    keys: np.ndarray  # [views * columns] uint64, of each sentence [views, n + 4]
    views: int
    is_verb: np.ndarray  # [columns] bool, by position: n + 1 of each sentence are used
    is_point: np.ndarray  # [columns] bool
    heads: np.ndarray  # [columns] int32, by position
    start: np.ndarray  # [S+1] int64


@njit(cache=True, nogil=True)
def sentence_at(corpus, i):
    a, b = corpus.start[i], corpus.start[i + 1]
    keys = corpus.keys[corpus.views * a : corpus.views * b].reshape((corpus.views, b - a))
    n = b - a - AROUND
    return Sentence(keys, corpus.is_verb[a : a + n + 1], corpus.is_point[a : a + n + 1])


class Arcs(NamedTuple):
    """Which arcs of each sentence of a corpus are allowed; nothing where all are."""

    allowed: np.ndarray  # [sum of (n+1)^2] bool, modifier first
    start: np.ndarray  # [S+1] int64


@njit(cache=True, nogil=True)
def arcs_at(arcs, i, n):
    if not arcs.allowed.shape[0]:
        return np.ones((n + 1, n + 1), np.bool_)
    return arcs.allowed[arcs.start[i] : arcs.start[i + 1]].reshape((n + 1, n + 1))


@njit(cache=True, nogil=True)
def decode(patterns, stages, stage, rules, weights, sentence, shares, allowed, gold, loss, heads):
    """The best tree by the templates up to a stage, among allowed arcs [n+1, n+1]; False: there is none.

    Where gold heads [n+1] are given, every other arc has its score and the loss.
    """
    n = allowed.shape[0] - 1
    parts = arc_parts(allowed)
    scores = np.zeros(parts.head.shape[0], np.float32)
    arcs = group_of(stages, 0, min(stage + 1, stages.first))
    score_parts(patterns, arcs, sentence, shares, parts, weights, scores)
    dense = np.full((n + 1, n + 1), -np.inf, np.float32)
    head, modifier = parts.head, parts.modifier
    for r in range(scores.shape[0]):
        dense[modifier[r], head[r]] = scores[r]
        if gold.shape[0] and gold[modifier[r]] != head[r]:
            dense[modifier[r], head[r]] += loss
    siblings = np.empty((0, 0, 0), np.float32)
    if stage >= stages.first:
        group = group_of(stages, stages.first, stage + 1)
        siblings = sibling_scores(patterns, group, weights, sentence, shares, allowed)
    return search(stage, stages, rules, dense, siblings, heads)


@njit(cache=True, nogil=True)
def sibling_scores(patterns, group, weights, sentence, shares, allowed):
    """[m, h, s], with s = h for none; -inf where an arc is not allowed."""
    n = allowed.shape[0] - 1
    parts = sibling_parts(allowed)
    scores = np.zeros(parts.head.shape[0], np.float32)
    score_parts(patterns, group, sentence, shares, parts, weights, scores)
    dense = np.full((n + 1, n + 1, n + 1), -np.inf, np.float32)
    head, modifier, sibling = parts.head, parts.modifier, parts.sibling
    for r in range(scores.shape[0]):
        s = sibling[r] if sibling[r] <= n else head[r]
        dense[modifier[r], head[r], s] = scores[r]
    return dense


@njit(cache=True, nogil=True)
def train(patterns, stages, rules, weights, corpus, arcs, order, drawn, most, loss, summed, scratch, clock):
    """A pass over sentences in the given order, each at its drawn stage: the clock, right heads and words.

    The tree is found with a loss added to all wrong arcs, so that the true one learns to win by more than
    that. With its features F and those of the true one G, of the templates up to the stage:
        step = min(most, (wrong heads - w.(G - F)) / |G - F|^2)
        w += step (G - F),  summed += clock step (G - F)
    with the clock at the sentences before this one, so that w - summed / clock is in the end the average of
    w after each sentence.
    """
    right = words = 0
    for turn in range(order.shape[0]):
        i, stage = order[turn], drawn[turn]
        sentence = sentence_at(corpus, i)
        shares = no_shares(patterns, sentence)
        n = corpus.start[i + 1] - corpus.start[i] - AROUND
        gold = corpus.heads[corpus.start[i] : corpus.start[i] + n + 1]
        found = np.empty(n + 1, np.int32)
        allowed = arcs_at(arcs, i, n)
        if not decode(patterns, stages, stage, rules, weights, sentence, shares, allowed, gold, loss, found):
            continue
        wrong = 0
        for m in range(1, n + 1):
            wrong += found[m] != gold[m]
        right, words = right + n - wrong, words + n
        if wrong:
            more, less = _difference(patterns, stages, stage, weights, sentence, shares, gold, found)
            _step(weights, more, less, wrong, most, summed, scratch, clock)
        clock += 1
    return clock, right, words


@njit(cache=True, nogil=True)
def _difference(patterns, stages, stage, weights, sentence, shares, gold, found):
    """Features of the true tree and of the one found, where they differ."""
    size = weights.shape[0]
    words = np.flatnonzero(gold[1:] != found[1:]).astype(np.uint32) + np.uint32(1)
    wanted, taken = gold[words].astype(np.uint32), found[words].astype(np.uint32)
    arcs = group_of(stages, 0, min(stage + 1, stages.first))
    more = part_rows(patterns, arcs, sentence, shares, parts_of(words, wanted), size)[1]
    less = part_rows(patterns, arcs, sentence, shares, parts_of(words, taken), size)[1]
    if stage < stages.first:
        return more, less
    n = gold.shape[0] - 1
    in_gold, in_found = np.empty(n + 1, np.uint32), np.empty(n + 1, np.uint32)
    siblings_in(gold, in_gold)
    siblings_in(found, in_found)
    differ = (gold != found) | (in_gold != in_found)
    words = np.flatnonzero(differ[1:]).astype(np.uint32) + np.uint32(1)
    group = group_of(stages, stages.first, stage + 1)
    of_gold = siblings_of(words, gold[words].astype(np.uint32), in_gold[words], n)
    of_found = siblings_of(words, found[words].astype(np.uint32), in_found[words], n)
    more_siblings = part_rows(patterns, group, sentence, shares, of_gold, size)[1]
    less_siblings = part_rows(patterns, group, sentence, shares, of_found, size)[1]
    return np.concatenate((more, more_siblings)), np.concatenate((less, less_siblings))


@njit(cache=True, nogil=True)
def _step(weights, more, less, wrong, most, summed, scratch, clock):
    """scratch: [2^b] int16, all 0 before and after."""
    for row in more:
        scratch[row] += 1
    for row in less:
        scratch[row] -= 1
    rows = np.concatenate((more, less))
    amount = np.empty(rows.shape[0], np.float32)
    square = margin = 0.0
    for r in range(rows.shape[0]):  # what both have is gone; what one has twice is taken once
        amount[r] = scratch[rows[r]]
        scratch[rows[r]] = 0
        square += amount[r] * amount[r]
        margin += amount[r] * weights[rows[r]]
    if square == 0.0:
        return
    step = min(most, max(0.0, wrong - margin) / square)
    for r in range(rows.shape[0]):
        weights[rows[r]] += np.float32(step * amount[r])
        summed[rows[r]] += np.float32(clock * step * amount[r])


@njit(cache=True, nogil=True)
def parse_corpus(patterns, stages, stage, rules, weights, corpus, heads):
    """The best trees of all sentences, by position as in the corpus; returns how many have none."""
    failed, none, no_loss = 0, np.empty(0, np.int32), np.float32(0)
    for i in range(corpus.start.shape[0] - 1):
        n = corpus.start[i + 1] - corpus.start[i] - AROUND
        allowed = np.ones((n + 1, n + 1), np.bool_)
        own = heads[corpus.start[i] : corpus.start[i] + n + 1]
        sentence = sentence_at(corpus, i)
        shares = no_shares(patterns, sentence)
        failed += not decode(
            patterns, stages, stage, rules, weights, sentence, shares, allowed, none, no_loss, own
        )
    return failed
