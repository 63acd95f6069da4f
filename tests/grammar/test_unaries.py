"""Chains of unary rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.grammar.unaries import chain, compose
from secateur.treebanks.formats.brackets import read_tree

NAMES = "abcde"
rules = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.sampled_from([-0.25, -0.5, -1.0, -2.0]) | st.floats(-5.0, -0.01),
    max_size=14,
)


def simple_paths(
    weights: dict[tuple[str, str], float], top: str, bottom: str, passed: tuple[str, ...] = ()
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Every chain from top to bottom that visits no symbol twice: its weight, and the symbols between."""
    for (parent, child), weight in weights.items():
        if parent != top or child in passed or child == top:
            continue
        if child == bottom:
            yield weight, ()
        else:
            for further, path in simple_paths(weights, child, bottom, (*passed, top)):
                yield weight + further, (child, *path)


@settings(max_examples=200)
@given(rules)
def test_best_chains(weights: dict[tuple[str, str], float]) -> None:
    found = {
        (top, bottom): (weight, path)
        for top, bottom, weight, path in compose((x, y, w) for (x, y), w in weights.items())
    }
    for top in NAMES:
        for bottom in NAMES:
            chains = list(simple_paths(weights, top, bottom)) if top != bottom else []
            assert bool(chains) == ((top, bottom) in found)
            if chains:
                weight, path = found[top, bottom]
                assert weight == pytest.approx(max(w for w, _ in chains), abs=1e-12)
                steps = [top, *path, bottom]
                own = math.fsum(weights[x, y] for x, y in pairwise(steps))
                assert own == pytest.approx(weight, abs=1e-12)


@settings(max_examples=100)
@given(rules, st.integers(0, 14))
def test_composing_again_changes_nothing(weights: dict[tuple[str, str], float], turn: int) -> None:
    once = compose((x, y, w) for (x, y), w in weights.items())
    again = compose((x, y, w) for x, y, w, _ in once[turn:] + once[:turn])
    assert {rule[:2] for rule in once} == {rule[:2] for rule in again}
    before = {rule[:2]: rule[2] for rule in once}
    assert all(w == pytest.approx(before[x, y], abs=1e-12) for x, y, w, _ in again)


@pytest.mark.parametrize(
    "cycle",
    [
        [("a", "a", 0.0)],
        [("a", "b", 0.0), ("b", "a", 0.0)],
        [("a", "b", 0.0005), ("b", "c", 0.0), ("c", "a", -0.0005)],
        [("z", "a", -1.0), ("a", "b", -0.5), ("b", "c", 0.0), ("c", "b", 0.0), ("c", "d", -1.0)],
    ],
)
def test_free_cycles_are_refused(cycle: list[tuple[str, str, float]]) -> None:
    for turn in range(len(cycle)):
        with pytest.raises(InputError, match=r"unary cycle .* can be repeated for free"):
            compose(cycle[turn:] + cycle[:turn])


def test_the_cycle_is_named() -> None:
    with pytest.raises(InputError, match=r"unary cycle (a -> b -> a|b -> a -> b) has log weight 0"):
        compose([("a", "b", 0.0), ("b", "a", 0.0)])


def test_costly_cycles_are_dropped() -> None:
    found = compose([("a", "b", -0.5), ("b", "a", -1e-9), ("b", "b", -0.1), ("b", "c", -1.0)])
    assert sorted(found) == [
        ("a", "b", -0.5, ()),
        ("a", "c", -1.5, ("b",)),
        ("b", "a", -1e-9, ()),
        ("b", "c", -1.0, ()),
    ]


def test_the_direct_rule_wins_ties() -> None:
    found = compose([("a", "b", -0.5), ("b", "c", -0.5), ("a", "c", -1.0)])
    assert ("a", "c", -1.0, ()) in found


def test_no_rules() -> None:
    assert compose([]) == []


@pytest.mark.parametrize(
    ("tree", "labels", "end"),
    [
        ("(A (B (C (t w))))", ("A", "B", "C", "t"), "(t w)"),
        ("(A (B (t w) (t w)))", ("A", "B"), "(B (t w) (t w))"),
        ("(A (t w) (B (t w)))", ("A",), "(A (t w) (B (t w)))"),
        ("(t w)", ("t",), "(t w)"),
    ],
)
def test_chain_of_a_tree(tree: str, labels: tuple[str, ...], end: str) -> None:
    assert chain(read_tree(tree))[0] == labels
    assert str(chain(read_tree(tree))[1]) == end
