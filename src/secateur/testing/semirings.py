"""check_semiring: whether plus and times keep the laws of a semiring."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np


class SemiringLike(Protocol):
    """What a semiring has; its values may be numbers, or tuples of numbers."""

    @property
    def zero(self) -> Any: ...
    @property
    def one(self) -> Any: ...
    def plus(self, a: Any, b: Any, /) -> Any: ...
    def times(self, a: Any, b: Any, /) -> Any: ...


def check_semiring(semiring: SemiringLike, values: Sequence[Any], *, rtol: float = 1e-12) -> None:
    """Whether plus and times keep the laws on these values, but for rounding relative to the largest one."""
    plus, times, zero, one = semiring.plus, semiring.times, semiring.zero, semiring.one
    drawn = [zero, one, *values]
    finite = np.concatenate([np.ravel(value) for value in drawn]).astype(np.float64)
    slack = rtol * max(1.0, float(np.abs(finite[np.isfinite(finite)]).max(initial=0.0)))

    def equal(law: str, left: Any, right: Any, *operands: Any) -> None:
        if not np.allclose(left, right, rtol=rtol, atol=slack):
            raise AssertionError(f"{law} does not hold for {operands}: {left} and {right}")

    for a in drawn:
        equal("a + 0 = a", plus(a, zero), a, a)
        equal("a * 1 = a", times(a, one), a, a)
        equal("1 * a = a", times(one, a), a, a)
        equal("a * 0 = 0", times(a, zero), zero, a)
        equal("0 * a = 0", times(zero, a), zero, a)
    for a, b in product(drawn, repeat=2):
        equal("a + b = b + a", plus(a, b), plus(b, a), a, b)
    for a, b, c in product(drawn, repeat=3):
        equal("(a + b) + c = a + (b + c)", plus(plus(a, b), c), plus(a, plus(b, c)), a, b, c)
        equal("(a * b) * c = a * (b * c)", times(times(a, b), c), times(a, times(b, c)), a, b, c)
    for a, b, c in product(drawn, repeat=3):
        equal("a * (b + c) = a * b + a * c", times(a, plus(b, c)), plus(times(a, b), times(a, c)), a, b, c)
        equal("(a + b) * c = a * c + b * c", times(plus(a, b), c), plus(times(a, c), times(b, c)), a, b, c)
