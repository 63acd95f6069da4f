"""The arcs of a sentence while they are settled: open, barred or locked.

Arrays are taken out of tuples before loops: within them each access would cost a count of references.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .parts import parts_of, siblings_of


class Graph(NamedTuple):
    """Arcs of a sentence, modifier first."""

    open: np.ndarray  # [n+1, n+1] bool, arcs that are not barred
    count: np.ndarray  # [n+1] int64, how many are open for each word
    score: np.ndarray  # [n+1, n+1] float32, -inf where barred
    before: np.ndarray  # [n+1, n+1] float32, the scores one stage before
    sibling: np.ndarray  # [n+1, n+1, n+1] float32, with s = h for none; nothing in the first order
    best: np.ndarray  # [n+1, n+1] float32, the score with the best sibling
    locked: np.ndarray  # [n+1] bool
    head: np.ndarray  # [n+1] int32, of the best tree


@njit(cache=True, nogil=True)
def new_graph(allowed, has_siblings):
    n = allowed.shape[0] - 1
    score = np.full((n + 1, n + 1), -np.inf, np.float32)
    count = np.zeros(n + 1, np.int64)
    arcs = allowed.copy()
    for m in range(1, n + 1):
        arcs[m, m] = False
        for h in range(n + 1):
            if arcs[m, h]:
                score[m, h] = 0.0
                count[m] += 1
    arcs[0, :] = False
    before = np.zeros((n + 1, n + 1), np.float32)
    size = n + 1 if has_siblings else 0
    sibling = np.zeros((size, size, size), np.float32)
    locked, head = np.zeros(n + 1, np.bool_), np.full(n + 1, -1, np.int32)
    return Graph(arcs, count, score, before, sibling, score.copy(), locked, head)


@njit(cache=True, nogil=True)
def lock(graph, parts, word, rules):
    """Lock the best tree's arc to a word, bar what conflicts, and lock arcs that have no rival left.

    parts: the arcs that had rivals before the tree was found. Arcs of the tree are never barred: without
    them there may be no tree at all.
    """
    locked, count, head, arcs = graph.locked, graph.count, graph.head, graph.open
    modifiers, heads = parts.modifier, parts.head
    m = word
    while m:
        locked[m] = True
        h = head[m]
        top = h  # of the locked arcs above m
        while top and locked[top]:
            top = head[top]
        for r in range(heads.shape[0]):
            x, y = np.int64(modifiers[r]), np.int64(heads[r])
            if not arcs[x, y] or head[x] == y:
                continue
            if (
                x == m
                or (rules.single_root and h == 0 and y == 0)
                or (rules.projective and _cross(min(h, m), max(h, m), x, y))
                or (x == top and _is_below(head, locked, y, m))
            ):
                arcs[x, y] = False
                count[x] -= 1
        m = 0
        for other in range(1, head.shape[0]):
            if count[other] == 1 and not locked[other]:
                m = other
                break


@njit(inline="always")
def _cross(a, b, x, y):
    """Whether an arc between x and y crosses one between a and b, a < b."""
    x_inside, y_inside = a < x < b, a < y < b
    return (x_inside and (y < a or y > b)) or (y_inside and (x < a or x > b))


@njit(inline="always")
def _is_below(head, locked, word, m):
    """Whether locked arcs lead from a word up to m."""
    while word != m and word and locked[word]:
        word = head[word]
    return word == m


@njit(cache=True, nogil=True)
def open_parts(graph):
    """The arcs whose fate is open; one without a rival is in every tree, and needs no score.

    The scores of barred arcs become -inf.
    """
    locked, counts, arcs, score, best = graph.locked, graph.count, graph.open, graph.score, graph.best
    n = locked.shape[0] - 1
    count = 0
    for m in range(1, n + 1):
        if not locked[m] and counts[m] > 1:
            count += counts[m]
    modifier, head = np.empty(count, np.uint32), np.empty(count, np.uint32)
    r = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            if not arcs[m, h]:
                score[m, h] = best[m, h] = -np.inf
            elif not locked[m] and counts[m] > 1:
                modifier[r], head[r] = m, h
                r += 1
    return parts_of(modifier, head)


@njit(cache=True, nogil=True)
def open_siblings(graph):
    """The parts of the second order that trees can differ by.

    The child of h next to m is the nearest locked one, or an open one nearer than that. Where the arc to m is
    locked and there is but one choice, every tree has it.
    """
    arcs, locked = graph.open, graph.locked
    n = locked.shape[0] - 1
    room = 64
    modifier, head, sibling = np.empty(room, np.uint32), np.empty(room, np.uint32), np.empty(room, np.uint32)
    count = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            if not arcs[m, h]:
                continue
            if count + n + 2 > room:
                room = 2 * room + n
                modifier, head, sibling = _larger(modifier, room), _larger(head, room), _larger(sibling, room)
            first = count
            step = 1 if h > m else -1
            s = m + step
            while s != h:
                if arcs[s, h]:
                    modifier[count], head[count], sibling[count] = m, h, s
                    count += 1
                    if locked[s]:
                        break
                s += step
            if s == h:
                modifier[count], head[count], sibling[count] = m, h, n + 1
                count += 1
            if locked[m] and count == first + 1:
                count = first
    return siblings_of(modifier[:count], head[:count], sibling[:count], n)


@njit(cache=True, nogil=True)
def _larger(old, size):
    new = np.empty(size, old.dtype)
    new[: old.shape[0]] = old
    return new


@njit(cache=True, nogil=True)
def open_by_score(graph):
    """The words whose arcs are open, by the score of the tree's arc, highest first; then the first word."""
    locked, head, best = graph.locked, graph.head, graph.best
    n = head.shape[0] - 1
    order = np.empty(n, np.int64)
    count = 0
    for m in range(1, n + 1):
        if locked[m]:
            continue
        r = count
        while r and best[order[r - 1], head[order[r - 1]]] < best[m, head[m]]:
            order[r] = order[r - 1]
            r -= 1
        order[r] = m
        count += 1
    return order[:count]


@njit(cache=True, nogil=True)
def allowed_arcs(tags, limits):
    """[n+1, n+1] arcs no longer than any of the same tags and direction that was seen, modifier first.

    tags: [n+1]; limits: [tags, tags, 2] by head, modifier and whether the head comes first. A word without
    any such arc has all arcs.
    """
    n = tags.shape[0] - 1
    allowed = np.zeros((n + 1, n + 1), np.bool_)
    for m in range(1, n + 1):
        tag, found = tags[m], False
        for h in range(m):
            allowed[m, h] = m - h <= limits[tags[h], tag, 1]
            found |= allowed[m, h]
        for h in range(m + 1, n + 1):
            allowed[m, h] = h - m <= limits[tags[h], tag, 0]
            found |= allowed[m, h]
        if not found:
            allowed[m, :] = True
            allowed[m, m] = False
    return allowed
