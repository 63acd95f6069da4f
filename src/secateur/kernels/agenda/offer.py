"""Ways to make an item: what becomes of each."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bare import bare
from ..cky.sparse import cell_of
from .dynamic import looked
from .heap import put
from .priorities import AGAIN, DROP
from .state import DROPPED, IMPOSSIBLE, ITEMS, NONE, PUSHES, make_row, name_of, node_score, try_as_node


@bare
def priority_of(priorities, i, k, symbol, score):
    """-inf: there is nothing outside that this could be part of, or so it is estimated."""
    column = priorities.column[symbol]
    found = priorities.inside * np.float64(score) + priorities.span[i, k]
    found = found + priorities.first[i, column] + priorities.last[k, column]
    if priorities.outside.shape[0]:
        found += np.float64(priorities.outside[cell_of(i, k), priorities.seen[symbol]])
    return found


@bare
def floor_of(state, how, i, k):
    """The score below which items of a span are dropped."""
    return state.best[i, k] - np.float32(how.delta)


@njit(inline="always")
def dynamic_of(weight, state, item, i, k, score):
    """What dynamic features add to a priority."""
    into, symbols, i, k = state.dynamic[item], np.uint64(state.list_of.shape[2]), np.int64(i), np.int64(k)
    looked(into, state.nodes, state.row_of, state.score, symbols, state.best[i, k], i, k, score)
    found = 0.0
    for feature in range(weight.shape[0]):
        found += weight[feature] * into[feature]
    return found


@njit(inline="always")
def offer(state, priorities, how, at, i, k, symbol, over, score, rule, left, right):
    """A better way to make the item at this place of the rows than any before."""
    key = priority_of(priorities, i, k, symbol, score)
    if key == -np.inf or (over and score <= node_score(state, i, k, symbol)):
        return
    state.best[i, k] = max(state.best[i, k], score)
    item = state.item[at]
    if state.score[at] == IMPOSSIBLE:
        item = np.uint32(state.tally[ITEMS])
        state.tally[ITEMS] += 1
        state.item[at], state.name[item] = item, name_of(i, k, symbol, over)
        state.popped[item], state.place[item] = False, 0
    popped = state.popped[item]
    if popped and how.merge == DROP:
        return
    state.score[at] = state.made[item] = score
    state.rule[item], state.left[item], state.right[item] = rule, left, right
    if not popped or how.merge == AGAIN:
        if priorities.dynamic.shape[0]:
            key += dynamic_of(priorities.dynamic, state, item, i, k, score)
        put(state, item, key)
    if popped:
        try_as_node(state, item, i, k, symbol, score)


@bare
def offer_words(rules, words, anchors, priorities, how, state):
    """base(i, i+1, t) = max over entries t -> w_i of its weight"""
    symbols = np.uint64(state.list_of.shape[2])
    for i in range(words.shape[0]):
        first, last = rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + np.uint32(1)]
        if first == last:
            continue
        base = make_row(state, i, i + 1, 0) * symbols
        state.tally[PUSHES] += np.int64(last - first)
        for e in range(first, last):
            symbol, score = np.uint64(rules.lex_tag[e]), rules.lex_weight[e]
            if anchors.tag.shape[0]:
                score += anchors.tag[i, symbol]
            at = base + symbol
            if score < floor_of(state, how, i, i + 1):
                state.tally[DROPPED] += score > IMPOSSIBLE
            elif score > state.score[at]:
                offer(state, priorities, how, at, i, i + 1, symbol, 0, score, NONE, NONE, NONE)
