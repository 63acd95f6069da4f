"""An agenda in which it is a choice what is popped next: among rivals, one of which comes first anyway.

Rivals are so many of those that come first, and some drawn from all that waits; and the best of the oracle's
items that wait, if that is wanted. They are in the order in which they first came up. With so many heads as
anything waits all are rivals, and none need be looked for.

The search is that of run.py: what was chosen is moved to the front of the heap, and popped there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .heap import is_before, put
from .lots import uniform
from .priorities import How, Limits, Priorities
from .run import advanced, started, work
from .sample import member
from .state import (
    BYTES,
    EMPTY,
    FOUND,
    ITEMS,
    MORE_ROOM,
    NONE,
    POPPED,
    POPS,
    WAITING,
    State,
    is_over,
    longer,
    start_of,
    symbol_of,
    width_of,
)

MORE_RIVALS, PAUSED = -3, -4
NEVER = 1 << 62  # pops, more than there are
_STEPS, _ROWS = 1 << 8, 1 << 10
# What Choices.tally counts.
ROWS, MET, COUNTS = range(3)


class Turns(NamedTuple):
    """How it is chosen, and at which step it is forced."""

    names: np.ndarray  # [M] uint64 of the oracle's items, sorted
    rate: float  # share of the steps at which the oracle leads, if one of its items waits
    later: float  # the same of the steps after the forced one
    hint: bool  # whether the best of its items that wait is a rival even where it never leads
    temperature: float  # 0: the first one is popped; else drawn is by exp(priority / temperature)
    heads: int  # rivals that come first, 1 or more
    others: int  # rivals drawn besides, twice as far behind being half as likely
    seed: int
    step: int  # at this step, -1: never, ...
    action: int  # ... this rival is popped


class Choices(NamedTuple):
    """What was chosen between. P steps and R rivals for which there is room; M items of the oracle."""

    tally: np.ndarray  # [COUNTS] int64
    kept: bool  # else there is no more to see than the last step's
    ptr: np.ndarray  # [P+1] int64, rivals of a step
    item: np.ndarray  # [R] uint32
    score: np.ndarray  # [R] float32 then
    action: np.ndarray  # [P] int64, the rival that was popped, counted from ptr
    front: np.ndarray  # [F] uint32 places of the heap below those that were looked at
    oracle: np.ndarray  # [M] uint32 its items' numbers; NONE: has not come up


class Chosen(NamedTuple):
    """A run; kernels return its fields as plain tuples."""

    status: int
    state: State
    choices: Choices


@njit(cache=True, nogil=True)
def no_choices(members, kept):
    return Choices(
        np.zeros(COUNTS, np.int64),
        kept,
        np.zeros(_STEPS + 1, np.int64),
        np.empty(_ROWS, np.uint32),
        np.empty(_ROWS, np.float32),
        np.empty(_STEPS, np.int64),
        np.empty(_ROWS, np.uint32),
        np.full(members, NONE, np.uint32),
    )


@bare
def most_rivals(state, turns):
    return min(state.tally[WAITING], turns.heads + turns.others + 1)


@bare
def has_choices(state, turns, choices):
    """Whether another step fits in."""
    if choices.item.shape[0] < choices.tally[ROWS] + most_rivals(state, turns):
        return False
    if choices.front.shape[0] < 4 * min(turns.heads, state.tally[WAITING]) + 1:
        return False
    return not choices.kept or state.tally[POPPED] < choices.action.shape[0]


@njit(cache=True, nogil=True)
def more_choices(state, turns, choices):
    """The same with more room."""
    rows = 2 * (choices.item.shape[0] + most_rivals(state, turns))
    steps = 2 * choices.action.shape[0]
    return Choices(
        choices.tally,
        choices.kept,
        longer(choices.ptr, steps + 1),
        longer(choices.item, rows),
        longer(choices.score, rows),
        longer(choices.action, steps),
        longer(choices.front, 4 * min(turns.heads, state.tally[WAITING]) + 1),
        choices.oracle,
    )


@bare
def meet(state, turns, choices):
    """Which of the oracle's items have come up."""
    if turns.names.shape[0] == 0:
        return
    for item in range(choices.tally[MET], state.tally[ITEMS]):
        place = member(turns.names, state.name[item])
        if place >= 0:
            choices.oracle[place] = item
    choices.tally[MET] = state.tally[ITEMS]


@bare
def of_oracle(state, choices):
    """Of the oracle's items that wait the one that comes first; NONE: none waits."""
    best = NONE
    for item in choices.oracle:
        if item != NONE and state.place[item] > 0:
            key = state.key[state.place[item] - 1]
            if best == NONE or is_before(state, key, item, np.int64(state.place[best]) - 1):
                best = item
    return best


@bare
def add_rival(found, first, end, item):
    """Where the rivals end with this one, which may be there already; sorted by number."""
    place = end
    while place > first and found[place - 1] > item:
        place -= 1
    if place > first and found[place - 1] == item:
        return end
    for at in range(end, place, -1):
        found[at] = found[at - 1]
    found[place] = item
    return end + 1


@bare
def first_ones(state, heads, front, found, first):
    """Those that come first: the first place, then the first of those that are next below."""
    size, end, count = state.tally[WAITING], first, 1
    front[0] = 0
    for _ in range(heads):
        best = 0
        for at in range(1, count):
            place = front[at]
            if is_before(state, state.key[place], state.waiting[place], front[best]):
                best = at
        top = np.int64(front[best])
        end = add_rival(found, first, end, state.waiting[top])
        count -= 1
        front[best] = front[count]
        for below in range(4 * top + 1, min(4 * top + 5, size)):
            front[count] = below
            count += 1
    return end


@bare
def rate_at(turns, step):
    return turns.later if 0 <= turns.step < step else turns.rate


@bare
def rivals(state, turns, label, choices):
    """Put them after those there are; where they begin and end."""
    first, found, size = choices.tally[ROWS], choices.item, state.tally[WAITING]
    if turns.heads >= size:
        end = first
        for item in range(state.tally[ITEMS]):
            if state.place[item] > 0:
                found[end] = item
                end += 1
        return first, end
    end = first_ones(state, turns.heads, choices.front, found, first)
    for other in range(turns.others):
        lot = lot_of(turns, state.tally[POPPED], 2 + other)
        # Near the top of a heap are those that come soon.
        place = min(np.int64(math.exp(lot * math.log(size))), size - 1)
        end = add_rival(found, first, end, state.waiting[place])
    if label != NONE and (turns.hint or rate_at(turns, state.tally[POPPED]) > 0.0):
        end = add_rival(found, first, end, label)
    return first, end


@bare
def lot_of(turns, step, which):
    return uniform(turns.seed, step * (2 + turns.others) + which)


@bare
def drawn_among(state, found, first, end, temperature, lot):
    """The rival at this share of the sum of exp(priority / temperature)."""
    highest, total = -np.inf, 0.0
    for at in range(first, end):
        highest = max(highest, state.key[state.place[found[at]] - 1])
    for at in range(first, end):
        total += math.exp((state.key[state.place[found[at]] - 1] - highest) / temperature)
    rest = lot * total
    for at in range(first, end):
        rest -= math.exp((state.key[state.place[found[at]] - 1] - highest) / temperature)
        if rest < 0.0:
            return at - first
    return end - 1 - first


@bare
def is_plain(turns, choices, step):
    """Whether the first one is popped, and nobody asks before which others."""
    if choices.kept or step == turns.step:
        return False
    return turns.temperature == 0.0 and rate_at(turns, step) == 0.0


@bare
def choose(state, turns, choices):
    """Put what is chosen first."""
    step = state.tally[POPPED]
    meet(state, turns, choices)
    rate = rate_at(turns, step)
    label = of_oracle(state, choices)
    first, end = rivals(state, turns, label, choices)
    found, item = choices.item, state.waiting[0]
    if step == turns.step:
        item = found[first + turns.action]
    elif label != NONE and lot_of(turns, step, 0) < rate:
        item = label
    elif turns.temperature > 0.0:
        lot = lot_of(turns, step, 1)
        item = found[first + drawn_among(state, found, first, end, turns.temperature, lot)]
    if choices.kept:
        for at in range(first, end):
            choices.score[at] = state.made[found[at]]
            if found[at] == item:
                choices.action[step] = at - first
        choices.ptr[step + 1] = choices.tally[ROWS] = end
    if item != state.waiting[0]:
        put(state, item, np.inf)


@bare
def choose_on(rules, joins, anchors, priorities, how, limits, turns, pause, state, choices):
    """Until there is a complete parse, nothing waits, a limit or a pause is reached, or room is needed."""
    tally = state.tally
    while True:
        if tally[WAITING] == 0:
            return EMPTY
        if tally[POPPED] >= limits.pops:
            return POPS
        if tally[POPPED] >= pause:
            return PAUSED
        if is_plain(turns, choices, tally[POPPED]):
            until = min(limits.pops, pause)
            if tally[POPPED] < turns.step:
                until = min(until, turns.step)
        else:
            until = tally[POPPED] + 1
            if not has_choices(state, turns, choices):
                return MORE_RIVALS
            choose(state, turns, choices)
        code = work(rules, joins, anchors, priorities, how, state, until)
        if code in (FOUND, MORE_ROOM):
            return code


@njit(cache=True, nogil=True)
def chosen_on(rules, joins, anchors, priorities, how, limits, turns, pause, state, choices):
    """The same with room for all: how it stands, its state and its choices."""
    while True:
        code = choose_on(rules, joins, anchors, priorities, how, limits, turns, pause, state, choices)
        if code == MORE_RIVALS:
            choices = more_choices(state, turns, choices)
        elif code == MORE_ROOM:
            # What was chosen is first: it is popped with more room.
            code, state = advanced(rules, joins, anchors, priorities, how, limits, state, 1)
            if code in (FOUND, POPS, BYTES):
                return code, state, choices
        else:
            return code, state, choices


@njit(cache=True, nogil=True)
def rows_of(names):
    """[R, 4] int32 i, k, symbol and whether with a unary, of items of these names."""
    found = np.empty((names.shape[0], 4), np.int32)
    for r in range(names.shape[0]):
        found[r, 0], found[r, 1] = start_of(names[r]), start_of(names[r]) + width_of(names[r])
        found[r, 2], found[r, 3] = symbol_of(names[r]), is_over(names[r])
    return found


@njit(cache=True, nogil=True)
def _chosen_fields(rules, joins, words, mask, anchors, priorities, how, limits, turns, kept):
    state = started(rules, words, mask, anchors, priorities, how, 0)
    choices = no_choices(turns.names.shape[0], kept)
    code, state, choices = chosen_on(
        rules, joins, anchors, priorities, how, limits, turns, NEVER, state, choices
    )
    return code, state[:], choices[:]


def choose_all(
    rules: Any,
    joins: Any,
    words: Any,
    mask: Any,
    anchors: Any,
    priorities: Priorities,
    how: How,
    limits: Limits,
    turns: Turns,
    *,
    kept: bool = True,
) -> Chosen:
    """A run to its first complete parse, with all that was chosen between if that is `kept`."""
    given = (rules, joins, words, mask, anchors, priorities, how, limits, turns, kept)
    code, state, choices = _chosen_fields(*given)
    return Chosen(code, State(*state), Choices(*choices))
