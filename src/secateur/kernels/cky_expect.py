"""Expected recall of a masked forest, and of every forest one flip of the mask away.

Z sums the weights of a sentence's derivations and R sums weight * (gold nodes in it): both are polynomials in
the bits of the mask, linear in each, so that one inside and one outside pass tell what every flip would do.

A pair (Z, R) is a complex number; pairs add as such, and multiply without the product of imaginary parts.
The pairs of a span share a power of two, taken from its likeliest label: they stay in range at any length,
with or without a parse (lost are labels 10^300 times less likely than another of the same span). Semantics
are those of cky.py, and so are the bit sets of ends and starts that tell which child pairs meet in a span.
Where few spans are kept there are few splits: the pairs of a span lie side by side, and the sum over splits
of a child pair runs through all of the span's without asking who is present; what is not is (0, 0).

A flip from pruned to kept may give spans labels that they lack now. Hence the outside pass visits, besides
the items of the chart, those within reach of one flip: every label of a pruned span over kept ones, and what
can be built above it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from .cky import cell_of
from .simd import trailing_zeros

# Pruning a span that carries all but this share of Z (or of R) cancels: sums are right to about 1e-14, their
# difference would not be right to ten digits. Such a flip is computed anew.
CANCELS = 1e-4
UNSET = -(1 << 40)  # the power of a span without labels
SLACK = 256  # outside pairs may pass their span's power by two to this before they are scaled again
LOG2 = math.log(2.0)


class Bits(NamedTuple):
    """Which spans have which labels, as sets of positions kept 64 to a machine word."""

    ends: np.ndarray  # [n+1, N, words64] uint64, the ends of label's spans from start
    starts: np.ndarray  # [n+1, N, words64] uint64
    some_end: np.ndarray  # [n+1, words64] uint64, the ends of all labels' spans
    some_start: np.ndarray  # [n+1, words64] uint64


class Pairs(NamedTuple):
    """Pairs of the nodes of spans."""

    row: np.ndarray  # [n+1, n+1] uint32, the number of a span
    value: np.ndarray  # [rows, N] complex128 ...
    power: np.ndarray  # [n+1, n+1] int64, ... in units of two to this


class Room(NamedTuple):
    """Space for the work on one span."""

    split: np.ndarray  # [64] uint32
    left: np.ndarray  # [128] uint32, rows of the spans left of the splits ...
    right: np.ndarray  # [128] uint32, ... and right of them
    factor: np.ndarray  # [128] float64
    chosen: np.ndarray  # [P+1] uint32, child pairs
    base: np.ndarray  # [N] complex128, (0, 0) between uses
    node: np.ndarray  # [N] complex128, (0, 0) between uses


class Gold(NamedTuple):
    """Gold nodes, chained by span; 0 ends a chain."""

    first: np.ndarray  # [n+1, n+1] uint32, 1 + a node of the span
    following: np.ndarray  # [G] uint32, 1 + another node of the same span
    label: np.ndarray  # [G] uint32


@njit(cache=True, nogil=True)
def times(a, b):
    return complex(a.real * b.real, a.real * b.imag + a.imag * b.real)


@njit(cache=True, nogil=True)
def scaled(a, c):
    return complex(a.real * c, a.imag * c)


@njit(cache=True, nogil=True)
def two_to(power):
    return math.ldexp(1.0, int(max(power, -1100)))


@njit(cache=True, nogil=True)
def power_of(number):
    """The power of two just above a number, as far as the other way round can be expressed."""
    return max(math.frexp(number)[1], -1000)


@njit(cache=True, nogil=True)
def bit(position):
    return np.uint64(1) << np.uint64(position & 63)


@njit(cache=True, nogil=True)
def is_kept(mask, i, k):
    return k == i + 1 or k - i == mask.shape[0] - 1 or mask[i, k]


@njit(cache=True, nogil=True)
def bonus(anchors, i, k, x):
    """What anchors multiply a phrase node by."""
    return math.exp(np.float64(anchors.span[cell_of(i, k), x])) if anchors.span.shape[0] else 1.0


@njit(inline="always")
def chain_gold(nodes, n):
    """From rows (i, k, label)."""
    first = np.zeros((n + 1, n + 1), np.uint32)
    following = np.zeros(nodes.shape[0], np.uint32)
    label = np.empty(nodes.shape[0], np.uint32)
    for g in range(nodes.shape[0]):
        i, k, x = nodes[g]
        following[g] = first[i, k]
        first[i, k] = g + 1
        label[g] = x
    return Gold(first, following, label)


@njit(inline="always")
def no_bits(n, labels):
    wide = (n + 64) // 64
    return Bits(
        np.zeros((n + 1, labels, wide), np.uint64),
        np.zeros((n + 1, labels, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
        np.zeros((n + 1, wide), np.uint64),
    )


@njit(cache=True, nogil=True)
def number_rows(mask, flips):
    """Number the kept spans and, for flips, after them the pruned ones over two kept ones; and how many."""
    n = mask.shape[0] - 1
    row = np.zeros((n + 1, n + 1), np.uint32)
    rows = 0
    for k in range(1, n + 1):
        for i in range(k):
            if is_kept(mask, i, k):
                row[i, k] = rows
                rows += 1
    for k in range(2, n + 1 if flips else 0):
        for i in range(k - 1):
            if is_kept(mask, i, k):
                continue
            for j in range(i + 1, k):
                if is_kept(mask, i, j) and is_kept(mask, j, k):
                    row[i, k] = rows
                    rows += 1
                    break
    return row, rows


@njit(inline="always")
def new_room(rules):
    labels = rules.pair_ptr.shape[0] - 1
    return Room(
        np.empty(64, np.uint32),
        np.empty(128, np.uint32),
        np.empty(128, np.uint32),
        np.empty(128),
        np.empty(rules.pair_right.shape[0] + 1, np.uint32),
        np.zeros(labels, np.complex128),
        np.zeros(labels, np.complex128),
    )


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
def meet(some_end, some_start, i, k, w, split):
    """The splits between spans from i and spans to k, of machine word w; returns how many."""
    size = 0
    both = some_end[i, w] & some_start[k, w]
    while both:
        split[size] = trailing_zeros(both) + np.uint64(64 * w)
        both &= both - np.uint64(1)
        size += 1
    return size


@njit(inline="always")
def choose(rules, kept, reach, i, k, w, chosen):
    """The child pairs that meet in a span, one kept and one within reach, at splits of machine word w.

    Returns how many.
    """
    size = 0
    for y in range(np.uint32(kept.ends.shape[1])):
        near = reach.ends[i, y, w]
        if near & reach.some_start[k, w] == 0:
            continue
        sure = kept.ends[i, y, w]
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + np.uint32(1)]):
            z = rules.pair_right[p]
            # Without a branch: it would be guessed wrong too often.
            chosen[size] = p
            size += ((near & kept.starts[k, z, w]) | (sure & reach.starts[k, z, w])) != 0
    return size


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
def set_bit(bits, i, x, k):
    bits.ends[i, x, k >> 6] |= bit(k)
    bits.starts[k, x, i >> 6] |= bit(i)
    bits.some_end[i, k >> 6] |= bit(k)
    bits.some_start[k, i >> 6] |= bit(i)


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
