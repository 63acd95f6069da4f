"""Dynamic programs over acyclic hypergraphs, in a semiring that is named by its number.

`links` are the arrays of secateur.hypergraph.Links: nodes are numbered bottom-up, tails before heads. Values
are float64; what a weight (a natural log) becomes in a semiring is settled by `lift`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LOG, VITERBI, COUNT, BOOLEAN = range(4)

IMPOSSIBLE = -np.inf
NONE = np.uint32(0xFFFFFFFF)  # no hyperedge


@njit(cache=True, nogil=True)
def zero(kind):
    return IMPOSSIBLE if kind in (LOG, VITERBI) else 0.0


@njit(cache=True, nogil=True)
def one(kind):
    return 0.0 if kind in (LOG, VITERBI) else 1.0


@njit(cache=True, nogil=True)
def plus(kind, a, b):
    if kind == LOG:
        top = max(a, b)
        return top if top == IMPOSSIBLE else top + np.log1p(np.exp(min(a, b) - top))
    return a + b if kind == COUNT else max(a, b)


@njit(cache=True, nogil=True)
def times(kind, a, b):
    if kind in (LOG, VITERBI):
        return a + b
    if kind == COUNT:
        # A count too large for a float is inf, and none of those is still none.
        return a * b if a > 0.0 and b > 0.0 else 0.0
    return min(a, b)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
    for v in range(value.shape[0]):
        begin, end = links.into_ptr[v], links.into_ptr[v + 1]
        for p in range(begin, end):
            h = links.into[p]
            made[h] = product(kind, links, weight, value, h)
        value[v] = total(kind, made, links.into, begin, end)
    return value, made


@njit(cache=True, nogil=True)
def outside(kind, links, weight, value, goal):
    """over(u) = sum over the places a where u is a tail of around(a), and one if u is the goal

    around(a) = over(head) * weight * the values of the other tails, of the hyperedge that has the place a
    """
    over = np.empty(value.shape[0])
    around = np.empty(links.tail.shape[0])
    for u in range(value.shape[0] - 1, -1, -1):
        begin, end = links.use_ptr[u], links.use_ptr[u + 1]
        for p in range(begin, end):
            a = links.use[p]
            h = links.owner[a]
            found = times(kind, over[links.head[h]], lift(kind, weight[h]))
            for b in range(links.ptr[h], links.ptr[h + 1]):
                if b != a:
                    found = times(kind, found, value[links.tail[b]])
            around[a] = found
        over[u] = total(kind, around, links.use, begin, end)
        if u == goal:
            over[u] = plus(kind, over[u], one(kind))
    return over


@njit(cache=True, nogil=True)
def marginals(links, made, over, whole):
    """exp(over(head(h)) + made(h) - whole)"""
    found = np.zeros(made.shape[0])
    if whole > IMPOSSIBLE:
        for h in range(made.shape[0]):
            found[h] = np.exp(over[links.head[h]] + made[h] - whole)
    return found


@njit(inline="always")
def best_into(links, value, made, v):
    """The hyperedge that makes value(v); of several the one with the smallest number."""
    p = links.into_ptr[v]
    while made[links.into[p]] != value[v]:
        p += 1
    return links.into[p]


@njit(cache=True, nogil=True)
def derivation(links, value, made, goal, limit):
    """The best derivation's hyperedges, parents first, left to right; none where it has more than `limit`.

    It exists: value(goal) is above -inf.
    """
    # size(v) = 1 + the sizes of the best hyperedge's tails, for the nodes that are reached from the goal.
    reached = np.zeros(goal + 1, np.bool_)
    reached[goal] = True
    for v in range(goal, -1, -1):
        if reached[v]:
            h = best_into(links, value, made, v)
            for a in range(links.ptr[h], links.ptr[h + 1]):
                reached[links.tail[a]] = True
    size = np.zeros(goal + 1, np.int64)
    for v in range(goal + 1):
        if reached[v]:
            h = best_into(links, value, made, v)
            size[v] = 1
            for a in range(links.ptr[h], links.ptr[h + 1]):
                size[v] = min(size[v] + size[links.tail[a]], limit + 1)
    if size[goal] > limit:
        return np.empty(0, np.int64)
    # As many nodes wait as are in the derivation, at most.
    found = np.empty(size[goal], np.int64)
    waiting = np.empty(size[goal], np.int64)
    waiting[0] = goal
    depth = 1
    count = 0
    while depth:
        depth -= 1
        h = best_into(links, value, made, waiting[depth])
        found[count] = h
        count += 1
        begin, end = np.int64(links.ptr[h]), np.int64(links.ptr[h + 1])
        for a in range(end - 1, begin - 1, -1):
            waiting[depth] = links.tail[a]
            depth += 1
    return found


@njit(cache=True, nogil=True)
def propagate(kind, links, weight, value, made, changed, scratch):
    """Bring values up to date after the weights of the hyperedges `changed` are others.

    Follows changes bottom-up, node by node, and stops where a value comes out as it was. Returns how many
    hyperedges and how many nodes were worked out and how many nodes differ; scratch.hyperedge, old_made,
    node and old_value then tell what was there before.
    """
    hyperedges, reworked, nodes = 0, 0, 0
    waiting = 0
    for c in range(changed.shape[0]):
        waiting = mark(links, scratch, changed[c], waiting)
    while waiting:
        v, waiting = pop(scratch.heap, waiting)
        reworked += 1
        lost, gained = IMPOSSIBLE, IMPOSSIBLE
        h = scratch.first[v]
        scratch.first[v] = NONE
        while h != NONE:
            before = made[h]
            made[h] = product(kind, links, weight, value, h)
            scratch.hyperedge[hyperedges] = h
            scratch.old_made[hyperedges] = before
            hyperedges += 1
            lost, gained = max(lost, before), max(gained, made[h])
            scratch.marked[h] = False
            h = scratch.after[h]
        before = value[v]
        if kind in (VITERBI, BOOLEAN) and (lost < before or gained >= before):
            # What made the maximum is still there, or something as good has come: no need to look further.
            now = max(before, gained)
        else:
            now = total(kind, made, links.into, links.into_ptr[v], links.into_ptr[v + 1])
        if now != before:
            scratch.node[nodes] = v
            scratch.old_value[nodes] = before
            nodes += 1
            value[v] = now
            for p in range(links.use_ptr[v], links.use_ptr[v + 1]):
                waiting = mark(links, scratch, links.owner[links.use[p]], waiting)
    return hyperedges, reworked, nodes


@njit(inline="always")
def mark(links, scratch, h, waiting):
    """Hyperedge h must be worked out when its head's turn comes; returns how many nodes wait."""
    if not scratch.marked[h]:
        v = links.head[h]
        if scratch.first[v] == NONE:
            waiting = push(scratch.heap, waiting, v)
        scratch.marked[h] = True
        scratch.after[h] = scratch.first[v]
        scratch.first[v] = h
    return waiting


@njit(cache=True, nogil=True)
def push(heap, size, v):
    """Put v into a heap of so many nodes, the smallest on top; returns its new size."""
    p = size
    while p > 0 and heap[(p - 1) >> 1] > v:
        heap[p] = heap[(p - 1) >> 1]
        p = (p - 1) >> 1
    heap[p] = v
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap, size):
    """The smallest node, and the heap's new size."""
    top = np.int64(heap[0])
    size -= 1
    last = heap[size]
    p = 0
    while 2 * p + 1 < size:
        child = 2 * p + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[p] = heap[child]
        p = child
    heap[p] = last
    return top, size
