"""Rankings the slow way: the softmax objective, what a sampled gradient is on average, by enumeration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np


def objective(
    features: np.ndarray, ptr: Sequence[int], worth: Sequence[float], theta: np.ndarray, regularizer: float
) -> float:
    """Of features [R, dim]: minus the weighted log-likelihood of the best choices, plus the penalty."""
    total = loss = 0.0
    for begin, end in pairwise(ptr):
        scores = [float(features[r] @ theta) for r in range(begin, end)]
        values = list(worth[begin:end])
        if end - begin == 1:  # it may be declined
            scores.append(0.0)
            values.append(0.0)
        best = max(values)
        lost = [best - v for v in values if v < best]
        if not lost:
            continue
        weight = sum(lost) / len(lost)
        every = sum(math.exp(s) for s in scores)
        right = sum(math.exp(s) for s, v in zip(scores, values, strict=True) if v == best)
        loss -= weight * math.log(right / every)
        total += weight
    return loss / total + regularizer / 2 * float(theta @ theta)


def slopes(function: Callable[[np.ndarray], float], theta: np.ndarray, width: float = 1e-5) -> np.ndarray:
    """By finite differences."""
    found = np.empty(len(theta))
    for f in range(len(theta)):
        change = np.zeros(len(theta))
        change[f] = width
        found[f] = (function(theta + change) - function(theta - change)) / (2 * width)
    return found


class Step(NamedTuple):
    """One decision of a run."""

    features: np.ndarray  # [candidates, dim]
    gold: list[bool]
    action: int
    earned: float


Run = list[Step]
# All continuations of a run so far, each with its last step; none where it has ended.
Grow = Callable[[Run], list[Step]]


def shares(step: Step, theta: np.ndarray, temperature: float) -> np.ndarray:
    weights = np.exp(step.features @ theta / temperature)
    return weights / weights.sum()


def probability(step: Step, theta: np.ndarray, temperature: float, oracle_rate: float) -> float:
    """Of the action: drawn, or the oracle's, which is the gold candidate of the highest score."""
    drawn = float(shares(step, theta, temperature)[step.action])
    if not any(step.gold):
        return drawn
    scores = [s if g else -math.inf for s, g in zip(step.features @ theta, step.gold, strict=True)]
    return (1 - oracle_rate) * drawn + oracle_rate * (step.action == int(np.argmax(scores)))


def runs(grow: Grow, run: Run | None = None) -> Iterator[Run]:
    """All there are."""
    run = run or []
    steps = grow(run)
    if not steps:
        yield run
    for step in steps:
        yield from runs(grow, [*run, step])


def expected_reward(grow: Grow, theta: np.ndarray, temperature: float, oracle_rate: float) -> float:
    total = 0.0
    for run in runs(grow):
        likely = math.prod(probability(step, theta, temperature, oracle_rate) for step in run)
        total += likely * sum(step.earned for step in run)
    return total


def expected_gradient(
    grow: Grow, theta: np.ndarray, temperature: float, oracle_rate: float, discount: float
) -> np.ndarray:
    """The mean of sum_t (sum_{u >= t} discount^(u-t) r_u) grad log p(a_t), p without the oracle."""
    total = np.zeros(len(theta))
    for run in runs(grow):
        likely = math.prod(probability(step, theta, temperature, oracle_rate) for step in run)
        for t, step in enumerate(run):
            later = sum(discount**u * after.earned for u, after in enumerate(run[t:]))
            mean = shares(step, theta, temperature) @ step.features
            total += likely * later * (step.features[step.action] - mean) / temperature
    return total
