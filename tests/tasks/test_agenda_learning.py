"""Learning priorities: drawn runs against the twin with true features; the paper's learners on the garden."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import secateur as sec
from agenda_cases import task_of
from naive.agenda import Item
from naive.agenda_sample import Earning, Sampler, labelled, summed, uniform
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.kernels.agenda.priorities import EXACT, How, Limits
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Policy
from secateur.search.gradient import Annealed, Credit, Sampled
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.learn import (
    LEARNERS,
    OrderSettings,
    Prepared,
    Weaned,
    drawn_order,
    examples,
    order_learner,
    reward_of,
)
from secateur.tasks.agenda_order.sampling import DrawnOrder
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.treebanks.normalization import Normalization

TREES = [tree for tree in map(Normalization(), sec.garden.treebank(90)) if tree is not None]
TRAIN, TEST = TREES[:60], TREES[60:]
LEFT = Binarization()


@cache
def task(*, dynamic: bool = False) -> AgendaOrder:
    return task_of(TRAIN, LEFT, dynamic=dynamic)


@cache
def prepared() -> Prepared:
    return examples(task(), [tree for tree in TRAIN if len(tree.words()) <= 9][:12])


def policy(rate: float, temperature: float = 0.7, *, dynamic: bool = False) -> Policy:
    features = task(dynamic=dynamic).features
    theta = np.random.default_rng(2).normal(0, 0.2, features.dim) + features.start()
    return Policy(theta.astype(np.float32), temperature, rate)


def twin(drawn: DrawnOrder, number: int, given: Policy, seed: int) -> Sampler:
    x, gold = prepared().examples[number]
    order = drawn.task.features.tables(x.known, given.weights.astype(float))
    draws = lambda step: (uniform(seed, 2 * step), uniform(seed, 2 * step + 1))  # noqa: E731
    parts = (task().grammar, x.known.words, x.mask, NO_ANCHORS, order, drawn.how or EXACT)
    oracle = {tuple(item) for item in gold.items.items.tolist()}
    found = Sampler(*parts, oracle=oracle, rate=given.oracle_rate, draws=draws, temperature=given.temperature)
    found.sample(1 << 30)
    return found


@pytest.mark.parametrize("rewarded", ["oracle", "any"])
@pytest.mark.parametrize(("rate", "discount"), [(1.0, 1.0), (0.8, 0.0), (0.8, 0.5)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_sample_is_that_of_the_twin(rewarded: Any, rate: float, discount: float, dynamic: bool) -> None:
    """With every feature of every item that waits, at each step."""
    own = task(dynamic=dynamic)
    drawn = DrawnOrder(own, rewarded, "pushes", how=How(6.0))
    credit, given = Credit(0.001, discount), policy(rate, dynamic=dynamic)
    assert isinstance(drawn, Sampled)
    for number, (x, gold) in enumerate(prepared().examples[:3]):
        found = drawn.sample(x, given, credit, gold=gold, seed=number)
        slow = twin(drawn, number, given, number)
        wanted = summed(slow, phi_of(own, x), earning(rewarded, gold, 0.001), discount)
        assert (found.steps, found.drawn) == (len(slow.steps_made), wanted.drawn)
        assert found.credit == pytest.approx(wanted.credit)
        np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.score, wanted.score + np.zeros(own.dim), rtol=1e-5, atol=1e-5)
        shorter = DrawnOrder(own, rewarded, "pushes", how=How(6.0), by_length=2)
        scaled = shorter.sample(x, given, credit, gold=gold, seed=number)
        np.testing.assert_allclose(scaled.gradient * len(gold.items.items) ** 2, found.gradient)


def test_labels_are_the_oracle_s() -> None:
    drawn, given = DrawnOrder(task(), labels=True), policy(0.5)
    x, gold = prepared().examples[1]
    found, slow = drawn.sample(x, given, Credit(), gold=gold, seed=3), twin(drawn, 1, given, 3)
    np.testing.assert_allclose(found.gradient, labelled(slow, phi_of(task(), x)), rtol=1e-5, atol=1e-5)
    assert (found.drawn, found.credit) == (0, 0.0)


def phi_of(own: AgendaOrder, x: Any) -> Any:
    def phi(item: Item, facts: Any) -> Any:
        rows = own.features.rows(x.known, np.array([item[:3]]), facts[:1].astype(np.float32), facts[1:])
        return rows.value[0].astype(float)

    return phi


def earning(rewarded: str, gold: Any, price: float) -> Earning:
    if rewarded == "oracle":
        return Earning(set(map(tuple, gold.items.items.tolist())), lambda item: item, price, True)
    label, nodes = task().oracle.label, set(map(tuple, gold.items.nodes.tolist()))
    return Earning(nodes, lambda item: (item[0], item[1], int(label[item[2]])), price, True)


def fitted(settings: OrderSettings, engine: Engine | None = None, **options: Any) -> Any:
    drawn, learner = drawn_order(task(), settings), order_learner(settings, engine=engine)
    kept = prepared().examples
    reward, start = reward_of(task().recall, settings), Policy(task().features.start())
    return learner.fit(drawn, kept, reward, start, dev=kept, **options)


def short(learner: Any, **options: Any) -> OrderSettings:
    return OrderSettings(learner=learner, passes=4, trajectories=2, **options)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_learns(learner: Any) -> None:
    """What comes is faster than by score alone, if somebody leads."""
    found = fitted(short(learner, pops=3000))
    pops = [round.runtime for round in found.rounds_]
    assert len(pops) == 5
    assert not np.array_equal(found.policy_.weights, task().features.start())
    assert np.isfinite(found.policy_.weights).all()
    if learner not in ("plain", "delayed"):
        assert pops[-1] < 0.9 * pops[0]


def test_i_plus_keeps_the_accuracy() -> None:
    rounds = fitted(OrderSettings(passes=8, alone=2, step=0.1)).rounds_
    assert rounds[-1].accuracy > rounds[0].accuracy - 0.02
    assert rounds[-1].runtime < rounds[0].runtime / 2


def test_two_workers_and_a_stop_change_nothing() -> None:
    settings, saved = short("I+", batch=4, keep="best"), list[Checkpoint]()
    whole = fitted(settings, save=saved.append)
    two = fitted(settings, Engine(2))
    assert whole.policy_.weights.tobytes() == two.policy_.weights.tobytes()
    again = Checkpoint.from_arrays(saved[1].arrays(), task().dim)
    resumed = fitted(settings, resume=again)
    assert resumed.policy_.weights.tobytes() == whole.policy_.weights.tobytes()
    other = fitted(short("I+", batch=4, keep="best", seed=1))
    assert other.policy_.weights.tobytes() != whole.policy_.weights.tobytes()


def test_examples_are_counted() -> None:
    found = examples(task(), TEST)
    assert len(found.examples) + found.left_out == len(TEST)
    assert found.nearly == sum(not example.gold.items.whole for example in found.examples) > 0


def test_without_an_oracle_a_run_only_costs() -> None:
    x, gold = prepared().examples[0]
    none = np.zeros((0, 4), np.int64)
    items = gold.items._replace(items=none, nodes=none[:, :3], steps=np.zeros((0, 5), np.int64))
    drawn = DrawnOrder(task(), limits=Limits(pops=20))
    found = drawn.sample(x, policy(1.0), Credit(0.5, 0.0), gold=gold._replace(items=items))
    assert found.drawn == found.steps
    assert found.credit == pytest.approx((found.outcome.parts is not None) - 0.5 * found.steps)


def test_rates() -> None:
    assert [Weaned(0.5, 2)(number) for number in (1, 2, 3)] == [1.0, 0.5, 0.0]
    infused = OrderSettings(passes=10, alone=3).oracle_rate
    assert callable(infused)
    assert [infused(number) for number in (1, 7, 8)] == [1.0, Annealed()(7), 0.0]
    assert OrderSettings(learner="D-").oracle_rate == 1.0
    assert OrderSettings(learner="plain").oracle_rate == 0.0
    assert OrderSettings(learner="D+").gamma == 1.0
    assert OrderSettings(learner="D+", discount=0.3).gamma == 0.3


@pytest.mark.parametrize(
    ("given", "credit", "said"),
    [
        (policy(0.0, 0.0), Credit(), "a temperature of 0.0"),
        (policy(0.0, -1.0), Credit(), "a temperature of -1.0"),
        (policy(0.0, np.nan), Credit(), "a temperature of nan"),
        (policy(1.5), Credit(), "an oracle rate of 1.5"),
        (policy(0.5), Credit(0.0, 1.1), "a discount of 1.1"),
        (policy(0.5), Credit(0.0, -0.1), "a discount of -0.1"),
        (Policy(np.full(task().dim, np.nan, np.float32), 1.0), Credit(), "weights that are no numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(given: Policy, credit: Credit, said: str) -> None:
    x, gold = prepared().examples[0]
    with pytest.raises(InputError, match=said):
        DrawnOrder(task()).sample(x, given, credit, gold=gold)


def test_settings_that_make_no_sense_are_refused() -> None:
    x, _ = prepared().examples[0]
    with pytest.raises(InputError, match="without gold"):
        DrawnOrder(task()).sample(x, policy(0.0), Credit())
    for wrong, said in (
        ({"learner": "E+"}, 'no learner "E\\+"; there are D-'),
        ({"temperature": 0.0}, "a temperature of 0.0"),
        ({"discount": 2.0}, "a discount of 2.0"),
        ({"alone": 30}, "30 of 25 passes alone"),
        ({"trajectories": 0}, "0 runs of a sentence"),
    ):
        with pytest.raises(InputError, match=said):
            OrderSettings(**wrong)  # type: ignore[arg-type]
