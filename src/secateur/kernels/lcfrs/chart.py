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

from ..bare import bare
from .rules import NONE

IMPOSSIBLE = -np.inf
LEXICAL = np.uint32(0xFFFFFFFE)  # in place of a rule
FREE = np.uint64(0xFFFFFFFFFFFFFFFF)

# Places in the tally.
SETS, CELLS, ACTIVE, ENTRIES, LISTS, SIZE, CURSOR, FINISHED, PUSHES, ITEMS, USES, PAIRS, UNARIES = range(13)
COUNTS = 13
# What the kernel ends with.
DONE, PAUSE, MORE_CELLS, MORE_ACTIVE, MORE_ENTRIES, MORE_LISTS, MORE_USES = range(7)


class Room(NamedTuple):
    """What a chart is made in; rows and cells are added as they are needed, and the arrays outgrown."""

    words: np.ndarray  # [S, 2] uint64 positions 0 to 63, and 64 to 127
    fanout: np.ndarray  # [S] uint8
    bound: np.ndarray  # [S, 2F] uint8
    base: np.ndarray  # [S] int64 first cell
    begin: np.ndarray  # [S] int64 first of its active symbols ...
    end: np.ndarray  # [S] int64 ... and beyond the last
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
    height: np.ndarray  # [width] int64 unary rules in a row that lead to each symbol of the set at hand
    right: np.ndarray  # [W] uint64 patterns that symbols of the set at hand are right children of, as bits
    lists: np.ndarray  # [P+1] uint32 for each pattern, groups of rules with the set at hand on the left
    groups: (
        np.ndarray
    )  # [L, 3] uint32 the pairs of a group, from the first up to the last, and the item's cell
    inner: np.ndarray  # [L] float64 the item's value
    ptr: np.ndarray  # [2, P] int64 where the lists for partners of a pattern's left or right child begin
    heads: np.ndarray  # [.] uint32 the newest entry for a boundary, or for two
    entry: np.ndarray  # [E, 3] uint64 a finished set and the next entry, 32 bits each; the set's first eight
    # boundaries; where its groups of rules begin and end, as a left child
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
def is_smaller(words, s, t):
    """Whether set s, as a number, is smaller than t."""
    if words[s, 1] != words[t, 1]:
        return words[s, 1] < words[t, 1]
    return words[s, 0] < words[t, 0]


@njit(inline="always")
def find(table, low, high):
    """The place of a set in the table: where it is, or where it would be."""
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


@bare
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
    room.below[begin:end, 0] = room.value[begin:end] = IMPOSSIBLE
    room.same_size[s] = NONE
    if room.first[size] == NONE:
        room.first[size] = s
    else:
        room.same_size[room.last[size]] = s
    room.last[size] = s
    return s


@bare
def words_in(rules, room, words):
    """The sets of one position, with the lexical entries of their words."""
    for i in range(words.shape[0]):
        low = np.uint64(1) << np.uint64(i) if i < 64 else np.uint64(0)
        high = np.uint64(1) << np.uint64(i - 64) if i >= 64 else np.uint64(0)
        s = add(rules, room, find(room.table, low, high), low, high, 1, 1)
        room.bound[s, 0], room.bound[s, 1] = i, i + 1
        for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
            c = room.base[s] + rules.local[rules.lex_tag[e]]
            if rules.lex_weight[e] > room.below[c, 0]:
                room.below[c, 0], room.made[c, 2], room.made[c, 3] = rules.lex_weight[e], LEXICAL, s
