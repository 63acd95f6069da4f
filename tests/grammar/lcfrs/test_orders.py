"""Orders of joining children, against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from secateur.grammar.lcfrs.orders import is_discontinuous, leftmost, minimal, outward, rightmost
from secateur.grammar.lcfrs.patterns import fanout


@st.composite
def children(draw: st.DrawFn, *, most: int = 6) -> list[int]:
    """Sets of positions that cross each other a lot, now and then with gaps between all of them."""
    count, length = draw(st.sampled_from(range(1, most + 1))), draw(st.sampled_from(range(most, 15)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    sets = dict.fromkeys(range(count), 0)
    for p, owner in enumerate(rng.integers(-1 if draw(st.booleans()) else 0, count, length).tolist()):
        sets[owner] = sets.get(owner, 0) | 1 << p
    found = sorted((one for owner, one in sets.items() if one and owner >= 0), key=lambda one: one & -one)
    return found or [1]


def cost(sets: list[int], order: tuple[int, ...]) -> tuple[int, int, int]:
    """Largest fan-out, largest complexity, sum of complexities."""
    fans, complexities = [0], [0]
    covered = sets[order[0]]
    for child in order[1:]:
        whole = covered | sets[child]
        fans.append(fanout(whole))
        complexities.append(fanout(whole) + fanout(covered) + fanout(sets[child]))
        covered = whole
    return max(fans), max(complexities), sum(complexities)


@settings(max_examples=150)
@given(children())
@example(
    [0b1000001, 0b10, 0b100, 0b1000, 0b1010010000, 0b100100000]
)  # fan-out 3 would make less of complexity
def test_minimal(sets: list[int]) -> None:
    order = minimal(sets)
    assert sorted(order) == list(range(len(sets)))
    assert cost(sets, tuple(order)) == min(cost(sets, way) for way in permutations(range(len(sets))))


def test_others() -> None:
    sets = [1, 2, 4, 8]
    assert leftmost(sets) == [0, 1, 2, 3]
    assert rightmost(sets) == [3, 2, 1, 0]
    assert outward(sets, 1) == [1, 2, 3, 0]
    assert outward(sets, 3) == [3, 2, 1, 0]
    assert minimal([1 << p for p in range(10)]) == list(range(10))


def test_discontinuous() -> None:
    assert not is_discontinuous([0b1, 0b10, 0b100])
    assert is_discontinuous([0b1, 0b100])
    assert is_discontinuous([0b101, 0b10])
