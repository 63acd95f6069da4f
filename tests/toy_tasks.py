"""Tasks that ask at other times than span pruning, which asks before the kernel."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from secateur.search.core import FREE, TAKE, Episode, Example, Force, Outcome, Policy, Rows, Trace, Work


@dataclass
class Log:
    """Decisions as they come, with the policy that makes them."""

    policy: Policy
    force: Force
    seed: int
    site: list[list[int]] = field(default_factory=list)
    state: list[list[float]] = field(default_factory=list)
    ptr: list[int] = field(default_factory=lambda: [0])
    action: list[int] = field(default_factory=list)

    def decide(self, site: Any, state: Any, scores: Any, gold: Any) -> int:
        """One decision, with a stream of random numbers of its own."""
        step = len(self.action)
        rng = random.Random(1000 * self.seed + step)
        scores = np.concatenate(([0.0], scores)) if len(scores) == 1 and self.binary else np.array(scores)
        if self.policy.temperature > 0:
            noise = [-math.log(rng.expovariate(1.0)) for _ in scores]
            scores = scores / self.policy.temperature + noise
        action = int(np.argmax(scores))
        if rng.random() < self.policy.oracle_rate:
            action = int(gold[0]) if self.binary else int(np.argmax(gold)) if any(gold) else action
        if step == self.force.step:
            action = self.force.action
        self.site += site
        self.state += state
        self.ptr.append(len(self.site))
        self.action.append(action)
        return action

    binary: bool = True

    def trace(self) -> Trace:
        return Trace(
            np.array(self.site, np.int32).reshape(-1, 2),
            np.array(self.state, np.float64).reshape(-1, 1),
            np.array(self.ptr, np.int64),
            np.array(self.action, np.int64),
            self.binary,
        )


class Sequential:
    """x: kinds of items; gold: the good kinds. Features: the kind, and the kind in this state."""

    dim = 64

    def run(self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0) -> Outcome:
        return self.roll_in(x, policy, force, gold=gold, seed=seed).outcome

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        raise NotImplementedError

    def features(self, x: Any, site: Any, state: Any) -> Any:
        bucket = np.stack((site[:, 1], 16 + 8 * np.minimum(state[:, 0], 4) + site[:, 1]), 1)
        return Rows(bucket.astype(np.uint32))

    def is_gold(self, site: Any, gold: Any) -> Any:
        return np.isin(site[:, 1], list(gold))

    def scores(self, x: Any, site: Any, state: Any, policy: Policy) -> Any:
        return self.features(x, np.array(site), np.array(state)).scores(policy.weights)


class Walk(Sequential):
    """Decides inside the search: what is declined hides the item behind it, so sites depend on actions."""

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        log = Log(policy, force, seed)
        place, taken = 0, []
        while place < len(x):
            site, state = [[place, x[place]]], [[float(len(taken))]]
            right = None if gold is None else self.is_gold(np.array(site), gold)
            if log.decide(site, state, self.scores(x, site, state, policy), right) == TAKE:
                taken.append(x[place])
                place += 1
            else:
                place += 2
        return Episode(Outcome(tuple(taken), Work(kept=len(taken), pushes=len(log.action))), log.trace())


class Agenda(Sequential):
    """Orders the search: of all that waits, which next? Ends when an item of kind 0 comes up."""

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        log = Log(policy, force, seed, binary=False)
        waiting, popped = list(enumerate(x)), []
        while waiting and 0 not in popped:
            site = [[place, kind] for place, kind in waiting]
            state = [[float(len(popped))]] * len(site)
            right = None if gold is None else self.is_gold(np.array(site), gold)
            chosen = log.decide(site, state, self.scores(x, site, state, policy), right)
            popped.append(waiting.pop(chosen)[1])
        return Episode(Outcome(popped, Work(pops=len(popped))), log.trace())


WALKS = [
    Example((3, 1, 4, 1, 5, 2, 6, 5), {1, 5}),
    Example((2, 7, 1, 3, 6, 6, 1, 4, 4), {1, 6}),
    Example((), {1}),
]
AGENDAS = [Example((3, 1, 0, 1, 5, 2), {1, 0}), Example((5, 4, 4, 3, 2, 0, 1), {0}), Example((2,), {3})]


def useful(x: Any, outcome: Outcome, gold: Any) -> float:
    return len(gold & set(outcome.parts)) / len(gold)


def last(x: Any, outcome: Outcome, gold: Any) -> float:
    return 1.0 / (1.0 + outcome.parts[-1])
