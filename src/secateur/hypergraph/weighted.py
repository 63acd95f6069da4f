"""Weighted: the dynamic programs over a hypergraph with weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from secateur.hypergraph.change import Change
from secateur.hypergraph.derivation import Derivation, best
from secateur.hypergraph.links import IMPOSSIBLE, Floats
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
        """[N] the sum over all derivations of each node."""
        return self._inside(semiring)[0]

    def outside(self, semiring: Semiring = Semiring.LOG) -> Floats:
        """[N] the sum over all that can stand around each node in a derivation of the goal."""
        return self._outside(semiring, self.inside(semiring))

    def marginals(self) -> Floats:
        """[H] how often each hyperedge is expected in a derivation of the goal, drawn by weight.

        0 where there is no derivation. A node's share is the sum over the hyperedges into it.
        """
        value, made = self._inside(Semiring.LOG)
        over = self._outside(Semiring.LOG, value)
        found: Floats = kernel().marginals(self.graph.links, made, over, value[self.graph.goal])
        return found

    def viterbi(self) -> Derivation | None:
        """The best derivation of the goal, None where there is none.

        The order: at each node the larger value (the sum weight + first tail + second tail ... in float64),
        then the hyperedge with the smaller number.
        """
        return best(self.graph.links, self.graph.goal, *self._inside(Semiring.VITERBI))

    def enumerate(self) -> Iterator[Derivation]:
        """All derivations of the goal, one after the other, by their hyperedge numbers from left to right."""
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

    def change(self, semiring: Semiring = Semiring.VITERBI) -> Change:
        """To see what other weights would do, without running everything again."""
        return Change(self, semiring, *self._inside(semiring))

    def _inside(self, semiring: Semiring) -> tuple[Floats, Floats]:
        """Values of nodes [N], and what each hyperedge makes [H]."""
        value, made = kernel().inside(int(semiring), self.graph.links, self.weights)
        return value, made

    def _outside(self, semiring: Semiring, value: Floats) -> Floats:
        over: Floats = kernel().outside(int(semiring), self.graph.links, self.weights, value, self.graph.goal)
        return over

    def _usable(self, node: int, alive: npt.NDArray[np.bool_]) -> Iterator[int]:
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
