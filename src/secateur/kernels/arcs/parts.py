"""What dependency scores are for: arcs, and arcs with an adjacent sibling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Parts(NamedTuple):
    """What scores are for: R arcs, or arcs with a sibling."""

    modifier: np.ndarray  # [R] uint32
    head: np.ndarray  # [R] uint32
    sibling: np.ndarray  # [R] uint32, n + 1 for none; empty in the first order
    start: np.ndarray  # [R] uint32, the word before those between
    end: np.ndarray  # [R] uint32, the word behind them
    distance: np.ndarray  # [R] uint32, 1 to 14


@njit(inline="always")
def distance_class(h, m):
    """Lengths 1, 2, 3, 4, 5, 6-10 and more, to the right (1-7) and to the left (8-14)."""
    length = abs(m - h)
    known = length if length <= 5 else (6 if length <= 10 else 7)
    return np.uint32(known if h < m else known + 7)


@njit(cache=True, nogil=True)
def arc_parts(allowed):
    """All allowed arcs, modifier by modifier, as parts of the first order. allowed: [n+1, n+1] bool."""
    n = allowed.shape[0] - 1
    modifier, head = np.empty(n * (n + 1) + 1, np.uint32), np.empty(n * (n + 1) + 1, np.uint32)
    r = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            modifier[r], head[r] = m, h
            r += allowed[m, h] and h != m
    return parts_of(modifier[:r], head[:r])


@njit(cache=True, nogil=True)
def parts_of(modifier, head):
    """Arcs as parts of the first order."""
    count = modifier.shape[0]
    start, end = np.empty(count, np.uint32), np.empty(count, np.uint32)
    distance = np.empty(count, np.uint32)
    for r in range(count):
        m, h = np.int64(modifier[r]), np.int64(head[r])
        start[r], end[r] = min(m, h), max(m, h)
        distance[r] = distance_class(h, m)
    return Parts(modifier, head, np.empty(0, np.uint32), start, end, distance)


@njit(cache=True, nogil=True)
def sibling_parts(allowed):
    """All arcs h -> m with each sibling s they can have: a child of h between h and m, or none.

    allowed: [n+1, n+1] bool, modifier first.
    """
    n = allowed.shape[0] - 1
    count = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != m and allowed[m, h]:
                count += 1
                for s in range(min(h, m) + 1, max(h, m)):
                    count += allowed[s, h]
    modifier, head = np.empty(count, np.uint32), np.empty(count, np.uint32)
    sibling = np.empty(count, np.uint32)
    r = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h == m or not allowed[m, h]:
                continue
            modifier[r], head[r], sibling[r] = m, h, n + 1
            r += 1
            for s in range(min(h, m) + 1, max(h, m)):
                if allowed[s, h]:
                    modifier[r], head[r], sibling[r] = m, h, s
                    r += 1
    return siblings_of(modifier, head, sibling, n)


@njit(cache=True, nogil=True)
def siblings_of(modifier, head, sibling, n):
    """Parts of the second order; sibling n + 1 is none. Their distance is that of m to s, or else to h."""
    count = modifier.shape[0]
    start, end = np.empty(count, np.uint32), np.empty(count, np.uint32)
    distance = np.empty(count, np.uint32)
    for r in range(count):
        m, h, s = np.int64(modifier[r]), np.int64(head[r]), np.int64(sibling[r])
        if s == n + 1:
            start[r], end[r] = m - 1, m  # nothing is between
            distance[r] = distance_class(h, m)
        else:
            start[r], end[r] = min(m, s), max(m, s)
            distance[r] = distance_class(s, m)
    return Parts(modifier, head, sibling, start, end, distance)


@njit(cache=True, nogil=True)
def siblings_in(heads, siblings):
    """siblings[m]: the child of m's head next to m between the two; n + 1 if there is none."""
    n = heads.shape[0] - 1
    for m in range(1, n + 1):
        h = heads[m]
        step = 1 if h > m else -1
        s = m + step
        while s != h and heads[s] != h:
            s += step
        siblings[m] = n + 1 if s == h else s
