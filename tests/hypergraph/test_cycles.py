"""Hypergraphs with cycles against rounds over all hyperedges, bounded enumeration and dense solutions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hypergraph_cases import agree, cyclic, from_arrays
from naive.hypergraph import Listed
from secateur.errors import InputError
from secateur.hypergraph import Builder, Derivation, Hypergraph, Weighted
from secateur.hypergraph.semiring import Semiring


@settings(max_examples=200)
@given(st.sampled_from(["free", "strict", "any"]).flatmap(lambda weights: cyclic(weights=weights)))
def test_the_best_is_that_of_the_twin(graph: Listed) -> None:
    """To the last bit; and refused where, and only where, a hyperedge is better than its tails in a cycle."""
    expected = graph.best()
    if expected is None:
        with pytest.raises(InputError, match=r"hyperedge \d+ .*is better than a tail of it, in a cycle"):
            from_arrays(graph).viterbi()
        return
    forest = from_arrays(graph)
    assert forest.inside(Semiring.VITERBI).tolist() == expected.value
    agree(forest.viterbi(), expected, graph.goal)


@settings(max_examples=100)
@given(cyclic(weights="free", nodes=5, arity=2))
def test_the_best_is_the_best_of_all(graph: Listed) -> None:
    """The best derivation has no node above itself, so those as deep as there are nodes suffice."""
    assume(graph.bounded_size(graph.nodes) <= 5000)
    listed = graph.bounded(graph.nodes)
    forest = from_arrays(graph)
    found = forest.viterbi()
    tops = [max((weight for weight, _ in ways), default=-math.inf) for ways in listed]
    assert forest.inside(Semiring.VITERBI).tolist() == tops
    assert forest.inside(Semiring.BOOLEAN).tolist() == [float(bool(ways)) for ways in listed]
    assert found is None if not listed[graph.goal] else tuple(found) in listed[graph.goal]


@settings(max_examples=100)
@given(cyclic(weights="free", nodes=6, arity=2))
def test_counts_are_infinite_where_a_cycle_can_be_followed(graph: Listed) -> None:
    n = graph.nodes
    assume(graph.bounded_size(2 * n) <= 5000)
    short, long = graph.bounded(n), graph.bounded(2 * n)
    # A node with a derivation that repeats has one between n and 2 n deep.
    expected = [len(a) if len(a) == len(b) else math.inf for a, b in zip(short, long, strict=True)]
    assert from_arrays(graph).inside(Semiring.COUNT).tolist() == expected


@settings(max_examples=100)
@given(cyclic(weights="subcritical"))
def test_sums_lie_between_bounds_and_equal_many_rounds(graph: Listed) -> None:
    forest = from_arrays(graph)
    found = np.exp(forest.inside())
    none = np.zeros((len(graph.hyperedges), 0))
    if graph.bounded_size(3) <= 3000:
        # Derivations up to a depth from below; from above as many rounds from 1, which is above every sum.
        listed = [math.fsum(math.exp(w) for w, _ in ways) for ways in graph.bounded(3)]
        above, _ = graph.summed(none, 3, start=1.0)
        assert np.all(np.array(listed) <= found * (1 + 1e-12))
        assert np.all(found <= above.astype(float) * (1 + 1e-12))
    expected, _ = graph.summed(none, 3000)
    np.testing.assert_allclose(found, expected.astype(float), rtol=1e-10)


@settings(max_examples=100)
@given(cyclic(weights="subcritical", nodes=6), st.integers(0, 1 << 32))
def test_expectations_and_posteriors_equal_many_rounds(graph: Listed, seed: int) -> None:
    forest = from_arrays(graph)
    hyperedges = len(graph.hyperedges)
    amounts = np.concatenate(
        (np.eye(hyperedges), np.random.default_rng(seed).normal(size=(hyperedges, 2))), axis=1
    )
    total, moment = graph.summed(amounts, 3000)
    mean = np.zeros(moment.shape)
    mean[total > 0] = moment[total > 0] / total[total > 0, None]
    np.testing.assert_allclose(forest.expectations(amounts), mean, rtol=1e-8, atol=1e-10)
    posterior = forest.posterior()
    np.testing.assert_allclose(posterior.hyperedges, mean[graph.goal, :hyperedges], rtol=1e-8, atol=1e-10)
    into = [posterior.hyperedges[forest.graph.links.head == v].sum() for v in range(graph.nodes)]
    np.testing.assert_allclose(posterior.nodes, into, rtol=1e-8, atol=1e-10)
    assert np.array_equal(forest.marginals(), posterior.hyperedges)


@settings(max_examples=100)
@given(cyclic(weights="subcritical", nodes=6))
def test_outside_is_what_stands_around(graph: Listed) -> None:
    """over = d value(goal) / d value(node): solved densely, nodes without a derivation included."""
    forest = from_arrays(graph)
    value = np.exp(forest.inside())
    slope = np.zeros((graph.nodes, graph.nodes))
    for head, tails, weight in graph.hyperedges:
        for p, t in enumerate(tails):
            rest = math.prod(value[u] for q, u in enumerate(tails) if q != p)
            slope[t, head] += math.exp(weight) * rest
    assume(max(abs(np.linalg.eigvals(slope))) < 0.999)
    expected = np.linalg.solve(np.eye(graph.nodes) - slope, np.eye(graph.nodes)[graph.goal])
    np.testing.assert_allclose(np.exp(forest.outside()), expected, rtol=1e-8, atol=1e-12)
    reached = forest.outside(Semiring.BOOLEAN)
    assert np.array_equal(reached > 0, expected > 1e-300)


@settings(max_examples=60)
@given(cyclic(weights="free", nodes=6))
def test_the_best_outside(graph: Listed) -> None:
    """Rounds over all places until nothing rises."""
    forest = from_arrays(graph)
    value = forest.inside(Semiring.VITERBI)
    over = np.full(graph.nodes, -math.inf)
    over[graph.goal] = 0.0
    for _ in range(graph.nodes):
        for head, tails, weight in graph.hyperedges:
            for p, t in enumerate(tails):
                over[t] = max(
                    over[t], over[head] + weight + sum(value[u] for q, u in enumerate(tails) if q != p)
                )
    assert forest.outside(Semiring.VITERBI).tolist() == over.tolist()


@settings(max_examples=150)
@given(cyclic(weights="any", nodes=5))
def test_sums_converge_or_are_refused(graph: Listed) -> None:
    none = np.zeros((len(graph.hyperedges), 0))
    with np.errstate(over="ignore", invalid="ignore"):
        before, expected = (graph.summed(none, rounds)[0].astype(float) for rounds in (400, 800))
    settled = np.isfinite(expected).all() and np.allclose(before, expected, rtol=1e-9)
    forest = from_arrays(graph)
    try:
        found = np.exp(forest.inside())
    except InputError:
        found = None
    if found is None:
        assert not settled
        with pytest.raises(InputError, match="diverges"):
            forest.marginals()
    else:
        assert np.all(found >= expected * (1 - 1e-9))
        if settled:
            np.testing.assert_allclose(found, expected, rtol=1e-6)


@settings(max_examples=150)
@given(cyclic(weights="strict", nodes=6, arity=2), st.integers(1, 12))
def test_the_k_best_round_cycles(graph: Listed, k: int) -> None:
    assert from_arrays(graph).kbest(k) == [Derivation(*one) for one in graph.kbest(k)]


def loop(weight: float, axiom: float = math.log(0.5)) -> Weighted:
    builder = Builder()
    builder.add("a", label=axiom)
    builder.add("a", ["a"], label=weight)
    return builder.build("a").weigh(float)


def test_a_loop() -> None:
    forest = loop(math.log(0.25))
    assert forest.graph.cyclic
    assert forest.inside()[0] == pytest.approx(math.log(0.5 / 0.75))
    assert forest.marginals().tolist() == pytest.approx([1.0, 1 / 3])
    assert [d.hyperedges for d in forest.kbest(3)] == [(0,), (1, 0), (1, 1, 0)]
    assert forest.inside(Semiring.COUNT)[0] == math.inf
    for call, what in (
        (forest.enumerate, "derivations that go round cycles have no end"),
        (lambda: forest.outside(Semiring.COUNT), "not counted round cycles"),
        (lambda: forest.change(Semiring.LOG), "changes in LOG are not followed round cycles"),
    ):
        with pytest.raises(InputError, match=what):
            call()


def test_a_loop_that_costs_nothing() -> None:
    forest = loop(0.0)
    assert forest.viterbi() == Derivation(math.log(0.5), (0,))
    assert forest.kbest(1) == [forest.viterbi()]
    with pytest.raises(InputError, match=r"hyperedge 1 \('a' from 'a'\) costs nothing, in a cycle"):
        forest.kbest(2)
    for run in (forest.inside, forest.marginals, forest.outside):
        with pytest.raises(InputError, match="the cycles through node 'a' diverges"):
            run()


def test_a_loop_that_pays() -> None:
    forest = loop(0.1)
    with pytest.raises(InputError, match=r"hyperedge 1 \('a' from 'a'\) is better than a tail.*weights <= 0"):
        forest.viterbi()
    with pytest.raises(InputError, match="diverges"):
        forest.inside()
    # Where nothing can be derived there is nothing to diverge.
    dead = loop(0.1, -math.inf)
    assert dead.inside().tolist() == [-math.inf]
    assert dead.viterbi() is None
    assert dead.marginals().tolist() == [0.0, 0.0]
    assert dead.inside(Semiring.COUNT).tolist() == [0.0]


@pytest.mark.parametrize(
    ("p", "q", "finite"), [(0.6, 0.4, True), (0.4, 0.6, True), (0.5, 0.5, False), (0.6, 0.6, False)]
)
def test_branching(p: float, q: float, finite: bool) -> None:
    """x = p + q x^2: the smaller root, where there is one; 1/2 and 1/2 is the edge of divergence."""
    builder = Builder()
    builder.add("x", label=p)
    builder.add("x", ["x", "x"], label=q)
    forest = builder.build("x").weigh(math.log)
    if not finite:
        with pytest.raises(InputError, match="diverges, or is too near to that"):
            forest.inside()
        return
    root = (1 - math.sqrt(1 - 4 * p * q)) / (2 * q)
    assert math.exp(forest.inside()[0]) == pytest.approx(root, rel=1e-12)
    # Each expansion makes 2 q x^2 / x = 2 q x new ones.
    assert forest.posterior().nodes[0] == pytest.approx(1 / (1 - 2 * q * root), rel=1e-12)


def test_weights_beyond_floats() -> None:
    """Sums of exp(-3000): relative to the best derivation nothing underflows."""
    builder = Builder()
    builder.add("x", label=-3000.0)
    builder.add("a", ["x"], label=-1000.0)
    builder.add("a", ["b", "x"], label=2990.0)
    builder.add("b", ["a"], label=-1.0)
    forest = builder.build("b").weigh(float)
    # a = e^-4000 + e^-10 b, b = e^-1 a
    rounds = -math.log1p(-math.exp(-11))
    assert forest.inside() == pytest.approx([-3000.0, -4000.0 + rounds, -4001.0 + rounds], rel=1e-15)


@pytest.mark.parametrize("size", [3, 200, 300])
def test_rings_small_and_large(size: int) -> None:
    """A ring with chords, linear: 300 nodes are above what is solved by a matrix."""
    rng = np.random.default_rng(5)
    head, tail = np.tile(np.arange(size), 2), rng.integers(0, size, 2 * size)
    tail[:size] = np.roll(np.arange(size), 1)
    weight = np.log(rng.random(2 * size) * 0.45)
    ptr = np.concatenate((np.arange(2 * size + 1), [2 * size]))
    graph = Hypergraph.from_arrays(0, [*head, 1], ptr, tail)
    forest = graph.weigh([*weight, 0.0])
    matrix = np.zeros((size, size))
    np.add.at(matrix, (head, tail), np.exp(weight))
    start = np.eye(size)[1]
    value = np.linalg.solve(np.eye(size) - matrix, start)
    np.testing.assert_allclose(np.exp(forest.inside()), value, rtol=1e-10)
    over = np.linalg.solve(np.eye(size) - matrix.T, np.eye(size)[0])
    np.testing.assert_allclose(np.exp(forest.outside()), over, rtol=1e-10)
    posterior = forest.posterior()
    np.testing.assert_allclose(posterior.nodes, over * value / value[0], rtol=1e-10)
    made = np.exp([*weight, 0.0]) * [*value[tail], 1.0]
    np.testing.assert_allclose(posterior.hyperedges, over[[*head, 1]] * made / value[0], rtol=1e-10)
    lengths = forest.expectations(np.ones((len(graph), 1)))
    assert lengths[0, 0] == pytest.approx(posterior.hyperedges.sum(), rel=1e-10)
    best = forest.viterbi()
    assert best is not None
    assert len(set(best.hyperedges)) == len(best.hyperedges) <= size


def test_the_builder_orders_what_it_can() -> None:
    builder = Builder()
    builder.add("top", ["a"], label=-1.0)
    builder.add("a", ["b", "x"], label=-1.0)
    builder.add("x", label=-1.0)
    builder.add("b", ["c"], label=-1.0)
    builder.add("c", ["x", "a"], label=-1.0)
    builder.add("c", ["x"], label=-1.0)
    graph = builder.build("top")
    assert graph.cyclic
    assert (graph.names[0], graph.names[-1]) == ("x", "top")
    assert graph.links.order.tolist() == [0, 1, 2, 3, 4]
    assert graph.links.component_ptr.tolist() == [0, 1, 4, 5]
    assert graph.links.cyclic.tolist() == [False, True, False]
    assert graph.weigh(float).viterbi() == Derivation(-6.0, (0, 1, 3, 5, 2, 2))


@settings(max_examples=100)
@given(cyclic())
def test_components_are_what_needs_each_other(graph: Listed) -> None:
    links = from_arrays(graph).graph.links
    assert sorted(links.order.tolist()) == list(range(graph.nodes))
    for v, others in enumerate(graph.together()):
        alike = set(np.flatnonzero(links.component == links.component[v]).tolist())
        assert alike == others | {v}
        assert links.cyclic[links.component[v]] == bool(others)
        for h in np.flatnonzero(links.head == v).tolist():
            assert np.all(links.component[links.tail[links.ptr[h] : links.ptr[h + 1]]] <= links.component[v])
