"""Viterbi over the sub-symbols of a split grammar, by blocks, with a span mask.

Semantics as in cky.py, for the grammar whose symbols are the sub-symbols (SplitPCFG.flat): scores are the
same bit for bit. Anchored scores are those of the unsplit symbols. Work is counted by unsplit symbols: an
item is one (span, symbol) some sub-symbol of which was built; a push is one rule of sub-symbols, with a
probability above 0, at one split both of whose items were built (likewise unary rules and lexical entries).

Total order, which settles ties and float32 rounding: over rules of sub-symbols the larger total, then the
smaller rule id of the unsplit grammar, then the smaller left and the smaller right sub-symbol; for two
children the larger left + right, then the smaller split; what is lexical or binary before a unary of the same
score; over unaries the larger total, then the smaller rule id, then the smaller sub-symbol below.

As in cky.py nothing points back: the derivation is found again from the scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.cky.sparse import BINARY, IMPOSSIBLE, LEXICAL, UNARY, cell_of

from .blocks import ONE, at_from, at_to, holds, lane_from, lane_to, list_bits
from .simd import LANES
from .vectors import add, highest, larger, load, spread, store

ZERO = np.uint64(0)


class Chart(NamedTuple):
    """What Viterbi built: vectors of eight for B blocks. Cells are numbered k*(k-1)/2 + i."""

    words: int
    pushes: int
    items: int
    complete: bool  # False: the memory limit stopped it, there is nothing in it
    ends: np.ndarray  # [n+1, N, words64] uint64, the ends of symbol's spans from start
    starts: np.ndarray  # [n+1, N, words64] uint64
    base: np.ndarray  # [cells * B * 8] float32, best lexical or binary node
    score_from: np.ndarray  # [cells * B * 8] float32, the larger of it and the best unary: see at_from
    score_to: np.ndarray  # [cells * B * 8] float32, the same: see at_to


@njit(inline="always")
def splits_of(ends, starts, at):
    """A list of the splits that both sets of bits name, eightfold; its length.

    The ends of spans from i are above i, the starts of spans to k below k.
    """
    found = 0
    for word in range(ends.shape[0]):
        found = list_bits(ends[word] & starts[word], 64 * word, at, found)
    return found


@njit(inline="always")
def max_strip(score_from, left, score_to, right, at, found):
    best = spread(IMPOSSIBLE)
    for m in range(found):
        j = at[m]
        best = larger(best, add(spread(score_from[np.uint64(left + j)]), load(score_to, right + j)))
    return best


@njit(inline="always")
def max_two_strips(score_from, left, other, score_to, right, at, found):
    """Two strips with the same block to the right, which is loaded once."""
    best, second = spread(IMPOSSIBLE), spread(IMPOSSIBLE)
    for m in range(found):
        j = at[m]
        score = load(score_to, right + j)
        best = larger(best, add(spread(score_from[np.uint64(left + j)]), score))
        second = larger(second, add(spread(score_from[np.uint64(other + j)]), score))
    return best, second


@njit(inline="always")
def max_strips(padded, score_from, score_to, n, p, i, k, at, found, tile):
    """tile(b, c) = max over the splits j of best(i, j, y_b) + best(j, k, z_c), for the strips of a pair."""
    blocks = np.int64(padded.block_ptr[-1])
    s, last = np.uint64(padded.strip_ptr[p]), np.uint64(padded.strip_ptr[p + 1])
    out = 0
    while s < last:
        block = padded.strip_right[s]
        left = lane_from(n, blocks, i, padded.strip_left[s])
        right = at_to(blocks, k, np.int64(block))
        s += ONE
        if s < last and padded.strip_right[s] == block:
            other = lane_from(n, blocks, i, padded.strip_left[s])
            best, second = max_two_strips(score_from, left, other, score_to, right, at, found)
            store(tile, out, best)
            store(tile, out + LANES, second)
            s += ONE
            out += 2 * LANES
        else:
            store(tile, out, max_strip(score_from, left, score_to, right, at, found))
            out += LANES


@njit(cache=True, nogil=True)
def max_pairs(padded, chart, i, k, left_symbols, at, tile, base):
    """base(i, k, x_a) = max over x_a -> y_b z_c and i < j < k of best(i, j, y_b) + best(j, k, z_c) + weight

    For each pair (y, z) first tile(b, c), the maximum over the splits. Returns the number of pushes.
    """
    n, ends, starts, score_from, score_to = chart
    weight, row_at, row_ptr = padded.weight, padded.row_at, padded.row_ptr
    group_ptr, group_block = padded.group_ptr, padded.group_block
    pushes, previous, found = ZERO, ZERO, 0
    wide = ends.shape[2]
    for y in left_symbols:
        for p in range(padded.pair_ptr[y], padded.pair_ptr[y + np.uint32(1)]):
            z = padded.pair_right[p]
            if wide == 1:
                # Many pairs have the same splits: they need not be listed again.
                both = ends[i, y, 0] & starts[k, z, 0]
                if both == ZERO:
                    continue
                if both != previous:
                    found = list_bits(both, 0, at, 0)
                    previous = both
            else:
                found = splits_of(ends[i, y], starts[k, z], at)
                if found == 0:
                    continue
            pushes += np.uint64(found) * padded.pair_size[p]
            max_strips(padded, score_from, score_to, n, p, i, k, at, found, tile)
            for g in range(group_ptr[padded.pair_rule[p]], group_ptr[padded.pair_rule[p + ONE]]):
                here = LANES * np.int64(group_block[g])
                best = load(base, here)
                for r in range(row_ptr[g], row_ptr[g + ONE]):
                    best = larger(best, add(spread(tile[row_at[r]]), load(weight, LANES * r)))
                store(base, here, best)
    return pushes


@njit(cache=True, nogil=True)
def tile_of(padded):
    """Room for the strips of any pair."""
    strips = np.int64(0)
    for p in range(padded.pair_right.shape[0]):
        strips = max(strips, np.int64(padded.strip_ptr[p + 1]) - np.int64(padded.strip_ptr[p]))
    return np.empty(strips * LANES, np.float32)


@njit(cache=True, nogil=True)
def fill(padded, words, mask, anchors, limit):
    """The chart of a sentence, given as word ids; `limit` bounds the chart's bytes."""
    n = words.shape[0]
    symbols = padded.block_ptr.shape[0] - 1
    blocks = np.int64(padded.block_ptr[-1])
    wide = (n + 64) // 64
    size = n * (n + 1) // 2 * blocks * LANES
    complete = 12 * size + 2 * (n + 1) * symbols * (8 * wide + 2) <= limit
    if not complete:
        n = size = 0
    base_of = np.empty(size, np.float32)
    score_from = np.empty(size, np.float32)
    score_to = np.empty(size, np.float32)
    ends = np.zeros((n + 1, symbols, wide), np.uint64)
    starts = np.zeros((n + 1, symbols, wide), np.uint64)
    active = np.empty((n + 1, symbols), np.uint32)  # symbols of the spans from a start
    actives = np.zeros(n + 1, np.int64)
    base = np.empty(blocks * LANES, np.float32)
    over = np.empty(blocks * LANES, np.float32)
    tile = tile_of(padded)
    at = np.empty(n + 1, np.int64)
    chart = n, ends, starts, score_from, score_to
    pushes = ZERO
    items = 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not (width == 1 or width == n or mask[i, k]):
                continue
            cell = cell_of(i, k)
            base[:] = IMPOSSIBLE
            if width == 1:
                # base(i, i+1, t_a) = weight of t_a -> w_i
                for e in range(padded.lex_ptr[words[i]], padded.lex_ptr[words[i] + 1]):
                    t = padded.lex_tag[e]
                    pushes += padded.lex_size[e]
                    bonus = anchors.tag[i, t] if anchors.tag.shape[0] else np.float32(0.0)
                    first = LANES * np.int64(padded.block_ptr[t])
                    source = np.int64(padded.lex_at[e])
                    for lane in range(0, LANES * np.int64(padded.block_ptr[t + 1]) - first, LANES):
                        score = load(padded.lex_weight, source + lane)
                        store(base, first + lane, add(score, spread(bonus)))
            else:
                pushes += max_pairs(padded, chart, i, k, active[i, : actives[i]], at, tile, base)
                if anchors.span.shape[0]:
                    for x in range(symbols):
                        for block in range(padded.block_ptr[x], padded.block_ptr[x + 1]):
                            bonus = spread(anchors.span[cell, x])
                            store(base, LANES * block, add(load(base, LANES * block), bonus))
            pushes += max_unaries(padded, anchors, cell, base, over)
            # best(i, k, x_a) = max(base(i, k, x_a), over(i, k, x_a))
            for x in range(symbols):
                top = spread(IMPOSSIBLE)
                first, last = np.int64(padded.block_ptr[x]), np.int64(padded.block_ptr[x + 1])
                for block in range(first, last):
                    best = larger(load(base, LANES * block), load(over, LANES * block))
                    store(over, LANES * block, best)
                    top = larger(top, best)
                if highest(top) == IMPOSSIBLE:
                    continue
                items += 1
                for block in range(first, last):
                    best = load(over, LANES * block)
                    store(base_of, LANES * (cell * blocks + block), load(base, LANES * block))
                    store(score_from, at_from(n, blocks, i, block) + LANES * k, best)
                    store(score_to, at_to(blocks, k, block) + LANES * i, best)
                fresh = True
                for word in range(wide):
                    fresh &= ends[i, x, word] == ZERO
                if fresh:
                    active[i, actives[i]] = x
                    actives[i] += 1
                ends[i, x, k >> 6] |= ONE << np.uint64(k & 63)
                starts[k, x, i >> 6] |= ONE << np.uint64(i & 63)
    return Chart(words.shape[0], pushes, items, complete, ends, starts, base_of, score_from, score_to)


@njit(cache=True, nogil=True)
def max_unaries(padded, anchors, cell, base, over):
    """over(x_a) = max over x_a -> y_b of base(y_b) + weight, of one cell; the number of pushes."""
    pushes = ZERO
    over[:] = IMPOSSIBLE
    for y in range(padded.block_ptr.shape[0] - 1):
        if padded.unary_ptr[y] == padded.unary_ptr[y + 1]:
            continue
        top = spread(IMPOSSIBLE)
        for block in range(padded.block_ptr[y], padded.block_ptr[y + 1]):
            top = larger(top, load(base, LANES * block))
        if highest(top) == IMPOSSIBLE:
            continue
        for u in range(padded.unary_ptr[y], padded.unary_ptr[y + 1]):
            pushes += padded.unary_size[u]
            x = padded.unary_parent[u]
            bonus = spread(anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0))
            for g in range(padded.unary_group_ptr[u], padded.unary_group_ptr[u + 1]):
                best = spread(IMPOSSIBLE)
                for r in range(padded.unary_row_ptr[g], padded.unary_row_ptr[g + ONE]):
                    below = spread(base[padded.unary_lane[r]])
                    best = larger(best, add(below, load(padded.unary_weight, LANES * r)))
                own = LANES * np.int64(padded.unary_block[g])
                store(over, own, larger(load(over, own), add(best, bonus)))
    return pushes


@njit(cache=True, nogil=True)
def first_unary(padded, chart, anchors, i, k, x, a, target):
    """The first unary rule, and sub-symbol below it, that gives (i, k, x_a) its score."""
    blocks = np.int64(padded.block_ptr[-1])
    cell = cell_of(i, k)
    bonus = anchors.span[cell, x] if anchors.span.shape[0] else np.float32(0.0)
    block = np.int64(padded.block_ptr[x]) + a // LANES
    for u in range(padded.unary_parent.shape[0]):
        y = np.int64(padded.unary_child[u])
        if padded.unary_parent[u] != x or not holds(chart.ends, i, k, y):
            continue
        for g in range(padded.unary_group_ptr[u], padded.unary_group_ptr[u + 1]):
            if padded.unary_block[g] != block:
                continue
            for r in range(padded.unary_row_ptr[g], padded.unary_row_ptr[g + ONE]):
                lane = np.int64(padded.unary_lane[r])
                below = chart.base[LANES * blocks * cell + lane]
                if below + padded.unary_weight[LANES * r + a % LANES] + bonus == target:
                    return u, lane - LANES * np.int64(padded.block_ptr[y])
    return -1, 0


@njit(cache=True, nogil=True)
def first_binary(padded, chart, anchors, i, k, x, a, target, tile, at):
    """The first binary rule, sub-symbols of its children and split that give (i, k, x_a) its score."""
    n = chart.words
    blocks = np.int64(padded.block_ptr[-1])
    # Totals include the anchor: its rounding may make two of them equal.
    bonus = anchors.span[cell_of(i, k), x] if anchors.span.shape[0] else np.float32(0.0)
    block = np.int64(padded.block_ptr[x]) + a // LANES
    for m in range(padded.made_ptr[x], padded.made_ptr[x + 1]):
        rule = np.int64(padded.made[m])
        y, z, p = padded.rule_left[rule], padded.rule_right[rule], np.int64(padded.rule_pair[rule])
        found = splits_of(chart.ends[i, y], chart.starts[k, z], at)
        if found == 0:
            continue
        max_strips(padded, chart.score_from, chart.score_to, n, p, i, k, at, found, tile)
        for g in range(padded.group_ptr[rule], padded.group_ptr[rule + 1]):
            if padded.group_block[g] != block:
                continue
            for r in range(padded.row_ptr[g], padded.row_ptr[g + ONE]):
                inner = tile[padded.row_at[r]]
                if inner + padded.weight[LANES * r + a % LANES] + bonus != target:
                    continue
                place = np.int64(padded.row_at[r])
                s = np.int64(padded.strip_ptr[p]) + place // LANES
                b = np.int64(padded.strip_left[s])
                c = LANES * np.int64(padded.strip_right[s]) + place % LANES
                left = lane_from(n, blocks, i, b)
                right = lane_to(blocks, k, c)
                j = 0
                while chart.score_from[left + at[j]] + chart.score_to[right + at[j]] != inner:
                    j += 1
                b -= LANES * np.int64(padded.block_ptr[y])
                c -= LANES * np.int64(padded.block_ptr[z])
                return rule, b, c, at[j] // LANES
    return np.int64(-1), np.int64(0), np.int64(0), np.int64(0)


@njit(cache=True, nogil=True)
def trace(padded, chart, anchors):
    """The best derivation of the sentence, parents first: rows of kind, label, i, k, rule id (or -1), all of
    the unsplit grammar; and the sub-symbol of each.
    """
    n = chart.words
    blocks = np.int64(padded.block_ptr[-1])
    steps = np.empty((4 * n, 5), np.int64)
    subs = np.empty(4 * n, np.int64)
    tile = tile_of(padded)
    at = np.empty(n + 1, np.int64)
    size = 0
    # What is still to be opened: i, k, label, sub-symbol, and whether a unary may stand here.
    stack = np.empty((2 * n + 2, 5), np.int64)
    stack[0] = (0, n, padded.start, 0, 1)
    depth = 1
    while depth:
        depth -= 1
        i, k, x, a, unary = stack[depth]
        lane = LANES * np.int64(padded.block_ptr[x]) + a
        base = chart.base[LANES * blocks * cell_of(i, k) + lane]
        best = chart.score_to[at_to(blocks, k, lane // LANES) + LANES * i + lane % LANES]
        subs[size] = a
        if unary and best > base:
            u, b = first_unary(padded, chart, anchors, i, k, x, a, best)
            steps[size] = (UNARY, x, i, k, u)
            stack[depth] = (i, k, np.int64(padded.unary_child[u]), b, 0)
            depth += 1
        elif k == i + 1:
            steps[size] = (LEXICAL, x, i, k, -1)
        else:
            rule, b, c, j = first_binary(padded, chart, anchors, i, k, x, a, base, tile, at)
            steps[size] = (BINARY, x, i, k, rule)
            stack[depth] = (j, k, np.int64(padded.rule_right[rule]), c, 1)
            stack[depth + 1] = (i, j, np.int64(padded.rule_left[rule]), b, 1)
            depth += 2
        size += 1
    return steps[:size], subs[:size]


@njit(cache=True, nogil=True)
def viterbi(padded, words, mask, anchors, limit):
    """The best derivation of a sentence: steps and sub-symbols as from `trace` (none without a parse), score,
    work (pushes, items), and completeness.
    """
    n = words.shape[0]
    chart = fill(padded, words, mask, anchors, limit)
    score = IMPOSSIBLE
    if chart.complete and n and holds(chart.ends, 0, n, padded.start):
        blocks = np.int64(padded.block_ptr[-1])
        score = chart.score_to[at_to(blocks, n, np.int64(padded.block_ptr[padded.start]))]
    if score == IMPOSSIBLE:
        steps, subs = np.empty((0, 5), np.int64), np.empty(0, np.int64)
    else:
        steps, subs = trace(padded, chart, anchors)
    return steps, subs, score, chart.pushes, chart.items, chart.complete
