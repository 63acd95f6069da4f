"""Span pruning with a split grammar: gold and accuracy on unsplit labels; all roll-outs equal replay."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import secateur as sec
from naive.enumerate import Forest
from naive.expect import expected_recall
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.splitmerge import Schedule
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.search.core import Policy, Reward
from secateur.search.values import replay
from secateur.tasks.span_pruning.backprop import ExpectedRecall, backprop
from secateur.tasks.span_pruning.policies import keep_all
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.rewards import r_cp
from secateur.tasks.span_pruning.task import SpanPruning

QUICK = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
RIGHT = sec.Binarization("right")


@cache
def split_task() -> tuple[SpanPruning, list[sec.Tree]]:
    grown = sec.garden.treebank(150)
    grammar = SplitTraining(grown, settings=SplitSettings(levels=2, schedule=QUICK)).fit().grammar()
    assert grammar.blocks.splits.max() > 2
    features = SpanFeatures.from_words(grown.vocabulary(), bits=14)
    return SpanPruning(grammar.flat(), features, RIGHT), list(grown)


def test_gold_is_unsplit() -> None:
    """Every sub-symbol of a gold label is gold, and the label counts once."""
    task, trees = split_task()
    unsplit = SpanPruning(sec.induce(trees, binarization=RIGHT), task.span_features, RIGHT)
    for tree in trees[:40]:
        gold, plain = task.gold(tree), unsplit.gold(tree)
        assert gold.total == plain.total
        labels = {(i, k, task.grammar.unsplit[x]) for i, k, x in gold.nodes.tolist()}
        assert labels == {(i, k, unsplit.grammar.symbols[x]) for i, k, x in plain.nodes.tolist()}
        sizes = [sum(name == label for name in task.grammar.unsplit) for _, _, label in labels]
        assert len(gold.nodes) == sum(sizes)


def test_brackets_are_counted_on_unsplit_labels() -> None:
    task, trees = split_task()
    outcomes = [task.run(task.encode(tree.words()), keep_all(task)) for tree in trees[:40]]
    counted = [task.matches(one, task.gold(tree)) for one, tree in zip(outcomes, trees, strict=False)]
    parser = sec.Parser(task.grammar)
    found = sec.evaluate(trees[:40], [parser.parse(tree.words()).tree for tree in trees[:40]]).total
    assert np.sum(counted, axis=0).tolist() == [found.matched, found.test, found.gold]
    assert 0 < found.matched < found.gold


def test_expected_recall_is_that_of_all_derivations() -> None:
    task, trees = split_task()
    checked = 0
    for tree in trees:
        n = len(tree.leaves())
        if n != 3:
            continue
        x, gold = task.encode(tree.words()), task.gold(tree)
        nodes = {(int(i), int(k), int(s)) for i, k, s in gold.nodes}
        mask = np.ones((n + 1, n + 1), np.bool_)
        derivations = Forest(task.grammar, x.words, None).derivations()
        expected = expected_recall(derivations, n, mask, nodes, gold.total)
        as_is, _ = ExpectedRecall(task).flipped(x, mask, gold, np.zeros((0, 2), np.int32))
        assert as_is == pytest.approx(expected, rel=1e-9)
        checked += 1
        if checked == 2:
            break
    assert checked == 2


def test_roll_outs_equal_replay() -> None:
    task, trees = split_task()
    rng = np.random.default_rng(2)
    mended = 0
    for tree in [tree for tree in trees if 4 <= len(tree.leaves()) <= 9][:15]:
        x, gold = task.encode(tree.words()), task.gold(tree)
        policy = Policy(rng.normal(rng.choice([-0.1, 0.1]), 1.0, task.dim).astype(np.float32))
        episode = task.roll_in(x, policy)
        steps = np.arange(len(episode.trace.action))
        expectation = Reward(ExpectedRecall(task), "kept", 1e-3)
        found = backprop(task, x, gold, policy, episode, expectation, steps)
        anew = replay(task, x, gold, policy, episode, expectation, steps)
        np.testing.assert_allclose(found, anew, rtol=1e-9, atol=1e-12)
        changed = propagate(task, x, gold, policy, episode, r_cp(task, 1e-4), steps)
        anew = replay(task, x, gold, policy, episode, r_cp(task, 1e-4), steps)
        np.testing.assert_array_equal(changed, anew)
        mended += episode.outcome.parts is None and changed.max() > 0.0
    assert mended
