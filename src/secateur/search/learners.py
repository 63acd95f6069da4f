"""Learners. LOLS, DAgger and plain supervision are one loop with different values.

A round rolls in with the current policy, asks `values` what each action at its decisions would have been
worth, adds the answers to the pool, and trains the next policy on the whole pool. The policy with the best
reward on held-out examples is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from secateur.search.core import (
    DECLINE,
    TAKE,
    Accuracy,
    Example,
    Floats,
    Policy,
    Reward,
    Sites,
    Task,
    Values,
    Weights,
)
from secateur.search.linear import Matrix, logistic_regression
from secateur.search.parallel import Engine
from secateur.search.pool import Pool

# The best of 2^-13, -15, -17 and -19 for baselines on the dev part of the PTB sample.
REGULARIZER = 2.0**-17


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


Save = Callable[[Checkpoint], None]
Report = Callable[[Round], None]
Cost = Callable[[Any], float]


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
        pool: Pool | None = None,
        cost: Cost = lambda x: 1.0,
        resume: Checkpoint | None = None,
        save: Save = lambda checkpoint: None,
        report: Report = lambda round: None,
    ) -> Aggregate:
        """Improve on `start`. `pool` may hold decisions already (the baseline's labelled set)."""
        if not dev:
            raise ValueError("no held-out examples: early stopping needs some")
        pool = pool if pool is not None else Pool(task.dim)

        def look(policy: Policy, number: int, started: float) -> Round:
            found = judge(task, reward, policy, dev, watch=self.watch, engine=self.engine, cost=cost)
            return found._replace(number=number, seconds=time.perf_counter() - started)

        if resume is None:
            self.rounds_ = [look(start, 0, time.perf_counter())]
            weights = best = start.weights
            apart = self._without_folds(pool, [weights] * self.folds)
            report(self.rounds_[0])
        else:
            pool.restore(resume.advantages)
            self.rounds_ = list(resume.rounds)
            weights, best, apart = resume.weights, resume.best, list(resume.apart)
        while not self._done():
            number, started = len(self.rounds_), time.perf_counter()
            self._collect(task, data, reward, apart if apart else [weights], number, pool, cost)
            weights = self._train(pool.matrix(), pool.advantages(), weights)
            apart = self._without_folds(pool, apart)
            found = look(Policy(weights), number, started)
            if found.reward > max(r.reward for r in self.rounds_):
                best = weights
            self.rounds_.append(found)
            save(Checkpoint(tuple(self.rounds_), weights, best, pool.advantages(), tuple(apart)))
            report(found)
        self.policy_ = Policy(best)
        return self

    def _train(self, matrix: Matrix, advantages: Floats, start: Weights) -> Weights:
        return logistic_regression(
            matrix, advantages, regularizer=self.regularizer, start=start, iterations=self.steps
        )

    def _without_folds(self, pool: Pool, starts: Sequence[Weights]) -> list[Weights]:
        """The policies that each leave a fold out; none where there is but one."""
        if self.folds == 1 or not len(pool):
            return []
        fold, matrix, advantages = pool.examples() % self.folds, pool.matrix(), pool.advantages()
        return [
            self._train(matrix.only(fold != number), advantages[fold != number], start)
            for number, start in enumerate(starts)
        ]

    def _done(self) -> bool:
        rewards = [r.reward for r in self.rounds_]
        best = int(np.argmax(rewards))
        return len(rewards) > self.iterations or len(rewards) - 1 - best >= self.patience

    def _collect(
        self,
        task: Task,
        data: Sequence[Example],
        reward: Reward,
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
        for fold, of_fold in enumerate(weights):
            part = chosen[chosen % len(weights) == fold].tolist()
            policy = Policy(of_fold, self.exploration, self.oracle_rate)
            visit = _Visit(task, policy, reward, self.values, self.sample, (self.seed, number))
            items = [(e, data[e]) for e in part]
            found = self.engine.map(visit, items, np.array([cost(example.x) for _, example in items]))
            for example, (site, state, advantage) in zip(part, found, strict=True):
                pool.add(example, site, state, advantage, partial(task.features, data[example].x))


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
    look = _Judge(task, policy, reward, tuple(watch.values()))
    found = (engine or Engine()).map(look, examples, np.array([cost(x) for x, _ in examples]))
    accuracy, runtime, *others = (float(mean) for mean in np.mean(found, axis=0))
    total = accuracy - reward.tradeoff * runtime
    watched = dict(zip(watch, others, strict=True))
    return Round(0, total, accuracy, runtime, watched, time.perf_counter() - started)


@dataclass(frozen=True)
class _Visit:
    """Roll-ins and roll-outs of some examples; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward
    values: Values
    sample: Callable[[int], int] | None
    seed: tuple[int, int]

    def __call__(self, items: list[tuple[int, Example]]) -> list[tuple[Sites, Floats, Floats]]:
        return [self._one(number, example) for number, example in items]

    def _one(self, number: int, example: Example) -> tuple[Sites, Floats, Floats]:
        x, gold = example
        rng = np.random.default_rng((*self.seed, number))
        episode = self.task.roll_in(x, self.policy, gold=gold, seed=int(rng.integers(1 << 31)))
        steps = np.arange(len(episode.trace.action))
        scale = 1.0
        if self.sample is not None and len(steps) > self.sample(len(steps)):
            # Fewer roll-outs, each standing for several.
            wanted = self.sample(len(steps))
            scale = len(steps) / wanted
            steps = np.sort(rng.choice(len(steps), wanted, replace=False))
        worth = self.values(self.task, x, gold, self.policy, episode, self.reward, steps)
        advantage = scale * (worth[:, TAKE] - worth[:, DECLINE])
        return episode.trace.site[steps], episode.trace.state[steps], advantage


@dataclass(frozen=True)
class _Judge:
    """(accuracy, runtime, further figures) of some examples under a policy; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward
    watch: tuple[Accuracy, ...]

    def __call__(self, examples: list[Example]) -> list[tuple[float, ...]]:
        found = []
        for x, gold in examples:
            outcome = self.task.parse(x, self.policy)
            further = (figure(x, outcome, gold) for figure in self.watch)
            found.append((self.reward.accuracy(x, outcome, gold), self.reward.cost(outcome), *further))
        return found
