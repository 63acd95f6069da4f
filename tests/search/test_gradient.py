"""Policy gradient on rankings whose runs can all be listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naive import ranking as naive
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Policy, Reward
from secateur.search.gradient import Annealed, Credit, Falling, Logged, PolicyGradient, Sampled, mean_gradient
from secateur.search.parallel import Engine
from secateur.testing import check_task
from toy_queue import EXAMPLES, REWARD, OnePass, Queue, found, grow, shaped
from toy_tasks import WALKS, Walk, useful

THETA = np.random.default_rng(4).normal(0, 0.5, Queue.dim).astype(np.float32)
TEMPERATURE = 0.7
SETTINGS = [(0.0, 1.0), (0.0, 0.5), (0.0, 0.0), (0.4, 1.0), (0.4, 0.5), (1.0, 0.0)]  # oracle rate, discount


def test_the_toys_keep_their_contract() -> None:
    check_task(Queue(), EXAMPLES, workers=False)
    assert isinstance(OnePass(), Sampled)
    assert not isinstance(Queue(), Sampled)


@pytest.mark.parametrize(("oracle_rate", "discount"), SETTINGS)
@pytest.mark.parametrize("at_once", [True, False])
def test_the_mean_of_samples_is_the_exact_gradient(
    oracle_rate: float, discount: float, at_once: bool
) -> None:
    (x, gold), credit = EXAMPLES[0], Credit(0.05, discount)
    policy = Policy(THETA, TEMPERATURE, oracle_rate)
    task = Logged(Queue(), REWARD, shaped if at_once else None)
    many = [task.sample(x, policy, credit, gold=gold, seed=seed).gradient for seed in range(1500)]
    wanted = naive.expected_gradient(
        grow(x, gold, credit, at_once=at_once), THETA.astype(float), TEMPERATURE, oracle_rate, discount
    )
    error = np.std(many, axis=0) / np.sqrt(len(many))
    assert (np.abs(np.mean(many, axis=0) - wanted) <= 4 * error + 1e-6).all()
    assert oracle_rate == 1.0 or np.abs(wanted).max() > 8 * error.max()  # it tells something


def test_without_oracle_and_discount_it_is_the_slope_of_the_expected_reward() -> None:
    (x, gold), credit = EXAMPLES[0], Credit(0.05, 1.0)
    theta = THETA.astype(float)
    every = grow(x, gold, credit)
    slope = naive.slopes(lambda own: naive.expected_reward(every, own, TEMPERATURE, 0.0), theta)
    for at_once in (True, False):
        exact = naive.expected_gradient(grow(x, gold, credit, at_once=at_once), theta, TEMPERATURE, 0.0, 1.0)
        np.testing.assert_allclose(exact, slope, atol=1e-8)


@pytest.mark.parametrize(("oracle_rate", "discount"), SETTINGS)
def test_one_pass_without_a_log_gives_the_same(oracle_rate: float, discount: float) -> None:
    credit, policy = Credit(0.05, discount), Policy(THETA, TEMPERATURE, oracle_rate)
    logged = Logged(Queue(), REWARD, shaped)
    for x, gold in EXAMPLES:
        for seed in range(5):
            one = OnePass().sample(x, policy, credit, gold=gold, seed=seed)
            other = logged.sample(x, policy, credit, gold=gold, seed=seed)
            np.testing.assert_allclose(one.gradient, other.gradient, atol=1e-6)
            assert (one.outcome, one.steps) == (other.outcome, other.steps)
            if oracle_rate == 0.0:
                np.testing.assert_allclose(one.score, other.score, atol=1e-6)
                assert (one.drawn, one.credit) == (other.drawn, pytest.approx(other.credit))
            else:
                assert (other.drawn, other.credit) == (0, 0.0)
                assert not other.score.any()


@pytest.mark.parametrize("oracle_rate", [0.0, 0.4])
def test_a_baseline_changes_the_spread_and_not_the_mean(oracle_rate: float) -> None:
    (x, gold), credit = EXAMPLES[3], Credit(0.5, 0.5)
    policy = Policy(THETA, TEMPERATURE, oracle_rate)
    plain, less = [], []
    for first in range(0, 1600, 4):
        four = [OnePass().sample(x, policy, credit, gold=gold, seed=s) for s in range(first, first + 4)]
        plain.append(mean_gradient(four, baseline=False))
        less.append(mean_gradient(four))
    wanted = naive.expected_gradient(
        grow(x, gold, credit), THETA.astype(float), TEMPERATURE, oracle_rate, credit.discount
    )
    for many in (plain, less):
        error = np.std(many, axis=0) / np.sqrt(len(many))
        assert (np.abs(np.mean(many, axis=0) - wanted) <= 4 * error + 1e-6).all()
    assert np.var(less, axis=0).sum() < 0.8 * np.var(plain, axis=0).sum()


def test_all_gradients_of_the_oracle_alone_survive_the_baseline() -> None:
    # Every decision earns the same: a baseline over the oracle's decisions would leave nothing to learn.
    (x, gold), credit = EXAMPLES[0], Credit(0.0, 0.0)
    runs = [OnePass().sample(x, Policy(THETA, 1.0, 1.0), credit, gold=gold, seed=s) for s in range(3)]
    assert np.abs(mean_gradient(runs)).max() > 0.1
    np.testing.assert_array_equal(mean_gradient(runs), mean_gradient(runs, baseline=False))


def best_reward() -> float:
    """The mean over the examples of the best run there is."""
    credit = Credit(REWARD.tradeoff)
    return float(
        np.mean(
            [
                max(sum(step.earned for step in run) for run in naive.runs(grow(x, gold, credit)))
                for x, gold in EXAMPLES
            ]
        )
    )


def learner(**options: Any) -> PolicyGradient:
    settings: dict[str, Any] = {"iterations": 25, "samples": 4, "batch": 2, "step": Falling(1.0), "seed": 1}
    return PolicyGradient(**{**settings, **options})


NOTHING = Policy(np.zeros(Queue.dim, np.float32))


@pytest.mark.parametrize("task", [OnePass(), Queue()], ids=["one pass", "logged"])
@pytest.mark.parametrize("oracle_rate", [0.0, Annealed(0.6)], ids=["alone", "infused"])
def test_learning_reaches_the_optimum(task: Any, oracle_rate: Any) -> None:
    found = learner(oracle_rate=oracle_rate).fit(task, EXAMPLES, REWARD, NOTHING, dev=EXAMPLES)
    assert found.rounds_[0].reward < best_reward() - 0.2
    assert max(r.reward for r in found.rounds_) == pytest.approx(best_reward())


def test_it_learns_to_decline() -> None:
    # Binary decisions: declining is a choice without features.
    reward = Reward(useful, "kept", 0.1)
    start = Policy(np.zeros(Walk.dim, np.float32))
    found = learner(oracle_rate=0.0).fit(Walk(), WALKS[:2], reward, start, dev=WALKS[:2])
    assert max(r.reward for r in found.rounds_) > found.rounds_[0].reward + 0.3


def test_two_workers_find_the_same_policy() -> None:
    one, two = (
        learner(iterations=2, engine=Engine(jobs)).fit(OnePass(), EXAMPLES, REWARD, NOTHING, dev=EXAMPLES)
        for jobs in (1, 2)
    )
    assert one.policy_.weights.tobytes() == two.policy_.weights.tobytes()
    assert [r._replace(seconds=0.0) for r in one.rounds_] == [r._replace(seconds=0.0) for r in two.rounds_]


def test_stopped_after_any_pass_it_ends_with_the_same_policy() -> None:
    saved: list[Checkpoint] = []
    whole = learner(iterations=4, oracle_rate=Annealed(0.5))
    whole.fit(OnePass(), EXAMPLES, REWARD, NOTHING, dev=EXAMPLES, save=saved.append)
    assert len(saved) == 4
    for checkpoint in saved:
        again = Checkpoint.from_arrays(checkpoint.arrays(), Queue.dim)
        resumed = learner(iterations=4, oracle_rate=Annealed(0.5))
        resumed.fit(OnePass(), EXAMPLES, REWARD, NOTHING, dev=EXAMPLES, resume=again)
        assert resumed.policy_.weights.tobytes() == whole.policy_.weights.tobytes()
        assert [r.reward for r in resumed.rounds_] == [r.reward for r in whole.rounds_]


def test_rates() -> None:
    assert [Annealed()(number) for number in (1, 2, 21, 22)] == [1.0, 0.8, 0.8**20, 0.0]
    assert [Falling(0.5, 1.0)(number) for number in (1, 2, 3)] == [0.5, 0.25, 0.5 / 3]


def test_a_long_gradient_is_cut() -> None:
    reward = Reward(lambda x, outcome, gold: 1000 * found(x, outcome, gold), "pops", 0.0)
    short = learner(iterations=1, batch=5, oracle_rate=0.0, longest=0.1, step=1.0)
    first: list[Checkpoint] = []
    short.fit(Queue(), EXAMPLES, reward, NOTHING, dev=EXAMPLES, save=first.append)
    assert np.linalg.norm(first[0].weights) == pytest.approx(0.1, rel=1e-5)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="no gradient"):
        Logged(Queue(), REWARD).sample((1, 0), NOTHING, Credit())
    with pytest.raises(ValueError, match="0 held out"):
        learner().fit(Queue(), EXAMPLES, REWARD, NOTHING, dev=[])
    other = Checkpoint((), np.zeros(3, np.float32), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="features"):
        learner().fit(Queue(), EXAMPLES, REWARD, NOTHING, dev=EXAMPLES, resume=other)
