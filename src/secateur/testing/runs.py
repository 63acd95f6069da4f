"""Runs of a task to try contracts on: every example with policies of every kind."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from secateur.search.arrays import Bools
from secateur.search.core import FREE, Episode, Example, Force, Outcome, Policy, Rows, Task, Trace

COLD, HOT = 1e-9, 1e9  # temperatures that leave no choice, and every choice


def sample_policies(dim: int, *, seed: int = 0) -> list[Policy]:
    """Policies of every kind: greedy, with ties, taking all and nothing, exploring, and led by the oracle."""
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal(dim, np.float32)
    whole = rng.integers(-1, 2, dim).astype(np.float32)  # sums are exact in any order, and often 0
    ones = np.ones(dim, np.float32)
    return [
        Policy(drawn),
        Policy(whole),
        Policy(ones),
        Policy(-ones),
        Policy(drawn, temperature=COLD),
        Policy(drawn, temperature=1.0),
        Policy(drawn, oracle_rate=1.0),
        Policy(drawn, oracle_rate=0.5),
    ]


class Run(NamedTuple):
    """One run of a task, to be repeated with variations."""

    number: int  # of the example
    where: str  # for messages
    task: Task
    x: Any
    gold: Any
    policy: Policy
    seed: int

    def roll_in(self, force: Force = FREE) -> Episode:
        return self.task.roll_in(self.x, self.policy, force, gold=self.gold, seed=self.seed)

    def run(self, force: Force = FREE) -> Outcome:
        return self.task.run(self.x, self.policy, force, gold=self.gold, seed=self.seed)

    def features(self, trace: Trace) -> Rows:
        return self.task.features(self.x, trace.site, trace.state)

    def is_gold(self, trace: Trace) -> Bools:
        return self.task.is_gold(trace.site, self.gold)

    def demand(self, condition: object, what: str) -> None:
        if not condition:
            raise AssertionError(f"{self.where}: {what}")


def all_runs(
    task: Task, examples: Sequence[Example], policies: Sequence[Policy] | None, seed: int
) -> list[Run]:
    """Every example with every policy."""
    dim = task.dim
    if isinstance(dim, bool) or not isinstance(dim, numbers.Integral) or int(dim) < 1:
        raise AssertionError(f"dim is {dim!r}, not a number of features")
    tried = sample_policies(dim, seed=seed) if policies is None else policies
    return [
        Run(e, f"example {e}, policy {p}: {_kind(policy)}", task, x, gold, policy, seed)
        for e, (x, gold) in enumerate(examples)
        for p, policy in enumerate(tried)
        if gold is not None or policy.oracle_rate == 0
    ]


def _kind(policy: Policy) -> str:
    return f"temperature {policy.temperature:g}, oracle rate {policy.oracle_rate:g}"
