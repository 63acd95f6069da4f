"""A ranking small enough to list all its runs: which of what waits is next? Features have values."""

from __future__ import annotations

from typing import Any

import numpy as np

from naive import ranking as naive
from secateur.search.core import FREE, Episode, Example, Force, Outcome, Policy, Reward, Rows, Trace, Work
from secateur.search.gradient import Credit, Sample

KINDS = 5
LAST = 0  # the kind that ends a run


class Queue:
    """x: kinds of things that wait; gold: the useful kinds. A run ends when one of kind 0 is taken.

    Features: the kind, its place in the line, and how many were taken before, on the kind.
    """

    dim = 2 * KINDS + 1

    def run(self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0) -> Outcome:
        return self.roll_in(x, policy, force, gold=gold, seed=seed).outcome

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        waiting, taken = list(range(len(x))), []
        site: list[list[int]] = []
        state: list[list[float]] = []
        ptr, action = [0], []
        while waiting and LAST not in (x[p] for p in taken):
            own = np.array([[p, x[p]] for p in waiting], np.int32)
            before = np.full((len(waiting), 1), float(len(taken)))
            chosen = self._choose(x, own, before, policy, gold, np.random.default_rng((seed, len(action))))[0]
            chosen = force.action if force.step == len(action) else chosen
            site += own.tolist()
            state += before.tolist()
            ptr.append(len(site))
            action.append(chosen)
            taken.append(waiting.pop(chosen))
        trace = Trace(
            np.array(site, np.int32).reshape(-1, 2),
            np.array(state, np.float64).reshape(-1, 1),
            np.array(ptr, np.int64),
            np.array(action, np.int64),
            False,
        )
        return Episode(Outcome(tuple(x[p] for p in taken), Work(pops=len(taken))), trace)

    def _choose(
        self, x: Any, site: Any, state: Any, policy: Policy, gold: Any, rng: Any
    ) -> tuple[int, np.ndarray, bool]:
        """The candidate, the probabilities of all, and whether the policy drew it."""
        scores = self.features(x, site, state).scores(policy.weights)
        share = np.exp((scores - scores.max()) / (policy.temperature or 1.0))
        share /= share.sum()
        draw, follow = rng.random(2)
        if policy.oracle_rate > 0 and gold is None:
            raise ValueError("a policy with an oracle rate needs gold")
        right = self.is_gold(site, gold) if policy.oracle_rate > 0 else np.zeros(len(site), bool)
        if follow < policy.oracle_rate and right.any():
            return int(np.argmax(np.where(right, scores, -np.inf))), share, False
        if policy.temperature > 0:
            return int(min(np.searchsorted(np.cumsum(share), draw), len(site) - 1)), share, True
        return int(np.argmax(scores)), share, True

    def features(self, x: Any, site: Any, state: Any) -> Rows:
        kind = site[:, 1]
        bucket = np.stack((kind, np.full(len(site), 2 * KINDS), KINDS + kind), 1)
        value = np.stack((np.ones(len(site)), -0.25 * site[:, 0], 0.5 * state[:, 0]), 1)
        return Rows(bucket.astype(np.uint32), value.astype(np.float32))

    def is_gold(self, site: Any, gold: Any) -> Any:
        return np.isin(site[:, 1], list(gold))


def found(x: Any, outcome: Outcome, gold: Any) -> float:
    """The share of the useful things that were taken."""
    wanted = sum(kind in gold for kind in x)
    return sum(kind in gold for kind in outcome.parts) / wanted


def earned(x: Any, kinds: Any, gold: Any, credit: Credit) -> np.ndarray:
    """[T] by steps: a useful thing its share at once, and every step its price."""
    wanted = sum(kind in gold for kind in x)
    return np.array([(kind in gold) / wanted - credit.tradeoff for kind in kinds])


def shaped(x: Any, episode: Episode, gold: Any, credit: Credit) -> np.ndarray:
    return earned(x, episode.outcome.parts, gold, credit)


class OnePass(Queue):
    """Sums its gradient while it runs, as a kernel does."""

    def sample(self, x: Any, policy: Policy, credit: Credit, *, gold: Any = None, seed: int = 0) -> Sample:
        waiting, taken = list(range(len(x))), []
        eligible, gradient, score = np.zeros(self.dim), np.zeros(self.dim), np.zeros(self.dim)
        drawn: list[float] = []  # how much of what comes is credited to drawn decisions
        total = steps = weight = 0.0
        while waiting and LAST not in (x[p] for p in taken):
            site = np.array([[p, x[p]] for p in waiting], np.int32)
            state = np.full((len(waiting), 1), float(len(taken)))
            rng = np.random.default_rng((seed, int(steps)))
            chosen, share, own = self._choose(x, site, state, policy, gold, rng)
            phi = dense(self.features(x, site, state), self.dim)
            step = (phi[chosen] - share @ phi) / policy.temperature
            taken.append(waiting.pop(chosen))
            reward = float(earned(x, [x[taken[-1]]], gold, credit)[0])
            eligible = credit.discount * eligible + step
            weight = credit.discount * weight + own
            gradient += reward * eligible
            total += reward * weight
            score += step * own
            drawn.append(float(own))
            steps += 1
        outcome = Outcome(tuple(x[p] for p in taken), Work(pops=len(taken)))
        return Sample(outcome, int(steps), int(sum(drawn)), total, gradient, score)


def dense(rows: Rows, dim: int) -> np.ndarray:
    """[R, dim]"""
    found = np.zeros((len(rows), dim))
    values = rows.value if rows.value.size else np.ones(rows.bucket.shape)
    np.add.at(found, (np.arange(len(rows))[:, None], rows.bucket), values)
    return found


def grow(x: Any, gold: Any, credit: Credit, *, at_once: bool = True) -> naive.Grow:
    """All runs on x. Unless all is earned `at_once`, the last step earns it all."""
    task = Queue()

    def next_steps(run: naive.Run) -> list[naive.Step]:
        waiting, taken = list(range(len(x))), []
        for step in run:
            taken.append(waiting.pop(step.action))
        if not waiting or LAST in (x[p] for p in taken):
            return []
        site = np.array([[p, x[p]] for p in waiting], np.int32)
        phi = dense(task.features(x, site, np.full((len(waiting), 1), float(len(taken)))), task.dim)
        right = task.is_gold(site, gold).tolist()
        found = []
        for action, place in enumerate(waiting):
            kinds = [x[p] for p in (*taken, place)]
            by_step = earned(x, kinds, gold, credit)
            ends = len(waiting) == 1 or x[place] == LAST
            worth = by_step[-1] if at_once else by_step.sum() if ends else 0.0
            found.append(naive.Step(phi, right, action, float(worth)))
        return found

    return next_steps


EXAMPLES = [
    Example((3, 1, 0, 2), frozenset({1, 2})),
    Example((2, 4, 1, 0), frozenset({1, 2})),
    Example((0, 1, 3), frozenset({1, 2})),
    Example((4, 3, 2, 1, 0), frozenset({1, 2})),
    Example((1, 4, 0, 4), frozenset({1, 2})),
]
REWARD = Reward(found, "pops", 0.2)
