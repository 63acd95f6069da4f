"""Many changes of the same state, each tried and taken back: what the goal is then worth, how much work there
is, and the best derivation where it is another.

The best derivation stays as it is unless, at one of its nodes, its own hyperedge makes something else or
another one comes to make as much: only then is it walked again.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .best_first import HYPEREDGES, NODES
from .change import propagate
from .hypergraph import IMPOSSIBLE, NONE, grow, walk, zero


@njit(cache=True, nogil=True)
def try_flips(
    kind,
    links,
    start,
    weight,
    value,
    made,
    height,
    cost,
    node_cost,
    best,
    goal,
    ptr,
    which,
    room,
    queue,
    limit,
):
    """For each g, with the hyperedges which[ptr[g]:ptr[g+1]] switched on or off: the goal's value [G];
    the sum of `cost` and `node_cost` over what comes, less what goes [G]; whether the best
    derivation is another [G]; and where each g's hyperedges end [G] among those of the others.

    `start` are the weights of what is on, `best` is the best derivation's hyperedges. Stops at a change that
    leads round a cycle for nothing, or to a derivation of more than `limit` hyperedges: the last number
    returned is the hyperedge, or -2; else -1.
    """
    groups = ptr.shape[0] - 1
    nothing = zero(kind)
    own = np.full(value.shape[0], NONE, np.uint32)  # the best derivation's hyperedge into a node
    worth = np.empty(value.shape[0])
    for h in best:
        own[links.head[h]] = h
        worth[links.head[h]] = value[links.head[h]]
    values, works = np.empty(groups), np.zeros(groups, cost.dtype)
    other, ends = np.zeros(groups, np.bool_), np.zeros(groups, np.int64)
    found = np.empty(1024, np.uint32)
    count, wrong = 0, np.int64(-1)
    for g in range(groups):
        changed = which[ptr[g] : ptr[g + 1]]
        before = weight[changed]
        for p in range(changed.shape[0]):
            h = changed[p]
            weight[h] = IMPOSSIBLE if before[p] > IMPOSSIBLE else start[h]
        wrong = propagate(kind, links, weight, value, made, height, changed, room, queue)
        touched = False
        for p in range(room.tally[HYPEREDGES]):
            h = room.hyperedge[p]
            works[g] += cost[h] * (int(made[h] > nothing) - int(room.old_made[p] > nothing))
            v = links.head[h]
            if own[v] != NONE:
                touched = touched or own[v] == h or made[h] >= worth[v]
        values[g] = value[goal]
        for p in range(room.tally[NODES]):
            v = room.node[p]
            works[g] += node_cost[v] * (int(value[v] > nothing) - int(room.old_value[p] > nothing))
            if height.shape[0]:
                touched = touched or height[v] != room.old_height[p]
        if best.shape[0] == 0:
            touched = value[goal] > nothing
        if touched and wrong < 0:
            other[g] = True
            if value[goal] > nothing:
                size = walk(links, value, made, height, goal, found[count:], limit)
                while size <= limit and count + size > found.shape[0]:
                    found = grow(found)
                    size = walk(links, value, made, height, goal, found[count:], limit)
                if size > limit:
                    wrong = -2
                else:
                    count += size
        ends[g] = count
        for p in range(room.tally[HYPEREDGES]):
            made[room.hyperedge[p]] = room.old_made[p]
        for p in range(room.tally[NODES]):
            value[room.node[p]] = room.old_value[p]
            if height.shape[0]:
                height[room.node[p]] = room.old_height[p]
        for p in range(changed.shape[0]):
            weight[changed[p]] = before[p]
        if wrong != -1:
            break
    return values, works, other, ends, found[:count], wrong
