"""Several weightings in one pass against one pass each; amounts against enumeration."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_cases import built, catalan, cyclic, from_arrays, listed
from naive.hypergraph import Listed
from secateur.errors import InputError
from secateur.hypergraph import Hypergraph, Weighted


def columns(forest: Weighted, wide: int, seed: int) -> np.ndarray:
    """The weights as they are, and others below them, some of them -inf."""
    rng = np.random.default_rng(seed)
    found = forest.weights[:, None] - rng.gamma(1.0, size=(len(forest.weights), wide))
    found[rng.random(found.shape) < 0.1] = -math.inf
    found[:, :1] = forest.weights[:, None]
    return found


@settings(max_examples=100)
@given(
    st.one_of(
        listed(many=1e6).map(built),
        cyclic(weights="subcritical").map(from_arrays),
    ),
    st.integers(0, 4),
    st.integers(0, 1 << 32),
)
def test_every_column_is_a_weighting_of_its_own(forest: Weighted, wide: int, seed: int) -> None:
    weights = columns(forest, wide, seed)
    several = forest.graph.weigh_several(weights)
    inside, posterior = several.inside(), several.posterior()
    assert inside.shape == posterior.nodes.shape == (len(forest.graph.names), wide)
    for q in range(wide):
        one = forest.graph.weigh(weights[:, q])
        np.testing.assert_allclose(inside[:, q], one.inside(), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(posterior.nodes[:, q], one.posterior().nodes, rtol=1e-9)
        np.testing.assert_allclose(posterior.hyperedges[:, q], one.posterior().hyperedges, rtol=1e-9)


@settings(max_examples=100)
@given(listed(many=300), st.integers(0, 1 << 32))
def test_expected_amounts_are_those_of_all_derivations(graph: Listed, seed: int) -> None:
    amounts = np.random.default_rng(seed).normal(size=(len(graph.hyperedges), 3))
    expected = np.zeros((graph.nodes, 3))
    for node in range(graph.nodes):
        derivations = graph.derivations(node)
        total = math.fsum(math.exp(weight) for weight, _ in derivations)
        for weight, steps in derivations:
            expected[node] += math.exp(weight) / total * amounts[list(steps)].sum(axis=0)
    forest = built(graph)
    np.testing.assert_allclose(forest.expectations(amounts), expected, rtol=1e-8, atol=1e-10)
    # The goal's are those that the marginals tell.
    np.testing.assert_allclose(forest.marginals() @ amounts, expected[graph.goal], rtol=1e-8, atol=1e-10)


def test_wrong_shapes_and_weights_are_refused() -> None:
    graph = catalan(3)
    with pytest.raises(InputError, match=r"shape \(7,\) for 7 hyperedges; give one row for each"):
        graph.weigh_several(np.zeros(7))
    with pytest.raises(InputError, match="hyperedge 4 weighs nan"):
        graph.weigh_several(np.where(np.arange(14).reshape(7, 2) == 9, np.nan, 0.0))
    forest = graph.weigh(np.zeros(7))
    with pytest.raises(InputError, match=r"amounts of shape \(7,\) for 7 hyperedges"):
        forest.expectations(np.zeros(7))
    with pytest.raises(InputError, match="hyperedge 2 has an amount that is not finite"):
        forest.expectations(np.where(np.arange(7)[:, None] == 2, np.inf, 0.0))
    assert forest.expectations(np.zeros((7, 0))).shape == (6, 0)


def test_one_column_that_diverges_is_named() -> None:
    graph = Hypergraph.from_arrays(0, [0, 0], [0, 0, 1], [0])
    with pytest.raises(InputError, match="the cycles through node 0 diverges"):
        graph.weigh_several([[-1.0, -1.0], [-1.0, 0.0]]).inside()


def test_a_copy_is_read_only_too() -> None:
    graph = catalan(3)
    several = copy.deepcopy(graph.weigh_several(np.zeros((7, 2))))
    with pytest.raises(ValueError, match="read-only"):
        several.weights[0, 0] = 1.0
    assert several.inside()[-1].tolist() == pytest.approx([math.log(2.0)] * 2)
