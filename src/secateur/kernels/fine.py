"""From words to the max-rule tree of a split grammar, coarse to fine.

The unsplit grammar's posteriors leave a forest; each level of the split grammar's hierarchy thins it, so that
the last one, which costs most per hyperedge, has few of them to look at. Other split grammars of the same
rules may have their say on what is left: posteriors are multiplied.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from . import cky, cky_inside, forest, forest_scores
from .parse import Found
from .span_features import span_scores
from .unfold import unfold


@njit(cache=True, nogil=True)
def block_sizes(woods, splits):
    """How many rules of sub-symbols a forest's hyperedges stand for."""
    size = np.uint64(0)
    for h in range(woods.binary.shape[0]):
        one = np.uint64(1)
        for t in range(1, 4):
            one *= np.uint64(splits[woods.label[woods.binary[h, t]]])
        size += one
    for h in range(woods.unary.shape[0]):
        size += np.uint64(splits[woods.label[woods.unary[h, 1]]]) * np.uint64(
            splits[woods.label[woods.unary[h, 2]]]
        )
    return size


@njit(cache=True, nogil=True)
def multiply(found, said):
    """The posteriors of one grammar by those of another, as far as max_rule looks at them."""
    for item in range(found.base.shape[0]):
        found.base[item] *= said.base[item]
    for h in range(found.binary.shape[0]):
        found.binary[h] *= said.binary[h]
    for h in range(found.unary.shape[0]):
        found.unary[h] *= said.unary[h]


@njit(cache=True, nogil=True)
def masked(rules, ladder, least, labels, words, mask, anchors, limit):
    """With the spans of a mask. `ladder`: the blocks of each level, the finest last, then those of other
    grammars; `least`: how likely an item must be by the unsplit grammar, and then by each level but the last,
    to be looked at further.
    """
    n = words.shape[0]
    kept = 0
    for i in range(n - 1):
        for k in range(i + 2, n + (i > 0)):
            kept += mask[i, k]
    chart = cky.fill(rules, words, mask, anchors, limit)
    pushes, items = chart.pushes, chart.label.shape[0]
    top = cky.item_of(chart, 0, n, rules.start) if chart.complete else np.int64(-1)
    if top < 0:
        none = unfold(labels, np.empty((0, 5), np.int64))
        return Found(none, -np.inf, pushes, items, kept, chart.complete)
    steps = cky.trace(rules, chart, anchors, 0, n, rules.start)
    score = np.float64(chart.best[top])
    word, gap = cky_inside.scales(rules, chart, steps, anchors)
    base, total, from_rows, to_rows = cky_inside.inside(rules, chart, words, anchors, word, gap)
    node, outer = cky_inside.outside(rules, chart, anchors, gap, from_rows, to_rows)
    z = total[top]
    if not 0.0 < z < np.inf:
        # Anchored scores too far apart for sums: the best derivation is all there is.
        return Found(unfold(labels, steps), score, pushes, items, kept, True)
    # What no parse holds may have an infinite score inside, and 0 outside.
    base_kept = np.empty(items, np.bool_)
    node_kept = np.empty(items, np.bool_)
    for item in range(items):
        base_kept[item] = outer[item] > 0.0 and outer[item] * base[item] >= least[0] * z
        node_kept[item] = node[item] > 0.0 and node[item] * total[item] >= least[0] * z
    woods = forest.build(rules, chart, words, base_kept, node_kept)
    pushes += block_sizes(woods, ladder[0].splits)
    found = forest_scores.outside(woods, ladder[0], forest_scores.inside(woods, ladder[0]))
    if woods.top < 0 or found.node[woods.top] == 0.0:
        return Found(unfold(labels, steps), score, pushes, items, kept, True)
    for level in range(1, len(least)):
        thinner = forest.restrict(woods, found, least[level])
        pushes += block_sizes(thinner, ladder[level].splits)
        finer = forest_scores.outside(thinner, ladder[level], forest_scores.inside(thinner, ladder[level]))
        if thinner.top < 0 or finer.node[thinner.top] == 0.0:
            break  # this level leaves nothing: what the one before says stands
        woods, found = thinner, finer
    for other in range(len(least), len(ladder)):
        pushes += block_sizes(woods, ladder[other].splits)
        said = forest_scores.outside(woods, ladder[other], forest_scores.inside(woods, ladder[other]))
        if said.node[woods.top] > 0.0:
            multiply(found, said)
    steps, score = forest_scores.max_rule(woods, found)
    return Found(unfold(labels, steps), score, pushes, items, kept, True)


@njit(cache=True, nogil=True)
def pruned(rules, ladder, least, labels, words, templates, columns, weights, anchors, limit):
    """With the spans that a linear policy keeps."""
    mask = span_scores(templates, columns, weights) > 0
    return masked(rules, ladder, least, labels, words, mask, anchors, limit)
