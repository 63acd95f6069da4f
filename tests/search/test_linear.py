"""The regression against scikit-learn's, and the minimizer against a known minimum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from secateur.search.core import Rows
from secateur.search.linear import Matrix, logistic_regression, minimize


def matrix_of(rows: np.ndarray, dim: int) -> Matrix:
    """With weights for all features that occur."""
    return Matrix.build(Rows(rows), np.bincount(rows.ravel(), minlength=dim) > 0)


def test_minimize_finds_the_minimum_of_a_quadratic() -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((12, 12))
    hessian = root @ root.T + np.eye(12)
    wanted = rng.standard_normal(12)

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        off = theta - wanted
        return float(off @ hessian @ off) / 2 + 1.0, hessian @ off

    found = minimize(objective, np.zeros(12), iterations=200, tolerance=1e-15)
    assert np.allclose(found, wanted, atol=1e-5)


def test_regression_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 64, (300, 5)).astype(np.uint32)
    advantage = rng.standard_normal(300)
    regularizer = 0.01
    weights = logistic_regression(
        matrix_of(rows, 64), advantage, regularizer=regularizer, iterations=1000, tolerance=1e-14
    )
    dense = np.zeros((300, 64))
    np.add.at(dense, (np.arange(300)[:, None], rows), 1.0)
    share = np.abs(advantage) / np.abs(advantage).sum()
    twin = LogisticRegression(C=1 / regularizer, fit_intercept=False, tol=1e-10, max_iter=10_000)
    twin.fit(csr_matrix(dense), advantage > 0, sample_weight=share)
    assert np.allclose(weights, twin.coef_[0], atol=1e-4)


def test_only_features_that_occur_get_weights() -> None:
    rows = np.array([[1, 5], [5, 7]], np.uint32)
    weights = logistic_regression(matrix_of(rows, 16), np.array([1.0, -1.0]), regularizer=0.1)
    assert set(np.flatnonzero(weights)) <= {1, 5, 7}
    assert weights[1] > 0 > weights[7]


def test_nothing_to_learn_leaves_the_policy_alone() -> None:
    start = np.arange(8, dtype=np.float32)
    matrix = matrix_of(np.array([[1], [2]], np.uint32), 8)
    assert logistic_regression(matrix, np.zeros(2), regularizer=0.1, start=start) is start


@pytest.mark.parametrize("regularizer", [1e-4, 1.0])
def test_two_features_in_one_bucket_add_up(regularizer: float) -> None:
    once = matrix_of(np.array([[3, 4], [5, 6]], np.uint32), 8)
    twice = matrix_of(np.array([[3, 3], [5, 6]], np.uint32), 8)
    assert once.columns.shape == twice.columns.shape == (2, 2)
    advantage = np.array([1.0, -1.0])
    apart = logistic_regression(once, advantage, regularizer=regularizer, tolerance=1e-12)
    together = logistic_regression(twice, advantage, regularizer=regularizer, tolerance=1e-12)
    # One weight that counts twice reaches further than two that count once.
    assert 2 * together[3] > apart[3] + apart[4] > 0


def test_features_can_be_left_out() -> None:
    rows = np.array([[1, 5], [5, 7], [5, 7]], np.uint32)
    matrix = Matrix.build(Rows(rows), np.bincount(rows.ravel(), minlength=16) >= 2)
    assert matrix.active.tolist() == [5, 7]
    weights = logistic_regression(matrix, np.array([1.0, -1.0, -1.0]), regularizer=0.1)
    assert set(np.flatnonzero(weights)) == {5, 7}
    assert np.array_equal(matrix.spread(matrix.gather(weights)), weights)
