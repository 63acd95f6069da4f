"""Learners. LOLS, DAgger and plain supervision are one loop with different values.

A round rolls in with the current policy, asks `values` what each action at its decisions would have been
worth, adds the answers to the pool, and trains the next policy on the whole pool. The policy with the best
reward on held-out examples is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from secateur.search.core import (
    DECLINE,
    TAKE,
    Accuracy,
    Among,
    Batched,
    Episode,
    Example,
    Floats,
    Ints,
    Policy,
    Reward,
    Sites,
    Steps,
    Task,
    Trace,
    Values,
    Weights,
)
from secateur.search.linear import logistic_regression
from secateur.search.parallel import Engine
from secateur.search.pool import Pool

# Among the best of 2^-11 to 2^-19 for baselines on the dev part of the PTB sample: docs/papers.
REGULARIZER = 2.0**-18


class Round(NamedTuple):
    """What is known of a policy after its round: means over the held-out examples."""

    number: int
    reward: float
    accuracy: float
    runtime: float
    watched: dict[str, float]  # further figures, for those who look on
    seconds: float  # of the round


class Checkpoint(NamedTuple):
    """All that a stopped run needs to go on as if nothing had happened."""

    rounds: tuple[Round, ...]
    weights: Weights  # the newest policy
    best: Weights  # the best so far
    advantages: Floats
    apart: tuple[Weights, ...]  # the newest policies without a fold each


class Apart(NamedTuple):
    """What visits the examples of a fold: a search that was made without them, and its reward."""

    task: Task
    reward: Reward


Save = Callable[[Checkpoint], None]
Report = Callable[[Round], None]
Cost = Callable[[Any], float]
T = TypeVar("T")
_Item = tuple[int, Example]  # its number among the data
_Seen = tuple[Sites, Floats, Floats]  # sites, states, advantages


@dataclass
class Aggregate:
    """Learning with data-set aggregation, in scikit-learn's manner: fit, then policy_ and rounds_.

    With folds, an example is visited by a policy that was trained without its fold. A policy fails less on
    examples it was trained on than on new ones; what it would have to learn from its failures is seen only
    where it is new.
    """

    values: Values
    iterations: int = 10
    patience: int = 5  # rounds without a better held-out reward before it stops
    regularizer: float = REGULARIZER
    sample: Callable[[int], int] | None = None  # roll-outs out of so many decisions; None: all
    exploration: float = 0.0  # roll-in temperature
    oracle_rate: float = 0.0  # share of roll-in decisions taken by the oracle
    minibatch: int | None = None  # examples a round; None: all
    folds: int = 1
    steps: int = 100  # of the optimizer, a round
    seed: int = 0
    engine: Engine = field(default_factory=Engine)
    watch: Mapping[str, Accuracy] = field(default_factory=dict)  # further figures of the held-out examples
    policy_: Policy = field(init=False)
    rounds_: list[Round] = field(init=False)

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
        apart_of = range(self.folds) if self.folds > 1 else range(0)  # the folds left out

        def look(policy: Policy, number: int, started: float) -> Round:
            found = judge(task, reward, policy, dev, watch=self.watch, engine=self.engine, cost=cost)
            return found._replace(number=number, seconds=time.perf_counter() - started)

        if resume is None:
            self.rounds_ = [look(start, 0, time.perf_counter())]
            weights = best = start.weights
            others = self._fits(pool, [weights] * len(apart_of), apart_of) if len(pool) else []
            report(self.rounds_[0])
        else:
            pool.restore(resume.advantages)
            self.rounds_ = list(resume.rounds)
            weights, best, others = resume.weights, resume.best, list(resume.apart)
        while not self._done():
            number, started = len(self.rounds_), time.perf_counter()
            visitors = apart or [Apart(task, reward)] * self.folds
            self._collect(visitors, data, others or [weights] * self.folds, number, pool, cost)
            starts = [weights, *(others or [weights] * len(apart_of))]
            weights, *others = self._fits(pool, starts, [None, *apart_of])
            found = look(Policy(weights), number, started)
            if found.reward > max(r.reward for r in self.rounds_):
                best = weights
            self.rounds_.append(found)
            save(Checkpoint(tuple(self.rounds_), weights, best, pool.advantages(), tuple(others)))
            report(found)
        self.policy_ = Policy(best)
        return self

    def _fits(self, pool: Pool, starts: Sequence[Weights], without: Sequence[int | None]) -> list[Weights]:
        """Policies trained on the pool, each without the fold it names: as many at once as there are jobs."""
        fold, matrix, advantages = pool.examples() % self.folds, pool.matrix(), pool.advantages()

        def fit(start: Weights, left_out: int | None) -> Weights:
            seen = advantages if left_out is None else np.where(fold == left_out, 0.0, advantages)
            return logistic_regression(
                matrix, seen, regularizer=self.regularizer, start=start, iterations=self.steps
            )

        with ThreadPoolExecutor(self.engine.jobs) as threads:  # the kernels let go of the interpreter
            return list(threads.map(fit, starts, without))

    def _done(self) -> bool:
        rewards = [r.reward for r in self.rounds_]
        best = int(np.argmax(rewards))
        return len(rewards) > self.iterations or len(rewards) - 1 - best >= self.patience

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
        chosen = np.arange(len(data))
        if self.minibatch is not None and self.minibatch < len(data):
            rng = np.random.default_rng((self.seed, number))
            chosen = np.sort(rng.choice(len(data), self.minibatch, replace=False))
        visits = []
        for fold, ((task, reward), of_fold) in enumerate(zip(visitors, weights, strict=True)):
            policy = Policy(of_fold, self.exploration, self.oracle_rate)
            visit = _Visit(task, policy, reward, self.values, self.sample, (self.seed, number))
            visits.append((visit, [(e, data[e]) for e in chosen[chosen % self.folds == fold].tolist()]))
        for run, items in self._in_batch(visits, cost):
            for (example, (x, _)), seen in zip(items, self._map(run, items, cost), strict=True):
                pool.add(example, *seen, partial(visitors[0].task.features, x))

    def _in_batch(
        self, visits: list[tuple[_Visit, list[_Item]]], cost: Cost
    ) -> Sequence[tuple[Callable[[list[_Item]], list[_Seen]], list[_Item]]]:
        """The visits, or such as know what all examples add to a batched accuracy: all roll in for that."""
        batched = [
            (visit, visit.reward.accuracy, items)
            for visit, items in visits
            if isinstance(visit.reward.accuracy, Batched)
        ]
        if not batched:
            return visits
        counts = [c for visit, own, items in batched for c in self._map(_Count(visit, own), items, cost)]
        total = np.sum(counts, axis=0)
        return [(_VisitAmong(visit, own, total, len(counts)), items) for visit, own, items in batched]

    def _map(self, function: Callable[[list[_Item]], list[T]], items: list[_Item], cost: Cost) -> list[T]:
        return self.engine.map(function, items, np.array([cost(example.x) for _, example in items]))


def advantages(trace: Trace, steps: Steps, worth: Floats) -> tuple[Ints, Floats]:
    """The candidates of some decisions, as rows of the trace, and what each is worth more than the best of
    the other choices there. The other choice of a single candidate is to decline it."""
    if trace.binary:
        return steps, worth[:, TAKE] - worth[:, DECLINE]
    rows, found = [], []
    for step, of_step in zip(steps.tolist(), worth, strict=True):
        first, last = int(trace.ptr[step]), int(trace.ptr[step + 1])
        if last - first < 2:
            continue  # nothing to choose between
        for candidate, row in enumerate(range(first, last)):
            rows.append(row)
            found.append(of_step[candidate] - np.delete(of_step[: last - first], candidate).max())
    return np.array(rows, np.int64), np.array(found, np.float64)


def judge(
    task: Task,
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
class _Visit:
    """Roll-ins and roll-outs of some examples; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward
    values: Values
    sample: Callable[[int], int] | None
    seed: tuple[int, int]

    def __call__(self, items: list[_Item]) -> list[_Seen]:
        return [self.roll_out(e, *self.roll_in(number, e), self.reward) for number, e in items]

    def roll_in(self, number: int, example: Example) -> tuple[Episode, np.random.Generator]:
        """The same whenever it is asked for; and the luck for what follows."""
        rng = np.random.default_rng((*self.seed, number))
        x, gold = example
        seed = int(rng.integers(1 << 31))
        return self.task.roll_in(x, self.policy, gold=gold, seed=seed)._replace(seed=seed), rng

    def roll_out(self, example: Example, episode: Episode, rng: np.random.Generator, reward: Reward) -> _Seen:
        x, gold = example
        steps = np.arange(len(episode.trace.action))
        scale = 1.0
        if self.sample is not None and len(steps) > self.sample(len(steps)):
            # Fewer roll-outs, each standing for several.
            wanted = self.sample(len(steps))
            scale = len(steps) / wanted
            steps = np.sort(rng.choice(len(steps), wanted, replace=False))
        worth = self.values(self.task, x, gold, self.policy, episode, reward, steps)
        rows, advantage = advantages(episode.trace, steps, worth)
        return episode.trace.site[rows], episode.trace.state[rows], scale * advantage


@dataclass(frozen=True)
class _Count:
    """What examples add to a batched accuracy, as rolled in; travels to the workers."""

    visit: _Visit
    accuracy: Batched

    def __call__(self, items: list[_Item]) -> list[Ints]:
        return [
            self.accuracy.counts(e.x, self.visit.roll_in(number, e)[0].outcome, e.gold) for number, e in items
        ]


@dataclass(frozen=True)
class _VisitAmong:
    """Visits with each example's accuracy that of its whole batch; travels to the workers."""

    visit: _Visit
    accuracy: Batched
    total: Ints  # [c] the counts of all examples, as rolled in
    size: int

    def __call__(self, items: list[_Item]) -> list[_Seen]:
        return [self._one(number, example) for number, example in items]

    def _one(self, number: int, example: Example) -> _Seen:
        episode, rng = self.visit.roll_in(number, example)
        own = self.accuracy.counts(example.x, episode.outcome, example.gold)
        among = Among(self.accuracy, self.total - own, self.size)
        return self.visit.roll_out(example, episode, rng, replace(self.visit.reward, accuracy=among))


@dataclass(frozen=True)
class _Judge:
    """(runtime, figures) of some examples under a policy, counts for batched ones; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward
    figures: tuple[Accuracy, ...]

    def __call__(self, examples: list[Example]) -> list[tuple[Any, ...]]:
        found = []
        for x, gold in examples:
            outcome = self.task.parse(x, self.policy)
            figures = (
                f.counts(x, outcome, gold) if isinstance(f, Batched) else f(x, outcome, gold)
                for f in self.figures
            )
            found.append((self.reward.cost(outcome), *figures))
        return found
