"""The best projective dependency tree with scores of adjacent siblings (McDonald & Pereira 2006), O(n^3).

As eisner.py, and sibling [n+1, n+1, n+1] float32, indexed (m, h, s): what the arc h -> m scores on top of
score[m, h] when s, strictly between h and m, is the modifier of h next to m; s == h where m is the first on
its side. -inf bars; entries of barred arcs, and of s elsewhere, are never read.

Ties: as in eisner.py, and of several siblings the one nearest to the head.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .eisner import IMPOSSIBLE, best_split, last_child, new_chart, push, top_spans


@njit(cache=True, nogil=True)
def candidates(score, first):
    """Of each word: heads that are not barred, ascending, and how many."""
    n = score.shape[0] - 1
    head = np.empty((n + 1, n + 1), np.uint32)
    count = np.zeros(n + 1, np.uint32)
    for m in range(1, n + 1):
        for h in range(first, n + 1):
            if h != m and score[m, h] > IMPOSSIBLE:
                head[m, count[m]] = h
                count[m] += np.uint32(1)
    return head, count


@njit(cache=True, nogil=True)
def share_head(score, head, count, i, k):
    """Whether i and k could be siblings on one side of a head."""
    for p in range(count[i]):
        h = head[i, p]
        if (h < i or h > k) and score[k, h] > IMPOSSIBLE:
            return True
    return False


@njit(cache=True, nogil=True)
def fill(score, sibling, first):
    """The chart of words from `first` on, and pair(s, m) [n+1, n+1], both ways round."""
    n = score.shape[0] - 1
    chart = new_chart(n)
    complete, by_end, arc, listed, count = chart
    pair = np.full((n + 1, n + 1), IMPOSSIBLE)
    heads, choices = candidates(score, first)
    for width in range(1, n + 1 - first):
        for i in range(first, n + 1 - width):
            k = i + width
            if i > 0 and share_head(score, heads, choices, i, k):
                # pair(i, k) = max over i <= j < k of complete(i, j) + complete(k, j + 1)
                best = IMPOSSIBLE
                for j in range(i, k):
                    value = complete[i, j] + complete[k, j + 1]
                    if value > best:
                        best = value
                pair[i, k] = best
                pair[k, i] = best
            for side in range(2):
                h, m, beside = (i, k, i + 1) if side == 0 else (k, i, k - 1)
                if m == 0:
                    continue
                if score[m, h] > IMPOSSIBLE:
                    # arc(h, m) = score(h -> m) + max of complete(m, next to h) + sibling(m, h, h)
                    #   and of arc(h, s) + pair(s, m) + sibling(m, h, s) over s between h and m
                    best = complete[m, beside] + sibling[m, h, h]
                    for p in range(count[side, h]):
                        s = listed[side, h, p]
                        value = arc[h, s] + pair[m, s] + sibling[m, h, s]
                        if value > best:
                            best = value
                    best += score[m, h]
                    if best > IMPOSSIBLE:
                        arc[h, m] = best
                        listed[side, h, count[side, h]] = m
                        count[side, h] += 1
                # complete(h, m) = max over x from h to m of arc(h, x) + complete(x, m)
                best = IMPOSSIBLE
                for p in range(count[side, h]):
                    x = listed[side, h, p]
                    value = arc[h, x] + by_end[m, x]
                    if value > best:
                        best = value
                complete[h, m] = best
                by_end[m, h] = best
    return chart, pair


@njit(cache=True, nogil=True)
def sibling_of(chart, pair, sibling, h, m):
    """The next modifier of h before m, in the best span with the arc h -> m; h if m is the first."""
    side = int(m < h)
    best = chart.complete[m, h - 1 if side else h + 1] + sibling[m, h, h]
    found = h
    for p in range(chart.count[side, h]):
        s = int(chart.listed[side, h, p])
        if abs(s - h) >= abs(m - h):
            break
        value = chart.arc[h, s] + pair[m, s] + sibling[m, h, s]
        if value > best:
            best, found = value, s
    return found


@njit(cache=True, nogil=True)
def trace(chart, pair, sibling, spans, size, heads):
    """Write the heads below the complete spans (h, e) given."""
    while size:
        size -= 1
        h, e = int(spans[size, 0]), int(spans[size, 1])
        if h == e:
            continue
        m = last_child(chart, h, e)
        size = push(spans, size, m, e)
        # From the last arc of h inwards.
        while m != h:
            heads[m] = h
            s = sibling_of(chart, pair, sibling, h, m)
            if s == h:
                size = push(spans, size, m, h + 1 if h < m else h - 1)
            else:
                i, k = min(s, m), max(s, m)
                j = best_split(chart.complete, i, k)
                size = push(spans, size, i, j)
                size = push(spans, size, k, j + 1)
            m = s


@njit(cache=True, nogil=True)
def best_projective_siblings(score, sibling, single_root, heads):
    """Whether there is a projective tree under the bars, and its heads."""
    n = score.shape[0] - 1
    heads[0] = -1
    chart, pair = fill(score, sibling, 1 if single_root else 0)
    root_score = np.empty(n + 1)
    for r in range(1, n + 1):
        root_score[r] = np.float64(score[r, 0]) + sibling[r, 0, 0] if score[r, 0] > IMPOSSIBLE else IMPOSSIBLE
    spans = np.empty((n + 2, 2), np.int32)
    size = top_spans(chart, root_score, single_root, spans, heads)
    trace(chart, pair, sibling, spans, size, heads)
    return size > 0
