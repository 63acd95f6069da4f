"""The machine instructions against numpy and against their plain twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from secateur.kernels.split import simd


@njit
def count_bits(words: npt.NDArray[np.uint64], found: npt.NDArray[np.int64]) -> None:
    for w in range(words.shape[0]):
        found[w, 0] = simd.popcount(words[w])
        found[w, 1] = simd.trailing_zeros(words[w])


@njit
def max_plus(left: Any, left_row: int, right: Any, right_row: int, begin: int, end: int) -> Any:
    return simd.max_plus(left, left_row, right, right_row, begin, end)


def test_bits() -> None:
    rng = np.random.default_rng(1)
    dense = rng.integers(0, 1 << 64, 200, dtype=np.uint64, endpoint=False)
    sparse = dense & rng.integers(0, 1 << 64, 200, dtype=np.uint64) & np.roll(dense, 1) & np.roll(dense, 2)
    single = np.uint64(1) << np.arange(64, dtype=np.uint64)
    words = np.concatenate([dense, sparse, single, [np.uint64(0), ~np.uint64(0)]]).astype(np.uint64)
    found = np.zeros((len(words), 2), np.int64)
    count_bits(words, found)
    np.testing.assert_array_equal(found[:, 0], np.bitwise_count(words))
    written = [f"{word:064b}" for word in words.tolist()]
    np.testing.assert_array_equal(found[:, 1], [64 - len(bits.rstrip("0")) for bits in written])
    # The twins that stand in without compilation.
    np.testing.assert_array_equal(found[:, 0], [simd._popcount(word) for word in words])
    np.testing.assert_array_equal(found[:, 1], [simd._trailing_zeros(word) for word in words])


def test_max_plus() -> None:
    rng = np.random.default_rng(2)
    for stride in (8, 16, 40, 104):
        left, right = (rng.normal(-20, 10, (5, stride)).astype(np.float32) for _ in range(2))
        left[rng.random(left.shape) < 0.4] = -np.inf
        right[rng.random(right.shape) < 0.4] = -np.inf
        left[4] = -np.inf
        for _ in range(30):
            a, b = (int(row) for row in rng.integers(0, 5, 2))
            begin, end = sorted(int(p) * 8 for p in rng.choice(stride // 8 + 1, 2, replace=False))
            expected = (left[a, begin:end] + right[b, begin:end]).max()
            found = max_plus(left, a, right, b, begin, end)
            assert np.float32(found) == expected
            assert simd._max_plus(left, a, right, b, begin, end) == expected
    assert max_plus(left, 4, right, 0, 0, 104) == -np.inf


def test_max_plus_looks_at_nothing_else() -> None:
    """What stands before `begin` and from `end` on does not matter."""
    left, right = np.zeros((2, 32), np.float32), np.zeros((2, 32), np.float32)
    left[1, :8] = left[1, 24:] = left[0] = right[0] = 100.0
    assert max_plus(left, 1, right, 1, 8, 24) == 0.0
    left[1, 23] = 1.0
    assert max_plus(left, 1, right, 1, 8, 24) == 1.0
