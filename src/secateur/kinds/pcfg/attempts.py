"""Attempt: a search by agenda as it stands when it has ended; and one that a policy ends."""

from __future__ import annotations

from typing import NamedTuple

from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.derivation import goal_of
from secateur.kernels.agenda.halting import (
    DELTA,
    EARLIER_POPS,
    EARLIER_PUSHES,
    HALTED,
    beginning,
    search,
)
from secateur.kernels.agenda.joins import Joins
from secateur.kernels.agenda.priorities import How, Limits, Priorities
from secateur.kernels.agenda.state import ITEMS, NONE, POPPED, POPS, PUSHES, State
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Bools
from secateur.search.core import Work
from secateur.tasks.agenda_order.task import Halting


class Attempt(NamedTuple):
    """A search, and the work of those before it, which delta left without a parse."""

    status: int
    state: State
    how: How
    before: Work

    def work(self) -> Work:
        """Of all."""
        tally = self.state.tally
        pushes, pops = self.before.pushes + int(tally[PUSHES]), self.before.pops + int(tally[POPPED])
        return self.before._replace(pushes=pushes, pops=pops, items=int(tally[ITEMS]))


class Searched(NamedTuple):
    """What is searched, and how."""

    words: Ids
    mask: Bools
    order: Priorities
    how: How
    limits: Limits


def past_the_first(
    grammar: PCFG, joins: Joins, searched: Searched, halting: Halting, before: Work
) -> Attempt:
    """Until a policy takes the best parse there is; where delta dropped all, with more and more."""
    words, mask, order, how, limits = searched
    progress = beginning(len(words), how, halting.looks)
    given = (grammar.rules, joins, words, mask, NO_ANCHORS, order, how, limits, halting.looks)
    status, state = search(*given, halting.weights, progress)
    pops, pushes = (int(progress.count[which]) for which in (EARLIER_POPS, EARLIER_PUSHES))
    before = before._replace(pops=pops, pushes=pushes)
    found = Attempt(status, state, how._replace(delta=float(progress.number[DELTA])), before)
    # All ends so far past the first parse, whatever the policy says.
    has_parse = goal_of(grammar.rules, state) != NONE
    if status == POPS and has_parse and found.work().pops < limits.pops:
        return found._replace(status=HALTED)
    return found
