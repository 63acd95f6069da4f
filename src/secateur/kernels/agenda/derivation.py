"""What an agenda found: derivations of items, and of a sentence as far as it came."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..cky.sparse import BINARY, LEXICAL, UNARY, cell_of
from .state import NONE, POPPED, is_over, node_of, start_of, symbol_of, width_of


@njit(cache=True, nogil=True)
def steps_of(state, item):
    """The derivation of an item, parents first: rows of kind, symbol, i, k, rule id (or -1)."""
    width = width_of(state.name[item])
    steps = np.empty((4 * width, 5), np.int64)
    stack = np.empty(2 * width + 2, np.uint32)
    stack[0] = item
    depth, count = 1, 0
    while depth:
        depth -= 1
        top = stack[depth]
        name = state.name[top]
        steps[count, 0], steps[count, 1], steps[count, 2] = BINARY, symbol_of(name), start_of(name)
        steps[count, 3], steps[count, 4] = start_of(name) + width_of(name), state.rule[top]
        if state.rule[top] == NONE:
            steps[count, 0], steps[count, 4] = LEXICAL, -1
        elif is_over(name):
            steps[count, 0] = UNARY
            stack[depth] = state.left[top]
            depth += 1
        else:
            stack[depth], stack[depth + 1] = state.right[top], state.left[top]
            depth += 2
        count += 1
    return steps[:count]


@njit(cache=True, nogil=True)
def goal_of(rules, state):
    """The item of the best complete parse; NONE where there is none."""
    return node_of(state, 0, state.best.shape[0] - 1, rules.start)


@njit(cache=True, nogil=True)
def score_of(rules, words, anchors, steps):
    """What a derivation scores, in CKY's order: more than its item, where a part became better later."""
    parts = np.empty(steps.shape[0], np.float32)
    top = -1
    for s in range(steps.shape[0] - 1, -1, -1):
        kind, x, i, k, rule = steps[s]
        if kind == LEXICAL:
            top += 1
            for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                if rules.lex_tag[e] == x:
                    parts[top] = rules.lex_weight[e]
            if anchors.tag.shape[0]:
                parts[top] += anchors.tag[i, x]
            continue
        if kind == UNARY:
            parts[top] += rules.unary_weight[rule]
        else:
            top -= 1
            parts[top] = parts[top + 1] + parts[top] + rules.rule_weight[rule]
        if anchors.span.shape[0]:
            parts[top] += anchors.span[cell_of(i, k), x]
    return parts[0]


@njit(cache=True, nogil=True)
def word_alone(rules, word):
    """The likeliest tag of a word; N where it has none."""
    found, highest = rules.pair_ptr.shape[0] - 1, -np.inf
    for e in range(rules.lex_ptr[word], rules.lex_ptr[word + 1]):
        if rules.lex_weight[e] > highest:
            found, highest = np.int64(rules.lex_tag[e]), np.float64(rules.lex_weight[e])
    return found


@njit(cache=True, nogil=True)
def cover(rules, words, state):
    """Nodes beside each other that cover the sentence, as the steps of one after the other's.

    The fewest; of these, those with the largest sum of scores, and the last of them the widest. A span has
    the best of its nodes. A word without any is a lexical step of its likeliest tag, or of no symbol (N).

        parts(k), total(k) = best over i < k of parts(i) + 1, total(i) + score of (i, k)
    """
    n = words.shape[0]
    parts = np.zeros(n + 1, np.int64)
    total = np.zeros(n + 1)
    begin = np.zeros(n + 1, np.int64)
    for k in range(1, n + 1):
        parts[k], total[k] = n + 1, -np.inf
        for i in range(k):
            stands = state.nodes[i, k] > 0
            if not stands and i < k - 1:
                continue
            score = total[i] + (np.float64(state.node_best[i, k]) if stands else 0.0)
            if parts[i] + 1 < parts[k] or (parts[i] + 1 == parts[k] and score > total[k]):
                parts[k], total[k], begin[k] = parts[i] + 1, score, i
    steps = np.empty((4 * n, 5), np.int64)
    end, first = n, 4 * n
    while end > 0:
        i = begin[end]
        if state.nodes[i, end]:
            own = steps_of(state, state.node_item[i, end])
            first -= own.shape[0]
            steps[first : first + own.shape[0]] = own
        else:
            first -= 1
            steps[first, 0], steps[first, 1] = LEXICAL, word_alone(rules, words[i])
            steps[first, 2], steps[first, 3], steps[first, 4] = i, end, -1
        end = i
    return steps[first:]


@njit(cache=True, nogil=True)
def pops_of(state):
    """[P, 4] int64 i, k, symbol and whether with a unary, of the pops in the log."""
    found = np.empty((state.tally[POPPED], 4), np.int64)
    for p in range(found.shape[0]):
        name = state.name[state.log_item[p]]
        found[p, 0], found[p, 1] = start_of(name), start_of(name) + width_of(name)
        found[p, 2], found[p, 3] = symbol_of(name), is_over(name)
    return found
