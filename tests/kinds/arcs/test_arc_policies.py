"""Policies that lock arcs: the learner of all tasks does what DAgger says, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive import dagger as naive
from secateur.kinds.arcs.policies import Held, Turns, dagger, dealt, judge
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Example, Policy
from secateur.search.parallel import Engine
from toy_locking import given

SEED = 2


@pytest.mark.parametrize(("bits", "cost", "iterations"), [(None, 1.5, 7), (10, 4.0, 7), (10, 2.7, 2)])
def test_it_is_dagger(bits: int | None, cost: float, iterations: int) -> None:
    task, parts, dev = given(bits)
    policy, rounds = dagger(task, parts, dev, cost=cost, iterations=iterations, seed=SEED)
    wanted, slow = naive.dagger(task, parts, dev, cost, 0.01, iterations, SEED)
    assert [tuple(r) for r in rounds] == slow
    assert policy.weights.tobytes() == wanted.weights.tobytes()
    assert policy.weights.any()
    assert policy.weights[task.nothing] == 0.0


def test_two_workers_find_the_same_policy() -> None:
    task, parts, dev = given(None)
    (one, rounds), (two, others) = (
        dagger(task, parts, dev, cost=2.0, iterations=4, seed=SEED, engine=Engine(jobs)) for jobs in (1, 2)
    )
    assert one.weights.tobytes() == two.weights.tobytes()
    assert rounds == others


def test_stopped_after_any_round_it_ends_with_the_same_policy() -> None:
    task, parts, dev = given(10)
    saved: list[Checkpoint] = []
    whole, rounds = dagger(task, parts, dev, cost=2.0, iterations=5, seed=SEED, save=saved.append)
    assert len(saved) == 5
    for checkpoint in saved:
        again = Checkpoint.from_arrays(checkpoint.arrays(), task.dim)
        told: list[Any] = []
        resumed, same = dagger(
            task, parts, dev, cost=2.0, iterations=5, seed=SEED, resume=again, report=told.append
        )
        assert resumed.weights.tobytes() == whole.weights.tobytes()
        assert same == rounds
        assert told == rounds[len(checkpoint.rounds) - 1 :]


def test_folds_take_turns() -> None:
    turns = Turns(folds=3, size=4, seed=0)
    for number in range(1, 7):
        chosen = turns(number, 20)
        assert (chosen % 3 == (number - 1) % 3).all()
        assert len(set(chosen.tolist())) == 4
    assert Turns(3, 100, 0)(2, 20).tolist() == list(range(1, 20, 3))
    assert turns(1, 20).tolist() != turns(4, 20).tolist()


def test_examples_are_dealt_back() -> None:
    data = [Example(number, None) for number in range(11)]
    assert dealt([data[fold::3] for fold in range(3)]) == data


def test_judging() -> None:
    task, _, dev = given(None)
    nothing = Policy(np.zeros(task.dim, np.float32))
    found = judge(task, nothing, dev)
    right, templates = naive.judged(task, nothing, dev)
    assert found == Held(right, templates, 0.0)
    assert 0 < found.accuracy < 1
