"""Choosing a class by hashed patterns: every feature seen has a row of weights, one for each class met.

A feature's key has 64 bits. Its lowest bits say where to look in a table of slots, its upper half is kept
there with the number of its row, so that two features do not meet by chance. Only features that training
had to change have rows, with weights only for the classes it changed: three or so of a hundred. Row 0 is
that of all other features, and empty.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .hashing import mix

_HALF = np.uint64(32)
_ROW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_NONE = np.uint64(0)

VALUE = np.uint32(0xFFFFFFFF)


class Patterns(NamedTuple):
    """F patterns of A atoms in all. An atom is a view of a word near a place, or a value of the case."""

    seed: np.ndarray  # [F] uint64
    ptr: np.ndarray  # [F+1] uint32, the atoms of a pattern
    place: np.ndarray  # [A] uint32, which place; VALUE for a value
    column: np.ndarray  # [A] uint32, which view; which value
    offset: np.ndarray  # [A] int64, words to the right of the place


class Rows(NamedTuple):
    """R rows of E weights in all, after training."""

    keys: np.ndarray  # [R] uint64
    slots: np.ndarray  # [S] uint64, S a power of two: half a key and a row; 0 where there is none
    ptr: np.ndarray  # [R+1] uint32, the weights of a row
    column: np.ndarray  # [E] uint16, the class
    weight: np.ndarray  # [E] float32


class Table(NamedTuple):
    """Rows in training. A row of 2^k weights is full: before it gets another it moves to the end."""

    slots: np.ndarray  # [S] uint64
    keys: np.ndarray  # [R] uint64
    first: np.ndarray  # [R] uint32, where a row starts
    last: np.ndarray  # [R] uint32, where it ends
    column: np.ndarray  # [E] uint16
    weight: np.ndarray  # [E] float32
    summed: np.ndarray  # [E] float32, the changes of a weight, each times the clock
    used: np.ndarray  # [2] int64, rows and weights in use


@njit(inline="always")
def pattern_key(seed, ptr, place, column, offset, f, words, keys, places, values):
    """The key of pattern f: its seed folded with its atoms. First come the parts of a Patterns."""
    state = seed[f]
    for a in range(ptr[f], ptr[f + 1]):
        if place[a] == VALUE:
            state = mix(state, values[column[a]])
        else:
            state = mix(state, keys[words[places[place[a]] + offset[a]], column[a]])
    return state


@njit(inline="always")
def find_row(slots, key):
    """The row of a key; 0 where it has none."""
    mask = np.uint64(slots.shape[0] - 1)
    at, half = key & mask, key >> _HALF
    entry = slots[at]
    while entry != _NONE and entry >> _HALF != half:
        at = (at + _ONE) & mask
        entry = slots[at]
    return entry & _ROW


@njit(inline="always")
def find_rows(seed, ptr, place, column, offset, begin, slots, words, keys, places, values, found, at):
    """The keys and rows of all patterns from `begin` on; all before any is read, so that look-ups overlap."""
    for f in range(begin, seed.shape[0]):
        found[f] = pattern_key(seed, ptr, place, column, offset, f, words, keys, places, values)
        at[f] = find_row(slots, found[f])


@njit(inline="always")
def add_rows(first, last, column, weight, at, begin, end, scores):
    """Add the rows at[begin:end] to the scores of the classes."""
    for f in range(begin, end):
        for e in range(first[at[f]], last[at[f]]):
            scores[column[e]] += weight[e]


@njit(inline="always")
def best_class(scores, allowed):
    """The first of the best among the allowed classes."""
    best = np.int64(-1)
    for c in range(scores.shape[0]):
        if allowed[c] and (best < 0 or scores[c] > scores[best]):
            best = c
    return best


@njit(inline="always")
def best_rival(scores, allowed, gold):
    """The first of the best among the allowed classes but the true one; -1 if there is no other."""
    best = np.int64(-1)
    for c in range(scores.shape[0]):
        if allowed[c] and c != gold and (best < 0 or scores[c] > scores[best]):
            best = c
    return best


@njit(cache=True, nogil=True)
def _put_row(slots, key, row):
    """Take in a key that is not there."""
    mask = np.uint64(slots.shape[0] - 1)
    at = key & mask
    while slots[at] != _NONE:
        at = (at + _ONE) & mask
    slots[at] = (key >> _HALF) << _HALF | np.uint64(row)


@njit(cache=True, nogil=True)
def slots_of(keys, count, size):
    """So many slots for the keys of the first `count` rows, all but row 0."""
    slots = np.zeros(size, np.uint64)
    for row in range(1, count):
        _put_row(slots, keys[row], row)
    return slots


@njit(cache=True, nogil=True)
def _longer(array, count, size):
    """The first `count` values of an array, in one of another size."""
    longer = np.zeros(size, array.dtype)
    for place in range(count):
        longer[place] = array[place]
    return longer


@njit(cache=True, nogil=True)
def _room_for(table, more_rows, more_weights):
    """The table, or one twice as large where it has no room for so many more."""
    rows, weights = table.used[0], table.used[1]
    size = table.keys.shape[0]
    if rows + more_rows > size:
        while size < rows + more_rows:
            size *= 2
        keys = _longer(table.keys, rows, size)
        first, last = _longer(table.first, rows, size), _longer(table.last, rows, size)
        slots = slots_of(keys, rows, 2 * size)
        table = Table(slots, keys, first, last, table.column, table.weight, table.summed, table.used)
    size = table.weight.shape[0]
    if weights + more_weights > size:
        while size < weights + more_weights:
            size *= 2
        column, weight = _longer(table.column, weights, size), _longer(table.weight, weights, size)
        summed = _longer(table.summed, weights, size)
        table = Table(table.slots, table.keys, table.first, table.last, column, weight, summed, table.used)
    return table


@njit(cache=True, nogil=True)
def _change(table, row, c, step, clock):
    """Add to the weight of a class."""
    column, weight, summed, used = table.column, table.weight, table.summed, table.used
    e, end = np.int64(table.first[row]), np.int64(table.last[row])
    size = end - e
    while e < end and column[e] != c:
        e += 1
    if e == end:
        if size & (size - 1) == 0:
            e = used[1]
            table.first[row] = e
            used[1] += max(2 * size, 1)
            for old in range(end - size, end):
                column[e], weight[e], summed[e] = column[old], weight[old], summed[old]
                e += 1
        table.last[row] = e + 1
        column[e] = c
    weight[e] += np.float32(step)
    summed[e] += np.float32(step * clock)


@njit(cache=True, nogil=True)
def learn(table, found, gold, rival, classes, clock):
    """Move the features with the keys `found` from the rival to the true class; the table may be another."""
    count = found.shape[0]
    table = _room_for(table, count, 4 * count * (classes + 1))
    for key in found:
        row = find_row(table.slots, key)
        if not row:
            row = np.uint64(table.used[0])
            _put_row(table.slots, key, row)
            table.keys[row] = key
            table.used[0] += 1
        _change(table, row, gold, 1.0, clock)
        _change(table, row, rival, -1.0, clock)
    return table


@njit(cache=True, nogil=True)
def averaged(table, clock):
    """weight - summed / clock, row by row: [R+1] where rows start, classes and weights; nothing that is 0."""
    rows = table.used[0]
    ptr = np.zeros(rows + 1, np.uint32)
    column, weight = np.empty(table.used[1], np.uint16), np.empty(table.used[1], np.float32)
    count = 0
    for row in range(rows):
        ptr[row] = count
        for e in range(table.first[row], table.last[row]):
            mean = np.float32(table.weight[e] - np.float64(table.summed[e]) / clock)
            if mean != 0:
                column[count], weight[count] = table.column[e], mean
                count += 1
    ptr[rows] = count
    return ptr, column[:count].copy(), weight[:count].copy()
