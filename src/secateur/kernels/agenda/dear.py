"""An agenda where some scores cost: they are asked for when an item comes first, and not before.

Someone scores phrases, (i, k, label): a number that is added to each node there with a symbol of that label
which a binary or a unary rule made, and that no one else knows:

    base(i, k, x) = max over x -> y z and i < j < k of node(i, j, y) + node(j, k, z) + weight, + dear(i, k, x)
    over(i, k, x) = max over x -> y of base(i, k, y) + weight, + dear(i, k, x)

No such number is above a bound. Until it is asked for, an item waits with the bound in its place: with a
score, and a priority, that is not too low. When it comes first the question is asked, once for all symbols of
the label; with the answer all of them go to where they belong (Lee, Lewis and Zettlemoyer 2016). So what is
popped has its own score. Anchored scores hold the bounds, and then the answers: all else is as in run.py.

Where estimates of what is outside are added, priorities are sums in another order than scores. The search
ends when nothing that waits could lead to more than the best parse has, be it by rounding: then the score is
CKY's, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from ..cky.sparse import cell_of
from .derivation import cover, goal_of, score_of, steps_of
from .heap import sink
from .offer import priority_of
from .outside import slack_of
from .run import advanced, started, work
from .state import (
    BYTES,
    EMPTY,
    FOUND,
    IMPOSSIBLE,
    ITEMS,
    MORE_ROOM,
    NONE,
    POPPED,
    POPS,
    PUSHES,
    RUNNING,
    WAITING,
    is_over,
    node_score,
    start_of,
    symbol_of,
    width_of,
)

ASK = -3
AROUND = 8  # places at the head of the agenda that are looked through for each question that may be asked
# What Talk.counts says at the end: how the search stands, and how long the derivation is.
STATUS, STEPS, POPS_MADE, PUSHES_MADE, ITEMS_MADE, COUNTS = range(6)


class Talk(NamedTuple):
    """Between the search and who scores. M questions at a time, n words, N symbols, L labels."""

    label: np.ndarray  # [N] uint32 of a symbol; NONE: it is not scored
    asked: np.ndarray  # [M, 3] int64 the questions: i, k, label
    said: np.ndarray  # [M] float32 the answers, none above its bound
    ended: np.ndarray  # [1] bool, who scores has no more to say
    counts: np.ndarray  # [COUNTS] int64
    score: np.ndarray  # [1] float32 -inf: there is no parse
    steps: np.ndarray  # [4n, 5] int64 as from viterbi; without a parse those of `derivation.cover`


def talk_of(words: int, label: np.ndarray, together: int) -> Talk:
    return Talk(
        label,
        np.empty((together, 3), np.int64),
        np.empty(together, np.float32),
        np.zeros(1, np.bool_),
        np.zeros(COUNTS, np.int64),
        np.full(1, IMPOSSIBLE),
        np.empty((4 * words, 5), np.int64),
    )


@bare
def label_at(state, label, item):
    """Under what label an item is scored; NONE: it is not."""
    return NONE if state.rule[item] == NONE else label[symbol_of(state.name[item])]


@bare
def true_score(rules, anchors, state, item):
    """Of an item whose own score is known, as it is made."""
    name, rule, left = state.name[item], state.rule[item], state.left[item]
    i = start_of(name)
    if is_over(name):
        score = state.made[left] + rules.unary_weight[rule]
    else:
        score = state.made[left] + state.made[state.right[item]] + rules.rule_weight[rule]
    return score + anchors.span[cell_of(i, i + width_of(name)), symbol_of(name)]


@bare
def run_on(rules, joins, anchors, priorities, how, limits, state, label, known, share):
    """Pop until someone must be asked, no better parse can come, a limit is reached, or room is needed."""
    tally, n = state.tally, state.best.shape[0] - 1
    while tally[WAITING] > 0 and state.key[0] > -np.inf:
        best = node_score(state, 0, n, rules.start)
        if best > IMPOSSIBLE and state.key[0] <= best - share * abs(best):
            return FOUND
        item = state.waiting[0]
        own = label_at(state, label, item)
        if own != NONE:
            i = start_of(state.name[item])
            if not known[cell_of(i, i + width_of(state.name[item])), own]:
                return ASK
        if tally[POPPED] >= limits.pops:
            return POPS
        if work(rules, joins, anchors, priorities, how, state, tally[POPPED] + 1) == MORE_ROOM:
            return MORE_ROOM
    return FOUND if node_score(state, 0, n, rules.start) > IMPOSSIBLE else EMPTY


@bare
def questions(state, label, known, asked):
    """What is to be asked of those that come first, and is known from now on; how many questions."""
    count = 0
    for place in range(min(state.tally[WAITING], AROUND * asked.shape[0])):
        item = state.waiting[place]
        own = label_at(state, label, item)
        if own == NONE:
            continue
        i = start_of(state.name[item])
        k = i + width_of(state.name[item])
        if not known[cell_of(i, k), own]:
            known[cell_of(i, k), own] = True
            asked[count, 0], asked[count, 1], asked[count, 2] = i, k, own
            count += 1
            if count == asked.shape[0]:
                break
    return count


@bare
def lower(rules, anchors, priorities, state, i, k, x):
    """The items of a span and symbol have the scores that they are made with, which are less than it seemed.

    Those that score -inf stay behind all others.
    """
    for over in range(2):
        row = np.uint64(state.row_of[over, i, k])
        at = row * np.uint64(state.list_of.shape[2]) + np.uint64(x)
        if row == 0 or row == NONE or state.score[at] == IMPOSSIBLE:
            continue
        item = state.item[at]
        if state.rule[item] == NONE:
            continue
        score = true_score(rules, anchors, state, item)
        if score < state.made[item]:
            state.score[at] = state.made[item] = score
            place = np.int64(state.place[item]) - 1
            sink(state, place, priority_of(priorities, i, k, x, score), item)


@bare
def learn(rules, anchors, priorities, state, talk, count):
    """Answers take the place of their bounds, in what waits too: what is offered is compared with it."""
    label, asked, said = talk.label, talk.asked, talk.said
    for q in range(count):
        i, k = asked[q, 0], asked[q, 1]
        for x in range(label.shape[0]):
            if label[x] == asked[q, 2]:
                anchors.span[cell_of(i, k), x] = said[q]
                lower(rules, anchors, priorities, state, i, k, x)


@njit(cache=True, nogil=True)
def report(rules, words, anchors, state, code, talk):
    """What was found."""
    goal = goal_of(rules, state)
    steps = cover(rules, words, state) if goal == NONE else steps_of(state, goal)
    if goal != NONE:
        talk.score[0] = score_of(rules, words, anchors, steps)
    talk.steps[: steps.shape[0]] = steps
    counts = talk.counts
    counts[STATUS], counts[STEPS], counts[POPS_MADE] = code, steps.shape[0], state.tally[POPPED]
    counts[PUSHES_MADE], counts[ITEMS_MADE] = state.tally[PUSHES], state.tally[ITEMS]


@njit(cache=True, nogil=True)
def asking(rules, joins, words, mask, anchors, priorities, how, limits, talk):
    """A search as a generator: each number it gives is one of questions, to be answered before it goes on.

    It must come to its end, or what it holds is lost: where there is no more to say, say so and go on.
    """
    n, label = words.shape[0], talk.label
    share = np.float64(slack_of(n)) if priorities.outside.shape[0] else 0.0
    known = np.zeros((n * (n + 1) // 2, label.shape[0]), np.bool_)
    state = started(rules, words, mask, anchors, priorities, how, 0)
    code, state = advanced(rules, joins, anchors, priorities, how, limits, state, 0)
    while code == RUNNING:
        code = run_on(rules, joins, anchors, priorities, how, limits, state, label, known, share)
        if code == ASK:
            count = questions(state, label, known, talk.asked)
            yield count
            learn(rules, anchors, priorities, state, talk, count)
            code = BYTES if talk.ended[0] else RUNNING
        elif code == MORE_ROOM:
            code, state = advanced(rules, joins, anchors, priorities, how, limits, state, 1)
            code = code if code in (POPS, BYTES) else RUNNING
    report(rules, words, anchors, state, code, talk)
