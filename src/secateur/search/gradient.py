"""Oracle-infused policy gradient (Jiang, Teichert, Daume III and Eisner 2012).

Runs are drawn from the Boltzmann policy, now and then led by the oracle; each decision is made more likely or
less by what the run earned from it on. With g_t the gradient of log p(a_t) and r_u what step u earned,

    gradient = sum_t (sum_{u >= t} discount^(u - t) r_u) g_t

A search can sum this as it goes, without a log: with e_u = discount * e_{u-1} + g_u it is sum_u r_u e_u.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from secateur.search.arrays import Floats, Ints, Weights
from secateur.search.checkpoint import Checkpoint, Round
from secateur.search.core import NONE, Episode, Example, Outcome, Policy, Reward, Rows, Search, Task, Trace
from secateur.search.learners import (
    Cost,
    Learner,
    Rate,
    Report,
    Save,
    check_resumed,
    done,
    judge,
    rate,
)


class Credit(NamedTuple):
    """What earnings are credited to which decisions: numbers alone, so that it can enter a kernel."""

    tradeoff: float = 0.0  # what a unit of the runtime costs
    discount: float = 1.0  # 1: a decision gets all that is earned from it on; 0: what it earns at once


class Sample(NamedTuple):
    """A run, and where it points to. The oracle's decisions are in the gradient and nowhere else."""

    outcome: Outcome
    steps: int  # decisions
    drawn: int  # those of them that the policy drew
    credit: float  # summed over the drawn ones
    gradient: Floats  # [dim] sum of each decision's credit times the gradient of its log-probability
    score: Floats  # [dim] sum of the gradients of the drawn ones' log-probabilities: its mean is 0


@runtime_checkable
class Sampled(Search, Protocol):
    """A search that sums its gradient as it goes, so that it need not log what it did not choose."""

    def sample(self, x: Any, policy: Policy, credit: Credit, *, gold: Any = None, seed: int = 0) -> Sample:
        """Run with a policy that has a temperature."""


# What each step of an episode earned, [T]: its sum is the reward.
Shaped = Callable[[Any, Episode, Any, Credit], Floats]


@dataclass(frozen=True)
class Logged:
    """Any task as a sampled one, by way of its trace.

    A trace does not tell which decisions were the oracle's: where there is one, none counts as drawn.
    """

    task: Task
    reward: Reward  # its tradeoff gives way to the credit's
    shaped: Shaped | None = None  # None: all is earned by the last step

    @property
    def dim(self) -> int:
        return self.task.dim

    def run(self, *args: Any, **options: Any) -> Outcome:
        """The task's own."""
        return self.task.run(*args, **options)

    def sample(self, x: Any, policy: Policy, credit: Credit, *, gold: Any = None, seed: int = 0) -> Sample:
        """See Sampled."""
        if not policy.temperature > 0:
            raise ValueError(f"a temperature of {policy.temperature}: there is no gradient without one")
        episode = self.task.roll_in(x, policy, gold=gold, seed=seed)
        outcome, trace = episode.outcome, episode.trace
        steps = len(trace.action)
        if not steps:
            return Sample(outcome, 0, 0, 0.0, np.zeros(self.dim), np.zeros(self.dim))
        if self.shaped is not None:
            earned = self.shaped(x, episode, gold, credit)
        else:
            earned = np.zeros(steps)
            paid = credit.tradeoff * self.reward.cost(outcome)
            earned[-1] = self.reward.accuracy(x, outcome, gold) - paid
        credits = discounted(earned, credit.discount)
        rows, step, pull = self._pulls(x, trace, policy)
        gradient = _summed(rows, pull * credits[step], self.dim)
        if policy.oracle_rate > 0:
            return Sample(outcome, steps, 0, 0.0, gradient, np.zeros(self.dim))
        return Sample(outcome, steps, steps, float(credits.sum()), gradient, _summed(rows, pull, self.dim))

    def _pulls(self, x: Any, trace: Trace, policy: Policy) -> tuple[Rows, Ints, Floats]:
        """The candidates' features, their decisions, and how much of its features each puts into the gradient
        of the decision's log-probability: (1 if chosen else 0) - p, by temperature."""
        ptr, row = trace.choices()
        sizes, candidate = np.diff(ptr), row != NONE
        rows = self.task.features(x, trace.site, trace.state)
        score = np.zeros(len(row))
        score[candidate] = rows.scores(policy.weights)[row[candidate]] / policy.temperature
        share = np.exp(score - np.repeat(np.maximum.reduceat(score, ptr[:-1]), sizes))
        share /= np.repeat(np.add.reduceat(share, ptr[:-1]), sizes)
        chosen = np.zeros(len(row))
        chosen[ptr[:-1] + trace.action] = 1.0
        pull, step = np.zeros(len(rows)), np.zeros(len(rows), np.int64)
        pull[row[candidate]] = (chosen - share)[candidate] / policy.temperature
        step[row[candidate]] = np.repeat(np.arange(len(sizes)), sizes)[candidate]
        return rows, step, pull


def _summed(rows: Rows, amount: Floats, dim: int) -> Floats:
    """[dim] sum_r amount_r phi_r."""
    pulled = np.broadcast_to(amount[:, None], rows.bucket.shape)
    if rows.value.size:
        pulled = pulled * rows.value
    found: Floats = np.bincount(rows.bucket.ravel(), pulled.ravel(), dim).astype(np.float64)
    return found


def discounted(earned: Floats, discount: float) -> Floats:
    """[T] what is earned from each step on: G_t = r_t + discount * G_{t+1}."""
    found, later = np.empty(len(earned)), 0.0
    for step in range(len(earned) - 1, -1, -1):
        later = earned[step] + discount * later
        found[step] = later
    return found


@dataclass(frozen=True, slots=True)
class Annealed:
    """A rate that begins with 1 and falls by a factor every pass; below `until` it is 0.

    The last passes should see what the policy meets without the oracle.
    """

    by: float = 0.8
    until: float = 0.01

    def __call__(self, number: int) -> float:
        found = self.by ** (number - 1)
        return found if found >= self.until else 0.0


@dataclass(frozen=True, slots=True)
class Falling:
    """Step sizes: first / (1 + slower * passes before)."""

    first: float = 0.05
    slower: float = 0.1

    def __call__(self, number: int) -> float:
        return self.first / (1.0 + self.slower * (number - 1))


@dataclass
class PolicyGradient(Learner):
    """Ascent along sampled gradients, in scikit-learn's manner: fit, then policy_ and rounds_.

    A round is a pass over the data in steps of `batch` examples, each run `samples` times. The baseline is,
    for each run of an example, what a drawn decision of its other runs was credited with on average.
    """

    iterations: int = 25  # passes
    patience: int = 25  # passes without a better policy before it stops
    samples: int = 5  # runs of an example
    batch: int = 20  # examples a step
    discount: float = 1.0
    temperature: Rate = 1.0
    oracle_rate: Rate = field(default_factory=Annealed)
    step: Rate = field(default_factory=Falling)
    longest: float = 5.0  # norm of a step's gradient, which is cut there
    baseline: bool = True

    def fit(
        self,
        task: Task | Sampled,
        data: Sequence[Example],
        reward: Reward,
        start: Policy,
        *,
        dev: Sequence[Example],
        cost: Cost = lambda x: 1.0,
        resume: Checkpoint | None = None,
        save: Save = lambda checkpoint: None,
        report: Report = lambda round: None,
    ) -> PolicyGradient:
        """Improve on `start`. A task that cannot sum gradients itself is logged."""
        if not dev or not data:
            raise ValueError(f"{len(data)} examples and {len(dev)} held out: both are needed")
        sampled = task if isinstance(task, Sampled) else Logged(task, reward)
        credit = Credit(reward.tradeoff, self.discount)

        def look(weights: Weights, number: int, started: float) -> Round:
            policy = Policy(weights)
            found = judge(task, reward, policy, dev, watch=self.watch, engine=self.engine, cost=cost)
            return found._replace(number=number, seconds=time.perf_counter() - started)

        if resume is None:
            weights = best = start.weights
            self.rounds_ = [look(weights, 0, time.perf_counter())]
            report(self.rounds_[0])
        else:
            check_resumed(resume, task.dim, len(data), 0)
            weights, best = resume.weights, resume.best
            self.rounds_ = list(resume.rounds)
        while not done(self.rounds_, self.iterations, self.patience, self.prefer):
            number, started = len(self.rounds_), time.perf_counter()
            weights = self._pass(sampled, data, credit, weights, number, cost)
            found = look(weights, number, started)
            if self.prefer(found) > max(map(self.prefer, self.rounds_)):
                best = weights
            self.rounds_.append(found)
            save(Checkpoint(tuple(self.rounds_), weights, best))
            report(found)
        self.policy_ = Policy(best)
        return self

    def _pass(
        self,
        task: Sampled,
        data: Sequence[Example],
        credit: Credit,
        weights: Weights,
        number: int,
        cost: Cost,
    ) -> Weights:
        """Weights after steps through all examples, in an order drawn for this pass."""
        temperature, oracle_rate = rate(self.temperature, number), rate(self.oracle_rate, number)
        order = np.random.default_rng((self.seed, number)).permutation(len(data))
        for begin in range(0, len(order), self.batch):
            items = [(e, data[e]) for e in order[begin : begin + self.batch].tolist()]
            policy = Policy(weights, temperature, oracle_rate)
            run = _Runs(task, policy, credit, self.samples, self.baseline, (self.seed, number))
            found = self.engine.map(run, items, np.array([cost(example.x) for _, example in items]))
            gradient = np.mean(found, axis=0)
            norm = float(np.sqrt(np.einsum("i,i->", gradient, gradient)))
            cut = min(1.0, self.longest / norm) if norm > 0 else 1.0
            weights = (weights + rate(self.step, number) * cut * gradient).astype(np.float32)
        return weights


@dataclass(frozen=True)
class _Runs:
    """The gradients of some examples; travels to the workers."""

    task: Sampled
    policy: Policy
    credit: Credit
    samples: int
    baseline: bool
    seed: tuple[int, int]

    def __call__(self, items: list[tuple[int, Example]]) -> list[Floats]:
        return [self._one(number, example) for number, example in items]

    def _one(self, number: int, example: Example) -> Floats:
        rng = np.random.default_rng((*self.seed, number))
        seeds = rng.integers(1 << 31, size=self.samples).tolist()
        x, gold = example
        runs = [self.task.sample(x, self.policy, self.credit, gold=gold, seed=seed) for seed in seeds]
        return mean_gradient(runs, baseline=self.baseline)


def mean_gradient(runs: Sequence[Sample], *, baseline: bool = True) -> Floats:
    """[dim] of an example's runs; with a baseline, which changes no mean: it is that of the other runs."""
    total = np.zeros(len(runs[0].gradient))
    drawn, credit = sum(run.drawn for run in runs), sum(run.credit for run in runs)
    for run in runs:
        total += run.gradient
        others = drawn - run.drawn
        if baseline and run.drawn and others:
            total -= (credit - run.credit) / others * run.score
    return total / len(runs)
