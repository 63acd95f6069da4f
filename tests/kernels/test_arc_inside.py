"""Sums over all trees, by arc: against enumeration, and against what must hold at any length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_cases import Case, cases, random_case, total_of
from naive import arcs
from secateur.kernels.arcs import (
    eisner,
    eisner_siblings,
    matrix_tree,
    mst,
)
from secateur.kernels.arcs import (
    inside as arc_inside,
)
from secateur.kernels.arcs import (
    inside_siblings as arc_inside_siblings,
)

Sums = Callable[[Case, np.ndarray], float]
MARGINALS: dict[str, Sums] = {
    "tree": lambda case, out: matrix_tree.tree_marginals(case.score, case.single_root, out),
    "projective": lambda case, out: arc_inside.arc_marginals(case.score, case.single_root, out),
    "siblings": lambda case, out: arc_inside_siblings.sibling_marginals(*case, out),
}
MAX_MARGINALS: dict[str, Sums] = {
    "tree": lambda case, out: mst.tree_max_marginals(case.score, case.single_root, out),
    "projective": lambda case, out: arc_inside.arc_max_marginals(case.score, case.single_root, out),
    "siblings": lambda case, out: arc_inside_siblings.sibling_max_marginals(*case, out),
}
BEST: dict[str, Callable[[Case, np.ndarray], bool]] = {
    "tree": lambda case, heads: mst.best_tree(case.score, case.single_root, heads),
    "projective": lambda case, heads: eisner.best_projective(case.score, case.single_root, heads),
    "siblings": lambda case, heads: eisner_siblings.best_projective_siblings(*case, heads),
}
MODELS = pytest.mark.parametrize("model", list(MARGINALS))


def enumerated(model: str, case: Case) -> tuple[arcs.Listed, np.ndarray]:
    listed = arcs.trees(case.words, model != "tree", case.single_root)
    return listed, arcs.totals(listed, case.score, case.sibling if model == "siblings" else None)


def table_of(case: Case) -> np.ndarray:
    return np.full((case.words + 1, case.words + 1), 99.0)


@MODELS
@given(case=cases(6))
def test_marginals_equal_enumeration(model: str, case: Case) -> None:
    listed, totals = enumerated(model, case)
    out = table_of(case)
    found = MARGINALS[model](case, out)
    assert found == pytest.approx(arcs.log_total(totals), rel=1e-9, abs=1e-9)
    expected = arcs.marginals(listed, totals) if found > -np.inf else np.zeros_like(out)
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-10)


@MODELS
@settings(max_examples=50)
@given(case=cases(5))
def test_max_marginals_equal_enumeration(model: str, case: Case) -> None:
    listed, totals = enumerated(model, case)
    out = table_of(case)
    assert MAX_MARGINALS[model](case, out) == pytest.approx(totals.max(), abs=1e-9)
    np.testing.assert_allclose(out, arcs.max_marginals(listed, totals), atol=1e-9)


@MODELS
@settings(max_examples=25)
@given(
    n=st.integers(7, 25),
    seed=st.integers(0, 1 << 32),
    open_share=st.sampled_from((1.0, 0.5)),
    spread=st.sampled_from((1.0, 100.0, 1e4)),
    single_root=st.booleans(),
)
def test_long_sentences(
    model: str, n: int, seed: int, open_share: float, spread: float, single_root: bool
) -> None:
    case = random_case(n, seed, open_share, spread, single_root)
    shares, tops, heads = table_of(case), table_of(case), np.empty(n + 1, np.int32)
    found = BEST[model](case, heads)
    whole, best = MARGINALS[model](case, shares), MAX_MARGINALS[model](case, tops)
    assert found == (whole > -np.inf) == (best > -np.inf)
    if not found:
        return
    assert best == pytest.approx(total_of(case, heads, second_order=model == "siblings"), rel=1e-9)
    assert whole >= best * (1 - 1e-9) if best > 0 else whole >= best * (1 + 1e-9)
    np.testing.assert_allclose(tops[1:].max(axis=1), best, rtol=1e-9)
    np.testing.assert_array_equal(tops[1:].argmax(axis=1), heads[1:])
    np.testing.assert_allclose(shares[1:].sum(axis=1), 1.0, rtol=1e-8)
    assert shares.min() >= 0.0
    np.testing.assert_array_equal(shares[1:][tops[1:] == -np.inf], 0.0)
    if single_root:
        assert shares[1:, 0].sum() == pytest.approx(1.0, rel=1e-8)


@given(st.integers(2, 20), st.integers(0, 1 << 32), st.booleans())
@settings(max_examples=25)
def test_siblings_that_do_not_matter(n: int, seed: int, single_root: bool) -> None:
    case = random_case(n, seed, 0.8, 3.0, single_root)
    plain, second = table_of(case), table_of(case)
    flat = case._replace(sibling=np.zeros_like(case.sibling))
    for sums in (MARGINALS, MAX_MARGINALS):
        assert sums["siblings"](flat, second) == pytest.approx(sums["projective"](case, plain), rel=1e-9)
        np.testing.assert_allclose(second, plain, rtol=1e-8, atol=1e-12)


@MODELS
def test_scores_of_any_size(model: str) -> None:
    """A constant for each word changes the sum by as much, and no share."""
    case = random_case(6, 5, 1.0, 1.0, True)
    plain, moved = table_of(case), table_of(case)
    before = MARGINALS[model](case, plain)
    after = MARGINALS[model](case._replace(score=case.score + np.float32(4096.0)), moved)
    assert after == pytest.approx(before + 6 * 4096.0, abs=1e-2)
    np.testing.assert_allclose(moved, plain, rtol=1e-2)


@pytest.mark.parametrize("gap", [20.0, 400.0, 1e5])
@pytest.mark.parametrize("single_root", [False, True])
def test_words_that_cling_together(gap: float, single_root: bool) -> None:
    """1 and 2 want each other by far, 3 wants them, and all are far from the root: only one arc gives way."""
    score = np.full((4, 4), -3 * gap, np.float32)
    score[1, 2] = score[2, 1] = 0.0
    score[3, 1] = score[3, 2] = -gap
    score[1, 3] = score[2, 3] = -gap
    listed = arcs.trees(3, False, single_root)
    totals = arcs.totals(listed, score)
    out = np.empty((4, 4))
    assert matrix_tree.tree_marginals(score, single_root, out) == pytest.approx(
        arcs.log_total(totals), rel=1e-12
    )
    np.testing.assert_allclose(out, arcs.marginals(listed, totals), rtol=1e-9, atol=1e-15)


@MODELS
@pytest.mark.parametrize("single_root", [False, True])
def test_no_tree(model: str, single_root: bool) -> None:
    barred = np.full((4, 4), -np.inf, np.float32)
    two_roots = barred.copy()
    two_roots[1, 0] = two_roots[2, 0] = two_roots[3, 2] = 1.0
    cycle = barred.copy()
    cycle[1, 0] = cycle[2, 3] = cycle[3, 2] = 1.0
    for score, some in ((barred, False), (two_roots, not single_root), (cycle, False)):
        case = Case(score, np.zeros((4, 4, 4), np.float32), single_root)
        out = table_of(case)
        assert MARGINALS[model](case, out) == (3.0 if some else -np.inf)
        assert out.sum() == (3.0 if some else 0.0)
        assert MAX_MARGINALS[model](case, out) == (3.0 if some else -np.inf)
        assert (out > -np.inf).sum() == (3 if some else 0)
