"""What is at best outside of an item: Viterbi outside scores over the chart of a grammar.

A node is what stands in its place in a tree, with or without a unary on top; a base is its lexical or binary
part, over which at most one unary may still come. One table serves both: it holds the outside of the base,

    outer(i, k, y) = max(node(i, k, y), max over x -> y of node(i, k, x) + weight),

or that of the node, where there is no base. It is never below that of the node. So an agenda with two items
for one (i, k, y), the base and that which a unary made of another base, may use it for either and stays
admissible. For the second it may be too high, and then priorities may rise on the way up: an agenda that is
to be exact takes items back that were popped.

In float32 sums of m weights, none above 0, are off by at most m * 2^-24 of their size, whatever the order. A
parse of n words has fewer than 4n weights. `slack` raises scores by a share of their size; with `slack_of`,
twice that share, they are never below what any other order of addition gives.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from secateur.kernels.cky.inside import FEW, ONE, few_of, meet, none_met, present
from secateur.kernels.cky.sparse import IMPOSSIBLE, cell_of
from secateur.kernels.cky.viterbi import fill
from secateur.kernels.split.simd import LANES
from secateur.kernels.split.vectors import add, larger, load, spread, store


@njit(cache=True, nogil=True)
def slack_of(n):
    """By what share scores are raised that must not be too low."""
    return np.float32(8 * n * 2.0**-24)


@njit(cache=True, nogil=True)
def shares_of(outer, rule_ptr, rule_parent, rule_weight, lefts, met, shares):
    """What a cell's child pairs have above them: the best rule and its parent's outside score.

    Pairs that have nothing are dropped.
    """
    pair, row, ptr = met
    size = np.uint32(0)
    begin = np.uint32(0)
    for a in range(lefts):
        end = ptr[a + 1]
        for m in range(begin, end):
            share = IMPOSSIBLE
            for r in range(rule_ptr[pair[m]], rule_ptr[pair[m] + ONE]):
                share = max(share, outer[rule_parent[r]] + rule_weight[r])
            shares[size] = share
            row[size] = row[m]
            size += np.uint32(share > IMPOSSIBLE)
        begin = end
        ptr[a + 1] = size


@njit(cache=True, nogil=True)
def outside(rules, chart, slack):
    """[cells, N] outer(i, k, x) of the chart's items, raised by `slack`; -inf where no parse has the item."""
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    stride = np.uint64(chart.score_from.shape[1])
    ends, starts = chart.ends, chart.starts
    row_from, row_to, label = chart.row_from, chart.row_to, chart.label
    cell_begin, cell_end, chart_base = chart.cell_begin, chart.cell_end, chart.base
    pair_ptr, pair_right = rules.pair_ptr, rules.pair_right
    rule_ptr, rule_parent, rule_weight = rules.rule_ptr, rules.rule_parent, rules.rule_weight
    unary_ptr, unary_parent, unary_weight = rules.unary_ptr, rules.unary_parent, rules.unary_weight
    froms, tos = chart.score_from.reshape(-1), chart.score_to.reshape(-1)
    froms_out = np.full(np.int64(row_from.max() + 1) * chart.score_from.shape[1], IMPOSSIBLE, np.float32)
    tos_out = np.full(np.int64(row_to.max() + 1) * chart.score_from.shape[1], IMPOSSIBLE, np.float32)
    found = np.full((n * (n + 1) // 2, labels), IMPOSSIBLE, np.float32)
    active, actives, some_end = present(row_from, ends)
    some_start = present(row_to, starts)[2]
    met = none_met(rules)
    _, row, ptr = met
    split = np.empty(FEW, np.uint64)
    shares = np.empty(pair_right.shape[0] + 1, np.float32)
    node = np.full(labels, IMPOSSIBLE, np.float32)
    outer = np.full(labels, IMPOSSIBLE, np.float32)
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            k = i + width
            cell = cell_of(i, k)
            # node(i, k, x): what wider spans have left here, and 0 for the start symbol over all words
            some = False
            for item in range(cell_begin[cell], cell_end[cell]):
                x = label[item]
                left = froms_out[np.uint64(row_from[i, x]) * stride + np.uint64(k)]
                node[x] = max(left, tos_out[np.uint64(row_to[k, x]) * stride + np.uint64(i)])
                if width == n and x == rules.start:
                    node[x] = max(node[x], np.float32(0.0))
                some |= node[x] > IMPOSSIBLE
            if not some:
                continue
            # outer(i, k, y) = max(node(i, k, y), max over x -> y of node(i, k, x) + weight)
            for item in range(cell_begin[cell], cell_end[cell]):
                y = label[item]
                outer[y] = node[y]
                # Where there is no base, there is nothing for a unary to come over.
                last = unary_ptr[y + ONE] if chart_base[item] > IMPOSSIBLE else unary_ptr[y]
                for u in range(unary_ptr[y], last):
                    outer[y] = max(outer[y], node[unary_parent[u]] + unary_weight[u])
                found[cell, y] = outer[y] + abs(outer[y]) * slack if outer[y] > IMPOSSIBLE else IMPOSSIBLE
            if width > 1:
                # node(i, j, y) and node(j, k, z), for x -> y z: outer(i, k, x) + weight + best of the other
                lefts = active[i, : actives[i]]
                meet(lefts, ends[i], starts[k], row_to[k], pair_ptr, pair_right, met)
                shares_of(outer, rule_ptr, rule_parent, rule_weight, lefts.shape[0], met, shares)
                begin, end = np.uint64((i + 1) // LANES * LANES), np.uint64(k)
                few = few_of(some_end[i], some_start[k], split)
                for a in range(lefts.shape[0]):
                    if ptr[a] == ptr[a + 1]:
                        continue
                    f = np.uint64(row_from[i, lefts[a]]) * stride
                    if few:
                        for s in range(few):
                            j = split[s]
                            below, above = froms[f + j], froms_out[f + j]
                            for m in range(ptr[a], ptr[a + 1]):
                                t = np.uint64(row[m]) * stride + j
                                above = max(above, shares[m] + tos[t])
                                tos_out[t] = max(tos_out[t], shares[m] + below)
                            froms_out[f + j] = above
                        continue
                    # What this leaves outside of (i, k) is of wider spans, whose turn is over, or of none.
                    j = begin
                    while j < end:
                        belows, aboves = load(froms, f + j), load(froms_out, f + j)
                        for m in range(ptr[a], ptr[a + 1]):
                            t = np.uint64(row[m]) * stride + j
                            each = spread(shares[m])
                            aboves = larger(aboves, add(each, load(tos, t)))
                            store(tos_out, t, larger(load(tos_out, t), add(each, belows)))
                        store(froms_out, f + j, aboves)
                        j += np.uint64(LANES)
            for item in range(cell_begin[cell], cell_end[cell]):
                node[label[item]] = IMPOSSIBLE
                outer[label[item]] = IMPOSSIBLE
    return found


@njit(cache=True, nogil=True)
def estimate(rules, words, mask, anchors, admissible, limit):
    """Of a sentence under a grammar: the best inside score of each cell [cells], and outside [cells, N].

    `limit` bounds the chart's bytes; the third result is False where that was too few. Anchored scores, which
    outside scores know nothing of, must be none.
    """
    n = words.shape[0]
    best = np.full(n * (n + 1) // 2, IMPOSSIBLE, np.float32)
    chart = fill(rules, words, mask, anchors, limit)
    if not chart.complete:
        return best, np.empty((0, 0), np.float32), False
    for cell in range(best.shape[0]):
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            best[cell] = max(best[cell], chart.best[item])
    return best, outside(rules, chart, slack_of(n) if admissible else np.float32(0.0)), True
