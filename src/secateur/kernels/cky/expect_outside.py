"""Outside pairs of a masked forest, from the wide spans to the narrow, and the derivatives they give.

The pass visits, besides the items of the chart, those within reach of one flip of the mask.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .expect_pairs import UNSET, bonus, choose, is_kept, meet, power_of, scaled, times, two_to

SLACK = 256  # outside pairs may pass their span's power by two to this before they are scaled again


@njit(cache=True, nogil=True)
def aim(outside, i, k, power):
    """Make room for outside pairs of about two to the power at a span; returns the factor from these."""
    row = outside.row[i, k]
    if outside.power[i, k] == UNSET:
        outside.power[i, k] = power
    elif power > outside.power[i, k] + SLACK:
        down = two_to(outside.power[i, k] - power)
        outside.power[i, k] = power
        for x in range(outside.value.shape[1]):
            outside.value[row, x] = scaled(outside.value[row, x], down)
    return two_to(power - outside.power[i, k])


@njit(cache=True, nogil=True)
def outer(rules, outside, gold, anchors, i, k, highest, base):
    """Outside pairs of a span's bases, scaled to about 1: base(y) = node(y) + sum over x -> y of p * node(x).

    A node counts itself if gold.
    """
    shift = power_of(highest)
    down = two_to(-shift)
    outside.power[i, k] += shift
    row = outside.row[i, k]
    g = gold.first[i, k]
    while g:
        x = gold.label[g - 1]
        outside.value[row, x] += complex(0.0, outside.value[row, x].real)
        g = gold.following[g - 1]
    for y in range(base.shape[0]):
        here = outside.value[row, y]
        for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
            x = rules.unary_parent[u]
            here += scaled(outside.value[row, x], rules.unary_prob[u] * bonus(anchors, i, k, x))
        base[y] = scaled(here, down * bonus(anchors, i, k, y))


@njit(inline="always")
def hand_down(rules, inside, outside, kept, reach, i, k, w, room):
    """Add what the outside pairs of a span's bases give to the spans within it, of width 2 or more.

    node(i, j, y) += outer(i, k, x) * p * inside(j, k, z), and so for node(j, k, z); splits of word w.
    """
    lefts = 0
    for s in range(meet(reach.some_end, kept.some_start, i, k, w, room.split)):
        j = room.split[s]
        if j > i + 1:
            room.left[lefts] = inside.row[i, j]
            room.right[lefts] = inside.row[j, k]
            room.factor[lefts] = aim(outside, i, j, outside.power[i, k] + inside.power[j, k])
            lefts += 1
    rights = 0
    for s in range(meet(kept.some_end, reach.some_start, i, k, w, room.split)):
        j = room.split[s]
        if j < k - 1:
            room.left[64 + rights] = inside.row[i, j]
            room.right[64 + rights] = inside.row[j, k]
            room.factor[64 + rights] = aim(outside, j, k, outside.power[i, k] + inside.power[i, j])
            rights += 1
    if lefts + rights == 0:
        return
    for c in range(choose(rules, kept, reach, i, k, w, room.chosen)):
        p = room.chosen[c]
        y = rules.rule_left[rules.rule_ptr[p]]
        z = rules.pair_right[p]
        share = complex(0.0, 0.0)
        for r in range(rules.rule_ptr[p], rules.rule_ptr[p + np.uint32(1)]):
            share += scaled(room.base[rules.rule_parent[r]], rules.rule_prob[r])
        for s in range(lefts):
            right = scaled(inside.value[room.right[s], z], room.factor[s])
            outside.value[room.left[s], y] += times(share, right)
        for s in range(rights):
            left = scaled(inside.value[room.left[64 + s], y], room.factor[64 + s])
            outside.value[room.right[64 + s], z] += times(share, left)


@njit(inline="always")
def descend(rules, mask, inside, outside, kept, reach, gold, anchors, room):
    """[n+1, n+1] derivatives of the sentence's pair by the bits of the mask, in units of two to powers.

    d/dm(i, k) = sum over x of inside(i, k, x) * outside(i, k, x)
    """
    n = mask.shape[0] - 1
    slope = np.zeros((n + 1, n + 1), np.complex128)
    power = np.full((n + 1, n + 1), UNSET, np.int64)
    aim(outside, 0, n, 0)
    outside.value[outside.row[0, n], rules.start] = 1.0
    for k in range(n, 1, -1):
        for i in range(k - 1):
            if outside.power[i, k] == UNSET:
                continue
            row = inside.row[i, k]
            highest = 0.0
            for x in range(room.base.shape[0]):
                slope[i, k] += times(inside.value[row, x], outside.value[row, x])
                highest = max(highest, outside.value[row, x].real)
            power[i, k] = inside.power[i, k] + outside.power[i, k]
            if highest > 0.0 and is_kept(mask, i, k):
                outer(rules, outside, gold, anchors, i, k, highest, room.base)
                for w in range(kept.ends.shape[2]):
                    hand_down(rules, inside, outside, kept, reach, i, k, w, room)
    room.base[:] = 0.0
    return slope, power
