"""Agenda parsing, some pops at a time.

    base(i, i+1, x) = max over entries x -> w_i of its weight
    base(i, k, x)   = max over x -> y z and i < j < k of node(i, j, y) + node(j, k, z) + weight
    over(i, k, x)   = max over x -> y of base(i, k, y) + weight
    node(i, k, x)   = max of base(i, k, x) and over(i, k, x)

of what was popped so far; scores are added in CKY's order, so that a search that ends with CKY's derivation
ends with its score, bit for bit. That is so when the priority is the score and none is above 0.

A pop takes one item from the agenda, whatever becomes of it: delta may drop it, and a unary's item is left
where it is when the node is as good already. A push is one lexical entry, one unary rule over a popped item,
or one binary rule with two nodes, improving or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..bare import bare
from .combine import beside_it, over_it
from .heap import take
from .offer import floor_of, offer_words
from .priorities import How, Limits, Priorities
from .state import (
    BYTES,
    DROPPED,
    EMPTY,
    FOUND,
    ITEMS,
    LISTS,
    LONGEST,
    MORE_ROOM,
    NONE,
    ONE,
    POPPED,
    POPS,
    PUSHES,
    ROWS,
    RUNNING,
    WAITING,
    State,
    enlarged,
    is_over,
    node_of,
    room_for,
    size_of,
    start_of,
    symbol_of,
    try_as_node,
    width_of,
)

# Room to begin with: items, lists, and bytes of rows. What is not needed is not touched.
_ITEMS, _LISTS, _ROWS = 1 << 12, 1 << 9, 1 << 24
_LOG = 1 << 10


@njit(cache=True, nogil=True)
def started(rules, words, mask, anchors, priorities, how, log):
    """A state in which the words wait; `log`: pops for whose log there is room, 0 for none."""
    n, symbols = words.shape[0], rules.pair_ptr.shape[0] - 1
    entries = 0
    for word in words:
        entries += np.int64(rules.lex_ptr[word + 1]) - np.int64(rules.lex_ptr[word])
    rows = min(n * (n + 1), max(4 * n, _ROWS // (8 * symbols))) + 1
    dynamic = priorities.dynamic.shape[0]
    state = room_for(n, symbols, rows, _LISTS, entries + _ITEMS, dynamic, log)
    for i in range(n):
        for k in range(i + 2, n + 1):
            if not (k - i == n or mask[i, k]):
                state.row_of[0, i, k] = NONE
    offer_words(rules, words, anchors, priorities, how, state)
    return state


@bare
def needs(rules, joins, state, i, k, x):
    """Upper bounds of the rows and the items that one popped item makes."""
    n, symbols = state.best.shape[0] - 1, state.list_of.shape[2]
    items = np.int64(rules.unary_ptr[x + ONE]) - np.int64(rules.unary_ptr[x])
    items += (n - k) * min(symbols, joins.left.uses[x]) + i * min(symbols, joins.right.uses[x])
    return n - k + i + 1, items


@bare
def has_room(state, rows, items):
    tally = state.tally
    return (
        tally[ROWS] + rows <= state.score.shape[0] // state.list_of.shape[2]
        and tally[LISTS] + 2 <= state.list_size.shape[0]
        and tally[ITEMS] + items <= state.rule.shape[0]
        and not 0 < state.log_item.shape[0] <= tally[POPPED]
    )


@bare
def note(state, item, key, score):
    """An entry of the log."""
    at = state.tally[POPPED]
    state.log_item[at], state.log_key[at], state.log_score[at] = item, key, score
    state.log_pushes[at] = state.tally[PUSHES]


@bare
def work(rules, joins, anchors, priorities, how, state, until):
    """Pop until there is a complete parse, or until this many pops; FOUND, EMPTY, RUNNING, or MORE_ROOM."""
    tally, n = state.tally, state.best.shape[0] - 1
    while tally[WAITING] > 0:
        if tally[POPPED] >= until:
            return RUNNING
        item, key = state.waiting[0], state.key[0]
        name, score = state.name[item], state.made[item]
        i, x = start_of(name), symbol_of(name)
        k = i + width_of(name)
        rows, items = needs(rules, joins, state, i, k, x)
        if not has_room(state, rows, items):
            return MORE_ROOM
        take(state)
        if state.log_item.shape[0]:
            note(state, item, key, score)
        tally[POPPED] += 1
        if score < floor_of(state, how, i, k):
            tally[DROPPED] += 1
            continue
        state.popped[item] = True
        try_as_node(state, item, i, k, x, score)
        if not is_over(name):
            over_it(rules, anchors, priorities, how, state, item, i, k, x, score)
        if node_of(state, i, k, x) != item:
            continue
        for side in range(2):
            own = joins.left if side == 0 else joins.right
            beside_it(own, side, anchors, priorities, how, state, item, i, k, x, score)
        if i == 0 and k == n and x == rules.start:
            return FOUND
    return EMPTY


@njit(cache=True, nogil=True)
def doubled(room, used, needed):
    """Room for what is needed: as it is, or twice as much as that."""
    return room if used + needed <= room else 2 * (used + needed)


@njit(cache=True, nogil=True)
def advanced(rules, joins, anchors, priorities, how, limits, state, pops):
    """Work on at most so many pops: how the search stands, and its state."""
    tally, n, symbols = state.tally, state.best.shape[0] - 1, state.list_of.shape[2]
    until = min(limits.pops, tally[POPPED] + pops)
    rows, lists = state.score.shape[0] // symbols, state.list_size.shape[0]
    (items, dynamic), log = state.dynamic.shape, state.log_item.shape[0]
    if size_of(n, symbols, rows, lists, items, dynamic, log) > limits.bytes:
        return BYTES, state
    while True:
        code = work(rules, joins, anchors, priorities, how, state, until)
        if code == RUNNING and tally[POPPED] >= limits.pops:
            code = POPS
        if code != MORE_ROOM:
            return code, state
        name = state.name[state.waiting[0]]
        i = start_of(name)
        more_rows, more_items = needs(rules, joins, state, i, i + width_of(name), symbol_of(name))
        rows = min(doubled(rows, tally[ROWS], more_rows), n * (n + 1) + n + 2)
        lists, items = doubled(lists, tally[LISTS], 2), doubled(items, tally[ITEMS], more_items)
        log = doubled(log, tally[POPPED], 1) if log else 0
        if size_of(n, symbols, rows, lists, items, dynamic, log) > limits.bytes:
            return BYTES, state
        state = enlarged(state, rows, lists, items, log)


@njit(cache=True, nogil=True)
def _started_fields(rules, words, mask, anchors, priorities, how, log):
    return started(rules, words, mask, anchors, priorities, how, log)[:]


@njit(cache=True, nogil=True)
def _advanced_fields(rules, joins, anchors, priorities, how, limits, state, pops):
    code, found = advanced(rules, joins, anchors, priorities, how, limits, state, pops)
    return code, found[:]


def begin(
    rules: Any, words: Any, mask: Any, anchors: Any, priorities: Priorities, how: How, *, log: bool = False
) -> State:
    """`started`, called from Python: a kernel returns no NamedTuple to it, as cky.parse.Found says."""
    if not 0 < len(words) <= LONGEST:
        raise ValueError(f"{len(words)} words: an agenda takes 1 to {LONGEST}")
    return State(*_started_fields(rules, words, mask, anchors, priorities, how, _LOG if log else 0))


def advance(
    rules: Any,
    joins: Any,
    anchors: Any,
    priorities: Priorities,
    how: How,
    limits: Limits,
    state: State,
    pops: int,
) -> tuple[int, State]:
    """`advanced`, called from Python. After FOUND the search may go on, to better parses.

    The state that was given is not to be used any more.
    """
    code, fields = _advanced_fields(rules, joins, anchors, priorities, how, limits, state, pops)
    return code, State(*fields)
