"""Forests: what a coarse chart leaves of a sentence's derivations.

An item is a (span, symbol). Its base is lexical or binary; as a node it may have one unary on top. A forest's
hyperedges are those of the unsplit rules; each stands for a block of a split grammar (see forest_scores.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky.viterbi import cell_of

NONE = np.uint32(0xFFFFFFFF)
ONE = np.uint32(1)


class Forest(NamedTuple):
    """C cells, smaller spans first; I items, by cell; B binary and U unary hyperedges, by cell."""

    words: int
    top: int  # the item of the whole sentence and the start symbol; -1: there is none
    cell: np.ndarray  # [C, 2] uint32, the span (i, k)
    item_ptr: np.ndarray  # [C+1] uint32
    label: np.ndarray  # [I] uint32
    entry: np.ndarray  # [I] uint32, lexical entry; NONE: there is none
    binary_ptr: np.ndarray  # [C+1] uint32
    binary: np.ndarray  # [B, 4] uint32: rule, head, left, right
    unary_ptr: np.ndarray  # [C+1] uint32
    unary: np.ndarray  # [U, 3] uint32: rule, head, child


@njit(cache=True, nogil=True)
def nothing():
    """A forest of no derivation."""
    none = np.empty(0, np.uint32)
    ptr = np.zeros(1, np.uint32)
    return Forest(
        0,
        np.int64(-1),
        np.empty((0, 2), np.uint32),
        ptr,
        none,
        none,
        ptr,
        np.empty((0, 4), np.uint32),
        ptr,
        np.empty((0, 3), np.uint32),
    )


@njit(cache=True, nogil=True)
def grown(rows, needed):
    """The same rows, with room for as many and as many again."""
    larger = np.empty((2 * needed, rows.shape[1]), rows.dtype)
    larger[: rows.shape[0]] = rows
    return larger


@njit(cache=True, nogil=True)
def pairs_among(rules, label, node_kept):
    """The child pair of two symbols: [N] rows of the left ones that are nodes somewhere, [rows, N] pairs."""
    labels = rules.pair_ptr.shape[0] - 1
    row = np.full(labels, NONE, np.uint32)
    size = np.uint32(0)
    for item in range(label.shape[0]):
        if node_kept[item] and row[label[item]] == NONE:
            row[label[item]] = size
            size += ONE
    pair = np.full((np.int64(size), labels), NONE, np.uint32)
    for y in range(labels):
        if row[y] != NONE:
            for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
                pair[row[y], rules.pair_right[p]] = p
    return row, pair


@njit(cache=True, nogil=True)
def build(rules, chart, words, base_kept, node_kept):
    """The forest of a chart's items that are kept: as bases, as nodes."""
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    cells = n * (n + 1) // 2
    rule_ptr, rule_parent = rules.rule_ptr, rules.rule_parent
    row, pair = pairs_among(rules, chart.label, node_kept)
    # The item of a symbol, as a base and as a node, in one cell.
    base_at = np.full(labels, NONE, np.uint32)
    node_at = np.full(labels, NONE, np.uint32)
    node = np.empty(chart.label.shape[0], np.uint32)  # the items that are nodes, by cell
    node_begin = np.zeros(cells, np.uint32)
    node_end = np.zeros(cells, np.uint32)
    uses = np.zeros(cells, np.int64)  # how many rules have a node of the cell for a left child
    split = np.empty(n, np.uint32)
    cell = np.empty((cells, 2), np.uint32)
    item_ptr = np.zeros(cells + 1, np.uint32)
    binary_ptr = np.zeros(cells + 1, np.uint32)
    unary_ptr = np.zeros(cells + 1, np.uint32)
    label = np.empty(chart.label.shape[0], np.uint32)
    entry = np.full(chart.label.shape[0], NONE, np.uint32)
    binary = np.empty((1 << 16, 4), np.uint32)  # what is not written takes no memory; growing takes time
    unary = np.empty((256, 3), np.uint32)
    count = 0
    items = np.uint32(0)
    nodes = np.uint32(0)
    binaries = np.uint32(0)
    unaries = np.uint32(0)
    top = NONE
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            here = cell_of(i, k)
            first = items
            has_base = False
            node_begin[here] = nodes
            for item in range(chart.cell_begin[here], chart.cell_end[here]):
                if base_kept[item] or node_kept[item]:
                    x = chart.label[item]
                    label[items] = x
                    if base_kept[item]:
                        base_at[x] = items
                        has_base = True
                    if node_kept[item]:
                        node_at[x] = items
                        node[nodes] = items
                        nodes += ONE
                        uses[here] += rule_ptr[rules.pair_ptr[x + ONE]] - rule_ptr[rules.pair_ptr[x]]
                    items += ONE
            node_end[here] = nodes
            if items == first:
                continue
            if width == 1:
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    if base_at[rules.lex_tag[e]] != NONE:
                        entry[base_at[rules.lex_tag[e]]] = e
            # Splits between two cells with nodes; room for all they may give is made before their loop.
            splits = 0
            needed = np.int64(binaries)
            if has_base:
                for j in range(i + 1, k):
                    left, right = cell_of(i, j), cell_of(j, k)
                    if uses[left] and node_begin[right] < node_end[right]:
                        split[splits] = j
                        splits += 1
                        needed += uses[left]
            if needed > binary.shape[0]:
                binary = grown(binary, needed)
            for s in range(splits):
                left, right = cell_of(i, split[s]), cell_of(split[s], k)
                for one in range(node_begin[left], node_end[left]):
                    a = node[one]
                    at = row[label[a]]
                    for other in range(node_begin[right], node_end[right]):
                        b = node[other]
                        p = pair[at, label[b]]
                        if p == NONE:
                            continue
                        for r in range(rule_ptr[p], rule_ptr[p + ONE]):
                            # Written in any case, and written over unless it counts.
                            head = base_at[rule_parent[r]]
                            binary[binaries, 0] = r
                            binary[binaries, 1] = head
                            binary[binaries, 2] = a
                            binary[binaries, 3] = b
                            binaries += np.uint32(head != NONE)
            if unaries + rules.unary_parent.shape[0] > unary.shape[0]:
                unary = grown(unary, np.int64(unaries) + rules.unary_parent.shape[0])
            for item in range(first, items):
                y = label[item]
                if base_at[y] == NONE:
                    continue
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + ONE]):
                    head = node_at[rules.unary_parent[u]]
                    if head != NONE:
                        unary[unaries, 0] = u
                        unary[unaries, 1] = head
                        unary[unaries, 2] = item
                        unaries += ONE
            if width == n:
                top = node_at[rules.start]
            for item in range(first, items):
                base_at[label[item]] = NONE
                node_at[label[item]] = NONE
            cell[count, 0] = i
            cell[count, 1] = k
            count += 1
            item_ptr[count] = items
            binary_ptr[count] = binaries
            unary_ptr[count] = unaries
    return Forest(
        n,
        np.int64(-1) if top == NONE else np.int64(top),
        cell[:count].copy(),
        item_ptr[: count + 1].copy(),
        label[:items].copy(),
        entry[:items].copy(),
        binary_ptr[: count + 1].copy(),
        binary[:binaries].copy(),
        unary_ptr[: count + 1].copy(),
        unary[:unaries].copy(),
    )


@njit(cache=True, nogil=True)
def restrict(forest, found, least):
    """The forest of what is at least so likely: items, in either role, and hyperedges.

    A hyperedge is no likelier than what it joins, but for rounding: it goes with any of that.
    """
    items = forest.label.shape[0]
    base_at = np.full(items, NONE, np.uint32)
    node_at = np.full(items, NONE, np.uint32)
    cells = forest.cell.shape[0]
    cell = np.empty((cells, 2), np.uint32)
    ptr = np.zeros((3, cells + 1), np.uint32)
    label = np.empty(items, np.uint32)
    entry = np.empty(items, np.uint32)
    binary = np.empty(forest.binary.shape, np.uint32)
    unary = np.empty(forest.unary.shape, np.uint32)
    count = 0
    size = 0
    binaries = 0
    unaries = 0
    for c in range(cells):
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            base_kept, node_kept = found.base[item] >= least, found.node[item] >= least
            if base_kept or node_kept:
                label[size] = forest.label[item]
                entry[size] = forest.entry[item] if base_kept else NONE
                if base_kept:
                    base_at[item] = size
                if node_kept:
                    node_at[item] = size
                size += 1
        if size == ptr[0, count]:
            continue
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            head = base_at[forest.binary[h, 1]]
            y, z = node_at[forest.binary[h, 2]], node_at[forest.binary[h, 3]]
            if found.binary[h] >= least and head != NONE and y != NONE and z != NONE:
                binary[binaries, 0] = forest.binary[h, 0]
                binary[binaries, 1] = head
                binary[binaries, 2] = y
                binary[binaries, 3] = z
                binaries += 1
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            head, y = node_at[forest.unary[h, 1]], base_at[forest.unary[h, 2]]
            if found.unary[h] >= least and head != NONE and y != NONE:
                unary[unaries, 0] = forest.unary[h, 0]
                unary[unaries, 1] = head
                unary[unaries, 2] = y
                unaries += 1
        cell[count] = forest.cell[c]
        count += 1
        ptr[0, count] = size
        ptr[1, count] = binaries
        ptr[2, count] = unaries
    top = np.int64(-1)
    if forest.top >= 0 and node_at[forest.top] != NONE:
        top = np.int64(node_at[forest.top])
    return Forest(
        forest.words,
        top,
        cell[:count].copy(),
        ptr[0, : count + 1].copy(),
        label[:size].copy(),
        entry[:size].copy(),
        ptr[1, : count + 1].copy(),
        binary[:binaries].copy(),
        ptr[2, : count + 1].copy(),
        unary[:unaries].copy(),
    )
