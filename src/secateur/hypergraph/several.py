"""Several: sums over a hypergraph under several weightings at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from secateur.hypergraph.links import Floats
from secateur.hypergraph.posterior import Posterior, inside, posterior

if TYPE_CHECKING:
    from secateur.hypergraph.graph import Hypergraph


@dataclass(frozen=True, eq=False)
class Several:
    """A hypergraph with several weights a hyperedge; each pass goes over it once for all of them."""

    graph: Hypergraph
    weights: Floats  # [H, w] natural logs, read-only

    def __reduce__(self) -> tuple[Any, ...]:
        return self.graph.weigh_several, (self.weights,)

    def inside(self) -> Floats:
        """[N, w] logs of the sums over all derivations of each node."""
        return inside(self.graph, self.weights)

    def posterior(self) -> Posterior:
        """[N, w] and [H, w] how often each is expected in a derivation of the goal."""
        return posterior(self.graph, self.weights)
