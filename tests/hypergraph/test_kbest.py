"""The k best derivations against enumeration, and against the k best of every node."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_cases import built, catalan, listed
from naive.hypergraph import Listed
from secateur.errors import InputError
from secateur.hypergraph import Builder, Derivation, derivation
from secateur.hypergraph.semiring import Semiring


@settings(max_examples=200)
@given(listed(many=300), st.integers(1, 30))
def test_the_k_best_of_all_in_order(graph: Listed, k: int) -> None:
    forest = built(graph)
    found = forest.kbest(k)
    every = [Derivation(*one) for one in graph.derivations(graph.goal)]
    assert len(found) == min(k, len(every)) == len(set(found))
    assert [d.value for d in found] == sorted((d.value for d in every), reverse=True)[:k]
    assert set(found) <= set(every)
    assert found[:1] == [best for best in (forest.viterbi(),) if best is not None]
    assert found == [Derivation(*one) for one in graph.kbest(k)]


def test_ten_thousand_of_very_many() -> None:
    graph = catalan(30)
    forest = graph.weigh(np.random.default_rng(2).normal(-1.0, 1.0, len(graph)).round(2))
    found = forest.kbest(10_000)
    values = np.array([d.value for d in found])
    assert len({d.hyperedges for d in found}) == 10_000
    assert np.all(values[1:] <= values[:-1])
    assert found[:100] == forest.kbest(100)
    assert len(catalan(8).weigh(np.zeros(8 + 84)).kbest(10**9)) == 429  # all there are


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2", None])
def test_k_must_be_a_number(k: Any) -> None:
    with pytest.raises(InputError, match="best derivations were asked for; k is a whole number from 1 on"):
        catalan(3).weigh(np.zeros(7)).kbest(k)


def test_none_and_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = catalan(3)
    assert graph.weigh(np.full(len(graph), -math.inf)).kbest(3) == []
    builder = Builder()
    builder.add(0)
    for level in range(40):
        builder.add(level + 1, [level, level])
    monkeypatch.setattr(derivation, "MAX_STEPS", 10**5)
    with pytest.raises(InputError, match="more than 100000 hyperedges"):
        builder.build(40).weigh(np.zeros(41)).kbest(2)


def test_deep_derivations_need_no_deep_stack() -> None:
    """A chain of 50,000 choices between two."""
    builder = Builder()
    builder.add(0)
    for level in range(50_000):
        builder.add(level + 1, [level])
        builder.add(level + 1, [level])
    weights = np.zeros(100_001)
    weights[2::2] = -1.0
    weights[2] = -0.5
    forest = builder.build(50_000).weigh(weights)
    found = forest.kbest(3)
    assert [d.value for d in found] == [0.0, -0.5, -1.0]
    assert found[1].hyperedges[-2:] == (2, 0)
    assert found[2].hyperedges[:2] == (99_999, 99_997)
    assert forest.inside(Semiring.COUNT)[-1] == math.inf
