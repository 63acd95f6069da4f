"""Viterbi CKY under heavy pruning: the same results as in cky.py, bit for bit, in time and memory that go
with the spans kept.

The chart is kept by cells. Each kept span has a slot: a row of scores over all labels, and a list of the
labels it holds. Spans are filled by their ends, and for one end from right to left, so that both parts of a
span stand when it is their turn. With few splits a span it pays to go through them one by one: rounding never
turns an order round, so that max over j of ((left + right) + weight) is the maximum over j of left + right,
with the weight added.

As in cky.py nothing points back. The maximum is known when a derivation is found again, and the rule sought
is the first to reach it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import popcount, trailing_zeros

LEXICAL, UNARY, BINARY = 0, 1, 2
IMPOSSIBLE = np.float32(-np.inf)
ONE, SIX, LOW = np.uint64(1), np.uint64(6), np.uint64(63)
FEW_BITS = 1 << 18  # labels times rules, up to which right children are matched as sets of bits
FEW = 5  # splits a span, up to which it pays to go through them one by one (measured)


class Slots(NamedTuple):
    """Where the chart of a mask keeps its cells, which are numbered k*(k-1)/2 + i."""

    slot: np.ndarray  # [cells] uint32, the slot of a cell; 0: pruned
    count: int  # of the slots, with slot 0
    splits: int  # (i, j, k) whose three spans are kept


class SparseChart(NamedTuple):
    """What Viterbi built. S slots, N labels."""

    slot: np.ndarray  # [cells] uint32
    pushes: int
    items: int
    size: np.ndarray  # [S] uint32, how many labels a cell holds ...
    label: np.ndarray  # [S, N] uint32, ... and which
    base: np.ndarray  # [S, N] float32, best lexical or binary node (-inf: none)
    best: np.ndarray  # [S, N] float32, the larger of base and the best unary over some base
    ends: np.ndarray  # [n+1, words64] uint64, the ends of the cells from a start that hold anything
    starts: np.ndarray  # [n+1, words64] uint64


@njit(inline="always")
def cell_of(i, k):
    return k * (k - 1) // 2 + i


@njit(cache=True, nogil=True)
def slots_of(mask):
    """Slots for the spans of a mask and those that are always kept, in the order in which they are filled."""
    n = mask.shape[0] - 1
    wide = (n + 64) // 64
    slot = np.zeros(n * (n + 1) // 2, np.uint32)
    ends = np.zeros((n + 1, wide), np.uint64)
    starts = np.zeros(wide, np.uint64)
    count = 1
    splits = np.uint64(0)
    for k in range(1, n + 1):
        starts[:] = 0
        for i in range(k - 1, -1, -1):
            if k - i == 1 or k - i == n or mask[i, k]:
                slot[cell_of(i, k)] = count
                count += 1
                for word in range(wide):
                    splits += popcount(ends[i, word] & starts[word])
                ends[i, k >> 6] |= ONE << np.uint64(k & 63)
                starts[i >> 6] |= ONE << np.uint64(i & 63)
    return Slots(slot, count, np.int64(splits))


@njit(cache=True, nogil=True)
def suits(rules, slots, limit):
    """Whether this chart is the one to choose, and stays within so many bytes."""
    bytes_a_slot = 12 * (rules.pair_ptr.shape[0] - 1) + rules.rule_weight.shape[0] // 8
    return slots.splits <= FEW * slots.count and bytes_a_slot * slots.count <= limit


@njit(cache=True, nogil=True)
def rules_by_right(rules):
    """[N, words64] the rules with this right child, as sets of bits."""
    count = rules.rule_right.shape[0]
    found = np.zeros((rules.pair_ptr.shape[0] - 1, (count + 63) // 64), np.uint64)
    for r in range(count):
        found[rules.rule_right[r], r >> 6] |= ONE << np.uint64(r & 63)
    return found


@njit(cache=True, nogil=True)
def fill(rules, words, slots, anchors):
    """The chart of a sentence, given as word ids."""
    n = words.shape[0]
    labels = rules.pair_ptr.shape[0] - 1
    wide = (n + 64) // 64
    slot = slots.slot
    size = np.zeros(slots.count, np.uint32)
    label = np.empty((slots.count, labels), np.uint32)
    base = np.full((slots.count, labels), IMPOSSIBLE, np.float32)
    best = np.full((slots.count, labels), IMPOSSIBLE, np.float32)
    ends = np.zeros((n + 1, wide), np.uint64)
    starts = np.zeros((n + 1, wide), np.uint64)
    pushes = np.uint64(0)
    items = 0
    one = np.uint32(1)
    # Locals: a field read from the tuple in an inner loop would be counted as a reference each time.
    pair_ptr, pair_right, rule_ptr = rules.pair_ptr, rules.pair_right, rules.rule_ptr
    rule_parent, rule_right, rule_weight = rules.rule_parent, rules.rule_right, rules.rule_weight
    unary_ptr, unary_parent, unary_weight = rules.unary_ptr, rules.unary_parent, rules.unary_weight
    matched = labels * rule_weight.shape[0] <= FEW_BITS
    by_right = rules_by_right(rules) if matched else np.zeros((0, 0), np.uint64)
    fitting = np.zeros((slots.count if matched else 0, by_right.shape[1]), np.uint64)
    parents = np.empty(labels, np.uint32)
    count = 0
    for x in range(labels):
        parents[count] = x
        count += rules.made_ptr[x + 1] > rules.made_ptr[x]

    for k in range(1, n + 1):
        for i in range(k - 1, -1, -1):
            cell = cell_of(i, k)
            here = slot[cell]
            if here == 0:
                continue
            held = np.uint32(0)
            if k - i == 1:
                # base(i, i+1, t) = max over entries t -> w_i of its weight
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    t = rules.lex_tag[e]
                    score = rules.lex_weight[e]
                    if anchors.tag.shape[0]:
                        score += anchors.tag[i, t]
                    pushes += ONE
                    if base[here, t] == IMPOSSIBLE and score > IMPOSSIBLE:
                        label[here, held] = t
                        held += one
                    base[here, t] = max(base[here, t], score)
            else:
                # base(i, k, x) = max over x -> y z and i < j < k of best(i, j, y) + best(j, k, z) + weight
                for word in range(wide):
                    # Of (i, ...) only ends before k stand so far, of (..., k) only starts after i.
                    both = ends[i, word] & starts[k, word]
                    while both:
                        j = np.int64(np.uint64(64 * word) + trailing_zeros(both))
                        both &= both - ONE
                        left = slot[cell_of(i, j)]
                        right = slot[cell_of(j, k)]
                        for a in range(size[left]):
                            y = label[left, a]
                            left_score = best[left, y]
                            if matched:
                                # The rules of y whose right child is there, up to 64 at a time.
                                first = np.uint64(rule_ptr[pair_ptr[y]])
                                last = np.uint64(rule_ptr[pair_ptr[y + one]])
                                while first < last:
                                    hits = fitting[right, first >> SIX] >> (first & LOW)
                                    if last - first <= LOW:
                                        hits &= (ONE << (last - first)) - ONE
                                    pushes += popcount(hits)
                                    while hits:
                                        r = first + trailing_zeros(hits)
                                        hits &= hits - ONE
                                        x = rule_parent[r]
                                        score = left_score + best[right, rule_right[r]] + rule_weight[r]
                                        base[here, x] = max(base[here, x], score)
                                    first = (first | LOW) + ONE
                            else:
                                for p in range(np.uint64(pair_ptr[y]), np.uint64(pair_ptr[y + one])):
                                    right_score = best[right, pair_right[p]]
                                    if right_score > IMPOSSIBLE:
                                        inner = left_score + right_score
                                        first = np.uint64(rule_ptr[p])
                                        last = np.uint64(rule_ptr[p + ONE])
                                        pushes += last - first
                                        for r in range(first, last):
                                            x = rule_parent[r]
                                            base[here, x] = max(base[here, x], inner + rule_weight[r])
                for x in parents[:count]:
                    if anchors.span.shape[0]:
                        base[here, x] += anchors.span[cell, x]
                    label[here, held] = x
                    held += np.uint32(base[here, x] > IMPOSSIBLE)

            # best(i, k, x) = max(base(i, k, x), max over x -> y of base(i, k, y) + weight)
            bases = held
            for a in range(bases):
                y = label[here, a]
                best[here, y] = base[here, y]
            for a in range(bases):
                y = label[here, a]
                for u in range(unary_ptr[y], unary_ptr[y + one]):
                    x = unary_parent[u]
                    score = base[here, y] + unary_weight[u]
                    if anchors.span.shape[0]:
                        score += anchors.span[cell, x]
                    pushes += ONE
                    if best[here, x] == IMPOSSIBLE and score > IMPOSSIBLE:
                        label[here, held] = x
                        held += one
                    best[here, x] = max(best[here, x], score)
            size[here] = held
            items += held
            if matched and i > 0:
                for a in range(held):
                    y = label[here, a]
                    for word in range(by_right.shape[1]):
                        fitting[here, word] |= by_right[y, word]
            if held:
                ends[i, k >> 6] |= ONE << np.uint64(k & 63)
                starts[k, i >> 6] |= ONE << np.uint64(i & 63)
    return SparseChart(slot, pushes, items, size, label, base, best, ends, starts)


@njit(cache=True, nogil=True)
def children_of(slot, ends, starts, i, k, splits, left, right):
    """Write the splits of a span, ascending, and the slots of their parts; how many there are."""
    count = 0
    for word in range(ends.shape[1]):
        both = ends[i, word] & starts[k, word]
        while both:
            j = np.int64(np.uint64(64 * word) + trailing_zeros(both))
            both &= both - ONE
            # The chart is complete by now: there are longer spans from i and to k.
            if i < j < k:
                splits[count] = j
                left[count] = slot[cell_of(i, j)]
                right[count] = slot[cell_of(j, k)]
                count += 1
    return count


@njit(cache=True, nogil=True)
def put(rows, row, a, b, c, d):
    """Write the first four of a row; assigning a tuple takes several times as long."""
    rows[row, 0] = a
    rows[row, 1] = b
    rows[row, 2] = c
    rows[row, 3] = d


@njit(cache=True, nogil=True)
def trace(rules, chart, anchors, n):
    """The best derivation of the sentence, as from cky.trace: none where it has none."""
    slot, size, label, base, best = chart.slot, chart.size, chart.label, chart.base, chart.best
    made_ptr, made, rule_weight = rules.made_ptr, rules.made, rules.rule_weight
    rule_left, rule_right = rules.rule_left, rules.rule_right
    unary_ptr, unary_parent, unary_weight = rules.unary_ptr, rules.unary_parent, rules.unary_weight
    anchored = anchors.span.shape[0] > 0
    splits = np.empty(n, np.int64)
    left = np.empty(n, np.uint32)
    right = np.empty(n, np.uint32)
    steps = np.empty((4 * n, 5), np.int64)
    count = 0
    if best[slot[cell_of(0, n)], rules.start] == IMPOSSIBLE:
        return steps[:0]
    # What is still to be opened: i, k, label, and whether a unary may stand here.
    stack = np.empty((2 * n + 2, 4), np.int64)
    put(stack, 0, 0, n, rules.start, 1)
    depth = 1
    while depth:
        depth -= 1
        i, k, x = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        cell = cell_of(i, k)
        here = slot[cell]
        bonus = anchors.span[cell, x] if anchored else np.float32(0.0)
        kind, rule = LEXICAL, np.int64(-1)
        if stack[depth, 3] and best[here, x] > base[here, x]:
            kind = UNARY
            for a in range(size[here]):
                y = label[here, a]
                for u in range(unary_ptr[y], unary_ptr[y + 1]):
                    reached = base[here, y] + unary_weight[u] + bonus == best[here, x]
                    if unary_parent[u] == x and reached and (rule < 0 or u < rule):
                        rule = np.int64(u)
            put(stack, depth, i, k, rules.unary_child[rule], 0)
            depth += 1
        elif k > i + 1:
            kind = BINARY
            parts = children_of(slot, chart.ends, chart.starts, i, k, splits, left, right)
            # The first rule to reach it at any split, and then that rule's best split.
            goal = base[here, x]
            last = np.uint64(made_ptr[x + 1])
            for part in range(parts):
                best_left, best_right = best[left[part]], best[right[part]]
                for m in range(np.uint64(made_ptr[x]), last):
                    r = made[m]
                    inner = best_left[rule_left[r]] + best_right[rule_right[r]]
                    if inner + rule_weight[r] + bonus == goal:
                        last = m
                        break
            rule = np.int64(made[last])
            y, z = rule_left[rule], rule_right[rule]
            highest = IMPOSSIBLE
            j = 0
            for part in range(parts):
                inner = best[left[part], y] + best[right[part], z]
                if inner > highest:
                    highest = inner
                    j = splits[part]
            put(stack, depth, j, k, z, 1)
            put(stack, depth + 1, i, j, y, 1)
            depth += 2
        put(steps, count, kind, x, i, k)
        steps[count, 4] = rule
        count += 1
    return steps[:count]
