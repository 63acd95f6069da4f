"""A sentence to its parse by agenda, in one call: going in and out of kernels costs time too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .derivation import cover, goal_of, score_of, steps_of
from .priorities import UNLIMITED, How, Limits
from .run import advanced, started
from .state import DROPPED, EMPTY, ITEMS, NONE, POPPED, PUSHES


class Found(NamedTuple):
    """The first parse, and what it took; kernels return its fields as a plain tuple."""

    steps: np.ndarray  # [S, 5] int64 as from viterbi; without a parse those of `derivation.cover`
    score: float  # -inf: there is no parse
    pops: int  # where delta was widened, of all attempts
    pushes: int
    items: int  # of the last attempt
    status: int  # FOUND, EMPTY, POPS or BYTES


@njit(cache=True, nogil=True)
def first_parse(rules, joins, words, mask, anchors, priorities, how, limits):
    """The fields of Found; how.widen widens how.delta until there is a parse, or delta dropped nothing."""
    delta, pops, pushes = how.delta, 0, 0
    while True:
        own = How(delta, how.merge, how.widen)
        state = started(rules, words, mask, anchors, priorities, own, 0)
        left = Limits(limits.pops - pops, limits.bytes)
        code, state = advanced(rules, joins, anchors, priorities, own, left, state, UNLIMITED)
        pops += state.tally[POPPED]
        pushes += state.tally[PUSHES]
        if code != EMPTY or how.widen <= 1.0 or state.tally[DROPPED] == 0:
            break
        delta *= how.widen
    goal = goal_of(rules, state)
    if goal == NONE:
        return cover(rules, words, state), np.float32(-np.inf), pops, pushes, state.tally[ITEMS], code
    steps = steps_of(state, goal)
    return steps, score_of(rules, words, anchors, steps), pops, pushes, state.tally[ITEMS], code
