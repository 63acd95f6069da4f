"""Which rival is popped first: the contract of tasks, roll-outs against replaying, and a learner of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.kernels.agenda.priorities import EXACT, How, Limits
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Example, Force, Policy, Reward
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.learn import examples
from secateur.tasks.agenda_order.oracle import Oracle
from secateur.tasks.agenda_order.rollouts import (
    ALL,
    PopChoice,
    RollOut,
    RollOutSettings,
    pop_choice,
    rollout_learner,
)
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.testing.tasks import check_task
from secateur.testing.values import check_values
from secateur.treebanks.normalization import Normalization

TREES = [tree for tree in map(Normalization(), sec.garden.treebank(90)) if tree is not None]
TRAIN, TEST = TREES[:60], TREES[60:]
LEFT = Binarization()


@cache
def order() -> AgendaOrder:
    grammar = sec.induce(TRAIN, binarization=LEFT)
    features = PriorityFeatures.learned(grammar, TRAIN, LEFT, settings=PrioritySettings(merit=True))
    return AgendaOrder(grammar, features, EXACT, Oracle(grammar, LEFT))


@cache
def short() -> list[Example]:
    return examples(order(), [tree for tree in TRAIN if len(tree.words()) <= 9][:12]).examples


def policies(temperature: float = 0.0, rate: float = 0.0) -> list[Policy]:
    drawn = np.random.default_rng(2).normal(0, 0.2, order().dim) + order().features.start()
    return [Policy(drawn.astype(np.float32), *rest) for rest in ((), (0.7,), (0.0, 0.5), (0.7, 0.3))]


def test_the_contract() -> None:
    """With all that waits: few rivals are the policy's own, the first ones too."""
    check_task(PopChoice(order(), ALL, limits=Limits(pops=60)), short()[:2], steps=4)


@pytest.mark.parametrize("rivals", [(1, 0, True), (2, 2, False), (3, 0, False)])
def test_roll_outs_are_replays(rivals: Any) -> None:
    task = PopChoice(order(), *rivals, Limits(pops=80))
    reward = Reward(order().f1, "pushes", 1e-3)
    check_values(RollOut(), task, short()[2:4], reward, policies=policies())


def test_the_oracle_may_lead_what_comes_after() -> None:
    task, reward = PopChoice(order(), 2, 1, True), Reward(order().recall, "pops", 1e-3)
    x, gold = short()[3]
    policy = policies()[0]
    episode = task.roll_in(x, policy, gold=gold, seed=5)
    steps = np.arange(len(episode.trace.action))[::7]
    alone, led = (RollOut(later)(task, x, gold, policy, episode, reward, steps) for later in (0.0, 1.0))
    there = ~np.isnan(alone)
    assert np.array_equal(there, ~np.isnan(led))
    rows = np.arange(len(steps)), episode.trace.action[steps]
    assert (alone[rows] == reward(x, episode.outcome, gold)).all()
    # With the oracle in front all that remains are its own items.
    assert (led[there] >= 1.0 - 1e-3 * (steps.max() + len(gold.items.items) + 1)).all()
    assert led[there].mean() > alone[there].mean()


def test_without_luck_it_is_the_agenda_s_own_run() -> None:
    task = PopChoice(order(), 3, 2)
    for x, gold in short()[:5]:
        for policy in policies()[:1]:
            own, other = task.run(x, policy), order().run(x, policy)
            logged = task.roll_in(x, policy, gold=gold).outcome
            assert own.work == other.work == logged.work
            assert own.parts.score == other.parts.score == logged.parts.score  # type: ignore[union-attr]


def settings(**options: Any) -> RollOutSettings:
    return RollOutSettings(rounds=4, steps=8, **options)


def fitted(given: RollOutSettings, engine: Engine | None = None, **options: Any) -> Any:
    reward = Reward(order().recall, given.price, given.tradeoff)
    learner, start = rollout_learner(given, engine=engine), Policy(order().features.start())
    return learner.fit(pop_choice(order(), given), short(), reward, start, dev=short(), **options)


def test_fewer_pops_are_learned() -> None:
    found = fitted(settings(tradeoff=1e-3))
    assert max(round.reward for round in found.rounds_) > found.rounds_[0].reward + 0.05
    best = max(found.rounds_, key=lambda round: round.reward)
    assert best.runtime < 0.7 * found.rounds_[0].runtime
    assert best.accuracy > found.rounds_[0].accuracy - 0.02


def test_two_workers_and_a_stop_change_nothing() -> None:
    given, saved = settings(wean=0.5, tradeoff=1e-3), list[Checkpoint]()
    whole, two = fitted(given, save=saved.append), fitted(given, Engine(2))
    assert whole.policy_.weights.tobytes() == two.policy_.weights.tobytes()
    again = fitted(given, resume=Checkpoint.from_arrays(saved[1].arrays(), order().dim))
    assert again.policy_.weights.tobytes() == whole.policy_.weights.tobytes()
    other = fitted(replace(given, seed=1))
    assert other.policy_.weights.tobytes() != whole.policy_.weights.tobytes()


def test_what_makes_no_sense_is_refused() -> None:
    x, gold = short()[0]
    task, led = PopChoice(order()), policies()[2]
    with pytest.raises(InputError, match="an oracle rate without gold"):
        task.roll_in(x, led)
    with pytest.raises(InputError, match="0 heads and 0 others"):
        PopChoice(order(), 0)
    with pytest.raises(InputError, match="choices of several attempts"):
        PopChoice(replace(order(), how=How(8.0, EXACT.merge, 1.5)))
    episode = task.roll_in(x, policies()[0])
    asked = (x, gold, policies()[0], episode)
    with pytest.raises(InputError, match="by the clock"):
        RollOut()(task, *asked, Reward(order().f1, "seconds", 1.0), np.arange(1))
    with pytest.raises(InputError, match="roll-outs of pops, of AgendaOrder"):
        RollOut()(order(), *asked, Reward(order().f1, "pops", 1.0), np.arange(1))  # type: ignore[arg-type]
    assert task.run(x, policies()[0], Force(0, 0)).work.pops > 0
