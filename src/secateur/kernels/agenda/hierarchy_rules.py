"""What a pop of hierarchical A* does: the rules of hierarchy.py, inside and outside, and what waits."""

from __future__ import annotations

import numpy as np

from ..bare import bare
from ..split.simd import popcount, trailing_zeros
from .heap import put
from .hierarchy_state import (
    AROUND,
    BASE,
    KINDS,
    NEVER,
    OUTER,
    OVER,
    end_in,
    level_in,
    list_node,
    new_record,
    new_row,
    record_at,
    start_in,
    symbol_in,
    way_of,
)
from .state import (
    DROPPED,
    IMPOSSIBLE,
    NONE,
    ONE,
    PUSHES,
)

KEPT_BACK = -np.inf


@bare
def key_of(levels, charts, slack, item):
    """An item's priority; KEPT_BACK: its outside score is not known yet."""
    record, kind, made = np.int64(item) // KINDS, np.int64(item) % KINDS, charts.made[item]
    if kind == OUTER:
        return made + charts.made[KINDS * record + BASE]
    if kind == AROUND:
        return made + np.float64(charts.node_score[record])
    name = charts.name[item]
    level = level_in(name)
    if level == 0:
        return made
    above = np.int64(levels.seen[symbol_in(name)])
    coarse = KINDS * record_at(levels, charts, level - 1, start_in(name), end_in(name), above) + kind + OUTER
    if coarse < KINDS or not charts.popped[coarse]:
        return KEPT_BACK
    found = made + charts.made[coarse]
    return found + abs(found) * slack if charts.made[coarse] != 0.0 else found


@bare
def await_turn(levels, charts, slack, item):
    key = key_of(levels, charts, slack, item)
    if key > KEPT_BACK:
        put(charts, item, key)


@bare
def offer_inside(levels, charts, slack, level, i, k, symbol, kind, score, rule, left, right):
    """A way to make a base or an over, in a row that is there."""
    record = record_at(levels, charts, level, i, k, symbol)
    if record == 0:
        record = new_record(levels, charts, level, i, k, symbol)
    item = KINDS * record + kind
    if np.float64(score) <= charts.made[item] or (kind == OVER and score <= charts.node_score[record]):
        return
    charts.best[level, i, k] = max(charts.best[level, i, k], score)
    charts.made[item] = score
    way = way_of(item)
    charts.rule[way], charts.left[way], charts.right[way] = rule, left, right
    await_turn(levels, charts, slack, item)


@bare
def offer_outside(levels, charts, slack, item, score):
    if score > charts.made[item] and not charts.popped[item]:
        charts.made[item] = score
        await_turn(levels, charts, slack, item)


@bare
def release(levels, charts, slack, kind, name):
    """An outside score is known: what it was kept back for waits from now on."""
    level, i, k, symbol = level_in(name), start_in(name), end_in(name), symbol_in(name)
    for f in range(levels.finer_ptr[symbol], levels.finer_ptr[symbol + 1]):
        finer = record_at(levels, charts, level + 1, i, k, np.int64(levels.finer[f]))
        item = KINDS * finer + kind - OUTER
        if finer == 0 or charts.made[item] == -np.inf or charts.popped[item] or charts.place[item]:
            continue
        if kind == OUTER or charts.made[item] > charts.node_score[finer]:
            await_turn(levels, charts, slack, item)


@bare
def floor_for(charts, delta, level, i, k):
    """The score below which inside items of a span are dropped."""
    return charts.best[level, i, k] - np.float32(delta)


@bare
def offer_entries(levels, words, charts, delta, slack):
    for level in range(levels.start.shape[0]):
        for i in range(words.shape[0]):
            first = levels.lex_ptr[level, words[i]]
            last = levels.lex_ptr[level, words[i] + np.uint32(1)]
            if first == last:
                continue
            new_row(levels, charts, level, i, i + 1)
            charts.tally[PUSHES] += np.int64(last) - np.int64(first)
            for e in range(first, last):
                x, score = np.int64(levels.lex_tag[e]), levels.lex_weight[e]
                if score < floor_for(charts, delta, level, i, i + 1):
                    charts.tally[DROPPED] += score > IMPOSSIBLE
                else:
                    offer_inside(levels, charts, slack, level, i, i + 1, x, BASE, score, NONE, NONE, NONE)


@bare
def settle_node(levels, charts, slack, item, i, k, symbol):
    """Let a popped base or over be the node of its record if it is better than what is."""
    record = np.int64(item) // KINDS
    score = np.float32(charts.made[item])
    if score <= charts.node_score[record]:
        return
    if charts.node_item[record] == NONE:
        list_node(charts, record, i, k, symbol)
    charts.node_item[record], charts.node_score[record] = item, score
    around = KINDS * record + AROUND
    if charts.place[around]:
        await_turn(levels, charts, slack, around)


@bare
def unary_rules(levels, charts, delta, slack, item, level, i, k, y, score):
    """over(i, k, x) from a popped base(i, k, y), and outer(i, k, y) from around(i, k, x)."""
    tally, record = charts.tally, np.int64(item) // KINDS
    first, last = levels.over_ptr[y], levels.over_ptr[y + 1]
    tally[PUSHES] += np.int64(last) - np.int64(first)
    for u in range(first, last):
        x, above = np.int64(levels.over[u]), score + levels.over_weight[u]
        if above < floor_for(charts, delta, level, i, k):
            tally[DROPPED] += above > IMPOSSIBLE
        else:
            rule = levels.over_rule[u]
            offer_inside(levels, charts, slack, level, i, k, x, OVER, above, rule, np.uint32(item), NONE)
    if not charts.found[level]:
        return
    if charts.popped[KINDS * record + AROUND]:
        offer_outside(levels, charts, slack, KINDS * record + OUTER, charts.made[KINDS * record + AROUND])
    for u in range(first, last):
        parent = record_at(levels, charts, level, i, k, np.int64(levels.over[u]))
        if parent and charts.popped[KINDS * parent + AROUND]:
            outer = charts.made[KINDS * parent + AROUND] + np.float64(levels.over_weight[u])
            tally[PUSHES] += 1
            offer_outside(levels, charts, slack, KINDS * record + OUTER, outer)


@bare
def both_children(levels, charts, slack, outer, weight, left, right):
    """around of both, for a rule under an outer score."""
    charts.tally[PUSHES] += 2
    above = outer + np.float64(weight)
    scores = charts.node_score
    offer_outside(levels, charts, slack, KINDS * left + AROUND, above + np.float64(scores[right]))
    offer_outside(levels, charts, slack, KINDS * right + AROUND, above + np.float64(scores[left]))


@bare
def binary_rules(levels, charts, delta, slack, item, level, i, k, x, side, score):
    """base(i, m, z) with nodes (k, m, y), on side 0; base(m, k, z) with nodes (m, i, y), on side 1.

    And around of both where outer of z has been popped.
    """
    own = levels.joins.left if side == 0 else levels.joins.right
    siblings, rank, rule_ptr, parents, weights = own.siblings, own.rank, own.rule_ptr, own.parent, own.weight
    tally, row_of, record = charts.tally, charts.row_of, np.int64(item) // KINDS
    begin, position = levels.begin[level], k if side == 0 else i
    for word in range((levels.begin[level + 1] - begin) >> 6):
        mates = siblings[x, word]
        both = mates & charts.listed[side, position, (begin >> 6) + word]
        while both:
            mate = both & (~both + ONE)
            both ^= mate
            y = begin + 64 * word + np.int64(trailing_zeros(mate))
            pair = np.int64(rank[x, word]) + np.int64(popcount(mates & (mate - ONE)))
            first, last = np.int64(rule_ptr[pair]), np.int64(rule_ptr[pair + 1])
            nodes = charts.list_of[side, position, y]
            for at in range(charts.list_size[nodes]):
                far, other = np.int64(charts.list_far[nodes, at]), np.int64(charts.list_record[nodes, at])
                a, b = (i, far) if side == 0 else (far, k)
                if row_of[level, a, b] == NEVER:
                    continue
                if row_of[level, a, b] == 0:
                    new_row(levels, charts, level, a, b)
                mate_item = charts.node_item[other]
                left, right = (np.uint32(item), mate_item) if side == 0 else (mate_item, np.uint32(item))
                inner = score + charts.node_score[other]
                tally[PUSHES] += last - first
                for r in range(first, last):
                    whole = inner + weights[r]
                    if whole < floor_for(charts, delta, level, a, b):
                        tally[DROPPED] += last - r
                        break
                    z, rule = np.int64(parents[r]), own.rule[r]
                    offer_inside(levels, charts, slack, level, a, b, z, BASE, whole, rule, left, right)
                for r in range(first, last if charts.outers[level, a, b] else first):
                    above = KINDS * record_at(levels, charts, level, a, b, np.int64(parents[r])) + OUTER
                    if above >= KINDS and charts.popped[above]:
                        one, two = (record, other) if side == 0 else (other, record)
                        both_children(levels, charts, slack, charts.made[above], weights[r], one, two)


@bare
def inside_pop(levels, charts, delta, slack, item):
    """What a base or an over makes; whether it is a complete parse."""
    name, score = charts.name[item], np.float32(charts.made[item])
    level, i, k, x = level_in(name), start_in(name), end_in(name), symbol_in(name)
    if score < floor_for(charts, delta, level, i, k):
        charts.tally[DROPPED] += 1
        return False
    charts.popped[item] = True
    settle_node(levels, charts, slack, item, i, k, x)
    record = np.int64(item) // KINDS
    if np.int64(item) % KINDS == BASE:
        unary_rules(levels, charts, delta, slack, item, level, i, k, x, score)
    if charts.node_item[record] != item:
        return False
    for side in range(2):
        binary_rules(levels, charts, delta, slack, item, level, i, k, x, side, score)
    return i == 0 and k == charts.best.shape[1] - 1 and x == np.int64(levels.start[level])


@bare
def outside_pop(levels, charts, slack, item):
    """What an outer or an around makes, and whom it lets go."""
    charts.popped[item] = True
    record, kind = np.int64(item) // KINDS, np.int64(item) % KINDS
    name, score = charts.name[item], charts.made[item]
    level, i, k, x = level_in(name), start_in(name), end_in(name), symbol_in(name)
    release(levels, charts, slack, kind, name)
    if kind == AROUND:
        if charts.popped[KINDS * record + BASE]:
            offer_outside(levels, charts, slack, KINDS * record + OUTER, score)
        for u in range(levels.under_ptr[x], levels.under_ptr[x + 1]):
            below = record_at(levels, charts, level, i, k, np.int64(levels.under[u]))
            if below and charts.popped[KINDS * below + BASE]:
                charts.tally[PUSHES] += 1
                outer = score + np.float64(levels.under_weight[u])
                offer_outside(levels, charts, slack, KINDS * below + OUTER, outer)
        return
    charts.outers[level, i, k] += np.uint32(1)
    ends, starts = charts.far[0, i], charts.far[1, k]
    made_left, made_right, made_weight = levels.made_left, levels.made_right, levels.made_weight
    for r in range(levels.made_ptr[x], levels.made_ptr[x + 1]):
        y, z = np.int64(made_left[r]), np.int64(made_right[r])
        for word in range(i >> 6, (k >> 6) + 1):
            splits = ends[y, word] & starts[z, word]
            while splits:
                j = 64 * word + np.int64(trailing_zeros(splits))
                splits &= splits - ONE
                left = record_at(levels, charts, level, i, j, y)
                right = record_at(levels, charts, level, j, k, z)
                both_children(levels, charts, slack, score, made_weight[r], left, right)
