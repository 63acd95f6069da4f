"""Orders that are learned: faster than by score, the same whoever learns them and however often they stop."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.kinds.pcfg import order_learning
from secateur.kinds.pcfg.order_learning import STARTS, OrderLearning, OrderSchedule, mixed
from secateur.kinds.pcfg.orders import BOUNDARY, Orders
from secateur.kinds.pcfg.ways import DEEPENING
from secateur.models.run import Run
from secateur.search.checkpoint import Round
from secateur.search.parallel import Engine
from secateur.treebanks.phrases import Treebank

TREES = sec.garden.treebank(150)
TRAIN, STOPPING = TREES[:120], TREES[120:]
LEFT = sec.Binarization()
USUAL = OrderSchedule()
SHORT = replace(
    USUAL, sentences=24, longest=15, learning=replace(USUAL.learning, passes=5, alone=3, pops=2000)
)


@cache
def counted() -> Orders:
    return Orders.counted(sec.induce(TRAIN), TRAIN, LEFT)


def learning(run: Run | None = None, schedule: OrderSchedule = SHORT) -> OrderLearning:
    return OrderLearning(run or Run(), TRAIN, STOPPING, counted(), LEFT, schedule)


@cache
def learned() -> tuple[Orders, list[dict[str, Any]]]:
    return learning().fit()


def test_they_pop_less_than_by_score() -> None:
    orders, log = learned()
    assert orders.names == (BOUNDARY, "pg-1", "pg-2")
    assert [one["name"] for one in log] == list(STARTS)
    assert (orders.weights[0] == counted().weights[0]).all()
    by_score = log[1]["rounds"][0]
    for one in log:
        own = [Round(**each) for each in one["rounds"]]
        kept = max(own, key=learning().prefer(one["name"]))
        assert kept.runtime < 0.8 * by_score["runtime"]
        assert kept.accuracy >= by_score["accuracy"] - 0.02


def test_which_pass_is_kept() -> None:
    prefer = order_learning._fewest_pops(0.8)
    rounds = [Round(n, 0.0, f1, pops, {}, 0.0) for n, (f1, pops) in enumerate([(0.9, 9), (0.8, 5), (0.7, 2)])]
    assert max(rounds, key=prefer).number == 1
    assert max(rounds, key=order_learning._most_accurate).number == 0
    assert max([*rounds[2:], rounds[2]._replace(number=3, accuracy=0.75)], key=prefer).number == 3


class Stopped(Exception):
    pass


def test_two_workers_and_many_stops_change_nothing(tmp_path: Path) -> None:
    two, _ = learning(Run(engine=Engine(2))).fit()
    assert two.weights.tobytes() == learned()[0].weights.tobytes()

    def stopping(step: Any) -> None:
        told.append(step.text.partition(":")[0])
        if len(told) in (3, 5, 12):
            raise Stopped

    told = list[str]()
    for _ in range(3):
        with pytest.raises(Stopped):
            learning(Run(tmp_path, tell=stopping)).fit()
    orders, log = learning(Run(tmp_path, tell=stopping)).fit()
    assert orders.weights.tobytes() == learned()[0].weights.tobytes()
    assert [len(one["rounds"]) for one in log] == [6, 6]
    passes = [f"{name} pass {number}" for name in STARTS for number in range(6)]
    assert {line for line in told if line.rpartition(" ")[2] != "0"} >= set(passes[1:6])
    with pytest.raises(InputError, match="other trees or other settings"):
        learning(Run(tmp_path), replace(SHORT, sentences=23))


def test_steps_are_planned() -> None:
    steps = list[Any]()
    run = Run(tell=steps.append)
    OrderLearning.plan(run, SHORT)
    learning(run).fit()
    assert (steps[-1].done, steps[-1].total) == (10, 10)


def test_sentences_of_all_lengths() -> None:
    lengths = [len(tree.words()) for tree in mixed(TRAIN, SHORT)]
    assert len(lengths) == 24
    assert 2 <= min(lengths) < 8 < 12 < max(lengths) <= 15
    other = replace(SHORT, learning=replace(SHORT.learning, seed=1))
    assert mixed(TRAIN, other) != mixed(TRAIN, SHORT) == mixed(Treebank(TRAIN), SHORT)
    assert learning().task.how == DEEPENING
