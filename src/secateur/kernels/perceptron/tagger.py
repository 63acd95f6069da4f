"""Tagging from left to right: each word gets the best class given those chosen for the words before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.rows import add_rows, best_class, best_rival, find_rows, learn

PAD = 2  # places before and behind the words of a sentence
_ONE = np.uint64(1)


class Texts(NamedTuple):
    """Sentences one after the other, with N places in all, over U different words."""

    start: np.ndarray  # [sentences + 1] int64, the places of a sentence
    words: np.ndarray  # [N] uint32, PAD places around each sentence included
    keys: np.ndarray  # [U, views] uint64
    fixed: np.ndarray  # [U] int64, the class of a word that has only one, else -1


@njit(cache=True, nogil=True)
def tag(patterns, own, rows, classes, texts, found):
    """found [N] int64: the classes of all words.

    The first `own` patterns look at nothing but the word itself: their sum is made once for each.
    """
    seed, ptr, place = patterns.seed, patterns.ptr, patterns.place
    column, offset = patterns.column, patterns.offset
    slots, first, last, classed, weight = rows.slots, rows.ptr[:-1], rows.ptr[1:], rows.column, rows.weight
    start, words, keys, fixed = texts.start, texts.words, texts.keys, texts.fixed
    count = seed.shape[0]
    by_word, made = np.zeros((keys.shape[0], classes), np.float32), np.zeros(keys.shape[0], np.bool_)
    allowed = np.ones(classes, np.bool_)
    scores = np.empty(classes, np.float32)
    found_keys, at = np.empty(count, np.uint64), np.empty(count, np.uint64)
    places, values = np.zeros(1, np.int64), np.zeros(2, np.uint64)
    for i in range(start.shape[0] - 1):
        values[:] = np.uint64(0)
        for p in range(start[i] + PAD, start[i + 1] - PAD):
            word = words[p]
            best = fixed[word]
            if best < 0:
                places[0] = p
                begin = own if made[word] else 0
                find_rows(
                    seed,
                    ptr,
                    place,
                    column,
                    offset,
                    begin,
                    slots,
                    words,
                    keys,
                    places,
                    values,
                    found_keys,
                    at,
                )
                if not made[word]:
                    made[word] = True
                    add_rows(first, last, classed, weight, at, 0, own, by_word[word])
                scores[:] = by_word[word]
                add_rows(first, last, classed, weight, at, own, count, scores)
                best = best_class(scores, allowed)
            found[p] = best
            values[1] = values[0]
            values[0] = np.uint64(best) + _ONE


@njit(cache=True, nogil=True)
def train_epoch(patterns, table, classes, texts, gold, order, margin, clock):
    """One pass over the sentences in the given order; returns the table, the clock and the mistakes.

    w[gold] += features and w[rival] -= features  where  w[gold].features < w[rival].features + margin
    The clock counts sentences. The words before have the classes found for them, right or wrong.
    """
    seed, ptr, place = patterns.seed, patterns.ptr, patterns.place
    column, offset = patterns.column, patterns.offset
    start, words, keys, fixed = texts.start, texts.words, texts.keys, texts.fixed
    count = seed.shape[0]
    allowed = np.ones(classes, np.bool_)
    scores = np.empty(classes, np.float32)
    found, at = np.empty(count, np.uint64), np.empty(count, np.uint64)
    places, values = np.zeros(1, np.int64), np.zeros(2, np.uint64)
    slots, first, last, classed, weight = table.slots, table.first, table.last, table.column, table.weight
    mistakes = 0
    for i in order:
        clock += 1
        values[:] = np.uint64(0)
        for p in range(start[i] + PAD, start[i + 1] - PAD):
            best = fixed[words[p]]
            if best < 0:
                places[0] = p
                find_rows(seed, ptr, place, column, offset, 0, slots, words, keys, places, values, found, at)
                scores[:] = np.float32(0)
                add_rows(first, last, classed, weight, at, 0, count, scores)
                best = best_class(scores, allowed)
                rival = best_rival(scores, allowed, gold[p])
                if rival >= 0 and scores[gold[p]] < scores[rival] + margin:
                    table = learn(table, found, gold[p], rival, classes, clock)
                    slots, first, last = table.slots, table.first, table.last
                    classed, weight = table.column, table.weight
            mistakes += best != gold[p]
            values[1] = values[0]
            values[0] = np.uint64(best) + _ONE
    return table, clock, mistakes
