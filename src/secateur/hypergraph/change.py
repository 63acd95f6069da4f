"""Change: what other weights would do, worked out from what they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.derivation import Chart, Derivation, best
from secateur.hypergraph.links import IMPOSSIBLE, Bools, Floats, Index, Ints, checked_weights
from secateur.hypergraph.semiring import Semiring, kernel

if TYPE_CHECKING:
    from secateur.hypergraph.graph import Hypergraph
    from secateur.hypergraph.weighted import Weighted


class _Undo(NamedTuple):
    """What one change has overwritten."""

    changed: Ints
    weights: Floats
    hyperedges: Index
    made: Floats
    nodes: Index
    values: Floats
    heights: Index
    work: int


class Change:
    """Values under changed weights: only what differs is worked out, and each change can be undone.

    Values are the same as those of running anew, to the last bit. The arrays are those in use: to be read.
    With cycles: in Semiring.VITERBI and BOOLEAN. A change that makes going round a cycle better is refused
    and leaves everything as it was.
    """

    def __init__(self, start: Weighted, semiring: Semiring, kept: npt.ArrayLike | None = None) -> None:
        graph = start.graph
        if graph.cyclic and semiring not in (Semiring.VITERBI, Semiring.BOOLEAN):
            raise InputError(
                f"changes in {semiring.name} are not followed round cycles",
                fix="take VITERBI or BOOLEAN, or weigh and run again",
            )
        self.start = start
        self.semiring = semiring
        self.kept = _bits(kept, len(graph)) & (start.weights > IMPOSSIBLE)  # [H] as changed
        self.weights = np.where(self.kept, start.weights, IMPOSSIBLE)  # [H] as changed
        self.reworked = 0  # nodes that the last change worked out
        self._chart = chart_of(graph, semiring, self.weights)
        self.values = self._chart.value  # [N] as changed
        self.made = self._chart.made  # [H] what each hyperedge makes, as changed
        self.work = int(np.count_nonzero(self.made > semiring.zero))  # hyperedges whose tails can all be made
        self._undo: list[_Undo] = []
        self._room = kernel("best_first").room_for(len(self.values), len(self.made))
        self._queue = kernel("change").queue_for(graph.links)

    @property
    def value(self) -> float:
        """The goal's."""
        return float(self.values[self.start.graph.goal])

    def reweigh(self, hyperedges: npt.ArrayLike, weights: npt.ArrayLike) -> float:
        """Give these hyperedges these weights; the goal's value then."""
        changed = self._numbers(hyperedges)
        new = checked_weights(np.broadcast_to(np.asarray(weights, np.float64), changed.shape), changed)
        return self._apply(changed, new)

    def switch_off(self, hyperedges: npt.ArrayLike) -> float:
        """As if these hyperedges were not there; the goal's value then."""
        changed = self._numbers(hyperedges)
        return self._apply(changed, np.full(len(changed), IMPOSSIBLE))

    def switch_on(self, hyperedges: npt.ArrayLike) -> float:
        """Give these hyperedges the weights they had at the start; the goal's value then."""
        changed = self._numbers(hyperedges)
        return self._apply(changed, self.start.weights[changed])

    def flip(self, hyperedges: npt.ArrayLike) -> float:
        """Switch those of these hyperedges off that are kept, the others on; the goal's value then."""
        changed = self._numbers(hyperedges)
        return self._apply(changed, np.where(self.kept[changed], IMPOSSIBLE, self.start.weights[changed]))

    def undo(self) -> float:
        """Take the newest change back that is not taken back yet; the goal's value then."""
        if not self._undo:
            raise InputError("there is no change to undo", fix="undo each change once")
        last = self._undo.pop()
        self.weights[last.changed] = last.weights
        self.kept[last.changed] = last.weights > IMPOSSIBLE
        self.made[last.hyperedges] = last.made
        self.values[last.nodes] = last.values
        if len(self._chart.height):
            self._chart.height[last.nodes] = last.heights
        self.work = last.work
        return self.value

    def viterbi(self) -> Derivation | None:
        """The best derivation under the weights as changed, for a change in Semiring.VITERBI."""
        if self.semiring != Semiring.VITERBI:
            raise InputError(
                f"{self.semiring.name} has no best derivation", fix="make the change with Semiring.VITERBI"
            )
        graph = self.start.graph
        return best(graph.links, graph.goal, self._chart)

    def _apply(self, changed: Ints, weights: Floats) -> float:
        graph, room = self.start.graph, self._room
        before = self.weights[changed]
        self.weights[changed] = weights
        self.kept[changed] = weights > IMPOSSIBLE
        wrong = kernel("change").propagate(
            int(self.semiring), graph.links, self.weights, *self._chart, changed, room, self._queue
        )
        # In the order of the counts that kernels/hypergraph/best_first.py names.
        hyperedges, nodes, self.reworked, work, *_ = room.tally.tolist()
        self._undo.append(
            _Undo(
                changed,
                before,
                room.hyperedge[:hyperedges].copy(),
                room.old_made[:hyperedges].copy(),
                room.node[:nodes].copy(),
                room.old_value[:nodes].copy(),
                room.old_height[: nodes if len(self._chart.height) else 0].copy(),
                self.work,
            )
        )
        self.work += work
        if wrong >= 0:
            self.undo()
            raise better_than_its_tails(graph, wrong)
        return self.value

    def _numbers(self, hyperedges: npt.ArrayLike) -> Ints:
        found = np.array(hyperedges, np.int64, ndmin=1)
        # Seen as unsigned, what is below 0 is too large.
        wrong = found[found.view(np.uint64) >= len(self.weights)]
        if wrong.size:
            raise InputError(
                f"unknown hyperedge {wrong[0]}", fix=f"hyperedges are 0 to {len(self.weights) - 1}"
            )
        if len(found) > 1 and len(np.unique(found)) < len(found):
            raise InputError("a hyperedge is to change twice at once", fix="name each one once")
        return found


def chart_of(graph: Hypergraph, semiring: Semiring, weights: Floats) -> Chart:
    """The dynamic program over the whole hypergraph: with cycles, in Semiring.VITERBI and BOOLEAN only."""
    if not graph.cyclic:
        value, made = kernel().inside(int(semiring), graph.links, weights)
        return Chart(value, made, np.empty(0, np.uint32))
    *chart, wrong = kernel("best_first").inside(int(semiring), graph.links, weights)
    if wrong >= 0:
        raise better_than_its_tails(graph, wrong)
    return Chart(*chart)


def better_than_its_tails(graph: Hypergraph, hyperedge: int) -> InputError:
    return InputError(
        f"{graph.told(hyperedge)} is better than a tail of it, in a cycle: the best may have no end",
        fix="best-first search needs weights <= 0 in cycles",
    )


def _bits(kept: npt.ArrayLike | None, count: int) -> Bools:
    found = np.ones(count, np.bool_) if kept is None else np.asarray(kept)
    if found.shape != (count,) or found.dtype != np.bool_:
        raise InputError(
            f"kept is an array of {found.dtype} of shape {found.shape} for {count} hyperedges",
            fix="give one bool for each",
        )
    return found
