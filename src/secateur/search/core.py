"""The words of the decision interface.

A task runs a search that asks a policy at its decisions. A decision ranks candidates; where each decision
has a single candidate, the other choice is to decline it, which scores 0: prune or keep, lock or not. What
differs between tasks is when the policy is asked; what learners see is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Sites = npt.NDArray[np.int32]  # [R, s]
Rows = npt.NDArray[np.uint32]  # [R, w] the features of candidates, as hash buckets

DECLINE, TAKE = 0, 1  # the two actions of a decision with one candidate


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Data, never subclassed, so that it can enter a kernel.

    temperature 0 takes the highest score (of one candidate: a score above 0), else choices are drawn from
    the Boltzmann distribution. oracle_rate is the share of decisions that follow the oracle instead.
    """

    weights: Weights  # [dim]
    temperature: float = 0.0
    oracle_rate: float = 0.0


class Force(NamedTuple):
    """A one-step deviation: at this step take this action. Step -1: none."""

    step: int = -1
    action: int = 0


FREE = Force()


class Work(NamedTuple):
    """Deterministic counters of what a run did; seconds are measured apart."""

    pushes: int = 0  # hyperedges built
    pops: int = 0  # agenda items taken
    items: int = 0  # chart items built
    kept: int = 0  # sites where the policy chose to keep
    features: int = 0  # feature templates computed


class Outcome(NamedTuple):
    """What a run found and what it took; parts is None where it found nothing."""

    parts: Any | None
    work: Work
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every decision of a run, the declined ones too: a pruned site must be reconsidered by the learner.

    Decision t ranks the candidates ptr[t] .. ptr[t+1] - 1.
    """

    site: Sites  # [R, s] where each candidate stands
    state: Floats  # [R, q] what else its features depend on; q may be 0
    ptr: Ints  # [T+1]
    action: Ints  # [T] the candidate chosen, counted from ptr[t]; or TAKE, DECLINE where there is one
    binary: bool  # one candidate a decision


class Episode(NamedTuple):
    """A training run: what came of it, and its decisions."""

    outcome: Outcome
    trace: Trace
    seed: int = 0  # of its random choices: run again with it, they are the same


class Task(Protocol):
    """A search to be controlled. `x` is an input, `gold` what is known to be right about it."""

    @property
    def dim(self) -> int:
        """The number of features."""

    def parse(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Outcome:
        """Run, without a log."""

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        """Run, and log every decision."""

    def features(self, x: Any, site: Sites, state: Floats) -> Rows:
        """The features of candidates: the same as the running search sees."""

    def is_gold(self, site: Sites, gold: Any) -> Bools:
        """The oracle: whether each candidate should be taken."""


Accuracy = Callable[[Any, Outcome, Any], float]  # (x, outcome, gold) -> how right
T_Example = TypeVar("T_Example")


@runtime_checkable
class Batched(Protocol):
    """An accuracy of many examples together that is not their mean, such as corpus F1.

    It follows from counts that add up over the examples. Called, it is that of one example alone.
    """

    def counts(self, x: Any, outcome: Outcome, gold: Any) -> Ints:
        """[c] what one example adds."""

    def of(self, counts: Ints) -> Floats:
        """[...] the accuracies that sums [..., c] of counts stand for."""

    def __call__(self, x: Any, outcome: Outcome, gold: Any) -> float:
        """Of a batch of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Among:
    """The accuracy of one example of a batch, the others being as they were rolled in: plain once more.

    It is the whole batch's accuracy times the size of the batch. With R the mean reward, size * R is a sum
    over examples in which a change of one example's run weighs what it does here: its work in full, and size
    times what it does to the whole accuracy. So tradeoffs are in the same unit as for means of accuracies,
    and what roll-outs say does not shrink as batches grow.
    """

    accuracy: Batched
    others: Ints  # [c] the counts of the other examples
    size: int  # examples of the batch, this one too

    def of(self, counts: Ints) -> Floats:
        """[...] from this example's counts [..., c]."""
        return self.size * self.accuracy.of(self.others + counts)

    def __call__(self, x: Any, outcome: Outcome, gold: Any) -> float:
        return float(self.of(self.accuracy.counts(x, outcome, gold)))


@dataclass(frozen=True, slots=True)
class Reward:
    """accuracy - tradeoff * runtime, of one example. A learner hands a Batched accuracy the whole batch."""

    accuracy: Accuracy
    runtime: str  # a field of Work, or "seconds"
    tradeoff: float

    def __post_init__(self) -> None:
        if not self.tradeoff >= 0 or not np.isfinite(self.tradeoff):
            raise ValueError(f"the tradeoff is {self.tradeoff}: it must be 0 or more, and finite")
        if self.runtime not in (*Work._fields, "seconds"):
            raise ValueError(f"unknown runtime {self.runtime!r}: choose from {Work._fields} or seconds")

    def cost(self, outcome: Outcome) -> float:
        """The runtime, in its own unit."""
        return outcome.seconds if self.runtime == "seconds" else float(getattr(outcome.work, self.runtime))

    def __call__(self, x: Any, outcome: Outcome, gold: Any) -> float:
        return self.accuracy(x, outcome, gold) - self.tradeoff * self.cost(outcome)


class Example(NamedTuple):
    """One input with what is known of it."""

    x: Any
    gold: Any


Steps = npt.NDArray[np.int64]

# The reward of every action at the given decisions: [steps, 2] (DECLINE, TAKE) where each has one candidate,
# else [steps, largest number of candidates], nan beyond a decision's own.
Values = Callable[[Task, Any, Any, Policy, Episode, Callable[[Any, Outcome, Any], float], Steps], Floats]


def choose(
    scores: Floats, policy: Policy, force: Force, gold: Bools | None, seed: int
) -> npt.NDArray[np.bool_]:
    """Actions of decisions with one candidate each, all scored beforehand: [T] whether to take it."""
    if policy.temperature > 0:
        draw = np.random.default_rng((seed, 1)).random(len(scores))
        # 1 / (1 + exp(-s/T)) without overflow
        taken = draw < np.exp(-np.logaddexp(0.0, -scores / policy.temperature))
    else:
        taken = scores > 0
    if policy.oracle_rate > 0:
        if gold is None:
            raise ValueError("a policy with an oracle rate needs gold")
        follow = np.random.default_rng((seed, 2)).random(len(scores)) < policy.oracle_rate
        taken = np.where(follow, gold, taken)
    if force.step >= 0:
        taken[force.step] = force.action == TAKE
    return taken


def mean_reward(values: Sequence[float]) -> float:
    """The empirical value of a policy: its average reward."""
    return float(np.mean(values)) if len(values) else float("nan")
