"""Learners on a task small enough to see through: pick the useful items of a list, pay for each one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from secateur.search.checkpoint import Checkpoint
from secateur.search.core import (
    FREE,
    Episode,
    Example,
    Force,
    Outcome,
    Policy,
    Reward,
    Rows,
    Trace,
    Work,
    choose,
)
from secateur.search.learners import Aggregate, Apart
from secateur.search.linear import Logistic
from secateur.search.parallel import Engine, portions
from secateur.search.pool import Pool
from secateur.search.values import asymmetric, imitate, replay
from secateur.search.visits import advantages


class Picking:
    """x: kinds of items; gold: the useful kinds. Features: the kind."""

    dim = 16

    def run(self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0) -> Outcome:
        return self.roll_in(x, policy, force, gold=gold, seed=seed).outcome

    def roll_in(
        self, x: Any, policy: Policy, force: Force = FREE, *, gold: Any = None, seed: int = 0
    ) -> Episode:
        site = np.array([[p, kind] for p, kind in enumerate(x)], np.int32)
        right = None if gold is None else self.is_gold(site, gold)
        taken = choose(policy.weights[site[:, 1]].astype(float), policy, force, right, seed)
        outcome = Outcome(frozenset(site[taken, 1].tolist()), Work(kept=int(taken.sum())))
        trace = Trace(site, np.zeros((len(x), 0)), np.arange(len(x) + 1), taken.astype(np.int64), True)
        return Episode(outcome, trace)

    def features(self, x: Any, site: Any, state: Any) -> Any:
        return Rows(site[:, 1:].astype(np.uint32))

    def is_gold(self, site: Any, gold: Any) -> Any:
        return np.isin(site[:, 1], list(gold))


def recall(x: Any, outcome: Outcome, gold: Any) -> float:
    return len(outcome.parts & gold) / len(gold)


TASK = Picking()
USEFUL = frozenset({1, 2, 3})
DATA = [Example(tuple(np.random.default_rng(s).permutation(8).tolist()), USEFUL) for s in range(12)]
NOTHING = Policy(np.zeros(16, np.float32))


def test_lols_learns_what_pays() -> None:
    # Each useful item is worth 1/3 and costs 0.1: take those, and nothing else.
    learner = Aggregate(replay, iterations=4, classifier=Logistic(1e-3))
    learner.fit(TASK, DATA, Reward(recall, "kept", 0.1), NOTHING, dev=DATA[:4])
    assert set(np.flatnonzero(learner.policy_.weights > 0)) == USEFUL
    assert learner.rounds_[-1].reward == pytest.approx(1.0 - 0.3)


def test_a_high_price_makes_it_take_nothing() -> None:
    everything = Policy(np.ones(16, np.float32))
    learner = Aggregate(replay, iterations=3, classifier=Logistic(1e-3))
    learner.fit(TASK, DATA, Reward(recall, "kept", 0.5), everything, dev=DATA[:4])
    assert not (learner.policy_.weights > 0).any()


def test_imitation_follows_the_oracle() -> None:
    learner = Aggregate(imitate, iterations=2, classifier=Logistic(1e-3))
    learner.fit(TASK, DATA, Reward(recall, "kept", 0.1), NOTHING, dev=DATA[:4])
    assert set(np.flatnonzero(learner.policy_.weights > 0)) == USEFUL


def test_asymmetric_values() -> None:
    episode = TASK.roll_in((1, 7), NOTHING)
    found = asymmetric(0.25)(TASK, (1, 7), USEFUL, NOTHING, episode, recall, np.arange(2))
    assert found.tolist() == [[0.0, 1.0], [1.0, 0.75]]


def test_it_stops_when_nothing_gets_better() -> None:
    learner = Aggregate(replay, iterations=50, patience=2, classifier=Logistic(1e-3))
    learner.fit(TASK, DATA, Reward(recall, "kept", 0.1), NOTHING, dev=DATA[:4])
    assert len(learner.rounds_) <= 5


def test_resumed_runs_end_with_the_same_policy() -> None:
    def run(**options: Any) -> tuple[Aggregate, list[Checkpoint]]:
        saved: list[Checkpoint] = []
        learner = Aggregate(
            replay, iterations=4, patience=9, classifier=Logistic(1e-3), exploration=0.5, seed=3
        )
        pool = Pool(TASK.dim)
        for number, (x, _) in enumerate(DATA):
            trace = TASK.roll_in(x, NOTHING).trace
            pool.add(number, trace.site, trace.state, np.zeros(8), lambda s, q: TASK.features(None, s, q))
        learner.fit(
            TASK,
            DATA,
            Reward(recall, "kept", 0.1),
            NOTHING,
            dev=DATA[:4],
            pool=pool,
            save=saved.append,
            **options,
        )
        return learner, saved

    whole, saved = run()
    for checkpoint in saved:
        resumed, _ = run(resume=checkpoint)
        assert np.array_equal(resumed.policy_.weights, whole.policy_.weights)
        assert [r.reward for r in resumed.rounds_] == [r.reward for r in whole.rounds_]


class Noted(Picking):
    """Remembers what it visited."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def roll_in(self, x: Any, *args: Any, **options: Any) -> Episode:
        self.seen.add(x)
        return super().roll_in(x, *args, **options)


def test_each_fold_is_visited_by_its_own_task_and_reward() -> None:
    first, second = Noted(), Noted()
    dear = Reward(recall, "kept", 0.5)  # to the second fold, nothing is worth its price
    apart = [Apart(first, Reward(recall, "kept", 0.1)), Apart(second, dear)]
    pick = Reward(recall, "kept", 0.1)
    data = [Example((1,), USEFUL), Example((2,), USEFUL), Example((3,), USEFUL)]
    learner = Aggregate(replay, iterations=2, classifier=Logistic(1e-3), folds=2)
    learner.fit(TASK, data, pick, NOTHING, dev=DATA[:4], apart=apart)
    assert (first.seen, second.seen) == ({(1,), (3,)}, {(2,)})
    assert set(np.flatnonzero(learner.policy_.weights > 0)) == {1, 3}
    with pytest.raises(ValueError, match="1 tasks apart for 2 folds"):
        learner.fit(TASK, data, pick, NOTHING, dev=DATA[:4], apart=apart[:1])


def test_no_held_out_examples_is_an_error() -> None:
    with pytest.raises(ValueError, match="held-out"):
        Aggregate(replay).fit(TASK, DATA, Reward(recall, "kept", 0.1), NOTHING, dev=[])


@pytest.mark.parametrize("tradeoff", [-0.1, float("nan"), float("inf")])
def test_rewards_refuse_tradeoffs_that_make_no_sense(tradeoff: float) -> None:
    with pytest.raises(ValueError, match="tradeoff"):
        Reward(recall, "kept", tradeoff)


def test_choices_by_temperature_oracle_and_force() -> None:
    scores = np.array([3.0, -3.0, 0.0])
    plain = Policy(NOTHING.weights)
    assert choose(scores, plain, FREE, None, 0).tolist() == [True, False, False]
    assert choose(scores, plain, Force(1, 1), None, 0).tolist() == [True, True, False]
    oracle = Policy(NOTHING.weights, oracle_rate=1.0)
    assert choose(scores, oracle, FREE, np.array([False, True, True]), 0).tolist() == [False, True, True]
    warm = Policy(NOTHING.weights, temperature=1.0)
    many = np.mean([choose(scores, warm, FREE, None, seed) for seed in range(2000)], axis=0)
    assert np.allclose(many, 1 / (1 + np.exp(-scores)), atol=0.04)


def test_portions_hold_each_number_once_and_are_even() -> None:
    cost = np.random.default_rng(0).exponential(size=103)
    lists = portions(cost, 8)
    assert sorted(n for numbers in lists for n in numbers) == list(range(103))
    sums = [cost[numbers].sum() for numbers in lists]
    assert max(sums) < 1.5 * min(sums)


def double(numbers: list[int]) -> list[int]:
    return [2 * n for n in numbers]


def test_two_workers_give_what_one_gives() -> None:
    items = list(range(40))
    cost = np.arange(40.0)
    assert Engine(jobs=2).map(double, items, cost) == Engine().map(double, items, cost)


def test_advantages_are_over_the_first_choice() -> None:
    ptr = np.array([0, 2, 5, 6])
    trace = Trace(np.zeros((6, 1), np.int32), np.zeros((6, 0)), ptr, np.array([0, 1, 0]), False)
    worth = np.array([[0.0, 5.0, 2.0], [1.0, 3.0, np.nan], [4.0, np.nan, np.nan]])
    rows, bounds, found = advantages(trace, np.array([1, 0, 2]), worth)
    assert rows.tolist() == [2, 3, 4, 0, 1]  # the last decision has no choice
    assert bounds.tolist() == [0, 3, 5]
    assert found.tolist() == [0.0, 5.0, 2.0, 0.0, 2.0]
    binary = Trace(np.zeros((3, 1), np.int32), np.zeros((3, 0)), np.arange(4), np.array([0, 1, 0]), True)
    rows, bounds, found = advantages(binary, np.array([2, 0]), np.array([[0.5, 2.0], [1.0, 0.0]]))
    assert (rows.tolist(), bounds.tolist(), found.tolist()) == ([2, 0], [0, 1, 2], [1.5, -1.0])


def test_choices_of_binary_decisions_and_of_rankings() -> None:
    binary = Trace(np.zeros((2, 1), np.int32), np.zeros((2, 0)), np.arange(3), np.array([0, 1]), True)
    assert [part.tolist() for part in binary.choices()] == [[0, 2, 4], [-1, 0, -1, 1]]
    ranking = Trace(
        np.zeros((4, 1), np.int32), np.zeros((4, 0)), np.array([0, 3, 4]), np.array([2, 0]), False
    )
    assert [part.tolist() for part in ranking.choices()] == [[0, 3, 4], [0, 1, 2, 3]]
    row, there = ranking.choices().table(np.array([1, 0]))
    assert row.tolist() == [[3, -1, -1], [0, 1, 2]]
    assert there.tolist() == [[True, False, False], [True, True, True]]
