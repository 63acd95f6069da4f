"""When to stop: now and then a search is looked at, and a linear policy says whether it goes on.

A look comes at each complete parse that is better than all before; where there is none, after so many pops a
word; and from then on, or from the first parse on, whenever pops have grown by a factor. Before there is a
parse the policy may give up: then what was popped so far is put together. Once there is one it may go on, to
a better one. What it sees has two parts, one of which is 0:

    before  1, log pops a word, words, parts a word of what covers the sentence
    after   1, log pops a word, words, how far the agenda is behind the parse, log parses, share of the
            pops since the last one, by how much a word the score is better than that of the first parse
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .derivation import cover, goal_of, score_of, steps_of
from .offer import priority_of
from .priorities import UNLIMITED, How, Limits
from .run import advanced, started
from .state import DROPPED, EMPTY, FOUND, ITEMS, NONE, POPPED, PUSHES, RUNNING, WAITING, State

HALTED = 5  # how a search stands that the policy ended before there was a parse
BEFORE, AFTER = 4, 7  # features
SEEN = BEFORE + AFTER
_WORDS, _NATS = 10.0, 10.0  # what words and priorities are divided by
# What Progress.count and Progress.number hold.
EARLIER_POPS, EARLIER_PUSHES, FIRST_PARSE, LAST_PARSE, PARSES, COUNTS = range(6)
DELTA, DUE, FIRST_SCORE, NUMBERS = range(4)


class Looks(NamedTuple):
    """When a search is looked at."""

    first: float = np.inf  # pops a word before the first look without a parse; inf: none is given up
    grow: float = 1.3  # times as many before the next one
    past: float = 4.0  # times the pops of the first parse at which all ends


LOOKS = Looks()


class Progress(NamedTuple):
    """What a state does not tell: attempts with a smaller delta, and parses."""

    count: np.ndarray  # [COUNTS] int64 pops and pushes of earlier attempts; pops at parses, and how many
    number: np.ndarray  # [NUMBERS] float64 delta; the pops at which the next look is due; the first score


@njit(cache=True, nogil=True)
def beginning(n, how, looks):
    progress = Progress(np.zeros(COUNTS, np.int64), np.zeros(NUMBERS))
    progress.number[DELTA], progress.number[DUE] = how.delta, looks.first * n
    return progress


@bare
def fewest_parts(nodes, parts):
    """Nodes and single words that cover the sentence.

    parts(k) = min over i < k, where (i, k) has a node or is a word, of parts(i) + 1
    """
    parts[0] = 0
    for k in range(1, nodes.shape[0]):
        parts[k] = parts[k - 1] + 1
        for i in range(k - 1):
            if nodes[i, k] and parts[i] + 1 < parts[k]:
                parts[k] = parts[i] + 1
    return parts[nodes.shape[0] - 1]


@bare
def key_of_node(priorities, state, item, n, symbol):
    """The priority of a node of the whole sentence, as when it was last offered."""
    found = priority_of(priorities, 0, n, symbol, state.made[item])
    for feature in range(priorities.dynamic.shape[0]):
        found += priorities.dynamic[feature] * state.dynamic[item, feature]
    return found


@njit(cache=True, nogil=True)
def seen(rules, priorities, state, progress):
    """[SEEN] what the policy sees."""
    found, n = np.zeros(SEEN), state.best.shape[0] - 1
    goal, pops = goal_of(rules, state), progress.count[EARLIER_POPS] + state.tally[POPPED]
    at = 0 if goal == NONE else BEFORE
    found[at], found[at + 1], found[at + 2] = 1.0, math.log(pops / n), n / _WORDS
    if goal == NONE:
        found[at + 3] = fewest_parts(state.nodes, np.empty(n + 1, np.int64)) / n
        return found
    key = key_of_node(priorities, state, goal, n, rules.start)
    ahead = key - state.key[0] if state.tally[WAITING] else 0.0
    found[at + 3] = min(max(ahead / _NATS, -1.0), 1.0)
    found[at + 4] = math.log(progress.count[PARSES])
    found[at + 5] = (pops - progress.count[LAST_PARSE]) / pops
    found[at + 6] = (np.float64(state.made[goal]) - progress.number[FIRST_SCORE]) / n
    return found


@njit(cache=True, nogil=True)
def note_parse(rules, looks, state, progress, pops):
    count, number = progress.count, progress.number
    if count[PARSES] == 0:
        count[FIRST_PARSE] = pops
        number[FIRST_SCORE] = state.made[goal_of(rules, state)]
        number[DUE] = max(pops * looks.grow, pops + 1.0)
    count[PARSES] += 1
    count[LAST_PARSE] = pops


@njit(cache=True, nogil=True)
def to_next_look(rules, joins, words, mask, anchors, priorities, how, limits, looks, state, progress):
    """Go on to the next look: FOUND or RUNNING; anything else ends the search."""
    count, number = progress.count, progress.number
    while True:
        earlier, most = count[EARLIER_POPS], UNLIMITED
        if count[PARSES]:
            most = np.int64(looks.past * count[FIRST_PARSE]) - earlier
        left = Limits(min(limits.pops - earlier, most), limits.bytes)
        own = How(number[DELTA], how.merge, how.widen)
        due = np.int64(math.ceil(min(number[DUE], np.float64(UNLIMITED))))
        pops = max(due - earlier - state.tally[POPPED], 1)
        code, state = advanced(rules, joins, anchors, priorities, own, left, state, pops)
        if code == EMPTY and how.widen > 1.0 and state.tally[DROPPED] and goal_of(rules, state) == NONE:
            count[EARLIER_POPS] += state.tally[POPPED]
            count[EARLIER_PUSHES] += state.tally[PUSHES]
            number[DELTA] *= how.widen
            own = How(number[DELTA], how.merge, how.widen)
            state = started(rules, words, mask, anchors, priorities, own, 0)
            continue
        done = earlier + state.tally[POPPED]
        while number[DUE] <= done:
            number[DUE] = max(number[DUE] * looks.grow, number[DUE] + 1.0)
        if code == FOUND:
            note_parse(rules, looks, state, progress, done)
        return code, state


class Halted(NamedTuple):
    """What a search found that a policy ended; kernels return its fields as a plain tuple."""

    steps: np.ndarray  # [S, 5] int64 of the best parse; without one those of `derivation.cover`
    score: float  # -inf: there is no parse
    pops: int  # of all attempts
    pushes: int
    items: int  # of the last attempt
    status: int  # FOUND, EMPTY, POPS, BYTES or HALTED
    looks: int  # how often the policy was asked


@njit(cache=True, nogil=True)
def answer_of(rules, words, anchors, state):
    """Steps and score of what there is."""
    goal = goal_of(rules, state)
    if goal == NONE:
        return cover(rules, words, state), np.float32(-np.inf)
    steps = steps_of(state, goal)
    return steps, score_of(rules, words, anchors, steps)


@njit(cache=True, nogil=True)
def to_the_halt(rules, joins, words, mask, anchors, priorities, how, limits, looks, weights, progress):
    """Go on while the weighted sum of what is seen is above 0; and how often the policy was asked."""
    asked = 0
    state = started(rules, words, mask, anchors, priorities, how, 0)
    while True:
        code, state = to_next_look(
            rules, joins, words, mask, anchors, priorities, how, limits, looks, state, progress
        )
        if code not in (RUNNING, FOUND):
            return code, state, asked
        asked += 1
        if (seen(rules, priorities, state, progress) * weights).sum() <= 0.0:
            return HALTED, state, asked


@njit(cache=True, nogil=True)
def halted(rules, joins, words, mask, anchors, priorities, how, limits, looks, weights):
    """The fields of Halted: a search that a policy ends."""
    progress = beginning(words.shape[0], how, looks)
    code, state, asked = to_the_halt(
        rules, joins, words, mask, anchors, priorities, how, limits, looks, weights, progress
    )
    if goal_of(rules, state) != NONE:
        code = FOUND
    steps, score = answer_of(rules, words, anchors, state)
    pops = progress.count[EARLIER_POPS] + state.tally[POPPED]
    pushes = progress.count[EARLIER_PUSHES] + state.tally[PUSHES]
    return steps, score, pops, pushes, state.tally[ITEMS], code, asked


@njit(cache=True, nogil=True)
def _next_fields(rules, joins, words, mask, anchors, priorities, how, limits, looks, state, progress):
    code, found = to_next_look(
        rules, joins, words, mask, anchors, priorities, how, limits, looks, state, progress
    )
    return code, found[:]


def next_look(*given: Any) -> tuple[int, State]:
    """`to_next_look`, called from Python; the state that was given is not to be used any more."""
    code, fields = _next_fields(*given)
    return code, State(*fields)


@njit(cache=True, nogil=True)
def _halt_fields(rules, joins, words, mask, anchors, priorities, how, limits, looks, weights, progress):
    code, found, _ = to_the_halt(
        rules, joins, words, mask, anchors, priorities, how, limits, looks, weights, progress
    )
    return code, found[:]


def search(*given: Any) -> tuple[int, State]:
    """`to_the_halt`, called from Python."""
    code, fields = _halt_fields(*given)
    return code, State(*fields)
