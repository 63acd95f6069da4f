"""Hypergraphs against enumeration of their derivations; changes against running again."""

from __future__ import annotations

import copy
import json
import math
import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_cases import QUARTERS, built, catalan, listed
from naive.hypergraph import Listed, combined
from secateur.errors import InputError
from secateur.hypergraph import Builder, Derivation, Hypergraph, derivation
from secateur.hypergraph.semiring import Semiring


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=150)
@given(listed())
def test_inside_is_the_sum_over_all_derivations(graph: Listed) -> None:
    forest = built(graph)
    for semiring in Semiring:
        found = forest.inside(semiring)
        expected = [
            combined(semiring, [w for w, _ in graph.derivations(node)]) for node in range(graph.nodes)
        ]
        if semiring == Semiring.LOG:
            close(found, expected)
        else:
            assert found.tolist() == expected


@settings(max_examples=100)
@given(listed(nodes=7, many=40))
def test_outside_is_the_sum_over_all_contexts(graph: Listed) -> None:
    forest = built(graph)
    contexts = [graph.contexts(node) for node in range(graph.nodes)]
    for semiring in Semiring:
        close(forest.outside(semiring), [combined(semiring, weights) for weights in contexts])


@settings(max_examples=100)
@given(listed())
def test_marginals_are_expected_counts(graph: Listed) -> None:
    derivations = graph.derivations(graph.goal)
    total = math.fsum(math.exp(weight) for weight, _ in derivations)
    expected = np.zeros(len(graph.hyperedges))
    for weight, steps in derivations:
        for h, times in Counter(steps).items():
            expected[h] += times * math.exp(weight) / total
    np.testing.assert_allclose(built(graph).marginals(), expected, rtol=1e-9, atol=0.0)


@settings(max_examples=150)
@given(listed(exact=True))
def test_viterbi_settles_ties_by_number(graph: Listed) -> None:
    """With exact sums: of all best derivations the first, by hyperedge numbers from left to right."""
    found = built(graph).viterbi()
    derivations = graph.derivations(graph.goal)
    if not derivations:
        assert found is None
        return
    top = max(weight for weight, _ in derivations)
    assert found == Derivation(top, min(steps for weight, steps in derivations if weight == top))


@settings(max_examples=150)
@given(listed())
def test_viterbi_is_the_best_of_all(graph: Listed) -> None:
    found = built(graph).viterbi()
    derivations = graph.derivations(graph.goal)
    if found is None:
        assert not derivations
    else:
        assert found in [Derivation(*derivation) for derivation in derivations]
        assert found.value == max(weight for weight, _ in derivations)


@settings(max_examples=150)
@given(listed())
def test_enumerate_lists_every_derivation_once_and_in_order(graph: Listed) -> None:
    found = list(built(graph).enumerate())
    assert [d.hyperedges for d in found] == sorted(steps for _, steps in graph.derivations(graph.goal))
    assert sorted(found) == sorted(Derivation(*d) for d in graph.derivations(graph.goal))


def into(graph: Hypergraph, node: int) -> list[int]:
    """The hyperedges that make a node."""
    return np.flatnonzero(graph.links.head == node).tolist()


def test_enumerate_is_lazy() -> None:
    forest = catalan(60).weigh(np.zeros(60 + 60 * 59 * 61 // 6))
    assert forest.inside(Semiring.COUNT)[forest.graph.goal] > 1e30
    first, second = islice(forest.enumerate(), 2)
    assert first.hyperedges < second.hyperedges
    assert len(first.hyperedges) == len(second.hyperedges) == 119


@pytest.mark.parametrize(("n", "count"), [(2, 1), (5, 14), (12, 58786)])
def test_bracketings_are_counted(n: int, count: int) -> None:
    graph = catalan(n)
    forest = graph.weigh(np.zeros(len(graph)))
    assert forest.inside(Semiring.COUNT)[graph.goal] == count
    assert forest.inside()[graph.goal] == pytest.approx(math.log(count))
    assert graph.names[graph.goal] == (0, n)
    assert graph.number[0, n] == graph.goal


def test_counts_beyond_floats_and_log_values_beyond_exp() -> None:
    """A node that is a tail twice, over and over: 2 ^ (2 ^ 12) light derivations."""
    builder = Builder()
    builder.add(0)
    builder.add(0)
    builder.node("nothing")
    for level in range(12):
        builder.add(level + 1, [level, level])
        builder.add(level + 1, [level, "nothing"])
    graph = builder.build(12)
    forest = graph.weigh([-3.0, -3.0] + [0.0] * 24)
    assert forest.inside(Semiring.COUNT)[graph.goal] == math.inf
    assert forest.inside()[graph.goal] == pytest.approx(2**12 * (math.log(2.0) - 3.0))
    assert forest.marginals()[:2] == pytest.approx([2**11, 2**11])
    best = forest.viterbi()
    assert best is not None
    assert len(best.hyperedges) == 2**13 - 1
    assert best.value == -3.0 * 2**12


def test_derivations_that_explode_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation, "MAX_STEPS", 10**6)
    builder = Builder()
    builder.add(0)
    for level in range(70):
        builder.add(level + 1, [level, level])
    forest = builder.build(70).weigh(np.zeros(71))
    assert forest.inside(Semiring.VITERBI)[-1] == 0.0
    with pytest.raises(InputError, match="more than 1000000 hyperedges"):
        forest.viterbi()


def bits(array: Any) -> bytes:
    return np.asarray(array, np.float64).tobytes()


@st.composite
def changes(draw: st.DrawFn) -> tuple[Listed, list[tuple[list[int], list[float]]]]:
    """Several changes of several weights each; -inf switches off."""
    graph = draw(listed(nodes=14, many=1e9).filter(lambda graph: len(graph.hyperedges) > 0))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    found = []
    for _ in range(draw(st.integers(1, 5))):
        size = int(rng.integers(1, min(4, len(graph.hyperedges)) + 1))
        chosen = rng.choice(len(graph.hyperedges), size, replace=False).tolist()
        weights = [float(rng.choice([-math.inf, *QUARTERS, 0.0, -0.0, rng.normal(0.0, 3.0)])) for _ in chosen]
        found.append((chosen, weights))
    return graph, found


@settings(max_examples=300)
@given(changes(), st.sampled_from(list(Semiring)))
def test_changes_equal_running_again_and_are_undone(
    case: tuple[Listed, list[tuple[list[int], list[float]]]], semiring: Semiring
) -> None:
    graph, steps = case
    forest = built(graph)
    change = forest.change(semiring)
    states = []
    for chosen, weights in steps:
        states.append((bits(change.values), bits(change.weights), change.value))
        value = change.reweigh(chosen, weights)
        again = forest.graph.weigh(change.weights)
        # To the last bit in every semiring: a node that changes is summed anew, in the same order.
        assert bits(change.values) == bits(again.inside(semiring))
        assert bits(value) == bits(again.inside(semiring)[graph.goal])
        if semiring == Semiring.VITERBI:
            assert change.viterbi() == again.viterbi()
    while states:
        assert change.undo() == states[-1][2]
        assert (bits(change.values), bits(change.weights)) == states.pop()[:2]
    if semiring == Semiring.VITERBI:
        assert change.viterbi() == forest.viterbi()
    with pytest.raises(InputError, match="no change to undo"):
        change.undo()


@settings(max_examples=100)
@given(listed(nodes=12, many=1e9), st.sampled_from([Semiring.VITERBI, Semiring.LOG]))
def test_switching_each_hyperedge_off_and_on(graph: Listed, semiring: Semiring) -> None:
    forest = built(graph)
    change = forest.change(semiring)
    for h in range(len(graph.hyperedges)):
        weights = forest.weights.copy()
        weights[h] = -math.inf
        expected = forest.graph.weigh(weights).inside(semiring)[graph.goal]
        np.testing.assert_allclose(change.switch_off(h), expected, rtol=1e-12)
        assert change.switch_on(h) == forest.inside(semiring)[graph.goal]
        change.undo()
        change.undo()
    assert bits(change.values) == bits(forest.inside(semiring))


def test_a_change_touches_only_what_it_reaches() -> None:
    graph = catalan(40)
    rng = np.random.default_rng(1)
    forest = graph.weigh(rng.normal(-1.0, 1.0, len(graph)))
    change = forest.change(Semiring.VITERBI)
    best = forest.viterbi()
    assert best is not None
    # No other hyperedge into the goal matters, until it is better than the best.
    other = next(h for h in graph.links.into[-39:].tolist() if h != best.hyperedges[0])
    assert (change.switch_off(other), change.reworked) == (best.value, 1)
    assert change.reweigh(other, 1e6) > best.value
    change.undo()
    # A span that the best derivation lacks: the change ends somewhere below.
    lacking = next(v for v in range(400, 800) if not set(into(graph, v)) & set(best.hyperedges))
    assert change.switch_off(into(graph, lacking)) == best.value
    assert 1 < change.reworked < 100
    # The axiom of the first word is below every span (0, k): those and what contains them, no other.
    log = forest.change(Semiring.LOG)
    log.switch_off([0])
    assert log.value == -math.inf
    assert log.reworked == 40
    assert len(graph.names) == 820


def test_wrong_changes_are_refused_before_anything_happens() -> None:
    graph = catalan(3)
    change = graph.weigh(np.zeros(len(graph))).change(Semiring.LOG)
    before = bits(change.values)
    with pytest.raises(InputError, match="hyperedge 1 weighs nan"):
        change.reweigh([0, 1], [0.0, math.nan])
    with pytest.raises(InputError, match=r"unknown hyperedge -1.*0 to 6"):
        change.switch_off([-1])
    with pytest.raises(InputError, match=r"unknown hyperedge 7.*0 to 6"):
        change.switch_on([7])
    with pytest.raises(InputError, match="twice"):
        change.switch_off([2, 2])
    with pytest.raises(InputError, match="LOG has no best derivation"):
        change.viterbi()
    assert bits(change.values) == before
    assert change.weights.tolist() == [0.0] * 7


def test_the_builder_orders_nodes() -> None:
    builder = Builder()
    assert builder.add("S", ["NP", "VP"], label="clause") == 0
    assert builder.add("NP", label="birds") == 1
    builder.add("VP", ["V", "NP"], label="transitive")
    builder.add("V", label="see")
    graph = builder.build("S")
    for h in range(len(graph)):
        assert all(tail < graph.links.head[h] for tail in graph.tails(h))
    assert [graph.names[t] for t in graph.tails(0)] == ["NP", "VP"]
    forest = graph.weigh({"clause": -0.5, "birds": -1.0, "transitive": 0.0, "see": -2.0}.__getitem__)
    assert forest.viterbi() == Derivation(-4.5, (0, 1, 2, 3, 1))
    assert forest.inside()[graph.number["VP"]] == -3.0
    assert repr(graph) == "Hypergraph(4 nodes, 4 hyperedges)"


@settings(max_examples=60)
@given(listed(), st.integers(0, 1 << 32))
def test_the_order_of_adding_does_not_matter(graph: Listed, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(graph.hyperedges)).tolist()
    names = rng.permutation(graph.nodes).tolist()
    builder = Builder()
    for h in order:
        head, tails, weight = graph.hyperedges[h]
        builder.add(names[head], [names[t] for t in tails], label=weight)
    for name in names:
        builder.node(name)
    forest = builder.build(names[graph.goal]).weigh(float)
    place = forest.graph.number
    expected = built(graph).inside()
    close([forest.inside()[place[name]] for name in names], expected)


def test_unknown_nodes_are_named() -> None:
    builder = Builder()
    builder.add("NP")
    builder.add("S", ["NP", "VP"])
    with pytest.raises(InputError, match=r"unknown node: hyperedge 1 needs 'VP'.*add\('VP'\)"):
        builder.build("S")
    with pytest.raises(InputError, match="the goal 'TOP' is no node"):
        builder.build("TOP")
    builder.node("VP")
    assert builder.build("S").weigh([0.0, 0.0]).viterbi() is None


@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_weights_must_be_weights(weight: float) -> None:
    graph = catalan(3)
    weights = np.zeros(len(graph))
    weights[4] = weight
    with pytest.raises(InputError, match=f"hyperedge 4 weighs {weight}"):
        graph.weigh(weights)
    with pytest.raises(InputError, match=r"shape \(2,\) for 7 hyperedges"):
        graph.weigh([0.0, 0.0])


def test_from_arrays() -> None:
    graph = Hypergraph.from_arrays(2, [0, 1, 2, 2], [0, 0, 0, 2, 3], [0, 1, 1])
    forest = graph.weigh([-1.0, -2.0, 0.0, -1.0])
    assert forest.viterbi() == Derivation(-3.0, (2, 0, 1))
    assert [d.hyperedges for d in forest.enumerate()] == [(2, 0, 1), (3, 1)]
    for wrong, what in (
        ((2, [0, 1, 2], [0, 0, 0], []), "ptr does not lay out"),
        ((2, [0.0, 1.0, 2.0], [0, 0, 0, 1], [2]), "head is an array of float64"),
        ((2, [0, 1, 2], [0, 0, 2, 1], [0]), "ptr does not lay out"),
        ((2, [[0, 1, 2]], [0, 0, 0, 1], [0]), r"head is an array of int64 of shape \(1, 3\)"),
        ((2, [0, -1, 2], [0, 0, 0, 1], [0]), "unknown node: a head is -1"),
        ((-1, [0], [0, 0], []), "unknown node: the goal is -1"),
    ):
        with pytest.raises(InputError, match=what):
            Hypergraph.from_arrays(*wrong)
    with pytest.raises(InputError, match="unknown node: a tail is 7"):
        Hypergraph.from_arrays(2, [0, 1, 2], [0, 0, 0, 1], [7], nodes=3)
    with pytest.raises(InputError, match="2 labels for 1 hyperedges"):
        Hypergraph.from_arrays(0, [0], [0, 0], [], labels=["a", "b"])


def test_nothing_can_be_written_to_not_even_in_a_copy() -> None:
    graph = catalan(3)
    forest = copy.deepcopy(graph.weigh(np.zeros(len(graph))))
    for array in (*graph.links, *forest.graph.links, forest.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert forest.viterbi() == Derivation(0.0, (5, 0, 4, 1, 2))
    assert graph.names == forest.graph.names


def test_importing_is_cheap() -> None:
    code = "import sys, secateur.hypergraph; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numba", "scipy", "sklearn"} & set(run.stdout.split())


def results() -> list[Any]:
    """A few figures of one hypergraph, and of changes to it."""
    graph = catalan(7)
    rng = np.random.default_rng(3)
    forest = graph.weigh(rng.normal(-1.0, 2.0, len(graph)).round(1))
    best = forest.viterbi()
    assert best is not None
    found: list[Any] = [best.value, list(best.hyperedges)]
    for semiring in Semiring:
        found += [forest.inside(semiring).tolist(), forest.outside(semiring).tolist()]
        change = forest.change(semiring)
        found += [[change.switch_off(h), change.reworked, change.undo()] for h in range(0, len(graph), 3)]
    found += [forest.marginals().tolist(), [list(d.hyperedges) for d in forest.kbest(5)]]
    return [*found, *round_cycles()]


def round_cycles() -> list[Any]:
    """The same for one with cycles."""
    rng = np.random.default_rng(4)
    head, ptr, tail = np.arange(30) % 6, np.r_[np.zeros(6, int), np.arange(25)], rng.integers(0, 6, 24)
    graph = Hypergraph.from_arrays(5, head, ptr, tail)
    forest = graph.weigh(rng.normal(-3.0, 0.5, 30).round(1))
    best = forest.viterbi()
    assert best is not None
    found: list[Any] = [best.value, list(best.hyperedges), *(d.value for d in forest.kbest(9))]
    found += [forest.inside(semiring).tolist() for semiring in Semiring]
    found += [forest.outside(semiring).tolist() for semiring in Semiring if semiring != Semiring.COUNT]
    several = graph.weigh_several(forest.weights[:, None] - [0.0, 0.5])
    found += [several.inside().tolist(), *(array.tolist() for array in several.posterior())]
    found.append(forest.expectations(np.eye(30)[:, :3]).tolist())
    change = forest.change()
    found += [[change.flip(h), change.work, change.reworked, change.undo()] for h in range(30)]
    return found


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="there is nothing compiled to compare with")
def test_same_results_without_compilation() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for plain, compiled in zip(json.loads(run.stdout), results(), strict=True):
        np.testing.assert_allclose(plain, compiled, rtol=1e-12)


if __name__ == "__main__":
    print(json.dumps(results()))
