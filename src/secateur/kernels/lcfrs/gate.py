"""Gates: which items are worth making, by scores that add up over their components.

kept(x, U) = sum over the components [i, k) of U of interval(x, component, i, k)
             + size(x, positions covered) + length(x, positions from first to last) > 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..bare import bare
from .rules import NONE, Rules

CLOSE = 1e-9  # bounds add up in another order than scores


class Gate(NamedTuple):
    """What a policy says of items: kept where the sum of these is above 0. Arrays of no length: all are.

    `most` bounds what any symbol of a fan-out gets: a set that it leaves nothing of need not be looked up.
    """

    slot: np.ndarray  # [N] uint32 the first of a symbol's components in `interval`; NONE: always kept
    interval: np.ndarray  # [slots, n+1, n+1] float64 by component, its start and end
    size: np.ndarray  # [N, n+1] float64 by symbol and positions covered
    length: np.ndarray  # [N, n+1] float64 by symbol and positions from first to last
    most: np.ndarray  # [F+1, F, n+1, n+1] float64 by fan-out, component, its start and end


_SHAPES = ((0, 0, 0), (0, 0), (0, 0), (0, 0, 0, 0))
EVERYTHING = Gate(np.empty(0, np.uint32), *(np.empty(shape) for shape in _SHAPES))


@bare
def score_of(gate, bound, fanout, symbol, size):
    """What the gate gives an item, whose set has these boundaries; of one with a slot."""
    slot, f = gate.slot[symbol], np.int64(fanout)
    found = 0.0
    for part in range(f):
        found += gate.interval[slot + part, bound[2 * part], bound[2 * part + 1]]
    found += gate.size[symbol, size]
    found += gate.length[symbol, bound[2 * f - 1] - bound[0]]
    return found


@bare
def is_kept(gates, bound, fanout, symbol, size):
    """Whether all gates let an item pass."""
    for gate in gates:
        if gate.slot.shape[0] == 0 or gate.slot[symbol] == NONE:
            continue
        if score_of(gate, bound, fanout, symbol, size) <= 0.0:
            return False
    return True


@njit(inline="always")
def is_open(patterns, gates, bound, left, right, p):
    """Whether all gates could let some symbol pass over what two sets make up."""
    f = np.int64(patterns.parent[p])
    for gate in gates:
        if gate.slot.shape[0] == 0:
            continue
        found = 0.0
        for part in range(f):
            who, which = patterns.bound[p, 2 * part]
            start = bound[right if who else left, which]
            who, which = patterns.bound[p, 2 * part + 1]
            found += gate.most[f, part, start, bound[right if who else left, which]]
        if found <= -CLOSE:
            return False
    return True


@njit(inline="always")
def is_gated(gates):
    """Whether any gate is there."""
    return gates[0].slot.shape[0] > 0 or gates[1].slot.shape[0] > 0


def gate_of(
    rules: Rules, slot: np.ndarray, interval: np.ndarray, size: np.ndarray, length: np.ndarray
) -> Gate:
    """From `slot` [N], `interval` [slots, n+1, n+1], `size` and `length` [N, n+1]: with bounds by fan-out."""
    fans, words = len(rules.width) - 1, interval.shape[1]
    most = np.full((fans + 1, fans, words, words), -np.inf)
    rest = np.maximum(size.max(axis=1, initial=0.0) + length.max(axis=1, initial=0.0), 0.0)
    for fan in range(1, fans + 1):
        symbols = rules.symbol[rules.symbol_ptr[fan] : rules.symbol_ptr[fan + 1]]
        gated = slot[symbols] != NONE
        first = np.unique(slot[symbols[gated]])
        for part in range(fan):
            if gated.any():
                own = interval[first + part]
                most[fan, part] = own.max(axis=0) + (rest[symbols[gated]].max() if part == 0 else 0.0)
            if not gated.all():  # some are always kept
                most[fan, part] = np.maximum(most[fan, part], 1.0)
    return Gate(slot, interval, size, length, most)


@njit(cache=True, nogil=True)
def scores_of(gate, symbol, bound, parts):
    """[R] what a gate gives items, by their symbols and boundaries."""
    found = np.empty(symbol.shape[0])
    for r in range(symbol.shape[0]):
        size = np.int64(0)
        for part in range(parts[r]):
            size += np.int64(bound[r, 2 * part + 1]) - np.int64(bound[r, 2 * part])
        found[r] = score_of(gate, bound[r], parts[r], symbol[r], size)
    return found
