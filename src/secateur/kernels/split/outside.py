"""Outside sums of a split grammar over one cell; block_posteriors.py puts them together.

Outside scores are divided by the sentence's probability and multiplied by the power of two of the item's
inside scores, so that the product of both is a posterior, and neither leaves the range at any length.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .blocks import ONE, at_from, at_to, lane_from, lane_to, list_bits, row_from, row_to
from .forest_scores import LEAST, MOST, NOTHING, RANGE, in_two
from .inside import lanes_of
from .simd import LANES
from .vectors import exponent, load, multiply, multiply_add, spread, store, total, two_to


@njit(inline="always")
def factor_of(below, above):
    """2^(below - above), by which outside scores go down; 0 where nothing that is in range went up."""
    return two_to(below - above) if below - above <= RANGE else 0.0


@njit(cache=True, nogil=True)
def outside_unaries(padded, anchors, cell, held, base_power, power, out_node, out_base):
    """out_base(y_b) += sum over x_a -> y_b of out_node(x_a) * p, of one cell."""
    shared = np.empty(out_node.shape[0])
    for u in range(padded.unary_parent.shape[0]):
        x, y = padded.unary_parent[u], padded.unary_child[u]
        if not (held[x] and held[y]) or base_power[y] == NOTHING:
            continue
        factor, up = in_two(anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0))
        factor *= factor_of(base_power[y] + up, power[x])
        if factor == 0.0:
            continue
        for lane in lanes_of(padded, x):
            shared[lane] = min(out_node[lane] * factor, MOST)
        for g in range(padded.unary_group_ptr[u], padded.unary_group_ptr[u + 1]):
            share = load(shared, LANES * np.int64(padded.unary_block[g]))
            for r in range(padded.unary_row_ptr[g], padded.unary_row_ptr[g + ONE]):
                out_base[padded.unary_lane[r]] += total(multiply(share, load(padded.unary_prob, LANES * r)))


@njit(cache=True, nogil=True)
def share_out(padded, anchors, cell, held, base_power, out_base, share_power):
    """Scale out_base of each symbol so that its highest is in [1, 2); its power of two, the item's own and
    the anchor's taken into account.
    """
    for x in range(held.shape[0]):
        share_power[x] = NOTHING
        if not held[x]:
            continue
        top = 0.0
        for lane in lanes_of(padded, x):
            top = max(top, out_base[lane])
        if not LEAST <= top <= MOST:
            continue
        anchor, up = in_two(anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0))
        own = exponent(top)
        # By halves: one factor may be out of range.
        half = -own // 2
        for lane in lanes_of(padded, x):
            out_base[lane] = out_base[lane] * two_to(half) * two_to(-own - half) * anchor
        share_power[x] = own + up - base_power[x]


@njit(cache=True, nogil=True)
def share_pairs(padded, chart, i, k, room, out_base, share_power, out_from, out_to):
    """Outside scores of a span passed on to its parts:

    tile(b, c) = sum over rules x_a -> y_b z_c of out_base(i, k, x_a) * p, for each pair (y, z);
    out(j, k, z_c) += sum over b of tile(b, c) * node(i, j, y_b), and out(i, j, y_b) likewise.
    """
    n, ends, starts, node_from, node_to, power_from, power_to = chart
    at, own, tile, flipped = room
    prob, row_at, row_flip, row_ptr = padded.prob, padded.row_at, padded.row_flip, padded.row_ptr
    symbols, blocks = share_power.shape[0], np.int64(padded.block_ptr[-1])
    for y in range(symbols):
        left_power = row_from(n, symbols, i, y)
        for p in range(padded.pair_ptr[y], padded.pair_ptr[y + 1]):
            z = np.int64(padded.pair_right[p])
            found = 0
            for word in range(ends.shape[2]):
                found = list_bits(ends[i, y, word] & starts[k, z, word], 64 * word, at, found)
            top = np.int64(NOTHING)
            if found:
                for rule in range(padded.pair_rule[p], padded.pair_rule[p + ONE]):
                    top = max(top, share_power[padded.rule_parent[rule]])
            if top == NOTHING:
                continue
            for place in range(LANES * np.int64(padded.strip_ptr[p + ONE] - padded.strip_ptr[p])):
                tile[place] = 0.0
            for place in range(LANES * np.int64(padded.flip_ptr[p + ONE] - padded.flip_ptr[p])):
                flipped[place] = 0.0
            for rule in range(padded.pair_rule[p], padded.pair_rule[p + ONE]):
                power = share_power[padded.rule_parent[rule]]
                if power == NOTHING:
                    continue
                factor = spread(two_to(power - top))
                for g in range(padded.group_ptr[rule], padded.group_ptr[rule + ONE]):
                    share = multiply(load(out_base, LANES * np.int64(padded.group_block[g])), factor)
                    for r in range(row_ptr[g], row_ptr[g + ONE]):
                        both = total(multiply(share, load(prob, LANES * r)))
                        tile[row_at[r]] += both
                        flipped[row_flip[r]] += both
            right_power = row_to(symbols, k, z)
            for m in range(found):
                j = at[m] // LANES
                own[m] = factor_of(power_from[left_power + j] + power_to[right_power + j], -top)
            place = 0
            for s in range(padded.strip_ptr[p], padded.strip_ptr[p + ONE]):
                left = lane_from(n, blocks, i, padded.strip_left[s])
                right = at_to(blocks, k, np.int64(padded.strip_right[s]))
                strip = load(tile, place)
                for m in range(found):
                    j = at[m]
                    one = spread(node_from[np.uint64(left + j)] * own[m])
                    store(out_to, right + j, multiply_add(one, strip, load(out_to, right + j)))
                place += LANES
            place = 0
            for s in range(padded.flip_ptr[p], padded.flip_ptr[p + ONE]):
                right = lane_to(blocks, k, padded.flip_right[s])
                left = at_from(n, blocks, i, np.int64(padded.flip_left[s]))
                strip = load(flipped, place)
                for m in range(found):
                    j = at[m]
                    one = spread(node_to[np.uint64(right + j)] * own[m])
                    store(out_from, left + j, multiply_add(one, strip, load(out_from, left + j)))
                place += LANES
