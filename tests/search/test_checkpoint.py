"""Runs stopped after any round go on in a fresh pool, also where decisions depend on what was done before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from secateur.search.checkpoint import Checkpoint, Held, Round
from secateur.search.core import Example, Policy, Reward
from secateur.search.learners import Aggregate
from secateur.search.linear import Logistic, Softmax
from secateur.search.pool import Pool
from secateur.search.svm import Svm
from secateur.search.values import asymmetric, replay
from toy_queue import EXAMPLES, REWARD, Queue
from toy_tasks import WALKS, Walk, useful

Data = list[Example]


def stopped(task: Any, data: Data, reward: Reward, **options: Any) -> tuple[Aggregate, list[Checkpoint]]:
    saved: list[Checkpoint] = []
    sums = options.pop("sums", True)
    resume = options.pop("resume", None)
    learner = Aggregate(iterations=4, patience=9, seed=3, **options)
    learner.fit(
        task,
        data,
        reward,
        Policy(np.zeros(task.dim, np.float32)),
        dev=data,
        pool=Pool(task.dim, sums=sums),
        resume=resume,
        save=saved.append,
    )
    return learner, saved


@pytest.mark.parametrize(
    ("task", "data", "reward", "options"),
    [
        (Walk(), WALKS, Reward(useful, "kept", 0.1), {"values": replay, "classifier": Logistic(1e-3)}),
        (
            Walk(),
            WALKS,
            Reward(useful, "kept", 0.1),
            {"values": asymmetric(0.3), "classifier": Svm(), "sums": False},
        ),
        (Queue(), EXAMPLES, REWARD, {"values": replay, "classifier": Softmax(1e-3), "folds": 2}),
    ],
    ids=["walk", "walk without sums", "queue"],
)
def test_stopped_after_any_round_it_ends_with_the_same_policy(
    task: Any, data: Data, reward: Reward, options: dict[str, Any]
) -> None:
    whole, saved = stopped(task, data, reward, exploration=1.0, **options)
    assert len(saved) == 4
    sizes = [len(checkpoint.held.site) for checkpoint in saved]
    assert 0 < sizes[0] < sizes[1] <= sizes[2] <= sizes[3], "later rounds met new decisions"
    for number, checkpoint in enumerate(saved):
        stored = Checkpoint.from_arrays(checkpoint.arrays(), task.dim)
        resumed, rest = stopped(task, data, reward, exploration=1.0, resume=stored, **options)
        assert len(rest) == 3 - number
        assert resumed.policy_.weights.tobytes() == whole.policy_.weights.tobytes()
        for one, other in zip(rest, saved[number + 1 :], strict=True):
            assert one.weights.tobytes() == other.weights.tobytes()
            assert all(map(np.array_equal, one.held, other.held))
            assert [r.reward for r in one.rounds] == [r.reward for r in other.rounds]


def example() -> Checkpoint:
    rounds = (Round(0, 0.5, 0.75, 10.0, {"F1": 0.5}, 0.1, 0), Round(1, 1.0, 1.0, 0.0, {"F1": 1.0}, 0.2, 3))
    held = Held(
        np.array([1.0, -2.0, 0.5]),
        np.array([4, 7]),
        np.array([0, 1, 3]),
        np.arange(6, dtype=np.int32).reshape(3, 2),
        np.zeros((3, 1)),
    )
    weights = np.array([0.0, 1.5, -0.25, 0.0], np.float32)
    return Checkpoint(rounds, weights, -weights, (weights, 2 * weights), held)


def test_checkpoints_come_back_from_arrays() -> None:
    again = Checkpoint.from_arrays(example().arrays(), 4)
    assert again.rounds == example().rounds
    assert again.weights.tobytes() == example().weights.tobytes()
    assert again.best.tolist() == example().best.tolist()
    assert [weights.tolist() for weights in again.apart] == [weights.tolist() for weights in example().apart]
    assert all(map(np.array_equal, again.held, example().held))
    small = Checkpoint(example().rounds, example().weights, example().best)
    assert Checkpoint.from_arrays(small.arrays(), 4).held.site.shape == (0, 0)


def text(content: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(content).encode(), np.uint8)


def round_with(**changed: Any) -> np.ndarray:
    return text([{**example().rounds[0]._asdict(), **changed}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.pop("best"), "best"),
        (lambda a: a.update(more=np.zeros(1)), "more"),
        (lambda a: a.update({"apart-5": a["best"]}), "apart-5"),
        (lambda a: a.update(rounds=np.zeros(3)), "not text"),
        (lambda a: a.update(rounds=np.frombuffer(b"{", np.uint8)), "Expecting"),
        (lambda a: a.update(rounds=np.frombuffer(b"\xff\xfe\xfd", np.uint8)), "rounds"),
        (lambda a: a.update(rounds=np.frombuffer(b"[" * 100_000, np.uint8)), "rounds"),
        (lambda a: a.update(rounds=text({})), "no list"),
        (lambda a: a.update(rounds=text([])), "no list"),
        (lambda a: a.update(rounds=text([[1]])), "not what a round is"),
        (lambda a: a.update(rounds=round_with(number=1)), "not what a round is"),
        (lambda a: a.update(rounds=round_with(extra=1)), "not what a round is"),
        (lambda a: a.update(rounds=round_with(reward="high")), "reward of round 0 is 'high'"),
        (lambda a: a.update(rounds=round_with(watched=[1])), "watched"),
        (lambda a: a.update(rounds=round_with(watched={"F1": None})), "F1 of round 0 is None"),
        (lambda a: a.update(rounds=round_with(decisions=-1)), "-1 decisions"),
        (lambda a: a.update(weights=np.array([[9], [0]], np.uint32)), "not below 4"),
        (lambda a: a.update(best=np.zeros((2, 2))), "not two rows"),
        (lambda a: a.update(advantage=np.array([1.0, np.nan])), "no numbers"),
        (lambda a: a.update(advantage=np.zeros((1, 1))), "advantage: 2 axes"),
        (lambda a: a.update(site=a["site"].astype(np.int64)), "site: 2 axes of int64"),
        (lambda a: a.update(state=np.full((3, 1), np.nan)), "no numbers"),
        (lambda a: a.update(state=np.zeros((2, 1))), "3 sites, 2 states"),
        (lambda a: a.update(ptr=np.array([0, 3])), "2 decisions, 2 bounds"),
        (lambda a: a.update(ptr=np.array([0, 0, 3])), "do not grow"),
        (lambda a: a.update(ptr=np.array([0, 1, 4])), "do not grow"),
    ],
)
def test_arrays_that_are_no_checkpoint(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    arrays: dict[str, Any] = example().arrays()
    change(arrays)
    with pytest.raises(ValueError, match=message):
        Checkpoint.from_arrays(arrays, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": np.zeros(3, np.float32)}, "features"),
        ({"apart": (np.zeros(Walk.dim, np.float32),)}, "1 policies apart"),
        ({"held": example().held}, "beyond the 3"),
        ({"held": example().held._replace(example=np.array([0, 1]))}, "99 advantages"),
    ],
)
def test_checkpoints_of_another_run_are_refused(change: dict[str, Any], message: str) -> None:
    reward = Reward(useful, "kept", 0.1)
    _, saved = stopped(Walk(), WALKS, reward, values=replay)
    wrong = saved[0]._replace(**change)
    if "held" in change:
        wrong = wrong._replace(held=wrong.held._replace(advantage=np.zeros(99)))
    with pytest.raises(ValueError, match=message):
        stopped(Walk(), WALKS, reward, values=replay, resume=wrong)
