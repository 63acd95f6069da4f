"""What waits, each item with its lot: drawn is item a with probability exp(key of a) / Z.

A binary tree over the items by their numbers. A place of the tree holds the highest key below it, and the sum

    sum = sum over what waits below of exp(key - highest),    log Z = highest + log sum at the top

which is computed anew from the two places below whenever one of them changes. So nothing overflows however
far keys are apart, nothing drifts as items come and go, a change or a draw takes as many steps as the tree
is deep, and no draw is rejected. (Clocks that ring after Exp(1) / exp(key) would need Z besides, and lose
their order where rates are far apart; buckets of keys would need draws that are rejected.)
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..bare import bare

UNSEEN = -45.0  # nats: what is less by more than this, 2^64 times, changes no sum of doubles


@njit(cache=True, nogil=True)
def empty_tree(leaves):
    """[2 * leaves, 2] float64 highest key and sum; `leaves` is a power of two, the top is place 1."""
    tree = np.zeros((2 * leaves, 2))
    tree[:, 0] = -np.inf
    return tree


@njit(cache=True, nogil=True)
def larger_tree(tree):
    """With room for twice as many."""
    half = tree.shape[0] // 2
    found = empty_tree(2 * half)
    found[2 * half : 3 * half] = tree[half:]
    join_all(found)
    return found


@bare
def join(tree, place):
    """A place from the two below."""
    high, low = 2 * place, 2 * place + 1
    if tree[high, 0] < tree[low, 0]:
        high, low = low, high
    tree[place, 0], tree[place, 1] = tree[high, 0], tree[high, 1]
    if tree[low, 1] > 0.0 and tree[low, 0] > tree[high, 0] + UNSEEN:
        tree[place, 1] += tree[low, 1] * math.exp(tree[low, 0] - tree[high, 0])


@bare
def join_all(tree):
    """After changes to leaves alone."""
    for place in range(tree.shape[0] // 2 - 1, 0, -1):
        join(tree, place)


@bare
def set_leaf(tree, item, key):
    """An item's own place, and where it is."""
    place = tree.shape[0] // 2 + np.int64(item)
    tree[place, 0], tree[place, 1] = key, 0.0 if key == -np.inf else 1.0
    return place


@bare
def set_key(tree, item, key):
    """Let an item wait with this key; -inf: it waits no more."""
    place = set_leaf(tree, item, key)
    while place > 1:
        place >>= 1
        high, total = tree[place, 0], tree[place, 1]
        join(tree, place)
        # What is too small to be seen here is seen nowhere above.
        if tree[place, 0] == high and tree[place, 1] == total:
            return


@bare
def key_of(tree, item):
    """-inf: it does not wait."""
    return tree[tree.shape[0] // 2 + np.int64(item), 0]


@bare
def log_total(tree):
    """log Z; -inf where nothing waits."""
    return tree[1, 0] + math.log(tree[1, 1]) if tree[1, 1] > 0.0 else -np.inf


@bare
def drawn(tree, lot):
    """The item at this share of the whole, items being in the order of their numbers."""
    place, rest, half = np.int64(1), lot * tree[1, 1], tree.shape[0] // 2
    while place < half:
        top, left, right = tree[place, 0], 2 * place, 2 * place + 1
        below = tree[left, 1] * math.exp(tree[left, 0] - top)
        if rest < below or tree[right, 1] == 0.0:
            rest *= tree[left, 1] / below
            place = left
        else:
            above = tree[right, 1] * math.exp(tree[right, 0] - top)
            # A share so small that it is no number is of nothing: the first item there will do.
            rest = (rest - below) * tree[right, 1] / above if above > 0.0 else 0.0
            place = right
    return np.uint32(place - half)


@bare
def times(a, b):
    """The lower 64 bits of a product, by halves: without compilation an overflow would be warned of."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    inner = (a & low) * (b & low)
    outer = (inner >> half) + (((a >> half) * (b & low)) & low) + (((a & low) * (b >> half)) & low)
    return (outer & low) << half | inner & low


@bare
def uniform(seed, count):
    """A number in [0, 1) for each seed and count, mixed as splitmix64 does (Steele, Lea and Flood 2014)."""
    z = times(np.uint64(seed), np.uint64(0xD1342543DE82EF95))
    z ^= times(np.uint64(count) + np.uint64(1), np.uint64(0x9E3779B97F4A7C15))
    z = times(z ^ (z >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    z = times(z ^ (z >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
