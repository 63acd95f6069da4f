"""Trees from scores of arcs, as a user asks for them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from arc_cases import Case, cases
from naive import arcs as naive
from secateur.errors import InputError
from secateur.kinds.arcs import search as arcs

SCORES = [[0, 0, 0], [5, 0, 1], [3, 9, 0]]
WAYS: dict[str, dict[str, Any]] = {
    "tree": {"projective": False},
    "projective": {},
    "siblings": {"siblings": np.zeros((3, 3, 3))},
}
MODELS = pytest.mark.parametrize("way", list(WAYS))


@MODELS
def test_two_words(way: str) -> None:
    """Three trees, if both words may be below the root: 14 (0, 1), 8 (0, 0), 4 (2, 0)."""
    options = WAYS[way]
    assert arcs.best_tree(SCORES, **options) == (0, 1)
    weights = np.exp([14.0, 8.0, 4.0])
    found = arcs.marginals(SCORES, single_root=False, **options)
    assert found is not None
    assert found.log_total == pytest.approx(np.log(weights.sum()))
    assert found.table[1, 0] == pytest.approx(weights[:2].sum() / weights.sum())
    single = arcs.marginals(SCORES, **options)
    assert single is not None
    assert single.log_total == pytest.approx(np.log(weights[0] + weights[2]))
    tops = arcs.max_marginals(SCORES, **options)
    assert tops is not None
    assert (tops.best, tops.table[2, 0], tops.table[1, 0]) == pytest.approx((14.0, 4.0, 14.0))
    np.testing.assert_allclose(arcs.margins(SCORES, **options), [10.0, 10.0])
    np.testing.assert_allclose(arcs.margins(SCORES, single_root=False, **options), [10.0, 6.0])


@settings(max_examples=40)
@given(cases(5))
def test_equal_enumeration(case: Case) -> None:
    sibling = np.nan_to_num(case.sibling, nan=0.0, neginf=-np.inf)
    for projective, siblings in ((False, None), (True, None), (True, sibling)):
        options = {"projective": projective, "siblings": siblings, "single_root": case.single_root}
        listed = naive.trees(case.words, projective, case.single_root)
        totals = naive.totals(listed, case.score, siblings)
        best, heads = naive.best(listed, totals)
        found, tops = arcs.marginals(case.score, **options), arcs.max_marginals(case.score, **options)
        margin = arcs.margins(case.score, **options)
        assert arcs.best_tree(case.score, **options) == heads
        if heads is None:
            assert (found, tops, margin) == (None, None, None)
            continue
        assert found is not None
        assert tops is not None
        assert (found.log_total, tops.best) == pytest.approx(
            (naive.log_total(totals), best), rel=1e-9, abs=1e-9
        )
        np.testing.assert_allclose(found.table, naive.marginals(listed, totals), rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(tops.table, naive.max_marginals(listed, totals), atol=1e-9)
        np.testing.assert_allclose(margin, naive.margins(listed, totals), atol=1e-9)


@MODELS
def test_a_word_with_one_head(way: str) -> None:
    scores = [[0, 0, 0], [-np.inf, 0, 1], [3, 9, 0]]
    assert arcs.best_tree(scores, **WAYS[way]) == (2, 0)
    margin = arcs.margins(scores, **WAYS[way])
    assert margin is not None
    assert margin.tolist() == [np.inf, np.inf]


@MODELS
def test_what_is_given_stays_as_it_is(way: str) -> None:
    scores = np.array(SCORES, np.float32)
    for ask in (arcs.best_tree, arcs.marginals, arcs.max_marginals, arcs.margins):
        ask(scores, **WAYS[way])
    np.testing.assert_array_equal(scores, SCORES)


def test_what_is_never_read_may_be_anything() -> None:
    scores = np.array(SCORES, float)
    scores[0] = np.nan
    np.fill_diagonal(scores, np.inf)
    assert arcs.best_tree(scores) == (0, 1)


@pytest.mark.parametrize("ask", [arcs.best_tree, arcs.marginals, arcs.max_marginals, arcs.margins])
@pytest.mark.parametrize(
    ("scores", "siblings", "message"),
    [
        ([[0.0]], None, r"shape \(1, 1\)"),
        (3.0, None, r"shape \(\)"),
        ([], None, r"shape \(0,\)"),
        (np.zeros((3, 4)), None, r"shape \(3, 4\)"),
        ([[0, 0], [1]], None, "no array of numbers"),
        ([[0, 0], ["a", 0]], None, "no array of numbers"),
        ([[0, 0], [np.nan, 0]], None, r"scores\[1, 0\] is nan"),
        ([[0, 0], [np.inf, 0]], None, r"scores\[1, 0\] is inf"),
        ([[0, 0], [1e300, 0]], None, r"scores\[1, 0\] is inf"),
        (SCORES, np.zeros((3, 3)), r"shape \(3, 3\); give \(3, 3, 3\)"),
        (SCORES, np.full((3, 3, 3), np.nan), r"siblings\[0, 0, 0\] is nan"),
    ],
)
def test_wrong_input(ask: Any, scores: Any, siblings: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask(scores, siblings=siblings)


def test_siblings_need_projective_trees() -> None:
    with pytest.raises(InputError, match="need projective trees"):
        arcs.best_tree(SCORES, siblings=np.zeros((3, 3, 3)), projective=False)


def test_importing_is_cheap() -> None:
    script = "import sys, secateur.kinds.arcs.search; print('numba' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
