"""Viterbi CKY with a span mask.

Semantics, the same in every kernel and in tests/naive:
- a node is lexical, binary, or one unary over a lexical or binary node: at most one unary per node;
- a push is one lexical entry, one unary application, or one binary rule at one split with both
  children present; an item is one (span, label) that was built;
- spans of width 1 and n are always kept.

Total order, which settles ties and float32 rounding: per child pair the larger left + right, then the
smaller split; over rules the larger total, then the smaller rule id; a lexical or binary node before a
unary one of the same score; over unaries the larger total, then the smaller rule id; over lexical
entries of one tag the larger.

The chart is kept twice, once as rows (start, label) over ends and once as rows (end, label) over starts,
so that the maximum over splits of one child pair runs over contiguous memory. Rows are made when first
needed. Nothing points back: the derivation is found again from the scores, which needs only the rules
of the few nodes in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.split.simd import LANES, max_plus, popcount, trailing_zeros

from . import sparse as cky_sparse
from .sparse import BINARY, IMPOSSIBLE, LEXICAL, UNARY, cell_of

FEW = 1  # one split is looked up, more go eight at a time


class Chart(NamedTuple):
    """What Viterbi built. Cells are numbered k*(k-1)/2 + i; items of a cell are in order of label."""

    words: int
    pushes: int
    complete: bool  # False: the memory limit stopped it
    cell_begin: np.ndarray  # [cells] uint32, items of a cell ...
    cell_end: np.ndarray  # [cells] uint32
    label: np.ndarray  # [items] uint32
    base: np.ndarray  # [items] float32, best lexical or binary node (-inf: none)
    best: np.ndarray  # [items] float32, the larger of base and the best unary over some base
    row_from: np.ndarray  # [n+1, N] uint32, row of (start, label); 0 is the empty row
    row_to: np.ndarray  # [n+1, N] uint32, row of (end, label)
    ends: np.ndarray  # [n+1, N, words64] uint64, the ends of label's spans from start
    starts: np.ndarray  # [n+1, N, words64] uint64
    score_from: np.ndarray  # [rows, stride] float32, best over ends
    score_to: np.ndarray  # [rows, stride] float32, best over starts


@njit(cache=True, nogil=True)
def grow_rows(pool, needed):
    larger = np.full((2 * needed, pool.shape[1]), IMPOSSIBLE, np.float32)
    larger[: pool.shape[0]] = pool
    return larger


@njit(cache=True, nogil=True)
def grow(array, size):
    larger = np.empty(size, array.dtype)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def fill(rules, words, mask, anchors, limit):
    """The chart of a sentence, given as word ids; `limit` bounds the chart's bytes."""
    n = words.shape[0]
    labels = rules.pair_ptr.shape[0] - 1
    stride = (n + 1 + LANES - 1) // LANES * LANES
    wide = (n + 64) // 64
    row_from = np.zeros((n + 1, labels), np.uint32)
    row_to = np.zeros((n + 1, labels), np.uint32)
    ends = np.zeros((n + 1, labels, wide), np.uint64)
    starts = np.zeros((n + 1, labels, wide), np.uint64)
    score_from = np.full((1, stride), IMPOSSIBLE, np.float32)
    score_to = np.full((1, stride), IMPOSSIBLE, np.float32)
    rows_from = 1
    rows_to = 1
    cell_begin = np.zeros(n * (n + 1) // 2, np.uint32)
    cell_end = np.zeros(n * (n + 1) // 2, np.uint32)
    label = np.empty(256 + 8 * n, np.uint32)
    base_of = np.empty(256 + 8 * n, np.float32)
    best_of = np.empty(256 + 8 * n, np.float32)
    items = 0
    pushes = np.uint64(0)
    one = np.uint32(1)
    complete = True
    base = np.full(labels, IMPOSSIBLE, np.float32)
    over = np.full(labels, IMPOSSIBLE, np.float32)
    active = np.empty((n + 1, labels), np.uint32)  # labels of the spans from a start
    actives = np.zeros(n + 1, np.uint32)
    cells_from = np.zeros((n + 1, wide), np.uint64)  # the ends of the cells from a start that hold anything
    cells_to = np.zeros((n + 1, wide), np.uint64)
    fixed = (n + 1) * labels * (12 + 16 * wide)

    for width in range(1, n + 1):
        if not complete:
            break
        for i in range(n - width + 1):
            k = i + width
            if not (width == 1 or width == n or mask[i, k]):
                continue
            cell = cell_of(i, k)
            begin = (i + 1) // LANES * LANES
            end = (k + LANES - 1) // LANES * LANES
            if width == 1:
                # base(i, i+1, t) = max over entries t -> w_i of its weight
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    t = rules.lex_tag[e]
                    score = rules.lex_weight[e]
                    if anchors.tag.shape[0]:
                        score += anchors.tag[i, t]
                    pushes += np.uint64(1)
                    if score > base[t]:
                        base[t] = score
            else:
                # base(i, k, x) = max over x -> y z and i < j < k of best(i, j, y) + best(j, k, z) + weight
                # Splits between two cells that hold something: under heavy pruning there are few, or none.
                valid = cells_from[i, 0] & cells_to[k, 0]
                more = np.uint64(0)
                for word in range(1, wide):
                    more |= cells_from[i, word] & cells_to[k, word]
                if not (valid | more):
                    continue
                to_rows = row_to[k]
                starts_k = starts[k]
                for a in range(actives[i]):
                    y = active[i, a]
                    from_row = row_from[i, y]
                    ends_y = ends[i, y]
                    first_ends = ends_y[0] & valid
                    if first_ends == 0 and more == 0:
                        continue
                    for p in range(rules.pair_ptr[y], rules.pair_ptr[y + one]):
                        z = rules.pair_right[p]
                        both = first_ends & starts_k[z, 0]
                        splits = popcount(both)
                        for word in range(1, wide):
                            splits += popcount(ends_y[word] & starts_k[z, word])
                        if splits == 0:
                            continue
                        to_row = to_rows[z]
                        if splits <= FEW and wide == 1:
                            inner = IMPOSSIBLE
                            while both:
                                j = trailing_zeros(both)
                                both &= both - np.uint64(1)
                                inner = max(inner, score_from[from_row, j] + score_to[to_row, j])
                        else:
                            inner = max_plus(score_from, from_row, score_to, to_row, begin, end)
                        first = rules.rule_ptr[p]
                        last = rules.rule_ptr[p + 1]
                        pushes += splits * (last - first)
                        for r in range(first, last):
                            x = rules.rule_parent[r]
                            base[x] = max(base[x], inner + rules.rule_weight[r])
                if anchors.span.shape[0]:
                    for x in range(labels):
                        base[x] += anchors.span[cell, x]

            # best(i, k, x) = max(base(i, k, x), max over x -> y of base(i, k, y) + weight)
            for y in range(labels):
                if base[y] > IMPOSSIBLE:
                    for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                        x = rules.unary_parent[u]
                        score = base[y] + rules.unary_weight[u]
                        if anchors.span.shape[0]:
                            score += anchors.span[cell, x]
                        pushes += np.uint64(1)
                        over[x] = max(over[x], score)

            # Room for a full cell is made before its loop: growing inside it costs a factor of four.
            if rows_from + labels > score_from.shape[0]:
                score_from = grow_rows(score_from, rows_from + labels)
            if rows_to + labels > score_to.shape[0]:
                score_to = grow_rows(score_to, rows_to + labels)
            if items + labels > label.shape[0]:
                size = 2 * (items + labels)
                label = grow(label, size)
                base_of = grow(base_of, size)
                best_of = grow(best_of, size)
            cell_begin[cell] = items
            for x in range(labels):
                best = max(base[x], over[x])
                if best > IMPOSSIBLE:
                    label[items] = x
                    base_of[items] = base[x]
                    best_of[items] = best
                    items += 1
                    if row_from[i, x] == 0:
                        row_from[i, x] = rows_from
                        rows_from += 1
                        active[i, actives[i]] = x
                        actives[i] += 1
                    if row_to[k, x] == 0:
                        row_to[k, x] = rows_to
                        rows_to += 1
                    score_from[row_from[i, x], k] = best
                    score_to[row_to[k, x], i] = best
                    ends[i, x, k >> 6] |= np.uint64(1) << np.uint64(k & 63)
                    starts[k, x, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
                base[x] = IMPOSSIBLE
                over[x] = IMPOSSIBLE
            cell_end[cell] = items
            if items > cell_begin[cell]:
                cells_from[i, k >> 6] |= np.uint64(1) << np.uint64(k & 63)
                cells_to[k, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
            # Growing doubles, so what the next cell may take is known before it is taken.
            taken = fixed + 8 * stride * (score_from.shape[0] + score_to.shape[0]) + 24 * label.shape[0]
            if taken > limit and width < n:
                complete = False
                break
    return Chart(
        n,
        pushes,
        complete,
        cell_begin,
        cell_end,
        label[:items],
        base_of[:items],
        best_of[:items],
        row_from,
        row_to,
        ends,
        starts,
        score_from,
        score_to,
    )


@njit(cache=True, nogil=True)
def _fields(rules, words, mask, anchors, limit):
    return fill(rules, words, mask, anchors, limit)[:]


def chart_of(rules: Any, words: Any, mask: Any, anchors: Any, limit: int) -> Chart:
    """`fill`, called from Python: a kernel returns no NamedTuple to it, as parse.Found says."""
    return Chart(*_fields(rules, words, mask, anchors, limit))


@njit(cache=True, nogil=True)
def item_of(chart, i, k, x):
    """The number of item (i, k, x), or -1."""
    cell = cell_of(i, k)
    low = np.int64(chart.cell_begin[cell])
    high = np.int64(chart.cell_end[cell])
    while low < high:
        middle = (low + high) // 2
        if chart.label[middle] < x:
            low = middle + 1
        else:
            high = middle
    if low < chart.cell_end[cell] and chart.label[low] == x:
        return low
    return np.int64(-1)


@njit(cache=True, nogil=True)
def unaries_into(rules, chart, anchors, i, k, x):
    """The unary rules that build (i, k, x), with their scores."""
    cell = cell_of(i, k)
    found = np.empty(chart.cell_end[cell] - chart.cell_begin[cell], np.uint32)
    scores = np.empty(found.shape[0], np.float32)
    size = 0
    for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
        y = chart.label[item]
        if chart.base[item] == IMPOSSIBLE:
            continue
        for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
            if rules.unary_parent[u] == x:
                found[size] = u
                scores[size] = chart.base[item] + rules.unary_weight[u]
                if anchors.span.shape[0]:
                    scores[size] += anchors.span[cell, x]
                size += 1
    return found[:size], scores[:size]


@njit(cache=True, nogil=True)
def binaries_into(rules, chart, i, k, x):
    """The binary rules and splits that build (i, k, x), with left + right of each."""
    room = (rules.made_ptr[x + 1] - rules.made_ptr[x]) * (k - i - 1)
    found = np.empty(room, np.uint32)
    splits = np.empty(room, np.uint32)
    inner = np.empty(room, np.float32)
    size = 0
    for m in range(rules.made_ptr[x], rules.made_ptr[x + 1]):
        r = rules.made[m]
        from_row = chart.row_from[i, rules.rule_left[r]]
        to_row = chart.row_to[k, rules.rule_right[r]]
        for j in range(i + 1, k):
            score = chart.score_from[from_row, j] + chart.score_to[to_row, j]
            if score > IMPOSSIBLE:
                found[size] = r
                splits[size] = j
                inner[size] = score
                size += 1
    return found[:size], splits[:size], inner[:size]


@njit(cache=True, nogil=True)
def best_binary(rules, chart, anchors, i, k, x):
    """The rule and split of base(i, k, x), in the total order."""
    # Totals include the anchor: its rounding may make two of them equal.
    bonus = anchors.span[cell_of(i, k), x] if anchors.span.shape[0] else np.float32(0.0)
    highest = IMPOSSIBLE
    found = np.uint32(0)
    split = np.uint64(0)
    for m in range(rules.made_ptr[x], rules.made_ptr[x + 1]):
        r = rules.made[m]
        y = rules.rule_left[r]
        z = rules.rule_right[r]
        from_row = chart.row_from[i, y]
        to_row = chart.row_to[k, z]
        if from_row == 0 or to_row == 0:
            continue
        inner = IMPOSSIBLE
        at = np.uint64(0)
        for word in range(chart.ends.shape[2]):
            both = chart.ends[i, y, word] & chart.starts[k, z, word]
            while both:
                j = np.uint64(64 * word) + trailing_zeros(both)
                both &= both - np.uint64(1)
                # The chart is complete by now: its rows also hold wider spans.
                if j <= np.uint64(i) or j >= np.uint64(k):
                    continue
                score = chart.score_from[from_row, j] + chart.score_to[to_row, j]
                if score > inner:
                    inner = score
                    at = j
        if inner > IMPOSSIBLE and inner + rules.rule_weight[r] + bonus > highest:
            highest = inner + rules.rule_weight[r] + bonus
            found = r
            split = at
    return found, split


@njit(cache=True, nogil=True)
def trace(rules, chart, anchors, i, k, x):
    """The best derivation of (i, k, x), parents first: rows of kind, label, i, k, rule id (or -1)."""
    width = k - i
    steps = np.empty((4 * width, 5), np.int64)
    size = 0
    # What is still to be opened: i, k, label, and whether a unary may stand here.
    stack = np.empty((2 * width + 2, 4), np.int64)
    stack[0] = (i, k, x, 1)
    depth = 1
    while depth:
        depth -= 1
        i, k, x, unary = stack[depth]
        item = item_of(chart, i, k, x)
        if unary and chart.best[item] > chart.base[item]:
            # The first of equals has the smallest rule id.
            over, scores = unaries_into(rules, chart, anchors, i, k, x)
            u = np.int64(over[np.argmax(scores)])
            steps[size] = (UNARY, x, i, k, u)
            size += 1
            stack[depth] = (i, k, np.int64(rules.unary_child[u]), 0)
            depth += 1
        elif k == i + 1:
            steps[size] = (LEXICAL, x, i, k, -1)
            size += 1
        else:
            r, j = best_binary(rules, chart, anchors, i, k, x)
            steps[size] = (BINARY, x, i, k, np.int64(r))
            size += 1
            stack[depth] = (np.int64(j), k, np.int64(rules.rule_right[r]), 1)
            stack[depth + 1] = (i, np.int64(j), np.int64(rules.rule_left[r]), 1)
            depth += 2
    return steps[:size]


@njit(cache=True, nogil=True)
def viterbi(rules, words, mask, anchors, limit):
    """The best derivation of a sentence: its steps, score, and work (pushes, items), and completeness.

    Where few splits are left it comes from the sparse chart, which gives the same sooner.
    """
    n = words.shape[0]
    slots = cky_sparse.slots_of(mask)
    if cky_sparse.suits(rules, slots, limit):
        sparse = cky_sparse.fill(rules, words, slots, anchors)
        steps = cky_sparse.trace(rules, sparse, anchors, n)
        return steps, sparse.best[slots.slot[cell_of(0, n)], rules.start], sparse.pushes, sparse.items, True
    chart = fill(rules, words, mask, anchors, limit)
    top = item_of(chart, 0, n, rules.start) if chart.complete else np.int64(-1)
    if top < 0:
        return np.empty((0, 5), np.int64), IMPOSSIBLE, chart.pushes, chart.label.shape[0], chart.complete
    steps = trace(rules, chart, anchors, 0, n, rules.start)
    return steps, chart.best[top], chart.pushes, chart.label.shape[0], chart.complete
