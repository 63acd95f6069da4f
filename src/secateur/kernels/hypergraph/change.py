"""Change propagation: what other weights change, and no more, with a list of what was there before.

Values come out as those of running again, to the last bit; the order of ties is that of hypergraph.py.
Without cycles a node is worked out once all below it are. In a component with cycles, nodes could stand on
each other when what held them is gone: so first all are taken down that have lost what supports them, then
what is left and what is new is completed best-first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .best_first import (
    CHANGING,
    HYPEREDGES,
    NODES,
    REWORKED,
    WAITING,
    WORK,
    complete,
    note,
    note_node,
    offer,
    set_made,
    set_value,
)
from .hypergraph import BOOLEAN, IMPOSSIBLE, NONE, VITERBI, height_of, product, total, zero


class Queue(NamedTuple):
    """Components that are to be worked on, from the bottom up, and which of their hyperedges."""

    heap: np.ndarray  # [C] uint32
    first: np.ndarray  # [C] uint32, the first of a component's hyperedges to work out ...
    after: np.ndarray  # [H] uint32, ... and the next one
    marked: np.ndarray  # [H] bool
    taken: np.ndarray  # [N] uint32, nodes that lost their support


@njit(cache=True, nogil=True)
def queue_for(links):
    hyperedges = links.head.shape[0]
    components = links.cyclic.shape[0]
    return Queue(
        np.empty(components, np.uint32),
        np.full(components, NONE),
        np.empty(hyperedges, np.uint32),
        np.zeros(hyperedges, np.bool_),
        np.empty(links.order.shape[0], np.uint32),
    )


@bare
def propagate(kind, links, weight, value, made, height, changed, room, queue):
    """Bring values up to date after the weights of the hyperedges `changed` are others.

    room.tally then tells how many hyperedges and nodes are in room's list of what was there before, how many
    nodes were worked out, and how much work (hyperedges whose tails can all be made) came or went. Returns a
    hyperedge that makes more than a tail of its component is worth, -1 if there is none.
    """
    room.tally[:] = 0
    wrong = -1
    for c in range(changed.shape[0]):
        mark(links, room, queue, changed[c])
    while room.tally[CHANGING]:
        c = pop(queue.heap, room.tally)
        if wrong >= 0:
            clear(queue, c)
        elif links.cyclic[c]:
            wrong = rework_cycles(kind, links, weight, value, made, height, c, room, queue)
        else:
            rework(kind, links, weight, value, made, c, room, queue)
    return wrong


@njit(inline="always")
def rework(kind, links, weight, value, made, c, room, queue):
    """A node without cycles: stops here where its value comes out as it was."""
    v = links.order[links.component_ptr[c]]
    nothing = zero(kind)
    room.tally[REWORKED] += 1
    lost, gained = IMPOSSIBLE, IMPOSSIBLE
    h = queue.first[c]
    queue.first[c] = NONE
    while h != NONE:
        before, made[h] = made[h], product(kind, links, weight, value, h)
        note(room, h, before)
        room.tally[WORK] += int(made[h] > nothing) - int(before > nothing)
        lost, gained = max(lost, before), max(gained, made[h])
        queue.marked[h] = False
        h = queue.after[h]
    old = value[v]
    if kind in (VITERBI, BOOLEAN) and (lost < old or gained >= old):
        # What made the maximum is still there, or something as good has come: no need to look further.
        now = max(old, gained)
    else:
        now = total(kind, made, links.into, links.into_ptr[v], links.into_ptr[v + 1])
    if now != old:
        # Its height is 0, before and after.
        room.old_height[room.tally[NODES]] = 0
        note_node(room, v, old)
        value[v] = now
        for p in range(links.use_ptr[v], links.use_ptr[v + 1]):
            mark(links, room, queue, links.owner[links.use[p]])


@bare
def rework_cycles(kind, links, weight, value, made, height, c, room, queue):
    """A component with cycles; returns as `complete` does."""
    nothing = zero(kind)
    first_hyperedge, first_node = room.tally[HYPEREDGES], room.tally[NODES]
    h = queue.first[c]
    while h != NONE:
        set_made(kind, made, room, h, product(kind, links, weight, value, h))
        h = queue.after[h]
    taken = take_down(kind, links, value, made, height, c, room, queue)
    # What is left for those taken down, and what is new for the others.
    for p in range(taken):
        v = queue.taken[p]
        for q in range(links.into_ptr[v], links.into_ptr[v + 1]):
            h = links.into[q]
            if made[h] > nothing:
                offer(value, height, room, v, made[h], height_of(links, value, height, h, made[h]))
    h = queue.first[c]
    while h != NONE:
        if made[h] > nothing:
            high = height_of(links, value, height, h, made[h])
            offer(value, height, room, links.head[h], made[h], high)
        h = queue.after[h]
    clear(queue, c)
    wrong = complete(kind, links, weight, value, made, height, room)
    for p in range(first_hyperedge, room.tally[HYPEREDGES]):
        room.noted[room.hyperedge[p]] = False
        if wrong < 0 and exceeds(links, value, made, room.hyperedge[p], c):
            wrong = np.int64(room.hyperedge[p])
    for p in range(first_node, room.tally[NODES]):
        room.noted_node[room.node[p]] = False
    if wrong >= 0:
        for p in range(room.tally[WAITING]):
            room.where[room.heap[p]] = 0
        room.tally[WAITING] = 0
        return wrong
    room.tally[REWORKED] += max(1, room.tally[NODES] - first_node)
    for p in range(first_node, room.tally[NODES]):
        v = room.node[p]
        if value[v] != room.old_value[p]:
            for q in range(links.use_ptr[v], links.use_ptr[v + 1]):
                h = links.owner[links.use[q]]
                if links.component[links.head[h]] != c:
                    mark(links, room, queue, h)
    return -1


@njit(inline="always")
def take_down(kind, links, value, made, height, c, room, queue):
    """Nodes that nothing supports any longer lose their value, and so on upwards; returns how many."""
    nothing = zero(kind)
    taken = 0
    h = queue.first[c]
    while h != NONE:
        v = links.head[h]
        if value[v] > nothing and not supported(links, value, made, height, v):
            set_value(value, height, room, v, nothing, 0)
            queue.taken[taken] = v
            taken += 1
        h = queue.after[h]
    done = 0
    while done < taken:
        u = queue.taken[done]
        done += 1
        for p in range(links.inner_ptr[u], links.inner_ptr[u + 1]):
            h = links.inner[p]
            v = links.head[h]
            if made[h] > nothing:
                set_made(kind, made, room, h, nothing)
                if value[v] > nothing and not supported(links, value, made, height, v):
                    set_value(value, height, room, v, nothing, 0)
                    queue.taken[taken] = v
                    taken += 1
    return taken


@njit(inline="always")
def supported(links, value, made, height, v):
    """Whether some hyperedge still makes node v, with the value and the height that it has."""
    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
        h = links.into[p]
        if made[h] == value[v] and height_of(links, value, height, h, made[h]) == height[v]:
            return True
    return False


@njit(inline="always")
def exceeds(links, value, made, h, c):
    """Whether hyperedge h makes more than a tail of the component is worth."""
    for a in range(links.ptr[h], links.ptr[h + 1]):
        t = links.tail[a]
        if links.component[t] == c and made[h] > value[t]:
            return True
    return False


@njit(inline="always")
def clear(queue, c):
    """Nothing of a component is to be worked out any more."""
    h = queue.first[c]
    queue.first[c] = NONE
    while h != NONE:
        queue.marked[h] = False
        h = queue.after[h]


@njit(inline="always")
def mark(links, room, queue, h):
    """Hyperedge h must be worked out when its head's component has its turn."""
    if not queue.marked[h]:
        c = links.component[links.head[h]]
        if queue.first[c] == NONE:
            push(queue.heap, room.tally, c)
        queue.marked[h] = True
        queue.after[h] = queue.first[c]
        queue.first[c] = h


@bare
def push(heap, tally, c):
    """Put component c into the heap, the smallest on top."""
    p = tally[CHANGING]
    tally[CHANGING] += 1
    while p > 0 and heap[(p - 1) >> 1] > c:
        heap[p] = heap[(p - 1) >> 1]
        p = (p - 1) >> 1
    heap[p] = c


@bare
def pop(heap, tally):
    """The smallest component."""
    top = np.int64(heap[0])
    size = tally[CHANGING] - 1
    tally[CHANGING] = size
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
    return top
