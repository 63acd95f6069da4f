"""All dependency trees at once, crossing arcs allowed: the Matrix-Tree theorem (Koo et al. 2007), O(n^3).

Arrays are those of mst.py: score [n+1, n+1] float32, the modifier first, row 0 and the diagonal never read,
-inf bars an arc.

The determinant and the inverse of that theorem cancel badly where scores are far apart: neither is formed.
Words are the states of a walk from a word to one of its heads, in proportion to exp(score), until the root.
Taking a state out and joining what goes through it multiplies the sum of all trees by all that leaves the
state. With every word but m taken out, the share of h -> m among m's arcs is in proportion to its weight
times the chance that a walk from h comes to the root and not to m. Nothing is ever subtracted, and weights
are logs in float64, so that none is lost at any distance. Halving the words that remain shares the work.

A single root is the limit where arcs of the root weigh nothing beside any others: they are lowered by so much
that trees with two of them do not count.
"""

from __future__ import annotations

import numpy as np
from numba import njit

IMPOSSIBLE = -np.inf
NEGLIGIBLE = 40.0  # what is this much lower is nothing in a sum


@njit(cache=True, nogil=True)
def add(a, b):
    """log(exp(a) + exp(b))"""
    high, low = (a, b) if a > b else (b, a)
    return high if low == IMPOSSIBLE or high - low > NEGLIGIBLE else high + np.log1p(np.exp(low - high))


@njit(cache=True, nogil=True)
def weights(score, single_root):
    """Logs of what each arc weighs, [n+1, n+1], the heaviest into each word being 0.

    Returns also what all trees lack by that, -inf if a word has no arc; by how much arcs of the root are
    lowered; and the least that a tree can weigh, not counting this.
    """
    n = score.shape[0] - 1
    table = np.full((n + 1, n + 1), IMPOSSIBLE)
    lacking, least = 0.0, 0.0
    for m in range(1, n + 1):
        top, low = IMPOSSIBLE, np.inf
        for h in range(n + 1):
            if h != m and score[m, h] > IMPOSSIBLE:
                top, low = max(top, np.float64(score[m, h])), min(low, np.float64(score[m, h]))
        lacking += top
        if top == IMPOSSIBLE:
            break
        least += low - top
        for h in range(n + 1):
            if h != m:
                table[m, h] = score[m, h] - top
    # There are at most (n + 1)^n trees, and none weighs more than 1.
    lowered = n * np.log(n + 1.0) - least + NEGLIGIBLE if single_root else 0.0
    table[1:, 0] -= lowered
    return table, lacking, lowered, least


@njit(cache=True, nogil=True)
def take_out(walk, k, left):
    """Join what goes through k, `left` being the states that remain, and the root; returns what leaves k.

    walk(h, x) += walk(h, k) * walk(k, x) / leaves(k), leaves(k) = sum over x of walk(k, x)
    """
    leaves = IMPOSSIBLE
    for p in range(left.shape[0]):
        leaves = add(leaves, walk[k, left[p]])
    if leaves == IMPOSSIBLE:
        return leaves
    for p in range(left.shape[0]):
        walk[k, left[p]] -= leaves
    for h in range(1, walk.shape[0]):
        to = walk[h, k]
        if h != k and to > IMPOSSIBLE:
            for p in range(left.shape[0]):
                x = left[p]
                # A state's walks back to itself do not matter once it leaves.
                if x != h:
                    walk[h, x] = add(walk[h, x], to + walk[k, x])
    return leaves


@njit(cache=True, nogil=True)
def take_out_range(walk, begin, end, low, high, left):
    """Take out the words begin..end-1, so that low..high-1 remain; returns what leaves them in all."""
    found = 0.0
    for k in range(begin, end):
        size = 1
        left[0] = 0
        for x in range(low, high):
            left[size] = x
            size += 1
        for x in range(k + 1, end):
            left[size] = x
            size += 1
        found += take_out(walk, k, left[:size])
    return found


@njit(cache=True, nogil=True)
def write_shares(table, walk, m, out):
    """out(m, h) in proportion to weight(h -> m) * chance that a walk from h comes to the root before m"""
    n = table.shape[0] - 1
    top = IMPOSSIBLE
    for h in range(n + 1):
        if h != m:
            out[m, h] = table[m, h] + (walk[h, 0] if h > 0 else 0.0)
            top = max(top, out[m, h])
    sum_of = 0.0
    for h in range(n + 1):
        out[m, h] = np.exp(out[m, h] - top) if h != m else 0.0
        sum_of += out[m, h]
    for h in range(n + 1):
        out[m, h] /= sum_of


@njit(cache=True, nogil=True)
def tree_marginals(score, single_root, out):
    """The log of the sum of all trees, -inf without one; out [n+1, n+1] float64 is each arc's share of it."""
    n = score.shape[0] - 1
    out[:] = 0.0
    table, lacking, lowered, least = weights(score, single_root)
    if lacking == IMPOSSIBLE:
        return IMPOSSIBLE
    depths = 1
    while 1 << (depths - 1) < n:
        depths += 1
    walk = np.empty((depths, n + 1, n + 1))  # at each depth of halving
    walk[0] = table
    left = np.empty(n + 1, np.uint32)
    # Ranges of words that remain, with their depth and the range to take out of the one above.
    stack = np.empty((depths + 1, 5), np.int64)
    stack[0] = 1, n + 1, 0, 1, 1
    size = 1
    whole = lowered
    while size:
        size -= 1
        low, high, depth, begin, end = stack[size]
        if depth:
            walk[depth] = walk[depth - 1]
        leaves = take_out_range(walk[depth], begin, end, low, high, left)
        # The words are taken out one by one on the way to the first.
        if low == 1:
            whole += leaves
        if high > low + 1:
            middle = (low + high) // 2
            stack[size] = middle, high, depth + 1, low, middle
            stack[size + 1] = low, middle, depth + 1, middle, high
            size += 2
            continue
        if low == 1:
            whole += walk[depth, 1, 0]
            # No tree, or none without two arcs of the root.
            if not whole > least - NEGLIGIBLE / 2:
                return IMPOSSIBLE
        write_shares(table, walk[depth], low, out)
    return whole + lacking
