"""Inside and outside scores, posteriors, and the tree of maximum expected recall.

Both passes run over the items of a Viterbi chart, in scaled real numbers: the score of a span is divided by
exp(word[j]) for each of its words and by exp(gap[j]) for each gap between two of them, so that scores stay
near 1 at any length. Sums over splits are dot products of rows (start, label), which hold the division by
the gap at their end, and (end, label), as in cky.py; the same rule of one unary per node holds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .cky import LEXICAL, UNARY, cell_of, item_of


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


@njit(cache=True, nogil=True)
def inside(rules, chart, words, anchors, word, gap):
    """Scaled inside scores of a chart's items.

    Returns base [items] (lexical and binary), total [items] (with unaries), and the total once more as
    rows over ends (divided by the gap there) and over starts.
    """
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    base_of = np.zeros(chart.label.shape[0])
    total_of = np.zeros(chart.label.shape[0])
    from_rows = np.zeros(chart.score_from.shape)
    to_rows = np.zeros(chart.score_to.shape)
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
                for y in range(labels):
                    f = chart.row_from[i, y]
                    if f == 0:
                        continue
                    for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
                        t = chart.row_to[k, rules.pair_right[p]]
                        if t == 0:
                            continue
                        inner = 0.0
                        for j in range(i + 1, k):
                            inner += from_rows[f, j] * to_rows[t, j]
                        if inner > 0.0:
                            for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                                base[rules.rule_parent[r]] += inner * rules.rule_prob[r]
                if anchors.span.shape[0]:
                    for x in range(labels):
                        base[x] *= np.exp(np.float64(anchors.span[cell, x]))
            # total(i, k, x) = base(i, k, x) + sum over x -> y of p * base(i, k, y)
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                y = chart.label[item]
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                    x = rules.unary_parent[u]
                    bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                    over[x] += base[y] * rules.unary_prob[u] * bonus
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                x = chart.label[item]
                base_of[item] = base[x]
                total_of[item] = base[x] + over[x]
                from_rows[chart.row_from[i, x], k] = total_of[item] * np.exp(-gap[k])
                to_rows[chart.row_to[k, x], i] = total_of[item]
                base[x] = 0.0
                over[x] = 0.0
    return base_of, total_of, from_rows, to_rows


@njit(cache=True, nogil=True)
def outside(rules, chart, anchors, gap, from_rows, to_rows):
    """Scaled outside scores of a chart's items: as a node in its place, and as its lexical or binary part.

    node(i, k, x): the item with or without its unary; base(i, k, x) = node(i, k, x) + sum over X -> x of
    p * node(i, k, X).
    """
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    node_of = np.zeros(chart.label.shape[0])
    outer_of = np.zeros(chart.label.shape[0])
    from_out = np.zeros(from_rows.shape)
    to_out = np.zeros(to_rows.shape)
    node = np.zeros(labels)
    outer = np.zeros(labels)
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            k = i + width
            cell = cell_of(i, k)
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                x = chart.label[item]
                node[x] = from_out[chart.row_from[i, x], k] * np.exp(-gap[k])
                node[x] += to_out[chart.row_to[k, x], i]
                if width == n and x == rules.start:
                    node[x] += 1.0
                node_of[item] = node[x]
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                y = chart.label[item]
                outer[y] = node[y]
                for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                    x = rules.unary_parent[u]
                    bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                    outer[y] += node[x] * rules.unary_prob[u] * bonus
                outer_of[item] = outer[y]
            if width > 1:
                if anchors.span.shape[0]:
                    for x in range(labels):
                        outer[x] *= np.exp(np.float64(anchors.span[cell, x]))
                for y in range(labels):
                    f = chart.row_from[i, y]
                    if f == 0:
                        continue
                    for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
                        t = chart.row_to[k, rules.pair_right[p]]
                        if t == 0:
                            continue
                        share = 0.0
                        for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                            share += outer[rules.rule_parent[r]] * rules.rule_prob[r]
                        if share > 0.0:
                            for j in range(i + 1, k):
                                from_out[f, j] += share * to_rows[t, j]
                                to_out[t, j] += share * from_rows[f, j]
            node[:] = 0.0
            outer[:] = 0.0
    return node_of, outer_of


@njit(cache=True, nogil=True)
def posteriors(rules, chart, anchors, scores, z, labels):
    """Expected number of nodes per cell and label, [cells, labels + 1]: the last is for made symbols.

    scores are inside's base and total, outside's node and base; paths of composed unaries count too.
    """
    base_of, total_of, node_of, outer_of = scores
    plain, paths_ptr, paths = labels.of, labels.path_ptr, labels.path
    found = np.zeros((chart.cell_begin.shape[0], labels.made + 1))
    for cell in range(chart.cell_begin.shape[0]):
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            x = chart.label[item]
            # What no parse holds may be so likely by itself that its inside score is infinite.
            if outer_of[item] == 0.0:
                continue
            # As a node in its place, or as the lower half of a unary.
            count = node_of[item] * total_of[item] + (outer_of[item] - node_of[item]) * base_of[item]
            found[cell, plain[x]] += count / z
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            y = chart.label[item]
            for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                if paths_ptr[u] == paths_ptr[u + 1] or outer_of[item] == 0.0:
                    continue
                x = rules.unary_parent[u]
                for upper in range(chart.cell_begin[cell], chart.cell_end[cell]):
                    if chart.label[upper] == x:
                        bonus = np.exp(np.float64(anchors.span[cell, x])) if anchors.span.shape[0] else 1.0
                        used = node_of[upper] * rules.unary_prob[u] * bonus * base_of[item] / z
                        for q in range(paths_ptr[u], paths_ptr[u + 1]):
                            found[cell, paths[q]] += used
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
