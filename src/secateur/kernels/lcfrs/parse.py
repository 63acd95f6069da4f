"""Charts of sentences: room that grows as it is needed, limits, and the best derivation."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from .best_first import MORE_WAITING, Queue, words_wait, work
from .chart import (
    ACTIVE,
    CELLS,
    COUNTS,
    CURSOR,
    DONE,
    ENTRIES,
    FREE,
    IMPOSSIBLE,
    ITEMS,
    LEXICAL,
    LISTS,
    MORE_ACTIVE,
    MORE_ENTRIES,
    MORE_LISTS,
    MORE_USES,
    PAUSE,
    SETS,
    SIZE,
    USES,
    Room,
    Uses,
    enter,
    find,
    words_in,
)
from .gate import EVERYTHING, Gate
from .join import fill
from .rules import NONE, TWO, Rules

POSITIONS = 128  # of the longest sentence
UNLIMITED = 1 << 62
# To begin with.
_SETS, _CELLS, _ACTIVE, _ENTRIES, _LISTS, _USES = 1 << 10, 1 << 15, 1 << 12, 1 << 12, 1 << 12, 1 << 12
_WAITING = 1 << 12
_BREATH = 1 << 20  # uses of rules between two looks at the clock

COMPLETE, TOO_LARGE, TOO_MANY, TOO_LONG = range(4)  # how a chart ended: bytes, items, seconds
NO_USES = Uses(*(np.empty(0, kind) for kind in (np.int64, np.uint32, np.int64, np.int64)))


class Limits(NamedTuple):
    """Where a chart stops."""

    memory: int = UNLIMITED  # bytes
    items: int = UNLIMITED
    seconds: float = np.inf


NO_LIMITS = Limits()


class Chart(NamedTuple):
    """What was found."""

    room: Room
    uses: Uses
    status: int

    @property
    def sets(self) -> int:
        return int(self.room.tally[SETS])


def chart_of(
    rules: Rules,
    words: np.ndarray,
    gate: Gate = EVERYTHING,
    limits: Limits = NO_LIMITS,
    *,
    bounds: Gate = EVERYTHING,
    keep_uses: bool = False,
) -> Chart:
    """All items of a sentence of at most POSITIONS words that the gate and the bounds let pass, as far as
    limits allow."""
    n = len(words)
    room = _empty(rules, n)
    uses = Uses(*(np.empty(_USES, array.dtype) for array in NO_USES)) if keep_uses else NO_USES
    words_in(rules, room, words)

    def go(room: Room, uses: Uses, breath: int) -> int:
        return fill(rules, room, uses, (gate, bounds), n, limits.items, breath)

    return Chart(*_as_far_as(limits, go, partial(_larger, rules), room, uses))


def best_first(
    rules: Rules,
    words: np.ndarray,
    gate: Gate = EVERYTHING,
    limits: Limits = NO_LIMITS,
    *,
    bounds: Gate = EVERYTHING,
) -> Chart:
    """The same, but only those items that are as good as the best parse of the sentence, as far as limits
    allow; no rule may have a log weight above 0."""
    n = len(words)
    room = _empty(rules, n)
    words_in(rules, room, words)
    queue = _queue(rules, room, n)
    words_wait(rules, room, queue, n)

    def go(room: Room, queue: Queue, breath: int) -> int:
        return work(rules, room, (gate, bounds), queue, n, limits.items, breath)

    room, _, status = _as_far_as(limits, go, partial(_longer, rules), room, queue)
    return Chart(room, NO_USES, status)


def _as_far_as(limits: Limits, go: Callable, larger: Callable, room: Room, rest: tuple) -> tuple:
    """Go on, with more room where it is wanted, until all is done: the room, the rest and a status."""
    end = time.monotonic() + limits.seconds
    breath = _BREATH if limits.seconds < np.inf else UNLIMITED
    while True:
        code = go(room, rest, breath)
        if code == DONE:
            return room, rest, COMPLETE
        if code == PAUSE:
            if room.tally[ITEMS] > limits.items:
                return room, rest, TOO_MANY
            if time.monotonic() > end:
                return room, rest, TOO_LONG
            continue
        room, rest = larger(room, rest, code)
        if size_of(room) + sum(array.nbytes for array in rest) > limits.memory:
            return room, rest, TOO_LARGE


def size_of(room: Room) -> int:
    """Bytes; `made` is the same memory as `below`."""
    return sum(array.nbytes for array in room) - room.made.nbytes


def _empty(rules: Rules, n: int) -> Room:
    fans, patterns = len(rules.width) - 1, len(rules.patterns.parent)
    widest = int(rules.width.max())
    sets, cells, active = max(_SETS, n + 1), max(_CELLS, 2 * n * widest), max(_ACTIVE, 2 * n * widest)
    lists = max(_LISTS, len(rules.by_child[0].pattern))
    places = np.where(rules.patterns.plan[:, :, 0] == TWO, (n + 1) ** 2, n + 1).ravel()
    ptr = np.concatenate(([0], np.cumsum(places))).astype(np.int64)
    tally = np.zeros(COUNTS, np.int64)
    tally[SIZE], tally[CURSOR] = 1, -1
    below = np.empty((cells, 2))
    return Room(
        words=np.empty((sets, 2), np.uint64),
        fanout=np.empty(sets, np.uint8),
        bound=np.empty((sets, 2 * fans), np.uint8),
        base=np.empty(sets, np.int64),
        begin=np.zeros(sets, np.int64),
        end=np.zeros(sets, np.int64),
        same_size=np.empty(sets, np.uint32),
        table=np.full((_table_size(sets), 4), FREE),
        below=below,
        made=below.view(np.uint32),
        value=np.empty(cells),
        up=np.empty(cells, np.uint32),
        active=np.empty(active, np.uint32),
        first=np.full(n + 1, NONE),
        last=np.full(n + 1, NONE),
        height=np.zeros(widest, np.int64),
        right=np.zeros(rules.as_right.shape[1], np.uint64),
        lists=np.zeros(patterns + 1, np.uint32),
        groups=np.empty((lists, 3), np.uint32),
        inner=np.empty(lists),
        ptr=ptr[:-1].reshape(2, patterns),
        heads=np.full(int(ptr[-1]) + 1, NONE),
        entry=np.empty((max(_ENTRIES, 4 * patterns), 3), np.uint64),
        tally=tally,
    )


def _table_size(sets: int) -> int:
    return 1 << (2 * sets - 1).bit_length()


def _twice(array: np.ndarray, used: int) -> np.ndarray:
    larger = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


def _larger(rules: Rules, room: Room, uses: Uses, code: int) -> tuple[Room, Uses]:
    """With twice the room where it was wanted."""
    tally = room.tally
    if code == MORE_USES:
        return room, Uses(*(_twice(array, int(tally[USES])) for array in uses))
    if code == MORE_ACTIVE:
        return room._replace(active=_twice(room.active, int(tally[ACTIVE]))), uses
    if code == MORE_ENTRIES:
        return room._replace(entry=_twice(room.entry, int(tally[ENTRIES]))), uses
    if code == MORE_LISTS:
        groups, inner = (_twice(array, int(tally[LISTS])) for array in (room.groups, room.inner))
        return room._replace(groups=groups, inner=inner), uses
    if tally[CELLS] + rules.width.max() > len(room.value):
        used = int(tally[CELLS])
        below, value, up = (_twice(array, used) for array in (room.below, room.value, room.up))
        room = room._replace(below=below, made=below.view(np.uint32), value=value, up=up)
    if 2 * tally[SETS] >= len(room.table) or tally[SETS] >= len(room.words):
        used = int(tally[SETS])
        names = ("words", "fanout", "bound", "base", "begin", "end", "same_size")
        room = room._replace(**{name: _twice(getattr(room, name), used) for name in names})
        room = room._replace(table=np.full((_table_size(len(room.words)), 4), FREE))
        _enter_all(room)
    return room, uses


def _queue(rules: Rules, room: Room, n: int) -> Queue:
    cells, sets = len(room.value), len(room.words)
    waiting = max(_WAITING, 2 * n * int(rules.width[1]))
    return Queue(
        offer=np.full(cells, IMPOSSIBLE),
        closed=np.zeros((cells, 2), np.bool_),
        entered=np.zeros((sets, 2, rules.as_right.shape[1]), np.uint64),
        score=np.empty(waiting),
        waiting=np.empty((waiting, 3), np.uint32),
        count=np.zeros(3, np.int64),
    )


def _longer(rules: Rules, room: Room, queue: Queue, code: int) -> tuple[Room, Queue]:
    """With twice the room where best-first deduction wanted it."""
    if code == MORE_WAITING:
        used = int(queue.count[0])
        return room, queue._replace(score=_twice(queue.score, used), waiting=_twice(queue.waiting, used))
    room, _ = _larger(rules, room, NO_USES, code)
    fresh = _queue(rules, room, 0)
    for old, new in zip(queue[:3], fresh[:3], strict=True):
        new[: len(old)] = old
    return room, queue._replace(offer=fresh.offer, closed=fresh.closed, entered=fresh.entered)


@njit(cache=True, nogil=True)
def _enter_all(room):
    for s in range(room.tally[SETS]):
        enter(room, find(room.table, room.words[s, 0], room.words[s, 1]), np.uint32(s))


@njit(cache=True, nogil=True)
def goal_of(rules, room, n):
    """The set of all positions; -1 where it was not found."""
    low = ~np.uint64(0) if n >= 64 else (np.uint64(1) << np.uint64(n)) - np.uint64(1)
    high = (np.uint64(1) << np.uint64(n - 64)) - np.uint64(1) if 64 < n < 128 else np.uint64(0)
    if n == 128:
        high = ~np.uint64(0)
    h = find(room.table, low, high)
    return -1 if room.table[h, 2] == FREE else np.int64(room.table[h, 2])


@njit(cache=True, nogil=True)
def grow(rows):
    """Twice as many."""
    larger = np.empty((2 * rows.shape[0], rows.shape[1]), rows.dtype)
    larger[: rows.shape[0]] = rows
    return larger


# Steps of a derivation: kind, symbol, set, rule.
LEXICAL_STEP, UNARY_STEP, BINARY_STEP = range(3)


@njit(cache=True, nogil=True)
def derivation(rules, room, left_of, right_of, s, symbol):
    """[steps, 4] the best derivation of an item, parents first, left to right; it has a value."""
    found = np.empty((64, 4), np.int64)
    waiting = np.empty((64, 3), np.int64)  # set, symbol, whether its unary rule is used up
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = s, symbol, 0
    depth, count = 1, 0
    while depth:
        if count == found.shape[0]:
            found = grow(found)
        if depth + 1 >= waiting.shape[0]:
            waiting = grow(waiting)
        depth -= 1
        s, symbol, used = waiting[depth]
        c = room.base[s] + rules.local[symbol]
        up = room.up[c]
        found[count, 1], found[count, 2] = symbol, s
        count += 1
        if up != NONE and not used:
            found[count - 1, 0], found[count - 1, 3] = UNARY_STEP, up
            waiting[depth, 1], waiting[depth, 2] = rules.unary_child[up], not rules.chains
            depth += 1
            continue
        rule, left = room.made[c, 2], room.made[c, 3]
        found[count - 1, 0], found[count - 1, 3] = LEXICAL_STEP if rule == LEXICAL else BINARY_STEP, rule
        if rule == LEXICAL:
            continue
        low = room.words[s, 0] ^ room.words[left, 0]
        high = room.words[s, 1] ^ room.words[left, 1]
        right = np.int64(room.table[find(room.table, low, high), 2])
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2] = right, right_of[rule], 0
        waiting[depth + 1, 0], waiting[depth + 1, 1], waiting[depth + 1, 2] = left, left_of[rule], 0
        depth += 2
    return found[:count]


@njit(cache=True, nogil=True)
def best_of(rules, room, s, symbol):
    """The value of an item."""
    return IMPOSSIBLE if s < 0 else room.value[room.base[s] + rules.local[symbol]]
