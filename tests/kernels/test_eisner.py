"""Eisner's algorithm, with and without siblings, against every projective tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_cases import Case, allows, cases, random_case, total_of
from naive import arcs
from secateur.kernels.arcs import eisner
from secateur.kernels.arcs.eisner_siblings import best_projective_siblings


def first_order(case: Case) -> np.ndarray | None:
    heads = np.full(case.words + 1, 99, np.int32)
    return heads if eisner.best_projective(case.score, case.single_root, heads) else None


def second_order(case: Case) -> np.ndarray | None:
    heads = np.full(case.words + 1, 99, np.int32)
    return heads if best_projective_siblings(case.score, case.sibling, case.single_root, heads) else None


Find = Callable[[Case], np.ndarray | None]
ORDERS = pytest.mark.parametrize("find", [first_order, second_order])


@given(cases(6))
def test_equals_enumeration(case: Case) -> None:
    listed = arcs.trees(case.words, True, case.single_root)
    for find, sibling in ((first_order, None), (second_order, case.sibling)):
        _, expected = arcs.best(listed, arcs.totals(listed, case.score, sibling))
        heads = find(case)
        assert (None if heads is None else tuple(heads[1:].tolist())) == expected


@given(st.integers(1, 5), st.integers(0, 1 << 32), st.booleans())
def test_ties(n: int, seed: int, single_root: bool) -> None:
    """Of many equal trees one is found, the same each time."""
    rng = np.random.default_rng(seed)
    score, sibling = (rng.integers(0, 3, (n + 1,) * axes).astype(np.float32) for axes in (2, 3))
    case = Case(score, sibling, single_root)
    listed = arcs.trees(n, True, single_root)
    for find, sibling in ((first_order, None), (second_order, case.sibling)):
        heads = find(case)
        assert heads is not None
        assert allows(case, heads)
        best, _ = arcs.best(listed, arcs.totals(listed, score, sibling))
        assert total_of(case, heads, second_order=sibling is not None) == best
        np.testing.assert_array_equal(heads, find(case))


@ORDERS
def test_ties_as_documented(find: Find) -> None:
    """The leftmost word below the root, and from each head the nearest modifier last: a chain."""
    even = Case(np.zeros((5, 5), np.float32), np.zeros((5, 5, 5), np.float32), True)
    heads = find(even)
    assert heads is not None
    assert heads.tolist() == [-1, 0, 1, 2, 3]


@given(st.integers(7, 40), st.integers(0, 1 << 32), st.booleans(), st.sampled_from((1.0, 0.4)))
def test_long_sentences(n: int, seed: int, single_root: bool, open_share: float) -> None:
    case = random_case(n, seed, open_share, 3.0, single_root)
    for find in (first_order, second_order):
        heads = find(case)
        if heads is not None:
            assert allows(case, heads)
            assert arcs.is_projective(tuple(heads[1:].tolist()))
    flat = second_order(case._replace(sibling=np.zeros_like(case.sibling)))
    np.testing.assert_array_equal(first_order(case), flat)


@ORDERS
@pytest.mark.parametrize("single_root", [False, True])
def test_no_tree(find: Find, single_root: bool) -> None:
    barred = np.full((5, 5), -np.inf, np.float32)
    case = Case(barred, np.zeros((5, 5, 5), np.float32), single_root)
    assert find(case) is None
    # 0 -> 2, 2 -> 4, 4 -> 1, 1 -> 3 is a tree whose arcs cross.
    barred[2, 0] = barred[4, 2] = barred[1, 4] = barred[3, 1] = 0.0
    assert find(case) is None
    barred[1, 0] = barred[3, 2] = 0.0
    heads = find(case)
    assert (None if heads is None else heads.tolist()) == (None if single_root else [-1, 0, 0, 2, 2])
