"""A sentence being parsed by hierarchical A*: charts of all levels, inside and outside, and one agenda.

A record is a level, a span and a symbol; it has four items. Its base and its over are as in state.py, the
better of which is its node; and each has an outside score, which is that of the best tree around it:

    OUTER   of the base: what may still come over it is a unary, or nothing
    AROUND  of the node
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .state import COUNTS, IMPOSSIBLE, ITEMS, LISTS, LONGEST, NONE, ONE, ROWS, longer

BASE, OVER, OUTER, AROUND, KINDS = range(5)
NEVER = -1  # no row may be made here
FEWEST_RECORDS, FEWEST_LISTS = 1 << 10, 1 << 9
LOG = 1 << 10


class Charts(NamedTuple):
    """n words, L levels, N symbols; R records, Q lists, T places in the table for which there is room."""

    tally: np.ndarray  # [COUNTS] int64 as in state.py; ROWS: places taken, ITEMS: records
    popped_of: np.ndarray  # [L, 2] int64 pops by level, inside and outside
    found: np.ndarray  # [L] bool whether a level has its best parse
    row_of: np.ndarray  # [L, n+1, n+1] int64 where a span's row begins in the table; 0: not yet, NEVER
    table: np.ndarray  # [T] uint32 the record of a symbol; 0: there is none
    made: np.ndarray  # [4R] float64 an item's best score so far; of an inside item it is a float32
    popped: np.ndarray  # [4R] bool
    name: np.ndarray  # [4R] uint64 as `item_name` packs it
    place: np.ndarray  # [4R] uint32 in the agenda, from 1 on; 0: does not wait
    key: np.ndarray  # [4R] float64 the agenda: a heap of priorities ...
    waiting: np.ndarray  # [4R] uint32 ... and items
    rule: np.ndarray  # [2R] uint32 what made a base or an over; NONE: a lexical entry
    left: np.ndarray  # [2R] uint32 of what items; a unary's child is the left one
    right: np.ndarray  # [2R] uint32
    node_item: np.ndarray  # [R] uint32
    node_score: np.ndarray  # [R] float32
    best: np.ndarray  # [L, n+1, n+1] float32 of a span's inside items
    list_of: np.ndarray  # [2, n+1, N] uint32 nodes of a symbol that begin (0), or end (1), at a position
    listed: np.ndarray  # [2, n+1, N/64] uint64 the symbols that have such a list, as sets of bits
    list_size: np.ndarray  # [Q] uint32
    list_far: np.ndarray  # [Q, n+1] uint16 their other ends, as they came
    list_record: np.ndarray  # [Q, n+1] uint32
    far: np.ndarray  # [2, n+1, N, n/64+1] uint64 the other ends of these nodes, as sets of bits
    outers: np.ndarray  # [L, n+1, n+1] uint32 how many outers of a span were popped
    log_item: np.ndarray  # [P] uint32 what was popped, in order; of length 0: no log is kept
    log_key: np.ndarray  # [P] float64


@njit(inline="always")
def item_name(i, k, level, kind, symbol):
    """Of items that are equal otherwise the smaller name is popped first: wide ones, and fine ones."""
    shape = np.uint64(LONGEST - (k - i)) << np.uint64(49) | np.uint64(i) << np.uint64(34)
    return (
        shape | np.uint64(15 - level) << np.uint64(30) | np.uint64(kind) << np.uint64(28) | np.uint64(symbol)
    )


@njit(inline="always")
def start_in(name):
    return np.int64((name >> np.uint64(34)) & np.uint64(LONGEST))


@njit(inline="always")
def end_in(name):
    return start_in(name) + LONGEST - np.int64(name >> np.uint64(49))


@njit(inline="always")
def level_in(name):
    return 15 - np.int64((name >> np.uint64(30)) & np.uint64(15))


@njit(inline="always")
def symbol_in(name):
    return np.int64(name & np.uint64(0xFFFFFFF))


@njit(inline="always")
def way_of(item):
    """Where it is said what made a base or an over."""
    return (np.int64(item) >> 2 << 1) + (np.int64(item) & 1)


@njit(cache=True, nogil=True)
def charts_for(n, levels, symbols, table, records, log):
    """Empty ones."""
    tally = np.zeros(COUNTS, np.int64)
    tally[ROWS] = tally[LISTS] = tally[ITEMS] = 1
    lists, items = FEWEST_LISTS, KINDS * records
    return Charts(
        tally,
        np.zeros((levels, 2), np.int64),
        np.zeros(levels, np.bool_),
        np.zeros((levels, n + 1, n + 1), np.int64),
        np.empty(table, np.uint32),
        np.empty(items, np.float64),
        np.empty(items, np.bool_),
        np.empty(items, np.uint64),
        np.empty(items, np.uint32),
        np.empty(items, np.float64),
        np.empty(items, np.uint32),
        np.empty(2 * records, np.uint32),
        np.empty(2 * records, np.uint32),
        np.empty(2 * records, np.uint32),
        np.empty(records, np.uint32),
        np.empty(records, np.float32),
        np.full((levels, n + 1, n + 1), IMPOSSIBLE, np.float32),
        np.zeros((2, n + 1, symbols), np.uint32),
        np.zeros((2, n + 1, symbols // 64), np.uint64),
        np.empty(lists, np.uint32),
        np.empty((lists, n + 1), np.uint16),
        np.empty((lists, n + 1), np.uint32),
        np.zeros((2, n + 1, symbols, n // 64 + 1), np.uint64),
        np.zeros((levels, n + 1, n + 1), np.uint32),
        np.empty(log, np.uint32),
        np.empty(log, np.float64),
    )


@bare
def charts_size(n, levels, symbols, table, records, lists, log):
    """The bytes of such charts."""
    spans, ends = (n + 1) * (n + 1), 2 * (n + 1)
    fixed = 16 * levels * spans + ends * symbols * (4 + 8 * (n // 64 + 1)) + ends * (symbols // 8)
    return fixed + 4 * table + records * (33 * KINDS + 32) + lists * (4 + 6 * (n + 1)) + 12 * log


@njit(cache=True, nogil=True)
def enlarged_charts(charts, table, records, lists, log):
    """The same with more room."""
    items = KINDS * records
    return Charts(
        charts.tally,
        charts.popped_of,
        charts.found,
        charts.row_of,
        longer(charts.table, table),
        longer(charts.made, items),
        longer(charts.popped, items),
        longer(charts.name, items),
        longer(charts.place, items),
        longer(charts.key, items),
        longer(charts.waiting, items),
        longer(charts.rule, 2 * records),
        longer(charts.left, 2 * records),
        longer(charts.right, 2 * records),
        longer(charts.node_item, records),
        longer(charts.node_score, records),
        charts.best,
        charts.list_of,
        charts.listed,
        longer(charts.list_size, lists),
        longer(charts.list_far, lists),
        longer(charts.list_record, lists),
        charts.far,
        charts.outers,
        longer(charts.log_item, log),
        longer(charts.log_key, log),
    )


@bare
def record_at(levels, charts, level, i, k, symbol):
    """0: there is none."""
    row = charts.row_of[level, i, k]
    return np.int64(charts.table[row + symbol - levels.begin[level]]) if row > 0 else np.int64(0)


@bare
def new_row(levels, charts, level, i, k):
    row = charts.tally[ROWS]
    charts.tally[ROWS] += levels.begin[level + 1] - levels.begin[level]
    charts.row_of[level, i, k] = row
    for at in range(row, charts.tally[ROWS]):
        charts.table[at] = 0
    return row


@bare
def new_record(levels, charts, level, i, k, symbol):
    """In a row that is there."""
    record = charts.tally[ITEMS]
    charts.tally[ITEMS] += 1
    charts.table[charts.row_of[level, i, k] + symbol - levels.begin[level]] = record
    charts.node_item[record], charts.node_score[record] = NONE, IMPOSSIBLE
    for kind in range(KINDS):
        item = KINDS * record + kind
        charts.made[item], charts.popped[item], charts.place[item] = -np.inf, False, 0
        charts.name[item] = item_name(i, k, level, kind, symbol)
    return record


@bare
def list_to(charts, side, position, symbol):
    """The list of the nodes of a symbol that begin or end at a position."""
    found = charts.list_of[side, position, symbol]
    if found == 0:
        found = np.uint32(charts.tally[LISTS])
        charts.tally[LISTS] += 1
        charts.list_of[side, position, symbol] = found
        charts.listed[side, position, symbol >> 6] |= ONE << np.uint64(symbol & 63)
        charts.list_size[found] = 0
    return found


@bare
def list_node(charts, record, i, k, symbol):
    """A record has become a node: now it is found from either end."""
    for side in range(2):
        position, far = (i, k) if side == 0 else (k, i)
        found = list_to(charts, side, position, symbol)
        at = charts.list_size[found]
        charts.list_far[found, at], charts.list_record[found, at] = far, record
        charts.list_size[found] = at + np.uint32(1)
        charts.far[side, position, symbol, far >> 6] |= ONE << np.uint64(far & 63)
