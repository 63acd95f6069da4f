"""Parsing with dynamic feature selection (He, Daume III and Eisner 2013, algorithm 1), a sentence at a time.

Every stage adds a group of templates to the arcs whose fate is open, and finds the best tree. A policy then
goes through the tree's arcs from the highest score down and locks those it is sure of; what conflicts with a
locked arc is barred. Stages of the second order come after those of the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from secateur.kernels.perceptron.mira import sentence_at

from .features import AROUND, no_shares, part_rows, score_parts
from .filter import Filters, likely_arcs
from .graph import allowed_arcs, lock, new_graph, open_by_score, open_parts, open_siblings
from .parts import parts_of, siblings_in, siblings_of
from .stages import group_of, search, seen_group, templates_of

ADD, LOCK = 0, 1
STAGES = 32  # at most
CLASSES = 40  # of scores and of margins
NEAR = 0.05  # around 0 classes are about as wide as a third of this, and grow with the distance
STATE = 4  # numbers that a decision is made by
# Features of a policy beside the hashed ones: at each stage it, and the numbers of the state in classes; and
# one that is there once for every template that was not computed.
META = STAGES * (1 + STATE * CLASSES) + 1
ALL_LOCKED, ALL_STAGES, NO_TREE = range(3)  # why it ended


class Weights(NamedTuple):
    """Of the parsers; of the policy: hashed features, and then META more; and of the filters before them.

    There is one array for all stages, or one for each of the three searches.
    """

    crossing: np.ndarray  # [2^b] float32, of the first stages, or of all
    projective: np.ndarray  # [2^b] float32, of the last stage of the first order; empty: the one before
    siblings: np.ndarray  # [2^b] float32, of the second order; empty: the one before
    policy: np.ndarray  # [2^p + META] float32, the last of templates not computed; or [META]
    filters: Filters


class Choices(NamedTuple):
    """How decisions are made."""

    temperature: float
    oracle_rate: float
    gold: np.ndarray  # [n+1] int32, or nothing
    draws: np.ndarray  # [2, decisions] float64 in [0, 1); nothing where nothing is drawn
    force_step: int  # -1: none
    force_action: int


class Log(NamedTuple):
    """Room for all decisions; nothing where they are not logged."""

    site: np.ndarray  # [decisions, 4] int32: stage, head, modifier, sibling in the tree (n + 1: none)
    state: np.ndarray  # [decisions, STATE] float64: score, score one stage before, margin, in the filters too
    action: np.ndarray  # [decisions] int64


@njit(cache=True, nogil=True)
def add_arcs(patterns, stages, stage, sentence, shares, weights, anew, parts, graph):
    """Add a group to the scores of arcs with rivals, or all groups so far, as after a change of weights.

    Returns how many templates were computed on arcs, those of the new group alone.
    """
    added = np.zeros(parts.head.shape[0], np.float32)
    last = min(stage + 1, stages.first)
    group = group_of(stages, 0 if anew else stage, last)
    score_parts(patterns, group, sentence, shares, parts, weights, added)
    modifier, head = parts.modifier, parts.head
    score, before, best = graph.score, graph.before, graph.best
    for r in range(added.shape[0]):
        m, h = modifier[r], head[r]
        before[m, h] = best[m, h]
        score[m, h] = best[m, h] = added[r] + (np.float32(0) if anew else score[m, h])
    return added.shape[0] * templates_of(group_of(stages, min(stage, last), last))


@njit(cache=True, nogil=True)
def add_siblings(patterns, stages, stage, sentence, shares, weights, anew, graph):
    """Add a group of the second order; best[m, h] is then the score with the best sibling.

    Where arcs were scored anew, the scores of the stage before are in place already.
    """
    n = graph.head.shape[0] - 1
    parts = open_siblings(graph)
    added = np.zeros(parts.head.shape[0], np.float32)
    group = group_of(stages, stage, stage + 1)
    score_parts(patterns, group, sentence, shares, parts, weights, added)
    modifier, head, sibling = parts.modifier, parts.head, parts.sibling
    score, before, best, siblings = graph.score, graph.before, graph.best, graph.sibling
    if not anew:
        for r in range(added.shape[0]):
            before[modifier[r], head[r]] = best[modifier[r], head[r]]
    for r in range(added.shape[0]):
        best[modifier[r], head[r]] = -np.inf
    for r in range(added.shape[0]):
        m, h = modifier[r], head[r]
        s = sibling[r] if sibling[r] <= n else h
        siblings[m, h, s] += added[r]
        best[m, h] = max(best[m, h], score[m, h] + siblings[m, h, s])
    return added.shape[0] * templates_of(group)


@njit(inline="always")
def class_of(x):
    """Classes on a logarithmic scale to both sides of 0; the first and the last are open."""
    place = 3.0 * np.log2(1.0 + abs(x) / NEAR)
    signed = place if x >= 0 else -place
    return int(min(max(np.floor(signed) + CLASSES // 2, 0), CLASSES - 1))


@njit(cache=True, nogil=True)
def state_of(graph, behind, m, state):
    """Of the tree's arc to m: score, score one stage before, margin to the best rival, and in filters."""
    h, best, arcs, filtered = graph.head[m], graph.best[m], graph.open[m], behind[m]
    rival = filter_rival = np.float32(-np.inf)
    for other in range(best.shape[0]):
        if other != h and arcs[other]:
            rival = max(rival, best[other])
            filter_rival = max(filter_rival, filtered[other])
    state[0] = best[h]
    state[1] = graph.before[m, h]
    state[2] = state[0] - rival
    state[3] = np.float64(filtered[h]) - filter_rival


@njit(cache=True, nogil=True)
def meta_rows(stage, state, first, out):
    """1 + STATE features: the stage, and the numbers of the state in classes, at this stage."""
    start = first + stage * (1 + STATE * CLASSES)
    out[0] = start
    for number in range(STATE):
        out[1 + number] = start + 1 + number * CLASSES + class_of(state[number])


@njit(cache=True, nogil=True)
def policy_scores(patterns, stages, stage, sentence, shares, graph, weights, known, sums):
    """What the policy makes of the first-order features of the tree's open arcs: sums[m].

    known[m] is the head that sums[m] was for one stage before: if it is the same, only a group is added.
    """
    locked, heads = graph.locked, graph.head
    n = heads.shape[0] - 1
    last = min(stage + 1, stages.first)
    for same in range(2):
        modifier, head = np.empty(n, np.uint32), np.empty(n, np.uint32)
        count = 0
        for m in range(1, n + 1):
            if not locked[m] and (known[m] == heads[m]) == (same == 1):
                modifier[count], head[count] = m, heads[m]
                count += 1
        modifier, head = modifier[:count], head[:count]
        found = np.zeros(count, np.float32)
        group = seen_group(stages, min(stage, last) if same else 0, last)
        score_parts(patterns, group, sentence, shares, parts_of(modifier, head), weights, found)
        for r in range(count):
            m = modifier[r]
            sums[m] = found[r] + (sums[m] if same else np.float32(0))
    known[:] = heads


@njit(cache=True, nogil=True)
def sibling_policy_scores(patterns, stages, stage, sentence, shares, graph, next_to, weights, sums):
    """What the policy makes of the second-order features of the tree's open arcs, added to sums[m]."""
    n = graph.head.shape[0] - 1
    open_words = np.empty(n, np.int64)
    count = 0
    for m in range(1, n + 1):
        if not graph.locked[m]:
            open_words[count] = m
            count += 1
    modifier, head = np.empty(count, np.uint32), np.empty(count, np.uint32)
    sibling = np.empty(count, np.uint32)
    for r in range(count):
        m = open_words[r]
        modifier[r], head[r], sibling[r] = m, graph.head[m], next_to[m]
    found = np.zeros(count, np.float32)
    group = seen_group(stages, stages.first, stage + 1)
    parts = siblings_of(modifier, head, sibling, n)
    score_parts(patterns, group, sentence, shares, parts, weights, found)
    for r in range(count):
        sums[modifier[r]] += found[r]


@njit(cache=True, nogil=True)
def takes(score, choices, step, is_gold):
    """Whether a decision locks."""
    locks = score > 0
    if choices.temperature > 0:
        # 1 / (1 + exp(-s/T)) without overflow
        locks = choices.draws[0, step] < np.exp(-np.logaddexp(0.0, -score / choices.temperature))
    if choices.oracle_rate > 0 and choices.draws[1, step] < choices.oracle_rate:
        locks = is_gold
    return choices.force_action == LOCK if step == choices.force_step else locks


@njit(cache=True, nogil=True)
def weights_at(stage, stages, rules, weights):
    """The weights of a stage, and whether they are others than those of the stage before."""
    own, anew = weights.crossing, False
    if stage >= stages.first - 1 and rules.projective and weights.projective.shape[0]:
        own, anew = weights.projective, stage == stages.first - 1
    if stage >= stages.first and weights.siblings.shape[0]:
        own, anew = weights.siblings, stage == stages.first
    return own, anew


@njit(cache=True, nogil=True)
def lock_arcs(patterns, stages, weights, rules, choices, sentence, shares, allowed, behind, heads, log):
    """Parse a sentence, given what filters say.

    Returns why it ended, at which stage, templates computed on parts, and decisions.

    With NO_TREE the heads are those of the stage before, or undefined at the first.
    """
    has_siblings = rules.last >= stages.first
    graph = new_graph(allowed, has_siblings)
    n = graph.head.shape[0] - 1
    hashed = weights.policy[: weights.policy.shape[0] - META]
    known, sums = np.full(n + 1, -1, np.int32), np.zeros(n + 1, np.float32)
    state, meta, next_to = np.empty(STATE), np.empty(1 + STATE, np.int64), np.empty(n + 1, np.uint32)
    computed = step = 0
    for stage in range(rules.last + 1):
        own, anew = weights_at(stage, stages, rules, weights)
        parts = open_parts(graph)
        if stage < stages.first:
            computed += add_arcs(patterns, stages, stage, sentence, shares, own, anew, parts, graph)
        else:
            if anew:
                add_arcs(patterns, stages, stage, sentence, shares, own, True, parts, graph)
            computed += add_siblings(patterns, stages, stage, sentence, shares, own, anew, graph)
        if not search(stage, stages, rules, graph.score, graph.sibling, heads):
            heads[:] = graph.head
            return NO_TREE, stage, computed, step
        graph.head[:] = heads
        if stage == rules.last:
            return ALL_STAGES, stage, computed, step
        for m in range(1, n + 1):
            if graph.count[m] == 1 and not graph.locked[m]:
                lock(graph, parts, m, rules)
        if hashed.shape[0] or log.action.shape[0]:
            siblings_in(graph.head, next_to)
        missing = 0.0
        if hashed.shape[0]:
            policy_scores(patterns, stages, stage, sentence, shares, graph, hashed, known, sums)
            missing += stages.seen_count[stages.seen_count.shape[0] - 1] - stages.seen_count[stage + 1]
            if stage >= stages.first:
                known[:] = -1  # the sums are of the second order too
                sibling_policy_scores(patterns, stages, stage, sentence, shares, graph, next_to, hashed, sums)
        for m in open_by_score(graph):
            if graph.locked[m]:
                continue
            state_of(graph, behind, m, state)
            meta_rows(stage, state, hashed.shape[0], meta)
            score = np.float64(sums[m]) + missing * weights.policy[weights.policy.shape[0] - 1]
            for row in meta:
                score += weights.policy[row]
            is_gold = choices.gold.shape[0] > 0 and choices.gold[m] == graph.head[m]
            locks = takes(score, choices, step, is_gold)
            if log.action.shape[0]:
                log.site[step, 0], log.site[step, 1] = stage, graph.head[m]
                log.site[step, 2], log.site[step, 3] = m, next_to[m]
                log.state[step, :] = state
                log.action[step] = LOCK if locks else ADD
            step += 1
            if locks:
                lock(graph, parts, m, rules)
        if graph.locked.sum() == n:
            return ALL_LOCKED, stage, computed, step
    return ALL_STAGES, rules.last, computed, step


@njit(cache=True, nogil=True)
def lock_or_all(patterns, stages, weights, rules, choices, sentence, allowed, heads, log):
    """As lock_arcs, among the arcs that the filters leave; where these hold no tree, the last filter goes,
    and so on; then the limits. What was computed in vain counts."""
    shares = no_shares(patterns, sentence)
    passed, behind = np.empty(allowed.shape, np.int8), np.zeros(allowed.shape, np.float32)
    computed = likely_arcs(patterns, weights.filters, sentence, shares, allowed, passed, behind)
    ending = stage = step = 0
    for least in range(weights.filters.margin.shape[0] + 1, -1, -1):
        ending, stage, more, step = lock_arcs(
            patterns, stages, weights, rules, choices, sentence, shares, passed >= least, behind, heads, log
        )
        computed += more
        if ending != NO_TREE or stage > 0:
            break
    return ending, stage, computed, step


@njit(cache=True, nogil=True)
def site_rows(patterns, stages, sentence, site, state, hashed):
    """[R, width] the features of decisions, as lock_arcs weighs them, of a policy with `hashed` buckets.

    Without any, there are those of the stage and the state alone.
    """
    total = stages.seen_count[stages.seen_count.shape[0] - 1] if hashed else 0
    rows = np.full((site.shape[0], total + 1 + STATE), hashed + META - 1, np.uint32)
    n = sentence.keys.shape[1] - AROUND
    shares = no_shares(patterns, sentence)
    meta = np.empty(1 + STATE, np.int64)
    for r in range(site.shape[0]):
        stage = site[r, 0]
        meta_rows(stage, state[r], hashed, meta)
        rows[r, total:] = meta
        if not hashed:
            continue
        head, modifier = np.full(1, site[r, 1], np.uint32), np.full(1, site[r, 2], np.uint32)
        last = min(stage + 1, stages.first)
        arc = parts_of(modifier, head)
        own = part_rows(patterns, seen_group(stages, 0, last), sentence, shares, arc, hashed)[1]
        rows[r, : own.shape[0]] = own
        if stage >= stages.first:
            part = siblings_of(modifier, head, np.full(1, site[r, 3], np.uint32), n)
            group = seen_group(stages, stages.first, stage + 1)
            more = part_rows(patterns, group, sentence, shares, part, hashed)[1]
            rows[r, own.shape[0] : own.shape[0] + more.shape[0]] = more
    return rows


@njit(cache=True, nogil=True)
def full_cost(allowed, stages, rules):
    """Templates computed on parts where nothing is decided: all stages, all allowed arcs."""
    n = allowed.shape[0] - 1
    arcs = siblings = 0
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h == m or not allowed[m, h]:
                continue
            arcs += 1
            siblings += 1
            for s in range(min(h, m) + 1, max(h, m)):
                siblings += allowed[s, h]
    last = rules.last + 1
    first = min(last, stages.first)
    cost = arcs * templates_of(group_of(stages, 0, first))
    if last > first:
        cost += siblings * templates_of(group_of(stages, first, last))
    return cost


@njit(cache=True, nogil=True)
def lock_corpus(patterns, stages, weights, rules, corpus, tags, limits, heads):
    """Parse many sentences; heads and tags by position as in the corpus.

    Returns [S, 3]: why each ended, at which stage, and templates computed on parts.
    """
    count = corpus.start.shape[0] - 1
    found = np.zeros((count, 3), np.int64)
    nothing = np.empty(0, np.int32)
    choices = Choices(0.0, 0.0, nothing, np.empty((2, 0)), -1, 0)
    log = Log(np.empty((0, 4), np.int32), np.empty((0, STATE)), np.empty(0, np.int64))
    for i in range(count):
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        allowed = allowed_arcs(tags[a : a + n + 1], limits)
        sentence, own = sentence_at(corpus, i), heads[a : a + n + 1]
        ending, stage, computed, _ = lock_or_all(
            patterns, stages, weights, rules, choices, sentence, allowed, own, log
        )
        found[i, 0], found[i, 1], found[i, 2] = ending, stage, computed
    return found
