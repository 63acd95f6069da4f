"""Policies that lock arcs, by DAgger (He, Daume III and Eisner 2013, algorithm 2).

A round visits sentences of one fold with parsers trained without it, so that they fail as they will on new
sentences. Each decision met is labelled by the oracle: lock what is gold. A linear classifier learns from all
decisions so far; to lock what is not gold costs more than to miss what is, and how much more is the knob.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from secateur.search.arrays import Floats, Ints
from secateur.search.checkpoint import Checkpoint, Round
from secateur.search.core import Example, Outcome, Policy, Reward
from secateur.search.learners import Aggregate, Apart, Save
from secateur.search.learners import judge as judge_by
from secateur.search.parallel import Engine
from secateur.search.pool import Pool
from secateur.search.svm import Svm
from secateur.search.values import asymmetric
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, Heads

ITERATIONS = 20
SHARE = 20  # one in so many sentences is visited in a round
STRENGTH = 0.01  # of the labels against small weights


class DaggerRound(NamedTuple):
    """A policy after its round, on held-out sentences."""

    number: int
    accuracy: float  # share of right heads
    features: float  # templates computed, as a share of all
    decisions: int  # collected so far


class Held(NamedTuple):
    """What a policy does on held-out sentences."""

    accuracy: float
    features: float
    fell_back: float


@dataclass(frozen=True, slots=True)
class Share:
    """A figure of many sentences together: so many of so many."""

    of_sentence: Callable[[ArcInput, Outcome, Heads], tuple[int, int]]

    def counts(self, x: ArcInput, outcome: Outcome, gold: Heads) -> Ints:
        return np.array(self.of_sentence(x, outcome, gold), np.int64)

    def of(self, counts: Ints) -> Floats:
        share: Floats = counts[..., 0] / counts[..., 1]
        return share

    def __call__(self, x: ArcInput, outcome: Outcome, gold: Heads) -> float:
        return float(self.of(self.counts(x, outcome, gold)))


def right_heads(x: ArcInput, outcome: Outcome, gold: Heads) -> tuple[int, int]:
    """Of the sentence's words."""
    right = 0 if outcome.parts is None else int(np.count_nonzero(outcome.parts.heads[1:] == gold[1:]))
    return right, len(gold) - 1


def fell_back(x: ArcInput, outcome: Outcome, gold: Heads) -> tuple[int, int]:
    """Whether there was no projective tree in the end."""
    return int(outcome.parts is None or outcome.parts.fell_back), 1


@dataclass(frozen=True, slots=True)
class Templates:
    """Those computed, of all there are."""

    task: ArcLocking

    def __call__(self, x: ArcInput, outcome: Outcome, gold: Heads) -> tuple[int, int]:
        return outcome.work.features, self.task.full_cost(x)


def judge(
    task: ArcLocking, policy: Policy, examples: Sequence[Example], *, engine: Engine | None = None
) -> Held:
    """Shares of right heads, of templates computed, and of sentences without a projective tree in the end."""
    watch = {"features": Share(Templates(task)), "fell back": Share(fell_back)}
    found = judge_by(task, heads_reward(), policy, examples, watch=watch, engine=engine, cost=cost_of)
    return Held(found.accuracy, found.watched["features"], found.watched["fell back"])


def heads_reward() -> Reward:
    """Right heads alone: templates are counted, and cost nothing."""
    return Reward(Share(right_heads), "features", 0.0)


def cost_of(x: ArcInput) -> float:
    """Of a visit, about."""
    return float(len(x.allowed)) ** 2


@dataclass(frozen=True, slots=True)
class Turns:
    """A round visits some of one fold, each fold in its turn: example e is in fold e % folds."""

    folds: int
    size: int
    seed: int

    def __call__(self, number: int, examples: int) -> Ints:
        fold = (number - 1) % self.folds
        own = np.arange(fold, examples, self.folds)
        rng = np.random.default_rng((self.seed, number - 1))
        return own[np.sort(rng.choice(len(own), min(self.size, len(own)), replace=False))]


def dagger(
    task: ArcLocking,
    parts: Sequence[tuple[ArcLocking, Sequence[Example]]],
    dev: Sequence[Example],
    *,
    cost: float,
    iterations: int = ITERATIONS,
    strength: float = STRENGTH,
    seed: int = 0,
    engine: Engine | None = None,
    resume: Checkpoint | None = None,
    save: Save = lambda checkpoint: None,
    report: Callable[[DaggerRound], None] = lambda round: None,
) -> tuple[Policy, list[DaggerRound]]:
    """The policy with the most right heads on `dev`. `parts`: folds, each with its parser."""
    folds = len(parts)
    data = dealt([examples for _, examples in parts])

    def settled(r: Round) -> tuple[float, ...]:
        # The first rounds know only what an oracle's parse meets: such a policy locks too little later on.
        return (r.number > 0) + (r.number > folds), r.accuracy, -r.runtime

    learner = Aggregate(
        asymmetric(cost),
        iterations=iterations,
        patience=iterations + 1,
        classifier=Svm(strength),
        oracle_rate=lambda number: float(number == 1),
        visits=Turns(folds, max(1, len(data) // SHARE), seed),
        folds=folds,
        crossed=False,
        prefer=settled,
        seed=seed,
        engine=engine or Engine(),
        watch={"features": Share(Templates(task))},
    )
    one = Reward(_no_reward, "features", 0.0)  # the labels are the oracle's
    learner.fit(
        task,
        data,
        heads_reward(),
        Policy(np.zeros(task.dim, np.float32)),
        dev=dev,
        apart=[Apart(parser, one) for parser, _ in parts],
        pool=Pool(task.dim, sums=False, nothing=task.nothing),
        cost=cost_of,
        resume=resume,
        save=save,
        report=lambda r: report(_told(r)) if r.number else None,
    )
    return learner.policy_, [_told(r) for r in learner.rounds_[1:]]


def dealt(folds: Sequence[Sequence[Example]]) -> list[Example]:
    """The examples of all folds, example e from fold e % folds."""
    data = [folds[e % len(folds)][e // len(folds)] for e in range(sum(map(len, folds)))]
    return data


def _no_reward(x: ArcInput, outcome: Outcome, gold: Heads) -> float:
    return 0.0


def _told(r: Round) -> DaggerRound:
    return DaggerRound(r.number, r.accuracy, r.watched["features"], r.decisions)
