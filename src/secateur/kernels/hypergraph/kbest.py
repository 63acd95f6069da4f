"""The k best derivations, found lazily: a node's next one is worked out when something above it needs it.

After Huang and Chiang (2005), algorithm 3. An entry is a derivation, or a candidate for one: a hyperedge, and
an entry of each of its tails. Entry v < N is node v's best derivation, known from Viterbi. Order of a node's
derivations: the larger value (weight + first tail + second tail ... in float64), then the hyperedge with the
smaller number, then from left to right the tails' derivations by this order. So the first is Viterbi's.

With cycles, a derivation must be worse than its parts in the same component, or there is no such order; a
hyperedge that costs nothing is named.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .hypergraph import IMPOSSIBLE, NONE, best_into

END = NONE  # as `following`: there is no other derivation
UNKNOWN = np.uint32(0xFFFFFFFE)  # not worked out yet

ENTRIES, BELOW, WRONG = range(3)  # what Pool.tally counts
FULL = -1  # answers of `search`
FREE = -2


class Pool(NamedTuple):
    """Room for E entries."""

    hyperedge: np.ndarray  # [E] uint32
    worth: np.ndarray  # [E] float64
    rank: np.ndarray  # [E] uint32, among the derivations of the node, from 0 on
    following: np.ndarray  # [E] uint32, the node's next one
    start: np.ndarray  # [E] uint32, the first tail that candidates made from this one may change
    at: np.ndarray  # [E] uint32, where its tails' entries begin ...
    below: np.ndarray  # [B] uint32, ... in here
    child: np.ndarray  # [E] uint32, pairing heaps of candidates: the first below ...
    sibling: np.ndarray  # [E] uint32, ... and the next beside
    root: np.ndarray  # [N] uint32, a node's heap
    built: np.ndarray  # [N] bool, whether there is one
    frame: np.ndarray  # [E] uint32, entries whose next one is being worked out ...
    done: np.ndarray  # [E] uint32, ... and how many of their tails are
    tally: np.ndarray  # [3] int64


@njit(cache=True, nogil=True)
def pool_for(nodes, entries, below):
    return Pool(
        np.empty(entries, np.uint32),
        np.empty(entries),
        np.zeros(entries, np.uint32),
        np.full(entries, UNKNOWN),
        np.zeros(entries, np.uint32),
        np.empty(entries, np.uint32),
        np.empty(below, np.uint32),
        np.full(entries, NONE),
        np.full(entries, NONE),
        np.full(nodes, NONE),
        np.zeros(nodes, np.bool_),
        np.empty(entries, np.uint32),
        np.empty(entries, np.uint32),
        np.zeros(3, np.int64),
    )


@njit(cache=True, nogil=True)
def search(links, weight, value, made, height, goal, found, pool):
    """Put up to len(found) entries of the goal, best first, into `found`; returns how many there are.

    FULL: the pool has no room left. FREE: pool.tally[WRONG] is a hyperedge that costs nothing in a cycle.
    """
    if not first_entries(links, value, made, height, pool):
        return FULL
    found[0] = goal
    for count in range(1, found.shape[0]):
        answer = advance(links, weight, value, made, found[count - 1], pool)
        if answer < 0:
            return answer
        if pool.following[found[count - 1]] == END:
            return count
        found[count] = pool.following[found[count - 1]]
    return found.shape[0]


@njit(cache=True, nogil=True)
def first_entries(links, value, made, height, pool):
    """The best derivation of each node that has one; False if there is no room."""
    nodes = links.order.shape[0]
    below = 0
    for v in range(nodes):
        if value[v] == IMPOSSIBLE:
            continue
        h = best_into(links, value, made, height, v)
        arity = np.int64(links.ptr[h + 1]) - np.int64(links.ptr[h])
        if below + arity > pool.below.shape[0]:
            return False
        pool.hyperedge[v] = h
        pool.worth[v] = value[v]
        pool.at[v] = below
        for a in range(arity):
            pool.below[below + a] = links.tail[links.ptr[h] + a]
        below += arity
    pool.tally[ENTRIES] = nodes
    pool.tally[BELOW] = below
    return True


@njit(cache=True, nogil=True)
def advance(links, weight, value, made, entry, pool):
    """Work out what follows an entry: an explicit stack, as derivations can be deep."""
    pool.frame[0] = entry
    pool.done[0] = 0
    depth = 1
    while depth:
        e = pool.frame[depth - 1]
        h = pool.hyperedge[e]
        v = links.head[h]
        if not pool.built[v]:
            answer = build(links, weight, value, made, v, pool)
            if answer < 0:
                return answer
        place = np.int64(pool.start[e]) + np.int64(pool.done[depth - 1])
        if place < np.int64(links.ptr[h + 1]) - np.int64(links.ptr[h]):
            following = pool.following[pool.below[pool.at[e] + place]]
            if following == UNKNOWN:
                pool.frame[depth] = pool.below[pool.at[e] + place]
                pool.done[depth] = 0
                depth += 1
                continue
            pool.done[depth - 1] += 1
            if following != END:
                answer = candidate(links, weight, h, e, place, following, pool)
                if answer < 0:
                    return answer
            continue
        depth -= 1
        if pool.root[v] == NONE:
            pool.following[e] = END
        else:
            best = take(links, pool, v)
            pool.rank[best] = pool.rank[e] + 1
            pool.following[e] = best
    return 0


@njit(cache=True, nogil=True)
def build(links, weight, value, made, v, pool):
    """Candidates of the hyperedges into a node but its best one, each with the best of its tails."""
    pool.built[v] = True
    for p in range(links.into_ptr[v], links.into_ptr[v + 1]):
        h = links.into[p]
        if made[h] > IMPOSSIBLE and h != pool.hyperedge[v]:
            answer = candidate(links, weight, h, NONE, 0, NONE, pool)
            if answer < 0:
                return answer
    return 0


@njit(cache=True, nogil=True)
def candidate(links, weight, h, like, place, entry, pool):
    """A candidate with the tails of the entry `like` but for one place (of NONE: with the tails' best)."""
    e, at = pool.tally[ENTRIES], pool.tally[BELOW]
    begin = np.int64(links.ptr[h])
    arity = np.int64(links.ptr[h + 1]) - begin
    # The stack of frames may hold every entry, too.
    if e + 1 >= pool.worth.shape[0] or at + arity > pool.below.shape[0]:
        return FULL
    c = links.component[links.head[h]]
    worth = weight[h]
    least = np.inf
    for a in range(arity):
        below = links.tail[begin + a] if like == NONE else pool.below[pool.at[like] + a]
        if like != NONE and a == place:
            below = entry
        pool.below[at + a] = below
        worth += pool.worth[below]
        if links.component[links.tail[begin + a]] == c:
            least = min(least, pool.worth[below])
    if worth >= least:
        pool.tally[WRONG] = h
        return FREE
    pool.hyperedge[e] = h
    pool.worth[e] = worth
    pool.start[e] = place
    pool.at[e] = at
    pool.tally[ENTRIES] += 1
    pool.tally[BELOW] += arity
    v = links.head[h]
    pool.root[v] = meld(links, pool, pool.root[v], np.uint32(e))
    return 0


@njit(inline="always")
def earlier(links, pool, a, b):
    """Whether entry a comes before b in the order of their node's derivations."""
    if pool.worth[a] != pool.worth[b]:
        return pool.worth[a] > pool.worth[b]
    h = pool.hyperedge[a]
    if h != pool.hyperedge[b]:
        return h < pool.hyperedge[b]
    for p in range(np.int64(links.ptr[h + 1]) - np.int64(links.ptr[h])):
        left, right = pool.rank[pool.below[pool.at[a] + p]], pool.rank[pool.below[pool.at[b] + p]]
        if left != right:
            return left < right
    return False


@njit(cache=True, nogil=True)
def meld(links, pool, a, b):
    """Two heaps become one; either may be NONE."""
    if a == NONE:
        return b
    if b == NONE:
        return a
    if earlier(links, pool, b, a):
        a, b = b, a
    pool.sibling[b] = pool.child[a]
    pool.child[a] = b
    return a


@njit(cache=True, nogil=True)
def take(links, pool, v):
    """A node's best candidate, out of its heap."""
    best = pool.root[v]
    rest = pool.child[best]
    pairs = NONE
    while rest != NONE:
        one, other = rest, pool.sibling[rest]
        rest = NONE if other == NONE else pool.sibling[other]
        one = meld(links, pool, one, other)
        pool.sibling[one] = pairs
        pairs = one
    root = NONE
    while pairs != NONE:
        one, pairs = pairs, pool.sibling[pairs]
        root = meld(links, pool, root, one)
    pool.root[v] = root
    return best


@njit(cache=True, nogil=True)
def unfold(links, pool, entry, found, limit):
    """Put an entry's hyperedges, parents first, into `found`, if they fit: how many, up to limit + 1."""
    waiting = np.empty(64, np.uint32)
    waiting[0] = entry
    depth = 1
    count = 0
    while depth and count <= limit:
        depth -= 1
        e = waiting[depth]
        h = pool.hyperedge[e]
        if count < found.shape[0]:
            found[count] = h
        count += 1
        arity = np.int64(links.ptr[h + 1]) - np.int64(links.ptr[h])
        while depth + arity > waiting.shape[0]:
            waiting = np.concatenate((waiting, waiting))
        for a in range(arity - 1, -1, -1):
            waiting[depth] = pool.below[pool.at[e] + a]
            depth += 1
    return count
