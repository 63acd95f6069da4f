"""Policies that end searches in a model's orders, learned from where a search that goes on would lead.

On the sentences from which orders are learned, each is searched once, far past its first parse; so what each
decision is worth is known (`tasks.agenda_order.halting`). No search is given up: that pays on those sentences
alone. A policy is kept if on held-out trees it is on the frontier of pops and accuracy, with all orders as
they are without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from secateur.kernels.agenda.halting import LOOKS, SEEN
from secateur.kernels.agenda.priorities import Limits
from secateur.kinds.pcfg.orders import HALTING, Orders
from secateur.models.run import Run
from secateur.search.arrays import Weights
from secateur.search.checkpoint import Round
from secateur.search.core import Policy
from secateur.tasks.agenda_order.halting import (
    AgendaHalting,
    at_first_parse,
    examples,
    halting_learner,
    reward_of,
)
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.treebanks.tree import Tree

ITERATIONS = 8


@dataclass(frozen=True)
class HaltingLearning:
    """Of searches of these trees; which policy is best, others tell."""

    run: Run
    task: AgendaOrder
    trees: Sequence[Tree]
    stopping: Sequence[Tree]
    tradeoff: float  # what a pop costs, in F1 of 1
    pops: int  # of a search, at most, up to its first parse
    seed: int

    def fit(self, orders: Orders) -> tuple[Orders, list[dict[str, Any]]]:
        """The orders, with policies where they pay, and the rounds."""
        found: dict[str, Weights] = {}
        rounds: dict[str, list[Round]] = {}
        for name in orders.names:
            found[name], rounds[name] = self._learned(name, Policy(orders.weights_of(name)))
        kept = {name: found[name] for name in paying(rounds)}
        self.run.told(f"to go on past the first parse pays in the orders: {', '.join(kept) or 'none'}")
        log = [
            {"name": f"{name}{HALTING}", "rounds": [one._asdict() for one in each]}
            for name, each in rounds.items()
        ]
        return orders.with_halting(kept), log

    def _learned(self, order: str, priorities: Policy) -> tuple[Weights, list[Round]]:
        limits, name = Limits(pops=int(LOOKS.past * self.pops)), f"{order}{HALTING}"
        task = AgendaHalting(self.task, priorities, LOOKS, limits, self.tradeoff)
        learner = halting_learner(iterations=ITERATIONS, seed=self.seed, engine=self.run.engine)
        learner.fit(
            task,
            examples(task, self.trees),
            reward_of(task),
            at_first_parse(),
            dev=examples(task, self.stopping),
            resume=self.run.checkpoint(name, SEEN),
            save=partial(self.run.save_checkpoint, name),
        )
        return learner.policy_.weights, learner.rounds_


def paying(rounds: Mapping[str, Sequence[Round]]) -> list[str]:
    """Whose best round no other order's is as good as with no more pops, nor any first one, in which searches
    end with the first parse."""
    best = {name: max(each, key=lambda one: one.reward) for name, each in rounds.items()}
    firsts = [each[0] for each in rounds.values()]

    def beaten(name: str, own: Round) -> bool:
        others = [one for other, one in best.items() if other != name]
        return any(one.accuracy >= own.accuracy and one.runtime <= own.runtime for one in (*firsts, *others))

    return [name for name, own in best.items() if not beaten(name, own)]
