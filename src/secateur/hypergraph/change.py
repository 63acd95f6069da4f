"""Change: what other weights would do, worked out from what they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.derivation import Derivation, best
from secateur.hypergraph.links import IMPOSSIBLE, Floats, Index, Ints, checked_weights
from secateur.hypergraph.semiring import Semiring, kernel

if TYPE_CHECKING:
    from secateur.hypergraph.weighted import Weighted


class _Scratch(NamedTuple):
    """Room to propagate a change in, and its list of what to undo."""

    heap: Index  # [N] nodes that wait
    first: Index  # [N] the first of their hyperedges to work out ...
    after: Index  # [H] ... and the next one
    marked: npt.NDArray[np.bool_]  # [H]
    hyperedge: Index  # [H] worked out again ...
    old_made: Floats  # [H] ... and what they made before
    node: Index  # [N] changed ...
    old_value: Floats  # [N] ... and what they were before


class _Undo(NamedTuple):
    """What one change has overwritten."""

    changed: Ints
    weights: Floats
    hyperedges: Index
    made: Floats
    nodes: Index
    values: Floats


class Change:
    """Values under changed weights: only what differs is worked out, and each change can be undone.

    Values are the same as those of running anew, to the last bit. The arrays are those in use: to be read.
    """

    def __init__(self, start: Weighted, semiring: Semiring, values: Floats, made: Floats) -> None:
        self.start = start
        self.semiring = semiring
        self.weights = start.weights.copy()  # [H] as changed
        self.values = values  # [N] as changed
        self.reworked = 0  # nodes that the last change worked out
        self.made = made  # [H] what each hyperedge makes, as changed
        self._undo: list[_Undo] = []
        nodes, hyperedges = len(values), len(made)
        self._scratch = _Scratch(
            np.empty(nodes, np.uint32),
            np.full(nodes, 0xFFFFFFFF, np.uint32),
            np.empty(hyperedges, np.uint32),
            np.zeros(hyperedges, np.bool_),
            np.empty(hyperedges, np.uint32),
            np.empty(hyperedges),
            np.empty(nodes, np.uint32),
            np.empty(nodes),
        )

    @property
    def value(self) -> float:
        """The goal's."""
        return float(self.values[self.start.graph.goal])

    def reweigh(self, hyperedges: npt.ArrayLike, weights: npt.ArrayLike) -> float:
        """Give these hyperedges these weights; the goal's value then."""
        changed = self._numbers(hyperedges)
        new = checked_weights(np.broadcast_to(np.asarray(weights, np.float64), changed.shape), changed)
        before = self.weights[changed]
        self.weights[changed] = new
        room = self._scratch
        made, self.reworked, nodes = kernel().propagate(
            int(self.semiring),
            self.start.graph.links,
            self.weights,
            self.values,
            self.made,
            changed,
            room,
        )
        self._undo.append(
            _Undo(
                changed,
                before,
                room.hyperedge[:made].copy(),
                room.old_made[:made].copy(),
                room.node[:nodes].copy(),
                room.old_value[:nodes].copy(),
            )
        )
        return self.value

    def switch_off(self, hyperedges: npt.ArrayLike) -> float:
        """As if these hyperedges were not there; the goal's value then."""
        return self.reweigh(hyperedges, IMPOSSIBLE)

    def switch_on(self, hyperedges: npt.ArrayLike) -> float:
        """Give these hyperedges the weights they had at the start; the goal's value then."""
        return self.reweigh(hyperedges, self.start.weights[self._numbers(hyperedges)])

    def undo(self) -> float:
        """Take the newest change back that is not taken back yet; the goal's value then."""
        if not self._undo:
            raise InputError("there is no change to undo", fix="undo each change once")
        last = self._undo.pop()
        self.weights[last.changed] = last.weights
        self.made[last.hyperedges] = last.made
        self.values[last.nodes] = last.values
        return self.value

    def viterbi(self) -> Derivation | None:
        """The best derivation under the weights as changed, for a change in Semiring.VITERBI."""
        if self.semiring != Semiring.VITERBI:
            raise InputError(
                f"{self.semiring.name} has no best derivation", fix="make the change with Semiring.VITERBI"
            )
        graph = self.start.graph
        return best(graph.links, graph.goal, self.values, self.made)

    def _numbers(self, hyperedges: npt.ArrayLike) -> Ints:
        found = np.array(hyperedges, np.int64, ndmin=1)
        wrong = found[(found < 0) | (found >= len(self.weights))]
        if len(wrong):
            raise InputError(
                f"unknown hyperedge {wrong[0]}", fix=f"hyperedges are 0 to {len(self.weights) - 1}"
            )
        if len(found) > 1 and len(np.unique(found)) < len(found):
            raise InputError("a hyperedge is to change twice at once", fix="name each one once")
        return found
