"""Forests: what a coarse chart leaves of a sentence's derivations, and a split grammar's scores over them.

An item is a (span, symbol). Its base is lexical or binary; as a node it may have one unary on top. A forest's
hyperedges are those of the unsplit rules; each stands for a block of the split grammar.

Inside scores of an item are kept as mantissas and one power of two, which is common to its sub-symbols;
outside scores are divided by the sentence's probability and multiplied by that power, so that the product of
both is a posterior, and neither leaves the range at any length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .cky import BINARY, LEXICAL, UNARY, cell_of

FAST = {"reassoc", "contract", "nsz"}
NONE = np.uint32(0xFFFFFFFF)
FAR = 900  # powers of two: what is smaller by more is nothing beside it


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
def double(rows, count):
    """Room for one more row."""
    if count < rows.shape[0]:
        return rows
    larger = np.empty((2 * rows.shape[0], rows.shape[1]), rows.dtype)
    larger[:count] = rows
    return larger


@njit(cache=True, nogil=True)
def build(rules, chart, words, base_kept, node_kept):
    """The forest of a chart's items that are kept: as bases, as nodes."""
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    cells = n * (n + 1) // 2
    # [cells, labels] the item of a span and symbol, as a base and as a node.
    base_at = np.full((cells, labels), NONE, np.uint32)
    node_at = np.full((cells, labels), NONE, np.uint32)
    cell = np.empty((cells, 2), np.uint32)
    item_ptr = np.zeros(cells + 1, np.uint32)
    binary_ptr = np.zeros(cells + 1, np.uint32)
    unary_ptr = np.zeros(cells + 1, np.uint32)
    label = np.empty(chart.label.shape[0], np.uint32)
    entry = np.full(chart.label.shape[0], NONE, np.uint32)
    binary = np.empty((256, 4), np.uint32)
    unary = np.empty((256, 3), np.uint32)
    count = 0
    items = np.uint32(0)
    binaries = 0
    unaries = 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            here = cell_of(i, k)
            first = items
            for item in range(chart.cell_begin[here], chart.cell_end[here]):
                if base_kept[item] or node_kept[item]:
                    x = chart.label[item]
                    label[items] = x
                    if base_kept[item]:
                        base_at[here, x] = items
                    if node_kept[item]:
                        node_at[here, x] = items
                    items += np.uint32(1)
            if items == first:
                continue
            if width == 1:
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    if base_at[here, rules.lex_tag[e]] != NONE:
                        entry[base_at[here, rules.lex_tag[e]]] = e
            for j in range(i + 1, k):
                left, right = cell_of(i, j), cell_of(j, k)
                for y in range(labels):
                    a = node_at[left, y]
                    if a == NONE:
                        continue
                    for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
                        b = node_at[right, rules.pair_right[p]]
                        if b == NONE:
                            continue
                        for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                            head = base_at[here, rules.rule_parent[r]]
                            if head != NONE:
                                binary = double(binary, binaries)
                                binary[binaries, 0] = r
                                binary[binaries, 1] = head
                                binary[binaries, 2] = a
                                binary[binaries, 3] = b
                                binaries += 1
            for y in range(labels):
                a = base_at[here, y]
                if a == NONE:
                    continue
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                    head = node_at[here, rules.unary_parent[u]]
                    if head != NONE:
                        unary = double(unary, unaries)
                        unary[unaries, 0] = u
                        unary[unaries, 1] = head
                        unary[unaries, 2] = a
                        unaries += 1
            cell[count, 0] = i
            cell[count, 1] = k
            count += 1
            item_ptr[count] = items
            binary_ptr[count] = binaries
            unary_ptr[count] = unaries
    top = node_at[cell_of(0, n), rules.start]
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


class Inside(NamedTuple):
    """Scores of I items with up to K sub-symbols: base and node, times 2^power."""

    base: np.ndarray  # [I, K] float64
    node: np.ndarray  # [I, K] float64
    power: np.ndarray  # [I] int64


@njit(cache=True, nogil=True, fastmath=FAST)
def inside(forest, blocks):
    """Of all items."""
    splits = blocks.splits
    wide = np.int64(splits.max())
    items = forest.label.shape[0]
    base = np.zeros((items, wide))
    node = np.zeros((items, wide))
    power = np.full(items, -(1 << 40), np.int64)
    rules = blocks.binary
    for c in range(forest.cell.shape[0]):
        first, last = forest.item_ptr[c], forest.item_ptr[c + 1]
        for item in range(first, last):
            if forest.entry[item] != NONE:
                at = blocks.lexical_ptr[forest.entry[item]]
                for a in range(splits[forest.label[item]]):
                    base[item, a] = blocks.lexical[at + np.uint64(a)]
                power[item] = 0
        # The highest power of two that comes to an item is the one it is summed in.
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            head = forest.binary[h, 1]
            power[head] = max(power[head], power[forest.binary[h, 2]] + power[forest.binary[h, 3]])
        # base(x_a) = sum over x -> y z and splits, b and c, of p(x_a -> y_b z_c) node(y_b) node(z_c)
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            rule, head, y, z = (
                forest.binary[h, 0],
                forest.binary[h, 1],
                forest.binary[h, 2],
                forest.binary[h, 3],
            )
            lower = power[head] - power[y] - power[z]
            if lower > FAR:
                continue
            factor = 2.0 ** -np.float64(lower)
            at = blocks.binary_ptr[rule]
            ky, kz = splits[forest.label[y]], splits[forest.label[z]]
            for a in range(splits[forest.label[head]]):
                found = 0.0
                for b in range(ky):
                    inner = 0.0
                    for e in range(kz):
                        inner += rules[at + np.uint64(e)] * node[z, e]
                    found += inner * node[y, b]
                    at += np.uint64(kz)
                base[head, a] += found * factor
        # node(x_a) = base(x_a) + sum over x -> y, b of p(x_a -> y_b) base(y_b)
        common = power[first]
        for item in range(first, last):
            common = max(common, power[item])
        for item in range(first, last):
            lower = common - power[item]
            factor = 2.0 ** -np.float64(lower) if lower <= FAR else 0.0
            for a in range(splits[forest.label[item]]):
                base[item, a] *= factor
                node[item, a] = base[item, a]
            power[item] = common
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            rule, head, y = forest.unary[h, 0], forest.unary[h, 1], forest.unary[h, 2]
            at = blocks.unary_ptr[rule]
            ky = splits[forest.label[y]]
            for a in range(splits[forest.label[head]]):
                for b in range(ky):
                    node[head, a] += blocks.unary[at + np.uint64(b)] * base[y, b]
                at += np.uint64(ky)
        for item in range(first, last):
            highest = 0.0
            for a in range(splits[forest.label[item]]):
                highest = max(highest, node[item, a])
            if highest > 0.0:
                up = np.int64(np.floor(np.log2(highest)))
                for a in range(splits[forest.label[item]]):
                    node[item, a] *= 2.0 ** -np.float64(up)
                    base[item, a] *= 2.0 ** -np.float64(up)
                power[item] += up
    return Inside(base, node, power)


class Posteriors(NamedTuple):
    """How likely each part of a forest is to be in the sentence's tree."""

    binary: np.ndarray  # [B] float64
    unary: np.ndarray  # [U] float64
    base: np.ndarray  # [I] float64, an item as a base
    node: np.ndarray  # [I] float64, as a node


@njit(cache=True, nogil=True, fastmath=FAST)
def outside(forest, blocks, scores):
    """Posteriors by outside scores; all 0 where the sentence has no parse."""
    splits = blocks.splits
    base, node, power = scores
    items = forest.label.shape[0]
    out_base = np.zeros(base.shape)
    out_node = np.zeros(node.shape)
    by_binary = np.zeros(forest.binary.shape[0])
    by_unary = np.zeros(forest.unary.shape[0])
    as_base, as_node = np.zeros(items), np.zeros(items)
    rules = blocks.binary
    top = forest.top
    if top < 0 or not node[top, 0] > 0.0:
        return Posteriors(by_binary, by_unary, as_base, as_node)
    out_node[top, 0] = 1.0 / node[top, 0]
    for c in range(forest.cell.shape[0] - 1, -1, -1):
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            for a in range(splits[forest.label[item]]):
                as_node[item] += out_node[item, a] * node[item, a]
                out_base[item, a] = out_node[item, a]
        # out_base(y_b) = out_node(y_b) + sum over x -> y, a of out_node(x_a) p(x_a -> y_b)
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            rule, head, y = forest.unary[h, 0], forest.unary[h, 1], forest.unary[h, 2]
            factor = 2.0 ** np.float64(power[y] - power[head])
            at = blocks.unary_ptr[rule]
            ky = splits[forest.label[y]]
            for a in range(splits[forest.label[head]]):
                share = out_node[head, a] * factor
                for b in range(ky):
                    ways = share * blocks.unary[at + np.uint64(b)]
                    out_base[y, b] += ways
                    by_unary[h] += ways * base[y, b]
                at += np.uint64(ky)
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            for a in range(splits[forest.label[item]]):
                as_base[item] += out_base[item, a] * base[item, a]
        # out_node(y_b) = sum over x -> y z, a and c of out_base(x_a) p(x_a -> y_b z_c) node(z_c); z likewise
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            rule, head, y, z = (
                forest.binary[h, 0],
                forest.binary[h, 1],
                forest.binary[h, 2],
                forest.binary[h, 3],
            )
            factor = 2.0 ** np.float64(power[y] + power[z] - power[head])
            at = blocks.binary_ptr[rule]
            ky, kz = splits[forest.label[y]], splits[forest.label[z]]
            found = 0.0
            for a in range(splits[forest.label[head]]):
                share = out_base[head, a] * factor
                for b in range(ky):
                    both = share * node[y, b]
                    inner = 0.0
                    for e in range(kz):
                        p = rules[at + np.uint64(e)]
                        inner += p * node[z, e]
                        out_node[z, e] += both * p
                    out_node[y, b] += share * inner
                    found += both * inner
                    at += np.uint64(kz)
            by_binary[h] = found
    return Posteriors(by_binary, by_unary, as_base, as_node)


@njit(cache=True, nogil=True)
def max_rule(forest, found):
    """The derivation, as steps, whose rules' posteriors have the largest product, and its log.

    No steps without a parse.

    In logs: base(x) = max over its hyperedges of posterior + node(y) + node(z), or the posterior of its tag;
    node(x) = max(base(x), max over unary hyperedges of posterior + base(y)). Ties go to what comes first.
    """
    items = forest.label.shape[0]
    base = np.full(items, -np.inf)
    node = np.full(items, -np.inf)
    base_by = np.full(items, -1, np.int64)
    node_by = np.full(items, -1, np.int64)
    for c in range(forest.cell.shape[0]):
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            if forest.entry[item] != NONE and found.base[item] > 0.0:
                base[item] = np.log(found.base[item])
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            if found.binary[h] > 0.0:
                head = forest.binary[h, 1]
                score = np.log(found.binary[h]) + node[forest.binary[h, 2]] + node[forest.binary[h, 3]]
                if score > base[head]:
                    base[head] = score
                    base_by[head] = h
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            node[item] = base[item]
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            if found.unary[h] > 0.0:
                head = forest.unary[h, 1]
                score = np.log(found.unary[h]) + base[forest.unary[h, 2]]
                if score > node[head]:
                    node[head] = score
                    node_by[head] = h
    steps = np.empty((4 * forest.words, 5), np.int64)
    count = 0
    if forest.top < 0 or node[forest.top] == -np.inf:
        return steps[:0], -np.inf
    cell_of_item = np.empty(items, np.int64)
    for c in range(forest.cell.shape[0]):
        cell_of_item[forest.item_ptr[c] : forest.item_ptr[c + 1]] = c
    stack = np.empty((2 * forest.words + 2, 2), np.int64)  # item, and whether as a node
    stack[0, 0], stack[0, 1] = forest.top, 1
    depth = 1
    while depth:
        depth -= 1
        item, as_node = stack[depth, 0], stack[depth, 1]
        kind, rule = LEXICAL, np.int64(-1)
        if as_node and node_by[item] >= 0:
            kind, rule = UNARY, np.int64(forest.unary[node_by[item], 0])
            stack[depth, 0], stack[depth, 1] = forest.unary[node_by[item], 2], 0
            depth += 1
        elif base_by[item] >= 0:
            h = base_by[item]
            kind, rule = BINARY, np.int64(forest.binary[h, 0])
            stack[depth, 0], stack[depth, 1] = forest.binary[h, 3], 1
            stack[depth + 1, 0], stack[depth + 1, 1] = forest.binary[h, 2], 1
            depth += 2
        c = cell_of_item[item]
        steps[count, 0], steps[count, 1], steps[count, 4] = kind, forest.label[item], rule
        steps[count, 2], steps[count, 3] = forest.cell[c, 0], forest.cell[c, 1]
        count += 1
    return steps[:count], node[forest.top]


@njit(cache=True, nogil=True)
def restrict(forest, found, least):
    """The forest of what is at least so likely."""
    items = forest.label.shape[0]
    number = np.full(items, NONE, np.uint32)
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
            if found.base[item] >= least or found.node[item] >= least:
                number[item] = size
                label[size] = forest.label[item]
                entry[size] = forest.entry[item]
                size += 1
        if size == ptr[0, count]:
            continue
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            if found.binary[h] >= least:
                binary[binaries, 0] = forest.binary[h, 0]
                for t in range(1, 4):
                    binary[binaries, t] = number[forest.binary[h, t]]
                binaries += 1
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            if found.unary[h] >= least:
                unary[unaries, 0] = forest.unary[h, 0]
                for t in range(1, 3):
                    unary[unaries, t] = number[forest.unary[h, t]]
                unaries += 1
        cell[count] = forest.cell[c]
        count += 1
        ptr[0, count] = size
        ptr[1, count] = binaries
        ptr[2, count] = unaries
    top = np.int64(-1)
    if forest.top >= 0 and number[forest.top] != NONE:
        top = np.int64(number[forest.top])
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
