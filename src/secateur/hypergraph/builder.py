"""Builder: a hypergraph from named nodes, put in order as far as cycles allow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.hypergraph.graph import Hypergraph, assemble
from secateur.hypergraph.links import Ints, linked


class Builder:
    """Collects nodes, which may have any hashable names, and the hyperedges that make them."""

    def __init__(self) -> None:
        self._number: dict[Hashable, int] = {}
        self._made: set[int] = set()  # nodes with hyperedges, or declared
        self._head: list[int] = []
        self._arity: list[int] = []
        self._tail: list[int] = []
        self._labels: list[Any] = []

    def node(self, name: Hashable) -> None:
        """Declare a node that perhaps no hyperedge makes."""
        self._made.add(self._number.setdefault(name, len(self._number)))

    def add(self, head: Hashable, tails: Sequence[Hashable] = (), *, label: Any = None) -> int:
        """A hyperedge that makes head from tails; returns its number. The label is for weighing it."""
        number = self._number
        tail = [number.setdefault(name, len(number)) for name in tails]
        self._head.append(number.setdefault(head, len(number)))
        self._made.add(self._head[-1])
        self._arity.append(len(tail))
        self._tail += tail
        self._labels.append(label)
        return len(self._head) - 1

    def build(self, goal: Hashable) -> Hypergraph:
        """The hypergraph of all that was added; the builder can be added to further."""
        names = list(self._number)
        head = np.array(self._head, np.int64)
        ptr = np.concatenate(([0], np.cumsum(np.array(self._arity, np.int64))))
        tail = np.array(self._tail, np.int64)
        if goal not in self._number:
            raise InputError(f"the goal {goal!r} is no node", fix="name a node that was added")
        if len(self._made) < len(names):
            self._refuse_unknown(names, ptr, tail)
        arrays = (array.astype(np.uint32) for array in (head, ptr, tail))
        order = linked(len(names), *arrays).order
        place = np.empty(len(order), np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        return assemble(
            tuple(names[v] for v in order.tolist()),
            tuple(self._labels),
            int(place[self._number[goal]]),
            place[head],
            ptr.astype(np.uint32),
            place[tail],
        )

    def _refuse_unknown(self, names: list[Hashable], ptr: Ints, tail: Ints) -> None:
        made = np.zeros(len(names), np.bool_)
        made[list(self._made)] = True
        place = int(np.flatnonzero(~made[tail])[0])
        h = int(np.searchsorted(ptr, place, side="right")) - 1
        name = names[int(tail[place])]
        raise InputError(
            f"unknown node: hyperedge {h} needs {name!r}, which no hyperedge makes",
            fix=f"add({name!r}) if it is an axiom, node({name!r}) if nothing makes it",
        )
