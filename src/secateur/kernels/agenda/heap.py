"""The agenda: a heap of four children a place, in which an item moves when its priority changes."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bare import bare
from .state import WAITING


@bare
def is_first_of_equals(state, item, other):
    """Whether an item comes before another one of the same priority, as priorities.py has it."""
    at, beside = state.where[item], state.where[other]
    if state.score[at] != state.score[beside]:
        return state.score[at] > state.score[beside]
    symbols = np.uint64(state.list_of.shape[2])
    row, other_row = at // symbols, beside // symbols
    i, j = np.int64(state.row_span[row, 0]), np.int64(state.row_span[other_row, 0])
    width = np.int64(state.row_span[row, 1]) - i
    other_width = np.int64(state.row_span[other_row, 1]) - j
    if width != other_width:
        return width > other_width
    if i != j:
        return i < j
    over, other_over = state.row_span[row, 2], state.row_span[other_row, 2]
    if over != other_over:
        return over < other_over
    return at < beside


@njit(inline="always")
def is_before(state, key, item, place):
    """Whether an item comes before the one at a place."""
    there = state.key[place]
    if key != there:
        return key > there
    return is_first_of_equals(state, item, state.waiting[place])


@njit(inline="always")
def set_at(state, place, key, item):
    state.key[place] = key
    state.waiting[place] = item
    state.place[item] = place + 1


@bare
def rise(state, place, key, item):
    """Put an item at this place or above."""
    while place > 0:
        above = (place - 1) >> 2
        if not is_before(state, key, item, above):
            break
        set_at(state, place, state.key[above], state.waiting[above])
        place = above
    set_at(state, place, key, item)


@bare
def sink(state, place, key, item):
    """Put an item at this place or below."""
    size = state.tally[WAITING]
    while 4 * place + 1 < size:
        child = 4 * place + 1
        for other in range(child + 1, min(child + 4, size)):
            if is_before(state, state.key[other], state.waiting[other], child):
                child = other
        if is_before(state, key, item, child):
            break
        set_at(state, place, state.key[child], state.waiting[child])
        place = child
    set_at(state, place, key, item)


@bare
def put(state, item, key):
    """Let an item wait with this priority; its score is not smaller than it was."""
    place = np.int64(state.place[item]) - 1
    if place < 0:
        state.tally[WAITING] += 1
        rise(state, state.tally[WAITING] - 1, key, item)
    elif key >= state.key[place]:
        rise(state, place, key, item)
    else:
        sink(state, place, key, item)


@bare
def take(state):
    """Take the first item away."""
    state.place[state.waiting[0]] = 0
    state.tally[WAITING] -= 1
    last = state.tally[WAITING]
    if last > 0:
        sink(state, 0, state.key[last], state.waiting[last])
