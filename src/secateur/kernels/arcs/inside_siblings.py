"""All projective dependency trees with scores of adjacent siblings: their sum or best, as a whole and by arc.

Arrays are those of eisner_siblings.py, sums those of arc_inside.py.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from secateur.kernels.hypergraph.hypergraph import IMPOSSIBLE, LOG, VITERBI

from .inside import (
    arc_from_above,
    as_shares,
    complete_from_above,
    completed,
    goal,
    keep,
    meeting,
    no_spans,
    total,
    with_arcs,
)


@njit(cache=True, nogil=True)
def roots_of(score, sibling):
    """What each word has as the only one below the root."""
    found = np.full(score.shape[0], IMPOSSIBLE)
    for r in range(1, score.shape[0]):
        if score[r, 0] > IMPOSSIBLE:
            found[r] = np.float64(score[r, 0]) + sibling[r, 0, 0]
    return found


@njit(cache=True, nogil=True)
def with_sibling(kind, spans, sibling, h, m, part):
    """All between h and m if there is an arc h -> m:

    complete(m, next to h) * sibling(m, h, h)
      + sum over s between h and m of arc(h, s) * between(s, m) * sibling(m, h, s)
    """
    size = keep(part, 0, spans.complete[m, h + 1 if h < m else h - 1] + sibling[m, h, h])
    for s in range(min(h, m) + 1, max(h, m)):
        if spans.arc[h, s] > IMPOSSIBLE:
            size = keep(part, size, spans.arc[h, s] + spans.between[s, m] + sibling[m, h, s])
    return total(kind, part, size)


@njit(cache=True, nogil=True)
def inside(kind, score, sibling, first):
    """Spans of words from `first` on: from 0 the root is one of them, at the left end."""
    n = score.shape[0] - 1
    spans = no_spans(n)
    part = np.empty(n + 1)
    for h in range(first, n + 1):
        spans.complete[h, h] = 0.0
    for width in range(1, n + 1 - first):
        for i in range(first, n + 1 - width):
            k = i + width
            if i > 0:
                spans.between[i, k] = spans.between[k, i] = meeting(kind, spans.complete, i, k, part)
            for side in range(2):
                h, m = (i, k) if side == 0 else (k, i)
                if m == 0:
                    continue
                # arc(h, m) = with_sibling(h, m) * score(h -> m)
                if score[m, h] > IMPOSSIBLE:
                    spans.arc[h, m] = with_sibling(kind, spans, sibling, h, m, part) + score[m, h]
                spans.complete[h, m] = completed(kind, spans, h, m, part)
    return spans


@njit(cache=True, nogil=True)
def pair_from_above(sibling, spans, scored, i, k, part):
    """What is around i and k as siblings: the parts of a sum. scored(h, m) = over arc(h, m) * score(h -> m).

    over between(i, k) = sum over h < i of scored(h, k) * arc(h, i) * sibling(k, h, i)
      + sum over h > k of scored(h, i) * arc(h, k) * sibling(i, h, k)
    """
    size = 0
    for h in range(i):
        if scored[h, k] > IMPOSSIBLE:
            size = keep(part, size, scored[h, k] + spans.arc[h, i] + sibling[k, h, i])
    for h in range(k + 1, spans.arc.shape[0]):
        if scored[h, i] > IMPOSSIBLE:
            size = keep(part, size, scored[h, i] + spans.arc[h, k] + sibling[i, h, k])
    return size


@njit(cache=True, nogil=True)
def first_from_above(sibling, scored, h, e, part, size):
    """More parts of over complete(h, e), where h is the first modifier of the word g after e:

    scored(g, h) * sibling(h, g, g)
    """
    g = e + 1 if h < e else e - 1
    if 0 <= g < scored.shape[0] and scored[g, h] > IMPOSSIBLE:
        size = keep(part, size, scored[g, h] + sibling[h, g, g])
    return size


@njit(cache=True, nogil=True)
def sibling_from_above(sibling, spans, scored, h, m, part, size):
    """More parts of over arc(h, m), where m is the sibling of x: the sum over x beyond m of

    scored(h, x) * between(m, x) * sibling(x, h, m)
    """
    for x in range(m + 1, scored.shape[0]) if h < m else range(1, m):
        if scored[h, x] > IMPOSSIBLE:
            size = keep(part, size, scored[h, x] + spans.between[m, x] + sibling[x, h, m])
    return size


@njit(cache=True, nogil=True)
def outside(kind, score, sibling, single_root, spans):
    """The sum of all that can be around each span."""
    n = score.shape[0] - 1
    first = 1 if single_root else 0
    over = no_spans(n)
    scored = np.full((n + 1, n + 1), IMPOSSIBLE)
    root_score = roots_of(score, sibling)
    part = np.empty(2 * n + 3)
    for width in range(n - first, 0, -1):
        for i in range(first, n + 1 - width):
            k = i + width
            if i > 0:
                size = pair_from_above(sibling, spans, scored, i, k, part)
                over.between[i, k] = over.between[k, i] = total(kind, part, size)
            for side in range(2):
                h, m = (i, k) if side == 0 else (k, i)
                if m == 0:
                    continue
                size = complete_from_above(root_score, single_root, spans, over, h, m, part)
                size = first_from_above(sibling, scored, h, m, part, size)
                over.complete[h, m] = total(kind, part, size)
                if spans.arc[h, m] > IMPOSSIBLE:
                    size = arc_from_above(spans, over, h, m, part)
                    size = sibling_from_above(sibling, spans, scored, h, m, part, size)
                    over.arc[h, m] = total(kind, part, size)
                    scored[h, m] = over.arc[h, m] + score[m, h]
    return over


@njit(cache=True, nogil=True)
def sibling_sums(kind, score, sibling, single_root, out):
    """The sum of all trees, and of those with each arc: out [n+1, n+1] float64, the modifier first."""
    out[:] = IMPOSSIBLE
    first = 1 if single_root else 0
    spans = inside(kind, score, sibling, first)
    whole = goal(kind, spans.complete, roots_of(score, sibling), single_root, out)
    if whole > IMPOSSIBLE:
        with_arcs(spans, outside(kind, score, sibling, single_root, spans), first, out)
    return whole


@njit(cache=True, nogil=True)
def sibling_marginals(score, sibling, single_root, out):
    """The log of the sum of all trees, -inf without one; out [n+1, n+1] float64 is each arc's share of it."""
    whole = sibling_sums(LOG, score, sibling, single_root, out)
    as_shares(out, whole)
    return whole


@njit(cache=True, nogil=True)
def sibling_max_marginals(score, sibling, single_root, out):
    """The best tree's score; out [n+1, n+1] float64 is that of the best with each arc. -inf without one."""
    return sibling_sums(VITERBI, score, sibling, single_root, out)
