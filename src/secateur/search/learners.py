"""Learners. LOLS, DAgger and plain supervision are one loop with different values.

A round rolls in with the current policy, asks `values` what each action at its decisions would have been
worth, adds the answers to the pool, and trains the next policy on the whole pool. The policy with the best
reward on held-out examples is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from secateur.search.arrays import Floats, Ints, Sites, Weights
from secateur.search.checkpoint import Checkpoint, Round
from secateur.search.core import Accuracy, Batched, Example, Policy, Reward, Rows, Search, Task, Values
from secateur.search.linear import Fit, Logistic
from secateur.search.parallel import Engine
from secateur.search.pool import Pool
from secateur.search.visits import Count, Item, Seen, Visit, VisitAmong


class Apart(NamedTuple):
    """What visits the examples of a fold: a search that was made without them, and its reward."""

    task: Task
    reward: Reward


Visits = Callable[[int, int], Ints]  # the examples of a round, by its number (from 1) and how many there are
Rate = float | Callable[[int], float]  # by the round's number, where it is not always the same
Save = Callable[[Checkpoint], None]
Report = Callable[[Round], None]
Cost = Callable[[Any], float]
T = TypeVar("T")


def everything(number: int, examples: int) -> Ints:
    """Every round visits all."""
    return np.arange(examples)


@dataclass(frozen=True, slots=True)
class Minibatch:
    """Every round visits so many, drawn anew."""

    size: int
    seed: int = 0

    def __call__(self, number: int, examples: int) -> Ints:
        if self.size >= examples:
            return np.arange(examples)
        rng = np.random.default_rng((self.seed, number))
        return np.sort(rng.choice(examples, self.size, replace=False))


def by_reward(round: Round) -> tuple[float, ...]:
    """The policy with the best held-out reward is kept."""
    return (round.reward,)


@dataclass(kw_only=True)
class Learner:
    """What all learners have."""

    prefer: Callable[[Round], tuple[float, ...]] = by_reward  # of two rounds, the one where this is larger
    seed: int = 0
    engine: Engine = field(default_factory=Engine)
    watch: Mapping[str, Accuracy] = field(default_factory=dict)  # further figures of the held-out examples
    policy_: Policy = field(init=False)
    rounds_: list[Round] = field(init=False)


@dataclass
class Aggregate(Learner):
    """Learning with data-set aggregation, in scikit-learn's manner: fit, then policy_ and rounds_.

    With folds, an example is visited by a policy that was trained without its fold. A policy fails less on
    examples it was trained on than on new ones; what it would have to learn from its failures is seen only
    where it is new. Unless `crossed`, only the search that visits is one made without the fold.
    """

    values: Values
    iterations: int = 10
    patience: int = 5  # rounds without a better policy before it stops
    classifier: Fit = field(default_factory=Logistic)  # makes a policy of the pool
    sample: Callable[[int], int] | None = None  # roll-outs out of so many decisions; None: all
    exploration: Rate = 0.0  # roll-in temperature
    oracle_rate: Rate = 0.0  # share of roll-in decisions taken by the oracle
    visits: Visits = everything
    folds: int = 1
    crossed: bool = True  # with folds, so is the policy that visits one

    def fit(
        self,
        task: Task,
        data: Sequence[Example],
        reward: Reward,
        start: Policy,
        *,
        dev: Sequence[Example],
        apart: Sequence[Apart] = (),
        pool: Pool | None = None,
        cost: Cost = lambda x: 1.0,
        resume: Checkpoint | None = None,
        save: Save = lambda checkpoint: None,
        report: Report = lambda round: None,
    ) -> Aggregate:
        """Improve on `start`. `pool` may hold decisions already (the baseline's labelled set).

        `apart`: what each fold's examples are made for and visited with, where the task itself knows them.
        """
        if not dev:
            raise ValueError("no held-out examples: early stopping needs some")
        if apart and len(apart) != self.folds:
            raise ValueError(f"{len(apart)} tasks apart for {self.folds} folds")
        pool = pool if pool is not None else Pool(task.dim)
        mark = pool.mark()
        visitors = apart or [Apart(task, reward)] * self.folds
        apart_of = range(self.folds) if self.folds > 1 and self.crossed else range(0)  # the folds left out

        def look(policy: Policy, number: int, started: float) -> Round:
            found = judge(task, reward, policy, dev, watch=self.watch, engine=self.engine, cost=cost)
            spent = time.perf_counter() - started
            return found._replace(number=number, seconds=spent, decisions=len(pool))

        if resume is None:
            self.rounds_ = [look(start, 0, time.perf_counter())]
            weights = best = start.weights
            others = self._fits(pool, [weights] * len(apart_of), apart_of) if len(pool) else []
            report(self.rounds_[0])
        else:
            check_resumed(resume, task.dim, len(data), len(apart_of))
            pool.hold(resume.held, _FeaturesOf([one.task for one in visitors], data))
            self.rounds_ = list(resume.rounds)
            weights, best, others = resume.weights, resume.best, list(resume.apart)
        while not done(self.rounds_, self.iterations, self.patience, self.prefer):
            number, started = len(self.rounds_), time.perf_counter()
            self._collect(visitors, data, others or [weights] * self.folds, number, pool, cost)
            starts = [weights, *(others or [weights] * len(apart_of))]
            weights, *others = self._fits(pool, starts, [None, *apart_of])
            found = look(Policy(weights), number, started)
            if self.prefer(found) > max(map(self.prefer, self.rounds_)):
                best = weights
            self.rounds_.append(found)
            save(Checkpoint(tuple(self.rounds_), weights, best, tuple(others), pool.held(mark)))
            report(found)
        self.policy_ = Policy(best)
        return self

    def _fits(self, pool: Pool, starts: Sequence[Weights], without: Sequence[int | None]) -> list[Weights]:
        """Policies trained on the pool, each without the fold it names: as many at once as there are jobs."""
        matrix, ptr, advantages = pool.matrix(), pool.ptr(), pool.advantages()

        def fit(start: Weights, left_out: int | None) -> Weights:
            seen = advantages
            if left_out is not None:
                seen = np.where(pool.examples() % self.folds == left_out, 0.0, advantages)
            return self.classifier(matrix, ptr, seen, start)

        with ThreadPoolExecutor(self.engine.jobs) as threads:  # the kernels let go of the interpreter
            return list(threads.map(fit, starts, without))

    def _collect(
        self,
        visitors: Sequence[Apart],  # of each fold
        data: Sequence[Example],
        weights: Sequence[Weights],  # of each fold's policy
        number: int,
        pool: Pool,
        cost: Cost,
    ) -> None:
        """Roll in, roll out, and add what was learned to the pool."""
        chosen = self.visits(number, len(data))
        exploration, oracle_rate = rate(self.exploration, number), rate(self.oracle_rate, number)
        visits = []
        for fold, ((task, reward), of_fold) in enumerate(zip(visitors, weights, strict=True)):
            items = [(e, data[e]) for e in chosen[chosen % self.folds == fold].tolist()]
            policy = Policy(of_fold, exploration, oracle_rate)
            visit = Visit(task, policy, reward, self.values, self.sample, (self.seed, number))
            if items:
                visits.append((visit, items))
        features = _FeaturesOf([one.task for one in visitors], data)
        for run, items in self._in_batch(visits, cost):
            for (example, _), seen in zip(items, self._map(run, items, cost), strict=True):
                pool.add(example, seen.site, seen.state, seen.advantage, partial(features, example), seen.ptr)

    def _in_batch(
        self, visits: list[tuple[Visit, list[Item]]], cost: Cost
    ) -> Sequence[tuple[Callable[[list[Item]], list[Seen]], list[Item]]]:
        """The visits, or such as know what all examples add to a batched accuracy: all roll in for that."""
        batched = [
            (visit, visit.reward.accuracy, items)
            for visit, items in visits
            if isinstance(visit.reward.accuracy, Batched)
        ]
        if not batched:
            return visits
        counts = [c for visit, own, items in batched for c in self._map(Count(visit, own), items, cost)]
        total = np.sum(counts, axis=0)
        return [(VisitAmong(visit, own, total, len(counts)), items) for visit, own, items in batched]

    def _map(self, function: Callable[[list[Item]], list[T]], items: list[Item], cost: Cost) -> list[T]:
        return self.engine.map(function, items, np.array([cost(example.x) for _, example in items]))


@dataclass(frozen=True)
class _FeaturesOf:
    """Features of the candidates of an example, by its number: as the task that visits it has them."""

    tasks: Sequence[Task]  # of each fold
    data: Sequence[Example]

    def __call__(self, example: int, site: Sites, state: Floats) -> Rows:
        task = self.tasks[example % len(self.tasks)]
        return task.features(self.data[example].x, site, state)


def rate(given: Rate, number: int) -> float:
    """Of a round."""
    return given if isinstance(given, int | float) else given(number)


def done(
    rounds: Sequence[Round], iterations: int, patience: int, prefer: Callable[[Round], tuple[float, ...]]
) -> bool:
    """Whether there were rounds enough, or too many since the best one."""
    best = max(range(len(rounds)), key=lambda number: prefer(rounds[number]))  # the first of equals
    return len(rounds) > iterations or len(rounds) - 1 - best >= patience


def check_resumed(given: Checkpoint, dim: int, examples: int, apart: int) -> None:
    """Refuse a checkpoint of another run, as far as its sizes tell."""
    sizes = {len(weights) for weights in (given.weights, given.best, *given.apart)}
    if sizes != {dim} or len(given.apart) not in (0, apart):
        raise ValueError(
            f"{len(given.apart)} policies apart, {sizes} features: not {apart} and {dim} as here"
        )
    if not ((given.held.example >= 0) & (given.held.example < examples)).all():
        raise ValueError(f"decisions of examples beyond the {examples} there are")


def judge(
    task: Search,
    reward: Reward,
    policy: Policy,
    examples: Sequence[Example],
    *,
    watch: Mapping[str, Accuracy] | None = None,
    engine: Engine | None = None,
    cost: Cost = lambda x: 1.0,
) -> Round:
    """A policy's mean figures on examples."""
    started = time.perf_counter()
    watch = dict(watch or {})
    figures = (reward.accuracy, *watch.values())
    look = _Judge(task, policy, reward, figures)
    found = (engine or Engine()).map(look, examples, np.array([cost(x) for x, _ in examples]))
    runtimes, *columns = zip(*found, strict=True)
    runtime = float(np.mean(runtimes))
    accuracy, *others = (_together(f, column) for f, column in zip(figures, columns, strict=True))
    total = accuracy - reward.tradeoff * runtime
    watched = dict(zip(watch, others, strict=True))
    return Round(0, total, accuracy, runtime, watched, time.perf_counter() - started)


def _together(figure: Accuracy, found: Sequence[Any]) -> float:
    """A figure of all examples: the mean of what was found of each, or what their counts add up to."""
    return float(figure.of(np.sum(found, axis=0)) if isinstance(figure, Batched) else np.mean(found))


@dataclass(frozen=True)
class _Judge:
    """(runtime, figures) of some examples under a policy, counts for batched ones; travels to the workers."""

    task: Search
    policy: Policy
    reward: Reward
    figures: tuple[Accuracy, ...]

    def __call__(self, examples: list[Example]) -> list[tuple[Any, ...]]:
        figures = [f.counts if isinstance(f, Batched) else f for f in self.figures]
        found = []
        for x, gold in examples:
            outcome = self.task.run(x, self.policy)
            found.append((self.reward.cost(outcome), *(figure(x, outcome, gold) for figure in figures)))
        return found
