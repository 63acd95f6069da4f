"""Dynamic programs over acyclic hypergraphs, in a semiring that is named by its number.

`links` are the arrays of secateur.hypergraph.Links. Values are float64; what a weight (a natural log) becomes
in a semiring is settled by `lift`. With cycles: best_first.py for the best, sums.py for sums.

Total order, which settles ties, with cycles and without: at each node the larger value (the sum weight +
first tail + second tail ... in float64), then the smaller height, then the hyperedge with the smaller number.
Height counts the steps of a cycle that cost nothing: 0, but one more than that of a tail in the same
component that has the same value. So a node never stands on itself, and where no step of a cycle is free (as
in any acyclic hypergraph) value and number alone decide.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..bare import bare

LOG, VITERBI, COUNT, BOOLEAN = range(4)

IMPOSSIBLE = -np.inf
NONE = np.uint32(0xFFFFFFFF)  # no hyperedge


@bare
def zero(kind):
    return IMPOSSIBLE if kind in (LOG, VITERBI) else 0.0


@bare
def one(kind):
    return 0.0 if kind in (LOG, VITERBI) else 1.0


@bare
def plus(kind, a, b):
    if kind == LOG:
        top = max(a, b)
        return top if top == IMPOSSIBLE else top + np.log1p(np.exp(min(a, b) - top))
    return a + b if kind == COUNT else max(a, b)


@bare
def times(kind, a, b):
    if kind in (LOG, VITERBI):
        return a + b
    if kind == COUNT:
        # A count too large for a float is inf, and none of those is still none.
        return a * b if a > 0.0 and b > 0.0 else 0.0
    return min(a, b)


@bare
def lift(kind, weight):
    if kind in (LOG, VITERBI):
        return weight
    return 1.0 if weight > IMPOSSIBLE else 0.0


@njit(inline="always")
def product(kind, links, weight, value, h):
    """made(h) = weight(h) * value of its first tail * value of its second tail * ..., from left to right"""
    found = lift(kind, weight[h])
    for a in range(links.ptr[h], links.ptr[h + 1]):
        found = times(kind, found, value[links.tail[a]])
    return found


@bare
def total(kind, part, index, begin, end):
    """The sum of part[index[p]] for begin <= p < end, in this order."""
    if kind == LOG:
        # One exp a part, and one log.
        top = IMPOSSIBLE
        for p in range(begin, end):
            top = max(top, part[index[p]])
        if top == IMPOSSIBLE:
            return top
        real = 0.0
        for p in range(begin, end):
            real += np.exp(part[index[p]] - top)
        return top + np.log(real)
    found = zero(kind)
    for p in range(begin, end):
        found = plus(kind, found, part[index[p]])
    return found


@njit(cache=True, nogil=True)
def inside(kind, links, weight):
    """value(v) = sum over hyperedges h into v of made(h). Returns value [N] and made [H]."""
    value = np.empty(links.into_ptr.shape[0] - 1)
    made = np.empty(links.head.shape[0])
    for place in range(value.shape[0]):
        v = links.order[place]
        begin, end = links.into_ptr[v], links.into_ptr[v + 1]
        for p in range(begin, end):
            h = links.into[p]
            made[h] = product(kind, links, weight, value, h)
        value[v] = total(kind, made, links.into, begin, end)
    return value, made


@njit(inline="always")
def context(kind, links, weight, value, over, a):
    """over(head) * weight * the values of the other tails, of the hyperedge that has the place a"""
    h = links.owner[a]
    found = times(kind, over[links.head[h]], lift(kind, weight[h]))
    for b in range(links.ptr[h], links.ptr[h + 1]):
        if b != a:
            found = times(kind, found, value[links.tail[b]])
    return found


@njit(cache=True, nogil=True)
def outside(kind, links, weight, value, goal):
    """over(u) = sum over the places a where u is a tail of context(a), and one if u is the goal"""
    over = np.empty(value.shape[0])
    around = np.empty(links.tail.shape[0])
    for place in range(value.shape[0] - 1, -1, -1):
        u = links.order[place]
        begin, end = links.use_ptr[u], links.use_ptr[u + 1]
        for p in range(begin, end):
            a = links.use[p]
            around[a] = context(kind, links, weight, value, over, a)
        over[u] = total(kind, around, links.use, begin, end)
        if u == goal:
            over[u] = plus(kind, over[u], one(kind))
    return over


@njit(inline="always")
def height_of(links, value, height, h, made):
    """0, or one more than the largest height of a tail in the head's component with the value `made`"""
    found = 0
    c = links.component[links.head[h]]
    for a in range(links.ptr[h], links.ptr[h + 1]):
        t = links.tail[a]
        if links.component[t] == c and value[t] == made:
            found = max(found, height[t] + 1)
    return found


@njit(inline="always")
def best_into(links, value, made, height, v):
    """The hyperedge that makes value(v); of several the first by height, then by number.

    `height` may be empty where nothing has cycles.
    """
    bounded = links.cyclic[links.component[v]]
    p = links.into_ptr[v]
    while made[links.into[p]] != value[v] or (
        bounded and height_of(links, value, height, links.into[p], value[v]) != height[v]
    ):
        p += 1
    return links.into[p]


@njit(cache=True, nogil=True)
def grow(array):
    """Twice as long."""
    larger = np.empty(2 * array.shape[0], array.dtype)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def walk(links, value, made, height, goal, found, limit):
    """Put the best derivation's hyperedges into `found`, as far as they fit: how many, up to limit + 1."""
    waiting = np.empty(64, np.uint32)
    waiting[0] = goal
    depth = 1
    count = 0
    while depth and count <= limit:
        depth -= 1
        h = best_into(links, value, made, height, waiting[depth])
        if count < found.shape[0]:
            found[count] = h
        count += 1
        begin, end = np.int64(links.ptr[h]), np.int64(links.ptr[h + 1])
        while depth + end - begin > waiting.shape[0]:
            waiting = grow(waiting)
        for a in range(end - 1, begin - 1, -1):
            waiting[depth] = links.tail[a]
            depth += 1
    return count


@njit(cache=True, nogil=True)
def derivation(links, value, made, height, goal, limit):
    """The best derivation's hyperedges, parents first, left to right; none where it has more than `limit`.

    It exists: value(goal) is above -inf.
    """
    found = np.empty(min(1024, limit), np.uint32)
    count = walk(links, value, made, height, goal, found, limit)
    if count > limit:
        return found[:0]
    if count > found.shape[0]:
        found = np.empty(count, np.uint32)
        walk(links, value, made, height, goal, found, limit)
    return found[:count]
