"""Inside and outside scores, posteriors, and the tree of maximum expected recall.

Both passes run over the items of a Viterbi chart, in scaled real numbers: the score of a span is divided by
exp(word[j]) for each of its words and by exp(gap[j]) for each gap between two of them, so that scores stay
near 1 at any length. Sums over splits are dot products of rows (start, label), which hold the division by
the gap at their end, and (end, label), as in cky.py; the same rule of one unary per node holds. Which child
pairs meet in a cell is found first, from the chart's sets of ends and starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import LANES, trailing_zeros
from secateur.kernels.split.vectors import load, multiply_add, spread, store, total

from .viterbi import LEXICAL, UNARY, cell_of, item_of

FEW = 3  # so many splits are taken one by one, more go eight at a time
ONE = np.uint32(1)


@njit(cache=True, nogil=True)
def scales(rules, chart, steps, anchors):
    """Log scales of the words [n] and of the gaps before each word [n+1], from the best derivation's steps.

    A lexical step's weight goes to its word and a binary step's to the gap where it splits; a unary's joins
    that of the step below. Then every constituent of the best derivation, however unlikely, has a scaled
    score of about 1, and its neighbours stay within reach.
    """
    word = np.zeros(chart.words)
    gap = np.zeros(chart.words + 1)
    for s in range(steps.shape[0]):
        kind, x, i, k, r = steps[s]
        if kind == LEXICAL:
            word[i] += np.float64(chart.base[item_of(chart, i, k, x)])
            continue
        weight = np.float64(rules.unary_weight[r] if kind == UNARY else rules.rule_weight[r])
        if anchors.span.shape[0]:
            weight += np.float64(anchors.span[cell_of(i, k), x])
        if k == i + 1:
            word[i] += weight
        else:
            # The left child comes next, and ends at the split.
            gap[steps[s + 2 if kind == UNARY else s + 1, 3]] += weight
    return word, gap


class Met(NamedTuple):
    """Child pairs whose spans meet in a cell, by left child."""

    pair: np.ndarray  # [P+1] uint32
    row: np.ndarray  # [P+1] uint32, of the right child
    ptr: np.ndarray  # [N+1] uint32, pairs of the a-th left child


@njit(cache=True, nogil=True)
def none_met(rules):
    pairs, labels = rules.pair_right.shape[0], rules.pair_ptr.shape[0] - 1
    return Met(
        np.empty(pairs + 1, np.uint32), np.empty(pairs + 1, np.uint32), np.zeros(labels + 1, np.uint32)
    )


@njit(cache=True, nogil=True)
def present(rows, others):
    """Of each start: the labels of its spans, ascending, how many, and the ends of any; or of each end."""
    label = np.empty(rows.shape, np.uint32)
    count = np.zeros(rows.shape[0], np.uint32)
    some = np.zeros((rows.shape[0], others.shape[2]), np.uint64)
    for i in range(rows.shape[0]):
        for y in range(rows.shape[1]):
            if rows[i, y]:
                label[i, count[i]] = y
                count[i] += ONE
                for w in range(others.shape[2]):
                    some[i, w] |= others[i, y, w]
    return label, count, some


@njit(cache=True, nogil=True)
def meet(lefts, ends, starts, row_to, pair_ptr, pair_right, met):
    """Find the child pairs of one cell: given are its left children and their ends, starts of right ones.

    No branch depends on whether a pair meets: the processor would guess wrong too often.
    """
    pair, row, ptr = met
    size = np.uint32(0)
    for a in range(lefts.shape[0]):
        y = lefts[a]
        first_ends = ends[y, 0]
        for p in range(pair_ptr[y], pair_ptr[y + ONE]):
            z = pair_right[p]
            both = first_ends & starts[z, 0]
            for w in range(1, ends.shape[1]):
                both |= ends[y, w] & starts[z, w]
            pair[size] = p
            row[size] = row_to[z]
            size += np.uint32(both != 0)
        ptr[a + 1] = size


@njit(cache=True, nogil=True)
def few_of(some_ends, some_starts, split):
    """The splits between spans of any labels, if they are few: how many; else 0."""
    if some_ends.shape[0] > 1:
        return 0
    both = some_ends[0] & some_starts[0]
    size = 0
    while both:
        if size == FEW:
            return 0
        split[size] = trailing_zeros(both)
        both &= both - np.uint64(1)
        size += 1
    return size


@njit(cache=True, nogil=True)
def inside(rules, chart, words, anchors, word, gap):
    """Scaled inside scores of a chart's items.

    Returns base [items] (lexical and binary), total [items] (with unaries), and the total once more as
    rows over ends (divided by the gap there) and over starts.
    """
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    stride = np.uint64(chart.score_from.shape[1])
    ends, starts = chart.ends, chart.starts
    base_of = np.zeros(chart.label.shape[0])
    total_of = np.zeros(chart.label.shape[0])
    from_rows = np.zeros((np.int64(chart.row_from.max()) + 1, chart.score_from.shape[1]))
    to_rows = np.zeros((np.int64(chart.row_to.max()) + 1, chart.score_from.shape[1]))
    froms, tos = from_rows.reshape(-1), to_rows.reshape(-1)
    active, actives, some_end = present(chart.row_from, ends)
    some_start = present(chart.row_to, starts)[2]
    over_gap = np.exp(-gap)
    met = none_met(rules)
    pair, row, ptr = met
    split = np.empty(FEW, np.uint64)
    base = np.zeros(labels)
    over = np.zeros(labels)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            cell = cell_of(i, k)
            if chart.cell_begin[cell] == chart.cell_end[cell]:
                continue
            if width == 1:
                # The best entry of a tag, as in Viterbi: one derivation per (word, tag).
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    t = rules.lex_tag[e]
                    log = rules.lex_log[e]
                    if anchors.tag.shape[0]:
                        log += np.float64(anchors.tag[i, t])
                    base[t] = max(base[t], np.exp(log - word[i]))
            else:
                # base(i, k, x) = sum over x -> y z and i < j < k of p * total(i, j, y) * total(j, k, z)
                lefts = active[i, : actives[i]]
                meet(lefts, ends[i], starts[k], chart.row_to[k], rules.pair_ptr, rules.pair_right, met)
                begin, end = np.uint64((i + 1) // LANES * LANES), np.uint64(k)
                few = few_of(some_end[i], some_start[k], split)
                for a in range(lefts.shape[0]):
                    f = np.uint64(chart.row_from[i, lefts[a]]) * stride
                    for m in range(ptr[a], ptr[a + 1]):
                        t = np.uint64(row[m]) * stride
                        if few:
                            inner = 0.0
                            for s in range(few):
                                inner += froms[f + split[s]] * tos[t + split[s]]
                        else:
                            # What lies outside of (i, k) is 0 so far in one row or the other.
                            sums = spread(0.0)
                            j = begin
                            while j < end:
                                sums = multiply_add(load(froms, f + j), load(tos, t + j), sums)
                                j += np.uint64(LANES)
                            inner = total(sums)
                        if inner > 0.0:
                            p = pair[m]
                            for r in range(rules.rule_ptr[p], rules.rule_ptr[p + ONE]):
                                base[rules.rule_parent[r]] += inner * rules.rule_prob[r]
                if anchors.span.shape[0]:
                    for x in range(labels):
                        base[x] *= np.exp(np.float64(anchors.span[cell, x]))
            # total(i, k, x) = base(i, k, x) + sum over x -> y of p * base(i, k, y)
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                y = chart.label[item]
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + ONE]):
                    x = rules.unary_parent[u]
                    bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                    over[x] += base[y] * rules.unary_prob[u] * bonus
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                x = chart.label[item]
                base_of[item] = base[x]
                total_of[item] = base[x] + over[x]
                from_rows[chart.row_from[i, x], k] = total_of[item] * over_gap[k]
                to_rows[chart.row_to[k, x], i] = total_of[item]
                base[x] = 0.0
                over[x] = 0.0
    return base_of, total_of, from_rows, to_rows


@njit(cache=True, nogil=True)
def share_out(outer, rule_ptr, rule_parent, rule_prob, lefts, met, shares):
    """What a cell's child pairs have of its outside scores; pairs that have nothing are dropped.

    Such a pair may have an infinite score inside, which nothing must multiply.
    """
    pair, row, ptr = met
    size = np.uint32(0)
    begin = np.uint32(0)
    for a in range(lefts):
        end = ptr[a + 1]
        for m in range(begin, end):
            share = 0.0
            for r in range(rule_ptr[pair[m]], rule_ptr[pair[m] + ONE]):
                share += outer[rule_parent[r]] * rule_prob[r]
            shares[size] = share
            row[size] = row[m]
            size += np.uint32(share > 0.0)
        begin = end
        ptr[a + 1] = size


@njit(cache=True, nogil=True)
def outside(rules, chart, anchors, gap, from_rows, to_rows):
    """Scaled outside scores of a chart's items: as a node in its place, and as its lexical or binary part.

    node(i, k, x): the item with or without its unary; base(i, k, x) = node(i, k, x) + sum over X -> x of
    p * node(i, k, X).
    """
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    stride = np.uint64(from_rows.shape[1])
    ends, starts = chart.ends, chart.starts
    node_of = np.zeros(chart.label.shape[0])
    outer_of = np.zeros(chart.label.shape[0])
    from_out = np.zeros(from_rows.shape)
    to_out = np.zeros(to_rows.shape)
    froms, tos = from_rows.reshape(-1), to_rows.reshape(-1)
    froms_out, tos_out = from_out.reshape(-1), to_out.reshape(-1)
    active, actives, some_end = present(chart.row_from, ends)
    some_start = present(chart.row_to, starts)[2]
    over_gap = np.exp(-gap)
    met = none_met(rules)
    _, row, ptr = met
    split = np.empty(FEW, np.uint64)
    shares = np.empty(rules.pair_right.shape[0] + 1)
    node = np.zeros(labels)
    outer = np.zeros(labels)
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            k = i + width
            cell = cell_of(i, k)
            some = False
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                x = chart.label[item]
                node[x] = from_out[chart.row_from[i, x], k] * over_gap[k]
                node[x] += to_out[chart.row_to[k, x], i]
                if width == n and x == rules.start:
                    node[x] += 1.0
                node_of[item] = node[x]
                some |= node[x] != 0.0
            if not some:
                continue
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                y = chart.label[item]
                outer[y] = node[y]
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + ONE]):
                    x = rules.unary_parent[u]
                    bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                    outer[y] += node[x] * rules.unary_prob[u] * bonus
                outer_of[item] = outer[y]
            if width > 1:
                if anchors.span.shape[0]:
                    for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                        x = chart.label[item]
                        outer[x] *= np.exp(np.float64(anchors.span[cell, x]))
                lefts = active[i, : actives[i]]
                meet(lefts, ends[i], starts[k], chart.row_to[k], rules.pair_ptr, rules.pair_right, met)
                share_out(
                    outer, rules.rule_ptr, rules.rule_parent, rules.rule_prob, lefts.shape[0], met, shares
                )
                begin, end = np.uint64((i + 1) // LANES * LANES), np.uint64(k)
                few = few_of(some_end[i], some_start[k], split)
                for a in range(lefts.shape[0]):
                    if ptr[a] == ptr[a + 1]:
                        continue
                    f = np.uint64(chart.row_from[i, lefts[a]]) * stride
                    if few:
                        for s in range(few):
                            j = split[s]
                            below, above = froms[f + j], froms_out[f + j]
                            for m in range(ptr[a], ptr[a + 1]):
                                t = np.uint64(row[m]) * stride + j
                                above += shares[m] * tos[t]
                                tos_out[t] += shares[m] * below
                            froms_out[f + j] = above
                        continue
                    # What this adds outside of (i, k) is of wider spans, whose turn is over, or of none.
                    j = begin
                    while j < end:
                        belows, aboves = load(froms, f + j), load(froms_out, f + j)
                        for m in range(ptr[a], ptr[a + 1]):
                            t = np.uint64(row[m]) * stride + j
                            each = spread(shares[m])
                            aboves = multiply_add(each, load(tos, t), aboves)
                            store(tos_out, t, multiply_add(each, belows, load(tos_out, t)))
                        store(froms_out, f + j, aboves)
                        j += np.uint64(LANES)
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                node[chart.label[item]] = 0.0
                outer[chart.label[item]] = 0.0
    return node_of, outer_of


@njit(cache=True, nogil=True)
def posteriors(rules, chart, anchors, scores, z, labels):
    """Expected number of nodes per cell and label, [cells, labels + 1]: the last is for made symbols.

    scores are inside's base and total, outside's node and base; paths of composed unaries count too.
    """
    base_of, total_of, node_of, outer_of = scores
    plain, paths_ptr, paths = labels.of, labels.path_ptr, labels.path
    found = np.zeros((chart.cell_begin.shape[0], labels.made + 1))
    nodes = np.zeros(rules.pair_ptr.shape[0] - 1)
    for cell in range(chart.cell_begin.shape[0]):
        some = False
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            x = chart.label[item]
            nodes[x] = node_of[item]
            # What no parse holds may be so likely by itself that its inside score is infinite.
            if outer_of[item] == 0.0:
                continue
            some = True
            # As a node in its place, or as the lower half of a unary.
            count = node_of[item] * total_of[item] + (outer_of[item] - node_of[item]) * base_of[item]
            found[cell, plain[x]] += count / z
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            if not some or outer_of[item] == 0.0:
                continue
            y = chart.label[item]
            for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                x = rules.unary_parent[u]
                if paths_ptr[u] == paths_ptr[u + 1] or nodes[x] == 0.0:
                    continue
                bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                used = nodes[x] * rules.unary_prob[u] * bonus * base_of[item] / z
                for q in range(paths_ptr[u], paths_ptr[u + 1]):
                    found[cell, paths[q]] += used
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            nodes[chart.label[item]] = 0.0
    return found


@njit(cache=True, nogil=True)
def best_recall(gain):
    """Splits [cells] of the binary bracketing with the largest total gain [cells]; the smaller on ties."""
    n = np.int64((np.sqrt(8.0 * gain.shape[0] + 1.0) - 1.0) / 2.0 + 0.5)
    best = gain.copy()
    split = np.zeros(gain.shape[0], np.int64)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            k = i + width
            highest = -1.0
            for j in range(i + 1, k):
                both = best[cell_of(i, j)] + best[cell_of(j, k)]
                if both > highest:
                    highest = both
                    split[cell_of(i, k)] = j
            best[cell_of(i, k)] += highest
    return split
