"""LOLS on arc locking, in small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import arc_lols
import arc_table1
import secateur as sec
from secateur.errors import InputError
from secateur.search.core import DECLINE, TAKE, Episode, Example, Force, Policy, Reward
from secateur.search.values import replay
from secateur.testing import check_task
from toy_dependencies import confident

SETTINGS = replace(
    arc_table1.GOLD,
    ends=(24, 64),
    costs=(2.0, 4.0, 8.0),
    epochs=1,
    shuffles=1,
    bits=16,
    iterations=2,
    repeat=1,
)
TRAIN = arc_table1.bank("garden", "train")[:40]
REWARD = Reward(arc_lols.heads, "features", 1e-5)


class Run(NamedTuple):
    folder: Path
    model: arc_table1.ArcModel
    task: arc_lols.Jackknife
    data: list[Example]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("arcs")
    held_out = arc_table1.bank("garden", "dev")[:20]
    model = sec.train(TRAIN, dev=held_out, settings=SETTINGS, work=folder / "work")
    task = arc_lols.jackknife(model, folder / "work")
    return Run(folder, model, task, [task.example(number % 4, tree) for number, tree in enumerate(TRAIN)])


def deciding(task: arc_lols.Jackknife, example: Example, policy: Policy, force: Force) -> Policy | None:
    """The policy, but for a feature of its own that the forced decision has, if it has one."""
    trace = task.roll_in(example.x, policy, force).trace
    rows = task.features(example.x, trace.site, trace.state).bucket
    own = np.setdiff1d(rows[force.step], np.delete(rows, force.step, axis=0))
    if not len(own):
        return None
    weights = policy.weights.copy()
    weights[own[0]] += 1000.0 if force.action == TAKE else -1000.0
    return Policy(weights)


def same(a: Episode, b: Episode) -> bool:
    return (
        np.array_equal(a.outcome.parts.heads, b.outcome.parts.heads)  # type: ignore[union-attr]
        and a.outcome.work == b.outcome.work
        and np.array_equal(a.trace.site, b.trace.site)
        and np.array_equal(a.trace.action, b.trace.action)
    )


def test_roll_outs_are_parses_with_a_policy_that_decides_so(run: Run) -> None:
    """A deviation by force, against one by weights: the same trees and work, hence the same rewards."""
    # Filters would leave little to decide here.
    task = arc_lols.Jackknife([replace(parser, filters=()) for parser in run.task.parsers])
    changed = {DECLINE: 0, TAKE: 0}
    for policy in (confident(3), confident(3, share=0.5), Policy(np.zeros(task.dim, np.float32))):
        for example in run.data[:10]:
            x, gold = example
            episode = task.roll_in(x, policy)
            steps = np.arange(len(episode.trace.action))
            worth = replay(task, x, gold, policy, episode, REWARD, steps)
            for step in steps.tolist():
                force = Force(step, 1 - int(episode.trace.action[step]))
                other = deciding(task, example, policy, force)
                if other is None:
                    continue
                again = task.roll_in(x, other)
                assert same(again, task.roll_in(x, policy, force))
                assert worth[step, force.action] == REWARD(x, again.outcome, gold)
                assert worth[step, 1 - force.action] == REWARD(x, episode.outcome, gold)
                changed[force.action] += worth[step, DECLINE] != worth[step, TAKE]
    assert min(changed.values()) > 20


def test_each_sentence_has_a_parser_without_it(run: Run) -> None:
    check_task(run.task, run.data[:6], workers=False)
    weights = [parser.models.crossing for parser in run.task.parsers]
    assert len(weights) == 5
    assert np.array_equal(weights[-1], run.model.parts.models.crossing)
    assert not any(np.array_equal(weights[-1], other) for other in weights[:-1])
    filters = [parser.filters[0].weights for parser in run.task.parsers]
    assert not any(np.array_equal(filters[-1], other) for other in filters[:-1])
    with pytest.raises(InputError, match="without folds"):
        arc_lols.jackknife(run.model, run.folder / "elsewhere")


def test_learning_and_comparing(run: Run) -> None:
    test = arc_table1.bank("garden", "test")[:12]
    loops: list[arc_lols.Loop] = []

    def loop(task: arc_lols.Jackknife, data: list[Example], last: list[Example]) -> arc_lols.Loop:
        loops.append(arc_lols.Loop(task, data, last, rounds=2, minibatch=15, rollouts=4))
        return loops[-1]

    found = arc_lols.measure(run.folder, run.model, TRAIN, test, loop)
    assert {example.x.parser for example in loops[0].data} == {0, 1, 2}  # the last fold is not learned from
    assert {example.x.parser for example in loops[0].last} == {3}
    assert len(loops[0].data) + len(loops[0].last) == len(TRAIN)
    assert [point["cost"] for point in found["points"]] == [2.0, 4.0, 8.0]
    for point in found["points"]:
        assert point["tradeoff"] >= 0.0
        for rows in (point["rows"], point["best"]):
            before = rows[arc_lols.DAGGER]
            assert (before["gained"], before["p"]) == (0.0, 1.0)
            for row in rows.values():
                loss = 100 * point["per percent"] * row["templates"]
                assert row["reward"] == pytest.approx(row["uas"] - loss)
                assert row["gained"] == pytest.approx(row["reward"] - before["reward"])
                assert 0.0 < row["p"] <= 1.0
        for way in (arc_lols.LOLS, arc_lols.FROM_ZERO, arc_lols.ORACLE):
            row = point["rows"][way]
            assert len(row["last fold"]) == 3
            assert row["last fold"][row["round"]] == max(row["last fold"])
            # Round 0 is what it began with: DAgger's policy, or nothing locked.
            if row["round"] == 0:
                assert row["templates"] > 0.9 if way == arc_lols.FROM_ZERO else row["gained"] == 0.0
    assert arc_lols.show("garden", found).count("\n") >= 2 * (2 + 12)
    with pytest.raises(InputError, match="other trees"):
        arc_lols.measure(run.folder, run.model, TRAIN[:30], test, loop)
