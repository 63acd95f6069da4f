"""Kept bits flipped, hyperedges reweighed and all of it undone, with cycles, against running again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_cases import agree, cyclic, from_arrays, reweighed
from naive.hypergraph import Listed
from secateur.errors import InputError
from secateur.hypergraph import Builder, Change, Derivation, Hypergraph
from secateur.hypergraph.semiring import Semiring

KINDS = st.sampled_from([Semiring.VITERBI, Semiring.BOOLEAN])


def state(change: Change) -> tuple[Any, ...]:
    """Every bit of it."""
    arrays = (change.values, change.made, change.weights, change.kept)
    best = change.viterbi() if change.semiring == Semiring.VITERBI else None
    return (*(array.tobytes() for array in arrays), change.work, change.value, best)


def fresh(change: Change) -> tuple[Any, ...]:
    """The state of a change that starts from the weights as they are now."""
    return state(change.start.graph.weigh(change.weights).change(change.semiring))


@settings(max_examples=300)
@given(
    st.sampled_from(["free", "strict"]).flatmap(lambda weights: cyclic(weights=weights, nodes=10)),
    KINDS,
    st.integers(0, 1 << 32),
)
def test_any_sequence_of_flips_and_undos_equals_running_again(
    graph: Listed, semiring: Semiring, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    forest = from_arrays(graph)
    hyperedges = len(graph.hyperedges)
    kept = rng.random(hyperedges) < 0.7
    change = forest.change(semiring, kept=kept)
    assert np.array_equal(change.kept, kept & (forest.weights > -math.inf))
    states = [state(change)]
    for _ in range(25):
        if len(states) > 1 and rng.random() < 0.35:
            change.undo()
            states.pop()
            assert state(change) == states[-1]
            continue
        size = int(rng.integers(1, min(4, hyperedges) + 1))
        change.flip(rng.choice(hyperedges, size, replace=False))
        assert state(change) == fresh(change)
        states.append(state(change))
    if semiring == Semiring.VITERBI:
        expected = reweighed(graph, change.weights).best()
        assert expected is not None
        assert (change.values.tolist(), change.made.tolist()) == (expected.value, expected.made)
        assert change.work == expected.work
        agree(change.viterbi(), expected, graph.goal)
    while len(states) > 1:
        change.undo()
        states.pop()
        assert state(change) == states[-1]


@settings(max_examples=300)
@given(cyclic(weights="any", nodes=6), st.integers(0, 1 << 32))
def test_changes_that_pay_are_refused_and_leave_no_trace(graph: Listed, seed: int) -> None:
    """Refused where, and only where, running again is refused."""
    rng = np.random.default_rng(seed)
    forest = from_arrays(graph)
    hyperedges = len(graph.hyperedges)
    change = forest.change(kept=np.zeros(hyperedges, np.bool_))
    for _ in range(15):
        chosen = rng.choice(hyperedges, int(rng.integers(1, min(3, hyperedges) + 1)), replace=False)
        weights = rng.choice([-math.inf, -2.0, -0.5, 0.0, 0.25, float(rng.normal(-1.0))], len(chosen))
        before = state(change)
        would_be = change.weights.copy()
        would_be[chosen] = weights
        expected = reweighed(graph, would_be).best()
        if expected is None:
            with pytest.raises(InputError, match="is better than a tail of it"):
                change.reweigh(chosen, weights)
            assert state(change) == before
        else:
            change.reweigh(chosen, weights)
            assert (change.values.tolist(), change.made.tolist()) == (expected.value, expected.made)
            assert state(change) == fresh(change)


@given(
    st.sampled_from(["free", "strict"]).flatmap(lambda weights: cyclic(weights=weights, nodes=10)),
    st.integers(0, 1 << 32),
)
def test_tried_flips_are_what_flips_would_do(graph: Listed, seed: int) -> None:
    rng = np.random.default_rng(seed)
    forest = from_arrays(graph)
    hyperedges = len(graph.hyperedges)
    change = forest.change(kept=rng.random(hyperedges) < rng.choice([0.3, 0.8, 1.0]))
    before, now = state(change), change.viterbi()
    sizes = rng.integers(0, min(4, hyperedges) + 1, 20)
    groups = [rng.choice(hyperedges, size, replace=False) for size in sizes]
    cost, node_cost = rng.integers(0, 3, hyperedges), rng.integers(0, 3, len(change.values))
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    found = change.try_flips(ptr, np.concatenate(groups), cost=cost, node_cost=node_cost)
    assert state(change) == before

    def work() -> int:
        nodes = node_cost[change.values > -math.inf].sum()
        return int(cost[change.made > -math.inf].sum() + nodes)

    free = work()
    for g, group in enumerate(groups):
        change.flip(group)
        assert (found.value[g], found.work[g]) == (change.value, work() - free)
        best = change.viterbi()
        tried = tuple(found.hyperedges[found.ptr[g] : found.ptr[g + 1]].tolist())
        if found.other[g]:
            assert tried == (best.hyperedges if best else ())
        else:
            assert tried == ()
            assert best == now
        change.undo()


def test_tried_flips_are_refused_as_flips_are() -> None:
    builder = Builder()
    builder.add("a", label=-1.0)
    builder.add("a", ["a"], label=0.5)
    change = builder.build("a").weigh(float).change(kept=[True, False])
    with pytest.raises(InputError, match="is better than a tail of it"):
        change.try_flips(np.array([0, 1]), [1])
    assert change.viterbi() == Derivation(-1.0, (0,))
    with pytest.raises(InputError, match="unknown hyperedge 2"):
        change.try_flips(np.array([0, 1]), [2])
    with pytest.raises(InputError, match="twice"):
        change.try_flips(np.array([0, 2]), [1, 1])
    assert len(change.try_flips(np.array([0]), []).value) == 0


def test_nodes_that_hold_each_other_fall_together() -> None:
    """a and b make each other at no cost: without the axiom neither has a derivation."""
    builder = Builder()
    builder.add("a", label=-1.0)
    builder.add("a", ["b"], label=0.0)
    builder.add("b", ["a"], label=0.0)
    builder.add("b", label=-3.0)
    builder.add("S", ["a", "b"], label=0.0)
    change = builder.build("S").weigh(float).change()
    assert (change.viterbi(), change.work) == (Derivation(-2.0, (4, 0, 2, 0)), 5)
    assert (change.switch_off(0), change.work) == (-6.0, 4)
    assert change.viterbi() == Derivation(-6.0, (4, 1, 3, 3))
    assert (change.switch_off(3), change.work) == (-math.inf, 0)
    assert change.viterbi() is None
    assert (change.flip([0, 3]), change.work) == (-2.0, 5)
    for value in (-math.inf, -6.0, -2.0):
        assert change.undo() == value
    assert change.kept.all()


def test_a_change_in_a_large_component_touches_what_it_reaches() -> None:
    """One ring of 1,000 nodes, entered at 0 and, at a price, everywhere."""
    size, step = 1000, -0.015625
    ring = np.arange(size)
    graph = Hypergraph.from_arrays(
        size - 1,
        np.concatenate((ring, ring)),
        np.concatenate((np.zeros(size, int), np.arange(size + 1))),
        np.roll(ring, 1),
    )
    change = graph.weigh(np.concatenate(([0.0], np.full(size - 1, -50.0), np.full(size, step)))).change()
    assert change.value == step * (size - 1)  # all the way round, before ...
    change.switch_off(900 + size)
    assert change.value == -50.0  # ... and not any more after, nor for the others from 900 on
    assert change.reworked == 100
    change.undo()
    change.switch_off(size)  # nobody goes over the end
    assert change.reworked == 1


def test_bits_must_be_bits() -> None:
    builder = Builder()
    builder.add("a")
    forest = builder.build("a").weigh([0.0])
    for kept in ([1], [True, True], [[True]]):
        with pytest.raises(
            InputError, match=r"kept is an array of .* for 1 hyperedges; give one bool for each"
        ):
            forest.change(kept=kept)
    assert forest.change(kept=[False]).value == -math.inf
