"""Weighted: the dynamic programs over a hypergraph with weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph import posterior
from secateur.hypergraph.change import Change, chart_of
from secateur.hypergraph.derivation import Derivation, best
from secateur.hypergraph.kbest import kbest
from secateur.hypergraph.links import IMPOSSIBLE, Bools, Floats
from secateur.hypergraph.posterior import Posterior
from secateur.hypergraph.semiring import Semiring, kernel

if TYPE_CHECKING:
    from secateur.hypergraph.graph import Hypergraph


@dataclass(frozen=True, eq=False)
class Weighted:
    """A hypergraph with weights: what to run dynamic programs on."""

    graph: Hypergraph
    weights: Floats  # [H] natural logs, read-only

    def __reduce__(self) -> tuple[Any, ...]:
        return self.graph.weigh, (self.weights,)

    def inside(self, semiring: Semiring = Semiring.LOG) -> Floats:
        """[N] the sum over all derivations of each node.

        With cycles, sums must converge, and the best must not get better by going round: refused where not.
        """
        if not self.graph.cyclic or semiring in (Semiring.VITERBI, Semiring.BOOLEAN):
            return chart_of(self.graph, semiring, self.weights).value
        if semiring == Semiring.LOG:
            return posterior.inside(self.graph, self.weights[:, None])[:, 0]
        alive = chart_of(self.graph, Semiring.BOOLEAN, self.weights).made > 0.0
        counts: Floats = kernel("sums").count(self.graph.links, self.weights, alive)
        return counts

    def outside(self, semiring: Semiring = Semiring.LOG) -> Floats:
        """[N] the sum over all that can stand around each node in a derivation of the goal."""
        value = self.inside(semiring)
        graph = self.graph
        if not graph.cyclic:
            over: Floats = kernel().outside(int(semiring), graph.links, self.weights, value, graph.goal)
            return over
        if semiring == Semiring.COUNT:
            raise InputError("what can stand around a node is not counted round cycles", fix="take BOOLEAN")
        kind = Semiring.BOOLEAN if semiring == Semiring.BOOLEAN else Semiring.VITERBI
        over, wrong = kernel("best_first").outside(int(kind), graph.links, self.weights, value, graph.goal)
        if wrong < 0 and semiring == Semiring.LOG:
            over, wrong = kernel("sums").outside(graph.links, self.weights, value, over, graph.goal)
        if wrong >= 0:
            raise posterior.diverging(graph, wrong)
        return over

    def posterior(self) -> Posterior:
        """How often each node [N] and each hyperedge [H] is expected in a derivation of the goal."""
        found = posterior.posterior(self.graph, self.weights[:, None])
        return Posterior(found.nodes[:, 0], found.hyperedges[:, 0])

    def marginals(self) -> Floats:
        """[H] how often each hyperedge is expected in a derivation of the goal, drawn by weight.

        0 where there is no derivation. A node's share is the sum over the hyperedges into it.
        """
        return self.posterior().hyperedges

    def expectations(self, amounts: npt.ArrayLike) -> Floats:
        """[N, q] the expected totals of several amounts [H, q] in a derivation of each node, drawn by weight.

        An amount of 1 counts, others weigh: length, cost, distance. 0 where there is no derivation.
        """
        return posterior.expectations(self.graph, self.weights, amounts)

    def viterbi(self) -> Derivation | None:
        """The best derivation of the goal, None where there is none.

        The order: at each node the larger value (the sum weight + first tail + second tail ... in float64),
        then, where a cycle can be followed at no cost, the fewer such steps, then the hyperedge with the
        smaller number.
        """
        return best(self.graph.links, self.graph.goal, chart_of(self.graph, Semiring.VITERBI, self.weights))

    def kbest(self, k: int) -> list[Derivation]:
        """The k best derivations of the goal, or as many as there are, the first being Viterbi's.

        The order: the larger value, then the hyperedge with the smaller number, then by this order the
        derivations of its tails, from left to right.
        """
        return kbest(self, k, chart_of(self.graph, Semiring.VITERBI, self.weights))

    def enumerate(self) -> Iterator[Derivation]:
        """All derivations of the goal, one after the other, by their hyperedge numbers from left to right."""
        if self.graph.cyclic:
            raise InputError(
                "derivations that go round cycles have no end", fix="kbest(k) lists the best of them"
            )
        return self._enumerate()

    def change(self, semiring: Semiring = Semiring.VITERBI, *, kept: npt.ArrayLike | None = None) -> Change:
        """To see what other weights would do, without running everything again; from all hyperedges, or only
        those with a bit in `kept` [H]."""
        return Change(self, semiring, kept)

    def _enumerate(self) -> Iterator[Derivation]:
        alive = self.inside(Semiring.BOOLEAN) > 0
        path: list[int] = []
        # For each step on the path and the one to come: what is left to try, and the nodes that wait then.
        frames: list[tuple[Iterator[int], Any]] = [(self._usable(self.graph.goal, alive), ())]
        while frames:
            choices, waiting = frames[-1]
            hyperedge = next(choices, None)
            if hyperedge is None:
                frames.pop()
                if path:
                    path.pop()
                continue
            path.append(hyperedge)
            for node in reversed(self.graph.tails(hyperedge)):
                waiting = (node, waiting)
            if waiting:
                node, waiting = waiting
                frames.append((self._usable(node, alive), waiting))
            else:
                yield Derivation(self._value(path), tuple(path))
                path.pop()

    def _usable(self, node: int, alive: Bools) -> Iterator[int]:
        """Hyperedges into a node that are part of some derivation."""
        links = self.graph.links
        for hyperedge in links.into[links.into_ptr[node] : links.into_ptr[node + 1]].tolist():
            if self.weights[hyperedge] > IMPOSSIBLE and alive[self.graph.tails(hyperedge)].all():
                yield hyperedge

    def _value(self, hyperedges: list[int]) -> float:
        """Summed as the kernel sums."""
        values: list[float] = []
        for hyperedge in reversed(hyperedges):
            found = float(self.weights[hyperedge])
            for _ in self.graph.tails(hyperedge):
                found += values.pop()
            values.append(found)
        return values.pop()
