"""The best projective dependency tree, arcs scored one by one: Eisner's algorithm, O(n^3).

Arrays are those of mst.py: score [n+1, n+1] float32, the modifier first, row 0 and the diagonal never read,
-inf bars an arc; heads [n+1] int32 is written. Sums are float64.

Spans of both directions share a matrix indexed by (head, other end), and every inner loop runs along rows.
Arcs that cannot be built are in no list, so that words with few possible heads cost little.

Ties: of equal sums the modifier nearest to its head is taken where a head's subtree is put together, the
leftmost split between two words that an arc joins, and the leftmost word below a single root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

IMPOSSIBLE = -np.inf


class Chart(NamedTuple):
    """Best scores of spans; h is the head at one end of the span, e or m the other end, on either side."""

    complete: np.ndarray  # [h, e] with all that h has on this side as far as e
    by_end: np.ndarray  # [e, h] the same
    arc: np.ndarray  # [h, m] with the arc h -> m, and all between the two; only where it is listed
    listed: np.ndarray  # [side, h, :] uint32, the m where arc[h, m] is possible, away from h; side 1 is m < h
    count: np.ndarray  # [side, h] int32, how many


@njit(cache=True, nogil=True)
def new_chart(n):
    chart = Chart(
        np.full((n + 1, n + 1), IMPOSSIBLE),
        np.full((n + 1, n + 1), IMPOSSIBLE),
        np.empty((n + 1, n + 1)),
        np.empty((2, n + 1, n + 1), np.uint32),
        np.zeros((2, n + 1), np.int32),
    )
    for h in range(n + 1):
        chart.complete[h, h] = 0.0
        chart.by_end[h, h] = 0.0
    return chart


@njit(cache=True, nogil=True)
def fill(score, first):
    """The chart of words from `first` on: from 0 the root is one of them, at the left end.

    Spans by their right end, each end's shortest first. Most are impossible where few arcs are open: a head
    without any possible arc on a side has none there.
    """
    n = score.shape[0] - 1
    chart = new_chart(n)
    complete, by_end, arc, listed, count = chart
    to_right, to_left = count[0], count[1]
    none = np.float32(IMPOSSIBLE)
    for end in range(first + 1, n + 1):
        k = np.uint32(end)
        to_k, ends_k, from_k, arcs_k, listed_k = score[k], by_end[k], complete[k], arc[k], listed[1, k]
        for back in range(end - first):
            i = np.uint32(end - 1 - back)
            right, left = to_k[i], score[i, k] if i > 0 else none
            if right > none or left > none:
                # between(i, k) = max over i <= j < k of complete(i, j) + complete(k, j + 1)
                inner, from_i = IMPOSSIBLE, complete[i]
                for j in range(i, k):
                    value = from_i[np.uint32(j)] + from_k[np.uint32(j + 1)]
                    if value > inner:
                        inner = value
                # arc(h, m) = between(h, m) + score(h -> m)
                if inner + right > IMPOSSIBLE:
                    arc[i, k] = inner + right
                    listed[0, i, to_right[i]] = k
                    to_right[i] += 1
                if inner + left > IMPOSSIBLE:
                    arcs_k[i] = inner + left
                    listed_k[to_left[k]] = i
                    to_left[k] += 1
            # complete(h, m) = max over x from h to m of arc(h, x) + complete(x, m)
            if to_right[i]:
                best, arcs_i, listed_i = IMPOSSIBLE, arc[i], listed[0, i]
                for p in range(to_right[i]):
                    x = listed_i[np.uint32(p)]
                    value = arcs_i[x] + ends_k[x]
                    if value > best:
                        best = value
                complete[i, k] = ends_k[i] = best
            if i > 0 and to_left[k]:
                best, ends_i = IMPOSSIBLE, by_end[i]
                for p in range(to_left[k]):
                    x = listed_k[np.uint32(p)]
                    value = arcs_k[x] + ends_i[x]
                    if value > best:
                        best = value
                from_k[i] = ends_i[k] = best
    return chart


@njit(cache=True, nogil=True)
def top_spans(chart, root_score, single_root, spans, heads):
    """Put the complete spans that make the best tree first on `spans`: how many, 0 if there is no tree.

    root_score [n+1] is what each word has as the only one below the root.
    """
    n = root_score.shape[0] - 1
    if not single_root:
        spans[0, 0], spans[0, 1] = 0, n
        return int(chart.complete[0, n] > IMPOSSIBLE)
    # best = max over r of score(0 -> r) + complete(r, 1) + complete(r, n)
    best, root = IMPOSSIBLE, -1
    for r in range(1, n + 1):
        value = root_score[r] + (chart.complete[r, 1] + chart.complete[r, n])
        if value > best:
            best, root = value, r
    if root < 0:
        return 0
    heads[root] = 0
    spans[0, 0], spans[0, 1] = root, 1
    spans[1, 0], spans[1, 1] = root, n
    return 2


@njit(cache=True, nogil=True)
def last_child(chart, h, e):
    """The modifier of h whose subtree ends at e, in the best subtree of h as far as e."""
    side = int(e < h)
    best, last = IMPOSSIBLE, -1
    for p in range(chart.count[side, h]):
        m = int(chart.listed[side, h, p])
        if abs(m - h) > abs(e - h):
            break
        value = chart.arc[h, m] + chart.by_end[e, m]
        if value > best:
            best, last = value, m
    return last


@njit(cache=True, nogil=True)
def best_split(complete, i, k):
    """Where the left one ends of the best two subtrees of i and k that meet."""
    best, split = IMPOSSIBLE, -1
    for j in range(i, k):
        value = complete[i, j] + complete[k, j + 1]
        if value > best:
            best, split = value, j
    return split


@njit(cache=True, nogil=True)
def push(spans, size, h, e):
    spans[size, 0], spans[size, 1] = h, e
    return size + int(h != e)


@njit(cache=True, nogil=True)
def trace(chart, spans, size, heads):
    """Write the heads below the complete spans (h, e) given. Few spans are visited: they are split anew."""
    while size:
        size -= 1
        h, e = spans[size]
        if h == e:
            continue
        m = last_child(chart, h, e)
        heads[m] = h
        i, k = min(h, m), max(h, m)
        j = best_split(chart.complete, i, k)
        size = push(spans, size, m, e)
        size = push(spans, size, i, j)
        size = push(spans, size, k, j + 1)


@njit(cache=True, nogil=True)
def best_projective(score, single_root, heads):
    """Whether there is a projective tree under the bars, and its heads."""
    n = score.shape[0] - 1
    heads[0] = -1
    chart = fill(score, 1 if single_root else 0)
    spans = np.empty((n + 2, 2), np.int32)
    size = top_spans(chart, score[:, 0], single_root, spans, heads)
    trace(chart, spans, size, heads)
    return size > 0
