"""Scores and features of spans by hashed templates.

A template's key is its number and then its atoms: keys of words near the span's boundaries, the width
class, the sentence length, or a view of every word inside. Atoms stand in the order left, inside, right,
so that what depends on one boundary is computed once for it: most templates cost n look-ups, not n^2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.hashing import hash_end, hash_word

# Places of atoms: before and at the left boundary, inside, before and after the right one, and the rest.
BEFORE, FIRST, INSIDE, LAST, AFTER, WIDTH, LENGTH = range(7)
# What a template depends on.
NOTHING, ON_WIDTH, ON_LEFT, ON_RIGHT, ON_BOTH = range(5)


class Templates(NamedTuple):
    """T templates of A atoms in all."""

    depends: np.ndarray  # [T] uint32, one of NOTHING .. ON_BOTH
    ptr: np.ndarray  # [T+1] uint32, atoms of a template
    middle: np.ndarray  # [T] uint32, the first atom that is not on the left
    column: np.ndarray  # [A] uint32, which column (for words)
    place: np.ndarray  # [A] uint32
    mask: int  # number of hash buckets - 1


@njit(inline="always")
def width_class(width):
    """2, 3, 4, 5, 6-10, 11-20, 21 and more."""
    if width <= 5:
        return width
    if width <= 10:
        return 6
    return 7 if width <= 20 else 8


@njit(cache=True, nogil=True)
def take_left(place, columns, view, states):
    """Take an atom on the left into the hash states of all starts i.

    columns[:, p + 1] are the keys of word p, with begin and end around.
    """
    shift = place - BEFORE
    for i in range(states.shape[0]):
        states[i] = hash_word(states[i], columns[view, i + shift])


@njit(cache=True, nogil=True)
def take_right(place, columns, view, i, last, states):
    """Take any other atom into the hash states of the spans (i, k), i < k <= last."""
    if place == INSIDE:
        state = states[i + 1]
        for k in range(i + 1, last + 1):
            state = hash_word(state, columns[view, k])
            states[k] = state
    elif place == WIDTH:
        for k in range(i + 1, last + 1):
            states[k] = hash_word(states[k], np.uint32(width_class(k - i)))
    elif place == LENGTH:
        length = np.uint32(min(columns.shape[1] - 2, 40))
        for k in range(i + 1, last + 1):
            states[k] = hash_word(states[k], length)
    else:
        shift = place - LAST
        for k in range(i + 1, last + 1):
            states[k] = hash_word(states[k], columns[view, k + shift])


@njit(cache=True, nogil=True)
def fill_buckets(templates, columns, t, starts, reach, buckets):
    """Write the buckets of template t at the spans (i, k) with i < starts and k - i <= reach."""
    n = columns.shape[1] - 2
    mask = np.uint32(templates.mask)
    middle, end = templates.middle[t], templates.ptr[t + 1]
    left = np.full(n, hash_word(np.uint32(0), np.uint32(t)), np.uint32)
    for a in range(templates.ptr[t], middle):
        take_left(templates.place[a], columns, templates.column[a], left)
    size = np.uint32(1 + end - templates.ptr[t])
    if middle + 1 == end and LAST <= templates.place[middle] <= AFTER:
        # The usual case in one loop, which saves a sixth of all the time.
        view, shift = templates.column[middle], templates.place[middle] - LAST
        for i in range(starts):
            for k in range(i + 1, min(i + reach, n) + 1):
                buckets[i, k] = hash_end(hash_word(left[i], columns[view, k + shift]), size) & mask
        return
    inside = middle < end and templates.place[middle] == INSIDE
    for i in range(starts):
        last = min(i + reach, n)
        states = buckets[i]
        states[i + 1 : last + 1] = left[i]
        for a in range(middle, end):
            take_right(templates.place[a], columns, templates.column[a], i, last, states)
        for k in range(i + 1, last + 1):
            words = size + np.uint32(inside) * np.uint32(k - i - 1)
            states[k] = hash_end(states[k], words) & mask


@njit(cache=True, nogil=True)
def span_scores(templates, columns, weights):
    """Policy scores [n+1, n+1] of all spans with 1 < k - i < n."""
    n = columns.shape[1] - 2
    scores = np.zeros((n + 1, n + 1))
    by_left = np.zeros(n + 1)
    by_right = np.zeros(n + 1)
    by_width = np.zeros(n + 1)
    buckets = np.empty((n, n + 1), np.uint32)
    for t in range(templates.depends.shape[0]):
        depends = templates.depends[t]
        if depends == ON_BOTH:
            fill_buckets(templates, columns, t, n - 1, n - 1, buckets)
            for i in range(n - 1):
                for k in range(i + 2, min(i + n, n + 1)):
                    scores[i, k] += weights[buckets[i, k]]
        elif depends == ON_LEFT:
            fill_buckets(templates, columns, t, n, 1, buckets)
            for i in range(n):
                by_left[i] += weights[buckets[i, i + 1]]
        else:
            # The same for all starts; ends are widths where the start is 0.
            fill_buckets(templates, columns, t, 1, n, buckets)
            found = by_right if depends == ON_RIGHT else by_width
            for k in range(1, n + 1):
                found[k] += weights[buckets[0, k]]
    for i in range(n - 1):
        for k in range(i + 2, min(i + n, n + 1)):
            scores[i, k] += by_width[k - i] + by_left[i] + by_right[k]
    return scores


@njit(cache=True, nogil=True)
def span_rows(templates, columns, sites):
    """Buckets [R, T] of the templates at sites [R, 2], spans (i, k)."""
    n = columns.shape[1] - 2
    count = templates.depends.shape[0]
    rows = np.empty((sites.shape[0], count), np.uint32)
    buckets = np.empty((n, n + 1), np.uint32)
    for t in range(count):
        fill_buckets(templates, columns, t, n, n, buckets)
        for r in range(sites.shape[0]):
            rows[r, t] = buckets[sites[r, 0], sites[r, 1]]
    return rows
