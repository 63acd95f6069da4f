"""Small hypergraphs for tests, with cycles and without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from naive.hypergraph import Best, Listed
from secateur.hypergraph import Builder, Derivation, Hypergraph, Weighted

MANY = 3000  # derivations, more than which are not listed
QUARTERS = (-0.25, -0.5, -1.0, -2.0)


@st.composite
def listed(draw: st.DrawFn, *, exact: bool | None = None, nodes: int = 9, many: float = MANY) -> Listed:
    """Small hypergraphs with shared nodes, nodes that nothing makes, and weights of -inf.

    `exact` weights have exact and often equal sums; their order among ties is what is tested.
    """
    count = draw(st.integers(1, nodes))
    exact = draw(st.booleans()) if exact is None else exact
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    found = []
    for _ in range(draw(st.integers(0, 3 * count))):
        head = int(rng.integers(count))
        arity = int(rng.integers(4)) if head else 0
        tails = tuple(int(t) for t in rng.integers(0, max(head, 1), arity))
        weight = float(rng.choice(QUARTERS) if exact else rng.normal(-1.0, 3.0))
        found.append((head, tails, -math.inf if rng.random() < 0.08 else weight))
    graph = Listed(count, tuple(found), draw(st.integers(count // 2, count - 1)))
    assume(graph.size() <= many)
    return graph


def built(graph: Listed) -> Weighted:
    """By the builder, with the nodes' numbers for names."""
    builder = Builder()
    for node in range(graph.nodes):
        builder.node(node)
    for head, tails, weight in graph.hyperedges:
        builder.add(head, tails, label=weight)
    return builder.build(graph.goal).weigh(float)


def catalan(n: int) -> Hypergraph:
    """All binary bracketings of n words."""
    builder = Builder()
    for i in range(n):
        builder.add((i, i + 1))
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for j in range(i + 1, i + width):
                builder.add((i, i + width), [(i, j), (j, i + width)])
    return builder.build((0, n))


EXACT = (0.0, -0.25, -0.5, -1.0)


@st.composite
def cyclic(draw: st.DrawFn, *, weights: str = "any", nodes: int = 8, arity: int = 3) -> Listed:
    """Any heads and tails. Weights: "free" (<= 0, many ties, many of them 0), "strict" (below 0), "any",
    "subcritical" (all hyperedges into a node weigh at most 0.9, so that all sums are below 1)."""
    count = draw(st.integers(1, nodes))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    made = int(rng.integers(1, 3 * count + 2))
    exact = bool(rng.integers(2))
    found = []
    for _ in range(made):
        tails = tuple(int(t) for t in rng.integers(0, count, rng.choice(arity + 1, p=_shares(arity))))
        if weights == "free":
            weight = float(rng.choice(EXACT))
        elif weights == "strict":
            weight = float(rng.choice(EXACT[1:]) if exact else -rng.gamma(1.0) - 0.01)
        else:
            weight = float(rng.normal(-1.0, 1.5))
        found.append((int(rng.integers(count)), tails, -math.inf if rng.random() < 0.06 else weight))
    if weights == "subcritical":
        into = [sum(math.exp(w) for head, _, w in found if head == v) / 0.9 for v in range(count)]
        found = [(head, tails, w - math.log(into[head]) if into[head] else w) for head, tails, w in found]
    return Listed(count, tuple(found), int(rng.integers(count)))


def _shares(arity: int) -> list[float]:
    shares = [0.25, 0.35, 0.3, 0.1][: arity + 1]
    return [share / sum(shares) for share in shares]


def from_arrays(graph: Listed) -> Weighted:
    """From arrays: nodes keep their numbers."""
    head = [head for head, _, _ in graph.hyperedges]
    ptr = np.cumsum([0, *(len(tails) for _, tails, _ in graph.hyperedges)])
    tail = [t for _, tails, _ in graph.hyperedges for t in tails]
    weights = [weight for _, _, weight in graph.hyperedges]
    return Hypergraph.from_arrays(graph.goal, head, ptr, tail, nodes=graph.nodes).weigh(weights)


def reweighed(graph: Listed, weights: Any) -> Listed:
    now = tuple((*one[:2], float(w)) for one, w in zip(graph.hyperedges, weights, strict=True))
    return graph._replace(hyperedges=now)


def agree(found: Derivation | None, expected: Best, goal: int) -> None:
    if expected.steps is None:
        assert found is None
    else:
        assert found == Derivation(expected.value[goal], expected.steps)
