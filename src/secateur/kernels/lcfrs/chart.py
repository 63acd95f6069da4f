"""The exhaustive chart of a PLCFRS: items are a symbol and a set of positions.

Sets are worked on by size, and each keeps a row of cells, one for every symbol of its fan-out. A set is
*finished* when all smaller ones are; it is then combined with all that were finished before, which are found
by their boundaries, and put where later ones will find it. So every pair of sets is looked at once.

    below(x, U) = best of lexical entries, and of weight(x -> y z) + item(y, L) + item(z, R)
                  for L and R that make up U as the rule's pattern says
    item(x, U)  = best of below(x, U), and of weight(x -> y) + below(y, U)     at most one unary rule
                  or weight(x -> y) + item(y, U)                                where they may be chained

Sums are made from left to right in float64. Total order, which settles ties: the larger value; then, where
unary rules go round at no cost, the fewer such steps; then what is no unary rule before what is; then the
smaller rule id; then the smaller left set, read as a number of 128 bits (position p is bit p).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .gate import is_gated, is_kept, is_open
from .rules import NONE, RANGE, TWO

IMPOSSIBLE = -np.inf
LEXICAL = np.uint32(0xFFFFFFFE)  # in place of a rule
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)

# Places in the tally.
SETS, CELLS, ACTIVE, ENTRIES, SIZE, CURSOR, FINISHED, PUSHES, ITEMS, USES, PAIRS, UNARIES = range(12)
COUNTS = 12
# What the kernel ends with.
DONE, PAUSE, MORE_CELLS, MORE_ACTIVE, MORE_ENTRIES, MORE_USES = range(6)


class Room(NamedTuple):
    """What a chart is made in; rows and cells are added as they are needed, and the arrays outgrown."""

    words: np.ndarray  # [S, 2] uint64 positions 0 to 63, and 64 to 127
    fanout: np.ndarray  # [S] uint8
    bound: np.ndarray  # [S, 2F] uint8
    base: np.ndarray  # [S] int64 first cell
    begin: np.ndarray  # [S] int64 first of its active symbols ...
    end: np.ndarray  # [S] int64 ... and beyond the last
    as_left: np.ndarray  # [S, W] uint64 patterns that its symbols are left children of
    as_right: np.ndarray  # [S, W] uint64
    same_size: np.ndarray  # [S] uint32 the next of the same size
    table: (
        np.ndarray
    )  # [2^b, 4] uint64 sets by hash: positions, number (FREE for none), base; half full at most
    below: np.ndarray  # [C, 2] float64: the value, and room for ...
    made: (
        np.ndarray
    )  # [C, 4] uint32 the same memory: ..., ..., what made it (LEXICAL or a rule id), its left set
    value: np.ndarray  # [C] float64
    up: np.ndarray  # [C] uint32 the unary rule that made `value`, if one did
    active: np.ndarray  # [A] uint32 symbols with a value, by set
    first: np.ndarray  # [n+1] uint32 sets of each size
    last: np.ndarray  # [n+1] uint32
    ptr: np.ndarray  # [2, P] int64 where the lists for partners of a pattern's left or right child begin
    heads: np.ndarray  # [.] uint32 the newest entry for a boundary, or for two
    entry: np.ndarray  # [E, 3] uint64 a finished set, the next entry, and its first eight boundaries
    tally: np.ndarray  # [COUNTS] int64


class Uses(NamedTuple):
    """Every use of a binary rule, if they are to be kept; cells stand for items."""

    head: np.ndarray  # [E] int64
    rule: np.ndarray  # [E] uint32 place among the rules
    left: np.ndarray  # [E] int64
    right: np.ndarray  # [E] int64


@njit(inline="always")
def hashed(low, high, mask):
    h = (low ^ (high * np.uint64(0xC2B2AE3D27D4EB4F))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((h ^ (h >> np.uint64(29))) & np.uint64(mask))


@njit(inline="always")
def is_smaller(room, s, t):
    """Whether set s, as a number, is smaller than t."""
    if room.words[s, 1] != room.words[t, 1]:
        return room.words[s, 1] < room.words[t, 1]
    return room.words[s, 0] < room.words[t, 0]


@njit(cache=True, nogil=True)
def find(room, low, high):
    """The place of a set in the table: where it is, or where it would be."""
    table = room.table
    mask = table.shape[0] - 1
    h = hashed(low, high, mask)
    while table[h, 2] != FREE and (table[h, 0] != low or table[h, 1] != high):
        h = (h + 1) & mask
    return h


@njit(inline="always")
def enter(room, h, s):
    """A set into the table."""
    room.table[h, 0], room.table[h, 1] = room.words[s, 0], room.words[s, 1]
    room.table[h, 2], room.table[h, 3] = s, room.base[s]


@njit(cache=True, nogil=True)
def add(rules, room, h, low, high, fanout, size):
    """A new set at place h of the table; its boundaries are the caller's to fill in."""
    tally = room.tally
    s = np.uint32(tally[SETS])
    tally[SETS] += 1
    room.words[s, 0], room.words[s, 1], room.fanout[s] = low, high, fanout
    room.base[s] = tally[CELLS]
    room.begin[s] = room.end[s] = 0
    enter(room, h, s)
    begin, end = tally[CELLS], tally[CELLS] + rules.width[fanout]
    tally[CELLS] = end
    room.below[begin:end, 0] = IMPOSSIBLE
    room.same_size[s] = NONE
    if room.first[size] == NONE:
        room.first[size] = s
    else:
        room.same_size[room.last[size]] = s
    room.last[size] = s
    return s


@njit(cache=True, nogil=True)
def words_in(rules, room, words):
    """The sets of one position, with the lexical entries of their words."""
    for i in range(words.shape[0]):
        low = np.uint64(1) << np.uint64(i) if i < 64 else np.uint64(0)
        high = np.uint64(1) << np.uint64(i - 64) if i >= 64 else np.uint64(0)
        s = add(rules, room, find(room, low, high), low, high, 1, 1)
        room.bound[s, 0], room.bound[s, 1] = i, i + 1
        for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
            c = room.base[s] + rules.local[rules.lex_tag[e]]
            if rules.lex_weight[e] > room.below[c, 0]:
                room.below[c, 0], room.made[c, 2], room.made[c, 3] = rules.lex_weight[e], LEXICAL, s


@njit(inline="always")
def without_unaries(room, base, width):
    """Items as words and binary rules make them; what was pruned is not there."""
    for c in range(base, base + width):
        if np.isnan(room.below[c, 0]):
            room.below[c, 0] = IMPOSSIBLE
        room.value[c], room.up[c] = room.below[c, 0], NONE


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def unary_chains(rules, room, gates, s, width, first, size, height):
    """item(x) = best of below(x), and of weight(x -> y) + item(y), until nothing changes; returns how many
    there are of these."""
    base, gated, uses = room.base[s], is_gated(gates), 0
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


@njit(cache=True, nogil=True)
def finish(rules, room, gates, s, size, height):
    """Unary rules, and the list of the symbols that a set has."""
    f = room.fanout[s]
    width, first = rules.width[f], rules.symbol_ptr[f]
    if rules.chains:
        uses = unary_chains(rules, room, gates, s, width, first, size, height)
    else:
        uses = one_unary(rules, room, gates, s, width, first, size)
    room.tally[UNARIES] += uses
    at = room.tally[ACTIVE]
    room.begin[s] = at
    room.as_left[s], room.as_right[s] = np.uint64(0), np.uint64(0)
    for place in range(width):
        if room.value[room.base[s] + place] > IMPOSSIBLE:
            symbol = rules.symbol[first + place]
            room.active[at] = symbol
            at += 1
            for w in range(rules.as_left.shape[1]):
                room.as_left[s, w] |= rules.as_left[symbol, w]
                room.as_right[s, w] |= rules.as_right[symbol, w]
    room.tally[ITEMS] += at - room.begin[s]
    room.tally[ACTIVE] = room.end[s] = at


@njit(cache=True, nogil=True)
def put(rules, room, s, n):
    """Into the lists in which later sets will look for partners."""
    patterns = rules.patterns
    packed = np.uint64(0)
    for b in range(min(8, 2 * room.fanout[s])):
        packed |= np.uint64(room.bound[s, b]) << np.uint64(8 * b)
    for own in range(2):
        fans = patterns.right if own == 0 else patterns.left
        mask = room.as_right if own == 0 else room.as_left
        for p in range(fans.shape[0]):
            if mask[s, p >> 6] >> np.uint64(p & 63) & np.uint64(1):
                mode, _, _, one, two, _ = patterns.plan[own, p]
                key = np.int64(room.bound[s, one])
                if mode == TWO:
                    key = key * (n + 1) + room.bound[s, two]
                key += room.ptr[own, p]
                e = room.tally[ENTRIES]
                room.tally[ENTRIES] += 1
                room.entry[e, 0], room.entry[e, 1], room.entry[e, 2] = s, room.heads[key], packed
                room.heads[key] = e


@njit(inline="always")
def fits(patterns, p, own, bound, s, t, packed):
    """Whether set s, the child `own`, and set t stand to each other as a pattern says."""
    for k in range(patterns.check_ptr[p], patterns.check_ptr[p + 1]):
        who, end, start, gap = patterns.check[k]
        if who == own:
            stop, go = bound[s, end], bound_of(bound, t, packed, start)
        else:
            stop, go = bound_of(bound, t, packed, end), bound[s, start]
        if stop != go if gap == 0 else stop >= go:
            return False
    return True


@njit(inline="always")
def bound_of(bound, t, packed, b):
    """A boundary; the first eight are at hand."""
    return np.uint8(packed >> np.uint64(8 * b)) if b < 8 else bound[t, b]


@njit(cache=True, nogil=True)
def union(rules, room, left, right, p, size):
    """Where in the table the set made up of two is; -1 for want of room."""
    low = room.words[left, 0] | room.words[right, 0]
    high = room.words[left, 1] | room.words[right, 1]
    h = find(room, low, high)
    if room.table[h, 2] != FREE:
        return h
    f = rules.patterns.parent[p]
    if room.tally[CELLS] + rules.width[f] > room.value.shape[0]:
        return -1
    if 2 * room.tally[SETS] >= room.table.shape[0] or room.tally[SETS] >= room.words.shape[0]:
        return -1
    s = add(rules, room, h, low, high, f, size)
    for b in range(2 * f):
        who, which = rules.patterns.bound[p, b]
        room.bound[s, b] = room.bound[right if who else left, which]
    return h


@njit(cache=True, nogil=True)
def combine(rules, room, uses, gates, left, right, p, size):
    """below(x, U) = best of weight(x -> y z) + item(y, left) + item(z, right); False: for want of room."""
    n_patterns = rules.patterns.left.shape[0]
    group_ptr, pair_ptr, pair_right = rules.group_ptr, rules.pair_ptr, rules.pair_right
    weights, parents, ids, local = rules.rule_weight, rules.rule_parent, rules.rule_id, rules.local
    value, below, by = room.value, room.below, room.made
    base_left, base_right = room.base[left], room.base[right]
    target, base, pushes = -1, np.int64(0), 0
    gated, kept = is_gated(gates), uses.head.shape[0] > 0
    if gated and not is_open(rules.patterns, gates, room.bound, left, right, p):
        return True
    for at in range(room.begin[left], room.end[left]):
        y = room.active[at]
        group = np.int64(y) * n_patterns + p
        first, last = group_ptr[group], group_ptr[group + 1]
        if first == last:
            continue
        inner = value[base_left + local[y]]
        for pair in range(first, last):
            other = value[base_right + pair_right[pair]]
            if other == IMPOSSIBLE:
                continue
            if target < 0:
                target = union(rules, room, left, right, p, size)
                if target < 0:
                    return False
                base = np.int64(room.table[target, 3])
            for r in range(pair_ptr[pair], pair_ptr[pair + 1]):
                c = base + parents[r]
                old = below[c, 0]
                if gated:
                    if np.isnan(old):
                        continue
                    if old == IMPOSSIBLE:
                        symbol = rules.symbol[rules.symbol_ptr[rules.patterns.parent[p]] + parents[r]]
                        s = np.int64(room.table[target, 2])
                        if not is_kept(gates, room.bound[s], room.fanout[s], symbol, size):
                            below[c, 0] = np.nan
                            continue
                made = weights[r] + inner + other
                pushes += 1
                if kept:
                    e = room.tally[USES]
                    if e == uses.head.shape[0]:
                        return False
                    uses.head[e], uses.rule[e] = c, r
                    uses.left[e], uses.right[e] = base_left + local[y], base_right + pair_right[pair]
                    room.tally[USES] = e + 1
                if made > old:
                    below[c, 0], by[c, 2], by[c, 3] = made, ids[r], left
                elif made == old and (
                    ids[r] < by[c, 2] or (ids[r] == by[c, 2] and is_smaller(room, left, by[c, 3]))
                ):
                    by[c, 2], by[c, 3] = ids[r], left
    room.tally[PUSHES] += pushes
    return True


@njit(cache=True, nogil=True)
def partners(rules, room, uses, gates, s, size, n):
    """Combine a finished set with all that were finished before; False: for want of room."""
    patterns = rules.patterns
    f = room.fanout[s]
    for own in range(2):
        fans = patterns.left if own == 0 else patterns.right
        mine = room.as_left if own == 0 else room.as_right
        for p in range(fans.shape[0]):
            word, bit = p >> 6, np.uint64(1) << np.uint64(p & 63)
            if fans[p] != f or not mine[s, word] & bit:
                continue
            mode, one, two, _, _, above = patterns.plan[own, p]
            key = np.int64(room.bound[s, one])
            last = key
            if mode == TWO:
                key = last = key * (n + 1) + room.bound[s, two]
            elif mode == RANGE:
                key, last = (key + 1, n) if above else (0, key - 1)
            for place in range(room.ptr[own, p] + key, room.ptr[own, p] + last + 1):
                e = room.heads[place]
                while e != NONE:
                    t, packed = np.uint32(room.entry[e, 0]), room.entry[e, 2]
                    e = np.uint32(room.entry[e, 1])
                    if fits(patterns, p, own, room.bound, s, t, packed):
                        left, right = (s, t) if own == 0 else (t, s)
                        room.tally[PAIRS] += 1
                        both = size + size_of(room, t)
                        if not combine(rules, room, uses, gates, left, right, p, both):
                            return False
    return True


@njit(inline="always")
def size_of(room, s):
    """Positions that a set covers."""
    found = np.int64(0)
    for part in range(room.fanout[s]):
        found += np.int64(room.bound[s, 2 * part + 1]) - np.int64(room.bound[s, 2 * part])
    return found


@njit(cache=True, nogil=True)
def fill(rules, room, uses, gates, n, items, breath):
    """Go on from where the tally stands, until all is done, something is full, there are more `items`, or
    rules have been used `breath` times."""
    tally = room.tally
    pause = tally[PUSHES] + breath
    height = np.zeros(rules.width.max(), np.int64)
    while tally[SIZE] <= n:
        if tally[CURSOR] < 0:  # at the start of a size
            s = room.first[tally[SIZE]]
            tally[CURSOR] = s
        s = np.uint32(tally[CURSOR])
        while s != NONE:
            if not tally[FINISHED]:
                if tally[ACTIVE] + rules.width[room.fanout[s]] > room.active.shape[0]:
                    return MORE_ACTIVE
                if tally[ENTRIES] + 2 * rules.patterns.left.shape[0] > room.entry.shape[0]:
                    return MORE_ENTRIES
                finish(rules, room, gates, s, tally[SIZE], height)
                tally[FINISHED] = 1
            pushes, pairs, kept = tally[PUSHES], tally[PAIRS], tally[USES]
            if room.begin[s] < room.end[s] and tally[SIZE] < n:
                if not partners(rules, room, uses, gates, s, tally[SIZE], n):
                    full = 0 < uses.head.shape[0] == tally[USES]
                    tally[PUSHES], tally[PAIRS], tally[USES] = pushes, pairs, kept
                    return MORE_USES if full else MORE_CELLS
                put(rules, room, s, n)
            tally[FINISHED] = 0
            s = room.same_size[s]
            tally[CURSOR] = s
            if tally[ITEMS] > items or tally[PUSHES] > pause:
                return PAUSE
        tally[SIZE] += 1
        tally[CURSOR] = -1
    return DONE
