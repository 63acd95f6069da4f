"""Inside sums over the sub-symbols of a split grammar, by blocks, with a span mask.

Scores of an item, as a base and as a node, are kept as in forest_scores.py: as mantissas and a power of two
each, common to its sub-symbols, the highest mantissa in [1, 2). Items may be as far apart as they like; of an
item's sub-symbols, those smaller than the highest by the whole range are nothing.

Items are found, and laid out, as in block_viterbi.py; anchored scores are those of the unsplit symbols.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky.sparse import cell_of

from .blocks import ONE, at_from, at_to, lane_from, list_bits, row_from, row_to
from .forest_scores import LEAST, LOG_2, NOTHING, in_two
from .simd import LANES
from .vectors import exponent, highest, load, multiply_add, spread, store, two_to


class Inside(NamedTuple):
    """Scores times two to their powers. Vectors of eight for B blocks; cells are numbered k*(k-1)/2 + i."""

    words: int
    complete: bool  # False: the memory limit stopped it, there is nothing in it
    log_total: float  # of the sentence's probability
    ends: np.ndarray  # [n+1, N, words64] uint64, the ends of symbol's spans from start
    starts: np.ndarray  # [n+1, N, words64] uint64
    base: np.ndarray  # [cells * B * 8] float64
    base_power: np.ndarray  # [cells * N] int64
    node_from: np.ndarray  # [cells * B * 8] float64, as blocks.at_from has it
    node_to: np.ndarray  # [cells * B * 8] float64, the same as at_to
    power_from: np.ndarray  # [cells * N] int64, as row_from
    power_to: np.ndarray  # [cells * N] int64, the same as row_to


@njit(inline="always")
def lanes_of(padded, x):
    return range(LANES * np.int64(padded.block_ptr[x]), LANES * np.int64(padded.block_ptr[x + 1]))


@njit(cache=True, nogil=True)
def shrink(scores, first, last, factor):
    """Multiply blocks."""
    for lane in range(LANES * np.int64(first), LANES * np.int64(last)):
        scores[lane] *= factor


@njit(cache=True, nogil=True)
def settle(padded, scores, power):
    """Bring the highest of each symbol's scores to [1, 2), and what is out of range to 0."""
    for x in range(power.shape[0]):
        if power[x] == NOTHING:
            continue
        top = 0.0
        for lane in lanes_of(padded, x):
            top = max(top, scores[lane])
        if top < LEAST:
            for lane in lanes_of(padded, x):
                scores[lane] = 0.0
            power[x] = NOTHING
            continue
        up = exponent(top)
        least, factor = LEAST * two_to(max(up, 0)), two_to(-up)
        for lane in lanes_of(padded, x):
            scores[lane] = scores[lane] * factor if scores[lane] >= least else 0.0
        power[x] += up


@njit(cache=True, nogil=True)
def lexical(padded, word, i, anchors, base, power):
    """base(i, i+1, t_a) = p(t_a -> w_i)"""
    for e in range(padded.lex_ptr[word], padded.lex_ptr[word + 1]):
        t = padded.lex_tag[e]
        factor, power[t] = in_two(anchors.tag[i, t] if anchors.tag.shape[0] else np.float32(0.0))
        source = np.int64(padded.lex_at[e]) - LANES * np.int64(padded.block_ptr[t])
        for lane in lanes_of(padded, t):
            base[lane] = padded.lex_prob[source + lane] * factor


@njit(cache=True, nogil=True)
def sum_pairs(padded, chart, i, k, room, base, power):
    """base(i, k, x_a) = sum over x_a -> y_b z_c and i < j < k of p * node(i, j, y_b) * node(j, k, z_c)

    For each pair (y, z) first tile(b, c), the sum over the splits, times two to the highest of their powers.
    """
    n, ends, starts, node_from, node_to, power_from, power_to = chart
    at, own, tile = room
    block_ptr, prob, row_at, row_ptr = padded.block_ptr, padded.prob, padded.row_at, padded.row_ptr
    symbols, blocks = power.shape[0], np.int64(block_ptr[-1])
    for y in range(symbols):
        left_power = row_from(n, symbols, i, y)
        for p in range(padded.pair_ptr[y], padded.pair_ptr[y + 1]):
            z = np.int64(padded.pair_right[p])
            found = 0
            for word in range(ends.shape[2]):
                found = list_bits(ends[i, y, word] & starts[k, z, word], 64 * word, at, found)
            if found == 0:
                continue
            right_power = row_to(symbols, k, z)
            top = np.int64(2 * NOTHING)
            for m in range(found):
                j = at[m] // LANES
                top = max(top, power_from[left_power + j] + power_to[right_power + j])
            for m in range(found):
                j = at[m] // LANES
                own[m] = two_to(power_from[left_power + j] + power_to[right_power + j] - top)
            place = 0
            for s in range(padded.strip_ptr[p], padded.strip_ptr[p + ONE]):
                left = lane_from(n, blocks, i, padded.strip_left[s])
                right = at_to(blocks, k, np.int64(padded.strip_right[s]))
                strip = spread(0.0)
                for m in range(found):
                    j = at[m]
                    one = spread(node_from[np.uint64(left + j)] * own[m])
                    strip = multiply_add(one, load(node_to, right + j), strip)
                store(tile, place, strip)
                place += LANES
            for rule in range(padded.pair_rule[p], padded.pair_rule[p + ONE]):
                x = padded.rule_parent[rule]
                for g in range(padded.group_ptr[rule], padded.group_ptr[rule + ONE]):
                    block = spread(0.0)
                    for r in range(row_ptr[g], row_ptr[g + ONE]):
                        block = multiply_add(spread(tile[row_at[r]]), load(prob, LANES * r), block)
                    # What is 0 has no say in which power is the higher.
                    if highest(block) > 0.0:
                        if top > power[x]:
                            shrink(base, block_ptr[x], block_ptr[x + np.uint32(1)], two_to(power[x] - top))
                            power[x] = top
                        here = LANES * np.int64(padded.group_block[g])
                        factor = spread(two_to(top - power[x]))
                        store(base, here, multiply_add(block, factor, load(base, here)))


@njit(cache=True, nogil=True)
def sum_unaries(padded, anchors, cell, base, base_power, node, power):
    """node(x_a) = base(x_a) + sum over x_a -> y_b of p * base(y_b), of one cell."""
    node[:] = base
    power[:] = base_power
    for y in range(base_power.shape[0]):
        if base_power[y] == NOTHING:
            continue
        for u in range(padded.unary_ptr[y], padded.unary_ptr[y + 1]):
            x = padded.unary_parent[u]
            factor, up = in_two(anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0))
            for g in range(padded.unary_group_ptr[u], padded.unary_group_ptr[u + 1]):
                found = spread(0.0)
                for r in range(padded.unary_row_ptr[g], padded.unary_row_ptr[g + ONE]):
                    below = spread(base[padded.unary_lane[r]] * factor)
                    found = multiply_add(below, load(padded.unary_prob, LANES * r), found)
                top = base_power[y] + up
                if highest(found) > 0.0:
                    if top > power[x]:
                        shrink(node, padded.block_ptr[x], padded.block_ptr[x + 1], two_to(power[x] - top))
                        power[x] = top
                    here = LANES * np.int64(padded.unary_block[g])
                    store(node, here, multiply_add(found, spread(two_to(top - power[x])), load(node, here)))


@njit(cache=True, nogil=True)
def strips_in(ptr):
    """Room for the strips of any pair."""
    most = np.int64(0)
    for p in range(ptr.shape[0] - 1):
        most = max(most, np.int64(ptr[p + 1]) - np.int64(ptr[p]))
    return np.empty(most * LANES)


@njit(cache=True, nogil=True)
def inside(padded, words, mask, anchors, limit):
    """Of all items of a sentence, given as word ids; `limit` bounds the bytes of this and of `outside`."""
    n = words.shape[0]
    symbols = padded.block_ptr.shape[0] - 1
    blocks = np.int64(padded.block_ptr[-1])
    wide = (n + 64) // 64
    cells = n * (n + 1) // 2
    complete = 40 * cells * (blocks * LANES + symbols) + 16 * (n + 1) * symbols * wide <= limit
    if not complete:
        n = cells = 0
    ends = np.zeros((n + 1, symbols, wide), np.uint64)
    starts = np.zeros((n + 1, symbols, wide), np.uint64)
    base_of = np.empty(cells * blocks * LANES)
    node_from = np.empty(cells * blocks * LANES)
    node_to = np.empty(cells * blocks * LANES)
    base_power_of = np.empty(cells * symbols, np.int64)
    power_from = np.empty(cells * symbols, np.int64)
    power_to = np.empty(cells * symbols, np.int64)
    base = np.empty(blocks * LANES)
    node = np.empty(blocks * LANES)
    base_power = np.empty(symbols, np.int64)
    power = np.empty(symbols, np.int64)
    chart = n, ends, starts, node_from, node_to, power_from, power_to
    room = np.empty(n + 1, np.int64), np.empty(n + 1), strips_in(padded.strip_ptr)
    log_total = -np.inf
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not (width == 1 or width == n or mask[i, k]):
                continue
            cell = cell_of(i, k)
            base[:] = 0.0
            base_power[:] = NOTHING
            if width == 1:
                lexical(padded, words[i], i, anchors, base, base_power)
            else:
                sum_pairs(padded, chart, i, k, room, base, base_power)
                if anchors.span.shape[0]:
                    for x in range(symbols):
                        factor, up = in_two(anchors.span[cell, x])
                        for lane in lanes_of(padded, x):
                            base[lane] *= factor
                        base_power[x] += up if base_power[x] != NOTHING else 0
            settle(padded, base, base_power)
            sum_unaries(padded, anchors, cell, base, base_power, node, power)
            settle(padded, node, power)
            for x in range(symbols):
                if power[x] == NOTHING:
                    continue
                base_power_of[cell * symbols + x] = base_power[x]
                power_from[row_from(n, symbols, i, x) + k] = power[x]
                power_to[row_to(symbols, k, x) + i] = power[x]
                for block in range(np.int64(padded.block_ptr[x]), np.int64(padded.block_ptr[x + 1])):
                    found_here = load(node, LANES * block)
                    store(base_of, LANES * (cell * blocks + block), load(base, LANES * block))
                    store(node_from, at_from(n, blocks, i, block) + LANES * k, found_here)
                    store(node_to, at_to(blocks, k, block) + LANES * i, found_here)
                ends[i, x, k >> 6] |= ONE << np.uint64(k & 63)
                starts[k, x, i >> 6] |= ONE << np.uint64(i & 63)
    if n and power[padded.start] != NOTHING:
        first = node[LANES * np.int64(padded.block_ptr[padded.start])]
        if first > 0.0:
            log_total = np.log(first) + LOG_2 * power[padded.start]
    return Inside(
        words.shape[0],
        complete,
        log_total,
        ends,
        starts,
        base_of,
        base_power_of,
        node_from,
        node_to,
        power_from,
        power_to,
    )
