"""Patterns, against walking through positions one by one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.lcfrs import pattern_of
from secateur.errors import InputError
from secateur.grammar.lcfrs.patterns import (
    check,
    components_of,
    decode,
    encode,
    fanout,
    fanouts,
    from_segments,
    ordered,
    parse,
    runs,
    segments,
    text_of,
)


@st.composite
def divided(draw: st.DrawFn, *, most: int = 4) -> list[int]:
    """Disjoint sets of positions in the order of their first ones."""
    owners = draw(st.lists(st.integers(-1, draw(st.integers(1, most)) - 1), min_size=1, max_size=24))
    sets: dict[int, int] = {}
    for p, owner in enumerate(owners):
        if owner >= 0:
            sets[owner] = sets.get(owner, 0) | 1 << p
    return sorted(sets.values(), key=lambda one: one & -one)


def members(positions: int) -> frozenset[int]:
    return frozenset(p for p in range(positions.bit_length()) if positions >> p & 1)


@given(divided())
def test_pattern_of_sets(sets: list[int]) -> None:
    components = components_of(sets)
    assert components == pattern_of([members(one) for one in sets])
    if sets:
        check(components, len(sets))
        assert fanouts(components) == tuple(map(fanout, sets))
        assert len(components) == fanout(sum(sets))
        assert ordered(components) == (components, list(range(len(sets))))


@given(divided())
def test_inverses(sets: list[int]) -> None:
    components = components_of(sets)
    if components:
        assert from_segments(segments(components)) == components
        assert parse(text_of(components)) == components
        if len(sets) == 2:
            assert decode(encode(components)) == components


@given(st.integers(0, 1 << 140))
def test_runs(positions: int) -> None:
    """One string of bits, cut at the zeros."""
    found = list(runs(positions))
    assert sum((1 << k) - (1 << i) for i, k in found) == positions
    assert all(k < i for (_, k), (i, _) in pairwise(found))
    assert len(found) == fanout(positions) == len([run for run in f"{positions:b}".split("0") if run])


@pytest.mark.parametrize(
    ("components", "code"),
    [
        (((0, 1),), 0b1_00_10),
        (((0, 1, 0),), 0b1_00_10_00),
        (((0, 1), (0,)), 0b1_00_11_00),
        (((0,), (1,)), 0b1_01_10),
    ],
)
def test_numbers(components: tuple[tuple[int, ...], ...], code: int) -> None:
    """The child, then whether a gap follows; a leading one."""
    assert encode(components) == code


@pytest.mark.parametrize(
    ("text", "children", "message"),
    [
        ("1,0", 2, "later child"),
        ("001", 2, "touch"),
        ("01,11", 2, "touch"),
        ("0", 2, "not one of 2 children"),
        ("02", 2, "not one of 2 children"),
        ("012", 2, "not one of 2 children"),
        ("0101" * 8, 2, "more than 31 segments"),
    ],
)
def test_refused(text: str, children: int, message: str) -> None:
    components = parse(text)
    assert components is not None
    with pytest.raises(InputError, match=message):
        check(components, children)


def test_no_empty_components() -> None:
    for components in ((), ((),), ((0, 1), ())):
        with pytest.raises(InputError, match="empty component"):
            check(components, 2)


def test_a_gap_may_part_components_of_one_child() -> None:
    check(((0, 1), (1, 0)), 2)


@pytest.mark.parametrize("text", ["", ",", "0,,1", "a", "0.", "²", "0 1", "-1", "0.1234567"])
def test_texts_that_are_none(text: str) -> None:
    components = parse(text)
    assert components is None or not all(components)


def test_many_children() -> None:
    assert text_of((tuple(range(12)),)) == "0.1.2.3.4.5.6.7.8.9.10.11"
    assert ordered(((1, 0), (2, 1))) == (((0, 1), (2, 0)), [1, 0, 2])
