"""Orders that are learned: faster than by score, the same whoever learns them and however often they stop."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.kernels.agenda.halting import BEFORE
from secateur.kinds.pcfg import KIND, order_learning
from secateur.kinds.pcfg.halting_learning import paying
from secateur.kinds.pcfg.order_learning import STARTS, OrderLearning, OrderSchedule, mixed
from secateur.kinds.pcfg.orders import BOUNDARY, Orders
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.ways import DEEPENING, name_of, offered, ways
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.models.run import Run
from secateur.search.checkpoint import Round
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.halting import at_first_parse
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
    assert [one["name"] for one in log] == [*STARTS, *(f"{name}-halting" for name in orders.names)]
    assert (orders.weights[0] == counted().weights[0]).all()
    by_score = log[1]["rounds"][0]
    for one in log[:2]:
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


def test_which_policies_pay() -> None:
    """Those that are learned, and beaten by none; the first round is what an order does without."""

    def rounds(*figures: tuple[float, float]) -> list[Round]:
        found = enumerate(figures)
        return [Round(n, f1 - 1e-4 * pops, f1, pops, {}, 0.0) for n, (f1, pops) in found]

    plain = rounds((0.8, 1000.0))
    assert paying({"a": plain}) == []
    assert paying({"a": plain + rounds((0.9, 1500.0))}) == ["a"]
    assert paying({"a": plain + rounds((0.82, 1500.0))}) == []  # not worth its pops
    assert paying({"a": plain + rounds((0.9, 1500.0)), "b": rounds((0.9, 1400.0))}) == []
    assert paying({"a": plain + rounds((0.9, 1500.0)), "b": rounds((0.9, 1600.0))}) == ["a"]
    both = {"a": plain + rounds((0.9, 1500.0)), "b": rounds((0.7, 800.0), (0.95, 1600.0))}
    assert paying(both) == ["a", "b"]


def test_policies_that_pay_are_ways(tmp_path: Path) -> None:
    """Deepening, with and without masks; saved as they are, and refused where they do not fit."""
    weights = at_first_parse().weights.copy()
    weights[BEFORE] = 1.0
    orders = learned()[0].with_halting({"pg-1": weights})
    assert orders.halted == ("pg-1",)
    assert (orders.halting_of("pg-1").weights == weights).all()
    assert orders.with_halting({}).halting is None
    parts = PcfgParts(orders.grammar, SpanFeatures(frozenset()), orders)
    named = {name: way for name, way in ways(parts, ["keep"]).items() if "halt" in way}
    own_name = "pg-1-halting+viterbi-12"
    assert list(named) == [own_name, "pg-1-halting+keep+viterbi-12"]
    assert named[own_name] == {
        "order": "pg-1",
        "decode": "viterbi",
        "delta": 12.0,
        "halt": "learned",
    }
    assert all(name_of(way) == name for name, way in named.items())
    assert own_name in offered(parts, [])
    points = [
        Point(name, way, 70.0, 68.0, 90.0, 0.5, 2e3, 0.01, 1.0, 0.0) for name, way in ways(parts, []).items()
    ]
    own = Model(KIND, parts, {}, points, {"trees": 120, "checksum": "x"})
    own.save(tmp_path / "own")
    again, more = Model.load(tmp_path / "own"), 0
    for tree in STOPPING[:8]:
        here, there, usual = (
            each.parser(name).parse(tree.words())
            for each, name in ((own, own_name), (again, own_name), (own, "pg-1+viterbi-12"))
        )
        assert (str(here), here.work) == (str(there), there.work)
        more += here.work.pops > usual.work.pops
    assert more > 4
    for rows in (weights[None], np.ones((3, 2), np.float32), np.full((3, len(weights)), np.inf, np.float32)):
        broken = replace(own, parts=replace(parts, orders=replace(orders, halting=rows)), points=points[:1])
        broken.save(tmp_path / "broken")
        with pytest.raises(InputError, match=r"halting\.npz.*damaged"):
            Model.load(tmp_path / "broken")
    with pytest.raises(InputError, match="and a policy that ends searches"):
        own.parser(own_name, deadline="5ms")


class Stopped(Exception):
    pass


def test_two_workers_and_many_stops_change_nothing(tmp_path: Path) -> None:
    two, _ = learning(Run(engine=Engine(2))).fit()
    assert two.weights.tobytes() == learned()[0].weights.tobytes()
    assert two.halted == learned()[0].halted

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
    assert orders.halted == learned()[0].halted
    assert [len(one["rounds"]) for one in log[:2]] == [6, 6]
    figures = [[each["reward"] for each in one["rounds"]] for one in log]
    assert figures == [[each["reward"] for each in one["rounds"]] for one in learned()[1]]
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
