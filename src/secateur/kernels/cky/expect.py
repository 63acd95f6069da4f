"""Expected recall of a masked forest, and of every forest one flip of the mask away.

Z sums the weights of a sentence's derivations and R sums weight * (gold nodes in it): both are polynomials in
the bits of the mask, linear in each, so that one inside and one outside pass tell what every flip would do.
Semantics are those of cky.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .expect_inside import climb
from .expect_outside import descend
from .expect_pairs import (
    UNSET,
    Bits,
    Pairs,
    bit,
    chain_gold,
    is_kept,
    new_room,
    no_bits,
    number_rows,
    scaled,
    two_to,
)

# Pruning a span that carries all but this share of Z (or of R) cancels: sums are right to about 1e-14, their
# difference would not be right to ten digits. Such a flip is computed anew.
CANCELS = 1e-4


@njit(inline="always")
def again(rules, words, mask, inside, kept, gold, anchors, i, k, room):
    """The sentence's pair with one more span pruned: only what holds that span is computed anew."""
    pruned = mask.copy()
    pruned[i, k] = False
    bits = Bits(kept.ends.copy(), kept.starts.copy(), kept.some_end.copy(), kept.some_start.copy())
    fresh = Pairs(inside.row, inside.value.copy(), inside.power.copy())
    for b in range(k, words.shape[0] + 1):
        for a in range(i + 1):
            if is_kept(mask, a, b):
                fresh.value[fresh.row[a, b]] = 0.0
                bits.ends[a, :, b >> 6] &= ~bit(b)
                bits.starts[b, :, a >> 6] &= ~bit(a)
                bits.some_end[a, b >> 6] &= ~bit(b)
                bits.some_start[b, a >> 6] &= ~bit(a)
    climb(rules, words, pruned, fresh, bits, bits, gold, anchors, i, k, False, room)
    return whole(rules, fresh)


@njit(cache=True, nogil=True)
def whole(rules, inside):
    """The pair of the sentence, in units of two to power[0, n]."""
    return inside.value[inside.row[0, inside.row.shape[0] - 1], rules.start]


@njit(cache=True, nogil=True)
def recall_of(pair, gold_nodes):
    if pair.real == 0.0:
        return 0.0
    return pair.imag / pair.real / gold_nodes if gold_nodes else 1.0


@njit(cache=True, nogil=True)
def expected_recalls(rules, words, mask, nodes, gold_nodes, anchors, sites):
    """Expected recall under the mask, and under the mask with each of the sites (i, k) flipped.

    nodes [., 3] are the gold nodes (i, k, label) that the grammar has, gold_nodes is the number of all; a
    site has 1 < k - i < n.
    """
    n = words.shape[0]
    labels = rules.pair_ptr.shape[0] - 1
    flips = sites.shape[0] > 0
    row, rows = number_rows(mask, flips)
    # One block: what the allocator handed out in one piece it keeps for the next sentence.
    value = np.zeros((2 if flips else 1, rows, labels), np.complex128)
    inside = Pairs(row, value[0], np.full((n + 1, n + 1), UNSET, np.int64))
    kept = no_bits(n, labels)
    reach = no_bits(n, labels) if flips else kept
    gold = chain_gold(nodes, n)
    room = new_room(rules)
    climb(rules, words, mask, inside, kept, reach, gold, anchors, n, 1, flips, room)
    before = whole(rules, inside)
    as_is = recall_of(before, gold_nodes)
    found = np.full(sites.shape[0], as_is)
    if not flips:
        return as_is, found
    outside = Pairs(row, value[1], np.full((n + 1, n + 1), UNSET, np.int64))
    slope, power = descend(rules, mask, inside, outside, kept, reach, gold, anchors, room)
    for t in range(sites.shape[0]):
        i, k = sites[t]
        if slope[i, k].real == 0.0:
            continue
        highest = max(power[i, k], inside.power[0, n]) if before.real > 0.0 else power[i, k]
        now = scaled(before, two_to(inside.power[0, n] - highest))
        change = scaled(slope[i, k], two_to(power[i, k] - highest))
        after = now - change if mask[i, k] else now + change
        if after.real < CANCELS * now.real or after.imag < CANCELS * now.imag:
            after = again(rules, words, mask, inside, kept, gold, anchors, i, k, room)
        found[t] = recall_of(after, gold_nodes)
    return as_is, found
