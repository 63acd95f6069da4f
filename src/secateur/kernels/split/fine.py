"""From words to the max-rule tree of a split grammar, coarse to fine.

The unsplit grammar's posteriors leave a forest; each level of the split grammar's hierarchy thins it, so that
the last one, which costs most per hyperedge, has few of them to look at. Other split grammars of the same
rules may have their say on what is left: posteriors are multiplied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.parse import kept_of
from secateur.kernels.cky.unfold import unfold

from . import forest, forest_scores
from .tree_em import Blocks

WITHIN = 500.0  # anchored scores within which the unsplit grammar's sums stay in range
ROOM = 64  # bytes a hyperedge may take
NOTHING = np.finfo(np.float64).tiny  # the least posterior that drops nothing but what is impossible


class Rungs(NamedTuple):
    """The blocks of S split grammars of the same rules; one type for any number of them."""

    splits: np.ndarray  # [S, N] uint32
    binary_ptr: np.ndarray  # [S, R+1] uint64, into the numbers of all
    binary: np.ndarray  # float64
    unary_ptr: np.ndarray  # [S, U+1] uint64
    unary: np.ndarray  # float64
    lexical_ptr: np.ndarray  # [S, L+1] uint64
    lexical: np.ndarray  # float64


@njit(inline="always")
def rung(rungs, s):
    return Blocks(
        rungs.splits[s],
        rungs.binary_ptr[s],
        rungs.binary,
        rungs.unary_ptr[s],
        rungs.unary,
        rungs.lexical_ptr[s],
        rungs.lexical,
    )


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
def far(scores):
    """Whether any of these, where they do not forbid, is too large or too small for sums."""
    for row in range(scores.shape[0]):
        for score in scores[row]:
            if abs(score) > WITHIN and score != -np.inf:
                return True
    return False


@njit(cache=True, nogil=True)
def likely(rules, chart, words, anchors, steps, top, least):
    """Which items of a chart are so likely by the unsplit grammar, as bases and as nodes; and whether its
    sums stay in range.
    """
    items = chart.label.shape[0]
    base_kept = np.ones(items, np.bool_)
    node_kept = np.ones(items, np.bool_)
    if far(anchors.span) or far(anchors.tag):
        return base_kept, node_kept, False
    word, gap = cky_inside.scales(rules, chart, steps, anchors)
    base, total, from_rows, to_rows = cky_inside.inside(rules, chart, words, anchors, word, gap)
    z = total[top]
    if not 0.0 < z < np.inf:
        return base_kept, node_kept, False
    node, outer = cky_inside.outside(rules, chart, anchors, gap, from_rows, to_rows)
    # What no parse holds may have an infinite score inside, and 0 outside.
    for item in range(items):
        base_kept[item] = outer[item] > 0.0 and outer[item] * base[item] >= least * z
        node_kept[item] = node[item] > 0.0 and node[item] * total[item] >= least * z
    return base_kept, node_kept, True


@njit(cache=True, nogil=True)
def posteriors(woods, blocks, anchors):
    """How likely each part of a forest is."""
    return forest_scores.outside(woods, blocks, forest_scores.inside(woods, blocks, anchors), anchors)


class Thinned(NamedTuple):
    """What a ladder leaves of a sentence."""

    woods: forest.Forest  # without a top where `steps` are all there is
    found: forest_scores.Posteriors  # of all grammars, multiplied
    steps: np.ndarray  # [M, 5] the best derivation of the unsplit grammar
    score: float  # of that
    pushes: int
    items: int
    complete: bool


@njit(cache=True, nogil=True)
def thinned(rules, ladder, least, words, mask, anchors, limit):
    """The forest of a sentence that its last level is asked about, and what that and other grammars say.

    `ladder`: Rungs of each level, the finest last, then those of other grammars; `least`: how likely an item
    must be by the unsplit grammar, and then by each level but the last, to be looked at further.
    """
    n = words.shape[0]
    no_woods, no_scores = forest.nothing(), forest_scores.nothing()
    chart = cky.fill(rules, words, mask, anchors, limit)
    pushes, items = chart.pushes, chart.label.shape[0]
    top = cky.item_of(chart, 0, n, rules.start) if chart.complete else np.int64(-1)
    if top < 0:
        steps = np.empty((0, 5), np.int64)
        return Thinned(
            forest.nothing(), forest_scores.nothing(), steps, -np.inf, pushes, items, chart.complete
        )
    steps = cky.trace(rules, chart, anchors, 0, n, rules.start)
    score = np.float64(chart.best[top])
    base_kept, node_kept, in_range = likely(rules, chart, words, anchors, steps, top, least[0])
    # Of anchored scores too far apart for the unsplit grammar's sums, all is looked at further, if there is
    # room for it; if not, the best derivation is all there is.
    if not in_range and np.uint64(ROOM) * pushes > np.uint64(limit):
        return Thinned(no_woods, no_scores, steps, score, pushes, items, True)
    # Where nothing is too unlikely, the forest is as large as the chart.
    if least[0] <= NOTHING and np.uint64(ROOM) * pushes > np.uint64(limit):
        steps = np.empty((0, 5), np.int64)
        return Thinned(no_woods, no_scores, steps, -np.inf, pushes, items, False)
    woods = forest.build(rules, chart, words, base_kept, node_kept)
    pushes += block_sizes(woods, ladder.splits[0])
    found = posteriors(woods, rung(ladder, 0), anchors)
    if woods.top < 0 or found.node[woods.top] == 0.0:
        return Thinned(no_woods, no_scores, steps, score, pushes, items, True)
    for level in range(1, len(least)):
        thinner = forest.restrict(woods, found, least[level])
        pushes += block_sizes(thinner, ladder.splits[level])
        finer = posteriors(thinner, rung(ladder, level), anchors)
        if thinner.top < 0 or finer.node[thinner.top] == 0.0:
            break  # this level leaves nothing: what the one before says stands
        woods, found = thinner, finer
    for other in range(len(least), ladder.splits.shape[0]):
        pushes += block_sizes(woods, ladder.splits[other])
        said = posteriors(woods, rung(ladder, other), anchors)
        if said.node[woods.top] > 0.0:
            multiply(found, said)
    return Thinned(woods, found, steps, score, pushes, items, True)


@njit(cache=True, nogil=True)
def masked(rules, ladder, least, labels, words, mask, anchors, limit):
    """With the spans of a mask: the fields of Found. The rest is as for `thinned`."""
    left = thinned(rules, ladder, least, words, mask, anchors, limit)
    steps, score = left.steps, left.score
    if left.woods.top >= 0:
        steps, score = forest_scores.max_rule(left.woods, left.found)
    return unfold(labels, steps), score, left.pushes, left.items, kept_of(mask), left.complete
