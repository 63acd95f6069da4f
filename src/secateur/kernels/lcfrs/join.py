"""Pairs of sets and the rules that join them: the inner loop of exhaustive deduction."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bare import bare
from .chart import (
    ACTIVE,
    CELLS,
    CURSOR,
    DONE,
    ENTRIES,
    FINISHED,
    FREE,
    IMPOSSIBLE,
    ITEMS,
    LISTS,
    MORE_ACTIVE,
    MORE_CELLS,
    MORE_ENTRIES,
    MORE_LISTS,
    MORE_USES,
    PAIRS,
    PAUSE,
    PUSHES,
    SETS,
    SIZE,
    USES,
    add,
    find,
    is_smaller,
)
from .finish import finish, put
from .gate import is_gated, is_kept, is_open
from .rules import BELOW, EQUAL, NONE, RANGE, TWO


@njit(inline="always")
def fits(test, first, last, bound, s, t, packed):
    """Whether set s and a partner t, which was looked up, stand to each other as a pattern says."""
    for k in range(first, last):
        mine, theirs, how = bound[s, test[k, 0]], bound_of(bound, t, packed, test[k, 1]), test[k, 2]
        if how == EQUAL:
            if mine != theirs:
                return False
        elif how == BELOW:
            if mine >= theirs:
                return False
        elif mine <= theirs:
            return False
    return True


@njit(inline="always")
def places(plan, own, p, bound, s, n):
    """In which lists, from the first up to the last, the partners of set s are, the child `own`."""
    key = np.int64(bound[s, plan[own, p, 1]])
    if plan[own, p, 0] == RANGE:
        return (key + 1, np.int64(n) + 1) if plan[own, p, 5] else (np.int64(0), key)
    if plan[own, p, 0] == TWO:
        key = key * (n + 1) + bound[s, plan[own, p, 2]]
    return key, key + 1


@njit(inline="always")
def bound_of(bound, t, packed, b):
    """A boundary; the first eight are at hand."""
    return np.uint8(packed >> np.uint64(8 * b)) if b < 8 else bound[t, b]


@bare
def is_room(rules, room, p):
    """Whether another set can be added, made as a pattern says."""
    tally = room.tally
    if tally[CELLS] + rules.width[rules.patterns.parent[p]] > room.value.shape[0]:
        return False
    return 2 * tally[SETS] < room.table.shape[0] and tally[SETS] < room.words.shape[0]


@bare
def union(rules, room, h, left, right, p, size):
    """The set made up of two, new, at place h of the table."""
    low = room.words[left, 0] | room.words[right, 0]
    high = room.words[left, 1] | room.words[right, 1]
    f = rules.patterns.parent[p]
    s = add(rules, room, h, low, high, f, size)
    for b in range(2 * f):
        who, which = rules.patterns.bound[p, b]
        room.bound[s, b] = room.bound[right if who else left, which]


@njit(inline="always")
def covered(bound, fanout, s):
    """Positions in a set."""
    found = np.int64(0)
    for part in range(fanout[s]):
        found += np.int64(bound[s, 2 * part + 1]) - np.int64(bound[s, 2 * part])
    return found


@bare
def join(rules, room, uses, gates, s, size, n):
    """Combine a finished set with all that were finished before. DONE, or what there is not enough room for:
    then everything is as if it had not begun, but for values that will be found again.

    below(x, U) = best of weight(x -> y z) + item(y, L) + item(z, R)     for s either L or R
    """
    patterns, tally = rules.patterns, room.tally
    plan, test, test_ptr = patterns.plan, patterns.test, patterns.test_ptr
    pair_ptr, pair_right = rules.by_child[0].pair_ptr, rules.by_child[0].other
    weight, parent, number = rules.rule_weight, rules.rule_parent, rules.rule_id
    words, bound, fanout, base_of, table = room.words, room.bound, room.fanout, room.base, room.table
    value, below, made_by = room.value, room.below, room.made
    lists, groups, inner = room.lists, room.groups, room.inner
    ptr, heads, entry, as_right = room.ptr, room.heads, room.entry, room.right
    use_head, use_rule, use_left, use_right = uses.head, uses.rule, uses.left, uses.right
    gated, kept = is_gated(gates), use_head.shape[0] > 0
    pushes, pairs, used = np.int64(0), np.int64(0), tally[USES]
    for own in range(2):
        for p in range(lists.shape[0] - 1):
            if own == 0:
                if lists[p] == lists[p + 1]:
                    continue
            elif not as_right[p >> 6] >> np.uint64(p & 63) & np.uint64(1):
                continue
            first_test, last_test = test_ptr[own, p], test_ptr[own, p + 1]
            first, last = places(plan, own, p, bound, s, n)
            for place in range(ptr[own, p] + first, ptr[own, p] + last):
                e = heads[place]
                while e != NONE:
                    t, packed, partners = np.uint32(entry[e, 0] >> np.uint64(32)), entry[e, 1], entry[e, 2]
                    e = np.uint32(entry[e, 0])
                    if not fits(test, first_test, last_test, bound, s, t, packed):
                        continue
                    pairs += 1
                    left, right, begin, end = s, t, lists[p], lists[p + 1]
                    if own == 1:
                        left, right = t, s
                        begin, end = np.uint32(partners >> np.uint64(32)), np.uint32(partners)
                    if gated and not is_open(patterns, gates, bound, left, right, p):
                        continue
                    base_right = base_of[right]
                    target, base = np.int64(-1), np.int64(0)
                    for g in range(begin, end):
                        item = inner[g]
                        for pair in range(groups[g, 0], groups[g, 1]):
                            other = value[base_right + pair_right[pair]]
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
                                base = np.int64(table[target, 3])
                            for r in range(pair_ptr[pair], pair_ptr[pair + 1]):
                                c = base + parent[r]
                                old = below[c, 0]
                                if gated and not is_worth(rules, room, gates, old, table[target, 2], c):
                                    continue
                                made = weight[r] + item + other
                                pushes += 1
                                if kept:
                                    if used == use_head.shape[0]:
                                        return MORE_USES
                                    use_head[used], use_rule[used] = c, r
                                    use_left[used] = groups[g, 2]
                                    use_right[used] = base_right + pair_right[pair]
                                    used += 1
                                if made > old:
                                    below[c, 0], made_by[c, 2], made_by[c, 3] = made, number[r], left
                                elif made == old and (
                                    number[r] < made_by[c, 2]
                                    or (number[r] == made_by[c, 2] and is_smaller(words, left, made_by[c, 3]))
                                ):
                                    made_by[c, 2], made_by[c, 3] = number[r], left
    tally[PUSHES] += pushes
    tally[PAIRS] += pairs
    tally[USES] = used
    return DONE


@bare
def is_worth(rules, room, gates, old, target, c):
    """Whether the item of a cell may be made; one that may not is marked by a value that is no number."""
    if old != IMPOSSIBLE:
        return not np.isnan(old)
    s = np.int64(target)
    fan = room.fanout[s]
    symbol = rules.symbol[rules.symbol_ptr[fan] + c - room.base[s]]
    if is_kept(gates, room.bound[s], fan, symbol, covered(room.bound, room.fanout, s)):
        return True
    room.below[c, 0] = np.nan
    return False


@bare
def fill(rules, room, uses, gates, n, items, breath):
    """Go on from where its tally stands, until all is done, something is full, there are more `items`, or
    rules have been used `breath` times."""
    tally = room.tally
    pause = tally[PUSHES] + breath
    while tally[SIZE] <= n:
        if tally[CURSOR] < 0:  # at the start of a size
            s = room.first[tally[SIZE]]
            tally[CURSOR] = s
        s = np.uint32(tally[CURSOR])
        while s != NONE:
            if not tally[FINISHED]:
                if tally[ACTIVE] + rules.width[room.fanout[s]] > room.active.shape[0]:
                    return MORE_ACTIVE
                if tally[ENTRIES] + 2 * rules.patterns.parent.shape[0] > room.entry.shape[0]:
                    return MORE_ENTRIES
                if tally[LISTS] + rules.by_child[0].pattern.shape[0] > room.inner.shape[0]:
                    return MORE_LISTS
                finish(rules, room, gates, s, tally[SIZE])
                tally[FINISHED] = 1
            if room.begin[s] < room.end[s] and tally[SIZE] < n:
                code = join(rules, room, uses, gates, s, tally[SIZE], n)
                if code != DONE:
                    return code
                put(rules, room, s, n)
            tally[FINISHED] = 0
            s = room.same_size[s]
            tally[CURSOR] = s
            if tally[ITEMS] > items or tally[PUSHES] > pause:
                return PAUSE
        tally[SIZE] += 1
        tally[CURSOR] = -1
    return DONE
