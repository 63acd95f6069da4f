"""Rewards: the paper's, corpus F1 by batches against a slow twin, the true reward and its test."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from secateur import Parser, induce, metrics
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.search.arrays import Floats
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Accuracy, Among, Example, Force, Outcome, Policy, Reward, Values, Work
from secateur.search.learners import Aggregate, Minibatch, judge
from secateur.search.linear import Logistic
from secateur.search.parallel import Engine
from secateur.search.pool import Pool
from secateur.search.values import asymmetric, replay
from secateur.tasks.span_pruning import rewards
from secateur.tasks.span_pruning.backprop import ExpectedRecall, backprop
from secateur.tasks.span_pruning.policies import keep_all
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.rewards import CorpusF1, Scored, compare, scored, true_reward
from secateur.tasks.span_pruning.task import SpanPruning, sites_of
from secateur.treebanks import garden
from secateur.treebanks.tree import Tree


@cache
def trees() -> list[Tree]:
    return list(garden.treebank(160).filter(max_length=14))


@cache
def task() -> SpanPruning:
    grown = garden.treebank(300)
    return SpanPruning(induce(grown), SpanFeatures.from_words(grown.vocabulary(), bits=16), Binarization())


@cache
def data() -> list[Example]:
    return [Example(task().encode(tree.words()), task().gold(tree)) for tree in trees()]


@cache
def baseline() -> Policy:
    """Prunes enough that some sentences have no parse."""
    learner = Aggregate(asymmetric(0.02), iterations=1, classifier=Logistic(1e-4))
    reward = Reward(task().recall, "kept", 0.001)
    return learner.fit(task(), data()[:40], reward, nothing(), dev=data()[40:50]).policy_


def nothing() -> Policy:
    return Policy(np.zeros(task().dim, np.float32))


def batch() -> range:
    return range(40, 52)


def pool() -> Pool:
    """All decisions of the batch, nothing known of them."""
    found = Pool(task().dim)
    for number, e in enumerate(batch()):
        x, sites = data()[e].x, sites_of(len(data()[e].x.words))
        found.add(number, sites, np.zeros((len(sites), 0)), np.zeros(len(sites)), partial(task().features, x))
    return found


def one_round(
    values: Values, reward: Reward, *, iterations: int = 1, **options: Any
) -> tuple[Checkpoint, Aggregate]:
    """A round from the baseline, or some; the advantages are what roll-outs say and nothing else."""
    saved: list[Checkpoint] = []
    learner = Aggregate(values, iterations=iterations, patience=9, **options)
    examples = [data()[e] for e in batch()]
    learner.fit(task(), examples, reward, baseline(), dev=data()[60:70], pool=pool(), save=saved.append)
    return saved[-1], learner


def flipped(example: Example, step: int, action: int) -> Outcome:
    return task().run(example.x, baseline(), Force(step, action))


def corpus_f1(found: list[tuple[Tree, Outcome]]) -> float:
    """By EVALB, from the trees."""
    return metrics.sum_counts(scored(task(), tree, outcome).counts for tree, outcome in found).f1 / 100


def test_the_paper_s_rewards() -> None:
    x, gold = data()[0]
    outcome = task().run(x, keep_all(task()))
    assert (
        rewards.r_cp(task(), 0.5)(x, outcome, gold) == task().f1(x, outcome, gold) - 0.5 * outcome.work.items
    )
    expected = ExpectedRecall(task())(x, outcome, gold) - 0.25 * len(sites_of(len(x.words)))
    assert rewards.r_dp(task(), 0.25)(x, outcome, gold) == expected
    alone = rewards.r_corpus(task(), 7.0)(x, outcome, gold)
    assert alone == pytest.approx(task().f1(x, outcome, gold) - 7.0 * outcome.work.pushes / 1e8)


def test_the_paper_s_rewards_have_their_fast_roll_outs() -> None:
    x, gold = data()[41]
    episode = task().roll_in(x, baseline())
    steps = np.arange(len(episode.trace.action))
    for reward, values in ((rewards.r_cp(task(), 0.003), propagate), (rewards.r_dp(task(), 0.01), backprop)):
        fast = values(task(), x, gold, baseline(), episode, reward, steps)
        assert np.allclose(fast, replay(task(), x, gold, baseline(), episode, reward, steps), atol=1e-12)


@pytest.mark.parametrize("runtime", [*Work._fields, "seconds"])
def test_every_runtime_is_charged(runtime: str) -> None:
    outcome = Outcome(None, Work(pushes=2, pops=3, items=5, kept=7, features=11), seconds=13.0)
    cost = {"pushes": 2, "pops": 3, "items": 5, "kept": 7, "features": 11, "seconds": 13}[runtime]
    assert Reward(lambda x, outcome, gold: 100.0, runtime, 2.0)(None, outcome, None) == 100 - 2 * cost


@pytest.mark.parametrize("name", ["f1", "recall", "expected recall"])
def test_every_accuracy_is_1_for_the_gold_tree_and_0_without_a_parse(name: str) -> None:
    accuracies: dict[str, Accuracy] = {
        "f1": task().f1,
        "recall": task().recall,
        "expected recall": ExpectedRecall(task()),
    }
    accuracy = accuracies[name]
    unpruned = Parser(task().grammar)
    for tree in trees()[:10]:
        own = unpruned.parse(tree.words()).tree
        x = task().encode(tree.words())
        found = accuracy(x, task().run(x, keep_all(task())), task().gold(own))
        assert found == 1.0 if name != "expected recall" else 0.2 < found < 1.0
    failed = next(e for e in data() if task().run(e.x, nothing()).parts is None)
    assert accuracy(failed.x, task().run(failed.x, nothing()), failed.gold) == 0.0


def test_seconds_train_a_policy_by_replay() -> None:
    slow = Reward(lambda x, outcome, gold: 0.0, "seconds", 1.0)
    x, gold = data()[0]
    task().run(x, baseline())
    episode = task().roll_in(x, baseline())
    assert episode.outcome.seconds > 0.0
    steps = np.arange(len(episode.trace.action))
    worth = replay(task(), x, gold, baseline(), episode, slow, steps)
    as_run = worth[steps, episode.trace.action]
    assert (as_run == -episode.outcome.seconds).all()
    assert (worth < 0.0).all()
    found, learner = one_round(replay, Reward(task().f1, "seconds", 1.0))
    assert np.isfinite(found.held.advantage).all()
    assert 0.0 < learner.rounds_[0].runtime < 10.0
    for refuses in (propagate, backprop):
        with pytest.raises(InputError):
            refuses(task(), x, gold, baseline(), episode, Reward(task().f1, "seconds", 1.0), steps)


def slow_advantages(tradeoff: float) -> Floats:
    """Every flip's corpus F1, from the trees of the whole batch, by EVALB."""
    rolled_in = [(trees()[e], task().run(data()[e].x, baseline())) for e in batch()]
    found = []
    for place, e in enumerate(batch()):
        for step in range(len(sites_of(len(data()[e].x.words)))):
            worth = []
            for action in (0, 1):
                outcome = flipped(data()[e], step, action)
                changed = [*rolled_in[:place], (trees()[e], outcome), *rolled_in[place + 1 :]]
                worth.append(len(rolled_in) * corpus_f1(changed) - tradeoff * outcome.work.pushes)
            found.append(worth[1] - worth[0])
    return np.array(found)


def test_corpus_f1_equals_its_slow_twin() -> None:
    assert any(task().run(data()[e].x, baseline()).parts is None for e in batch())
    expected = slow_advantages(1e-5)
    assert (np.abs(expected) > 0.01).sum() > 40
    reward = Reward(CorpusF1(task()), "pushes", 1e-5)
    by_replay, learner = one_round(replay, reward)
    assert np.allclose(by_replay.held.advantage, expected, atol=1e-9)
    dev = [
        (tree, task().run(x, baseline())) for tree, (x, _) in zip(trees()[60:70], data()[60:70], strict=True)
    ]
    assert learner.rounds_[0].accuracy == pytest.approx(corpus_f1(dev))


@pytest.mark.parametrize("runtime", ["pushes", "items", "kept"])
@pytest.mark.parametrize("exploration", [0.0, 0.7])
def test_corpus_f1_by_propagation_is_replay_to_the_last_bit(runtime: str, exploration: float) -> None:
    reward = Reward(CorpusF1(task()), runtime, 1e-3)
    slow, fast = (one_round(v, reward, exploration=exploration)[0] for v in (replay, propagate))
    assert np.array_equal(slow.held.advantage, fast.held.advantage)
    assert np.array_equal(slow.weights, fast.weights)


def test_folds_make_up_one_batch() -> None:
    reward = Reward(CorpusF1(task()), "pushes", 1e-5)
    slow, fast = (one_round(values, reward, iterations=2, folds=3)[0] for values in (replay, propagate))
    assert len(slow.apart) == 3
    assert np.array_equal(slow.held.advantage, fast.held.advantage)
    assert not np.array_equal(slow.held.advantage, one_round(replay, reward, iterations=2)[0].held.advantage)


@pytest.mark.parametrize(
    "options", [{}, {"exploration": 0.5, "visits": Minibatch(7, seed=4), "sample": lambda t: t // 2}]
)
def test_two_workers_see_the_same_batch(options: dict[str, Any]) -> None:
    reward = rewards.r_corpus(task(), 50.0)
    one = one_round(propagate, reward, **options)[0]
    two = one_round(propagate, reward, engine=Engine(jobs=2), **options)[0]
    assert np.abs(one.held.advantage).max() > 0
    assert np.array_equal(one.held.advantage, two.held.advantage)
    assert np.array_equal(one.weights, two.weights)
    assert one.rounds[-1]._replace(seconds=0.0) == two.rounds[-1]._replace(seconds=0.0)


def test_a_batch_of_one_is_the_sentence() -> None:
    accuracy = CorpusF1(task())
    for x, gold in data()[:10]:
        outcome = task().run(x, baseline())
        among = Among(accuracy, np.zeros(3, np.int64), 1)
        assert among(x, outcome, gold) == accuracy(x, outcome, gold) == task().f1(x, outcome, gold)
    assert accuracy.of(np.array([[0, 0, 0], [2, 3, 5], [0, 0, 4]])).tolist() == [1.0, 0.5, 0.0]


def test_corpus_f1_can_be_watched() -> None:
    found = judge(
        task(),
        rewards.r_cp(task(), 0.0),
        baseline(),
        data()[:20],
        watch={"corpus": CorpusF1(task()), "mean": task().f1},
    )
    outcomes = [
        (tree, task().run(x, baseline())) for tree, (x, _) in zip(trees()[:20], data()[:20], strict=True)
    ]
    assert found.watched["corpus"] == pytest.approx(corpus_f1(outcomes))
    assert found.watched["mean"] == found.accuracy != found.watched["corpus"]


def test_alone_corpus_f1_is_that_of_the_sentence() -> None:
    x, gold = data()[0]
    episode = task().roll_in(x, baseline())
    steps = np.arange(len(episode.trace.action))
    alone = rewards.r_corpus(task(), 1.0)
    found = [v(task(), x, gold, baseline(), episode, alone, steps) for v in (propagate, replay)]
    assert np.array_equal(*found)
    other = replace(task(), parameters=task().parameters)
    with pytest.raises(InputError, match="same task"):
        propagate(task(), x, gold, baseline(), episode, rewards.r_corpus(other, 1.0), steps)


def judged(policy: Policy) -> list[Scored]:
    return [
        scored(task(), tree, task().run(x, policy))
        for tree, (x, _) in zip(trees()[50:], data()[50:], strict=True)
    ]


@pytest.mark.parametrize("name", ["everything", "baseline"])
def test_the_true_reward_is_what_users_see(name: str) -> None:
    policy = keep_all(task()) if name == "everything" else baseline()
    parser = Parser(task().grammar, features=task().span_features, policy=policy)
    parses = [parser.parse(tree.words()) for tree in trees()[50:]]
    f1 = metrics.evaluate(trees()[50:], [p.tree for p in parses], failed=[p.failed for p in parses]).total.f1
    mpush = sum(p.work.pushes for p in parses) / len(parses) / 1e6
    assert true_reward(judged(policy), 0.0) == pytest.approx(f1)
    assert true_reward(judged(policy), 300.0) == pytest.approx(f1 - 300.0 * mpush)


def test_the_corpus_reward_is_the_true_one_in_hundredths() -> None:
    sentences = judged(baseline())
    fine = [not s.counts.errors for s in sentences]  # EVALB scores the others not at all
    assert fine.count(False) <= 2
    examples = [e for e, able in zip(data()[50:], fine, strict=True) if able]
    found = judge(task(), rewards.r_corpus(task(), 300.0), baseline(), examples)
    scores = [s for s, able in zip(sentences, fine, strict=True) if able]
    assert 100 * found.reward == pytest.approx(true_reward(scores, 300.0))


def test_comparing_policies() -> None:
    a, b = judged(keep_all(task())), judged(baseline())
    for tradeoff in (0.0, 300.0):
        found = compare(a, b, tradeoff, samples=999)
        assert found.gain == pytest.approx(true_reward(b, tradeoff) - true_reward(a, tradeoff))
        assert found.gain == -compare(b, a, tradeoff, samples=1).gain
    # Without a price on work it is the test of F1; on work alone the sign of the gain settles it.
    plain = metrics.permutation_test([s.counts for s in a], [s.counts for s in b], samples=999)
    assert compare(a, b, 0.0, samples=999).p == plain
    assert compare(a, b, 1e9, samples=999).p == 1 / 1000
    assert compare(a, a, 300.0, samples=99) == (0.0, 1.0)


def test_comparing_equals_its_slow_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = judged(keep_all(task()))[:12], judged(baseline())[:12]
    rng = np.random.default_rng(4)
    observed = abs(true_reward(a, 300.0) - true_reward(b, 300.0))
    as_large = 0
    for row in rng.integers(0, 2, size=(300, 12), dtype=np.uint8).tolist():
        first = [y if swap else x for x, y, swap in zip(a, b, row, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, row, strict=True)]
        as_large += abs(true_reward(first, 300.0) - true_reward(second, 300.0)) >= observed - 1e-9
    assert compare(a, b, 300.0, samples=300, seed=4).p == (as_large + 1) / 301
    monkeypatch.setattr(
        "secateur.tasks.span_pruning.rewards._CELLS", 12 * 4
    )  # whole words of luck: the same draws
    assert compare(a, b, 300.0, samples=300, seed=4).p == (as_large + 1) / 301


def test_wrong_comparisons() -> None:
    a = judged(baseline())[:3]
    with pytest.raises(InputError, match="3 sentences of one policy but 2"):
        compare(a, a[:2], 1.0)
    with pytest.raises(InputError, match="at least one sample"):
        compare(a, a, 1.0, samples=0)
    with pytest.raises(InputError, match="no sentences"):
        true_reward([], 1.0)
