"""Filters of arcs: cheap models of each word's head by itself, which bar the arcs far behind the best.

In the manner of vine parsing (Eisner and Smith 2005; Rush and Petrov 2012), without a search: for a word m
    P(h | m) = exp score(h, m) / sum over allowed h' of exp score(h', m)
and an arc is barred whose score is more than a margin below that of the best arc to its word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.perceptron.mira import arcs_at, sentence_at

from .features import AROUND, Group, no_shares, part_rows, score_parts
from .graph import allowed_arcs
from .parts import arc_parts, parts_of
from .stages import templates_of

SURE = 1e-3  # differences of probabilities that teach nothing


class Filters(NamedTuple):
    """K filters in a row, each with few templates and weights of its own: small tables stay in the cache."""

    pattern: np.ndarray  # [G] uint32
    wanted: np.ndarray  # [G] uint32
    ptr: np.ndarray  # [K+1] int64
    weights: np.ndarray  # [W] float32, of one filter after the other
    start: np.ndarray  # [K+1] int64, where those of each start; each has a power of two
    margin: np.ndarray  # [K] float32


@njit(cache=True, nogil=True)
def likely_arcs(patterns, filters, sentence, shares, allowed, passed, behind):
    """What filters leave of the allowed arcs. Returns templates computed on arcs.

    passed [n+1, n+1] int8: 0 for an arc that is not allowed, 1 for one that the first filter bars, 2 the
    second, and so on, as if there were one more that bars the rest; an arc without a rival passes all.
    behind [n+1, n+1] float32: how far an arc is behind the best to its word in the last filter that saw it.
    """
    n, last = allowed.shape[0] - 1, filters.margin.shape[0] + 1
    parts = arc_parts(allowed)
    modifier, head = parts.modifier, parts.head
    passed[:] = 0
    for r in range(head.shape[0]):
        passed[modifier[r], head[r]] = 1
    computed = 0
    for step in range(last - 1):
        a, b = filters.ptr[step], filters.ptr[step + 1]
        group = Group(filters.pattern[a:b], filters.wanted[a:b])
        weights = filters.weights[filters.start[step] : filters.start[step + 1]]
        scores = np.zeros(head.shape[0], np.float32)
        score_parts(patterns, group, sentence, shares, parts, weights, scores)
        computed += scores.shape[0] * templates_of(group)
        best, left = np.full(n + 1, -np.inf, np.float32), np.zeros(n + 1, np.int64)
        for r in range(scores.shape[0]):
            best[modifier[r]] = max(best[modifier[r]], scores[r])
        for r in range(scores.shape[0]):
            scores[r] -= best[modifier[r]]
            behind[modifier[r], head[r]] = scores[r]
            left[modifier[r]] += scores[r] >= -filters.margin[step]
        count = 0
        for r in range(scores.shape[0]):
            m, h = modifier[r], head[r]
            if scores[r] >= -filters.margin[step]:
                passed[m, h] = step + 2 if left[m] > 1 else last
                modifier[count], head[count] = m, h
                count += left[m] > 1
        parts = parts_of(modifier[:count], head[:count])
        modifier, head = parts.modifier, parts.head
    return computed


@njit(cache=True, nogil=True)
def train_filter(patterns, group, weights, squares, rate, corpus, arcs, order):
    """A pass over sentences in the given order, with steps of AdaGrad for log P(head | m) of every word.

    squares [2^b]: sums of squared gradients so far, above 0. Words whose head is not among the arcs, and
    those that have one alone, teach nothing. Returns the sum of -log P(head | m), and of how many words.
    """
    total, words = 0.0, 0
    for i in order:
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        sentence = sentence_at(corpus, i)
        shares = no_shares(patterns, sentence)
        parts = arc_parts(arcs_at(arcs, i, n))
        ptr, rows = part_rows(patterns, group, sentence, shares, parts, weights.shape[0])
        modifier, head = parts.modifier, parts.head
        first = 0
        while first < head.shape[0]:
            m, last, gold = modifier[first], first, -1
            while last < head.shape[0] and modifier[last] == m:
                if head[last] == corpus.heads[a + m]:
                    gold = last
                last += 1
            if gold >= 0 and last > first + 1:
                chance = _chances(weights, ptr[first : last + 1], rows)
                total -= np.log(chance[gold - first])
                words += 1
                for r in range(first, last):
                    _step(weights, squares, rate, rows[ptr[r] : ptr[r + 1]], (r == gold) - chance[r - first])
            first = last
    return total, words


@njit(cache=True, nogil=True)
def _chances(weights, ptr, rows):
    """The probabilities of arcs to a word."""
    chance = np.zeros(ptr.shape[0] - 1)
    for r in range(chance.shape[0]):
        for at in range(ptr[r], ptr[r + 1]):
            chance[r] += weights[rows[at]]
    chance = np.exp(chance - chance.max())
    return chance / chance.sum()


@njit(cache=True, nogil=True)
def _step(weights, squares, rate, rows, gradient):
    if abs(gradient) < SURE:
        return
    for row in rows:
        squares[row] += gradient * gradient
        weights[row] += rate * gradient / np.sqrt(squares[row])


@njit(cache=True, nogil=True)
def likely_corpus(patterns, filters, corpus, tags, limits, allowed, start):
    """The arcs of all sentences that are not too long and that filters leave, as parts of `allowed`."""
    for i in range(corpus.start.shape[0] - 1):
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        sentence = sentence_at(corpus, i)
        shares = no_shares(patterns, sentence)
        passed, behind = np.empty((n + 1, n + 1), np.int8), np.empty((n + 1, n + 1), np.float32)
        short = allowed_arcs(tags[a : a + n + 1], limits)
        likely_arcs(patterns, filters, sentence, shares, short, passed, behind)
        allowed[start[i] : start[i + 1]] = (passed > filters.margin.shape[0]).ravel()
