"""Hierarchical A* (Felzenszwalb & McAllester 2007; Pauls & Klein 2009) over the levels of a split grammar.

One agenda has inside and outside items of all levels. Inside, at each level, with x' what x is seen as at the
level before,

    base(i, i+1, x) = max over entries x -> w_i of its weight
    base(i, k, x)   = max over x -> y z and i < j < k of node(i, j, y) + node(j, k, z) + weight
    over(i, k, x)   = max over x -> y of base(i, k, y) + weight
    node(i, k, x)   = max of base(i, k, x) and over(i, k, x)

    priority of a base:  its score + outer(i, k, x')         when outer(i, k, x') has been popped
    priority of an over: its score + around(i, k, x')        when around(i, k, x') has been popped

at level 0 the score alone; until then it does not wait, but is kept. Outside, at each level but the last, of
what has been popped inside,

    around(0, n, start) = 0
    outer(i, k, y)  = max of around(i, k, y) and, over x -> y, around(i, k, x) + weight
    around(i, j, y) = max over x -> y z of outer(i, k, x) + weight + node(j, k, z)
    around(j, k, z) = max over x -> y z of outer(i, k, x) + weight + node(i, j, y)

with the priorities outer + base and around + node. Rules of a level are at least as likely as those that they
stand for: what is outside of x' is no worse than what is outside of x. The first complete parse of the last
level ends it.

Inside scores are added in float32 as CKY does it; priorities of inside items are raised by what rounding may
hide. Then the parse that is found is the best one, with CKY's score bit for bit, where no weight is above 0
and nothing is dropped. What has become better after it was popped is popped again; outside items are not, as
nothing but rounding can have made them worse than they should be.

A pop takes one item of any level. A push is one lexical entry, one rule with what it is made of popped, or
outside one rule for either child: also where the item is kept back until its outside score is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from ..cky.sparse import BINARY, LEXICAL, UNARY
from .heap import take
from .hierarchy_rules import inside_pop, offer_entries, offer_outside, outside_pop
from .hierarchy_state import (
    AROUND,
    FEWEST_RECORDS,
    KINDS,
    LOG,
    NEVER,
    OUTER,
    OVER,
    charts_for,
    charts_size,
    end_in,
    enlarged_charts,
    level_in,
    record_at,
    start_in,
    symbol_in,
    way_of,
)
from .levels import Levels
from .outside import slack_of
from .priorities import How, Limits
from .state import (
    BYTES,
    DROPPED,
    EMPTY,
    FOUND,
    ITEMS,
    LISTS,
    LONGEST,
    MORE_ROOM,
    NONE,
    POPPED,
    POPS,
    PUSHES,
    ROWS,
    WAITING,
)


class Climbed(NamedTuple):
    """What hierarchical A* found, and what it took; kernels return its fields as a plain tuple."""

    steps: np.ndarray  # [S, 5] int64 as from viterbi, in the last level's numbering; none: there is no parse
    score: float
    pops: int  # where delta was widened, of all attempts, as pushes
    pushes: int
    items: int  # inside and outside, of the last attempt
    status: int  # FOUND, EMPTY, POPS or BYTES
    pops_of: np.ndarray  # [L, 2] int64 by level, inside and outside
    log: np.ndarray  # [P, 5] int64 level, kind, i, k, symbol of what was popped; empty: nobody asked
    log_key: np.ndarray  # [P] float64 the priorities


@bare
def slack_for(n):
    """Twice that of an outside score: scores inside it and above it are rounded too."""
    return 2.0 * np.float64(slack_of(n))


@bare
def needed(levels, charts, item):
    """Upper bounds of the places in the table and the records that a pop of this item takes."""
    if np.int64(item) % KINDS >= OUTER:
        return np.int64(0), np.int64(0)
    name = charts.name[item]
    level, i, k, x = level_in(name), start_in(name), end_in(name), symbol_in(name)
    n, size = charts.best.shape[1] - 1, levels.begin[level + 1] - levels.begin[level]
    records = np.int64(levels.over_ptr[x + 1]) - np.int64(levels.over_ptr[x])
    records += (n - k) * min(size, levels.joins.left.uses[x]) + i * min(size, levels.joins.right.uses[x])
    return (n - k + i) * size, records


@bare
def is_roomy(charts, places, records):
    tally = charts.tally
    return (
        tally[ROWS] + places <= charts.table.shape[0]
        and tally[LISTS] + 2 <= charts.list_size.shape[0]
        and tally[ITEMS] + records <= charts.node_item.shape[0]
        and not 0 < charts.log_item.shape[0] <= tally[POPPED]
    )


@bare
def climb(levels, charts, delta, slack, until):
    """Pop until the last level has a parse, or until this many pops; FOUND, EMPTY, POPS or MORE_ROOM."""
    tally, last = charts.tally, levels.start.shape[0] - 1
    while tally[WAITING] > 0:
        if tally[POPPED] >= until:
            return POPS
        item = charts.waiting[0]
        places, records = needed(levels, charts, item)
        if not is_roomy(charts, places, records):
            return MORE_ROOM
        if charts.log_item.shape[0]:
            charts.log_item[tally[POPPED]], charts.log_key[tally[POPPED]] = item, charts.key[0]
        take(charts)
        tally[POPPED] += 1
        level, is_outside = level_in(charts.name[item]), np.int64(item) % KINDS >= OUTER
        charts.popped_of[level, np.int64(is_outside)] += 1
        if is_outside:
            outside_pop(levels, charts, slack, item)
        elif inside_pop(levels, charts, delta, slack, item):
            if level == last:
                return FOUND
            charts.found[level] = True
            offer_outside(levels, charts, slack, (np.int64(item) // KINDS) * KINDS + AROUND, 0.0)
    return EMPTY


@njit(cache=True, nogil=True)
def begun(levels, words, mask, delta, slack, log):
    """Charts in which the words wait."""
    n, count = words.shape[0], levels.start.shape[0]
    entries = 0
    for level in range(count):
        for word in words:
            entries += np.int64(levels.lex_ptr[level, word + 1]) - np.int64(levels.lex_ptr[level, word])
    symbols = levels.begin[count]
    charts = charts_for(n, count, symbols, 2 * n * symbols + 1, entries + FEWEST_RECORDS, log)
    for level in range(count):
        for i in range(n):
            for k in range(i + 2, n + 1):
                if not (k - i == n or mask[i, k]):
                    charts.row_of[level, i, k] = NEVER
    offer_entries(levels, words, charts, delta, slack)
    return charts


@njit(cache=True, nogil=True)
def worked_off(levels, charts, delta, slack, pops, limit):
    """How the search ends, within these limits, and its charts."""
    tally, count = charts.tally, levels.start.shape[0]
    n, symbols = charts.best.shape[1] - 1, levels.begin[count]
    while True:
        code = climb(levels, charts, delta, slack, pops)
        if code != MORE_ROOM:
            return code, charts
        places, more = needed(levels, charts, charts.waiting[0])
        table, records = charts.table.shape[0], charts.node_item.shape[0]
        lists, log = charts.list_size.shape[0], charts.log_item.shape[0]
        table = table if tally[ROWS] + places <= table else 2 * (tally[ROWS] + places)
        records = records if tally[ITEMS] + more <= records else 2 * (tally[ITEMS] + more)
        lists = lists if tally[LISTS] + 2 <= lists else 2 * lists
        log = 2 * log if 0 < log <= tally[POPPED] else log
        if charts_size(n, count, symbols, table, records, lists, log) > limit:
            return BYTES, charts
        charts = enlarged_charts(charts, table, records, lists, log)


@njit(cache=True, nogil=True)
def derivation_of(levels, charts, item):
    """The derivation of an inside item, parents first: rows of kind, symbol, i, k, rule id (or -1)."""
    width = end_in(charts.name[item]) - start_in(charts.name[item])
    first = levels.begin[level_in(charts.name[item])]
    steps, stack = np.empty((4 * width, 5), np.int64), np.empty(2 * width + 2, np.uint32)
    stack[0] = item
    depth, count = 1, 0
    while depth:
        depth -= 1
        top = stack[depth]
        name, way = charts.name[top], way_of(top)
        steps[count, 0], steps[count, 1], steps[count, 2] = BINARY, symbol_in(name) - first, start_in(name)
        steps[count, 3], steps[count, 4] = end_in(name), charts.rule[way]
        if charts.rule[way] == NONE:
            steps[count, 0], steps[count, 4] = LEXICAL, -1
        elif np.int64(top) % KINDS == OVER:
            steps[count, 0] = UNARY
            stack[depth] = charts.left[way]
            depth += 1
        else:
            stack[depth], stack[depth + 1] = charts.right[way], charts.left[way]
            depth += 2
        count += 1
    return steps[:count]


@njit(cache=True, nogil=True)
def log_of(levels, charts):
    """[P, 5] level, kind, i, k, symbol, in the numbering of its level."""
    size = charts.tally[POPPED] if charts.log_item.shape[0] else 0
    found = np.empty((size, 5), np.int64)
    for p in range(size):
        item = charts.log_item[p]
        name = charts.name[item]
        level = level_in(name)
        found[p, 0], found[p, 1] = level, np.int64(item) % KINDS
        found[p, 2], found[p, 3], found[p, 4] = start_in(name), end_in(name), symbol_in(name)
        found[p, 4] -= levels.begin[level]
    return found


@njit(cache=True, nogil=True)
def climbed(levels, words, mask, how, limits, log):
    """The fields of Climbed; how.widen widens how.delta until there is a parse, or delta dropped nothing."""
    n, last = words.shape[0], levels.start.shape[0] - 1
    slack, delta, pops, pushes = slack_for(n), how.delta, 0, 0
    pops_of = np.zeros((last + 1, 2), np.int64)
    while True:
        charts = begun(levels, words, mask, delta, slack, log)
        code, charts = worked_off(levels, charts, delta, slack, limits.pops - pops, limits.bytes)
        pops += charts.tally[POPPED]
        pushes += charts.tally[PUSHES]
        pops_of += charts.popped_of
        if code != EMPTY or how.widen <= 1.0 or charts.tally[DROPPED] == 0:
            break
        delta *= how.widen
    items = 0
    for item in range(KINDS, KINDS * charts.tally[ITEMS]):
        items += charts.popped[item] or charts.place[item] > 0
    steps, score = np.empty((0, 5), np.int64), np.float32(-np.inf)
    if code == FOUND:
        goal = record_at(levels, charts, last, 0, n, np.int64(levels.start[last]))
        steps, score = derivation_of(levels, charts, charts.node_item[goal]), charts.node_score[goal]
    keys = charts.log_key[: charts.tally[POPPED]] if charts.log_item.shape[0] else charts.log_key
    return steps, score, pops, pushes, items, code, pops_of, log_of(levels, charts), keys


def hierarchical(
    levels: Levels, words: Any, mask: Any, how: How, limits: Limits, *, log: bool = False
) -> Climbed:
    """The best parse of the last level; with a log of what was popped in the last attempt.

    `how.merge` means nothing here: what becomes better is popped again.
    """
    if not 0 < len(words) <= LONGEST:
        raise ValueError(f"{len(words)} words: an agenda takes 1 to {LONGEST}")
    return Climbed(*climbed(levels, words, mask, how, limits, LOG if log else 0))
