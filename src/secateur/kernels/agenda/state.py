"""A sentence being parsed by agenda: chart, agenda and counts, in arrays that grow.

An item is a span, a symbol, and whether it is one unary over another item. Items are numbered as they come
up. The *node* of a span and symbol is the better one of its two items that were popped; nodes combine. Scores
are kept in rows over all symbols, lists of nodes in rows over positions; both are made when first needed, so
that a grammar with thousands of symbols costs nothing before its items do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare

IMPOSSIBLE = np.float32(-np.inf)
NONE = np.uint32(0xFFFFFFFF)  # no row may be made here; no item; no rule
ONE = np.uint64(1)
LONGEST = 32767  # words: a position has 15 bits of a name
# How a search stands.
RUNNING, FOUND, EMPTY, POPS, BYTES = range(5)
MORE_ROOM = -1
# What State.tally counts: rows and lists from 1 on, pops, hyperedges built, and what delta dropped of both.
ROWS, LISTS, ITEMS, WAITING, POPPED, PUSHES, DROPPED, COUNTS = range(8)


class State(NamedTuple):
    """n words, N symbols; R rows, L lists and I items for which there is room."""

    tally: np.ndarray  # [COUNTS] int64
    row_of: np.ndarray  # [2, n+1, n+1] uint32 of a span, without and with a unary; 0: not yet, NONE: never
    score: np.ndarray  # [R * N] float32 the best so far
    item: np.ndarray  # [R * N] uint32 its number, where there is a score
    name: np.ndarray  # [I] uint64 span, symbol and whether with a unary, as `name_of` packs them
    made: np.ndarray  # [I] float32 the best score so far
    popped: np.ndarray  # [I] bool
    rule: np.ndarray  # [I] uint32 what made it; NONE: a lexical entry
    left: np.ndarray  # [I] uint32 of what items; a unary's child is the left one
    right: np.ndarray  # [I] uint32
    place: np.ndarray  # [I] uint32 in the agenda, from 1 on; 0: does not wait
    key: np.ndarray  # [I] float64 the agenda: a heap of priorities ...
    waiting: np.ndarray  # [I] uint32 ... and items
    best: np.ndarray  # [n+1, n+1] float32 of a span's items, waiting or popped
    node_best: np.ndarray  # [n+1, n+1] float32 of its nodes ...
    node_item: np.ndarray  # [n+1, n+1] uint32 ... the first one with that score
    nodes: np.ndarray  # [n+1, n+1] uint32 how many there are
    list_of: np.ndarray  # [2, n+1, N] uint32 nodes of a symbol that begin (0), or end (1), at a position
    listed: np.ndarray  # [2, n+1, words64] uint64 the symbols that have such a list, as sets of bits
    list_size: np.ndarray  # [L] uint32
    list_far: np.ndarray  # [L, n+1] uint16 their other ends, as they came
    list_score: np.ndarray  # [L, n+1] float32 by the other end
    list_item: np.ndarray  # [L, n+1] uint32
    dynamic: np.ndarray  # [I, D] float64 the dynamic features of an item, as it waits; D is 0: there are none
    log_item: np.ndarray  # [P] uint32 what was popped, in order; of length 0: no log is kept
    log_key: np.ndarray  # [P] float64 its priority then
    log_score: np.ndarray  # [P] float32 its score then
    log_pushes: np.ndarray  # [P] int64 hyperedges built before


@njit(inline="always")
def name_of(i, k, symbol, over):
    """Of items that are equal otherwise the smaller name is popped first."""
    shape = np.uint64(LONGEST - (k - i)) << np.uint64(48) | np.uint64(i) << np.uint64(33)
    return shape | np.uint64(over) << np.uint64(32) | np.uint64(symbol)


@njit(inline="always")
def start_of(name):
    return np.int64((name >> np.uint64(33)) & np.uint64(LONGEST))


@njit(inline="always")
def width_of(name):
    return LONGEST - np.int64(name >> np.uint64(48))


@njit(inline="always")
def symbol_of(name):
    return name & np.uint64(0xFFFFFFFF)


@njit(inline="always")
def is_over(name):
    return np.int64((name >> np.uint64(32)) & ONE)


@njit(cache=True, nogil=True)
def room_for(n, symbols, rows, lists, items, dynamic, log):
    """An empty state, with so many dynamic features."""
    wide = (symbols + 63) // 64
    tally = np.zeros(COUNTS, np.int64)
    tally[ROWS] = tally[LISTS] = 1
    return State(
        tally,
        np.zeros((2, n + 1, n + 1), np.uint32),
        np.empty(rows * symbols, np.float32),
        np.empty(rows * symbols, np.uint32),
        np.empty(items, np.uint64),
        np.empty(items, np.float32),
        np.empty(items, np.bool_),
        np.empty(items, np.uint32),
        np.empty(items, np.uint32),
        np.empty(items, np.uint32),
        np.empty(items, np.uint32),
        np.empty(items, np.float64),
        np.empty(items, np.uint32),
        np.full((n + 1, n + 1), IMPOSSIBLE, np.float32),
        np.full((n + 1, n + 1), IMPOSSIBLE, np.float32),
        np.full((n + 1, n + 1), NONE, np.uint32),
        np.zeros((n + 1, n + 1), np.uint32),
        np.zeros((2, n + 1, symbols), np.uint32),
        np.zeros((2, n + 1, wide), np.uint64),
        np.empty(lists, np.uint32),
        np.empty((lists, n + 1), np.uint16),
        np.empty((lists, n + 1), np.float32),
        np.empty((lists, n + 1), np.uint32),
        np.empty((items, dynamic), np.float64),
        np.empty(log, np.uint32),
        np.empty(log, np.float64),
        np.empty(log, np.float32),
        np.empty(log, np.int64),
    )


@bare
def size_of(n, symbols, rows, lists, items, dynamic, log):
    """The bytes of such a state."""
    spans = (n + 1) * (n + 1)
    ends = 2 * (n + 1) * (4 * symbols + 8 * ((symbols + 63) // 64))
    of_items = (41 + 8 * dynamic) * items
    return 24 * spans + ends + 8 * rows * symbols + of_items + lists * (4 + 10 * (n + 1)) + 24 * log


@njit(cache=True, nogil=True)
def longer(array, size):
    """The same array with room behind it, if it has too little."""
    if array.shape[0] >= size:
        return array
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def enlarged(state, rows, lists, items, log):
    """The same state with more room."""
    symbols = state.list_of.shape[2]
    return State(
        state.tally,
        state.row_of,
        longer(state.score, rows * symbols),
        longer(state.item, rows * symbols),
        longer(state.name, items),
        longer(state.made, items),
        longer(state.popped, items),
        longer(state.rule, items),
        longer(state.left, items),
        longer(state.right, items),
        longer(state.place, items),
        longer(state.key, items),
        longer(state.waiting, items),
        state.best,
        state.node_best,
        state.node_item,
        state.nodes,
        state.list_of,
        state.listed,
        longer(state.list_size, lists),
        longer(state.list_far, lists),
        longer(state.list_score, lists),
        longer(state.list_item, lists),
        longer(state.dynamic, items),
        longer(state.log_item, log),
        longer(state.log_key, log),
        longer(state.log_score, log),
        longer(state.log_pushes, log),
    )


@bare
def make_row(state, i, k, over):
    """A row of scores for a span."""
    row = np.uint64(state.tally[ROWS])
    state.tally[ROWS] += 1
    state.row_of[over, i, k] = row
    symbols = np.uint64(state.list_of.shape[2])
    for at in range(row * symbols, (row + ONE) * symbols):
        state.score[at] = IMPOSSIBLE
    return row


@bare
def list_for(state, side, position, symbol):
    """The list of the nodes of a symbol that begin or end at a position."""
    found = state.list_of[side, position, symbol]
    if found == 0:
        found = np.uint32(state.tally[LISTS])
        state.tally[LISTS] += 1
        state.list_of[side, position, symbol] = found
        state.listed[side, position, symbol >> 6] |= ONE << np.uint64(symbol & 63)
        state.list_size[found] = 0
        for far in range(state.list_score.shape[1]):
            state.list_score[found, far] = IMPOSSIBLE
    return found


@bare
def node_score(state, i, k, symbol):
    """-inf: there is none."""
    found = state.list_of[0, i, symbol]
    return state.list_score[found, k] if found else IMPOSSIBLE


@bare
def node_of(state, i, k, symbol):
    """The item that is the node of a span and symbol; NONE: there is none."""
    if node_score(state, i, k, symbol) == IMPOSSIBLE:
        return NONE
    return state.list_item[state.list_of[0, i, symbol], k]


@bare
def try_as_node(state, item, i, k, symbol, score):
    """Let a popped item be the node of its span and symbol if it is better than what is."""
    if score <= node_score(state, i, k, symbol):
        return
    for side in range(2):
        position, far = (i, k) if side == 0 else (k, i)
        found = list_for(state, side, position, symbol)
        if state.list_score[found, far] == IMPOSSIBLE:
            state.list_far[found, state.list_size[found]] = far
            state.list_size[found] += np.uint32(1)
            state.nodes[i, k] += np.uint32(side)
        state.list_score[found, far] = score
        state.list_item[found, far] = item
    if score > state.node_best[i, k]:
        state.node_best[i, k] = score
        state.node_item[i, k] = item
