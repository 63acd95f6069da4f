"""The words of the decision interface.

A task runs a search that asks a policy at its decisions. A decision ranks candidates; where each decision
has a single candidate, the other choice is to decline it, which scores 0: prune or keep, lock or not. What
differs between tasks is when the policy is asked; what learners see is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from secateur.search.arrays import Bools, Floats, Ints, Ptr, Sites, Steps, Weights

DECLINE, TAKE = 0, 1  # the two actions of a decision with one candidate

_ALL_ONES: Weights = np.empty((0, 0), np.float32)


def all_ones() -> Weights:
    """What stands for the values of features that are all 1: none."""
    return _ALL_ONES


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The features of candidates: hash buckets and, where they are not all 1, their values."""

    bucket: npt.NDArray[np.uint32]  # [R, w]
    value: Weights = field(default_factory=all_ones)  # [R, w]; empty: all 1

    def __len__(self) -> int:
        return len(self.bucket)

    def at(self, places: Any) -> Rows:
        """Some of the rows."""
        return Rows(self.bucket[places], self.value[places] if self.value.size else self.value)

    def products(self, weights: Weights) -> Floats:
        """[R, w] what each feature adds to its candidate's score."""
        found = weights[self.bucket].astype(np.float64)
        return found * self.value if self.value.size else found

    def scores(self, weights: Weights) -> Floats:
        """[R] summed weights, each times its value."""
        summed: Floats = self.products(weights).sum(1)
        return summed

    @staticmethod
    def join(parts: Sequence[Rows]) -> Rows:
        """One below the other; with values where any has some."""
        buckets = np.concatenate([part.bucket for part in parts])
        if not any(part.value.size for part in parts):
            return Rows(buckets)
        values = [part.value if part.value.size else np.ones(part.bucket.shape, np.float32) for part in parts]
        return Rows(buckets, np.concatenate(values))


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


NONE = -1  # the row of a choice without a candidate: to decline


class Choices(NamedTuple):
    """Action a of decision t is about the candidate row[ptr[t] + a], or declines and scores 0."""

    ptr: Ptr  # [T+1]
    row: Ints  # [choices] of the trace, or NONE

    @property
    def sizes(self) -> Ints:
        """[T] how many actions there are."""
        return self.ptr[1:] - self.ptr[:-1]

    def table(self, steps: Steps) -> tuple[Ints, Bools]:
        """[steps, 2 or more] the row of every action, and whether there is such an action; else NONE."""
        sizes = self.sizes
        most = int(sizes.max(initial=2))
        if len(self.row) == most * len(sizes):  # all have as many: no need to look at each
            return self.row.reshape(-1, most)[steps], np.ones((len(steps), most), bool)
        there = np.arange(most) < sizes[steps, None]
        row = np.full(there.shape, NONE)
        row[there] = self.row[(self.ptr[steps, None] + np.arange(most))[there]]
        return row, there


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Every decision of a run, the declined ones too: a pruned site must be reconsidered by the learner.

    Decision t ranks the candidates ptr[t] .. ptr[t+1] - 1.
    """

    site: Sites  # [R, s] where each candidate stands
    state: Floats  # [R, q] what else its features depend on; q may be 0
    ptr: Ptr  # [T+1]
    action: Ints  # [T] the candidate chosen, counted from ptr[t]; or TAKE, DECLINE where there is one
    binary: bool  # one candidate a decision, which may be declined

    def choices(self) -> Choices:
        """What could be chosen at each decision. Nobody else needs to know which decisions are binary."""
        rows = np.arange(len(self.site))
        if not self.binary:
            return Choices(self.ptr, rows)
        both = np.full((len(rows), 2), NONE)
        both[:, TAKE] = rows
        return Choices(2 * np.arange(len(rows) + 1), both.ravel())


class Episode(NamedTuple):
    """A training run: what came of it, and its decisions."""

    outcome: Outcome
    trace: Trace
    seed: int = 0  # of its random choices: run again with it, they are the same


class Search(Protocol):
    """What a policy controls. `x` is an input, `gold` what is known to be right about it."""

    @property
    def dim(self) -> int:
        """The number of features."""

    def run(self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0) -> Outcome:
        """Run, without a log."""


class Task(Search, Protocol):
    """A search that can say what it decided, and between what."""

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        """Run, and log every decision."""

    def features(self, x: Any, site: Sites, state: Floats) -> Rows:
        """The features of candidates: the same as the running search sees."""

    def is_gold(self, site: Sites, gold: Any) -> Bools:
        """The oracle: whether each candidate should be taken."""


Accuracy = Callable[[Any, Outcome, Any], float]  # (x, outcome, gold) -> how right
RewardOf = Callable[[Any, Outcome, Any], float]  # of a run, all in all


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


# The reward of every action at the given decisions: [steps, most choices of a decision of the trace, 2 at
# least], nan beyond a decision's own. Where each has one candidate: [steps, 2] (DECLINE, TAKE).
Values = Callable[[Task, Any, Any, Policy, Episode, RewardOf, Steps], Floats]


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
