"""How sure a corpus F1 is: a bootstrap interval, and a paired permutation test of two systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.metrics.evalb.counts import Counts

Array = npt.NDArray[np.float64]

_CELLS = 4_000_000  # drawn at a time: 32 MB, whatever the number of sentences
_CLOSE = 1e-9  # F1 differences nearer than this are ties: sums in another order


def confidence(
    counts: Sequence[Counts], *, level: float = 0.95, samples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The percentile interval of the corpus F1 (percent) when the sentences are drawn again."""
    if not 0 < level < 1:
        raise InputError(f"a confidence level lies between 0 and 1, not {level}")
    table = _table(counts)
    n = len(table)
    rng = np.random.default_rng(seed)
    found = [
        _f1(rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64) @ table)
        for size in _portions(samples, n)
    ]
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(found), [tail, 1 - tail])
    return float(low), float(high)


def permutation_test(
    a: Sequence[Counts], b: Sequence[Counts], *, samples: int = 5000, seed: int = 0
) -> float:
    """The two-sided p of the F1 difference of two systems on the same sentences.

    Every sentence's two results change places with probability 1/2; p = (r + 1) / (samples + 1) for r draws
    whose difference is at least as large as the one observed."""
    if len(a) != len(b):
        raise InputError(f"{len(a)} sentences of one system but {len(b)} of the other")
    table_a, table_b = _table(a), _table(b)
    change = table_b - table_a
    sum_a, sum_b = table_a.sum(axis=0), table_b.sum(axis=0)
    observed = abs(_f1(sum_a) - _f1(sum_b))
    rng = np.random.default_rng(seed)
    as_large = 0
    for size in _portions(samples, len(change)):
        moved = rng.integers(0, 2, size=(size, len(change)), dtype=np.uint8).astype(np.float64) @ change
        differences = np.abs(_f1(sum_a + moved) - _f1(sum_b - moved))
        as_large += int(np.count_nonzero(differences >= observed - _CLOSE))
    return (as_large + 1) / (samples + 1)


def _table(counts: Sequence[Counts]) -> Array:
    """Matched brackets, and gold and test brackets together, of every sentence. [n, 2]"""
    if not counts:
        raise InputError("no sentences to draw from")
    return np.array([(c.matched, c.gold + c.test) for c in counts], dtype=np.float64)


def _f1(sums: Array) -> Array:
    """F1 in percent of summed rows [..., 2]; 0 where there are no brackets."""
    matched, brackets = sums[..., 0], sums[..., 1]
    return 200 * matched / np.maximum(brackets, 1)


def _portions(samples: int, n: int) -> list[int]:
    if samples < 1:
        raise InputError(f"at least one sample is needed, not {samples}")
    size = max(1, _CELLS // n)
    whole, rest = divmod(samples, size)
    return [size] * whole + [rest] * (rest > 0)
