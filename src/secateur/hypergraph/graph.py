"""Hypergraph: nodes and hyperedges, without weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.links import MOST, Index, Integers, Links, checked_weights, integers, linked
from secateur.hypergraph.several import Several
from secateur.hypergraph.weighted import Weighted


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """The structure alone, made by a Builder or from arrays; `weigh` gives it weights to run with."""

    names: Sequence[Hashable]  # [N] nodes
    labels: Sequence[Any]  # [H]
    goal: int
    links: Links

    @classmethod
    def from_arrays(
        cls,
        goal: int,
        head: npt.ArrayLike,
        ptr: npt.ArrayLike,
        tail: npt.ArrayLike,
        *,
        nodes: int | None = None,
        labels: Sequence[Any] | None = None,
    ) -> Hypergraph:
        """Hyperedge h makes node head[h] from the nodes tail[ptr[h]:ptr[h+1]]; nodes keep these numbers.

        No Python object is made for a node or a hyperedge. Arrays of uint32 are the cheapest.
        """
        given = [integers(what, array) for what, array in (("head", head), ("ptr", ptr), ("tail", tail))]
        count = _count(goal, nodes, *given)
        if labels is not None and len(labels) != len(given[0]):
            raise InputError(f"{len(labels)} labels for {len(given[0])} hyperedges", fix="give one for each")
        arrays = (np.array(array, np.uint32) for array in given)
        return assemble(range(count), range(len(given[0])) if labels is None else labels, goal, *arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return _frozen, (self.names, self.labels, self.goal, self.links)

    def __repr__(self) -> str:
        return f"Hypergraph({len(self.names)} nodes, {len(self)} hyperedges)"

    def __len__(self) -> int:
        """How many hyperedges."""
        return len(self.links.head)

    @cached_property
    def number(self) -> dict[Hashable, int]:
        """Nodes by name."""
        return {name: v for v, name in enumerate(self.names)}

    @cached_property
    def cyclic(self) -> bool:
        """Whether some node is needed to make itself."""
        return bool(self.links.cyclic.any())

    def told(self, hyperedge: int) -> str:
        """A hyperedge for messages."""
        tails = ", ".join(repr(self.names[t]) for t in self.tails(hyperedge))
        head = self.names[int(self.links.head[hyperedge])]
        return f"hyperedge {hyperedge} ({head!r} from {tails or 'nothing'})"

    def tails(self, hyperedge: int) -> list[int]:
        """The nodes a hyperedge needs, from left to right."""
        begin, end = self.links.ptr[hyperedge : hyperedge + 2].tolist()
        found: list[int] = self.links.tail[begin:end].tolist()
        return found

    def weigh(self, weights: Callable[[Any], float] | npt.ArrayLike) -> Weighted:
        """With a weight (a natural log) for every hyperedge: [H], or a function of its label."""
        if callable(weights):
            found = np.array([weights(label) for label in self.labels], np.float64)
        else:
            found = np.asarray(weights, np.float64)
        if found.shape != (len(self),):
            raise InputError(
                f"weights of shape {found.shape} for {len(self)} hyperedges", fix="give one for each"
            )
        return Weighted(self, checked_weights(found))

    def weigh_several(self, weights: npt.ArrayLike) -> Several:
        """With several weights for every hyperedge, [H, w]: a column for each weighting."""
        found = np.asarray(weights, np.float64)
        if found.ndim != 2 or len(found) != len(self):
            raise InputError(
                f"weights of shape {found.shape} for {len(self)} hyperedges", fix="give one row for each"
            )
        return Several(self, checked_weights(np.ascontiguousarray(found)))


def _count(goal: int, nodes: int | None, head: Integers, ptr: Integers, tail: Integers) -> int:
    """How many nodes there are, once the arrays are known to lay out a hypergraph."""
    sound = len(ptr) == len(head) + 1 and ptr[0] == 0 and ptr[-1] == len(tail) and np.all(ptr[1:] >= ptr[:-1])
    if not sound:
        raise InputError(
            f"ptr does not lay out {len(tail)} tails of {len(head)} hyperedges",
            fix="give len(head) + 1 numbers that grow from 0 to len(tail)",
        )
    top = max(int(head.max(initial=0)), int(tail.max(initial=0)), goal) + 1
    count = top if nodes is None else nodes
    if max(count, len(head), len(tail)) > MOST:
        raise InputError(
            f"{count} nodes, {len(head)} hyperedges, {len(tail)} tails", fix=f"at most {MOST} of each"
        )
    for what, found in (("the goal", np.array([goal])), ("a head", head), ("a tail", tail)):
        for wrong in (int(found.min(initial=0)), int(found.max(initial=0))):
            if len(found) and not 0 <= wrong < count:
                raise InputError(f"unknown node: {what} is {wrong}", fix=f"nodes are 0 to {count - 1}")
    return count


def assemble(
    names: Sequence[Hashable], labels: Sequence[Any], goal: int, head: Index, ptr: Index, tail: Index
) -> Hypergraph:
    """From checked arrays."""
    return _frozen(names, labels, goal, linked(len(names), head, ptr, tail))


def _frozen(names: Sequence[Hashable], labels: Sequence[Any], goal: int, links: Links) -> Hypergraph:
    """Nothing may write to the arrays, also not after travelling to another process."""
    for array in links:
        array.flags.writeable = False
    return Hypergraph(names, labels, goal, links)
