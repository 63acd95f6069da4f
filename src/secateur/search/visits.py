"""Roll-ins and roll-outs of some examples: what travels to the workers, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from secateur.search.arrays import Floats, Ints, Ptr, Sites, Steps
from secateur.search.core import (
    DECLINE,
    NONE,
    TAKE,
    Among,
    Batched,
    Episode,
    Example,
    Policy,
    Reward,
    Task,
    Trace,
    Values,
)

Item = tuple[int, Example]  # its number among the data


class Seen(NamedTuple):
    """Decisions of an example with several choices."""

    site: Sites  # [R, s]
    state: Floats  # [R, q]
    ptr: Ptr  # [D+1]
    advantage: Floats  # [R]


def advantages(trace: Trace, steps: Steps, worth: Floats) -> tuple[Ints, Ptr, Floats]:
    """The candidates of some decisions, as rows of the trace; where each decision's begin among them; and
    what each is worth more than the first choice there: for a single candidate, than to decline it.

    Decisions that leave no choice are left out.
    """
    if trace.binary:
        return steps, np.arange(len(steps) + 1), worth[:, TAKE] - worth[:, DECLINE]
    row, there = trace.choices().table(steps)
    open_ = there.sum(axis=1) > 1
    row, over_first = row[open_], (worth - worth[:, :1])[open_]
    candidate = row != NONE
    ptr = np.zeros(len(row) + 1, np.int64)
    np.cumsum(candidate.sum(axis=1), out=ptr[1:])
    return row[candidate], ptr, over_first[candidate]


@dataclass(frozen=True)
class Visit:
    """Roll-ins and roll-outs of some examples; travels to the workers."""

    task: Task
    policy: Policy
    reward: Reward
    values: Values
    sample: Callable[[int], int] | None
    seed: tuple[int, int]

    def __call__(self, items: list[Item]) -> list[Seen]:
        return [self.roll_out(e, *self.roll_in(number, e), self.reward) for number, e in items]

    def roll_in(self, number: int, example: Example) -> tuple[Episode, np.random.Generator]:
        """The same whenever it is asked for; and the luck for what follows."""
        rng = np.random.default_rng((*self.seed, number))
        x, gold = example
        seed = int(rng.integers(1 << 31))
        return self.task.roll_in(x, self.policy, gold=gold, seed=seed)._replace(seed=seed), rng

    def roll_out(self, example: Example, episode: Episode, rng: np.random.Generator, reward: Reward) -> Seen:
        x, gold = example
        steps = np.arange(len(episode.trace.action))
        scale = 1.0
        if self.sample is not None and len(steps) > self.sample(len(steps)):
            # Fewer roll-outs, each standing for several.
            wanted = self.sample(len(steps))
            scale = len(steps) / wanted
            steps = np.sort(rng.choice(len(steps), wanted, replace=False))
        worth = self.values(self.task, x, gold, self.policy, episode, reward, steps)
        rows, ptr, advantage = advantages(episode.trace, steps, worth)
        return Seen(episode.trace.site[rows], episode.trace.state[rows], ptr, scale * advantage)


@dataclass(frozen=True)
class Count:
    """What examples add to a batched accuracy, as rolled in; travels to the workers."""

    visit: Visit
    accuracy: Batched

    def __call__(self, items: list[Item]) -> list[Ints]:
        return [
            self.accuracy.counts(e.x, self.visit.roll_in(number, e)[0].outcome, e.gold) for number, e in items
        ]


@dataclass(frozen=True)
class VisitAmong:
    """Visits with each example's accuracy that of its whole batch; travels to the workers."""

    visit: Visit
    accuracy: Batched
    total: Ints  # [c] the counts of all examples, as rolled in
    size: int

    def __call__(self, items: list[Item]) -> list[Seen]:
        return [self._one(number, example) for number, example in items]

    def _one(self, number: int, example: Example) -> Seen:
        episode, rng = self.visit.roll_in(number, example)
        own = self.accuracy.counts(example.x, episode.outcome, example.gold)
        among = Among(self.accuracy, self.total - own, self.size)
        return self.visit.roll_out(example, episode, rng, replace(self.visit.reward, accuracy=among))
