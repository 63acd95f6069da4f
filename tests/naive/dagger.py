"""DAgger on arc locking, step by step (He, Daume III and Eisner 2013, algorithm 2)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from secateur.search.core import Example, Policy
from secateur.tasks.arc_locking.task import ArcLocking

Parts = Sequence[tuple[ArcLocking, Sequence[Example]]]


def dagger(
    task: ArcLocking,
    parts: Parts,
    dev: Sequence[Example],
    cost: float,
    strength: float,
    iterations: int,
    seed: int,
) -> tuple[Policy, list[tuple[int, float, float, int]]]:
    """The policy, and of every round: number, share of right heads, share of templates, decisions so far."""
    visited = max(1, sum(len(examples) for _, examples in parts) // 20)
    policy = Policy(np.zeros(task.dim, np.float32), oracle_rate=1.0)
    rows, labels, policies, rounds = [], [], [], []
    for number in range(iterations):
        parser, examples = parts[number % len(parts)]
        rng = np.random.default_rng((seed, number))
        for chosen in np.sort(rng.choice(len(examples), min(visited, len(examples)), replace=False)):
            x, gold = examples[chosen]
            trace = parser.roll_in(x, policy, gold=gold).trace
            rows += task.features(x, trace.site, trace.state).bucket.tolist()
            labels += [gold[m] == h for _, h, m, _ in trace.site.tolist()]
        policy = Policy(fitted(task, rows, labels, cost, strength))
        policies.append(policy)
        rounds.append((number + 1, *judged(task, policy, dev), len(rows)))
    settled = rounds[len(parts) :] or rounds
    best = max(settled, key=lambda r: (r[1], -r[2]))
    return policies[best[0] - 1], rounds


def fitted(
    task: ArcLocking, rows: list[list[int]], labels: list[bool], cost: float, strength: float
) -> np.ndarray:
    there = [[bucket for bucket in row if bucket != task.nothing] for row in rows]
    ptr = np.cumsum([0, *map(len, there)])
    buckets = np.array([bucket for row in there for bucket in row], np.int32)
    matrix = csr_matrix((np.ones(len(buckets)), buckets, ptr), shape=(len(rows), task.dim))
    matrix.sum_duplicates()
    costs = {False: cost, True: 1.0}
    machine = LinearSVC(C=strength, class_weight=costs, fit_intercept=False, tol=0.1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(matrix, np.array(labels))
    return machine.coef_[0].astype(np.float32)


def judged(task: ArcLocking, policy: Policy, examples: Sequence[Example]) -> tuple[float, float]:
    right = words = computed = full = 0
    for x, gold in examples:
        outcome = task.run(x, policy)
        right += int((outcome.parts.heads[1:] == gold[1:]).sum())
        words += len(gold) - 1
        computed += outcome.work.features
        full += task.full_cost(x)
    return right / words, computed / full
