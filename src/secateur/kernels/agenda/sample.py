"""An agenda whose next item is drawn, and what is to be known of such a run for its gradient.

The search itself is that of run.py: what its heap holds after a pop is what came to wait, or waits with
another priority. That moves on into a tree of lots (lots.py), and back comes the one item that was drawn.

An item waits from step to step with one priority: a *stay*. At each of its steps its probability was
exp(key) / Z of the step, so from the stays and the log of Z follow all sums over what waited, and no step
has to look at what waits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .heap import is_before, put
from .lots import drawn, empty_tree, join_all, key_of, larger_tree, log_total, set_key, set_leaf, uniform
from .priorities import How, Limits, Priorities
from .run import advanced, started, work
from .state import BYTES, EMPTY, FOUND, ITEMS, MORE_ROOM, NONE, POPPED, POPS, WAITING, State, longer

MORE_LOTS = -2
MANY = 256  # of what comes at once: then the whole tree is joined anew, as at the start, where all words come
# What Lots.tally counts.
STAYS, COUNTS = range(2)
_LEAVES, _STAYS, _STEPS = 1 << 11, 1 << 12, 1 << 8


class Lead(NamedTuple):
    """How a run is drawn."""

    names: np.ndarray  # [M] uint64 of the oracle's items, sorted
    rate: float  # share of the steps at which the oracle leads, if one of its items waits
    look: bool  # whether to say of each step what the oracle would have popped
    seed: int


class Lots(NamedTuple):
    """L leaves, S stays and P steps for which there is room; M items of the oracle; D dynamic features.

    The facts of an item, which its priority depends on and which change: its score and dynamic features.
    """

    tally: np.ndarray  # [COUNTS] int64
    tree: np.ndarray  # [2L, 2] float64
    since: np.ndarray  # [L] uint32 by item: the first step of its stay ...
    facts: np.ndarray  # [L, 1+D] float64 ... and its facts then
    stay_item: np.ndarray  # [S] uint32
    stay_key: np.ndarray  # [S] float64
    stay_facts: np.ndarray  # [S, 1+D] float64
    stay_first: np.ndarray  # [S] uint32 from this step ...
    stay_last: np.ndarray  # [S] uint32 ... to before this one
    log_z: np.ndarray  # [P] float64 by step
    popped: np.ndarray  # [P, 1+D] float64 the facts of what was popped
    own: np.ndarray  # [P] bool, whether the policy drew it
    label: np.ndarray  # [P] uint32 the oracle's item; NONE where there is none, or nobody looked
    label_facts: np.ndarray  # [P, 1+D] float64
    oracle: np.ndarray  # [M] uint32 those of the oracle's items that wait, or NONE


class Drawn(NamedTuple):
    """A run; kernels return its fields as plain tuples."""

    status: int
    state: State
    lots: Lots


@njit(cache=True, nogil=True)
def no_lots(members, facts):
    return Lots(
        np.zeros(COUNTS, np.int64),
        empty_tree(_LEAVES),
        np.empty(_LEAVES, np.uint32),
        np.empty((_LEAVES, facts), np.float64),
        np.empty(_STAYS, np.uint32),
        np.empty(_STAYS, np.float64),
        np.empty((_STAYS, facts), np.float64),
        np.empty(_STAYS, np.uint32),
        np.empty(_STAYS, np.uint32),
        np.empty(_STEPS, np.float64),
        np.empty((_STEPS, facts), np.float64),
        np.empty(_STEPS, np.bool_),
        np.empty(_STEPS, np.uint32),
        np.empty((_STEPS, facts), np.float64),
        np.full(members, NONE, np.uint32),
    )


@bare
def has_lots(state, lots):
    """Whether what came to wait fits in, and another step."""
    return (
        state.tally[ITEMS] <= lots.since.shape[0]
        and lots.tally[STAYS] + state.tally[WAITING] + 1 <= lots.stay_item.shape[0]
        and state.tally[POPPED] < lots.log_z.shape[0]
    )


@njit(cache=True, nogil=True)
def more_lots(state, lots):
    """The same with more room."""
    tree = lots.tree
    while tree.shape[0] // 2 < state.tally[ITEMS]:
        tree = larger_tree(tree)
    items = tree.shape[0] // 2
    stays = 2 * (lots.stay_item.shape[0] + state.tally[WAITING])
    steps = 2 * lots.log_z.shape[0]
    return Lots(
        lots.tally,
        tree,
        longer(lots.since, items),
        longer(lots.facts, items),
        longer(lots.stay_item, stays),
        longer(lots.stay_key, stays),
        longer(lots.stay_facts, stays),
        longer(lots.stay_first, stays),
        longer(lots.stay_last, stays),
        longer(lots.log_z, steps),
        longer(lots.popped, steps),
        longer(lots.own, steps),
        longer(lots.label, steps),
        longer(lots.label_facts, steps),
        lots.oracle,
    )


@bare
def member(names, name):
    """Where a name is among sorted ones; -1: nowhere."""
    low, high = 0, names.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if names[middle] < name:
            low = middle + 1
        else:
            high = middle
    return low if low < names.shape[0] and names[low] == name else -1


@bare
def copy_to(into, at, facts, item):
    for fact in range(into.shape[1]):
        into[at, fact] = facts[item, fact]


@bare
def end_stay(lots, item, step):
    """An item waits no more as it did, before this step."""
    if lots.since[item] < step:
        at = lots.tally[STAYS]
        lots.stay_item[at], lots.stay_key[at] = item, key_of(lots.tree, item)
        copy_to(lots.stay_facts, at, lots.facts, item)
        lots.stay_first[at], lots.stay_last[at] = lots.since[item], step
        lots.tally[STAYS] += 1


@bare
def receive(state, lots, lead):
    """What the last pop made waits from this step on."""
    step, many = np.uint32(state.tally[POPPED]), state.tally[WAITING] > MANY
    for at in range(state.tally[WAITING]):
        item, key = state.waiting[at], state.key[at]
        state.place[item] = 0
        if key_of(lots.tree, item) > -np.inf:
            end_stay(lots, item, step)
        lots.since[item], lots.facts[item, 0] = step, state.made[item]
        for feature in range(state.dynamic.shape[1]):
            lots.facts[item, 1 + feature] = state.dynamic[item, feature]
        if many:
            set_leaf(lots.tree, item, key)
        else:
            set_key(lots.tree, item, key)
        place = member(lead.names, state.name[item])
        if place >= 0:
            lots.oracle[place] = item
    if many:
        join_all(lots.tree)
    state.tally[WAITING] = 0


@bare
def of_oracle(state, lots):
    """Of the oracle's items that wait the one which an agenda would pop first; NONE: none waits."""
    # The heap is empty: its first place serves to compare.
    best = NONE
    for item in lots.oracle:
        if item != NONE:
            key = key_of(lots.tree, item)
            if best == NONE or is_before(state, key, item, 0):
                best = item
                state.key[0], state.waiting[0] = key, item
    return best


@bare
def choose(state, lots, lead):
    """Put the next item into the heap, alone."""
    step = state.tally[POPPED]
    leads = lead.rate > 0.0 and uniform(lead.seed, 2 * step) < lead.rate
    label = of_oracle(state, lots) if leads or lead.look else NONE
    lots.label[step] = label
    if label != NONE:
        copy_to(lots.label_facts, step, lots.facts, label)
    lots.log_z[step] = log_total(lots.tree)
    lots.own[step] = not (leads and label != NONE)
    item = drawn(lots.tree, uniform(lead.seed, 2 * step + 1)) if lots.own[step] else label
    copy_to(lots.popped, step, lots.facts, item)
    end_stay(lots, item, np.uint32(step + 1))
    key = key_of(lots.tree, item)
    set_key(lots.tree, item, -np.inf)
    place = member(lead.names, state.name[item])
    if place >= 0:
        lots.oracle[place] = NONE
    put(state, item, key)


@bare
def draw_on(rules, joins, anchors, priorities, how, limits, lead, state, lots):
    """Until there is a complete parse, nothing waits, a limit is reached, or room is needed."""
    while True:
        if not has_lots(state, lots):
            return MORE_LOTS
        receive(state, lots, lead)
        if lots.tree[1, 1] == 0.0:
            return EMPTY
        if state.tally[POPPED] >= limits.pops:
            return POPS
        choose(state, lots, lead)
        code = work(rules, joins, anchors, priorities, how, state, state.tally[POPPED] + 1)
        if code in (FOUND, MORE_ROOM):
            return code


@njit(cache=True, nogil=True)
def sampled(rules, joins, words, mask, anchors, priorities, how, limits, lead):
    """A run to its first complete parse: how it ended, its state and its lots."""
    state = started(rules, words, mask, anchors, priorities, how, 1 << 8)
    lots = no_lots(lead.names.shape[0], 1 + priorities.dynamic.shape[0])
    while True:
        code = draw_on(rules, joins, anchors, priorities, how, limits, lead, state, lots)
        if code == MORE_LOTS:
            lots = more_lots(state, lots)
        elif code == MORE_ROOM:
            code, state = advanced(rules, joins, anchors, priorities, how, limits, state, 1)
            if code in (FOUND, POPS, BYTES):
                return code, state, lots
        else:
            return code, state, lots


@njit(cache=True, nogil=True)
def _sampled_fields(rules, joins, words, mask, anchors, priorities, how, limits, lead):
    code, state, lots = sampled(rules, joins, words, mask, anchors, priorities, how, limits, lead)
    return code, state[:], lots[:]


def sample(
    rules: Any,
    joins: Any,
    words: Any,
    mask: Any,
    anchors: Any,
    priorities: Priorities,
    how: How,
    limits: Limits,
    lead: Lead,
) -> Drawn:
    """`sampled`, called from Python."""
    code, state, lots = _sampled_fields(rules, joins, words, mask, anchors, priorities, how, limits, lead)
    return Drawn(code, State(*state), Lots(*lots))
