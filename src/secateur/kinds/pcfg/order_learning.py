"""Orders of an agenda that are learned: by oracle-infused policy gradient, from counted ones.

Runs are drawn on training sentences of all lengths, as the sentences are that will be parsed: an order that
saw short ones only pops too much of long ones. After each pass it is judged on one half of the held-out
trees, as it will be used: with delta, widened until there is a parse. Of one order the most accurate pass is
kept, of the other that which pops least of those that lose next to nothing against the order by score, which
is nearly exact. Then it is learned for each how far to go past the first parse (`halting_learning`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from secateur.grammar.binarize import Binarization
from secateur.kinds.pcfg.halting_learning import HaltingLearning
from secateur.kinds.pcfg.orders import MERITS, Orders
from secateur.kinds.pcfg.ways import DEEPENING
from secateur.models.run import Run, fingerprint
from secateur.search.arrays import Weights
from secateur.search.checkpoint import Round
from secateur.search.core import Example, Policy, Reward
from secateur.search.learners import judge
from secateur.tasks.agenda_order.learn import OrderSettings, drawn_order, examples, order_learner, reward_of
from secateur.tasks.agenda_order.oracle import Oracle
from secateur.tasks.agenda_order.task import AgendaOrder, Encoded
from secateur.treebanks.bank import Bank
from secateur.treebanks.tree import Tree

# By name, the features that the first policy adds to the score.
STARTS: dict[str, tuple[str, ...]] = {"pg-1": MERITS, "pg-2": ()}
ACCURATE = "pg-2"  # of which the most accurate pass is kept
LOSS = 0.003  # of accuracy, that a pass may cost
SENTENCES = 160  # to learn from


@dataclass(frozen=True, kw_only=True)
class OrderSchedule:
    """How orders are learned."""

    learning: OrderSettings = field(
        default_factory=lambda: OrderSettings(
            passes=16,
            alone=8,
            trajectories=2,
            batch=4,
            wean=0.5,
            step=0.1,
            delta=DEEPENING.delta,
            pops=20_000,
        )
    )
    sentences: int = SENTENCES
    longest: int = 40  # words
    tradeoff: float = 1e-6  # what a pop past the first parse must bring, in F1 of 1


class OrderLearning:
    """A run in which orders are learned, and which keeps every pass."""

    def __init__(
        self,
        run: Run,
        train: Bank[Tree],
        stopping: Bank[Tree],
        orders: Orders,
        binarization: Binarization,
        schedule: OrderSchedule,
    ) -> None:
        """`orders`: the counted ones, whose features those that are learned have too."""
        self.run, self.orders, self.schedule = run, orders, schedule
        features = orders.features
        self.task = AgendaOrder(features.grammar, features, DEEPENING, Oracle(features.grammar, binarization))
        self.trees = mixed(train, schedule)
        self.stopping_trees = stopping.filter(max_length=schedule.longest)
        about = (asdict(schedule), LOSS, STARTS, ACCURATE, binarization.notes(), orders.to_notes())
        arrays = (*features.grammar.rules, *(array for _, array in sorted(orders.arrays.items())))
        run.claim(fingerprint(train.checksum(), stopping.checksum(), *about, *arrays), "orders")

    @staticmethod
    def plan(run: Run, schedule: OrderSchedule) -> None:
        """What is to come."""
        run.plan({"pass": len(STARTS) * schedule.learning.passes})

    def fit(self) -> tuple[Orders, list[dict[str, Any]]]:
        """The counted and the learned orders, with policies that end searches in them; and the passes."""
        found: dict[str, Weights] = {}
        log = []
        for number, (name, added) in enumerate(STARTS.items()):
            settings = replace(self.schedule.learning, seed=self.schedule.learning.seed + number)
            policy, rounds = self._learned(name, added, settings)
            found[name] = policy.weights
            log.append({"name": name, "rounds": [one._asdict() for one in rounds]})
        learning = self.schedule.learning
        given = (self.run, self.task, self.trees, list(self.stopping_trees), self.schedule.tradeoff)
        halting = HaltingLearning(*given, pops=learning.pops, seed=learning.seed)
        orders, more = halting.fit(self.orders.with_learned(found))
        return orders, log + more

    def _learned(
        self, name: str, added: tuple[str, ...], settings: OrderSettings
    ) -> tuple[Policy, list[Round]]:
        resume = self.run.checkpoint(name, self.task.dim)
        self.run.found("pass", len(resume.rounds) - 1 if resume else 0)
        learner = order_learner(settings, engine=self.run.engine)
        learner.prefer = self.prefer(name)
        learner.fit(
            drawn_order(self.task, settings),
            self.data,
            self.reward,
            Policy(self.orders.features.start(*added)),
            dev=self.stopping,
            cost=cubic,
            resume=resume,
            save=partial(self.run.save_checkpoint, name),
            report=lambda r: self.run.told(_line(name, r), "pass" if r.number else "", minor=True),
        )
        self.run.told(_line(name, max(learner.rounds_, key=learner.prefer)))
        return learner.policy_, learner.rounds_

    def prefer(self, name: str) -> Callable[[Round], tuple[float, ...]]:
        """Of two passes that where this is larger."""
        return _most_accurate if name == ACCURATE else _fewest_pops(self.least)

    @cached_property
    def reward(self) -> Reward:
        return reward_of(self.task.f1, self.schedule.learning)

    @cached_property
    def data(self) -> list[Example]:
        return examples(self.task, self.trees).examples

    @cached_property
    def stopping(self) -> list[Example]:
        return [Example(self.task.encode(tree.words()), self.task.gold(tree)) for tree in self.stopping_trees]

    @cached_property
    def least(self) -> float:
        """The accuracy that is enough: next to that by score."""

        def by_score() -> float:
            policy, engine = Policy(self.orders.features.start()), self.run.engine
            return judge(self.task, self.reward, policy, self.stopping, engine=engine, cost=cubic).accuracy

        return float(self.run.numbers("by-score", by_score, float)) - LOSS


def mixed(train: Bank[Tree], schedule: OrderSchedule) -> list[Tree]:
    """Some training trees, of all lengths up to the longest."""
    some = [tree for tree in train if 2 <= len(tree.words()) <= schedule.longest]
    order = np.random.default_rng(schedule.learning.seed).permutation(len(some))
    return [some[number] for number in order[: schedule.sentences].tolist()]


def cubic(x: Encoded) -> float:
    return float(len(x.known.words)) ** 3


def _most_accurate(one: Round) -> tuple[float, ...]:
    return one.accuracy, -one.runtime


def _fewest_pops(least: float) -> Callable[[Round], tuple[float, ...]]:
    """Of rounds that are accurate enough; the most accurate where none is."""

    def prefer(one: Round) -> tuple[float, ...]:
        return (1.0, -one.runtime) if one.accuracy >= least else (0.0, one.accuracy)

    return prefer


def _line(name: str, r: Round) -> str:
    return f"{name} pass {r.number}: F1 {100 * r.accuracy:.2f} a sentence, {r.runtime:,.0f} pops"
