"""Posteriors: what is expected in a derivation drawn by weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.links import Floats
from secateur.hypergraph.semiring import kernel

if TYPE_CHECKING:
    from secateur.hypergraph.graph import Hypergraph


class Posterior(NamedTuple):
    """How often each is expected in a derivation of the goal, drawn by weight; 0 where there is none."""

    nodes: Floats  # [N] or [N, w]
    hyperedges: Floats  # [H] or [H, w]


def diverging(graph: Hypergraph, node: int) -> InputError:
    """A sum that has no end."""
    return InputError(
        f"the sum over the cycles through node {graph.names[node]!r} diverges, or is too near to that",
        fix="cycles need weights that sum to less than 1",
    )


def inside(graph: Hypergraph, weights: Floats) -> Floats:
    """[N, w] logs of the sums over all derivations of each node, for weights [H, w]."""
    value, wrong = kernel("sums").inside(graph.links, weights)
    if wrong >= 0:
        raise diverging(graph, wrong)
    found: Floats = value
    return found


def posterior(graph: Hypergraph, weights: Floats) -> Posterior:
    """[N, w] and [H, w], for weights [H, w]."""
    value = inside(graph, weights)
    nodes, hyperedges, wrong = kernel("sums").posterior(graph.links, weights, value, graph.goal)
    if wrong >= 0:
        raise diverging(graph, wrong)
    return Posterior(nodes, hyperedges)


def expectations(graph: Hypergraph, weights: Floats, amounts: npt.ArrayLike) -> Floats:
    """[N, q] the expected total of amounts [H, q] in a derivation of each node."""
    given = np.ascontiguousarray(amounts, np.float64)
    if given.ndim != 2 or len(given) != len(graph):
        raise InputError(
            f"amounts of shape {given.shape} for {len(graph)} hyperedges", fix="give one row for each"
        )
    if not np.isfinite(given).all():
        h = int(np.argwhere(~np.isfinite(given))[0, 0])
        raise InputError(f"hyperedge {h} has an amount that is not finite", fix="amounts are finite")
    columns = weights[:, None]
    mean, wrong = kernel("sums").expectations(graph.links, columns, inside(graph, columns), given)
    if wrong >= 0:
        raise diverging(graph, wrong)
    found: Floats = mean
    return found
