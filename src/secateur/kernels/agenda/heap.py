"""The agenda: a heap of four children a place, in which an item moves when its priority changes."""

from __future__ import annotations

import numpy as np
from numba import njit

from .state import WAITING


@njit(inline="always")
def is_before(state, key, item, place):
    """Whether an item comes before the one at a place, as priorities.py has it."""
    there = state.key[place]
    if key != there:
        return key > there
    other = state.waiting[place]
    if state.made[item] != state.made[other]:
        return state.made[item] > state.made[other]
    return state.name[item] < state.name[other]


@njit(inline="always")
def set_at(state, place, key, item):
    state.key[place] = key
    state.waiting[place] = item
    state.place[item] = place + 1


@njit(inline="always")
def rise(state, place, key, item):
    """Put an item at this place or above."""
    while place > 0:
        above = (place - 1) >> 2
        if not is_before(state, key, item, above):
            break
        set_at(state, place, state.key[above], state.waiting[above])
        place = above
    set_at(state, place, key, item)


@njit(inline="always")
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


@njit(inline="always")
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


@njit(inline="always")
def take(state):
    """Take the first item away."""
    state.place[state.waiting[0]] = 0
    state.tally[WAITING] -= 1
    last = state.tally[WAITING]
    if last > 0:
        sink(state, 0, state.key[last], state.waiting[last])
