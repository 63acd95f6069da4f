"""Builder: a hypergraph from named nodes, put in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.hypergraph.graph import Hypergraph, assemble
from secateur.hypergraph.links import Ints


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
        order = _bottom_up(names, head, ptr, tail)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return assemble(
            tuple(names[v] for v in order.tolist()),
            tuple(self._labels),
            int(place[self._number[goal]]),
            place[head],
            ptr,
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


def _bottom_up(names: list[Hashable], head: Ints, ptr: Ints, tail: Ints) -> Ints:
    """The nodes in an order that has tails before heads."""
    owner = np.repeat(np.arange(len(head)), np.diff(ptr))
    if np.all(tail < head[owner]):
        return np.arange(len(names))
    above: list[list[int]] = [[] for _ in names]
    missing = [0] * len(names)  # tails that have no place yet
    for below, node in zip(tail.tolist(), head[owner].tolist(), strict=True):
        above[below].append(node)
        missing[node] += 1
    order = [node for node, count in enumerate(missing) if not count]
    for node in order:  # grows as we go
        for upper in above[node]:
            missing[upper] -= 1
            if not missing[upper]:
                order.append(upper)
    if len(order) < len(names):
        cycle = _cycle(above, missing)
        raise InputError(
            f"a cycle: {' -> '.join(repr(names[v]) for v in cycle)}",
            fix="a node must not be needed to make itself",
        )
    return np.array(order, np.int64)


def _cycle(above: list[list[int]], missing: list[int]) -> list[int]:
    """Nodes of a cycle, heads after tails, the first one again at the end."""
    # Each node left over has a tail left over: walking down must come back.
    below = {node: v for v, uppers in enumerate(above) if missing[v] for node in uppers}
    seen: dict[int, int] = {}
    path: list[int] = []
    node = next(node for node, count in enumerate(missing) if count)
    while node not in seen:
        seen[node] = len(path)
        path.append(node)
        node = below[node]
    return [node, *reversed(path[seen[node] :])]
