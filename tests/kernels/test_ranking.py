"""Log-linear rankings against sums that are written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.kernels import ranking
from secateur.search.arrays import Floats

Row = tuple[float, list[int], bool]  # base, columns, whether it is good
COLUMNS = 6


@st.composite
def lists(draw: st.DrawFn) -> list[list[Row]]:
    """Of each decision its choices, of which at least one is good."""
    numbers = st.floats(-3.0, 3.0)
    row = st.tuples(numbers, st.lists(st.integers(1, COLUMNS - 1), max_size=5), st.booleans())
    found = draw(st.lists(st.lists(row, min_size=1, max_size=5), min_size=1, max_size=4))
    return [[(base, columns, good or n == 0) for n, (base, columns, good) in enumerate(one)] for one in found]


def naive_scores(rows: list[Row], theta: Floats) -> list[float]:
    return [float(theta[0]) * base + sum(float(theta[c]) for c in columns) for base, columns, _ in rows]


def naive_loss(every: list[list[Row]], theta: Floats) -> float:
    total = 0.0
    for rows in every:
        scores = naive_scores(rows, theta)
        good = [math.exp(score) for score, (*_, is_good) in zip(scores, rows, strict=True) if is_good]
        total += math.log(sum(map(math.exp, scores))) - math.log(sum(good))
    return total


@given(lists(), st.lists(st.floats(-2.0, 2.0), min_size=COLUMNS, max_size=COLUMNS))
def test_kernels(every: list[list[Row]], weights: list[float]) -> None:
    theta = np.array(weights)
    rows = [row for one in every for row in one]
    base, good = (np.array([row[place] for row in rows]) for place in (0, 2))
    row_ptr = np.cumsum([0, *(len(row[1]) for row in rows)])
    columns = np.array([c for row in rows for c in row[1]], np.uint32)
    ptr = np.cumsum([0, *map(len, every)])
    found = ranking.scores(base, row_ptr, columns, theta)
    assert found.tolist() == pytest.approx(naive_scores(rows, theta), abs=1e-9)
    loss, gradient = ranking.loss_and_gradient(ptr, base, row_ptr, columns, good, theta)
    assert loss == pytest.approx(naive_loss(every, theta), abs=1e-9)
    for place in range(COLUMNS):
        step = np.zeros(COLUMNS)
        step[place] = 1e-5
        slope = (naive_loss(every, theta + step) - naive_loss(every, theta - step)) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-5)


def test_far_apart() -> None:
    """Scores that no exponential holds."""
    ptr, row_ptr, none = np.array([0, 2]), np.zeros(3, np.int64), np.zeros(0, np.uint32)
    base, good = np.array([2000.0, -2000.0]), np.array([False, True])
    loss, gradient = ranking.loss_and_gradient(ptr, base, row_ptr, none, good, np.ones(1))
    assert (loss, gradient.tolist()) == (4000.0, [4000.0])
