"""Rankers: lists they learn from, what they learn, and parsers that use them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import secateur as sec
from secateur.features.tree import TreeFeatures, head_shares
from secateur.kinds.lcfrs.parser import BlockParser, RankedParser
from secateur.kinds.lcfrs.parts import RANKER, LcfrsParts
from secateur.kinds.lcfrs.ranker import EVEN, Ranker, expected_f1
from secateur.kinds.lcfrs.ranking import Lists, differing, fitted, joined
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousBank, DiscontinuousReading

SETTINGS = LcfrsSettings(
    levels=1, products=2, points=3, iterations=1, max_length=12, deduction=False, repeat=1, ranking=True
)


def grown(count: int) -> DiscontinuousBank:
    return DISCONTINUOUS.bank(
        list(DISCONTINUOUS.normalized(DISCONTINUOUS.grown(count), DiscontinuousReading()))
    )


@pytest.fixture(scope="module")
def model() -> sec.Model[LcfrsParts, sec.Tree]:
    return sec.train(grown(150), settings=SETTINGS)


rows = st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=5)


@given(rows)
def test_differing(given_rows: list[list[int]]) -> None:
    """Counters less what all have."""
    sizes, buckets = differing(given_rows)
    counted = list(map(Counter, given_rows))
    shared = Counter({b: min(one[b] for one in counted) for b in range(10)})
    ends = np.cumsum([0, *sizes.tolist()])
    found = [Counter(buckets[a:b].tolist()) for a, b in pairwise(ends)]
    assert found == [one - shared for one in counted]


def of(said: list[float], features: list[list[int]], f1: list[float]) -> Lists:
    sizes = [len(row) for row in features]
    buckets = np.array([b for row in features for b in row], np.uint32)
    return Lists(np.array([0, len(said)]), np.array(said), np.cumsum([0, *sizes]), buckets, np.array(f1))


def test_joined() -> None:
    one, other = of([1.0, 2.0], [[3], [4, 5]], [0.5, 1.0]), of([7.0], [[]], [0.25])
    both = joined([one, joined([]), other])
    assert both.ptr.tolist() == [0, 2, 3]
    twice = joined([both, both])
    assert twice.ptr.tolist() == [0, 2, 3, 5, 6]
    assert twice.row_ptr.tolist() == [0, 1, 3, 3, 4, 6, 6]
    assert both.row_ptr.tolist() == [0, 1, 3, 3]
    assert both.buckets.tolist() == [3, 4, 5]
    assert both.said.tolist() == [1.0, 2.0, 7.0]
    assert both.f1.tolist() == [0.5, 1.0, 0.25]


def test_what_tells_the_best_apart_is_learned() -> None:
    """A feature of three sentences' best counts for them, one of fewer does not, and gold decides."""
    lists = [of([0.0, -1.0], [[2], [5]], [0.5, 1.0])] * 3 + [of([0.0, -1.0], [[6], [7]], [1.0, 0.0])]
    weights, trust = fitted(joined(lists), 16, regularizer=0.01)
    assert weights[5] > 0.5 > -0.5 > weights[2]
    assert not weights[[6, 7]].any()
    assert trust > 0.0
    assert weights.shape == (16,)
    weights, trust = fitted(joined([]), 4)
    assert (weights.tolist(), trust) == ([0.0] * 4, 1.0)


def likeness(one: sec.Tree, other: sec.Tree) -> float:
    """F1 of labelled sets of positions, the root aside."""
    a, b = (set(tree.constituents()[1:]) for tree in (one, other))
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


def test_it_ranks(model: sec.Model[LcfrsParts, sec.Tree]) -> None:
    """By expected F1 under probabilities from the weights of features and what the grammar says."""
    ranker = model.parts.ranker
    assert ranker is not None
    parser, plain = (model.parser(f"exact+product{end}") for end in ("+ranked", ""))
    assert isinstance(parser, RankedParser)
    assert isinstance(plain, BlockParser)
    for gold in grown(12):
        found = parser.kbest(gold.words(), 100)
        said = {str(parse): parse.score or 0.0 for parse in reversed(plain.kbest(gold.words(), 100))}
        assert sorted(map(str, found)) == sorted(said)
        told = ranker.features.of(gold.words())
        own = [ranker.weights[told.buckets(told.number(one.tree))].sum() for one in found]
        scores = [float(x) + ranker.trust * said[str(one)] for x, one in zip(own, found, strict=True)]
        chances = [math.exp((score - max(scores)) / EVEN) for score in scores]
        for parse in found:
            alike = [p * likeness(parse.tree, one.tree) for p, one in zip(chances, found, strict=True)]
            assert parse.score == pytest.approx(sum(alike) / sum(chances), abs=1e-4)
        expected = [parse.score or 0.0 for parse in found]
        assert expected == sorted(expected, reverse=True)


def test_the_best_is_the_first(model: sec.Model[LcfrsParts, sec.Tree]) -> None:
    ranker, parser = model.parts.ranker, model.parser("exact+product+ranked")
    assert ranker is not None
    assert isinstance(parser, RankedParser)
    found = [(str(parser(tree)), str(parser.kbest(tree.words(), ranker.among)[0])) for tree in grown(20)]
    assert all(one == first for one, first in found)


def test_expected_f1() -> None:
    """Of a tree that is likelier than both others, which are more like each other; and of those."""
    found = expected_f1([[0, 1], [2, 3], [2, 4], []], np.log([0.4, 0.3, 0.3, 1e-300]))
    assert found.tolist() == pytest.approx([0.4, 0.3 + 0.15, 0.3 + 0.15, 0.0])
    assert expected_f1([[], []], np.zeros(2)).tolist() == [1.0, 1.0]


def test_one_that_trusts_the_grammar_alone(model: sec.Model[LcfrsParts, sec.Tree]) -> None:
    """So much that nothing else is likely."""
    plain = model.parser("exact+product")
    assert isinstance(plain, BlockParser)
    nothing = Ranker(TreeFeatures({}, 4), np.zeros(16, np.float32), 1e6)
    parser = RankedParser(plain.inner, nothing)
    for tree in grown(20):
        assert str(parser(tree)) == str(plain(tree))
    (failed,) = parser.answers([sec.Sentence.from_line("")])
    assert [parse.failed for parse in failed] == [True]


def test_long_sentences_are_ranked_in_pieces(model: sec.Model[LcfrsParts, sec.Tree]) -> None:
    words = [word for tree in grown(4) for word in tree.words()]
    parse = model.parser("exact+product+ranked", limits=sec.Limits(words=10))(words)
    assert parse.degraded
    assert parse.tree.words() == words


def test_it_is_stored(model: sec.Model[LcfrsParts, sec.Tree], tmp_path: Path) -> None:
    model.save(tmp_path / "a")
    again: sec.Model[Any, sec.Tree] = sec.Model.load(tmp_path / "a")
    ours, theirs = model.parts.ranker, again.parts.ranker
    assert ours is not None
    assert (theirs.features, theirs.trust, theirs.among) == (ours.features, ours.trust, ours.among)
    assert np.array_equal(ours.weights, theirs.weights)
    mistrusting = replace(model.parts, ranker=ours.trusting(float("inf")))
    replace(model, parts=mistrusting).save(tmp_path / "b")
    with pytest.raises(sec.InputError, match="damaged"):
        sec.Model.load(tmp_path / "b")
    assert (tmp_path / "b" / RANKER).exists()


def test_several_trees(model: sec.Model[LcfrsParts, sec.Tree]) -> None:
    """What commands show are ranked trees too."""
    parser = model.parser("exact+product+ranked", kbest=3)
    assert isinstance(parser, RankedParser)
    for tree in grown(12):
        ((skipped,), found) = parser.answers([sec.Sentence.from_line(""), sec.Sentence.of(tree.words())])
        ranked = parser.kbest(tree.words(), 3)
        assert [(str(one), one.score) for one in found] == [(str(one), one.score) for one in ranked]
        assert 1 <= len({str(one) for one in found}) == len(found) <= 3
        assert (skipped.failed, skipped.annotation) == (True, DISCONTINUOUS)


def test_heads() -> None:
    """Shares are of all trees, and none is more than one."""
    shares = head_shares(grown(50))
    assert all(0.0 <= share < 1.0 for row in shares.values() for share in row.values())
    assert max(shares["S"].values()) > 0.5
