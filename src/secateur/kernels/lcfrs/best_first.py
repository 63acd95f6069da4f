"""Best-first deduction: items in the order of their values, up to the best parse of the sentence.

    below(x, U) and item(x, U) are those of chart.py, but an item is worked on when it is the best of all that
    wait: no rule raises a value (log weights are 0 at most), so it has its own by then. It is combined with
    the items that were worked on before.

Room is that of the exhaustive chart; `value` is of items that have been worked on. Ties of values are settled
by the order of chart.py among the ways to make an item that come up before it is worked on. Those are all the
best ones, unless a rule costs nothing (a unary one with log weight 0, or a binary one with a child of value
0): then another of the best derivations may be found. Of items of one value the one with the earlier cell
comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .chart import (
    CURSOR,
    DONE,
    ENTRIES,
    FREE,
    IMPOSSIBLE,
    ITEMS,
    MORE_CELLS,
    MORE_ENTRIES,
    PAIRS,
    PAUSE,
    PUSHES,
    UNARIES,
    find,
    is_smaller,
)
from .finish import packed_bounds, put_one
from .gate import is_gated, is_kept, is_open
from .join import covered, fits, is_room, is_worth, places, union
from .rules import NONE

BELOW_IT, ITEM = range(2)  # what waits: an item before its unary rule (where there is one at most), or after
MORE_WAITING = 100  # no code of chart.py


class Queue(NamedTuple):
    """What waits, and what is known of cells and sets beside the room."""

    offer: np.ndarray  # [C] float64 the best value of an item so far
    closed: np.ndarray  # [C, 2] bool whether BELOW_IT and ITEM have been worked on
    entered: np.ndarray  # [S, 2, W] uint64 the patterns for whose left and right children a set can be found
    score: np.ndarray  # [H] float64 a heap; what is out of date is passed over when it comes up
    waiting: np.ndarray  # [H, 3] uint32 cell, set, BELOW_IT or ITEM
    count: np.ndarray  # [3] int64 how many wait; set and symbol of the item at hand


@njit(inline="always")
def is_before(queue, score, cell, kind, at):
    """Whether something comes before the one at a place of the heap."""
    if score != queue.score[at]:
        return score > queue.score[at]
    if cell != queue.waiting[at, 0]:
        return cell < queue.waiting[at, 0]
    return kind < queue.waiting[at, 2]


@njit(inline="always")
def set_at(queue, at, score, cell, s, kind):
    queue.score[at] = score
    queue.waiting[at, 0], queue.waiting[at, 1], queue.waiting[at, 2] = cell, s, kind


@njit(inline="always")
def move(queue, to, at):
    queue.score[to], queue.waiting[to, 0] = queue.score[at], queue.waiting[at, 0]
    queue.waiting[to, 1], queue.waiting[to, 2] = queue.waiting[at, 1], queue.waiting[at, 2]


@bare
def push(queue, score, cell, s, kind):
    at = queue.count[0]
    queue.count[0] += 1
    while at > 0:
        above = (at - 1) >> 1
        if not is_before(queue, score, cell, kind, above):
            break
        move(queue, at, above)
        at = above
    set_at(queue, at, score, cell, s, kind)


@bare
def pop(queue):
    """Take the first one away."""
    queue.count[0] -= 1
    last = queue.count[0]
    score, cell, s = queue.score[last], queue.waiting[last, 0], queue.waiting[last, 1]
    kind = queue.waiting[last, 2]
    at = np.int64(0)
    while 2 * at + 1 < last:
        child = 2 * at + 1
        if child + 1 < last and is_before(
            queue, queue.score[child + 1], queue.waiting[child + 1, 0], queue.waiting[child + 1, 2], child
        ):
            child += 1
        if is_before(queue, score, cell, kind, child):
            break
        move(queue, at, child)
        at = child
    set_at(queue, at, score, cell, s, kind)


@bare
def offer_below(rules, room, queue, s, cell, symbol, made, rule, left):
    """A word or a binary rule makes an item."""
    old = room.below[cell, 0]
    layered = not rules.chains and rules.unary_ptr[symbol] < rules.unary_ptr[symbol + 1]
    if made > old:
        room.below[cell, 0], room.made[cell, 2], room.made[cell, 3] = made, rule, left
        if layered:
            push(queue, made, cell, s, BELOW_IT)
    elif made == old and not queue.closed[cell, BELOW_IT]:
        by = room.made[cell, 2]
        if rule < by or (rule == by and is_smaller(room.words, left, room.made[cell, 3])):
            room.made[cell, 2], room.made[cell, 3] = rule, left
    if made > queue.offer[cell]:
        queue.offer[cell], room.up[cell] = made, NONE
        push(queue, made, cell, s, ITEM)
    elif made == queue.offer[cell] and not queue.closed[cell, ITEM]:
        room.up[cell] = NONE


@bare
def offer_above(rules, room, gates, queue, s, symbol, value):
    """Unary rules with this child, of this value."""
    gated = is_gated(gates)
    for u in range(rules.unary_ptr[symbol], rules.unary_ptr[symbol + 1]):
        x = rules.unary_parent[u]
        size = covered(room.bound, room.fanout, s)
        if gated and not is_kept(gates, room.bound[s], room.fanout[s], x, size):
            continue
        room.tally[UNARIES] += 1
        cell, made = room.base[s] + rules.local[x], rules.unary_weight[u] + value
        if made > queue.offer[cell]:
            queue.offer[cell], room.up[cell] = made, u
            push(queue, made, cell, s, ITEM)
        elif made == queue.offer[cell] and not queue.closed[cell, ITEM] and NONE != room.up[cell] > u:
            room.up[cell] = u


@bare
def words_wait(rules, room, queue, n):
    """Let the items of single words wait."""
    for s in range(n):
        for place in range(rules.width[1]):
            cell = room.base[s] + place
            made = room.below[cell, 0]
            if made > IMPOSSIBLE:
                room.below[cell, 0] = IMPOSSIBLE
                symbol = rules.symbol[rules.symbol_ptr[1] + place]
                offer_below(rules, room, queue, s, cell, symbol, made, room.made[cell, 2], s)


@bare
def enter_lists(rules, room, queue, s, symbol, n):
    """Let the set be found as what this symbol can be a child of."""
    packed, plan = packed_bounds(room, s), rules.patterns.plan
    for own in range(2):  # the child whose partner is looked for: this one is the other
        index = rules.by_child[1 - own]
        for g in range(index.ptr[symbol], index.ptr[symbol + 1]):
            p = index.pattern[g]
            word, bit = p >> 6, np.uint64(1) << np.uint64(p & 63)
            if not queue.entered[s, own, word] & bit:
                queue.entered[s, own, word] |= bit
                put_one(plan, room, own, p, s, n, packed, np.uint64(0))


@bare
def join_item(rules, room, gates, queue, s, symbol, n):
    """Combine an item with all that were worked on before: DONE, or what there is not enough room for, when
    it is to be done again. A way to make an item counts when it has both children."""
    patterns, words, bound, fanout = rules.patterns, room.words, room.bound, room.fanout
    table, entry, value, weight = room.table, room.entry, room.value, rules.rule_weight
    plan, test, test_ptr = patterns.plan, patterns.test, patterns.test_ptr
    mine = value[room.base[s] + rules.local[symbol]]
    gated, pairs, pushes = is_gated(gates), np.int64(0), np.int64(0)
    size = covered(bound, fanout, s)
    for own in range(2):
        index = rules.by_child[own]
        for g in range(index.ptr[symbol], index.ptr[symbol + 1]):
            p = np.int64(index.pattern[g])
            first, last = places(plan, own, p, bound, s, n)
            for place in range(room.ptr[own, p] + first, room.ptr[own, p] + last):
                e = room.heads[place]
                while e != NONE:
                    t, packed = np.uint32(entry[e, 0] >> np.uint64(32)), entry[e, 1]
                    e = np.uint32(entry[e, 0])
                    if not fits(test, test_ptr[own, p], test_ptr[own, p + 1], bound, s, t, packed):
                        continue
                    pairs += 1
                    left, right = (np.uint32(s), t) if own == 0 else (t, np.uint32(s))
                    if gated and not is_open(patterns, gates, bound, left, right, p):
                        continue
                    target, base, whole = np.int64(-1), np.int64(0), np.int64(0)
                    for pair in range(index.group_ptr[g], index.group_ptr[g + 1]):
                        other = value[room.base[t] + index.other[pair]]
                        if other == IMPOSSIBLE:
                            continue
                        if target < 0:
                            low, high = words[s, 0] | words[t, 0], words[s, 1] | words[t, 1]
                            target = find(table, low, high)
                            if table[target, 2] == FREE:
                                if not is_room(rules, room, p):
                                    return MORE_CELLS
                                both = size + covered(bound, fanout, t)
                                union(rules, room, target, left, right, p, both)
                            whole, base = np.int64(table[target, 2]), np.int64(table[target, 3])
                        begin, end = index.pair_ptr[pair], index.pair_ptr[pair + 1]
                        if queue.count[0] + 2 * (end - begin) > queue.score.shape[0]:
                            return MORE_WAITING
                        for k in range(begin, end):
                            r = index.rule[k]
                            c = base + rules.rule_parent[r]
                            if gated and not is_worth(rules, room, gates, room.below[c, 0], whole, c):
                                continue
                            pushes += 1
                            made = weight[r] + mine + other if own == 0 else weight[r] + other + mine
                            x = rules.symbol[rules.symbol_ptr[patterns.parent[p]] + rules.rule_parent[r]]
                            offer_below(rules, room, queue, whole, c, x, made, rules.rule_id[r], left)
    room.tally[PUSHES] += pushes
    room.tally[PAIRS] += pairs
    return DONE


@bare
def work(rules, room, gates, queue, n, items, breath):
    """Go on until the sentence's best item is worked on or nothing waits; DONE, PAUSE (more `items`, or rules
    used `breath` times), or what there is not enough room for. The tally's cursor is the item at hand."""
    tally, closed = room.tally, queue.closed
    pause = tally[PUSHES] + breath
    most = rules.unary_weight.shape[0]
    while True:
        if tally[CURSOR] < 0:
            if queue.count[0] == 0:
                return DONE
            if tally[PUSHES] > pause or tally[ITEMS] > items:
                return PAUSE
            if queue.count[0] + most > queue.score.shape[0]:
                return MORE_WAITING
            score = queue.score[0]
            cell, s, kind = np.int64(queue.waiting[0, 0]), queue.waiting[0, 1], queue.waiting[0, 2]
            pop(queue)
            now = room.below[cell, 0] if kind == BELOW_IT else queue.offer[cell]
            if score != now:
                continue
            symbol = rules.symbol[rules.symbol_ptr[room.fanout[s]] + cell - room.base[s]]
            closed[cell, kind] = True
            if kind == ITEM:
                room.value[cell] = score
                tally[ITEMS] += 1
                if rules.chains or room.up[cell] == NONE:
                    closed[cell, BELOW_IT] = True
            if kind == BELOW_IT or rules.chains:
                offer_above(rules, room, gates, queue, s, symbol, score)
            if kind == BELOW_IT:
                continue
            if symbol == rules.start and covered(room.bound, room.fanout, s) == n:
                return DONE
            tally[CURSOR] = cell
            queue.count[1], queue.count[2] = s, symbol
        s, symbol = queue.count[1], queue.count[2]
        if tally[ENTRIES] + 2 * room.lists.shape[0] > room.entry.shape[0]:
            return MORE_ENTRIES
        code = join_item(rules, room, gates, queue, s, symbol, n)
        if code != DONE:
            return code
        enter_lists(rules, room, queue, s, symbol, n)
        tally[CURSOR] = -1
