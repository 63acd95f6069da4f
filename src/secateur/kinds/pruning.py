"""Pruning policies of any task that keeps or prunes: baselines along the frontier, and LOLS from them.

A baseline is trained to keep what is gold, with a penalty for keeping what is not. Probes find the penalties
at which speed begins to cost accuracy, and at which too little is left of it; a sweep goes evenly between.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from secateur.models.curve import even_penalties, tradeoffs
from secateur.models.run import Run
from secateur.search.arrays import Bools, Floats, Weights
from secateur.search.checkpoint import Round
from secateur.search.core import Accuracy, Example, Policy, Reward, Task, Values
from secateur.search.learners import Aggregate, Apart, Minibatch, everything, judge
from secateur.search.linear import Logistic, logistic_regression
from secateur.search.pool import Pool
from secateur.treebanks.bank import Bank
from secateur.treebanks.tree import Tree

# Penalties tried to find the range worth sweeping: from FIRST on, until too little is left of the accuracy.
FIRST, FACTOR, LAST = 1e-3, 4.0, 0.6
PROBES = 5  # at most
BEFORE = 0.5  # where the sweep begins, in probes before the most accurate one
STEPS = 50  # of the optimizer in a round of LOLS, which starts from the policy before


class TreeTask(Task, Protocol):
    """A task about trees."""

    def encode(self, words: Sequence[str]) -> Any:
        """A sentence as the search takes it."""

    def gold(self, tree: Tree) -> Any:
        """What the oracle has to know, from a normalized gold tree."""


S = TypeVar("S", bound=TreeTask)


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How to learn."""

    points: int  # baselines along the frontier, and LOLS runs from them
    iterations: int  # rounds of LOLS for each, at most
    regularizer: float
    values: Values
    carry: float  # weight of the baseline's labels in LOLS
    patience: int = 5
    left: float = 0.9  # of the best accuracy, at the fast end of the sweep
    before: float = BEFORE
    first: float = FIRST  # penalty that is tried
    minibatch: int | None = None
    folds: int = 1  # a sentence is visited by a policy trained without its fold
    sample: Callable[[int], int] | None = None
    exploration: float = 0.0
    seed: int = 0


class Baseline(NamedTuple):
    """A policy trained to keep what is gold, and what it does on the stopping half."""

    penalty: float  # for keeping what is not gold
    policy: Policy
    accuracy: float  # surrogate
    runtime: float  # surrogate


class Pruning(ABC, Generic[S]):
    """A run that keeps every finished piece, and its steps: sweep, LOLS. What there is to learn from, kinds
    bring."""

    task: S
    trees: Bank[Tree]
    stopping_trees: Bank[Tree]  # the held-out ones that early stopping looks at

    def __init__(self, run: Run, schedule: Schedule, prefix: str = "") -> None:
        """`prefix`: of pieces and policies, tells those of several trainings in one run apart."""
        self.run, self.schedule, self.prefix = run, schedule, prefix

    @cached_property
    def data(self) -> list[Example]:
        """The training sentences, each as the task that visits it has them."""
        tasks = self.apart or [self.task]
        return [_example(tasks[e % len(tasks)], tree) for e, tree in enumerate(self.trees)]

    @cached_property
    def stopping(self) -> list[Example]:
        return self.examples(self.stopping_trees)

    def examples(self, trees: Sequence[Tree]) -> list[Example]:
        return [_example(self.task, tree) for tree in trees]

    @property
    @abstractmethod
    def pool(self) -> Pool:
        """All decisions on the training sentences, with their features."""

    @property
    @abstractmethod
    def is_gold(self) -> Bools:
        """Whether each candidate of the pool is to be taken."""

    @property
    def apart(self) -> Sequence[S]:
        """For each fold what visits its examples, where that is not the task itself."""
        return ()

    @abstractmethod
    def reward(self, tradeoff: float, task: S | None = None) -> Reward:
        """The surrogate reward."""

    @abstractmethod
    def cost(self, x: Any) -> float:
        """Of an example, compared with others."""

    @property
    def watch(self) -> Mapping[str, Accuracy]:
        """Further figures of the held-out sentences."""
        return {}

    def plan(self) -> None:
        """What is to come."""
        schedule = self.schedule
        self.run.plan({"baseline": PROBES + schedule.points, "round": schedule.points * schedule.iterations})

    def frontier(self) -> tuple[dict[str, Policy], list[dict[str, Any]]]:
        """Baselines along the frontier, and LOLS from each at the tradeoff where it is best among them: the
        policies by name, and the rounds of learning."""
        policies: dict[str, Policy] = {}
        log: list[dict[str, Any]] = []
        baselines = self.sweep()
        slopes = tradeoffs([b.runtime for b in baselines], [b.accuracy for b in baselines])
        for number, (baseline, slope) in enumerate(zip(baselines, slopes.tolist(), strict=True)):
            policy, rounds = self.lols(f"lols-{number}", baseline, slope)
            names = [f"{self.prefix}{side}-{number}" for side in ("baseline", "lols")]
            policies |= zip(names, (baseline.policy, policy), strict=True)
            about = {"name": names[1], "penalty": baseline.penalty, "tradeoff": slope}
            log.append({**about, "rounds": [r._asdict() for r in rounds]})
        return policies, log

    def labelled(self, penalty: float) -> Floats:
        """Advantages of keeping, as the baseline sees them: 1 for what is gold, -penalty for all else."""
        return np.where(self.is_gold, 1.0, -penalty)

    def baseline(self, name: str, penalty: float, start: Policy | None = None) -> Baseline:
        """The asymmetric baseline with this penalty."""
        name = self.prefix + name

        def fit() -> Weights:
            return logistic_regression(
                self.pool.matrix(),
                self.labelled(penalty),
                regularizer=self.schedule.regularizer,
                start=None if start is None else start.weights,
            )

        policy = Policy(self.run.weights(name, self.task.dim, fit))
        figures = self.run.numbers(name, lambda: self.surrogate(policy, self.stopping), tuple[float, float])
        accuracy, runtime = figures
        found = Baseline(penalty, policy, accuracy, runtime)
        self.run.told(
            f"{name}: penalty {penalty:.3g}, accuracy {accuracy:.4f}, runtime {runtime:.1f}", "baseline"
        )
        return found

    def surrogate(self, policy: Policy, examples: Sequence[Example]) -> tuple[float, float]:
        """Mean surrogate (accuracy, runtime) of a policy."""
        found = judge(self.task, self.reward(0.0), policy, examples, engine=self.run.engine, cost=self.cost)
        return found.accuracy, found.runtime

    def sweep(self) -> list[Baseline]:
        """Baselines over the range of penalties where speed costs accuracy, runtimes evenly spaced."""
        probes: list[Baseline] = []
        schedule = self.schedule
        penalty = schedule.first
        policy: Policy | None = None
        while penalty <= LAST:
            probes.append(self.baseline(f"probe-{len(probes)}", penalty, policy))
            policy = probes[-1].policy
            best = max(probes, key=lambda p: p.accuracy)
            if probes[-1].accuracy < schedule.left * best.accuracy:
                break
            penalty *= FACTOR
        self.run.skip("baseline", PROBES - len(probes))
        penalties = spaced(
            [p.penalty for p in probes],
            [p.runtime for p in probes],
            [p.accuracy for p in probes],
            schedule.points,
            schedule.left,
            schedule.before,
            schedule.first,
        )
        found: list[Baseline] = []
        for number, penalty in enumerate(penalties):
            policy = min(
                [*probes, *found], key=lambda p: abs(math.log(p.penalty / penalty))
            ).policy  # the nearest one to start from
            found.append(self.baseline(f"baseline-{number}", penalty, policy))
        return found

    def lols(self, name: str, start: Baseline, tradeoff: float) -> tuple[Policy, list[Round]]:
        """LOLS from a baseline."""
        name, schedule = self.prefix + name, self.schedule
        self.pool.restore(schedule.carry * self.labelled(start.penalty))
        resume = self.run.checkpoint(name, self.task.dim)
        self.run.found("round", len(resume.rounds) - 1 if resume else 0)
        learner = Aggregate(
            values=schedule.values,
            iterations=schedule.iterations,
            patience=schedule.patience,
            classifier=Logistic(schedule.regularizer, STEPS),
            sample=schedule.sample,
            exploration=schedule.exploration,
            visits=Minibatch(schedule.minibatch, schedule.seed) if schedule.minibatch else everything,
            folds=schedule.folds,
            seed=schedule.seed,
            engine=self.run.engine,
            watch=self.watch,
        )
        learner.fit(
            self.task,
            self.data,
            self.reward(tradeoff),
            start.policy,
            dev=self.stopping,
            apart=[Apart(task, self.reward(tradeoff, task)) for task in self.apart],
            pool=self.pool,
            cost=self.cost,
            resume=resume,
            save=partial(self.run.save_checkpoint, name),
            report=lambda r: self.run.told(_round_line(name, r), "round" if r.number else "", minor=True),
        )
        self.run.skip("round", schedule.iterations - (len(learner.rounds_) - 1))
        best = max(learner.rounds_, key=lambda r: r.reward)
        self.run.told(_round_line(name, best))
        return learner.policy_, learner.rounds_


def _example(task: TreeTask, tree: Tree) -> Example:
    return Example(task.encode(tree.words()), task.gold(tree))


def spaced(
    penalties: Sequence[float],
    runtime: Sequence[float],
    accuracy: Sequence[float],
    count: int,
    left: float,
    before: float,
    first: float = FIRST,
) -> list[float]:
    """Penalties for `count` baselines, from what some probes did."""
    falling = all(after < before for before, after in itertools.pairwise(runtime))
    if len(penalties) < 2 or not falling or min(runtime) <= 0:
        # Too little data for more pruning to show as less work.
        return [float(p) for p in np.geomspace(first, LAST, count)]
    slow, fast = sweep_range(runtime, accuracy, left, before)
    return even_penalties(penalties, runtime, count, slow, fast)


def sweep_range(
    runtime: Sequence[float], accuracy: Sequence[float], left: float, before: float = BEFORE
) -> tuple[float, float]:
    """The slowest and the fastest runtime to sweep, from probes in order of speed.

    Where less work is also more accurate there is nothing to trade: the range begins `before` the most
    accurate probe, counted in probes. It ends where the share `left` of that accuracy is left.
    """
    best = int(np.argmax(accuracy))
    slow = math.exp(np.interp(best - before, range(len(runtime)), np.log(runtime)))
    threshold = left * accuracy[best]
    for before, after in zip(range(best, len(runtime)), range(best + 1, len(runtime)), strict=False):
        if accuracy[after] < threshold:
            share = (accuracy[before] - threshold) / (accuracy[before] - accuracy[after])
            return slow, runtime[before] * (runtime[after] / runtime[before]) ** share
    return slow, runtime[-1]


def _round_line(name: str, r: Round) -> str:
    watched = "".join(f", {figure} {value:,.4g}" for figure, value in r.watched.items())
    return (
        f"{name} round {r.number}: reward {r.reward:.4f}, accuracy {r.accuracy:.4f}, "
        f"runtime {r.runtime:.1f}{watched}"
    )
