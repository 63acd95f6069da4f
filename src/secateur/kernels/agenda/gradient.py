"""What a drawn run points to, as coefficients of what its items' priorities are sums of.

With g_t the gradient of log p(a_t), and c_t what step t is credited with,

    sum_t c_t g_t = sum_t c_t phi(a_t) - sum_j phi(j) sum_{t in the stay of j} c_t exp(key_j - log Z_t)

over stays j. Sums of c_t / Z_t over stretches of steps come from a binary tree over the steps, each place
of which is relative to the largest 1 / Z in it: nothing is subtracted, so nothing is lost where Z rises and
falls by many orders of magnitude.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from ..cky.sparse import UNARY, cell_of
from .derivation import goal_of, steps_of
from .priorities import Priorities
from .sample import STAYS, Drawn, member, sampled
from .state import FOUND, ITEMS, NONE, POPPED, PUSHES, is_over, start_of, symbol_of, width_of

NEVER = -80.0  # nats: what is likelier than this at no step is of no weight
CREDIT, SCORE = range(2)  # what is summed: c_t g_t of all steps, and g_t of those the policy drew


class Earning(NamedTuple):
    """What a pop earns: 1 the first time that it is of something wanted, less its price.

    A complete parse earns 1 less what was earned for things that are not in it (the NIPS paper's eq. 8).
    """

    wanted: np.ndarray  # [M] uint64 sorted: cells * width + column, twice that and whether over if `twice`
    column: np.ndarray  # [N] uint32 of a symbol
    width: int
    twice: bool
    by_push: bool  # the price is for a push, not for a pop
    price: float
    discount: float


class Sums(NamedTuple):
    """What `features.priority.PriorityFeatures.gathered` takes, for CREDIT and for SCORE."""

    inside: np.ndarray  # [2] float64
    span: np.ndarray  # [2, n+1, n+1]
    first: np.ndarray  # [2, n+1, C]
    last: np.ndarray  # [2, n+1, C]
    outside: np.ndarray  # [2, cells, M]
    dynamic: np.ndarray  # [2, D]


class Learned(NamedTuple):
    """A run and where it points to; kernels return its fields as a plain tuple."""

    sums: Any  # the fields of Sums
    steps: np.ndarray  # [S, 5] int64 of its parse, or none
    score: float
    status: int
    pops: int
    pushes: int
    items: int
    drawn: int  # pops that the policy drew; 0 where labels were learned
    reward: float
    credit: float  # of those


@bare
def key_among(by, name):
    """What an item is among what is wanted."""
    i = start_of(name)
    found = np.uint64(by.width) * np.uint64(cell_of(i, i + width_of(name)))
    found += np.uint64(by.column[symbol_of(name)])
    return np.uint64(2) * found + np.uint64(is_over(name)) if by.twice else found


@njit(cache=True, nogil=True)
def astray(rules, state, by, seen):
    """How many of the wanted things that were popped are not in the parse."""
    steps, there = steps_of(state, goal_of(rules, state)), np.zeros(seen.shape[0], np.bool_)
    for s in range(steps.shape[0]):
        kind, symbol, i, k, _ = steps[s]
        key = np.uint64(by.width) * np.uint64(cell_of(i, k)) + np.uint64(by.column[symbol])
        if by.twice:
            key = np.uint64(2) * key + np.uint64(kind == UNARY)
        place = member(by.wanted, key)
        if place >= 0:
            there[place] = True
    return (seen & ~there).sum()


@njit(cache=True, nogil=True)
def earnings(rules, state, status, by):
    """[T] of each pop."""
    steps = state.tally[POPPED]
    found, seen = np.zeros(steps), np.zeros(by.wanted.shape[0], np.bool_)
    for t in range(steps):
        place = member(by.wanted, key_among(by, state.name[state.log_item[t]]))
        last = status == FOUND and t == steps - 1
        if place >= 0 and not seen[place] and not last:
            seen[place] = True
            found[t] = 1.0
        if last:
            found[t] = 1.0 - astray(rules, state, by, seen)
        after = state.log_pushes[t + 1] if t + 1 < steps else state.tally[PUSHES]
        found[t] -= by.price * ((after - state.log_pushes[t]) if by.by_push else 1)
    return found


@njit(cache=True, nogil=True)
def credits_of(earned, discount):
    """[T] G_t = r_t + discount * G_{t+1}"""
    found, later = np.empty(earned.shape[0]), 0.0
    for t in range(earned.shape[0] - 1, -1, -1):
        later = earned[t] + discount * later
        found[t] = later
    return found


@njit(cache=True, nogil=True)
def stretches(log_z, credit, own):
    """[2P, 3] of places: the largest -log Z, the sums of credit / Z, and of 1 / Z where `own`, next to it."""
    steps, leaves = log_z.shape[0], 1
    while leaves < steps:
        leaves *= 2
    tree = np.zeros((2 * leaves, 3))
    tree[:, 0] = -np.inf
    for t in range(steps):
        tree[leaves + t] = -log_z[t], credit[t], own[t]
    for place in range(leaves - 1, 0, -1):
        high, low = 2 * place, 2 * place + 1
        if tree[high, 0] < tree[low, 0]:
            high, low = low, high
        tree[place] = tree[high]
        if tree[low, 0] > -np.inf:
            less = math.exp(tree[low, 0] - tree[high, 0])
            tree[place, 1] += less * tree[low, 1]
            tree[place, 2] += less * tree[low, 2]
    return tree


@bare
def expected(tree, key, first, last):
    """sum_{first <= t < last} c_t exp(key - log Z_t), for both"""
    credit, score, half = 0.0, 0.0, tree.shape[0] // 2
    if key + tree[1, 0] < NEVER:
        return credit, score
    low, high = half + np.int64(first), half + np.int64(last)
    while low < high:
        place = low
        if low & 1:
            low += 1
        elif high & 1:
            high -= 1
            place = high
        else:
            low, high = low >> 1, high >> 1
            continue
        share = math.exp(key + tree[place, 0])
        credit += share * tree[place, 1]
        score += share * tree[place, 2]
    return credit, score


@bare
def add(sums, priorities, name, facts, at, credit, own):
    """An item with these coefficients, whose facts stand at this place."""
    i, x = start_of(name), symbol_of(name)
    k, column = i + width_of(name), priorities.column[x]
    outside, seen, cell = sums.outside.shape[1], priorities.seen[x], cell_of(i, k)
    for which in range(2):
        c = credit if which == CREDIT else own
        sums.inside[which] += c * facts[at, 0]
        sums.span[which, i, k] += c
        sums.first[which, i, column] += c
        sums.last[which, k, column] += c
        if outside:
            sums.outside[which, cell, seen] += c
        for feature in range(sums.dynamic.shape[1]):
            sums.dynamic[which, feature] += c * facts[at, 1 + feature]


@njit(cache=True, nogil=True)
def add_run(sums, priorities, state, lots, credit, own, labels):
    """All of a run; with `labels` it is the oracle's items that are made more likely, not what was popped."""
    steps, leaves = state.tally[POPPED], lots.since.shape[0]
    tree = stretches(lots.log_z[:steps], credit, own)
    items, facts = (lots.label, lots.label_facts) if labels else (state.log_item, lots.popped)
    for t in range(steps):
        item = items[t]
        if item != NONE:
            add(sums, priorities, state.name[item], facts, t, credit[t], own[t])
    for s in range(lots.tally[STAYS]):
        last = min(np.int64(lots.stay_last[s]), steps)
        a, b = expected(tree, lots.stay_key[s], lots.stay_first[s], last)
        if a != 0.0 or b != 0.0:
            add(sums, priorities, state.name[lots.stay_item[s]], lots.stay_facts, s, -a, -b)
    for item in range(leaves):
        key = lots.tree[leaves + item, 0]
        if key > -np.inf and lots.since[item] < steps:
            a, b = expected(tree, key, lots.since[item], steps)
            if a != 0.0 or b != 0.0:
                add(sums, priorities, state.name[item], lots.facts, item, -a, -b)


@njit(cache=True, nogil=True)
def no_sums(n, priorities):
    outside, columns = priorities.outside, priorities.first.shape[1]
    return Sums(
        np.zeros(2),
        np.zeros((2, n + 1, n + 1)),
        np.zeros((2, n + 1, columns)),
        np.zeros((2, n + 1, columns)),
        np.zeros((2, outside.shape[0], outside.shape[1])),
        np.zeros((2, priorities.dynamic.shape[0])),
    )


@njit(cache=True, nogil=True)
def gradient_of(rules, priorities, status, state, lots, by, labels):
    """The sums of a run, the reward, and the credit of what the policy drew.

    With `labels` each step is credited with 1 for what the oracle would have popped, if it would have any.
    """
    steps = state.tally[POPPED]
    sums = no_sums(state.best.shape[0] - 1, priorities)
    earned = earnings(rules, state, status, by)
    own = lots.own[:steps].astype(np.float64)
    if labels:
        credit = (lots.label[:steps] != NONE).astype(np.float64)
        own[:] = 0.0
    else:
        credit = credits_of(earned, by.discount)
    if steps:
        add_run(sums, priorities, state, lots, credit, own, labels)
    return sums, earned.sum(), (credit * own).sum()


@njit(cache=True, nogil=True)
def _sums_fields(priorities, state, lots, credit, own, labels):
    sums = no_sums(state.best.shape[0] - 1, priorities)
    add_run(sums, priorities, state, lots, credit, own, labels)
    return sums[:]


@njit(cache=True, nogil=True)
def learned(rules, joins, words, mask, anchors, priorities, how, limits, lead, by):
    """The fields of Learned: a run and its gradient, in one call."""
    code, state, lots = sampled(rules, joins, words, mask, anchors, priorities, how, limits, lead)
    sums, reward, credit = gradient_of(rules, priorities, code, state, lots, by, lead.look)
    steps, goal = state.tally[POPPED], goal_of(rules, state)
    found = steps_of(state, goal) if goal != NONE else np.empty((0, 5), np.int64)
    score = state.made[goal] if goal != NONE else np.float32(-np.inf)
    drawn = 0 if lead.look else lots.own[:steps].sum()
    return sums[:], found, score, code, steps, state.tally[PUSHES], state.tally[ITEMS], drawn, reward, credit


def sums_of(priorities: Priorities, run: Drawn, credit: Any, own: Any, *, labels: bool = False) -> Sums:
    """`add_run`, called from Python: with any credits [T], and any shares [T] for SCORE."""
    return Sums(*_sums_fields(priorities, run.state, run.lots, credit, own, labels))
