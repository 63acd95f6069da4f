"""Sums over all derivations under several weightings at once: weights [H, w], natural logs.

Every pass goes over the structure once, with an inner loop over the w columns. cycles.py sums round cycles,
a component and a column at a time; a pass that meets an infinite sum returns a node of it, else -1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .cycles import CLOSE, DENSE, NEAR, SWEEPS, eliminate, made_by, sum_amounts, sum_counts, sum_inside
from .hypergraph import COUNT, IMPOSSIBLE, LOG, context, product, total


@njit(inline="always")
def fill(links, weight, value, h, part):
    """part [w] = weight(h) + value of its first tail + value of its second tail + ..."""
    for q in range(part.shape[0]):
        part[q] = weight[h, q]
    for a in range(links.ptr[h], links.ptr[h + 1]):
        t = links.tail[a]
        for q in range(part.shape[0]):
            part[q] += value[t, q]


@njit(cache=True, nogil=True)
def inside(links, weight):
    """value(v) = log of the sum over hyperedges h into v of exp(made(h))"""
    nodes, wide = links.order.shape[0], weight.shape[1]
    value = np.full((nodes, wide), IMPOSSIBLE)
    most = 0
    for v in range(nodes):
        most = max(most, np.int64(links.into_ptr[v + 1]) - np.int64(links.into_ptr[v]))
    part = np.empty((most, wide))
    top = np.empty(wide)
    real = np.empty(wide)
    local = np.empty(nodes, np.uint32)
    for c in range(links.cyclic.shape[0]):
        v = links.order[links.component_ptr[c]]
        if links.cyclic[c]:
            for q in range(wide):
                if not sum_inside(links, weight, value, c, q, local):
                    return value, np.int64(v)
            continue
        begin = np.int64(links.into_ptr[v])
        count = np.int64(links.into_ptr[v + 1]) - begin
        top[:] = IMPOSSIBLE
        real[:] = 0.0
        for p in range(count):
            fill(links, weight, value, links.into[begin + p], part[p])
            for q in range(wide):
                top[q] = max(top[q], part[p, q])
        for p in range(count):
            for q in range(wide):
                real[q] += np.exp(part[p, q] - top[q]) if top[q] > IMPOSSIBLE else 0.0
        for q in range(wide):
            value[v, q] = top[q] + np.log(real[q]) if top[q] > IMPOSSIBLE else IMPOSSIBLE
    return value, -1


@njit(cache=True, nogil=True)
def posterior(links, weight, value, goal):
    """How often nodes [N, w] and hyperedges [H, w] are expected in a derivation of the goal.

    count(h) = count(head) made(h) / value(head)
    count(v) = sum over the places where v is a tail of count(h), and 1 if v is the goal
    """
    nodes, wide = links.order.shape[0], weight.shape[1]
    counts = np.zeros((nodes, wide))
    steps = np.zeros((links.head.shape[0], wide))
    local = np.empty(nodes, np.uint32)
    for q in range(wide):
        counts[goal, q] = 1.0 if value[goal, q] > IMPOSSIBLE else 0.0
    for c in range(links.cyclic.shape[0] - 1, -1, -1):
        if links.cyclic[c]:
            for q in range(wide):
                if not sum_counts(links, weight, value, counts, c, q, local):
                    return counts, steps, np.int64(links.order[links.component_ptr[c]])
        for place in range(links.component_ptr[c], links.component_ptr[c + 1]):
            v = links.order[place]
            most = 0.0
            for q in range(wide):
                most = max(most, counts[v, q])
            if most == 0.0:
                continue
            for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                h = links.into[p]
                fill(links, weight, value, h, steps[h])
                for q in range(wide):
                    if counts[v, q] > 0.0 and steps[h, q] > IMPOSSIBLE:
                        steps[h, q] = counts[v, q] * np.exp(steps[h, q] - value[v, q])
                    else:
                        steps[h, q] = 0.0
                for a in range(links.ptr[h], links.ptr[h + 1]):
                    t = links.tail[a]
                    if not links.cyclic[c] or links.component[t] != c:
                        for q in range(wide):
                            counts[t, q] += steps[h, q]
    return counts, steps, -1


@njit(cache=True, nogil=True)
def expectations(links, weight, value, amount):
    """The expected total of each amount [H, q] in a derivation of each node, drawn by weight [H, 1]: [N, q].

    mean(v) = sum over hyperedges h into v of made(h) / value(v) * (amount(h) + the means of its tails)
    """
    nodes, wide = links.order.shape[0], amount.shape[1]
    mean = np.zeros((nodes, wide))
    one = np.empty(wide)
    local = np.empty(nodes, np.uint32)
    for c in range(links.cyclic.shape[0]):
        for place in range(links.component_ptr[c], links.component_ptr[c + 1]):
            v = links.order[place]
            if value[v, 0] == IMPOSSIBLE:
                continue
            for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                h = links.into[p]
                share = np.exp(made_by(links, weight, value, h, 0) - value[v, 0])
                if share == 0.0:
                    continue
                for q in range(wide):
                    one[q] = amount[h, q]
                for a in range(links.ptr[h], links.ptr[h + 1]):
                    t = links.tail[a]
                    if not links.cyclic[c] or links.component[t] != c:
                        for q in range(wide):
                            one[q] += mean[t, q]
                for q in range(wide):
                    mean[v, q] += share * one[q]
        if links.cyclic[c] and not sum_amounts(links, weight, value, mean, c, local):
            return mean, np.int64(links.order[links.component_ptr[c]])
    return mean, -1


@njit(cache=True, nogil=True)
def count(links, weight, alive):
    """How many derivations each node has; inf round a cycle. alive [H]: whether all tails can be made."""
    nodes = links.order.shape[0]
    value = np.zeros(nodes)
    made = np.zeros(links.head.shape[0])
    settled = np.zeros(nodes, np.bool_)
    for c in range(links.cyclic.shape[0]):
        begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
        left = end - begin
        progress = True
        while left and progress:
            progress = False
            for place in range(begin, end):
                v = links.order[place]
                if not settled[v] and all_settled(links, alive, settled, v):
                    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                        h = links.into[p]
                        made[h] = product(COUNT, links, weight, value, h)
                    value[v] = total(COUNT, made, links.into, links.into_ptr[v], links.into_ptr[v + 1])
                    settled[v] = True
                    progress = True
                    left -= 1
        for place in range(begin, end):
            v = links.order[place]
            if not settled[v]:
                settled[v] = True
                value[v] = np.inf
    return value


@njit(inline="always")
def all_settled(links, alive, settled, v):
    """Whether all that v can be made from is known."""
    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
        h = links.into[p]
        if alive[h]:
            for a in range(links.ptr[h], links.ptr[h + 1]):
                if not settled[links.tail[a]]:
                    return False
    return True


@njit(cache=True, nogil=True)
def outside(links, weight, value, scale, goal):
    """hypergraph.outside in LOG, with cycles: weight [H], value [N]; scale [N] is the largest context alone.

    over(u) = scale(u) y(u), where within a component
    y(u) = sum over the places where u is a tail of context / scale(u), and 1 / scale(u) if u is the goal
    """
    nodes = links.order.shape[0]
    over = np.full(nodes, IMPOSSIBLE)
    local = np.empty(nodes, np.uint32)
    for c in range(links.cyclic.shape[0] - 1, -1, -1):
        begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
        for place in range(begin, end):
            local[links.order[place]] = place - begin
        n = end - begin
        dense = n <= DENSE
        matrix = np.zeros((n, n) if dense else (0, 0))
        found = np.zeros((n, 1))
        for place in range(begin, end):
            u = links.order[place]
            if scale[u] == IMPOSSIBLE:
                continue
            if u == goal:
                found[place - begin, 0] += np.exp(-scale[u])
            for p in range(links.use_ptr[u], links.use_ptr[u + 1]):
                a = links.use[p]
                head = links.head[links.owner[a]]
                if links.component[head] != c:
                    found[place - begin, 0] += np.exp(context(LOG, links, weight, value, over, a) - scale[u])
                elif dense:
                    matrix[place - begin, local[head]] += np.exp(
                        context(LOG, links, weight, value, scale, a) - scale[u]
                    )
        if dense:
            if eliminate(matrix, found, NEAR) < 0.0:
                return over, np.int64(links.order[begin])
        elif not sweep_outside(links, weight, value, scale, found, c, local):
            return over, np.int64(links.order[begin])
        for place in range(begin, end):
            u = links.order[place]
            over[u] = scale[u] + np.log(found[place - begin, 0]) if scale[u] > IMPOSSIBLE else IMPOSSIBLE
    return over, -1


@njit(cache=True, nogil=True)
def sweep_outside(links, weight, value, scale, found, c, local):
    """y <- what it is said to be, for components too large for a matrix."""
    begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
    start = found.copy()
    for _ in range(SWEEPS):
        settled = True
        for place in range(begin, end):
            u = links.order[place]
            if scale[u] == IMPOSSIBLE:
                continue
            now = start[place - begin, 0]
            for p in range(links.use_ptr[u], links.use_ptr[u + 1]):
                a = links.use[p]
                head = links.head[links.owner[a]]
                if links.component[head] == c:
                    part = np.exp(context(LOG, links, weight, value, scale, a) - scale[u])
                    now += part * found[local[head], 0]
            settled = settled and abs(now - found[place - begin, 0]) <= CLOSE * now
            found[place - begin, 0] = now
        if settled:
            return True
    return False
