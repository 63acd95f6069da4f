"""How good a derivation may be that a mask leaves out: one with a pruned span in it, or more of them.

What has no pruned span in it is in the chart of the mask, with its own score. All above is looked at by a
coarser grammar each of whose weights is the largest of those it stands for:

    some(i, k, x) = max over x -> y z and i < j < k of weight +
                        any(i, j, y) + any(j, k, z),                                   (i, k) pruned
                        max(some(i, j, y) + any(j, k, z), any(i, j, y) + some(j, k, z)),     or kept

or one unary over that, where any(i, k, x) = max(inner(i, k, x), some(i, k, x)) and inner is the chart's best
of the symbols that x stands for. Numbers are added as in CKY, and to add is monotone in floats too: no
derivation with a pruned span has a score above some(0, n, start), but for how logarithms were rounded.

With no weight above 0, what is outside of a span is no better than the best tags of the words there are. What
so cannot come up to a floor is dropped.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..cky import viterbi as cky
from ..cky.front import include
from ..cky.sparse import IMPOSSIBLE, cell_of
from .blocks import at_to, holds
from .simd import LANES, max_plus
from .viterbi import fill


@njit(cache=True, nogil=True)
def inner_of_chart(rules, words, mask, anchors, limit):
    """[cells, N] the best scores with the spans of a mask; whether the limit of bytes was enough."""
    n, labels = words.shape[0], rules.pair_ptr.shape[0] - 1
    chart = cky.fill(rules, words, mask, anchors, limit)
    inner = np.full((n * (n + 1) // 2 if chart.complete else 0, labels), IMPOSSIBLE, np.float32)
    for cell in range(inner.shape[0]):
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            inner[cell, chart.label[item]] = chart.best[item]
    return inner, chart.complete


@njit(cache=True, nogil=True)
def inner_of_blocks(padded, words, mask, anchors, limit, seen, symbols):
    """[cells, symbols] the same of a split grammar, by the coarse symbol that each lane is seen as."""
    n, blocks = words.shape[0], np.int64(padded.block_ptr[-1])
    chart = fill(padded, words, mask, anchors, limit)
    inner = np.full((n * (n + 1) // 2 if chart.complete else 0, symbols), IMPOSSIBLE, np.float32)
    for k in range(1, n + 1 if chart.complete else 0):
        for i in range(k):
            own = inner[cell_of(i, k)]
            for x in range(padded.block_ptr.shape[0] - 1):
                if not holds(chart.ends, i, k, x):
                    continue
                for block in range(padded.block_ptr[x], padded.block_ptr[x + 1]):
                    at = at_to(blocks, k, block) + LANES * i
                    for lane in range(LANES):
                        score = chart.score_to[at + lane]
                        if score > IMPOSSIBLE:
                            y = seen[LANES * block + lane]
                            own[y] = max(own[y], score)
    return inner, chart.complete


@njit(inline="always")
def place(scores_from, scores_to, ends, starts, labels, i, k, x, score):
    """Let the rules see a score, from both sides."""
    scores_from[i * labels + x, k] = score
    scores_to[k * labels + x, i] = score
    include(ends[i, x], k)
    include(starts[k, x], i)


@njit(inline="always")
def meets(ends, starts):
    """Whether two sets of bits have any in common."""
    both = np.uint64(0)
    for word in range(ends.shape[0]):
        both |= ends[word] & starts[word]
    return both != 0


@njit(cache=True, nogil=True)
def beside(inner, n):
    """[n+1] the best that the words before a position, and those after it, can have."""
    before, after = np.zeros(n + 1, np.float32), np.zeros(n + 1, np.float32)
    for i in range(n):
        before[i + 1] = before[i] + inner[cell_of(i, i + 1)].max()
    for i in range(n - 1, -1, -1):
        after[i] = after[i + 1] + inner[cell_of(i, i + 1)].max()
    return before, after


@njit(cache=True, nogil=True)
def best_left_out(rules, mask, inner, floor):
    """some(0, n, start) where it is above the floor; else the floor, or less."""
    n, labels = mask.shape[0] - 1, inner.shape[1]
    stride, wide = (n + 1 + LANES - 1) // LANES * LANES, (n + 64) // 64
    any_from = np.full(((n + 1) * labels, stride), IMPOSSIBLE, np.float32)
    any_to, some_from, some_to = any_from.copy(), any_from.copy(), any_from.copy()
    any_ends = np.zeros((n + 1, labels, wide), np.uint64)
    any_starts, some_ends, some_starts = any_ends.copy(), any_ends.copy(), any_ends.copy()
    for k in range(1, n + 1):
        for i in range(k):
            for x in range(labels):
                score = inner[cell_of(i, k), x]
                if score > IMPOSSIBLE:
                    place(any_from, any_to, any_ends, any_starts, labels, i, k, x, score)
    before, after = beside(inner, n)
    pair_ptr, pair_right, rule_ptr = rules.pair_ptr, rules.pair_right, rules.rule_ptr
    rule_parent, rule_weight = rules.rule_parent, rules.rule_weight
    base, some = np.empty(labels, np.float32), np.empty(labels, np.float32)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            k = i + width
            begin, end = (i + 1) // LANES * LANES, (k + LANES - 1) // LANES * LANES
            pruned = width < n and not mask[i, k]
            least = floor - (before[i] + after[k])
            base[:] = IMPOSSIBLE
            for y in range(labels):
                if not meets(any_ends[i, y], any_ends[i, y]):
                    continue
                f = i * labels + y
                for p in range(pair_ptr[y], pair_ptr[y + 1]):
                    z = pair_right[p]
                    t = k * labels + z
                    inside = IMPOSSIBLE
                    if pruned:
                        if meets(any_ends[i, y], any_starts[k, z]):
                            inside = max_plus(any_from, f, any_to, t, begin, end)
                    else:
                        if meets(some_ends[i, y], any_starts[k, z]):
                            inside = max_plus(some_from, f, any_to, t, begin, end)
                        if meets(any_ends[i, y], some_starts[k, z]):
                            inside = max(inside, max_plus(any_from, f, some_to, t, begin, end))
                    # No weight is above 0.
                    if inside > least:
                        for r in range(rule_ptr[p], rule_ptr[p + 1]):
                            x = rule_parent[r]
                            base[x] = max(base[x], inside + rule_weight[r])
            some[:] = base
            for u in range(rules.unary_child.shape[0]):
                x = rules.unary_parent[u]
                some[x] = max(some[x], base[rules.unary_child[u]] + rules.unary_weight[u])
            for x in range(labels):
                if some[x] > least:
                    place(some_from, some_to, some_ends, some_starts, labels, i, k, x, some[x])
                    best = max(some[x], inner[cell_of(i, k), x])
                    place(any_from, any_to, any_ends, any_starts, labels, i, k, x, best)
    return some_from[rules.start, n]


@njit(cache=True, nogil=True)
def left_out(rules, coarse, words, mask, anchors, limit, floor):
    """Of a grammar that is not split, by a coarser one, or itself; inf where the limit was too low."""
    inner, complete = inner_of_chart(rules, words, mask, anchors, limit)
    return best_left_out(coarse, mask, inner, floor) if complete else np.float32(np.inf)


@njit(cache=True, nogil=True)
def left_out_of_blocks(padded, coarse, seen, words, mask, anchors, limit, floor):
    """Of a split one."""
    symbols = coarse.pair_ptr.shape[0] - 1
    inner, complete = inner_of_blocks(padded, words, mask, anchors, limit, seen, symbols)
    return best_left_out(coarse, mask, inner, floor) if complete else np.float32(np.inf)
