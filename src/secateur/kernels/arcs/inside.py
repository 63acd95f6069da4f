"""All projective dependency trees at once, arcs scored one by one: their sum or best, as a whole and by arc.

Arrays are those of mst.py: score [n+1, n+1] float32, the modifier first, row 0 and the diagonal never read,
-inf bars an arc. kind is LOG or VITERBI of hypergraph.py. Both are natural logs in float64, a sum being one
log of exps below their maximum, so that scores may be any distance apart. Each tree has one derivation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.hypergraph.hypergraph import IMPOSSIBLE, LOG, VITERBI, plus


class Spans(NamedTuple):
    """Scores of spans [n+1, n+1], inside or outside: h is the head at one end, e or m the other end."""

    complete: np.ndarray  # [h, e] with all that h has on this side as far as e
    arc: np.ndarray  # [h, m] with the arc h -> m, and all between the two
    between: np.ndarray  # [i, k] = [k, i] two subtrees of i and k that meet


@njit(cache=True, nogil=True)
def no_spans(n):
    shape = n + 1, n + 1
    return Spans(np.full(shape, IMPOSSIBLE), np.full(shape, IMPOSSIBLE), np.full(shape, IMPOSSIBLE))


@njit(cache=True, nogil=True)
def keep(part, size, value):
    """Put a value last unless it is impossible; returns how many there are."""
    part[size] = value
    return size + int(value > IMPOSSIBLE)


@njit(cache=True, nogil=True)
def total(kind, part, size):
    """The sum, in this kind, of the first values; none of them is impossible."""
    top = IMPOSSIBLE
    for p in range(size):
        if part[p] > top:
            top = part[p]
    if kind == VITERBI or size < 2:
        return top
    real = 0.0
    for p in range(size):
        real += np.exp(part[p] - top)
    return top + np.log(real)


@njit(cache=True, nogil=True)
def meeting(kind, complete, i, k, part):
    """between(i, k) = sum over i <= j < k of complete(i, j) * complete(k, j + 1)"""
    size = 0
    for j in range(i, k):
        size = keep(part, size, complete[i, j] + complete[k, j + 1])
    return total(kind, part, size)


@njit(cache=True, nogil=True)
def completed(kind, spans, h, e, part):
    """complete(h, e) = sum over m from h to e of arc(h, m) * complete(m, e)"""
    size = 0
    for m in range(h + 1, e + 1):
        size = keep(part, size, spans.arc[h, m] + spans.complete[m, e])
    for m in range(e, h):
        size = keep(part, size, spans.arc[h, m] + spans.complete[m, e])
    return total(kind, part, size)


@njit(cache=True, nogil=True)
def inside(kind, score, first):
    """Spans of words from `first` on: from 0 the root is one of them, at the left end."""
    n = score.shape[0] - 1
    spans = no_spans(n)
    part = np.empty(n + 1)
    for h in range(first, n + 1):
        spans.complete[h, h] = 0.0
    for width in range(1, n + 1 - first):
        for i in range(first, n + 1 - width):
            k = i + width
            # arc(h, m) = between(h, m) * score(h -> m)
            if score[k, i] > IMPOSSIBLE or (i > 0 and score[i, k] > IMPOSSIBLE):
                inner = meeting(kind, spans.complete, i, k, part)
                spans.between[i, k] = spans.between[k, i] = inner
                spans.arc[i, k] = inner + score[k, i]
                if i > 0:
                    spans.arc[k, i] = inner + score[i, k]
            spans.complete[i, k] = completed(kind, spans, i, k, part)
            if i > 0:
                spans.complete[k, i] = completed(kind, spans, k, i, part)
    return spans


@njit(cache=True, nogil=True)
def goal(kind, complete, root_score, single_root, out):
    """The sum of all trees; for a single root also of those with each arc of the root, in column 0 of out.

    all = complete(0, n), or sum over r of score(0 -> r) * complete(r, 1) * complete(r, n)
    """
    n = root_score.shape[0] - 1
    if not single_root:
        return complete[0, n]
    size = 0
    part = np.empty(n + 1)
    for r in range(1, n + 1):
        out[r, 0] = root_score[r] + complete[r, 1] + complete[r, n]
        size = keep(part, size, out[r, 0])
    return total(kind, part, size)


@njit(cache=True, nogil=True)
def complete_from_above(root_score, single_root, spans, over, h, e, part):
    """What is around the complete span (h, e), from all wider spans that use it; the parts of a sum.

    over complete(h, e) = sum over heads g of h on the other side of e of over complete(g, e) * arc(g, h)
      + sum over words x beyond e of over between(h, x) * complete(x, the word after e)
      + what the goal has beside it
    """
    n = root_score.shape[0] - 1
    size = 0
    if not single_root:
        if h == 0 and e == n:
            size = keep(part, size, 0.0)
    elif h < e == n:
        size = keep(part, size, root_score[h] + spans.complete[h, 1])
    elif h > e == 1:
        size = keep(part, size, root_score[h] + spans.complete[h, n])
    if h < e:
        for g in range(h):
            size = keep(part, size, over.complete[g, e] + spans.arc[g, h])
        for x in range(e + 1, n + 1):
            size = keep(part, size, over.between[h, x] + spans.complete[x, e + 1])
    else:
        for g in range(h + 1, n + 1):
            size = keep(part, size, over.complete[g, e] + spans.arc[g, h])
        for x in range(e):
            size = keep(part, size, over.between[h, x] + spans.complete[x, e - 1])
    return size


@njit(cache=True, nogil=True)
def arc_from_above(spans, over, h, m, part):
    """What is around the arc (h, m), from complete spans: the parts of a sum.

    over arc(h, m) = sum over e from m on, away from h, of over complete(h, e) * complete(m, e)
    """
    size = 0
    for e in range(m, spans.complete.shape[0]) if h < m else range(1, m + 1):
        size = keep(part, size, over.complete[h, e] + spans.complete[m, e])
    return size


@njit(cache=True, nogil=True)
def outside(kind, score, single_root, spans):
    """The sum of all that can be around each span."""
    n = score.shape[0] - 1
    first = 1 if single_root else 0
    over = no_spans(n)
    part = np.empty(2 * n + 2)
    for width in range(n - first, 0, -1):
        for i in range(first, n + 1 - width):
            k = i + width
            for side in range(2):
                h, m = (i, k) if side == 0 else (k, i)
                if m == 0:
                    continue
                size = complete_from_above(score[:, 0], single_root, spans, over, h, m, part)
                over.complete[h, m] = total(kind, part, size)
                if spans.arc[h, m] > IMPOSSIBLE:
                    over.arc[h, m] = total(kind, part, arc_from_above(spans, over, h, m, part))
                    # over between(i, k) = over arc(i, k) * score(i -> k) + over arc(k, i) * score(k -> i)
                    around = plus(kind, over.between[i, k], over.arc[h, m] + score[m, h])
                    over.between[i, k] = over.between[k, i] = around
    return over


@njit(cache=True, nogil=True)
def with_arcs(spans, over, first, out):
    """out [m, h]: the sum of trees with the arc, of all arcs from words from `first` on."""
    n = spans.arc.shape[0] - 1
    for h in range(first, n + 1):
        for m in range(1, n + 1):
            out[m, h] = spans.arc[h, m] + over.arc[h, m]


@njit(cache=True, nogil=True)
def as_shares(out, whole):
    """Logs of sums as shares of the whole, in place; all 0 where the whole is impossible."""
    for m in range(out.shape[0]):
        for h in range(out.shape[1]):
            out[m, h] = np.exp(out[m, h] - whole) if whole > IMPOSSIBLE else 0.0


@njit(cache=True, nogil=True)
def arc_sums(kind, score, single_root, out):
    """The sum of all trees, and of those with each arc: out [n+1, n+1] float64, the modifier first."""
    out[:] = IMPOSSIBLE
    first = 1 if single_root else 0
    spans = inside(kind, score, first)
    whole = goal(kind, spans.complete, score[:, 0], single_root, out)
    if whole > IMPOSSIBLE:
        with_arcs(spans, outside(kind, score, single_root, spans), first, out)
    return whole


@njit(cache=True, nogil=True)
def arc_marginals(score, single_root, out):
    """The log of the sum of all trees, -inf without one; out [n+1, n+1] float64 is each arc's share of it."""
    whole = arc_sums(LOG, score, single_root, out)
    as_shares(out, whole)
    return whole


@njit(cache=True, nogil=True)
def arc_max_marginals(score, single_root, out):
    """The best tree's score; out [n+1, n+1] float64 is that of the best with each arc. -inf without one."""
    return arc_sums(VITERBI, score, single_root, out)
