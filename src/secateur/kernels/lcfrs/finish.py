"""A set that is finished: unary rules, the symbols that it has, and where later sets will find it."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bare import bare
from .chart import ACTIVE, ENTRIES, IMPOSSIBLE, ITEMS, LISTS, UNARIES
from .gate import is_gated, is_kept
from .rules import NONE, TWO


@njit(inline="always")
def without_unaries(room, base, width):
    """Items as words and binary rules make them; what was pruned is not there."""
    for c in range(base, base + width):
        if np.isnan(room.below[c, 0]):
            room.below[c, 0] = IMPOSSIBLE
        room.value[c], room.up[c] = room.below[c, 0], NONE


@bare
def one_unary(rules, room, gates, s, width, first, size):
    """item(x) = best of below(x), and of weight(x -> y) + below(y); returns how many there are of these."""
    base, gated, uses = room.base[s], is_gated(gates), 0
    without_unaries(room, base, width)
    for place in range(width):
        below = room.below[base + place, 0]
        if below == IMPOSSIBLE:
            continue
        y = rules.symbol[first + place]
        for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
            x = rules.unary_parent[u]
            if gated and not is_kept(gates, room.bound[s], room.fanout[s], x, size):
                continue
            uses += 1
            c = base + rules.local[x]
            made = rules.unary_weight[u] + below
            if made > room.value[c] or (made == room.value[c] and room.up[c] != NONE and u < room.up[c]):
                room.value[c], room.up[c] = made, u
    return uses


@bare
def unary_chains(rules, room, gates, s, width, first, size):
    """item(x) = best of below(x), and of weight(x -> y) + item(y), until nothing changes; returns how many
    there are of these."""
    base, gated, uses, height = room.base[s], is_gated(gates), 0, room.height
    height[:width] = 0
    without_unaries(room, base, width)
    changed = True
    while changed:
        changed, uses = False, 0
        for place in range(width):
            value = room.value[base + place]
            if value == IMPOSSIBLE:
                continue
            y = rules.symbol[first + place]
            for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                x = rules.unary_parent[u]
                if gated and not is_kept(gates, room.bound[s], room.fanout[s], x, size):
                    continue
                uses += 1
                c, made = base + rules.local[x], rules.unary_weight[u] + value
                if made < room.value[c]:
                    continue
                high = 0
                if made == value and rules.component[x] == rules.component[y]:
                    high = height[place] + 1
                old = height[rules.local[x]]
                better = made > room.value[c] or high < old
                if not better and high == old:
                    better = room.up[c] != NONE and u < room.up[c]
                if better:
                    room.value[c], room.up[c] = made, u
                    height[rules.local[x]] = high
                    changed = True
    return uses


@bare
def finish(rules, room, gates, s, size):
    """Unary rules, and the list of the symbols that a set has."""
    f = room.fanout[s]
    width, first = rules.width[f], rules.symbol_ptr[f]
    if rules.chains:
        uses = unary_chains(rules, room, gates, s, width, first, size)
    else:
        uses = one_unary(rules, room, gates, s, width, first, size)
    room.tally[UNARIES] += uses
    index, at = rules.by_child[0], room.tally[ACTIVE]
    room.begin[s] = at
    room.right[:] = 0
    room.lists[:] = 0
    for place in range(width):
        if room.value[room.base[s] + place] > IMPOSSIBLE:
            symbol = rules.symbol[first + place]
            room.active[at] = symbol
            at += 1
            for w in range(rules.as_right.shape[1]):
                room.right[w] |= rules.as_right[symbol, w]
            for g in range(index.ptr[symbol], index.ptr[symbol + 1]):
                room.lists[index.pattern[g] + 1] += 1
    room.tally[ITEMS] += at - room.begin[s]
    room.tally[ACTIVE] = room.end[s] = at
    by_pattern(rules, room, s)


@bare
def by_pattern(rules, room, s):
    """The groups of rules that a set's items are left children of; `lists` has how many of each pattern."""
    index, lists = rules.by_child[0], room.lists
    lists[0] = room.tally[LISTS]
    for p in range(1, lists.shape[0]):
        lists[p] += lists[p - 1]
    room.tally[LISTS] = lists[-1]
    for at in range(room.end[s] - 1, room.begin[s] - 1, -1):
        symbol = room.active[at]
        c = room.base[s] + rules.local[symbol]
        for g in range(index.ptr[symbol], index.ptr[symbol + 1]):
            # Filled from the end: then each list begins where the one before it ends.
            p = index.pattern[g] + 1
            lists[p] -= 1
            to = lists[p]
            room.groups[to, 0], room.groups[to, 1] = index.group_ptr[g], index.group_ptr[g + 1]
            room.groups[to, 2], room.inner[to] = c, room.value[c]
    for p in range(1, lists.shape[0] - 1):
        lists[p] = lists[p + 1]
    lists[-1] = room.tally[LISTS]


@bare
def put(rules, room, s, n):
    """Into the lists in which later sets will look for partners."""
    packed = packed_bounds(room, s)
    for own in range(2):
        for p in range(room.lists.shape[0] - 1):
            if own == 0:
                is_there = room.right[p >> 6] >> np.uint64(p & 63) & np.uint64(1)
            else:
                is_there = room.lists[p] < room.lists[p + 1]
            if is_there:
                partners = np.uint64(room.lists[p]) << np.uint64(32) | np.uint64(room.lists[p + 1])
                put_one(rules.patterns.plan, room, own, p, s, n, packed, partners)


@njit(inline="always")
def packed_bounds(room, s):
    """The first eight boundaries of a set."""
    packed = np.uint64(0)
    for b in range(min(8, 2 * room.fanout[s])):
        packed |= np.uint64(room.bound[s, b]) << np.uint64(8 * b)
    return packed


@bare
def put_one(plan, room, own, p, s, n, packed, partners):
    """Into the list for partners of a pattern's left (own 0) or right child."""
    key = np.int64(room.bound[s, plan[own, p, 3]])
    if plan[own, p, 0] == TWO:
        key = key * (n + 1) + room.bound[s, plan[own, p, 4]]
    key += room.ptr[own, p]
    e = room.tally[ENTRIES]
    room.tally[ENTRIES] += 1
    room.entry[e, 0] = np.uint64(s) << np.uint64(32) | np.uint64(room.heads[key])
    room.entry[e, 1], room.entry[e, 2] = packed, partners
    room.heads[key] = e
