"""Roll-outs of span pruning by change propagation: the parse under every mask that differs at one span.

The results are those of running Viterbi again, bit for bit, ties settled in the same total order. Three
facts save the work of that.
- Outside scores of the roll-in tell what a flip can do. A span that is added matters only if with it some
  parse comes up to the best one. A span that is taken away matters only if the best parse has it; the next
  best parse then has a span that crosses it, for a binary tree that lacks a span has one across it. Either
  way the score of the new best parse is known beforehand, but for rounding.
- Changes are followed only in labels that may be part of a parse of that score: few.
- Of two children only one can change, and it reaches its parent only if what they make together comes up to
  the parent's score; only then is the parent worked out again, from all its rules.

Rounding is allowed for by `slack`, a bound on what the order of float32 sums can do to a score. Items and
pushes are counted apart, without scores (cky_counts).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .brackets import count_matches
from .front import advance, begin, build_front, build_pairs, look_around
from .state import build_state, place, top_rule, unaries
from .viterbi import BINARY, IMPOSSIBLE, LEXICAL, UNARY, cell_of


class Changes(NamedTuple):
    """What a flip has changed so far, to follow it and to undo it: scratch."""

    first: np.ndarray  # [cells] int64, the changed labels of a cell ...
    last: np.ndarray  # [cells] int64
    label: np.ndarray  # [cells * N] uint32
    upper: np.ndarray  # [cells * N] float32, the larger of the score before and after
    marked: np.ndarray  # [cells * N, 2] uint32, where to restore base: cell, label ...
    base: np.ndarray  # [cells * N] float32
    moved: np.ndarray  # [cells * N, 3] uint32, where to restore best: i, k, label ...
    best: np.ndarray  # [cells * N] float32
    count: np.ndarray  # [3] int64: of label, marked, moved


@njit(cache=True, nogil=True)
def parses(rules, chart, mask, sites, classes, gold):
    """The best parse with the mask flipped at each of the sites (i, k) alone: scores (-inf where there is
    none), and how many brackets are gold, and how many there are."""
    score = np.empty(sites.shape[0], np.float32)
    matched = np.empty(sites.shape[0], np.int64)
    made = np.empty(sites.shape[0], np.int64)
    state = build_state(rules, chart, mask, sites)
    changes = build_changes(chart.words, rules.pair_ptr.shape[0] - 1)
    front = build_front(state.kept)
    pairs = build_pairs(rules)
    roll_in = parse_of(rules, state)
    brackets = count_matches(classes, gold, roll_in.steps)
    for s in range(sites.shape[0]):
        a, b = np.int64(sites[s, 0]), np.int64(sites[s, 1])
        matters, goal = new_score(state, roll_in, a, b)
        if matters:
            parse = flip_parse(rules, pairs, state, front, changes, a, b, goal)
            score[s] = parse.score
            matched[s], made[s] = count_matches(classes, gold, parse.steps)
        else:
            score[s] = roll_in.score
            matched[s], made[s] = brackets
    return score, matched, made


@njit(cache=True, nogil=True)
def build_changes(words, labels):
    cells = words * (words + 1) // 2
    return Changes(
        np.empty(cells, np.int64),
        np.empty(cells, np.int64),
        np.empty(cells * labels, np.uint32),
        np.empty(cells * labels, np.float32),
        np.empty((cells * labels, 2), np.uint32),
        np.empty(cells * labels, np.float32),
        np.empty((cells * labels, 3), np.uint32),
        np.empty(cells * labels, np.float32),
        np.zeros(3, np.int64),
    )


class Parse(NamedTuple):
    """The best derivation, as in cky.viterbi; no steps and -inf where there is none."""

    steps: np.ndarray  # [steps, 5] int64
    score: float
    used: np.ndarray  # [n+1, n+1] bool, its spans


@njit(cache=True, nogil=True)
def new_score(state, roll_in, a, b):
    """Whether flipping (a, b) may change the parse, and about the score of the best parse then."""
    if not state.kept[a, b]:
        through = state.through[cell_of(a, b)]
        if through == IMPOSSIBLE or through < roll_in.score - state.slack:
            return False, roll_in.score
        return True, max(through, roll_in.score)
    if not roll_in.used[a, b]:
        return False, roll_in.score
    n = state.kept.shape[0] - 1
    score = IMPOSSIBLE
    for j in range(a + 1, b):
        for i in range(a):
            if state.kept[i, j]:
                score = max(score, state.through[cell_of(i, j)])
        for k in range(b + 1, n + 1):
            if state.kept[j, k]:
                score = max(score, state.through[cell_of(j, k)])
    return True, score


@njit(cache=True, nogil=True)
def flip_parse(rules, pairs, state, front, changes, a, b, goal):
    """The best parse with the mask flipped at (a, b), given about its score."""
    if goal == IMPOSSIBLE:
        return no_parse(state)
    follow(rules, pairs, state, front, changes, a, b, goal - state.slack)
    parse = parse_of(rules, state)
    undo(state, changes, a, b)
    return parse


@njit(cache=True, nogil=True)
def no_parse(state):
    return Parse(np.empty((0, 5), np.int64), IMPOSSIBLE, np.zeros(state.kept.shape, np.bool_))


@njit(cache=True, nogil=True)
def follow(rules, pairs, state, front, changes, a, b, floor):
    """Flip (a, b), and change the labels around it that may be part of a parse scoring `floor` or more."""
    n = state.kept.shape[0] - 1
    changes.count[:] = 0
    cell = cell_of(a, b)
    changes.first[cell] = 0
    for x in range(state.best.shape[1]):
        score = state.best[cell, x]
        if score + state.outside[cell, x] >= floor:
            changes.label[changes.count[0]] = x
            changes.upper[changes.count[0]] = score
            changes.count[0] += 1
            place(state, a, b, x, IMPOSSIBLE if state.kept[a, b] else score)
    changes.last[cell] = changes.count[0]
    begin(front, a, b)
    for i in range(a, -1, -1):
        for k in range(b, n + 1):
            if state.kept[i, k] and look_around(front, i, k):
                cell = cell_of(i, k)
                marked = changes.count[1]
                mark(rules, pairs, state, front, changes, cell, floor)
                if changes.count[1] > marked:
                    changes.first[cell] = changes.count[0]
                    settle(rules, state, changes, i, k, marked, floor)
                    changes.last[cell] = changes.count[0]
                    if changes.last[cell] > changes.first[cell]:
                        advance(front, i, k)


@njit(cache=True, nogil=True)
def mark(rules, pairs, state, front, changes, cell, floor):
    """Mark the labels of a cell whose base a changed child may have raised, lowered or given another rule."""
    base = state.base[cell]
    outside = state.outside[cell]
    dirty = state.dirty[cell]
    count = changes.count[1]
    for side in range(2):
        for s in range(front.size[side]):
            child = front.child[side, s]
            sibling = state.best[front.sibling[side, s]]
            for c in range(changes.first[child], changes.last[child]):
                y = changes.label[c]
                upper = changes.upper[c]
                for q in range(pairs.ptr[side, y], pairs.ptr[side, y + 1]):
                    inner = upper + sibling[pairs.partner[side, q]]
                    if inner == IMPOSSIBLE:
                        continue
                    p = pairs.pair[side, q]
                    for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1]):
                        x = rules.rule_parent[r]
                        score = inner + rules.rule_weight[r]
                        if score >= base[x] and score + outside[x] >= floor and not dirty[x]:
                            dirty[x] = True
                            changes.marked[count, 0] = cell
                            changes.marked[count, 1] = x
                            changes.base[count] = base[x]
                            count += 1
    changes.count[1] = count


@njit(cache=True, nogil=True)
def settle(rules, state, changes, i, k, marked, floor):
    """Work out the labels marked in (i, k) again, and what stands over them; record those that changed."""
    cell = cell_of(i, k)
    labels = state.best.shape[1]
    for m in range(marked, changes.count[1]):
        x = changes.marked[m, 1]
        state.base[cell, x] = top_rule(rules, state, i, k, x)[0]
    now = np.empty(labels, np.float32)
    unaries(rules, state.base[cell], now)
    for x in range(labels):
        before = state.best[cell, x]
        if now[x] != before:
            m = changes.count[2]
            changes.moved[m, 0] = i
            changes.moved[m, 1] = k
            changes.moved[m, 2] = x
            changes.best[m] = before
            changes.count[2] += 1
            state.best[cell, x] = now[x]
            place(state, i, k, x, now[x])
            upper = max(now[x], before)
            if upper + state.outside[cell, x] >= floor:
                changes.label[changes.count[0]] = x
                changes.upper[changes.count[0]] = upper
                changes.count[0] += 1


@njit(cache=True, nogil=True)
def undo(state, changes, a, b):
    """Restore the roll-in."""
    for m in range(changes.count[1]):
        cell = changes.marked[m, 0]
        x = changes.marked[m, 1]
        state.base[cell, x] = changes.base[m]
        state.dirty[cell, x] = False
    for m in range(changes.count[2]):
        i, k, x = changes.moved[m]
        state.best[cell_of(i, k), x] = changes.best[m]
        place(state, i, k, x, changes.best[m])
    cell = cell_of(a, b)
    for c in range(changes.first[cell], changes.last[cell]):
        x = changes.label[c]
        place(state, a, b, x, state.best[cell, x] if state.kept[a, b] else IMPOSSIBLE)


@njit(cache=True, nogil=True)
def parse_of(rules, state):
    """The best parse of the state as it is."""
    n = state.kept.shape[0] - 1
    score = state.best[cell_of(0, n), rules.start]
    if score == IMPOSSIBLE:
        return no_parse(state)
    used = np.zeros(state.kept.shape, np.bool_)
    steps = np.empty((4 * n, 5), np.int64)
    size = 0
    # What is still to be opened: i, k, label, and whether a unary may stand here.
    stack = np.empty((2 * n + 2, 4), np.int64)
    stack[0] = (0, n, rules.start, 1)
    depth = 1
    while depth:
        depth -= 1
        i, k, x, unary = stack[depth]
        cell = cell_of(i, k)
        used[i, k] = True
        if unary and state.best[cell, x] > state.base[cell, x]:
            u = best_unary(rules, state.base[cell], x)
            steps[size] = (UNARY, x, i, k, u)
            stack[depth] = (i, k, np.int64(rules.unary_child[u]), 0)
            depth += 1
        elif k == i + 1:
            steps[size] = (LEXICAL, x, i, k, -1)
        else:
            r, j = best_binary(rules, state, i, k, x)
            steps[size] = (BINARY, x, i, k, r)
            stack[depth] = (j, k, np.int64(rules.rule_right[r]), 1)
            stack[depth + 1] = (i, j, np.int64(rules.rule_left[r]), 1)
            depth += 2
        size += 1
    return Parse(steps[:size], score, used)


@njit(cache=True, nogil=True)
def best_unary(rules, base, x):
    """The larger total, then the smaller rule id."""
    found = 0
    score = IMPOSSIBLE
    for u in range(rules.unary_parent.shape[0]):
        if rules.unary_parent[u] == x and base[rules.unary_child[u]] + rules.unary_weight[u] > score:
            score = base[rules.unary_child[u]] + rules.unary_weight[u]
            found = u
    return found


@njit(cache=True, nogil=True)
def best_binary(rules, state, i, k, x):
    """The rule and split of base(i, k, x): the larger total, the smaller rule id, the larger left + right,
    the smaller split. What no change has reached is looked up once a sentence."""
    cell = cell_of(i, k)
    labels = state.best.shape[1]
    if state.rule[cell, x] and not state.dirty[cell, x]:
        return np.int64(state.rule[cell, x]) - 1, np.int64(state.split[cell, x])
    _, rule, inner = top_rule(rules, state, i, k, x)
    from_row = i * labels + rules.rule_left[rule]
    to_row = k * labels + rules.rule_right[rule]
    split = i + 1
    while state.score_from[from_row, split] + state.score_to[to_row, split] != inner:
        split += 1
    if not state.dirty[cell, x]:
        state.rule[cell, x] = rule + 1
        state.split[cell, x] = split
    return rule, split
