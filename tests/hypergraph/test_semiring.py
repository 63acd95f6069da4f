"""Semirings keep their laws, and the check of the laws catches what does not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.hypergraph.semiring import Semiring
from secateur.kernels.hypergraph import hypergraph as kernel
from secateur.testing import check_semiring

LOGS = st.floats(-700.0, 700.0) | st.just(-math.inf)
VALUES = {
    Semiring.LOG: LOGS,
    Semiring.VITERBI: LOGS,
    Semiring.COUNT: st.integers(0, 1000).map(float),
    Semiring.BOOLEAN: st.sampled_from([0.0, 1.0]),
}


@settings(max_examples=60)
@given(st.data(), st.sampled_from(list(Semiring)))
def test_laws(data: st.DataObject, semiring: Semiring) -> None:
    check_semiring(semiring, data.draw(st.lists(VALUES[semiring], max_size=3)))


def test_kinds_are_those_of_the_kernels() -> None:
    for semiring in Semiring:
        assert getattr(kernel, semiring.name) == semiring


def test_what_they_mean() -> None:
    assert Semiring.LOG.plus(math.log(2.0), math.log(3.0)) == pytest.approx(math.log(5.0))
    assert Semiring.LOG.plus(1000.0, -1000.0) == 1000.0
    assert Semiring.LOG.times(-1.0, -2.5) == Semiring.VITERBI.times(-1.0, -2.5) == -3.5
    assert Semiring.VITERBI.plus(-1.0, -2.5) == -1.0
    assert Semiring.COUNT.plus(2.0, 3.0) == 5.0
    assert Semiring.COUNT.times(2.0, 3.0) == 6.0
    assert Semiring.COUNT.times(math.inf, 0.0) == 0.0
    assert (Semiring.BOOLEAN.plus(1.0, 0.0), Semiring.BOOLEAN.times(1.0, 0.0)) == (1.0, 0.0)
    for semiring in Semiring:
        assert semiring.lift(-math.inf) == semiring.zero
        assert semiring.lift(0.0) == semiring.one
        assert semiring.lift(-3.0) == (-3.0 if semiring.one == 0.0 else 1.0)


@dataclass(frozen=True)
class Reals:
    """Any of it can be spoiled."""

    zero: Any = 0.0
    one: Any = 1.0
    plus: Any = lambda a, b: a + b
    times: Any = lambda a, b: a * b


def expectation(a: Any, b: Any) -> tuple[float, float]:
    """Probability and probability times amount."""
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]


def test_other_semirings_can_be_checked() -> None:
    check_semiring(Reals(), [0.5, 2.0, -3.0])
    pairs = Reals((0.0, 0.0), (1.0, 0.0), lambda a, b: (a[0] + b[0], a[1] + b[1]), expectation)
    check_semiring(pairs, [(0.5, 2.0), (0.1, -1.0), (3.0, 0.0)])


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Reals(zero=1e-3), r"a \+ 0 = a"),
        (Reals(one=2.0), r"a \* 1 = a"),
        (Reals(times=lambda a, b: a), r"1 \* a = a"),
        (Reals(times=lambda a, b: a * b if a != 2.0 or b else 7.0), r"a \* 0 = 0"),
        (Reals(times=lambda a, b: a * b if b != 2.0 or a else 7.0), r"0 \* a = 0"),
        (Reals(plus=lambda a, b: a + b if a <= b or b == 0.0 else a), r"a \+ b = b \+ a"),
        (Reals(plus=lambda a, b: a + b - a * b * (a - 2.0) * (b - 2.0)), r"\(a \+ b\) \+ c"),
        (Reals(times=lambda a, b: a * b if 1.0 in (a, b) else a * b * b), r"\(a \* b\) \* c"),
        (Reals(times=lambda a, b: a * b if b <= 2.0 else a * b**2 / 3.0), r"a \* b"),
        (Reals(-math.inf, 1.0, max, lambda a, b: a * b if -math.inf not in (a, b) else -math.inf), "a \\* "),
    ],
)
def test_broken_laws_are_caught(broken: Any, law: str) -> None:
    check_semiring(Reals(), [2.0, 3.0, -1.5])
    with pytest.raises(AssertionError, match=f"{law}.* does not hold"):
        check_semiring(broken, [2.0, 3.0, -1.5])
