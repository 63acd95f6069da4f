"""The best dependency tree, crossing arcs allowed: Chu-Liu-Edmonds on a dense matrix, O(n^2).

n words are numbered 1..n, 0 is the root. score [n+1, n+1] float32 has the modifier first: score[m, h] is that
of the arc h -> m; row 0 and the diagonal are never read, -inf bars an arc. heads [n+1] int32 is written;
heads[0] is -1. Sums are float64.

Ties: a word takes the smallest of its best heads. A cycle that became one node takes, of the best arcs into
it, one with the smallest head, and of several into different words the first on the path that closed it.
This is one fixed order, but it does not compare whole trees.
"""

from __future__ import annotations

import numpy as np
from numba import njit

IMPOSSIBLE = -np.inf
DONE, UNSEEN = -2, -1  # places of words that are not on the path


@njit(cache=True, nogil=True)
def greedy(score, first, heads):
    """The best head of every word, none smaller than `first`; where a word has none its head is -1."""
    heads[0] = -1
    for m in range(1, score.shape[0]):
        best, head = np.float32(IMPOSSIBLE), -1
        for h in range(first, m):
            if score[m, h] > best:
                best, head = score[m, h], h
        for h in range(m + 1, score.shape[0]):
            if score[m, h] > best:
                best, head = score[m, h], h
        heads[m] = head


@njit(cache=True, nogil=True)
def roots(heads):
    count = 0
    for m in range(1, heads.shape[0]):
        count += heads[m] == 0
    return count


@njit(cache=True, nogil=True)
def is_tree(heads, seen):
    """Whether every word's heads lead to the root; seen [n+1] int32 is overwritten."""
    seen[:] = 0
    for start in range(1, heads.shape[0]):
        m = start
        while m > 0 and seen[m] == 0:
            seen[m] = start
            m = heads[m]
        if m < 0 or (m > 0 and seen[m] == start):
            return False
    return True


@njit(cache=True, nogil=True)
def contract(score, last_resort, heads):
    """Chu-Liu-Edmonds along a path: follow best arcs up to the root, or around a cycle, which becomes a node.

    With last_resort an arc of the root is taken only into a node that no other arc enters. That is a
    lexicographic order, fewest arcs of the root first: subtracting what a cycle's own arcs score leaves it as
    it is, since a cycle never holds the root. So if any tree has a single root, the one found is the best.
    """
    n = score.shape[0] - 1
    first = 1 if last_resort else 0
    # Nodes: words are 1..n, contracted cycles follow. An arc into a cycle goes to one of its words.
    over = np.zeros(2 * n + 1, np.int32)  # the cycle a node went into, 0: none
    head = np.empty(2 * n + 1, np.int32)  # the best arc into a node: from this word ...
    into = np.empty(2 * n + 1, np.int32)  # ... to this one ...
    gain = np.empty(2 * n + 1)  # ... and its score
    value = np.empty((n + 1, n + 1))  # [c, h] the best arc from h into cycle n+1+c, over what it replaces
    enters = np.empty((n + 1, n + 1), np.int32)  # [c, h] where that arc goes
    greedy(score, first, head[: n + 1])
    place = np.full(n + 1, UNSEEN, np.int32)  # on the path, of the node that holds a word
    place[0] = DONE
    path = np.empty(n + 1, np.int32)
    nodes = n + 1
    for start in range(1, n + 1):
        if place[start] != UNSEEN:
            continue
        top = 0
        path[0] = start
        place[start] = 0
        while True:
            x = path[top]
            if x <= n:
                into[x] = x
                if head[x] < 0:
                    if score[x, 0] == IMPOSSIBLE:
                        return False
                    head[x] = 0
                gain[x] = score[x, head[x]]
            h = head[x]
            if place[h] == DONE:
                break
            if place[h] == UNSEEN:
                top += 1
                path[top] = h
                place[h] = top
                continue
            # value(c, h) = max over nodes x of the cycle of (score of h -> x) - gain(x)
            low = place[h]
            c = nodes - n - 1
            row, goes = value[c], enters[c]
            row[:] = IMPOSSIBLE
            for p in range(low, top + 1):
                x = path[p]
                over[x] = nodes
                if x <= n:
                    for u in range(n + 1):
                        if score[x, u] - gain[x] > row[u]:
                            row[u], goes[u] = score[x, u] - gain[x], x
                else:
                    for u in range(n + 1):
                        if value[x - n - 1, u] - gain[x] > row[u]:
                            row[u], goes[u] = value[x - n - 1, u] - gain[x], enters[x - n - 1, u]
            best, chosen = IMPOSSIBLE, 0
            for u in range(n + 1):
                if place[u] >= low:
                    place[u] = low
                elif u >= first and row[u] > best:
                    best, chosen = row[u], u
            if best == IMPOSSIBLE and row[0] == IMPOSSIBLE:
                return False
            head[nodes], into[nodes], gain[nodes] = chosen, goes[chosen], row[chosen]
            top = low
            path[top] = nodes
            nodes += 1
        for u in range(1, n + 1):
            if place[u] >= 0:
                place[u] = DONE
    # Cycles open from the last one made: the arc into a node replaces those of all it passes on its way down.
    for x in range(nodes - 1, 0, -1):
        if over[x] >= 0:
            heads[into[x]] = head[x]
            y = into[x]
            while y != x:
                above = over[y]
                over[y] = -1
                y = above
    return True


@njit(cache=True, nogil=True)
def best_tree(score, single_root, heads):
    """Whether there is a tree under the bars, and its heads; with single_root only one word's is the root."""
    n = score.shape[0] - 1
    greedy(score, 0, heads)
    for m in range(1, n + 1):
        if heads[m] < 0:
            return False
    if not is_tree(heads, np.empty(n + 1, np.int32)) and not contract(score, False, heads):
        return False
    if not single_root or roots(heads) == 1:
        return True
    return contract(score, True, heads) and roots(heads) == 1


@njit(cache=True, nogil=True)
def total(score, heads):
    found = 0.0
    for m in range(1, heads.shape[0]):
        found += np.float64(score[m, heads[m]])
    return found


@njit(cache=True, nogil=True)
def tree_margins(score, single_root, heads, out):
    """As best_tree; out [n+1] float64 is the best score less the best where the word has another head.

    inf where it can have no other. One run a word, with the arc that was found barred.
    """
    if not best_tree(score, single_root, heads):
        return False
    best = total(score, heads)
    work = score.copy()
    other = np.empty_like(heads)
    out[0] = 0.0
    for m in range(1, heads.shape[0]):
        work[m, heads[m]] = IMPOSSIBLE
        out[m] = best - total(score, other) if best_tree(work, single_root, other) else np.inf
        work[m, heads[m]] = score[m, heads[m]]
    return True


@njit(cache=True, nogil=True)
def tree_max_marginals(score, single_root, out):
    """The best score, -inf without a tree; out [n+1, n+1] float64 is the best score of a tree with each arc.

    One run an arc, the word's other arcs barred: n^2 runs.
    """
    n = score.shape[0] - 1
    out[:] = IMPOSSIBLE
    heads = np.empty(n + 1, np.int32)
    if not best_tree(score, single_root, heads):
        return IMPOSSIBLE
    best = total(score, heads)
    work = score.copy()
    other = np.empty_like(heads)
    for m in range(1, n + 1):
        work[m] = IMPOSSIBLE
        for h in range(n + 1):
            if h == heads[m]:
                out[m, h] = best
            elif h != m:
                work[m, h] = score[m, h]
                if best_tree(work, single_root, other):
                    out[m, h] = total(score, other)
                work[m, h] = IMPOSSIBLE
        work[m] = score[m]
    return best
