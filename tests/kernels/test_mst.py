"""Chu-Liu-Edmonds against every tree, and against what must hold at any length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_cases import Case, allows, cases, random_case, total_of
from naive import arcs
from secateur.kernels.arcs import eisner, mst


def best_heads(case: Case) -> np.ndarray | None:
    heads = np.full(case.words + 1, 99, np.int32)
    return heads if mst.best_tree(case.score, case.single_root, heads) else None


@given(cases(6))
def test_equals_enumeration(case: Case) -> None:
    listed = arcs.trees(case.words, False, case.single_root)
    _, expected = arcs.best(listed, arcs.totals(listed, case.score))
    heads = best_heads(case)
    assert (None if heads is None else tuple(heads[1:].tolist())) == expected


@settings(max_examples=50)
@given(cases(5))
def test_margins_and_max_marginals_equal_enumeration(case: Case) -> None:
    n = case.words
    listed = arcs.trees(n, False, case.single_root)
    totals = arcs.totals(listed, case.score)
    best, expected = arcs.best(listed, totals)
    heads, margin, table = np.empty(n + 1, np.int32), np.empty(n + 1), np.empty((n + 1, n + 1))
    assert mst.tree_margins(case.score, case.single_root, heads, margin) == (expected is not None)
    assert mst.tree_max_marginals(case.score, case.single_root, table) == pytest.approx(best, abs=1e-9)
    np.testing.assert_allclose(table, arcs.max_marginals(listed, totals), atol=1e-9)
    if expected is not None:
        assert tuple(heads[1:].tolist()) == expected
        np.testing.assert_allclose(margin[1:], arcs.margins(listed, totals), atol=1e-9)


@given(st.integers(1, 5), st.integers(0, 1 << 32), st.booleans())
def test_ties(n: int, seed: int, single_root: bool) -> None:
    """Of many equal trees one is found, the same each time."""
    score = np.random.default_rng(seed).integers(0, 3, (n + 1, n + 1)).astype(np.float32)
    case = Case(score, np.zeros(0, np.float32), single_root)
    listed = arcs.trees(n, False, single_root)
    heads = best_heads(case)
    assert heads is not None
    assert allows(case, heads)
    assert total_of(case, heads) == arcs.best(listed, arcs.totals(listed, score))[0]
    np.testing.assert_array_equal(heads, best_heads(case))


def test_without_preference_words_take_the_smallest_head() -> None:
    heads = np.empty(5, np.int32)
    assert mst.best_tree(np.zeros((5, 5), np.float32), False, heads)
    assert heads.tolist() == [-1, 0, 0, 0, 0]


@given(st.integers(7, 60), st.integers(0, 1 << 32), st.booleans(), st.sampled_from((1.0, 0.3)))
def test_long_sentences(n: int, seed: int, single_root: bool, open_share: float) -> None:
    case = random_case(n, seed, open_share, 3.0, single_root)
    heads, free = best_heads(case), best_heads(case._replace(single_root=False))
    projective = np.empty(n + 1, np.int32)
    found = eisner.best_projective(case.score, single_root, projective)
    assert heads is not None or not found
    if heads is not None and free is not None:
        assert allows(case, heads)
        assert total_of(case, free) >= total_of(case, heads)
        assert not found or total_of(case, heads) >= total_of(case, projective)


@pytest.mark.parametrize("price", [2.0, 1e4, 1e30])
def test_a_single_root_at_any_price(price: float) -> None:
    """Every word but one gives up the root, however much that costs, and what remains is still the best."""
    score = np.array([[1, 0.5, 0.25, 0.125]] * 4, np.float32)
    score[2, 1] = 2.0
    score[1:, 0] += np.float32(price)
    heads = np.empty(4, np.int32)
    assert mst.best_tree(score, False, heads)
    assert heads.tolist() == [-1, 0, 0, 0]
    assert mst.best_tree(score, True, heads)
    assert heads.tolist() == [-1, 0, 1, 1]


@pytest.mark.parametrize("single_root", [False, True])
def test_no_tree(single_root: bool) -> None:
    heads = np.empty(4, np.int32)
    barred = np.full((4, 4), -np.inf, np.float32)
    assert not mst.best_tree(barred, single_root, heads)
    cycle = barred.copy()
    cycle[1, 0] = cycle[2, 3] = cycle[3, 2] = 0.0
    assert not mst.best_tree(cycle, single_root, heads)
    two_roots = barred.copy()
    two_roots[1, 0] = two_roots[2, 0] = two_roots[3, 1] = 0.0
    assert mst.best_tree(two_roots, single_root, heads) == (not single_root)


def test_cycles_within_cycles() -> None:
    """1 and 2 want each other, 3 wants 2, and the three are best as a ring; 4 is their only way out."""
    score = np.full((5, 5), -50.0, np.float32)
    score[1, 2] = score[2, 1] = 10.0
    score[1, 3] = score[3, 2] = 9.0
    score[4, 3], score[3, 4], score[4, 0] = 8.0, 1.0, -20.0
    heads = np.empty(5, np.int32)
    assert mst.best_tree(score, True, heads)
    listed = arcs.trees(4, False, True)
    assert tuple(heads[1:].tolist()) == arcs.best(listed, arcs.totals(listed, score))[1]
