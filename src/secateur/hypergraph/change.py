"""Change: what other weights would do, worked out from what they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.derivation import MAX_STEPS, Chart, Derivation, best, too_long
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


class Flips(NamedTuple):
    """What each of G groups of hyperedges would do, if those that are on were off and the others on."""

    value: Floats  # [G] the goal's
    work: Ints  # [G] hyperedges whose tails can all be made (or what they cost), more than without the change
    ptr: Ints  # [G+1] where the best derivations begin among ...
    hyperedges: Index  # ... these; where a group has another one than now
    other: Bools  # [G] whether it has; it may have none


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
        self.weights = start.weights.copy()  # [H] as changed
        if kept is not None:
            self.weights[~_bits(kept, len(graph))] = IMPOSSIBLE
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

    @property
    def kept(self) -> Bools:
        """[H] which hyperedges are there, as changed."""
        return self.weights > IMPOSSIBLE

    def reweigh(self, hyperedges: npt.ArrayLike, weights: npt.ArrayLike) -> float:
        """Give these hyperedges these weights; the goal's value then."""
        changed = self._numbers(hyperedges)
        new = checked_weights(np.broadcast_to(np.asarray(weights, np.float64), changed.shape), changed)
        return self._apply(changed, new)

    def switch_off(self, hyperedges: npt.ArrayLike) -> float:
        """As if these hyperedges were not there; the goal's value then."""
        changed = self._numbers(hyperedges)
        return self._apply(changed, IMPOSSIBLE)

    def switch_on(self, hyperedges: npt.ArrayLike) -> float:
        """Give these hyperedges the weights they had at the start; the goal's value then."""
        changed = self._numbers(hyperedges)
        return self._apply(changed, self.start.weights[changed])

    def flip(self, hyperedges: npt.ArrayLike) -> float:
        """Switch those of these hyperedges off that are kept, the others on; the goal's value then."""
        changed = self._numbers(hyperedges)
        kept = self.weights[changed] > IMPOSSIBLE
        return self._apply(changed, np.where(kept, IMPOSSIBLE, self.start.weights[changed]))

    def try_flips(
        self,
        ptr: Ints,
        hyperedges: npt.ArrayLike,
        *,
        cost: Ints | None = None,
        node_cost: Ints | None = None,
    ) -> Flips:
        """What `flip` of the hyperedges ptr[g] to ptr[g+1] - 1 would do, for each g; all stays as it is.

        In Semiring.VITERBI. cost, node_cost: [H] and [N] what hyperedges count as work whose tails can all be
        made, 1 each by default, and nodes that can be made, 0 each by default.
        """
        best = self.viterbi()
        graph, chart = self.start.graph, self._chart
        count = len(graph)
        group = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        numbers = self._numbers(hyperedges, group)
        value, work, other, ends, found, wrong = kernel("flips").try_flips(
            int(self.semiring),
            graph.links,
            self.start.weights,
            self.weights,
            *chart,
            np.ones(count, np.int64) if cost is None else cost,
            np.zeros(len(self.values), np.int64) if node_cost is None else node_cost,
            np.array(best.hyperedges if best else (), np.uint32),
            graph.goal,
            np.asarray(ptr, np.int64),
            numbers,
            self._room,
            self._queue,
            MAX_STEPS,
        )
        if wrong == -2:
            raise too_long()
        if wrong >= 0:
            raise better_than_its_tails(graph, wrong)
        return Flips(value, work, np.concatenate((np.zeros(1, np.int64), ends)), found, other)

    def undo(self) -> float:
        """Take the newest change back that is not taken back yet; the goal's value then."""
        if not self._undo:
            raise InputError("there is no change to undo", fix="undo each change once")
        last = self._undo.pop()
        self.weights[last.changed] = last.weights
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

    def _apply(self, changed: Ints, weights: Floats | float) -> float:
        graph, room = self.start.graph, self._room
        before = self.weights[changed]
        self.weights[changed] = weights
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

    def _numbers(self, hyperedges: npt.ArrayLike, group: Ints | None = None) -> Ints:
        """Once they are known to be hyperedges, and different ones (in each group)."""
        found = np.array(hyperedges, np.int64, ndmin=1)
        # Seen as unsigned, what is below 0 is too large.
        wrong = found[found.view(np.uint64) >= len(self.weights)]
        if wrong.size:
            raise InputError(
                f"unknown hyperedge {wrong[0]}", fix=f"hyperedges are 0 to {len(self.weights) - 1}"
            )
        of_group = found if group is None else group * len(self.weights) + found
        if len(found) > 1 and len(np.unique(of_group)) < len(found):
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


def _bits(kept: npt.ArrayLike, count: int) -> Bools:
    found = np.asarray(kept)
    if found.shape != (count,) or found.dtype != np.bool_:
        raise InputError(
            f"kept is an array of {found.dtype} of shape {found.shape} for {count} hyperedges",
            fix="give one bool for each",
        )
    return found
