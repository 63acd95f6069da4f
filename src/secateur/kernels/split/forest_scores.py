"""A split grammar's scores over a forest: inside, outside, and the derivation of maximum rule product.

Inside scores of an item, as a base and as a node, are kept as mantissas and a power of two each, which is
common to its sub-symbols; the highest mantissa is in [1, 2). Outside scores are divided by the sentence's
probability and multiplied by that power, so that the product of both is a posterior, and neither leaves the
range at any length. Items may be as far apart as they like; of an item's sub-symbols those that are smaller
than the highest by the whole range are nothing.

Anchored scores are those of the unsplit symbols, and count where cky.py adds them: to a lexical base that of
its tag, to a binary base and to a node with a unary that of its span. They may be as far apart as they like.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky.viterbi import BINARY, LEXICAL, UNARY, cell_of

from .forest import NONE

FAST = {"reassoc", "contract", "nsz"}
NOTHING = -(1 << 40)  # the power of two of what is 0
FAR = 1100  # powers of two: what is smaller by more is nothing beside it
RANGE = 1022
LEAST = 2.0**-RANGE  # smaller numbers are rounded more than others
MOST = 2.0 ** (RANGE + 1)  # the double of a larger number may be infinite
POWERS = np.ldexp(1.0, np.arange(-FAR, RANGE + 1))  # of two
LOG_2 = np.log(2.0)


class Inside(NamedTuple):
    """Scores of I items with up to K sub-symbols: node times 2^power, base times 2^base_power."""

    base: np.ndarray  # [I, K] float64
    node: np.ndarray  # [I, K] float64
    power: np.ndarray  # [I] int64
    base_power: np.ndarray  # [I] int64


@njit(inline="always")
def two_to(n):
    """2^n, from -FAR to RANGE."""
    return POWERS[np.uint64(n + FAR)]


@njit(cache=True, nogil=True)
def in_two(log):
    """exp(log) as a mantissa and a power of two."""
    if log == -np.inf:
        return 0.0, 0
    power = np.floor(np.float64(log) / LOG_2)
    return np.exp(np.float64(log) - power * LOG_2), np.int64(power)


@njit(cache=True, nogil=True)
def span_factors(forest, anchors):
    """[I] mantissas and powers of two by which anchored scores multiply items; [0] where there are none."""
    items = forest.label.shape[0] if anchors.span.shape[0] else 0
    mantissa = np.empty(items)
    power = np.empty(items, np.int64)
    if items:
        for c in range(forest.cell.shape[0]):
            cell = cell_of(np.int64(forest.cell[c, 0]), np.int64(forest.cell[c, 1]))
            for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
                mantissa[item], power[item] = in_two(anchors.span[cell, forest.label[item]])
    return mantissa, power


@njit(cache=True, nogil=True)
def multiply(scores, power, item, size, mantissa, up):
    """Multiply an item's scores by mantissa * 2^up."""
    if power[item] != NOTHING:
        scores[item, :size] *= mantissa
        power[item] += up


@njit(inline="always")
def highest_of(scores, size):
    highest = 0.0
    for a in range(size):
        highest = max(highest, scores[a])
    return highest


@njit(inline="always")
def add(scores, power, item, found, size, own):
    """Add found * 2^own to an item's scores, in the higher of both powers of two."""
    # What is 0 has no say in which is the higher.
    if highest_of(found, size) == 0.0:
        return
    if own > power[item]:
        factor = two_to(max(power[item] - own, -FAR))
        for a in range(size):
            scores[item, a] *= factor
        power[item] = own
    factor = two_to(max(own - power[item], -FAR))
    for a in range(size):
        scores[item, a] += found[a] * factor


@njit(cache=True, nogil=True)
def settle(scores, power, item, size):
    """Bring the highest of an item's scores to [1, 2), and what is out of range to 0."""
    highest = highest_of(scores[item], size)
    if highest < LEAST:
        scores[item, :size] = 0.0
        power[item] = NOTHING
        return
    up = np.int64(np.floor(np.log2(highest)))
    least, factor = LEAST * two_to(max(up, 0)), two_to(-up)
    for a in range(size):
        scores[item, a] = scores[item, a] * factor if scores[item, a] >= least else 0.0
    power[item] += up


@njit(cache=True, nogil=True, fastmath=FAST)
def inside(forest, blocks, anchors):
    """Of all items."""
    bonus, bonus_power = span_factors(forest, anchors)
    anchored = bonus.shape[0] > 0
    splits = blocks.splits
    wide = np.int64(splits.max())
    items = forest.label.shape[0]
    base = np.zeros((items, wide))
    node = np.zeros((items, wide))
    power = np.full(items, NOTHING, np.int64)
    base_power = np.full(items, NOTHING, np.int64)
    found = np.empty(wide)
    rules = blocks.binary
    for c in range(forest.cell.shape[0]):
        first, last = forest.item_ptr[c], forest.item_ptr[c + 1]
        for item in range(first, last):
            if forest.entry[item] != NONE:
                at = blocks.lexical_ptr[forest.entry[item]]
                for a in range(splits[forest.label[item]]):
                    base[item, a] = blocks.lexical[at + np.uint64(a)]
                base_power[item] = 0
                if anchors.tag.shape[0]:
                    x = forest.label[item]
                    mantissa, up = in_two(anchors.tag[forest.cell[c, 0], x])
                    multiply(base, base_power, item, splits[x], mantissa, up)
        # base(x_a) = sum over x -> y z and splits, b and c, of p(x_a -> y_b z_c) node(y_b) node(z_c)
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            rule, head, y, z = (
                forest.binary[h, 0],
                forest.binary[h, 1],
                forest.binary[h, 2],
                forest.binary[h, 3],
            )
            own = power[y] + power[z]
            if own < base_power[head] - FAR:
                continue
            at = blocks.binary_ptr[rule]
            size, ky, kz = splits[forest.label[head]], splits[forest.label[y]], splits[forest.label[z]]
            for a in range(size):
                total = 0.0
                for b in range(ky):
                    inner = 0.0
                    for e in range(kz):
                        inner += rules[at + np.uint64(e)] * node[z, e]
                    total += inner * node[y, b]
                    at += np.uint64(kz)
                found[a] = total
            add(base, base_power, head, found, size, own)
        wide_cell = forest.cell[c, 1] - forest.cell[c, 0] > 1
        for item in range(first, last):
            size = splits[forest.label[item]]
            if anchored and wide_cell:
                multiply(base, base_power, item, size, bonus[item], bonus_power[item])
            settle(base, base_power, item, size)
            node[item, :size] = base[item, :size]
            power[item] = base_power[item]
        # node(x_a) = base(x_a) + sum over x -> y, b of p(x_a -> y_b) base(y_b)
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            rule, head, y = forest.unary[h, 0], forest.unary[h, 1], forest.unary[h, 2]
            at = blocks.unary_ptr[rule]
            size, ky = splits[forest.label[head]], splits[forest.label[y]]
            mantissa, up = (bonus[head], bonus_power[head]) if anchored else (1.0, 0)
            for a in range(size):
                total = 0.0
                for b in range(ky):
                    total += blocks.unary[at + np.uint64(b)] * base[y, b]
                found[a] = total * mantissa
                at += np.uint64(ky)
            add(node, power, head, found, size, base_power[y] + up)
        for item in range(first, last):
            settle(node, power, item, splits[forest.label[item]])
    return Inside(base, node, power, base_power)


class Posteriors(NamedTuple):
    """How likely each part of a forest is to be in the sentence's tree."""

    binary: np.ndarray  # [B] float64
    unary: np.ndarray  # [U] float64
    base: np.ndarray  # [I] float64, an item as a base
    node: np.ndarray  # [I] float64, as a node


@njit(cache=True, nogil=True)
def nothing():
    """Posteriors of a forest without items."""
    none = np.empty(0)
    return Posteriors(none, none, none, none)


@njit(cache=True, nogil=True)
def factor_of(below, above):
    """2^(below - above), by which outside scores go down; 0 where nothing that is in range went up."""
    n = below - above
    return two_to(n) if -FAR <= n <= RANGE else 0.0


@njit(inline="always")
def anchored_factor(below, above, bonus, bonus_power, head):
    """The same where the head has an anchored score, if there are any."""
    if bonus.shape[0] == 0:
        return factor_of(below, above)
    return bonus[head] * factor_of(below + bonus_power[head], above)


@njit(cache=True, nogil=True, fastmath=FAST)
def outside(forest, blocks, scores, anchors):
    """Posteriors by outside scores; all 0 where the sentence has no parse."""
    bonus, bonus_power = span_factors(forest, anchors)
    splits = blocks.splits
    base, node, power, base_power = scores
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
            factor = factor_of(base_power[item], power[item])
            for a in range(splits[forest.label[item]]):
                # Of what is nothing inside, outside may be anything.
                if node[item, a] > 0.0:
                    as_node[item] += out_node[item, a] * node[item, a]
                    out_base[item, a] = out_node[item, a] * factor
                else:
                    out_node[item, a] = 0.0
        # out_base(y_b) = out_node(y_b) + sum over x -> y, a of out_node(x_a) p(x_a -> y_b)
        for h in range(forest.unary_ptr[c], forest.unary_ptr[c + 1]):
            rule, head, y = forest.unary[h, 0], forest.unary[h, 1], forest.unary[h, 2]
            factor = anchored_factor(base_power[y], power[head], bonus, bonus_power, head)
            at = blocks.unary_ptr[rule]
            ky = splits[forest.label[y]]
            for a in range(splits[forest.label[head]]):
                share = out_node[head, a] * factor
                if 0.0 < share <= MOST:
                    for b in range(ky):
                        ways = share * blocks.unary[at + np.uint64(b)]
                        out_base[y, b] += ways
                        by_unary[h] += ways * base[y, b]
                at += np.uint64(ky)
        for item in range(forest.item_ptr[c], forest.item_ptr[c + 1]):
            for a in range(splits[forest.label[item]]):
                if base[item, a] > 0.0:
                    as_base[item] += out_base[item, a] * base[item, a]
                else:
                    out_base[item, a] = 0.0
        # out_node(y_b) = sum over x -> y z, a and c of out_base(x_a) p(x_a -> y_b z_c) node(z_c); z likewise
        for h in range(forest.binary_ptr[c], forest.binary_ptr[c + 1]):
            rule, head, y, z = (
                forest.binary[h, 0],
                forest.binary[h, 1],
                forest.binary[h, 2],
                forest.binary[h, 3],
            )
            factor = anchored_factor(power[y] + power[z], base_power[head], bonus, bonus_power, head)
            at = blocks.binary_ptr[rule]
            ky, kz = splits[forest.label[y]], splits[forest.label[z]]
            found = 0.0
            for a in range(splits[forest.label[head]]):
                share = out_base[head, a] * factor
                if not 0.0 < share <= MOST:
                    at += np.uint64(ky) * np.uint64(kz)
                    continue
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
