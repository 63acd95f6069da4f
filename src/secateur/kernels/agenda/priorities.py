"""What decides in which order items are popped, which are dropped, and when to stop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

UNLIMITED = 1 << 62
NOTHING = np.zeros(0)
DROP, IN_PLACE, AGAIN = range(3)


class Priorities(NamedTuple):
    """An item's priority: a sum of float64 numbers, in this order. n words, N symbols, D dynamic features.

    Finite but for `outside`. Ties are settled in the heap: of equal priorities the larger score is popped
    first, then the wider span, the smaller start, a node before a unary over one, the smaller symbol.
    """

    inside: float  # times the item's score
    span: np.ndarray  # [n+1, n+1] float64, what depends on the span alone
    first: np.ndarray  # [n+1, C] float64, on where it begins and on the symbol's column
    last: np.ndarray  # [n+1, C] float64, on where it ends
    column: np.ndarray  # [N] uint32, of a symbol, below C
    outside: np.ndarray  # [n*(n+1)/2, M] float32 an estimate of what is outside (-inf: drop); (0, 0): none
    seen: np.ndarray  # [N] uint32, its column of a symbol, below M
    # [D] float64, times what an item is like when it is offered, see dynamic.py; of length 0: nobody looks
    dynamic: np.ndarray = NOTHING


class How(NamedTuple):
    """How an agenda is worked off."""

    delta: float = np.inf  # dropped is what is worse by more than this than the best so far of its span
    # When an item that was popped could be better: nothing, or it is from now on, or that and popped again.
    merge: int = AGAIN
    widen: float = 1.0  # where delta dropped every parse, begin again with delta times this; 1.0: do not


class Limits(NamedTuple):
    """Where an agenda stops; time is the caller's, between slices."""

    pops: int = UNLIMITED
    bytes: int = UNLIMITED  # of the state's arrays, those that grow and those of the sentence's size


EXACT, NO_LIMITS = How(), Limits()


def uniform_cost(words: int, symbols: int) -> Priorities:
    """Priorities that are the items' scores: where no score is above 0 the first parse is the best."""
    nothing, columns = np.zeros((words + 1, 1)), np.zeros(symbols, np.uint32)
    no_estimate = np.zeros((0, 0), np.float32)
    return Priorities(1.0, np.zeros((words + 1, words + 1)), nothing, nothing, columns, no_estimate, columns)
