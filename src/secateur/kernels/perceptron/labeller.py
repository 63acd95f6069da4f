"""Labels for the arcs of trees, each chosen by itself.

Taking in the labels of the head's own arc and of the child before was measured, and made no difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.arcs.parts import distance_class
from secateur.kernels.rows import add_rows, best_class, best_rival, find_rows, learn, mix

ROOT = 1  # the place of the root in a sentence; the words follow it
AROUND = 4  # places that are no words: before, the root, behind, and none of all these
# The places of patterns: head, modifier, the children of the head before and after the modifier, the
# outermost children of the modifier.
HEAD, MODIFIER, PREVIOUS, NEXT, LEFT, RIGHT = range(6)
SIDE, DISTANCE, BETWEEN, CHILDREN = range(4)  # the values of patterns
MOST = 3  # children on one side are counted so far
_ONE = np.uint64(1)


class Trees(NamedTuple):
    """Sentences one after the other, with N places in all, over U different tokens."""

    start: np.ndarray  # [sentences + 1] int64, the places of a sentence
    words: np.ndarray  # [N] uint32, tokens
    heads: np.ndarray  # [N] int64, positions; what is no word has none
    keys: np.ndarray  # [U, views] uint64; the first view is the coarse tag
    coarse: np.ndarray  # [U] uint32, the coarse tag's number


class Family(NamedTuple):
    """Where the relatives of each word of a tree are, by position; the root is 0, none is n + 2."""

    previous: np.ndarray  # [n+1] int64, the child of the same head before
    next: np.ndarray  # [n+1] int64, the one after
    left: np.ndarray  # [n+1] int64, the outermost children
    right: np.ndarray  # [n+1] int64
    children: np.ndarray  # [n+1, 2] int64, how many on each side


@njit(cache=True, nogil=True)
def family_of(heads):
    """heads: [n+1] int64, by position."""
    n = heads.shape[0] - 1
    none = n + 2
    previous, after = np.full(n + 1, none, np.int64), np.full(n + 1, none, np.int64)
    left, right = np.full(n + 1, none, np.int64), np.full(n + 1, none, np.int64)
    latest = np.full(n + 1, none, np.int64)  # the last child so far
    children = np.zeros((n + 1, 2), np.int64)
    for m in range(1, n + 1):
        h = heads[m]
        if latest[h] != none:
            previous[m], after[latest[h]] = latest[h], m
        latest[h] = m
        if m > h:
            right[h] = m
            children[h, 1] += 1
        else:
            left[h] = left[h] if left[h] != none else m
            children[h, 0] += 1
    return Family(previous, after, left, right, children)


@njit(cache=True, nogil=True)
def _look_around(m, head, family, root, words, keys, places, values):
    """The places and values of the arc to m; `root` is the place of the root."""
    places[HEAD], places[MODIFIER] = root + head, root + m
    places[PREVIOUS], places[NEXT] = root + family.previous[m], root + family.next[m]
    places[LEFT], places[RIGHT] = root + family.left[m], root + family.right[m]
    values[SIDE] = np.uint64(1 if head < m else 2)
    values[DISTANCE] = np.uint64(distance_class(head, m))
    between = np.uint64(0)  # a hash of the set of coarse tags: each is taken where it is first met
    start, end = root + min(head, m) + 1, root + max(head, m)
    for p in range(start, end):
        key, q = keys[words[p], 0], start
        while keys[words[q], 0] != key:
            q += 1
        if q == p:
            between += mix(key, _ONE)
    values[BETWEEN] = between
    left, right = min(family.children[m, 0], MOST), min(family.children[m, 1], MOST)
    values[CHILDREN] = np.uint64(left * (MOST + 1) + right)


@njit(cache=True, nogil=True)
def label(patterns, rows, allowed, trees, found):
    """found [N] int64: the labels of all words. allowed: [coarse, coarse, labels] bool, the head first."""
    seed, ptr, place = patterns.seed, patterns.ptr, patterns.place
    column, offset = patterns.column, patterns.offset
    slots, first, last, classed, weight = rows.slots, rows.ptr[:-1], rows.ptr[1:], rows.column, rows.weight
    start, words, heads, keys, coarse = trees.start, trees.words, trees.heads, trees.keys, trees.coarse
    count, labels = seed.shape[0], allowed.shape[2]
    scores = np.empty(labels, np.float32)
    found_keys, at = np.empty(count, np.uint64), np.empty(count, np.uint64)
    places, values = np.zeros(6, np.int64), np.zeros(4, np.uint64)
    for i in range(start.shape[0] - 1):
        root, n = start[i] + ROOT, start[i + 1] - start[i] - AROUND
        family = family_of(heads[root : root + n + 1])
        for m in range(1, n + 1):
            head = heads[root + m]
            pair = allowed[coarse[words[root + head]], coarse[words[root + m]]]
            found[root + m] = only_class(pair)
            if found[root + m] >= 0:
                continue
            _look_around(m, head, family, root, words, keys, places, values)
            find_rows(seed, ptr, place, column, offset, 0, slots, words, keys, places, values, found_keys, at)
            scores[:] = np.float32(0)
            add_rows(first, last, classed, weight, at, 0, count, scores)
            found[root + m] = best_class(scores, pair)


@njit(cache=True, nogil=True)
def only_class(allowed):
    """The class that is allowed alone; -1 where there are more."""
    found = -1
    for y in range(allowed.shape[0]):
        if allowed[y]:
            if found >= 0:
                return -1
            found = y
    return found


@njit(cache=True, nogil=True)
def train_epoch(patterns, table, allowed, trees, gold, order, margin, clock):
    """One pass over the sentences in the given order; returns the table, the clock and the mistakes.

    w[gold] += features and w[rival] -= features  where  w[gold].features < w[rival].features + margin
    The clock counts sentences.
    """
    seed, ptr, place = patterns.seed, patterns.ptr, patterns.place
    column, offset = patterns.column, patterns.offset
    start, words, heads, keys, coarse = trees.start, trees.words, trees.heads, trees.keys, trees.coarse
    count, labels = seed.shape[0], allowed.shape[2]
    scores = np.empty(labels, np.float32)
    found, at = np.empty(count, np.uint64), np.empty(count, np.uint64)
    places, values = np.zeros(6, np.int64), np.zeros(4, np.uint64)
    slots, first, last, classed, weight = table.slots, table.first, table.last, table.column, table.weight
    mistakes = 0
    for i in order:
        clock += 1
        root, n = start[i] + ROOT, start[i + 1] - start[i] - AROUND
        family = family_of(heads[root : root + n + 1])
        for m in range(1, n + 1):
            head, true = heads[root + m], gold[root + m]
            _look_around(m, head, family, root, words, keys, places, values)
            find_rows(seed, ptr, place, column, offset, 0, slots, words, keys, places, values, found, at)
            scores[:] = np.float32(0)
            add_rows(first, last, classed, weight, at, 0, count, scores)
            pair = allowed[coarse[words[root + head]], coarse[words[root + m]]]
            mistakes += best_class(scores, pair) != true
            rival = best_rival(scores, pair, true)
            if rival >= 0 and scores[true] < scores[rival] + margin:
                table = learn(table, found, true, rival, labels, clock)
                slots, first, last = table.slots, table.first, table.last
                classed, weight = table.column, table.weight
    return table, clock, mistakes
