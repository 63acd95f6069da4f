"""What was popped, in order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda import derivation
from secateur.kernels.agenda.state import NONE, POPPED, State
from secateur.tasks.agenda_order.oracle import items_of


class Pop(NamedTuple):
    """An item that was popped."""

    number: int  # from 1 on
    symbol: str
    i: int
    k: int
    over: bool  # made by a unary rule
    priority: float
    score: float
    pushes: int  # hyperedges built before
    used: bool  # in the tree


def pops_of(grammar: PCFG, state: State) -> list[Pop]:
    """Of a search with a log; without a parse nothing is in a tree."""
    goal = derivation.goal_of(grammar.rules, state)
    steps = np.zeros((0, 5), np.int64) if goal == NONE else derivation.steps_of(state, np.uint32(goal))
    used = set(map(tuple, items_of(steps).tolist()))
    columns = (derivation.pops_of(state), state.log_key, state.log_score, state.log_pushes)
    rows = zip(*(column[: state.tally[POPPED]].tolist() for column in columns), strict=True)
    return [
        Pop(number, grammar.symbols[x], i, k, bool(over), key, score, pushes, (i, k, x, over) in used)
        for number, ((i, k, x, over), key, score, pushes) in enumerate(rows, 1)
    ]
