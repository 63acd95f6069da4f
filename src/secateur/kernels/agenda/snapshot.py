"""Roll-outs of an agenda: of a run's steps, what would have come of popping other rivals.

The run is gone through once more. At each step that is asked about its state is copied, as far as it is in
use; the other rival is popped there, and the copy runs on to its first complete parse. All that the run did
before is not done again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from .derivation import goal_of, score_of, steps_of
from .priorities import How, Limits, Priorities
from .rivals import MET, NEVER, PAUSED, Turns, chosen_on, no_choices
from .run import started
from .state import ITEMS, LISTS, NONE, POPPED, PUSHES, ROWS, WAITING, room_for


class Futures(NamedTuple):
    """What became of Q roll-outs of n words; kernels return its fields as a plain tuple."""

    steps: np.ndarray  # [Q, 4n, 5] int64 of their parses
    length: np.ndarray  # [Q] int64 how many steps; 0: there is none
    score: np.ndarray  # [Q] float32
    pops: np.ndarray  # [Q] int64, from the beginning
    pushes: np.ndarray  # [Q] int64
    items: np.ndarray  # [Q] int64


@njit(cache=True, nogil=True)
def copied(state):
    """The same state once more, with the same room. What a log holds is left out."""
    n, symbols, tally = state.best.shape[0] - 1, state.list_of.shape[2], state.tally
    lists, items = state.list_size.shape[0], state.rule.shape[0]
    dynamic = state.dynamic.shape[1]
    found = room_for(n, symbols, state.score.shape[0] // symbols, lists, items, dynamic, 0)
    found.tally[:] = tally
    found.row_of[:] = state.row_of
    found.best[:], found.node_best[:] = state.best, state.node_best
    found.node_item[:], found.nodes[:] = state.node_item, state.nodes
    found.list_of[:], found.listed[:] = state.list_of, state.listed
    used = tally[ROWS] * symbols
    found.score[:used], found.item[:used] = state.score[:used], state.item[:used]
    used = tally[ITEMS]
    found.name[:used], found.made[:used] = state.name[:used], state.made[:used]
    found.popped[:used], found.rule[:used] = state.popped[:used], state.rule[:used]
    found.left[:used], found.right[:used] = state.left[:used], state.right[:used]
    found.place[:used], found.dynamic[:used] = state.place[:used], state.dynamic[:used]
    used = tally[WAITING]
    found.key[:used], found.waiting[:used] = state.key[:used], state.waiting[:used]
    used = tally[LISTS]
    found.list_size[:used], found.list_far[:used] = state.list_size[:used], state.list_far[:used]
    found.list_score[:used], found.list_item[:used] = state.list_score[:used], state.list_item[:used]
    return found


@njit(cache=True, nogil=True)
def other_futures(rules, joins, words, mask, anchors, priorities, how, limits, turns, step, action):
    """The fields of Futures, of taking action[q] at step[q], which do not fall; turns.step is not used."""
    count, n, members = step.shape[0], words.shape[0], turns.names.shape[0]
    steps, length = np.zeros((count, 4 * n, 5), np.int64), np.zeros(count, np.int64)
    score, work = np.full(count, -np.inf, np.float32), np.zeros((3, count), np.int64)
    state = started(rules, words, mask, anchors, priorities, how, 0)
    choices = no_choices(members, False)
    free = turned(turns, -1, 0)
    for q in range(count):
        code, state, choices = chosen_on(
            rules, joins, anchors, priorities, how, limits, free, step[q], state, choices
        )
        assert code == PAUSED
        own = no_choices(members, False)
        own.oracle[:] = choices.oracle
        own.tally[MET] = choices.tally[MET]
        forced = turned(turns, step[q], action[q])
        _, future, _ = chosen_on(
            rules, joins, anchors, priorities, how, limits, forced, NEVER, copied(state), own
        )
        goal = goal_of(rules, future)
        if goal != NONE:
            parse = steps_of(future, goal)
            length[q] = parse.shape[0]
            steps[q, : length[q]] = parse
            score[q] = score_of(rules, words, anchors, parse)
        work[0, q], work[1, q] = future.tally[POPPED], future.tally[PUSHES]
        work[2, q] = future.tally[ITEMS]
    return steps, length, score, work[0], work[1], work[2]


@njit(cache=True, nogil=True)
def turned(turns, step, action):
    """The same, forced at another step."""
    return Turns(
        turns.names,
        turns.rate,
        turns.later,
        turns.hint,
        turns.temperature,
        turns.heads,
        turns.others,
        turns.seed,
        step,
        action,
    )


def futures(
    rules: Any,
    joins: Any,
    words: Any,
    mask: Any,
    anchors: Any,
    priorities: Priorities,
    how: How,
    limits: Limits,
    turns: Turns,
    step: Any,
    action: Any,
) -> Futures:
    """`other_futures`, called from Python."""
    given = (rules, joins, words, mask, anchors, priorities, how, limits, turns, step, action)
    return Futures(*other_futures(*given))
