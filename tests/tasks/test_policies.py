"""Policies without a learner: keep-all is the unpruned parser, thresholds prune more as they rise."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from secateur import Parser, induce
from secateur.errors import InputError
from secateur.features.span import TEMPLATES, SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.search.core import Policy
from secateur.tasks.span_pruning.policies import keep_all, keeping, thresholded
from secateur.tasks.span_pruning.task import SpanPruning, sites_of
from secateur.treebanks import garden


@cache
def task() -> SpanPruning:
    trees = garden.treebank(120)
    return SpanPruning(induce(trees), SpanFeatures.from_words(trees.vocabulary(), bits=18), Binarization())


@cache
def sentences() -> list[list[str]]:
    return [tree.words() for tree in garden.treebank(160)[120:].filter(max_length=20)]


@cache
def drawn() -> Policy:
    """A policy with opinions about everything."""
    return Policy(np.random.default_rng(3).normal(size=task().dim).astype(np.float32), 0.5, 0.25)


def kept(policy: Policy) -> npt.NDArray[np.bool_]:
    """Of all spans of all sentences."""
    return np.concatenate([scores(policy, words) > 0 for words in sentences()])


def scores(policy: Policy, words: list[str]) -> npt.NDArray[np.float64]:
    sites, features = sites_of(len(words)), task().span_features
    return features.scores(features.columns(words), policy.weights)[sites[:, 0], sites[:, 1]]


def work(policy: Policy) -> int:
    """Pushes over all sentences, nothing drawn."""
    firm = Policy(policy.weights)
    return sum(task().run(task().encode(words), firm).work.pushes for words in sentences())


def test_keep_all_is_the_unpruned_parser() -> None:
    unpruned = Parser(task().grammar)
    pruned = Parser(task().grammar, features=task().span_features, policy=keep_all(task()))
    for words in sentences():
        exact, found = unpruned.parse(words), pruned.parse(words)
        assert (found.tree, found.score, found.work) == (exact.tree, exact.score, exact.work)
        outcome = task().run(task().encode(words), keep_all(task()))
        assert outcome.work == exact.work


def test_keep_all_keeps_where_buckets_collide() -> None:
    cramped = SpanPruning(task().grammar, SpanFeatures(frozenset(), bits=2), Binarization())
    outcome = cramped.run(cramped.encode(sentences()[0]), keep_all(cramped))
    assert outcome.work.kept == len(sites_of(len(sentences()[0])))


def test_a_threshold_keeps_what_scores_above_it() -> None:
    before = np.concatenate([scores(drawn(), words) for words in sentences()])
    for threshold in (-2.0, -0.5, 0.0, 1.5):
        clear = np.abs(before - threshold) > 1e-5
        assert clear.mean() > 0.999
        assert np.array_equal(
            kept(thresholded(drawn(), task(), threshold))[clear], (before > threshold)[clear]
        )
    assert np.array_equal(kept(thresholded(drawn(), task(), 0.0)), kept(drawn()))


def test_higher_thresholds_keep_fewer_of_the_same_spans() -> None:
    thresholds = np.concatenate((np.linspace(-12, 12, 25), np.nextafter(0.0, [-1.0, 1.0])))
    found = [kept(thresholded(drawn(), task(), t)) for t in sorted(thresholds)]
    for more, fewer in pairwise(found):
        assert not (fewer & ~more).any()
    assert found[0].sum() > found[-1].sum()
    pushes = [work(thresholded(drawn(), task(), t)) for t in (-6.0, -1.0, 1.0, 6.0)]
    assert pushes == sorted(pushes, reverse=True)
    assert len(set(pushes)) == 4


def test_a_policy_stays_data() -> None:
    untouched = drawn().weights.copy()
    shifted = thresholded(drawn(), task(), 1.0)
    assert type(shifted) is Policy
    assert (shifted.temperature, shifted.oracle_rate) == (0.5, 0.25)
    assert np.array_equal(drawn().weights, untouched)
    assert shifted.weights.dtype == np.float32
    assert (shifted.weights != untouched).sum() == 1


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 1.0])
def test_keeping_a_share(share: float) -> None:
    found = kept(keeping(drawn(), task(), sentences(), share))
    assert abs(found.sum() - share * len(found)) <= 2


def test_ties_are_kept_or_pruned_together() -> None:
    # A policy that looks at the width alone: its classes are all it can tell apart.
    weights = np.zeros(task().dim, np.float32)
    for words in sentences():
        rows = task().features(task().encode(words), sites_of(len(words)), np.zeros(0)).bucket
        weights[rows[:, TEMPLATES.index("width")]] = 1.0 / (1 + sites_of(len(words)) @ [-1, 1])
    level = Policy(weights)
    policies = [keeping(level, task(), sentences(), share) for share in np.linspace(0, 1, 41)]
    shares = sorted({kept(policy).mean() for policy in policies})
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    values = np.concatenate([scores(level, words) for words in sentences()])
    assert len(shares) <= len(np.unique(values.round(6))) + 1


def test_what_cannot_be_had() -> None:
    biasless = SpanPruning(task().grammar, SpanFeatures(frozenset(), templates=("word[i]",)), Binarization())
    with pytest.raises(InputError, match="no bias"):
        keep_all(biasless)
    for threshold in (np.nan, np.inf):
        with pytest.raises(InputError, match="threshold"):
            thresholded(drawn(), task(), threshold)
    for share in (-0.1, 1.1, np.nan):
        with pytest.raises(InputError, match="share"):
            keeping(drawn(), task(), sentences(), share)
    for nothing in ([], [["two", "words"]]):
        with pytest.raises(InputError, match="no spans"):
            keeping(drawn(), task(), nothing, 0.5)
