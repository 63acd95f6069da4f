"""The regressions against scikit-learn's and plain ones, and the minimizer against a known minimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from naive import ranking as naive
from secateur.kernels import logistic
from secateur.search.core import Rows
from secateur.search.linear import (
    Logistic,
    Matrix,
    Softmax,
    dense,
    logistic_regression,
    minimize,
    over_others,
    sparse,
    stakes,
)
from secateur.search.svm import Svm


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


def valued(rng: np.random.Generator, count: int, width: int = 3, dim: int = 12) -> Rows:
    return Rows(
        rng.integers(0, dim, (count, width)).astype(np.uint32),
        rng.normal(size=(count, width)).astype(np.float32),
    )


def dense_of(rows: Rows, dim: int) -> np.ndarray:
    found = np.zeros((len(rows), dim))
    values = rows.value if rows.value.size else np.ones(rows.bucket.shape)
    np.add.at(found, (np.arange(len(rows))[:, None], rows.bucket), values)
    return found


def whole(rows: Rows, dim: int) -> Matrix:
    """Every feature may get a weight."""
    return Matrix.build(rows, np.ones(dim, bool))


def test_regression_with_values_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(7)
    rows, advantage = valued(rng, 200), rng.standard_normal(200)
    weights = logistic_regression(
        whole(rows, 12), advantage, regularizer=0.02, iterations=1000, tolerance=1e-14
    )
    twin = LogisticRegression(C=50.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    twin.fit(dense_of(rows, 12), advantage > 0, sample_weight=np.abs(advantage) / np.abs(advantage).sum())
    assert np.allclose(weights, twin.coef_[0], atol=1e-4)


@pytest.mark.parametrize("fit", [Logistic(0.01), Softmax(0.01), Svm(0.1)], ids=lambda fit: type(fit).__name__)
def test_values_of_one_are_as_none(fit: Any) -> None:
    rng = np.random.default_rng(2)
    bare = Rows(rng.integers(0, 12, (60, 3)).astype(np.uint32))
    ones = Rows(bare.bucket, np.ones((60, 3), np.float32))
    ptr = np.arange(0, 61, 3)
    advantage = np.where(np.arange(60) % 3 == 0, 0.0, rng.standard_normal(60))
    found = [fit(whole(rows, 12), ptr, advantage, None) for rows in (bare, ones)]
    assert np.array_equal(*found)
    assert np.any(found[0])


def rankings(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Bounds and advantages of decisions: of one candidate, with equals, with nothing at stake."""
    sizes = rng.integers(1, 5, 25)
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    advantage = rng.integers(-2, 3, ptr[-1]) / 2.0
    advantage[ptr[:-1][sizes > 1]] = 0.0  # over the first choice
    return ptr, advantage


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("with_values", [False, True])
def test_the_ranking_loss_is_the_plain_one_and_its_gradient_the_slope(seed: int, with_values: bool) -> None:
    rng = np.random.default_rng(seed)
    ptr, advantage = rankings(rng)
    rows = valued(rng, len(advantage))
    rows = rows if with_values else Rows(rows.bucket)
    weight, best = stakes(ptr, advantage)
    theta = np.concatenate(([0.0], rng.standard_normal(12)))
    matrix = whole(rows, 12)
    loss, gradient = logistic.ranking_loss_and_gradient(
        matrix.columns, matrix.values, ptr, weight / weight.sum(), best, theta
    )

    def plain(own: np.ndarray) -> float:
        return naive.objective(dense_of(rows, 12), ptr.tolist(), advantage.tolist(), own, 0.0)

    assert loss == pytest.approx(plain(theta[1:]), rel=1e-12)
    np.testing.assert_allclose(gradient[1:], naive.slopes(plain, theta[1:]), atol=1e-8)
    assert gradient[0] == 0.0


def test_softmax_finds_the_minimum() -> None:
    rng = np.random.default_rng(5)
    ptr, advantage = rankings(rng)
    rows = valued(rng, len(advantage))

    def plain(own: np.ndarray) -> float:
        return naive.objective(dense_of(rows, 12), ptr.tolist(), advantage.tolist(), own, 0.05)

    fit = Softmax(0.05, iterations=500, tolerance=1e-15)
    found = fit(whole(rows, 12), ptr, advantage, None).astype(float)
    np.testing.assert_allclose(naive.slopes(plain, found), 0.0, atol=1e-5)


def test_for_single_candidates_softmax_is_logistic_regression() -> None:
    rng = np.random.default_rng(6)
    rows, advantage = valued(rng, 80), rng.standard_normal(80)
    found = [
        fit(0.02, iterations=500, tolerance=1e-14)(whole(rows, 12), np.arange(81), advantage, None)
        for fit in (Logistic, Softmax)
    ]
    np.testing.assert_allclose(*found, atol=1e-4)


def test_a_ranking_that_no_threshold_can_learn() -> None:
    # The better one of two is the one with more of feature 0, wherever they stand.
    rows = Rows(np.zeros((6, 1), np.uint32), np.array([[1], [2], [5], [6], [-3], [-2]], np.float32))
    weights = Softmax(1e-4)(whole(rows, 2), np.array([0, 2, 4, 6]), np.array([0.0, 1, 0, 1, 0, 1]), None)
    scores = rows.scores(weights)
    assert (scores[1::2] > scores[::2]).all()


def test_what_is_at_stake() -> None:
    ptr = np.array([0, 3, 4, 5, 6, 8])
    advantage = np.array([0.0, 2.0, 1.0, 3.0, -2.0, 0.0, 0.0, 0.0])
    weight, best = stakes(ptr, advantage)
    assert weight.tolist() == [1.5, 3.0, 2.0, 0.0, 0.0]
    assert best.tolist() == [False, True, False, True, False, True, True, True]
    assert over_others(ptr, advantage).tolist() == [-2.0, 1.0, -1.0, 3.0, -2.0, 0.0, 0.0, 0.0]
    assert [part.tolist() for part in stakes(np.zeros(1, np.int64), np.zeros(0))] == [[], []]


@pytest.mark.parametrize("fit", [Logistic(), Softmax(), Svm()], ids=lambda fit: type(fit).__name__)
def test_without_stakes_the_weights_stay(fit: Any) -> None:
    rows, ptr = valued(np.random.default_rng(0), 4), np.array([0, 2, 4])
    start = np.arange(12, dtype=np.float32)
    assert fit(whole(rows, 12), ptr, np.zeros(4), start) is start
    assert not fit(whole(rows, 12), ptr, np.zeros(4), None).any()


def test_the_machine_weighs_errors_by_what_they_cost() -> None:
    # Three small reasons to take, one large one not to.
    rows = Rows(np.zeros((4, 1), np.uint32))
    advantage = np.array([1.0, 1.0, 1.0, -5.0])
    assert Svm(1.0)(whole(rows, 1), np.arange(5), advantage, None)[0] < 0
    assert Svm(1.0)(whole(rows, 1), np.arange(5), np.sign(advantage), None)[0] > 0
    costs = {False: 4.0, True: 1.0}
    twin = LinearSVC(C=0.3, class_weight=costs, fit_intercept=False, tol=0.1, random_state=0)
    rng = np.random.default_rng(3)
    rows, taken = valued(rng, 50), rng.random(50) < 0.5
    twin.fit(dense_of(rows, 12), taken)
    found = Svm(0.3)(whole(rows, 12), np.arange(51), np.where(taken, 1.0, -4.0), None)
    np.testing.assert_allclose(found, twin.coef_[0], atol=1e-5)


def test_labels_of_one_kind_alone() -> None:
    rows = Rows(np.array([[1, 3], [3, 4]], np.uint32))
    matrix = Matrix.build(rows, np.array([False, True, False, True, False, False]))
    assert Svm()(matrix, np.arange(3), np.ones(2), None).tolist() == [0, 1, 0, 1, 0, 0]
    assert Svm()(matrix, np.arange(3), -np.ones(2), None).tolist() == [0, -1, 0, -1, 0, 0]


def test_sparse_weights_come_back() -> None:
    weights = np.zeros(1000, np.float32)
    weights[[3, 7, 999]] = 0.1, -2.5, 1e-30
    assert dense(sparse(weights), 1000).tobytes() == weights.tobytes()
    assert dense(sparse(np.zeros(4, np.float32)), 4).tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (np.zeros(3, np.uint32), "not two rows"),
        (np.zeros((3, 1), np.uint32), "not two rows"),
        (np.zeros((2, 1)), "not two rows"),
        (np.array([[8], [1]], np.uint32), "not below 8"),
        (np.array([[2, 2], [1, 1]], np.uint32), "do not grow"),
        (np.array([[1], [0x7F800000]], np.uint32), "finite"),
        (np.array([[1], [0x7FC00000]], np.uint32), "finite"),
    ],
)
def test_what_are_no_sparse_weights(stored: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dense(stored, 8)
