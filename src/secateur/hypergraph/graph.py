"""Hypergraph: nodes and hyperedges, without weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.links import Ints, Links, checked_weights
from secateur.hypergraph.weighted import Weighted


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """The structure alone, made by a Builder or from arrays; `weigh` gives it weights to run with."""

    names: Sequence[Hashable]  # [N] nodes, bottom-up
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
        """Hyperedge h makes node head[h] from the nodes tail[ptr[h]:ptr[h+1]], all numbered below it."""
        head, ptr, tail = (np.asarray(array, np.int64) for array in (head, ptr, tail))
        count = int(max(head.max(initial=-1), tail.max(initial=-1), goal)) + 1 if nodes is None else nodes
        sound = (
            len(ptr) == len(head) + 1 and ptr[0] == 0 and ptr[-1] == len(tail) and np.all(np.diff(ptr) >= 0)
        )
        if not sound:
            raise InputError(
                f"ptr does not lay out {len(tail)} tails of {len(head)} hyperedges",
                fix="give len(head) + 1 numbers that grow from 0 to len(tail)",
            )
        for what, found in (("the goal", np.array([goal])), ("a head", head), ("a tail", tail)):
            wrong = found[(found < 0) | (found >= count)]
            if len(wrong):
                raise InputError(f"unknown node: {what} is {wrong[0]}", fix=f"nodes are 0 to {count - 1}")
        owner = np.repeat(np.arange(len(head)), np.diff(ptr))
        late = np.flatnonzero(tail >= head[owner])
        if len(late):
            h = owner[late[0]]
            raise InputError(
                f"hyperedge {h} makes node {head[h]} from node {tail[late[0]]}, which is not below it",
                fix="number the nodes bottom-up, or use a Builder, which does so and finds cycles",
            )
        if labels is not None and len(labels) != len(head):
            raise InputError(f"{len(labels)} labels for {len(head)} hyperedges", fix="give one for each")
        return assemble(range(count), range(len(head)) if labels is None else labels, goal, head, ptr, tail)

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
            found = np.array(weights, np.float64)
        if found.shape != (len(self),):
            raise InputError(
                f"weights of shape {found.shape} for {len(self)} hyperedges", fix="give one for each"
            )
        return Weighted(self, checked_weights(found, np.arange(len(self))))


def assemble(
    names: Sequence[Hashable], labels: Sequence[Any], goal: int, head: Ints, ptr: Ints, tail: Ints
) -> Hypergraph:
    """From checked arrays in bottom-up order."""
    count = np.arange(len(names) + 1)
    into = np.argsort(head, kind="stable")
    use = np.argsort(tail, kind="stable")
    links = Links(
        *(
            array.astype(np.uint32)
            for array in (
                head,
                ptr,
                tail,
                np.searchsorted(head[into], count),
                into,
                np.repeat(np.arange(len(head)), np.diff(ptr)),
                np.searchsorted(tail[use], count),
                use,
            )
        )
    )
    return _frozen(names, labels, goal, links)


def _frozen(names: Sequence[Hashable], labels: Sequence[Any], goal: int, links: Links) -> Hypergraph:
    """Nothing may write to the arrays, also not after travelling to another process."""
    for array in links:
        array.flags.writeable = False
    return Hypergraph(names, labels, goal, links)
