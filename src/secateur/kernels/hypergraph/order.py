"""The order in which to work on a hypergraph: nodes bottom-up, those on common cycles together."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def grouped(key, groups):
    """Places by their key, then by place; and where each key's begin [groups + 1]."""
    ptr = np.zeros(groups + 1, np.uint32)
    for p in range(key.shape[0]):
        ptr[key[p] + 1] += 1
    for g in range(groups):
        ptr[g + 1] += ptr[g]
    free = ptr[:groups].copy()
    place = np.empty(key.shape[0], np.uint32)
    for p in range(key.shape[0]):
        place[free[key[p]]] = p
        free[key[p]] += 1
    return ptr, place


@njit(cache=True, nogil=True)
def owners(ptr):
    """The hyperedge of each tail."""
    owner = np.empty(ptr[ptr.shape[0] - 1], np.uint32)
    for h in range(ptr.shape[0] - 1):
        for a in range(ptr[h], ptr[h + 1]):
            owner[a] = h
    return owner


@njit(cache=True, nogil=True)
def late_tails(head, tail, owner, number):
    """How many tails have a larger number than their head, and how many the same."""
    larger, same = 0, 0
    for a in range(tail.shape[0]):
        larger += number[tail[a]] > number[head[owner[a]]]
        same += number[tail[a]] == number[head[owner[a]]]
    return larger, same


@njit(cache=True, nogil=True)
def bottom_up(head, owner, use_ptr, use):
    """Nodes with tails before heads, and how many have such a place: not all where there are cycles."""
    nodes = use_ptr.shape[0] - 1
    missing = np.zeros(nodes, np.uint32)  # tails that have no place yet
    for a in range(owner.shape[0]):
        missing[head[owner[a]]] += 1
    order = np.empty(nodes, np.uint32)
    count = 0
    for v in range(nodes):
        if missing[v] == 0:
            order[count] = v
            count += 1
    begin = 0
    while begin < count:
        v = order[begin]
        begin += 1
        for p in range(use_ptr[v], use_ptr[v + 1]):
            upper = head[owner[use[p]]]
            missing[upper] -= 1
            if missing[upper] == 0:
                order[count] = upper
                count += 1
    return order, count


@njit(cache=True, nogil=True)
def components(ptr, tail, into_ptr, into):
    """Strongly connected components, those of tails before those of heads (Tarjan's algorithm).

    Returns the nodes by component, then by number, [N], and where the components begin [C + 1].
    """
    nodes = into_ptr.shape[0] - 1
    found = np.zeros(nodes, np.uint32)  # when a node was first seen, from 1 on; 0: not yet
    low = np.zeros(nodes, np.uint32)  # the earliest open node that is known to be below it
    is_open = np.zeros(nodes, np.bool_)
    at = into_ptr[:nodes].copy()  # the hyperedge into a node to look at next ...
    nth = np.zeros(nodes, np.uint32)  # ... and which of its tails
    path = np.empty(nodes, np.uint32)
    opened = np.empty(nodes, np.uint32)
    order = np.empty(nodes, np.uint32)
    begins = np.zeros(nodes + 1, np.uint32)
    seen, depth, waiting, placed, count = 0, 0, 0, 0, 0
    for root in range(nodes):
        if found[root]:
            continue
        path[0] = root
        depth = 1
        while depth:
            v = path[depth - 1]
            if found[v] == 0:
                seen += 1
                found[v] = low[v] = seen
                is_open[v] = True
                opened[waiting] = v
                waiting += 1
            down = False
            while at[v] < into_ptr[v + 1] and not down:
                a = ptr[into[at[v]]] + nth[v]
                if a == ptr[into[at[v]] + 1]:
                    at[v] += 1
                    nth[v] = 0
                    continue
                nth[v] += 1
                t = tail[a]
                if found[t] == 0:
                    path[depth] = t
                    depth += 1
                    down = True
                elif is_open[t]:
                    low[v] = min(low[v], found[t])
            if down:
                continue
            depth -= 1
            if depth:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[v])
            if low[v] == found[v]:
                begin = placed
                while is_open[v]:
                    waiting -= 1
                    order[placed] = opened[waiting]
                    is_open[opened[waiting]] = False
                    placed += 1
                if placed - begin > 1:
                    order[begin:placed] = np.sort(order[begin:placed])
                count += 1
                begins[count] = placed
    return order, begins[: count + 1].copy()


@njit(cache=True, nogil=True)
def by_number(order, begins):
    """Components by their smallest node, kinder to caches; whether tails still come first is to be seen."""
    component = numbered(order, begins)
    found = np.empty_like(order)
    found_begins = np.zeros_like(begins)
    placed, count = 0, 0
    for v in range(order.shape[0]):
        c = component[v]
        if order[begins[c]] == v:
            for p in range(begins[c], begins[c + 1]):
                found[placed] = order[p]
                placed += 1
            count += 1
            found_begins[count] = placed
    return found, found_begins


@njit(cache=True, nogil=True)
def numbered(order, begins):
    """The component of each node."""
    component = np.empty(order.shape[0], np.uint32)
    for c in range(begins.shape[0] - 1):
        for p in range(begins[c], begins[c + 1]):
            component[order[p]] = c
    return component


@njit(cache=True, nogil=True)
def with_cycles(head, tail, owner, component, count):
    """Which components have cycles: a hyperedge with head and tail in them."""
    cyclic = np.zeros(count, np.bool_)
    for a in range(tail.shape[0]):
        c = component[head[owner[a]]]
        if component[tail[a]] == c:
            cyclic[c] = True
    return cyclic


@njit(cache=True, nogil=True)
def inner_uses(head, owner, use_ptr, use, component, cyclic):
    """By node, the hyperedges that need it and make a node of its component: ptr [N + 1] and hyperedges."""
    nodes = component.shape[0]
    ptr = np.zeros(nodes + 1, np.uint32)
    found = np.empty(0, np.uint32)
    for fill in range(2):
        count = 0
        for v in range(nodes):
            last = -1
            if cyclic[component[v]]:
                for p in range(use_ptr[v], use_ptr[v + 1]):
                    h = np.int64(owner[use[p]])
                    if h != last and component[head[h]] == component[v]:
                        if fill:
                            found[count] = h
                        count += 1
                        last = h
            ptr[v + 1] = count
        if not fill:
            found = np.empty(count, np.uint32)
    return ptr, found
