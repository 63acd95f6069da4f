"""The pool: repeated decisions add up, new ones get rows, and sums can be put back."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_a_ranking_seen_again_adds_up_as_a_whole() -> None:
    pool = Pool(16)
    ptr = np.array([0, 2, 3])
    pool.add(0, sites(1, 2, 3), nothing(3), np.array([0.0, 1.0, 5.0]), features, ptr)
    # 1 against 2 once more, and against 3, which is another decision.
    pool.add(0, sites(1, 3, 1, 2), nothing(4), np.array([0.0, 7.0, 0.0, 0.5]), features, np.array([0, 2, 4]))
    assert pool.ptr().tolist() == [0, 2, 3, 5]
    assert pool.advantages().tolist() == [0.0, 1.5, 5.0, 0.0, 7.0]
    assert len(pool.matrix().columns) == len(pool) == 5


def test_a_new_decision_met_twice_at_once_gets_one_row() -> None:
    pool = Pool(16)
    pool.add(0, sites(1), nothing(1), np.array([1.0]), features)
    pool.add(0, sites(2, 2), nothing(2), np.array([3.0, 4.0]), features)
    assert pool.advantages().tolist() == [1.0, 7.0]


def test_values_join_features_without_any() -> None:
    pool = Pool(16)
    pool.add(0, sites(1), nothing(1), np.array([1.0]), features)

    def half(site: np.ndarray, state: np.ndarray) -> Rows:
        return Rows(features(site, state).bucket, np.full((len(site), 1), 0.5, np.float32))

    pool.add(0, sites(2), nothing(1), np.array([1.0]), half)
    assert pool.matrix().values.tolist() == [[1.0], [0.5]]


def test_without_sums_decisions_stand_as_they_came() -> None:
    pool = Pool(16, sums=False, nothing=2)
    pool.add(3, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(0, sites(5), nothing(1), np.array([3.0]), features)
    pool.add(3, sites(1, 2), nothing(2), np.array([4.0, 5.0]), features)
    assert pool.advantages().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert pool.examples().tolist() == [3, 3, 0, 3, 3]
    assert pool.matrix().active.tolist() == [1, 5]  # what stands for nothing gets no weight
    assert pool.matrix().columns.ravel().tolist() == [1, 0, 2, 1, 0]


def test_features_are_counted_by_example_however_often_it_is_visited() -> None:
    pool = Pool(16, sums=False, least=2)
    for example, number in ((0, 1), (0, 1), (1, 4), (2, 4)):
        pool.add(example, sites(number), nothing(1), np.array([1.0]), features)
    assert pool.matrix().active.tolist() == [4]


def test_nothing_is_held_that_was_there_to_begin_with() -> None:
    pool = Pool(16)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    pool.add(2, sites(3), nothing(1), np.array([1.0]), features)
    mark = pool.mark()
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 1.0]), features)
    held = pool.held(mark)
    assert held.advantage.tolist() == [2.0, 3.0, 1.0]
    assert (held.example.size, held.site.size, held.state.size) == (0, 0, 0)


@pytest.mark.parametrize("sums", [True, False])
def test_a_fresh_pool_comes_to_hold_the_same(sums: bool) -> None:
    def begun() -> Pool:
        pool = Pool(16, sums=sums)
        pool.add(1, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
        return pool

    pool = begun()
    mark = pool.mark()
    pool.add(1, sites(1, 2, 4), nothing(3), np.array([1.0, 0.0, 7.0]), features, np.array([0, 1, 3]))
    pool.add(0, sites(9), nothing(1), np.array([4.0]), features)
    pool.add(0, sites(9, 8), nothing(2), np.array([4.0, 2.0]), features)
    again = begun()
    again.hold(pool.held(mark), lambda example, site, state: features(site, state))
    assert again.ptr().tolist() == pool.ptr().tolist()
    assert again.examples().tolist() == pool.examples().tolist()
    assert again.advantages().tolist() == pool.advantages().tolist()
    assert again.matrix().columns.tolist() == pool.matrix().columns.tolist()
    # And goes on in the same way.
    for one in (pool, again):
        one.add(0, sites(8), nothing(1), np.array([0.5]), features)
    assert again.advantages().tolist() == pool.advantages().tolist()


def test_a_pool_that_began_otherwise_is_refused() -> None:
    pool = Pool(16)
    pool.add(0, sites(1, 2), nothing(2), np.array([1.0, 2.0]), features)
    with pytest.raises(ValueError, match="2 advantages for 0 candidates"):
        Pool(16).hold(pool.held(pool.mark()), lambda example, site, state: features(site, state))
