"""Policies that lock arcs, by DAgger (He, Daume III and Eisner 2013, algorithm 2).

A round visits sentences of one fold with parsers trained without it, so that they fail as they will on new
sentences. Each decision met is labelled by the oracle: lock what is gold. A linear classifier learns from all
decisions so far; to lock what is not gold costs more than to miss what is, and how much more is the knob.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from secateur.models.run import Folder
from secateur.search.core import Bools, Example, Policy, Rows
from secateur.search.svm import linear_svm
from secateur.tasks.arc_locking.task import ArcLocking

ITERATIONS = 20
SHARE = 20  # one in so many sentences is visited in a round
STRENGTH = 0.01  # of the labels against small weights


class DaggerRound(NamedTuple):
    """A policy after its round, on held-out sentences."""

    number: int
    accuracy: float  # share of right heads
    features: float  # templates computed, as a share of all
    decisions: int  # collected so far


class Held(NamedTuple):
    """What a policy does on held-out sentences."""

    accuracy: float
    features: float
    fell_back: float


def judge(task: ArcLocking, policy: Policy, examples: Sequence[Example]) -> Held:
    """Shares of right heads, of templates computed, and of sentences without a projective tree in the end."""
    right = words = computed = full = fell_back = 0
    for x, gold in examples:
        outcome = task.parse(x, policy)
        right += int((outcome.parts.heads[1:] == gold[1:]).sum()) if outcome.parts is not None else 0
        fell_back += outcome.parts is None or outcome.parts.fell_back
        words += len(gold) - 1
        computed += outcome.work.features
        full += task.full_cost(x)
    return Held(right / words, computed / full, fell_back / len(examples))


def dagger(
    name: str,
    task: ArcLocking,
    parts: Sequence[tuple[ArcLocking, Sequence[Example]]],
    dev: Sequence[Example],
    *,
    cost: float,
    folder: Folder,
    iterations: int = ITERATIONS,
    strength: float = STRENGTH,
    seed: int = 0,
    report: Callable[[DaggerRound], None] = lambda round: None,
) -> tuple[Policy, list[DaggerRound]]:
    """The policy with the most right heads on `dev`. `parts`: folds, each with its parser."""
    visited = max(1, sum(len(examples) for _, examples in parts) // SHARE)
    rows: list[Rows] = []
    golds: list[Bools] = []
    policies: list[Policy] = []
    rounds: list[DaggerRound] = []
    for number in range(iterations):
        parser, examples = parts[number % len(parts)]
        current = policies[-1] if policies else Policy(np.zeros(task.dim, np.float32), oracle_rate=1.0)
        rng = np.random.default_rng((seed, number))
        chosen = np.sort(rng.choice(len(examples), min(visited, len(examples)), replace=False))
        visit = partial(_collect, parser, [examples[i] for i in chosen], current)
        seen = folder.arrays(f"{name}-{number}", visit)
        rows.append(seen["rows"])
        golds.append(seen["gold"])
        fit = partial(_fitted, task, rows, golds, cost, strength)
        policies.append(folder.policy(f"{name}-{number}-policy", task.dim, fit))
        held = folder.numbers(f"{name}-{number}", partial(judge, task, policies[-1], dev))
        rounds.append(DaggerRound(number + 1, held[0], held[1], sum(map(len, golds))))
        report(rounds[-1])
    # The first rounds know only what an oracle's parse meets: such a policy locks too little later on.
    settled = rounds[len(parts) :] or rounds
    best = max(settled, key=lambda r: (r.accuracy, -r.features))
    return policies[best.number - 1], rounds


def _fitted(
    task: ArcLocking, rows: Sequence[Rows], golds: Sequence[Bools], cost: float, strength: float
) -> Policy:
    together, gold = np.concatenate(rows), np.concatenate(golds)
    nothing = task.nothing
    return Policy(linear_svm(together, gold, dim=task.dim, cost=cost, strength=strength, nothing=nothing))


def _collect(task: ArcLocking, examples: Sequence[Example], policy: Policy) -> dict[str, Any]:
    """The features of all decisions met, and whether each should lock."""
    rows, golds = [], []
    for number, (x, gold) in enumerate(examples):
        trace = task.roll_in(x, policy, gold=gold, seed=number).trace
        rows.append(task.features(x, trace.site, trace.state))
        golds.append(task.is_gold(trace.site, gold))
    return {"rows": np.concatenate(rows), "gold": np.concatenate(golds)}
