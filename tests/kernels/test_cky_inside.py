"""Inside and outside at length, and the bracketing of maximum recall."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.cky import cell_of
from naive.inside import log_inside
from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky.rules import Anchors
from secateur.kinds.pcfg.parser import Parser
from secateur.models.limits import Limits

GRAMMAR = """
    S -> NP VP 0.7 | S CS 0.3
    CS -> C S 1.0
    NP -> D N 0.6 | NP PP 0.2 | N 0.2
    VP -> V NP 0.5 | VP PP 0.2 | V 0.3
    PP -> P NP 1.0
    D -> 'the' 0.99 | 'saw' 0.01
    N -> 'hill' 0.0001 | 'birds' 0.5 | 'saw' 0.4999
    V -> 'saw' 0.9 | 'birds' 0.1
    P -> 'with' 0.9 | 'saw' 0.1
    C -> 'and' 1.0
"""
CLAUSE = ["birds", "saw", "the", "hill", "with", "birds", "and"]


@pytest.mark.parametrize("n", [3, 37, 206, 250])
def test_log_total_of_long_sentences(n: int) -> None:
    """Scores stay finite at any length, and equal those of a twin in log space."""
    grammar = PCFG.from_text(GRAMMAR)
    words = (CLAUSE * n)[: n // 7 * 7 + 2]
    found = Parser(grammar, limits=Limits(words=400)).marginals(words)
    assert found is not None
    expected = log_inside(grammar, grammar.lexicon.encode(words))
    assert np.isfinite(found.log_total)
    assert found.log_total == pytest.approx(expected, rel=1e-9)
    assert found.table.min() >= 0.0
    assert found.table.max() <= 1.0 + 1e-9
    cells = [cell_of(i, i + 1) for i in range(len(words))]
    np.testing.assert_allclose(found.table[cells, :-1][:, found.tags].sum(axis=1), 1.0, rtol=1e-9)
    assert found["S", 0, len(words)] == pytest.approx(1.0)


@pytest.mark.parametrize("rule", ["S A", "A S"])
@pytest.mark.parametrize("probability", [1e-2, 1e-4, 1e-9])
def test_log_total_of_deep_trees(rule: str, probability: float) -> None:
    """Unlikely rules at every level of a tree that branches one way only."""
    grammar = PCFG.from_text(f"S -> {rule} {probability:.9f} | 'w' 0.5 \n A -> 'w' 0.5")
    words = ["w"] * 250
    found = Parser(grammar).marginals(words)
    assert found is not None
    assert found.log_total == pytest.approx(250 * np.log(0.5) + 249 * np.log(probability), rel=1e-9)
    assert found.table.sum() == pytest.approx(499.0)


@pytest.mark.parametrize("score", [-400.0, -50.0, 50.0, 300.0])
def test_log_total_with_large_anchors(score: float) -> None:
    grammar = PCFG.from_text("S -> A A 0.5 | S A 0.5 \n A -> 'w' 1.0")
    n, labels = 100, len(grammar.symbols)
    anchors = Anchors(
        np.full((n * (n + 1) // 2, labels), score, np.float32), np.full((n, labels), 7 * score, np.float32)
    )
    found = Parser(grammar).marginals(["w"] * n, anchors=anchors)
    assert found is not None
    assert found.log_total == pytest.approx((n - 1) * (score + np.log(0.5)) + n * 7 * score, rel=1e-9)
    assert found.table.sum() == pytest.approx(2 * n - 1)


def test_anchors_too_large_are_refused() -> None:
    grammar = PCFG.from_text("S -> A A 0.5 | S A 0.5 \n A -> 'w' 1.0")
    span = np.full((6, len(grammar.symbols)), -2000.0, np.float32)
    with pytest.raises(InputError, match="too far apart"):
        Parser(grammar).marginals(["w"] * 3, anchors=Anchors(span, np.zeros((0, 0), np.float32)))


def test_what_is_likely_but_in_no_parse() -> None:
    """B is far likelier than A over any words, beyond what a number holds, but no parse has a B."""
    grammar = PCFG.from_text(
        """
        S -> A END 1.0
        A -> A A 0.5 | 'w' 0.000000001
        B -> B B 0.5 | 'w' 0.5
        END -> 'z' 1.0
        """
    )
    found = Parser(grammar).marginals([*["w"] * 100, "z"])
    assert found is not None
    assert found["A", 0, 100] == pytest.approx(1.0)
    assert found["B", 0, 100] == 0.0
    assert found.table.sum() == pytest.approx(201.0)


def best_gain(gain: np.ndarray, i: int, k: int) -> float:
    """By trying every bracketing: each split, and each bracketing of either side."""

    @cache
    def totals(i: int, k: int) -> list[float]:
        if k == i + 1:
            return [float(gain[cell_of(i, k)])]
        return [
            gain[cell_of(i, k)] + left + right
            for j in range(i + 1, k)
            for left in totals(i, j)
            for right in totals(j, k)
        ]

    return max(totals(i, k))


def total_gain(gain: np.ndarray, split: np.ndarray, i: int, k: int) -> float:
    here = float(gain[cell_of(i, k)])
    if k == i + 1:
        return here
    j = int(split[cell_of(i, k)])
    assert i < j < k
    return here + total_gain(gain, split, i, j) + total_gain(gain, split, j, k)


@settings(max_examples=60)
@given(st.integers(1, 8), st.integers(0, 1 << 32), st.booleans())
def test_best_recall(n: int, seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    cells = n * (n + 1) // 2
    gain = rng.integers(0, 3, cells) / 2 if ties else rng.random(cells)
    split = cky_inside.best_recall(gain)
    for i, k in combinations(range(n + 1), 2):
        assert total_gain(gain, split, i, k) == pytest.approx(best_gain(gain, i, k))


def test_best_recall_takes_the_smaller_split_on_ties() -> None:
    assert cky_inside.best_recall(np.zeros(10)).tolist() == [0, 1, 0, 1, 2, 0, 1, 2, 3, 0]
