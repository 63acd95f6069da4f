"""A roll-in of Viterbi laid out for change: every score has its place, and outside scores stand beside.

Outside scores are those of the roll-in. With them it is known of any span, kept or not, how good the best
parse with that span is: exactly so but for rounding, since a parse has a span once at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import LANES, max_plus, trailing_zeros

from .front import ONE, assign, include, kept_spans
from .viterbi import IMPOSSIBLE, cell_of


class State(NamedTuple):
    """A roll-in that can be changed and restored. Pruned cells hold what they would have if kept."""

    kept: np.ndarray  # [n+1, n+1] bool, with the spans that are always kept
    slack: float
    base: np.ndarray  # [cells, N] float32
    best: np.ndarray  # [cells, N] float32
    score_from: np.ndarray  # [(n+1) * N, stride] float32, best over kept ends; row = start * N + label
    score_to: np.ndarray  # [(n+1) * N, stride] float32, best over kept starts; row = end * N + label
    ends: np.ndarray  # [n+1, N, words64] uint64, the ends where score_from is or has been above -inf
    starts: np.ndarray  # [n+1, N, words64] uint64
    outside: np.ndarray  # [cells, N] float32, of a lexical or binary node, in the roll-in
    through: np.ndarray  # [cells] float32, the roll-in's best parse with this span
    rule: np.ndarray  # [cells, N] uint32, 1 + rule of the best binary node; 0: not looked up yet
    split: np.ndarray  # [cells, N] uint32
    dirty: np.ndarray  # [cells, N] bool, rule and split may be others now


@njit(cache=True, nogil=True)
def build_state(rules, chart, mask, sites):
    """The state of a roll-in; of pruned cells only those of the sites are worked out."""
    n = chart.words
    labels = rules.pair_ptr.shape[0] - 1
    cells = n * (n + 1) // 2
    stride = (n + 1 + LANES - 1) // LANES * LANES
    state = State(
        kept_spans(mask),
        slack_of(rules, chart),
        np.full((cells, labels), IMPOSSIBLE, np.float32),
        np.full((cells, labels), IMPOSSIBLE, np.float32),
        np.full(((n + 1) * labels, stride), IMPOSSIBLE, np.float32),
        np.full(((n + 1) * labels, stride), IMPOSSIBLE, np.float32),
        chart.ends.copy(),
        chart.starts.copy(),
        np.full((cells, labels), IMPOSSIBLE, np.float32),
        np.full(cells, IMPOSSIBLE, np.float32),
        np.zeros((cells, labels), np.uint32),
        np.zeros((cells, labels), np.uint32),
        np.zeros((cells, labels), np.bool_),
    )
    for k in range(1, n + 1):
        for i in range(k):
            cell = cell_of(i, k)
            for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
                x = np.int64(chart.label[item])
                state.base[cell, x] = chart.base[item]
                state.best[cell, x] = chart.best[item]
                place(state, i, k, x, chart.best[item])
    for s in range(sites.shape[0]):
        i, k = np.int64(sites[s, 0]), np.int64(sites[s, 1])
        if not state.kept[i, k]:
            cell = cell_of(i, k)
            combine(rules, state, i, k, state.base[cell])
            unaries(rules, state.base[cell], state.best[cell])
    outside(rules, state)
    return state


@njit(cache=True, nogil=True)
def slack_of(rules, chart):
    """What rounding can do to a comparison of two parses' scores, each summed up in any order.

    A parse has at most 4n weights and sums, each sum at most 4n weights large and rounded by 2^-24 of that.
    Two such errors on either side, one of the chart's sums and one of the sums with outside scores.
    """
    largest = np.float64(0.0)
    for weight in rules.rule_weight:
        largest = max(largest, abs(weight))
    for weight in rules.unary_weight:
        largest = max(largest, abs(weight))
    for i in range(chart.words):
        cell = cell_of(i, i + 1)
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            if chart.base[item] > IMPOSSIBLE:
                largest = max(largest, abs(chart.base[item]))
    return 4.0 * (4.0 * chart.words) ** 2 * largest * 2.0**-24


@njit(inline="always")
def place(state, i, k, x, score):
    """Let best(i, k, x) be seen by the rules."""
    labels = state.best.shape[1]
    state.score_from[i * labels + x, k] = score
    state.score_to[k * labels + x, i] = score
    if score > IMPOSSIBLE:
        include(state.ends[i, x], k)
        include(state.starts[k, x], i)


@njit(cache=True, nogil=True)
def combine(rules, state, i, k, base):
    """base(i, k, x) = max over x -> y z and i < j < k of best(i, j, y) + best(j, k, z) + weight"""
    labels = base.shape[0]
    begin = (i + 1) // LANES * LANES
    end = (k + LANES - 1) // LANES * LANES
    score_from, score_to, starts = state.score_from, state.score_to, state.starts[k]
    for y in range(labels):
        ends = state.ends[i, y]
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
            z = rules.pair_right[p]
            splits = ends[0] & starts[z, 0]
            for word in range(1, ends.shape[0]):
                splits |= ends[word] & starts[z, word]
            if splits:
                inner = max_plus(score_from, i * labels + y, score_to, k * labels + z, begin, end)
                for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                    x = rules.rule_parent[r]
                    base[x] = max(base[x], inner + rules.rule_weight[r])


@njit(cache=True, nogil=True)
def top_rule(rules, state, i, k, x):
    """The score of the best binary node (i, k, x), its rule and the left + right of that."""
    labels = state.best.shape[1]
    begin = (i + 1) // LANES * LANES
    end = (k + LANES - 1) // LANES * LANES
    score_from, score_to, ends, starts = state.score_from, state.score_to, state.ends[i], state.starts[k]
    rule = np.int64(0)
    score = IMPOSSIBLE
    inner = IMPOSSIBLE
    for m in range(rules.made_ptr[x], rules.made_ptr[x + 1]):
        r = rules.made[m]
        y = rules.rule_left[r]
        z = rules.rule_right[r]
        splits = ends[y, 0] & starts[z, 0]
        for word in range(1, ends.shape[1]):
            splits |= ends[y, word] & starts[z, word]
        if splits:
            total = max_plus(score_from, i * labels + y, score_to, k * labels + z, begin, end)
            if total + rules.rule_weight[r] > score:
                score = total + rules.rule_weight[r]
                inner = total
                rule = np.int64(r)
    return score, rule, inner


@njit(cache=True, nogil=True)
def unaries(rules, base, best):
    """best(i, k, x) = max(base(i, k, x), max over x -> y of base(i, k, y) + weight)"""
    assign(best, base)
    for u in range(rules.unary_child.shape[0]):
        x = rules.unary_parent[u]
        best[x] = max(best[x], base[rules.unary_child[u]] + rules.unary_weight[u])


@njit(cache=True, nogil=True)
def outside(rules, state):
    """Fill state.outside and state.through, of kept spans and of those that hold what they would have."""
    n = state.kept.shape[0] - 1
    labels = state.best.shape[1]
    ends, starts = open_spans(rules, state)
    state.outside[cell_of(0, n), rules.start] = np.float32(0.0)
    over = np.empty(labels, np.float32)
    for i in range(n):
        for k in range(n, i + 1, -1):
            cell = cell_of(i, k)
            own = state.outside[cell]
            # A node stands for itself or under a unary one.
            assign(over, own)
            for u in range(rules.unary_child.shape[0]):
                y = rules.unary_child[u]
                own[y] = max(own[y], over[rules.unary_parent[u]] + rules.unary_weight[u])
            for x in range(labels):
                state.through[cell] = max(state.through[cell], state.base[cell, x] + own[x])
            if state.kept[i, k]:
                outside_of_children(rules, state, ends, starts, i, k)


@njit(cache=True, nogil=True)
def open_spans(rules, state):
    """Ends and starts of the spans, wider than 1, where a label's outside score is wanted.

    In kept spans that is any label: a flip below may bring it. In pruned ones those that they would have.
    """
    n = state.kept.shape[0] - 1
    ends = np.zeros_like(state.ends)
    starts = np.zeros_like(state.starts)
    made = np.zeros(state.best.shape[1], np.bool_)
    for x in rules.rule_parent:
        made[x] = True
    for x in rules.unary_parent:
        made[x] = True
    for i in range(n):
        for k in range(i + 2, n + 1):
            for x in range(made.shape[0]):
                if made[x] and (state.kept[i, k] or state.best[cell_of(i, k), x] > IMPOSSIBLE):
                    include(ends[i, x], k)
                    include(starts[k, x], i)
    return ends, starts


@njit(cache=True, nogil=True)
def outside_of_children(rules, state, ends, starts, i, k):
    """outside(i, j, y) = max over x -> y z and k of outside(i, k, x) + weight + best(j, k, z); so for z"""
    best, outside = state.best, state.outside
    kept_starts, open_starts = state.starts[k], starts[k]
    own = outside[cell_of(i, k)]
    for y in range(own.shape[0]):
        kept_ends, open_ends = state.ends[i, y], ends[i, y]
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1]):
            z = rules.pair_right[p]
            top = IMPOSSIBLE
            for word in range(kept_ends.shape[0]):
                left = open_ends[word] & kept_starts[z, word]
                right = kept_ends[word] & open_starts[z, word]
                if left | right == 0:
                    continue
                if top == IMPOSSIBLE:
                    for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                        top = max(top, own[rules.rule_parent[r]] + rules.rule_weight[r])
                    if top == IMPOSSIBLE:
                        break
                while left:
                    j = (word << 6) + np.int64(trailing_zeros(left))
                    left &= left - ONE
                    cell = cell_of(i, j)
                    outside[cell, y] = max(outside[cell, y], top + best[cell_of(j, k), z])
                while right:
                    j = (word << 6) + np.int64(trailing_zeros(right))
                    right &= right - ONE
                    cell = cell_of(j, k)
                    outside[cell, z] = max(outside[cell, z], top + best[cell_of(i, j), y])
