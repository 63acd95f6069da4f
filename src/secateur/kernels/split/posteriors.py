"""A sentence's posteriors by a split grammar, on unsplit symbols and labels, from whole charts.

The passes over a cell are those of block_inside.py and block_outside.py; here they are put together, and
unary rules have posteriors too: a composed one stands for more nodes than its two ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky.sparse import cell_of

from . import inside as block_inside
from .blocks import ONE, at_from, at_to, holds, row_to
from .forest_scores import NOTHING, in_two
from .inside import lanes_of, strips_in
from .outside import factor_of, outside_unaries, share_out, share_pairs
from .simd import LANES, popcount
from .vectors import load, multiply, multiply_add, spread, total


class Posteriors(NamedTuple):
    """How likely each part is to be in the sentence's tree; all 0 where it has none."""

    base: np.ndarray  # [cells, N] float64, a symbol's lexical or binary part
    node: np.ndarray  # [cells, N] float64, a symbol with its unary, if there is one
    unary: np.ndarray  # [cells, U] float64, an unsplit unary rule


class Expected(NamedTuple):
    """Expected numbers of nodes, and what it took; `marginals` returns the fields as a plain tuple."""

    table: np.ndarray  # [cells, labels + 1] float64; the last column is for made symbols
    log_total: float  # of the sentence's probability; -inf: no parse
    pushes: int
    items: int
    complete: bool  # False: the memory limit stopped it, there is nothing in it


@njit(cache=True, nogil=True)
def unary_posteriors(padded, anchors, cell, held, base_power, power, out_node, base, found):
    """found(x -> y) = sum over x_a -> y_b of out_node(x_a) * p * base(y_b), of one cell."""
    for u in range(padded.unary_parent.shape[0]):
        x, y = padded.unary_parent[u], padded.unary_child[u]
        if not (held[x] and held[y]) or base_power[y] == NOTHING:
            continue
        factor, up = in_two(anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0))
        factor *= factor_of(base_power[y] + up, power[x])
        for g in range(padded.unary_group_ptr[u], padded.unary_group_ptr[u + 1]):
            # First what is inside: together no more than node(x_a), beside which out_node(x_a) is in range.
            inner = spread(0.0)
            for r in range(padded.unary_row_ptr[g], padded.unary_row_ptr[g + ONE]):
                inner = multiply_add(
                    spread(base[padded.unary_lane[r]]), load(padded.unary_prob, LANES * r), inner
                )
            outer = load(out_node, LANES * np.int64(padded.unary_block[g]))
            found[u] += total(multiply(multiply(inner, spread(factor)), outer))


@njit(cache=True, nogil=True)
def load_cell(padded, scores, i, k, out_from, out_to, held, power, out_node, out_base, found):
    """What a cell's items have outside, as nodes and (of that) as bases; their posteriors as nodes."""
    symbols, blocks = held.shape[0], np.int64(padded.block_ptr[-1])
    for x in range(symbols):
        held[x] = holds(scores.ends, i, k, x)
        if not held[x]:
            continue
        power[x] = scores.power_to[row_to(symbols, k, x) + i]
        base_power = scores.base_power[cell_of(i, k) * symbols + x]
        factor = factor_of(base_power, power[x]) if base_power != NOTHING else 0.0
        for block in range(np.int64(padded.block_ptr[x]), np.int64(padded.block_ptr[x + 1])):
            here = at_to(blocks, k, block) + LANES * i
            there = at_from(scores.words, blocks, i, block) + LANES * k
            for lane in range(LANES):
                inner = scores.node_to[here + lane]
                # Of what is nothing inside, outside may be anything.
                outer = out_to[here + lane] + out_from[there + lane] if inner > 0.0 else 0.0
                found[x] += inner * outer
                out_node[LANES * block + lane] = outer
                out_base[LANES * block + lane] = outer * factor


@njit(cache=True, nogil=True)
def outside(padded, scores, anchors):
    """Posteriors by outside scores, from the widest span down."""
    n = scores.words
    symbols, blocks = padded.block_ptr.shape[0] - 1, np.int64(padded.block_ptr[-1])
    cells = n * (n + 1) // 2
    as_base = np.zeros((cells, symbols))
    as_node = np.zeros((cells, symbols))
    by_unary = np.zeros((cells, padded.unary_parent.shape[0]))
    if scores.log_total == -np.inf:
        return Posteriors(as_base, as_node, by_unary)
    out_from = np.zeros(scores.node_from.shape[0])
    out_to = np.zeros(scores.node_from.shape[0])
    out_node = np.zeros(blocks * LANES)
    out_base = np.zeros(blocks * LANES)
    held = np.empty(symbols, np.bool_)
    power = np.empty(symbols, np.int64)
    share_power = np.empty(symbols, np.int64)
    chart = (
        n,
        scores.ends,
        scores.starts,
        scores.node_from,
        scores.node_to,
        scores.power_from,
        scores.power_to,
    )
    strips, flips = strips_in(padded.strip_ptr), strips_in(padded.flip_ptr)
    room = np.empty(n + 1, np.int64), np.empty(n + 1), strips, flips
    top = at_to(blocks, n, np.int64(padded.block_ptr[padded.start]))
    out_to[top] = 1.0 / scores.node_to[top]
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            k = i + width
            cell = cell_of(i, k)
            load_cell(padded, scores, i, k, out_from, out_to, held, power, out_node, out_base, as_node[cell])
            base = scores.base[cell * blocks * LANES : (cell + 1) * blocks * LANES]
            base_power = scores.base_power[cell * symbols : (cell + 1) * symbols]
            outside_unaries(padded, anchors, cell, held, base_power, power, out_node, out_base)
            unary_posteriors(padded, anchors, cell, held, base_power, power, out_node, base, by_unary[cell])
            for x in range(symbols):
                if held[x]:
                    for lane in lanes_of(padded, x):
                        out_base[lane] = out_base[lane] if base[lane] > 0.0 else 0.0
                        as_base[cell, x] += out_base[lane] * base[lane]
            if width > 1:
                share_out(padded, anchors, cell, held, base_power, out_base, share_power)
                share_pairs(padded, chart, i, k, room, out_base, share_power, out_from, out_to)
    return Posteriors(as_base, as_node, by_unary)


@njit(cache=True, nogil=True)
def expected_nodes(found, padded, labels):
    """[cells, labels + 1] from posteriors: a tree's node is one of its derivation, the lower end of a unary,
    or on the way of a composed one.
    """
    table = np.zeros((found.node.shape[0], labels.made + 1))
    for cell in range(table.shape[0]):
        for x in range(found.node.shape[1]):
            table[cell, labels.of[x]] += found.node[cell, x]
        for u in range(found.unary.shape[1]):
            used = found.unary[cell, u]
            table[cell, labels.of[padded.unary_child[u]]] += used
            for q in range(labels.path_ptr[u], labels.path_ptr[u + 1]):
                table[cell, labels.path[q]] += used
    return table


@njit(cache=True, nogil=True)
def work_of(padded, scores, words, mask):
    """Pushes and items, as block_viterbi.py counts them."""
    n = scores.words
    symbols = padded.block_ptr.shape[0] - 1
    pushes, items = np.uint64(0), 0
    for i in range(n):
        for e in range(padded.lex_ptr[words[i]], padded.lex_ptr[words[i] + 1]):
            pushes += padded.lex_size[e]
        for k in range(i + 1, n + 1):
            if not (k == i + 1 or k - i == n or mask[i, k]):
                continue
            base_power = scores.base_power[cell_of(i, k) * symbols :]
            for y in range(symbols):
                for p in range(padded.pair_ptr[y], padded.pair_ptr[y + 1]):
                    splits = np.uint64(0)
                    for word in range(scores.ends.shape[2]):
                        z = padded.pair_right[p]
                        splits += np.uint64(popcount(scores.ends[i, y, word] & scores.starts[k, z, word]))
                    pushes += splits * padded.pair_size[p]
                if holds(scores.ends, i, k, y):
                    items += 1
                    if base_power[y] != NOTHING:
                        for u in range(padded.unary_ptr[y], padded.unary_ptr[y + 1]):
                            pushes += padded.unary_size[u]
    return pushes, items


@njit(cache=True, nogil=True)
def marginals(padded, labels, words, mask, anchors, limit):
    """A sentence's expected nodes; `limit` bounds the bytes it takes."""
    n = words.shape[0]
    unaries = padded.unary_parent.shape[0]
    tables = 8 * (n * (n + 1) // 2) * (unaries + labels.made + 1)
    scores = block_inside.inside(padded, words, mask, anchors, limit - tables)
    if not scores.complete:
        return np.zeros((0, labels.made + 1)), -np.inf, np.uint64(0), 0, False
    table = expected_nodes(outside(padded, scores, anchors), padded, labels)
    pushes, items = work_of(padded, scores, words, mask)
    return table, scores.log_total, pushes, items, True
