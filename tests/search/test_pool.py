"""The pool: repeated decisions add up, new ones get rows, and sums can be put back."""

from __future__ import annotations

import numpy as np

from secateur.search.core import Rows
from secateur.search.pool import Pool


def features(site: np.ndarray, state: np.ndarray) -> Rows:
    return Rows((site[:, :1] % 16).astype(np.uint32))


def sites(*numbers: int) -> np.ndarray:
    return np.array([[n, n + 1] for n in numbers], np.int32)


def nothing(count: int) -> np.ndarray:
    return np.zeros((count, 0))


def test_decisions_seen_again_add_up_and_the_pool_does_not_grow() -> None:
    pool = Pool(16)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(0, sites(1, 2), nothing(2), np.array([0.5, -3.0]), features)
    assert pool.advantages().tolist() == [1.5, -1.0]
    assert len(pool.matrix().columns) == 2


def test_other_decisions_of_an_example_join_it() -> None:
    pool = Pool(16)
    pool.add(3, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(1, sites(9), nothing(1), np.array([7.0]), features)
    pool.add(3, sites(2, 4), nothing(2), np.array([10.0, 20.0]), features)
    assert pool.advantages().tolist() == [7.0, 1.0, 12.0, 20.0]  # by example, then as they came
    active = pool.matrix().active[pool.matrix().columns.ravel() - 1]
    assert active.tolist() == [9, 1, 2, 4]


def test_the_state_tells_decisions_apart() -> None:
    pool = Pool(16)
    pool.add(0, sites(1), np.array([[0.5]]), np.array([1.0]), features)
    pool.add(0, sites(1), np.array([[0.25]]), np.array([2.0]), features)
    assert pool.advantages().tolist() == [1.0, 2.0]


def test_sums_are_restored() -> None:
    pool = Pool(16)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(1, sites(3), nothing(1), np.array([3.0]), features)
    kept = pool.advantages()
    pool.add(1, sites(3), nothing(1), np.array([5.0]), features)
    pool.restore(kept)
    assert pool.advantages().tolist() == [1.0, 2.0, 3.0]


def test_features_of_a_single_example_can_be_left_out() -> None:
    pool = Pool(16, least=2)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(1, sites(2, 3), nothing(2), np.array([1.0, 2.0]), features)
    assert pool.matrix().active.tolist() == [2]
    assert pool.matrix().columns.ravel().tolist() == [0, 1, 1, 0]


def test_several_new_decisions_at_once() -> None:
    pool = Pool(16)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(0, sites(5, 2, 7, 9), nothing(4), np.array([10.0, 20.0, 30.0, 40.0]), features)
    assert pool.advantages().tolist() == [1.0, 22.0, 10.0, 30.0, 40.0]
    assert pool.matrix().active[pool.matrix().columns.ravel() - 1].tolist() == [1, 2, 5, 7, 9]
