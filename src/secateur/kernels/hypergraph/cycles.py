"""Sums round cycles: one component of a hypergraph, under one of several weightings.

With x the summed weight of all derivations of each node of a component, x = f(x), where f adds up what the
hyperedges into a node make; the sum is the least solution. Newton's method finds it from below, in steps
relative to x so that no weight is too small or too large:

    share(i, j) = sum over hyperedges h into i of made(h) / x(i), as often as j is a tail of h
    (1 - share) step = f(x) / x - 1            x <- x (1 + step)

Where no hyperedge has two tails in the component, f is linear and one step is exact. A sum is finite as long
as elimination, which needs no pivoting here, finds positive pivots (1 - share is an M-matrix then).
Components too large for a dense matrix are iterated instead: x <- f(x) until it stays.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .hypergraph import IMPOSSIBLE

DENSE = 256  # nodes of a component that is solved by a matrix
NEWTON = 100  # steps
SWEEPS = 10_000  # over a component that is iterated
CLOSE = 1e-14  # relative, as near as rounding lets numbers of size 1 come
NEAR = 1e-9  # of a pivot: a linear sum nearer to divergence than this has few digits left


@njit(inline="always")
def made_by(links, weight, value, h, column):
    """weight(h) + value of its first tail + value of its second tail + ..., natural logs"""
    found = weight[h, column]
    for a in range(links.ptr[h], links.ptr[h + 1]):
        found += value[links.tail[a], column]
    return found


@njit(cache=True, nogil=True)
def log_sum(links, weight, value, v, column):
    """log of the sum over hyperedges into v of exp(made)"""
    top = IMPOSSIBLE
    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
        top = max(top, made_by(links, weight, value, links.into[p], column))
    if top == IMPOSSIBLE:
        return top
    real = 0.0
    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
        real += np.exp(made_by(links, weight, value, links.into[p], column) - top)
    return top + np.log(real)


@njit(cache=True, nogil=True)
def eliminate(matrix, right, near):
    """Solve (1 - matrix) x = right [n, q], in place; returns the smallest pivot, -1 if not above `near`.

    Nothing is subtracted but in the pivots.
    """
    n = matrix.shape[0]
    smallest = 1.0
    for k in range(n):
        pivot = 1.0 - matrix[k, k]
        if not pivot > near:
            return -1.0
        smallest = min(smallest, pivot)
        for i in range(k + 1, n):
            if matrix[i, k] != 0.0:
                factor = matrix[i, k] / pivot
                for j in range(k + 1, n):
                    matrix[i, j] += factor * matrix[k, j]
                for q in range(right.shape[1]):
                    right[i, q] += factor * right[k, q]
    for k in range(n - 1, -1, -1):
        for q in range(right.shape[1]):
            found = right[k, q]
            for j in range(k + 1, n):
                found += matrix[k, j] * right[j, q]
            right[k, q] = found / (1.0 - matrix[k, k])
    return smallest


@njit(cache=True, nogil=True)
def shares(links, weight, value, c, column, local):
    """share [n, n] of a component; local [N] becomes the nodes' places in it."""
    begin = np.int64(links.component_ptr[c])
    n = np.int64(links.component_ptr[c + 1]) - begin
    matrix = np.zeros((n, n))
    for i in range(n):
        local[links.order[begin + i]] = i
    for i in range(n):
        v = links.order[begin + i]
        if value[v, column] == IMPOSSIBLE:
            continue
        for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
            h = links.into[p]
            part = np.exp(made_by(links, weight, value, h, column) - value[v, column])
            if part > 0.0:
                for a in range(links.ptr[h], links.ptr[h + 1]):
                    if links.component[links.tail[a]] == c:
                        matrix[i, local[links.tail[a]]] += part
    return matrix


@njit(cache=True, nogil=True)
def raise_to_best(links, weight, value, c, column):
    """Give each node its best derivation's value; False where a cycle makes it ever better."""
    begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
    for place in range(begin, end):
        value[links.order[place], column] = IMPOSSIBLE
    for _ in range(end - begin + 1):
        changed = False
        for place in range(begin, end):
            v = links.order[place]
            for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                made = made_by(links, weight, value, links.into[p], column)
                if made > value[v, column]:
                    value[v, column] = made
                    changed = True
        if not changed:
            return True
    return False


@njit(cache=True, nogil=True)
def sum_inside(links, weight, value, c, column, local):
    """value of the nodes of component c, those below it being known; False where sums do not converge."""
    begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
    n = end - begin
    if not raise_to_best(links, weight, value, c, column):
        return False
    # Rounding of logs, which is absolute, becomes relative rounding of what they stand for.
    slack = CLOSE * magnitude(links, weight, value, c, column)
    if n > DENSE:
        return sweep_inside(links, weight, value, c, column, slack)
    # At the border of divergence steps halve, and with them pivots: half of the digits is all there is.
    near = 3.0 * np.sqrt(slack)
    step = np.empty((n, 1))
    for _ in range(NEWTON):
        for i in range(n):
            v = links.order[begin + i]
            known = value[v, column] > IMPOSSIBLE
            step[i, 0] = (
                np.expm1(log_sum(links, weight, value, v, column) - value[v, column]) if known else 0.0
            )
        smallest = eliminate(shares(links, weight, value, c, column, local), step, near)
        if smallest < 0.0:
            return False
        for i in range(n):
            value[links.order[begin + i], column] += np.log1p(step[i, 0])
        # What rounding leaves of a step is as much larger as the pivot is smaller.
        if np.abs(step).max() <= slack / smallest:
            return True
    return False


@njit(cache=True, nogil=True)
def magnitude(links, weight, value, c, column):
    """The largest of 1 and the logs that are added up in a component."""
    found = 1.0
    for place in range(links.component_ptr[c], links.component_ptr[c + 1]):
        v = links.order[place]
        for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
            h = links.into[p]
            if made_by(links, weight, value, h, column) > IMPOSSIBLE:
                found = max(found, abs(weight[h, column]))
                for a in range(links.ptr[h], links.ptr[h + 1]):
                    found = max(found, abs(value[links.tail[a], column]))
    return found


@njit(cache=True, nogil=True)
def sweep_inside(links, weight, value, c, column, slack):
    """x <- f(x), from below, for components too large for a matrix."""
    for _ in range(SWEEPS):
        change = 0.0
        for place in range(links.component_ptr[c], links.component_ptr[c + 1]):
            v = links.order[place]
            if value[v, column] > IMPOSSIBLE:
                now = log_sum(links, weight, value, v, column)
                change = max(change, abs(now - value[v, column]))
                value[v, column] = now
        if change <= slack:
            return True
    return False


@njit(cache=True, nogil=True)
def sum_counts(links, weight, value, counts, c, column, local):
    """Expected counts of the nodes of a component, which so far have what comes from above it.

    count(j) = from above(j) + sum over i of count(i) share(i, j)
    """
    begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
    n = end - begin
    start = np.empty((n, 1))
    for i in range(n):
        start[i, 0] = counts[links.order[begin + i], column]
    if start.max() == 0.0:
        return True
    if n <= DENSE:
        found = start.copy()
        if eliminate(shares(links, weight, value, c, column, local).T.copy(), found, NEAR) < 0.0:
            return False
    else:
        found, settled = sweep_counts(links, weight, value, start, c, column, local)
        if not settled:
            return False
    for i in range(n):
        counts[links.order[begin + i], column] = found[i, 0]
    return True


@njit(cache=True, nogil=True)
def sweep_counts(links, weight, value, start, c, column, local):
    begin = np.int64(links.component_ptr[c])
    n = start.shape[0]
    found = start.copy()
    for i in range(n):
        local[links.order[begin + i]] = i
    for _ in range(SWEEPS):
        now = start.copy()
        for i in range(n):
            v = links.order[begin + i]
            if found[i, 0] == 0.0:
                continue
            for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                h = links.into[p]
                part = found[i, 0] * np.exp(made_by(links, weight, value, h, column) - value[v, column])
                if part > 0.0:
                    for a in range(links.ptr[h], links.ptr[h + 1]):
                        if links.component[links.tail[a]] == c:
                            now[local[links.tail[a]], 0] += part
        settled = True
        for i in range(n):
            settled = settled and abs(now[i, 0] - found[i, 0]) <= CLOSE * now[i, 0]
        found = now
        if settled:
            return found, True
    return found, False


@njit(cache=True, nogil=True)
def sum_amounts(links, weight, value, mean, c, local):
    """mean [N, q] of the nodes of a component, which so far have what hyperedges and nodes below it bring.

    mean(i) = from below(i) + sum over j of share(i, j) mean(j)
    """
    begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
    n = end - begin
    start = np.empty((n, mean.shape[1]))
    for i in range(n):
        start[i] = mean[links.order[begin + i]]
    if n <= DENSE:
        found = start.copy()
        if eliminate(shares(links, weight, value, c, 0, local), found, NEAR) < 0.0:
            return False
        for i in range(n):
            mean[links.order[begin + i]] = found[i]
        return True
    return sweep_amounts(links, weight, value, mean, start, c)


@njit(cache=True, nogil=True)
def sweep_amounts(links, weight, value, mean, start, c):
    begin = np.int64(links.component_ptr[c])
    for _ in range(SWEEPS):
        change, top = 0.0, 0.0
        for i in range(start.shape[0]):
            v = links.order[begin + i]
            now = start[i].copy()
            for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
                h = links.into[p]
                if value[v, 0] > IMPOSSIBLE:
                    part = np.exp(made_by(links, weight, value, h, 0) - value[v, 0])
                    if part > 0.0:
                        for a in range(links.ptr[h], links.ptr[h + 1]):
                            if links.component[links.tail[a]] == c:
                                now += part * mean[links.tail[a]]
            for q in range(now.shape[0]):
                change = max(change, abs(now[q] - mean[v, q]))
                top = max(top, abs(now[q]))
                mean[v, q] = now[q]
        if change <= CLOSE * top:
            return True
    return False
