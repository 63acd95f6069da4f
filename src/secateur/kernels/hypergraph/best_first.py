"""The best derivations where there are cycles: best-first search (Knuth 1977), one component at a time.

It needs hyperedges that never make more than a tail of theirs in the same component is worth. In VITERBI all
are so whose log weights are <= 0, in BOOLEAN all; one that does more is named. The order of ties is that of
hypergraph.py: nodes are settled by value, then height.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .hypergraph import context, height_of, one, product, total, zero

# What Room.tally counts.
HYPEREDGES, NODES, REWORKED, WORK, WAITING, CHANGING = range(6)


class Room(NamedTuple):
    """Room for a search, and for the list of what it overwrites (of length 0 where that is not wanted)."""

    offer: np.ndarray  # [N] float64, the best value offered to a node that waits ...
    offer_height: np.ndarray  # [N] uint32, ... with its height
    heap: np.ndarray  # [N] uint32, nodes that wait, the best on top
    where: np.ndarray  # [N] uint32, their places in the heap, from 1 on; 0: does not wait
    tally: np.ndarray  # [6] int64
    noted: np.ndarray  # [H] bool, whether a hyperedge is in the list
    hyperedge: np.ndarray  # [H] uint32, what changed ...
    old_made: np.ndarray  # [H] float64, ... and what it made before
    noted_node: np.ndarray  # [N] bool
    node: np.ndarray  # [N] uint32
    old_value: np.ndarray  # [N] float64
    old_height: np.ndarray  # [N] uint32


@njit(cache=True, nogil=True)
def room_for(nodes, hyperedges):
    """Room for a search that keeps a list of changes of up to so many hyperedges (0: keeps none)."""
    listed = nodes if hyperedges else 0
    return Room(
        np.empty(nodes),
        np.empty(nodes, np.uint32),
        np.empty(nodes, np.uint32),
        np.zeros(nodes, np.uint32),
        np.zeros(6, np.int64),
        np.zeros(hyperedges, np.bool_),
        np.empty(hyperedges, np.uint32),
        np.empty(hyperedges),
        np.zeros(listed, np.bool_),
        np.empty(listed, np.uint32),
        np.empty(listed),
        np.empty(listed, np.uint32),
    )


@njit(inline="always")
def set_made(kind, made, room, h, now):
    """made(h) is another; takes note of what it was when it changes for the first time."""
    before = made[h]
    if now == before:
        return
    if room.hyperedge.shape[0] and not room.noted[h]:
        room.noted[h] = True
        note(room, h, before)
    made[h] = now
    nothing = zero(kind)
    room.tally[WORK] += int(now > nothing) - int(before > nothing)


@njit(inline="always")
def note(room, h, before):
    """Hyperedge h made this before."""
    room.hyperedge[room.tally[HYPEREDGES]] = h
    room.old_made[room.tally[HYPEREDGES]] = before
    room.tally[HYPEREDGES] += 1


@njit(inline="always")
def set_value(value, height, room, v, now, now_height):
    """The same for a node on a cycle."""
    if room.node.shape[0] and not room.noted_node[v]:
        room.noted_node[v] = True
        room.old_height[room.tally[NODES]] = height[v]
        note_node(room, v, value[v])
    value[v] = now
    height[v] = now_height


@njit(inline="always")
def note_node(room, v, before):
    room.node[room.tally[NODES]] = v
    room.old_value[room.tally[NODES]] = before
    room.tally[NODES] += 1


@njit(inline="always")
def before(room, u, v):
    """Whether node u is to be settled before v."""
    if room.offer[u] != room.offer[v]:
        return room.offer[u] > room.offer[v]
    if room.offer_height[u] != room.offer_height[v]:
        return room.offer_height[u] < room.offer_height[v]
    return u < v


@bare
def offer(value, height, room, v, worth, high):
    """Node v can have this value with this height; it waits if that is better than what it has."""
    if worth < value[v] or (worth == value[v] and high >= height[v]):
        return
    p = np.int64(room.where[v])
    if p:
        if worth < room.offer[v] or (worth == room.offer[v] and high >= room.offer_height[v]):
            return
        p -= 1
    else:
        p = room.tally[WAITING]
        room.tally[WAITING] += 1
    room.offer[v] = worth
    room.offer_height[v] = high
    while p > 0 and before(room, v, room.heap[(p - 1) >> 1]):
        room.heap[p] = room.heap[(p - 1) >> 1]
        room.where[room.heap[p]] = p + 1
        p = (p - 1) >> 1
    room.heap[p] = v
    room.where[v] = p + 1


@bare
def take(room):
    """The best node that waits."""
    heap, where = room.heap, room.where
    top = heap[0]
    where[top] = 0
    size = room.tally[WAITING] - 1
    room.tally[WAITING] = size
    if size:
        last = heap[size]
        p = 0
        while 2 * p + 1 < size:
            child = 2 * p + 1
            if child + 1 < size and before(room, heap[child + 1], heap[child]):
                child += 1
            if not before(room, heap[child], last):
                break
            heap[p] = heap[child]
            where[heap[p]] = p + 1
            p = child
        heap[p] = last
        where[last] = p + 1
    return top


@bare
def complete(kind, links, weight, value, made, height, room):
    """Settle the nodes that wait and what they offer to others of their component, the best first.

    Returns a hyperedge that makes more than its tail is worth, -1 if there is none.
    """
    nothing = zero(kind)
    while room.tally[WAITING]:
        v = take(room)
        set_value(value, height, room, v, room.offer[v], room.offer_height[v])
        for p in range(links.inner_ptr[v], links.inner_ptr[v + 1]):
            h = links.inner[p]
            now = product(kind, links, weight, value, h)
            set_made(kind, made, room, h, now)
            if now > value[v]:
                return np.int64(h)
            if now > nothing:
                offer(value, height, room, links.head[h], now, height_of(links, value, height, h, now))
    return -1


@njit(cache=True, nogil=True)
def inside(kind, links, weight):
    """value(v) = max over hyperedges h into v of made(h)

    Returns value [N], made [H], height [N], and a hyperedge that is better than its tails, or -1.
    """
    nodes = links.order.shape[0]
    value = np.full(nodes, zero(kind))
    made = np.full(links.head.shape[0], zero(kind))
    height = np.zeros(nodes, np.uint32)
    room = room_for(nodes, 0)
    for c in range(links.cyclic.shape[0]):
        for place in range(links.component_ptr[c], links.component_ptr[c + 1]):
            v = links.order[place]
            begin, end = links.into_ptr[v], links.into_ptr[v + 1]
            for p in range(begin, end):
                h = links.into[p]
                made[h] = product(kind, links, weight, value, h)
            best = total(kind, made, links.into, begin, end)
            if not links.cyclic[c]:
                value[v] = best
            elif best > zero(kind):
                # From below the component: nothing in here has a value yet.
                offer(value, height, room, v, best, 0)
        if links.cyclic[c]:
            wrong = complete(kind, links, weight, value, made, height, room)
            if wrong >= 0:
                return value, made, height, wrong
    return value, made, height, -1


@njit(cache=True, nogil=True)
def outside(kind, links, weight, value, goal):
    """As hypergraph.outside; within a component by going over it until nothing changes.

    Returns over [N], and a node that could be raised for ever, or -1.
    """
    nodes = links.order.shape[0]
    over = np.full(nodes, zero(kind))
    for c in range(links.cyclic.shape[0] - 1, -1, -1):
        begin, end = np.int64(links.component_ptr[c]), np.int64(links.component_ptr[c + 1])
        sweeps, changed = 0, np.int64(links.order[begin])
        while changed >= 0:
            if sweeps > end - begin:
                return over, changed
            sweeps += 1
            changed = -1
            for place in range(begin, end):
                u = links.order[place]
                now = around(kind, links, weight, value, over, u, goal)
                if now > over[u]:
                    over[u] = now
                    changed = np.int64(u) if links.cyclic[c] else -1
    return over, -1


@njit(cache=True, nogil=True)
def around(kind, links, weight, value, over, u, goal):
    """max over the places a where u is a tail of context(a), and one if u is the goal"""
    found = one(kind) if u == goal else zero(kind)
    for p in range(links.use_ptr[u], links.use_ptr[u + 1]):
        found = max(found, context(kind, links, weight, value, over, links.use[p]))
    return found
