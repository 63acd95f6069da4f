"""Learners. LOLS, DAgger and plain supervision are one loop with different values.

A round rolls in with the current policy, asks `values` what each action at its decisions would have been
worth, adds the answers to the pool, and trains the next policy on the whole pool. The policy with the best
reward on held-out examples is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from secateur.search.core import DECLINE, TAKE, Example, Floats, Policy, Reward, Sites, Task, Values, Weights
from secateur.search.linear import logistic_regression
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
    seconds: float


class Checkpoint(NamedTuple):
    """All that a stopped run needs to go on as if nothing had happened."""

    rounds: tuple[Round, ...]
    weights: Weights  # the newest policy
    best: Weights  # the best so far
    advantages: Floats


Save = Callable[[Checkpoint], None]
Report = Callable[[Round], None]
Cost = Callable[[Any], float]


@dataclass
class Aggregate:
    """Learning with data-set aggregation, in scikit-learn's manner: fit, then policy_ and rounds_."""

    values: Values
    iterations: int = 10
    patience: int = 5  # rounds without a better held-out reward before it stops
    regularizer: float = REGULARIZER
    sample: Callable[[int], int] | None = None  # roll-outs out of so many decisions; None: all
    exploration: float = 0.0  # roll-in temperature
    oracle_rate: float = 0.0  # share of roll-in decisions taken by the oracle
    minibatch: int | None = None  # examples a round; None: all
    seed: int = 0
    engine: Engine = field(default_factory=Engine)
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
        if resume is None:
            self.rounds_ = [self._evaluate(task, dev, reward, start, 0, cost)]
            weights = best = start.weights
            report(self.rounds_[0])
        else:
            pool.restore(resume.advantages)
            self.rounds_ = list(resume.rounds)
            weights, best = resume.weights, resume.best
        while not self._done():
            number = len(self.rounds_)
            self._collect(
                task, data, reward, Policy(weights, self.exploration, self.oracle_rate), number, pool, cost
            )
            weights = logistic_regression(
                pool.matrix(), pool.advantages(), regularizer=self.regularizer, start=weights
            )
            found = self._evaluate(task, dev, reward, Policy(weights), number, cost)
            if found.reward > max(r.reward for r in self.rounds_):
                best = weights
            self.rounds_.append(found)
            save(Checkpoint(tuple(self.rounds_), weights, best, pool.advantages()))
            report(found)
        self.policy_ = Policy(best)
        return self

    def _done(self) -> bool:
        rewards = [r.reward for r in self.rounds_]
        best = int(np.argmax(rewards))
        return len(rewards) > self.iterations or len(rewards) - 1 - best >= self.patience

    def _collect(
        self,
        task: Task,
        data: Sequence[Example],
        reward: Reward,
        policy: Policy,
        number: int,
        pool: Pool,
        cost: Cost,
    ) -> None:
        """Roll in, roll out, and add what was learned to the pool."""
        chosen = np.arange(len(data))
        if self.minibatch is not None and self.minibatch < len(data):
            rng = np.random.default_rng((self.seed, number))
            chosen = np.sort(rng.choice(len(data), self.minibatch, replace=False))
        items = [(e, data[e]) for e in chosen.tolist()]
        visit = _Visit(task, policy, reward, self.values, self.sample, (self.seed, number))
        found = self.engine.map(visit, items, np.array([cost(example.x) for _, example in items]))
        for example, (site, state, advantage) in zip(chosen.tolist(), found, strict=True):
            pool.add(example, site, state, advantage, partial(task.features, data[example].x))

    def _evaluate(
        self, task: Task, dev: Sequence[Example], reward: Reward, policy: Policy, number: int, cost: Cost
    ) -> Round:
        started = time.perf_counter()
        found = self.engine.map(_Judge(task, policy, reward), dev, np.array([cost(x) for x, _ in dev]))
        accuracy, runtime = (float(mean) for mean in np.mean(found, axis=0))
        total = accuracy - reward.tradeoff * runtime
        return Round(number, total, accuracy, runtime, time.perf_counter() - started)


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
    """(accuracy, runtime) of some examples under a policy; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward

    def __call__(self, examples: list[Example]) -> list[tuple[float, float]]:
        found = []
        for x, gold in examples:
            outcome = self.task.parse(x, self.policy)
            found.append((self.reward.accuracy(x, outcome, gold), self.reward.cost(outcome)))
        return found
