"""What a popped item makes: unary rules over it, and with the nodes beside it binary ones.

The order is part of what is computed, since delta looks at the best so far: unary rules by id; then rules
with the item on the left, then with it on the right, by sibling, by when the sibling came to be a node, by
weight (large ones first), by id.
"""

from __future__ import annotations

import numpy as np

from secateur.kernels.split.simd import popcount, trailing_zeros

from ..bare import bare
from ..cky.sparse import cell_of
from .offer import floor_of, offer
from .state import DROPPED, IMPOSSIBLE, NONE, ONE, PUSHES, make_row


@bare
def over_it(rules, anchors, priorities, how, state, item, i, k, y, mine):
    """over(i, k, x) = max over x -> y of base(i, k, y) + weight"""
    unary_parent, unary_weight, score_of = rules.unary_parent, rules.unary_weight, state.score
    first, last = np.uint64(rules.unary_ptr[y]), np.uint64(rules.unary_ptr[y + ONE])
    if first == last:
        return
    row = np.uint64(state.row_of[1, i, k])
    if row == 0:
        row = make_row(state, i, k, 1)
    base, cell = row * np.uint64(state.list_of.shape[2]), cell_of(i, k)
    dropped = 0
    for u in range(first, last):
        x = np.uint64(unary_parent[u])
        score = mine + unary_weight[u]
        if anchors.span.shape[0]:
            score += anchors.span[cell, x]
        if score < floor_of(state, how, i, k):
            dropped += score > IMPOSSIBLE
        elif score > score_of[base + x]:
            offer(state, priorities, how, base + x, i, k, x, 1, score, np.uint32(u), item, NONE)
    state.tally[PUSHES] += np.int64(last - first)
    state.tally[DROPPED] += dropped


@bare
def next_better(own, anchors, score_of, base, inner, floor, first, last, i, k):
    """Of a pair's rules the next one that makes an item better, and how many on the way delta drops."""
    parent, weight, dropped = own.parent, own.weight, np.int64(0)
    if anchors.span.shape[0] == 0:
        for r in range(first, last):
            score = inner + weight[r]
            if score < floor:
                return last, np.int64(last - r)
            if score > score_of[base + np.uint64(parent[r])]:
                return r, dropped
        return last, dropped
    cell = cell_of(i, k)
    for r in range(first, last):
        score = inner + weight[r] + anchors.span[cell, parent[r]]
        if score < floor:
            dropped += np.int64(score > IMPOSSIBLE)
        elif score > score_of[base + np.uint64(parent[r])]:
            return r, dropped
    return last, dropped


@bare
def beside_it(own, side, anchors, priorities, how, state, item, i, k, x, mine):
    """base(i, m, z) = max over z -> x y and nodes (k, m, y) of node(i, k, x) + node(k, m, y) + weight

    on side 0, and base(j, k, z) with nodes (j, i, y) on side 1.
    """
    siblings, rank, rule_ptr, parent, weight = own.siblings, own.rank, own.rule_ptr, own.parent, own.weight
    listed, list_of, list_size, list_far = state.listed, state.list_of, state.list_size, state.list_far
    list_score, list_item, score_of, row_of = state.list_score, state.list_item, state.score, state.row_of
    symbols, anchored = np.uint64(list_of.shape[2]), anchors.span.shape[0] > 0
    i, k = np.uint64(i), np.uint64(k)
    position = k if side == 0 else i
    pushes, dropped = np.int64(0), np.int64(0)
    for word in range(siblings.shape[1]):
        mates = siblings[x, word]
        both = mates & listed[side, position, word]
        while both:
            mate = both & (~both + ONE)
            both ^= mate
            y = np.uint64(64 * word) + trailing_zeros(mate)
            pair = np.uint64(rank[x, word]) + popcount(mates & (mate - ONE))
            first, last = np.uint64(rule_ptr[pair]), np.uint64(rule_ptr[pair + ONE])
            nodes = np.uint64(list_of[side, position, y])
            for place in range(np.uint64(list_size[nodes])):
                far = np.uint64(list_far[nodes, place])
                begin, end = (i, far) if side == 0 else (far, k)
                row = np.uint64(row_of[0, begin, end])
                if row == NONE:
                    continue
                if row == 0:
                    row = make_row(state, begin, end, 0)
                base, inner = row * symbols, mine + list_score[nodes, far]
                pushes += np.int64(last - first)
                r = first
                while True:
                    floor = floor_of(state, how, begin, end)
                    r, low = next_better(own, anchors, score_of, base, inner, floor, r, last, begin, end)
                    dropped += low
                    if r == last:
                        break
                    z, score = np.uint64(parent[r]), inner + weight[r]
                    if anchored:
                        score += anchors.span[cell_of(begin, end), z]
                    other = list_item[nodes, far]
                    a, b = (item, other) if side == 0 else (other, item)
                    offer(state, priorities, how, base + z, begin, end, z, 0, score, own.rule[r], a, b)
                    r += ONE
    state.tally[PUSHES] += pushes
    state.tally[DROPPED] += dropped
