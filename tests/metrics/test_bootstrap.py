"""Intervals and tests against slow twins that draw the same numbers, and against known cases."""

from __future__ import annotations

import numpy as np
import pytest

from secateur.errors import InputError
from secateur.metrics import Counts, confidence, permutation_test, sum_counts


def system(seed: int, n: int, skill: float) -> list[Counts]:
    """Invented results of n sentences; a larger skill matches more of the same gold brackets."""
    gold = np.random.default_rng(7).integers(1, 20, size=n)
    rng = np.random.default_rng(seed)
    found = []
    for size in gold.tolist():
        test = int(rng.integers(1, 20))
        found.append(Counts(gold=size, test=test, matched=int(rng.binomial(min(size, test), skill))))
    return found


def test_confidence_equals_its_slow_twin() -> None:
    counts = system(1, 30, 0.8)
    rng = np.random.default_rng(5)
    figures = []
    for _ in range(200):
        times = rng.multinomial(30, [1 / 30] * 30)
        drawn = [c for c, k in zip(counts, times.tolist(), strict=True) for _ in range(k)]
        figures.append(sum_counts(drawn).f1)
    expected = np.quantile(figures, [0.05, 0.95])
    assert confidence(counts, level=0.9, samples=200, seed=5) == pytest.approx(tuple(expected))


def test_confidence_of_equal_sentences_is_a_point() -> None:
    counts = [Counts(gold=4, test=6, matched=3)] * 20
    assert confidence(counts) == pytest.approx((60, 60))
    assert confidence([Counts(errors=1)]) == (0, 0)


def test_confidence_holds_the_figure_and_narrows() -> None:
    counts = system(2, 200, 0.7)
    low, high = confidence(counts)
    assert low < sum_counts(counts).f1 < high
    narrower = confidence(counts, level=0.5)
    assert low < narrower[0] < narrower[1] < high
    more = confidence(counts * 25)
    assert more[1] - more[0] < (high - low) / 3
    assert confidence(counts, seed=3) == confidence(counts, seed=3) != (low, high)


def test_permutation_equals_its_slow_twin() -> None:
    a, b = system(1, 12, 0.8), system(2, 12, 0.7)
    rng = np.random.default_rng(4)
    observed = abs(sum_counts(a).f1 - sum_counts(b).f1)
    as_large = 0
    for row in rng.integers(0, 2, size=(300, 12), dtype=np.uint8).tolist():
        first = [y if swap else x for x, y, swap in zip(a, b, row, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, row, strict=True)]
        as_large += abs(sum_counts(first).f1 - sum_counts(second).f1) >= observed - 1e-9
    assert permutation_test(a, b, samples=300, seed=4) == (as_large + 1) / 301
    assert 0.05 < as_large / 300 < 0.95


def test_permutation_of_known_cases() -> None:
    a, b = system(1, 200, 0.9), system(2, 200, 0.5)
    assert permutation_test(a, a) == 1
    assert permutation_test(a, b, samples=999) == 1 / 1000
    one = [Counts(gold=5, test=5, matched=5)]
    other = [Counts(gold=5, test=5, matched=1)]
    assert permutation_test(one, other, samples=50) == 1  # one sentence: both orders differ equally
    exact = permutation_test(one * 6, other * 6, samples=20_000)
    assert exact == pytest.approx(2 / 2**6, abs=0.005)  # only all or none exchanged are as extreme


def test_many_sentences_are_drawn_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = system(1, 50, 0.8), system(2, 50, 0.7)
    whole = confidence(a, samples=64), permutation_test(a, b, samples=64)
    monkeypatch.setattr("secateur.metrics.bootstrap._CELLS", 400)
    assert (confidence(a, samples=64), permutation_test(a, b, samples=64)) == whole


def test_wrong_requests() -> None:
    one = [Counts(gold=1, test=1, matched=1)]
    with pytest.raises(InputError, match="no sentences"):
        confidence([])
    with pytest.raises(InputError, match="between 0 and 1"):
        confidence(one, level=95)
    with pytest.raises(InputError, match="1 sentences of one system but 2"):
        permutation_test(one, one * 2)
    with pytest.raises(InputError, match="at least one sample"):
        permutation_test(one, one, samples=0)
