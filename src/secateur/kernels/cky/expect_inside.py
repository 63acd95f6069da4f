"""Inside pairs of a masked forest, from the narrow spans to the wide.

A flip from pruned to kept may give spans labels that they lack now: for flips, what is within reach of one
is noted on the way, every label of a pruned span over kept ones and what can be built above it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from .expect_pairs import UNSET, bonus, choose, is_kept, meet, power_of, scaled, set_bit, times, two_to

LOG2 = math.log(2.0)


@njit(cache=True, nogil=True)
def lexical(rules, words, anchors, i, base):
    """base(i, i+1, t) = weight of t -> w_i, in units of two to the power returned."""
    first = rules.lex_ptr[words[i]]
    last = rules.lex_ptr[words[i] + 1]
    highest = -np.inf
    for e in range(first, last):
        shift = np.float64(anchors.tag[i, rules.lex_tag[e]]) if anchors.tag.shape[0] else 0.0
        highest = max(highest, rules.lex_log[e] + shift)
    if highest == -np.inf:
        return UNSET
    power = math.floor(highest / LOG2)
    for e in range(first, last):
        t = rules.lex_tag[e]
        shift = np.float64(anchors.tag[i, t]) if anchors.tag.shape[0] else 0.0
        weight = math.exp(rules.lex_log[e] + shift - power * LOG2)
        base[t] = complex(max(base[t].real, weight), 0.0)
    return power


@njit(inline="always")
def binary(rules, inside, kept, reach, anchors, i, k, mark, room):
    """base(i, k, x) = sum over x -> y z and i < j < k of p * node(i, j, y) * node(j, k, z).

    In units of two to the power returned. If mark, node(x) becomes 1 for every parent within reach.
    """
    wide = kept.ends.shape[2]
    power = UNSET
    for w in range(wide):
        for s in range(meet(kept.some_end, kept.some_start, i, k, w, room.split)):
            j = room.split[s]
            power = max(power, inside.power[i, j] + inside.power[j, k])
    for w in range(wide):
        splits = meet(kept.some_end, kept.some_start, i, k, w, room.split)
        for s in range(splits):
            j = room.split[s]
            room.left[s] = inside.row[i, j]
            room.right[s] = inside.row[j, k]
            room.factor[s] = two_to(inside.power[i, j] + inside.power[j, k] - power)
        for c in range(choose(rules, kept, reach, i, k, w, room.chosen)):
            p = room.chosen[c]
            y = rules.rule_left[rules.rule_ptr[p]]
            z = rules.pair_right[p]
            inner = complex(0.0, 0.0)
            for s in range(splits):
                left = scaled(inside.value[room.left[s], y], room.factor[s])
                inner += times(left, inside.value[room.right[s], z])
            for r in range(rules.rule_ptr[p], rules.rule_ptr[p + np.uint32(1)]):
                x = rules.rule_parent[r]
                room.base[x] += scaled(inner, rules.rule_prob[r])
                if mark:
                    room.node[x] = 1.0
    if anchors.span.shape[0]:
        for x in range(room.base.shape[0]):
            room.base[x] = scaled(room.base[x], bonus(anchors, i, k, x))
    return power


@njit(cache=True, nogil=True)
def note(rules, reach, i, k, room):
    """Set the bits of a kept span's labels within reach: bases there or marked, and unaries over them."""
    for y in range(room.node.shape[0]):
        if room.base[y].real > 0.0 or room.node[y].real > 0.0:
            room.node[y] = 0.0
            set_bit(reach, i, y, k)
            for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                set_bit(reach, i, rules.unary_parent[u], k)


@njit(cache=True, nogil=True)
def close(rules, inside, bits, gold, anchors, i, k, power, room):
    """node(i, k, x) = (base(i, k, x) + sum over x -> y of p * base(i, k, y)) * (1, whether x is gold).

    Bases come in units of two to the power; empties them, and sets the bits of what there is.
    """
    base, node = room.base, room.node
    for y in range(base.shape[0]):
        if base[y].real > 0.0:
            node[y] += base[y]
            for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                x = rules.unary_parent[u]
                node[x] += scaled(base[y], rules.unary_prob[u] * bonus(anchors, i, k, x))
            base[y] = 0.0
    g = gold.first[i, k]
    while g:
        x = gold.label[g - 1]
        node[x] += complex(0.0, node[x].real)
        g = gold.following[g - 1]
    highest = 0.0
    for x in range(node.shape[0]):
        highest = max(highest, node[x].real)
    shift = power_of(highest)
    down = two_to(-shift)
    row = inside.row[i, k]
    for x in range(node.shape[0]):
        inside.value[row, x] = scaled(node[x], down)
        if inside.value[row, x].real > 0.0:
            set_bit(bits, i, x, k)
        node[x] = 0.0
    inside.power[i, k] = power + shift


@njit(cache=True, nogil=True)
def climb(rules, words, mask, inside, kept, reach, gold, anchors, first, last, flips, room):
    """Fill in the inside pairs of all kept spans that hold (first, last), from the narrow to the wide.

    For flips, also those of pruned spans, as if each alone were kept, and the bits of what is within reach.
    """
    for k in range(last, words.shape[0] + 1):
        for i in range(min(first, k - 1), -1, -1):
            sure = is_kept(mask, i, k)
            if not sure and not flips:
                continue
            if k == i + 1:
                power = lexical(rules, words, anchors, i, room.base)
            else:
                # A pruned span is over kept ones: if it is flipped, nothing else is.
                near = reach if sure else kept
                power = binary(rules, inside, kept, near, anchors, i, k, flips and sure, room)
            if flips and sure:
                note(rules, reach, i, k, room)
            if power != UNSET:
                close(rules, inside, kept if sure else reach, gold, anchors, i, k, power, room)
