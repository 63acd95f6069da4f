"""The k best derivations by agenda, best first, each as soon as it is known to be the next.

What was popped is a chart: of its nodes, and of all rules between them, KBest lists derivations. Where the
order is the score, or that and an admissible bound of what is outside, and no weight is above 0, no
derivation is worth more than the priority of any of its items; so one with an item that still waits is worth
no more than the first of the agenda. What is listed above that is final, with the scores and the ties of CKY;
for more, the search goes on. In other orders, or where delta drops items, nothing is known of what waits:
then there are the k best of what was popped until there were so many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from secateur.grammar.derivation import Steps
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.state import BYTES, EMPTY, POPPED, POPS, WAITING, State
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import Anchors
from secateur.kernels.cky.sparse import cell_of
from secateur.kinds.pcfg.kbest import Alike, KBest
from secateur.search.arrays import Ints

MORE = 2  # one pop more for so many that were; then derivations are listed anew
ENDED = (EMPTY, POPS, BYTES)

GoOn = Callable[[State, int], tuple[int, State]]  # some pops more: how the search stands, and its state


class Derived(NamedTuple):
    """A derivation, and the search when it was found."""

    steps: Steps
    score: float
    certain: bool  # that none is better but those before
    state: State


class Several:
    """Derivations of a sentence that an agenda has parsed; of sub-symbols, the best of each tree."""

    def __init__(self, grammar: PCFG, words: Ids, bounded: bool, room: int) -> None:
        """`bounded`: priorities tell what derivations are worth at most. `room`: bytes, of a chart."""
        self.grammar, self.words, self.bounded, self.room = grammar, words, bounded, room
        self.alike = Alike.of(grammar)

    def best(self, state: State, k: int, go_on: GoOn) -> Iterator[Derived]:
        """Up to k, from the first parse on; where there is no room for a chart, none."""
        rank, ended = 0, False
        while True:
            best, first = self._popped(state), first_of(state)
            if best is None:
                return
            enough = ended or (not self.bounded and best.derivation(k - 1) is not None)
            bound = -np.inf if enough else first if self.bounded else np.inf
            while rank < k:
                found = best.derivation(rank)
                if found is None or found[1] <= bound:
                    break
                yield Derived(*found, self.bounded and found[1] > first, state)
                rank += 1
            if rank == k or ended:
                return
            status, state = go_on(state, max(int(state.tally[POPPED]) // MORE, 1))
            ended = status in ENDED

    def _popped(self, state: State) -> KBest | None:
        """Derivations of what was popped, as a chart in which all else is ruled out."""
        n, symbols = len(self.words), len(self.grammar.symbols)
        cells = n * (n + 1) // 2
        if 4 * cells * symbols > self.room:
            return None
        i, k, x = nodes_of(state)
        mask = np.zeros((n + 1, n + 1), np.bool_)
        mask[i, k] = True
        span = np.full((cells, symbols), -np.inf, np.float32)
        span[cell_of(i, k), x] = 0.0
        starts = np.arange(n)
        anchors = Anchors(span, span[cell_of(starts, starts + 1)])
        chart = cky.chart_of(self.grammar.rules, self.words, mask, anchors, self.room)
        return KBest(self.grammar.rules, chart, anchors, self.alike) if chart.complete else None


def nodes_of(state: State) -> tuple[Ints, Ints, Ints]:
    """(i, k, symbol) of all nodes."""
    i, x = np.nonzero(state.list_of[0])
    which, k = np.nonzero(state.list_score[state.list_of[0, i, x]] > -np.inf)
    return i[which], k, x[which]


def first_of(state: State) -> float:
    """The priority of the item that comes next."""
    return float(state.key[0]) if state.tally[WAITING] else -np.inf
