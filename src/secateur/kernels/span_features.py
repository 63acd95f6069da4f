"""Scores and features of spans by hashed templates.

A template's key is its number and then its atoms: keys of words near the span's boundaries, the width
class, the sentence length, or a view of every word inside. Atoms stand in the order left, inside, right,
so that what depends on one boundary is computed once for it: most templates cost n look-ups, not n^2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .hashing import hash_end, hash_word

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


@njit(inline="always")
def atom_value(columns, view, place, i, k, n):
    """The key word of an atom; columns[:, p + 1] are the keys of word p, with begin and end around."""
    if place == BEFORE:
        return columns[view, i]
    if place == FIRST:
        return columns[view, i + 1]
    if place == LAST:
        return columns[view, k]
    if place == AFTER:
        return columns[view, k + 1]
    if place == WIDTH:
        return np.uint32(width_class(k - i))
    return np.uint32(min(n, 40))


@njit(inline="always")
def left_state(templates, columns, t, i, n):
    """The hash state of template t after its number and left atoms."""
    state = hash_word(np.uint32(0), np.uint32(t))
    for a in range(templates.ptr[t], templates.middle[t]):
        state = hash_word(state, atom_value(columns, templates.column[a], templates.place[a], i, i, n))
    return state


@njit(inline="always")
def finish(templates, columns, t, state, i, k, n):
    """The bucket of template t at span (i, k), from the state after its left and inside atoms."""
    size = 1 + templates.middle[t] - templates.ptr[t]
    for a in range(templates.middle[t], templates.ptr[t + 1]):
        if templates.place[a] == INSIDE:
            size += k - i
        else:
            state = hash_word(state, atom_value(columns, templates.column[a], templates.place[a], i, k, n))
            size += 1
    return hash_end(state, size) & np.uint32(templates.mask)


@njit(inline="always")
def take_inside(templates, columns, t, state, p):
    """The state after word p, for a template with an inside atom."""
    a = templates.middle[t]
    if a < templates.ptr[t + 1] and templates.place[a] == INSIDE:
        return hash_word(state, columns[templates.column[a], p + 1])
    return state


@njit(cache=True, nogil=True)
def span_scores(templates, columns, weights):
    """Policy scores [n+1, n+1] of all spans with 1 < k - i < n."""
    n = columns.shape[1] - 2
    count = templates.depends.shape[0]
    scores = np.zeros((n + 1, n + 1))
    constant = 0.0
    by_width = np.zeros(n + 1)
    by_left = np.zeros(n + 1)
    by_right = np.zeros(n + 1)
    for t in range(count):
        depends = templates.depends[t]
        if depends == NOTHING:
            constant += weights[
                finish(templates, columns, t, left_state(templates, columns, t, 0, n), 0, 0, n)
            ]
        elif depends == ON_WIDTH:
            for width in range(2, n):
                state = left_state(templates, columns, t, 0, n)
                by_width[width] += weights[finish(templates, columns, t, state, 0, width, n)]
        elif depends == ON_LEFT:
            for i in range(n - 1):
                state = left_state(templates, columns, t, i, n)
                by_left[i] += weights[finish(templates, columns, t, state, i, i, n)]
        elif depends == ON_RIGHT:
            for k in range(2, n + 1):
                state = left_state(templates, columns, t, 0, n)
                by_right[k] += weights[finish(templates, columns, t, state, 0, k, n)]
    tail = np.empty(n + 1, np.uint32)
    for i in range(n - 1):
        for k in range(i + 2, min(i + n, n + 1)):
            scores[i, k] = constant + by_width[k - i] + by_left[i] + by_right[k]
    for t in range(count):
        if templates.depends[t] != ON_BOTH:
            continue
        first = templates.middle[t]
        one_on_right = first + 1 == templates.ptr[t + 1] and LAST <= templates.place[first] <= AFTER
        if one_on_right:
            # The usual case in a loop simple enough to run on vectors.
            size = 2 + first - templates.ptr[t]
            for k in range(2, n + 1):
                tail[k] = atom_value(columns, templates.column[first], templates.place[first], 0, k, n)
            for i in range(n - 1):
                state = left_state(templates, columns, t, i, n)
                for k in range(i + 2, min(i + n, n + 1)):
                    bucket = hash_end(hash_word(state, tail[k]), size) & np.uint32(templates.mask)
                    scores[i, k] += weights[bucket]
        else:
            for i in range(n - 1):
                state = take_inside(templates, columns, t, left_state(templates, columns, t, i, n), i)
                for k in range(i + 2, min(i + n, n + 1)):
                    state = take_inside(templates, columns, t, state, k - 1)
                    scores[i, k] += weights[finish(templates, columns, t, state, i, k, n)]
    return scores


@njit(cache=True, nogil=True)
def span_rows(templates, columns, sites):
    """Buckets [R, T] of the templates at sites [R, 2], spans (i, k)."""
    n = columns.shape[1] - 2
    count = templates.depends.shape[0]
    rows = np.empty((sites.shape[0], count), np.uint32)
    for r in range(sites.shape[0]):
        i, k = sites[r]
        for t in range(count):
            state = left_state(templates, columns, t, i, n)
            for p in range(i, k):
                state = take_inside(templates, columns, t, state, p)
            rows[r, t] = finish(templates, columns, t, state, i, k, n)
    return rows
