"""What one span more or less would do to CKY's work: items and pushes, without scores.

Adding a span only adds labels, taking one away only takes away. What any label makes next to a kept span is
tabulated once for a sentence, as a set of labels and a number of pushes; a flip is then a walk over the
spans around it with a few operations on sets at each. It writes nothing that would have to be undone.

Sets of labels are the bits of W = ceil(N / 64) words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import popcount, trailing_zeros

from .front import (
    NONE,
    ONE,
    advance,
    assign,
    begin,
    build_front,
    build_pairs,
    include,
    kept_spans,
    look_around,
)
from .viterbi import cell_of


class Presence(NamedTuple):
    """Which labels the cells of a roll-in have, and what they make next to others; K kept cells.

    A cell is known once its pushes and splits are worked out; so may be pruned ones, as if they were kept.
    """

    kept: np.ndarray  # [n+1, n+1] bool, with the spans that are always kept
    known: np.ndarray  # [cells] bool
    present: np.ndarray  # [cells, W] uint64, labels
    based: np.ndarray  # [cells, W] uint64, labels with a binary node
    splits: np.ndarray  # [cells, N] uint16, at how many splits a label is made
    pushes: np.ndarray  # [cells] int64
    row: np.ndarray  # [cells] int64, first row of a kept cell below: row + label
    made: np.ndarray  # [2, K * N, W] uint64, labels made of a label on this side of the cell and one in it
    making: np.ndarray  # [2, K * N] uint32, pushes of that
    unary_made: np.ndarray  # [N, W] uint64, labels made of a label alone
    unary_making: np.ndarray  # [N] uint32


class Sets(NamedTuple):
    """Scratch of the counts."""

    change: np.ndarray  # [cells, W] uint64, labels that came or went
    some: np.ndarray  # [W] uint64
    other: np.ndarray  # [W] uint64
    dropped: np.ndarray  # [N] uint16, splits that no longer make a label; 0 between cells


@njit(cache=True, nogil=True)
def runtimes(rules, chart, mask, sites):
    """Items and pushes with the mask flipped at each of the sites (i, k) alone."""
    kept = kept_spans(mask)
    presence = build_presence(rules, build_pairs(rules), chart, kept)
    front = build_front(kept)
    sets = build_sets(chart.words, rules.pair_ptr.shape[0] - 1)
    items = np.empty(sites.shape[0], np.int64)
    pushes = np.empty(sites.shape[0], np.int64)
    for s in range(sites.shape[0]):
        more_items, more_pushes = flip_counts(
            presence, front, sets, np.int64(sites[s, 0]), np.int64(sites[s, 1])
        )
        items[s] = chart.label.shape[0] + more_items
        pushes[s] = np.int64(chart.pushes) + more_pushes
    return items, pushes


@njit(cache=True, nogil=True)
def build_presence(rules, pairs, chart, kept):
    """The tables of a roll-in."""
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    wide = (labels + 63) // 64
    cells = n * (n + 1) // 2
    row = np.zeros(cells, np.int64)
    size = 0
    for k in range(1, n + 1):
        for i in range(k):
            if kept[i, k]:
                row[cell_of(i, k)] = size
                size += labels
    found = Presence(
        kept,
        np.zeros(cells, np.bool_),
        np.zeros((cells, wide), np.uint64),
        np.zeros((cells, wide), np.uint64),
        np.zeros((cells, labels), np.uint16),
        np.zeros(cells, np.int64),
        row,
        np.zeros((2, size, wide), np.uint64),
        np.zeros((2, size), np.uint32),
        np.zeros((labels, wide), np.uint64),
        np.zeros(labels, np.uint32),
    )
    for u in range(rules.unary_child.shape[0]):
        include(found.unary_made[rules.unary_child[u]], rules.unary_parent[u])
        found.unary_making[rules.unary_child[u]] += 1
    for cell in range(cells):
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            include(found.present[cell], chart.label[item])
    for side in range(2):
        tabulate(rules, pairs, chart, side, row, found.made[side], found.making[side])
    return found


@njit(cache=True, nogil=True)
def tabulate(rules, pairs, chart, side, rows, made, making):
    """What any label on this side of a kept cell makes with the labels of the cell."""
    for cell in range(rows.shape[0]):
        row = rows[cell]
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            inner = chart.label[item]
            for q in range(pairs.ptr[1 - side, inner], pairs.ptr[1 - side, inner + 1]):
                p = pairs.pair[1 - side, q]
                outer = row + pairs.partner[1 - side, q]
                making[outer] += rules.rule_ptr[p + 1] - rules.rule_ptr[p]
                for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                    x = rules.rule_parent[r]
                    made[outer, x >> 6] |= ONE << np.uint64(x & 63)


@njit(inline="always")
def gather(chosen, made, making, row, into):
    """Add to `into` what the chosen labels make; the pushes of it."""
    total = np.int64(0)
    for word in range(chosen.shape[0]):
        bits = chosen[word]
        while bits:
            y = row + (word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - ONE
            total += making[y]
            for w in range(into.shape[0]):
                into[w] |= made[y, w]
    return total


@njit(inline="always")
def size_of(chosen):
    total = np.int64(0)
    for word in range(chosen.shape[0]):
        total += np.int64(popcount(chosen[word]))
    return total


@njit(cache=True, nogil=True)
def work_out(found, i, k, some):
    """The labels and pushes of a cell wider than 1, and at how many splits each label is made."""
    cell = cell_of(i, k)
    based = found.based[cell]
    splits = found.splits[cell]
    made = found.made[0]
    making = found.making[0]
    total = np.int64(0)
    for j in range(i + 1, k):
        if found.kept[i, j] and found.kept[j, k]:
            some[:] = NONE
            total += gather(found.present[cell_of(i, j)], made, making, found.row[cell_of(j, k)], some)
            for word in range(some.shape[0]):
                bits = some[word]
                based[word] |= bits
                while bits:
                    splits[(word << 6) + np.int64(trailing_zeros(bits))] += 1
                    bits &= bits - ONE
    assign(some, based)
    total += gather(based, found.unary_made, found.unary_making, 0, some)
    assign(found.present[cell], some)
    found.pushes[cell] = total
    found.known[cell] = True


@njit(cache=True, nogil=True)
def build_sets(words, labels):
    wide = (labels + 63) // 64
    return Sets(
        np.zeros((words * (words + 1) // 2, wide), np.uint64),
        np.zeros(wide, np.uint64),
        np.zeros(wide, np.uint64),
        np.zeros(labels, np.uint16),
    )


@njit(cache=True, nogil=True)
def flip_counts(found, front, sets, a, b):
    """How many items and pushes come (negative: go) when the mask is flipped at (a, b)."""
    n = found.kept.shape[0] - 1
    prune = found.kept[a, b]
    cell = cell_of(a, b)
    if not found.known[cell]:
        work_out(found, a, b, sets.some)
    assign(sets.change[cell], found.present[cell])
    items = size_of(found.present[cell])
    pushes = found.pushes[cell]
    if items == 0:
        return np.int64(0), np.int64(0)
    begin(front, a, b)
    for i in range(a, -1, -1):
        for k in range(b, n + 1):
            if found.kept[i, k] and look_around(front, i, k):
                cell = cell_of(i, k)
                if not found.known[cell]:
                    work_out(found, i, k, sets.some)
                pushes += take(found, front, sets, cell) if prune else add(found, front, sets, cell)
                here = size_of(sets.change[cell])
                if here:
                    items += here
                    advance(front, i, k)
    return (-items, -pushes) if prune else (items, pushes)


@njit(cache=True, nogil=True)
def add(found, front, sets, cell):
    """Set the labels that come to a cell, given those that came to its children; the pushes that come."""
    change = sets.change[cell]
    some = sets.some
    fresh = sets.other
    change[:] = NONE
    some[:] = NONE
    pushes = np.int64(0)
    for side in range(2):
        made = found.made[side]
        making = found.making[side]
        for s in range(front.size[side]):
            row = found.row[front.sibling[side, s]]
            pushes += gather(sets.change[front.child[side, s]], made, making, row, some)
    for w in range(some.shape[0]):
        fresh[w] = some[w] & ~found.based[cell, w]
        some[w] = fresh[w]
    pushes += gather(fresh, found.unary_made, found.unary_making, 0, some)
    for w in range(some.shape[0]):
        change[w] = some[w] & ~found.present[cell, w]
    return pushes


@njit(cache=True, nogil=True)
def take(found, front, sets, cell):
    """Set the labels that go from a cell, given those that went from its children; the pushes that go."""
    change = sets.change[cell]
    gone = sets.some
    rest = sets.other
    pushes = np.int64(0)
    for side in range(2):
        made = found.made[side]
        making = found.making[side]
        for s in range(front.size[side]):
            child = front.child[side, s]
            row = found.row[front.sibling[side, s]]
            gone[:] = NONE
            pushes += gather(sets.change[child], made, making, row, gone)
            for w in range(rest.shape[0]):
                rest[w] = found.present[child, w] & ~sets.change[child, w]
            change[:] = NONE
            gather(rest, made, making, row, change)
            # What nothing else makes at this split is made at one split fewer.
            for word in range(gone.shape[0]):
                bits = gone[word] & ~change[word]
                while bits:
                    sets.dropped[(word << 6) + np.int64(trailing_zeros(bits))] += 1
                    bits &= bits - ONE
    change[:] = NONE
    if pushes == 0 or not lose(found, sets, cell, gone, rest):
        return pushes
    # A label that lost its binary nodes may still stand over another.
    assign(change, rest)
    gather(rest, found.unary_made, found.unary_making, 0, change)
    for w in range(rest.shape[0]):
        change[w] = found.present[cell, w] & ~change[w]
    return pushes + gather(gone, found.unary_made, found.unary_making, 0, rest)


@njit(cache=True, nogil=True)
def lose(found, sets, cell, gone, rest):
    """Part the labels with binary nodes into those made no more and the rest; whether any is gone."""
    lost = NONE
    for word in range(gone.shape[0]):
        gone[word] = NONE
        bits = found.based[cell, word]
        rest[word] = bits
        while bits:
            x = (word << 6) + np.int64(trailing_zeros(bits))
            if sets.dropped[x]:
                if sets.dropped[x] == found.splits[cell, x]:
                    gone[word] |= ONE << np.uint64(x & 63)
                sets.dropped[x] = 0
            bits &= bits - ONE
        rest[word] &= ~gone[word]
        lost |= gone[word]
    return lost != NONE
