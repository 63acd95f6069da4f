"""Acyclic hypergraphs and the dynamic programs over them: build, weigh, run.

    builder = Builder()
    builder.add("NP", label="birds")                # a hyperedge without tails: an axiom
    builder.add("VP", label="sing")
    builder.add("S", ["NP", "VP"], label="clause")
    forest = builder.build(goal="S").weigh({"birds": -1.0, "sing": -2.0, "clause": -0.5}.__getitem__)
    forest.viterbi()                                # Derivation(value=-3.5, hyperedges=(2, 0, 1))

Hyperedges keep the numbers they were added with; nodes are renumbered bottom-up. A derivation is a tree: a
node that is a tail twice is derived twice. Of several best ways to make a node the hyperedge with the
smallest number is taken, in Viterbi and in everything that must agree with it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.semiring import Semiring

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Index = npt.NDArray[np.uint32]

IMPOSSIBLE = -np.inf
MAX_STEPS = 1 << 27  # hyperedges of a derivation, where nodes are shared so much that it explodes


class Links(NamedTuple):
    """The structure as the kernels see it: N nodes, H hyperedges, A tails in all; read-only."""

    head: Index  # [H]
    ptr: Index  # [H+1] tails of a hyperedge
    tail: Index  # [A] nodes
    into_ptr: Index  # [N+1] hyperedges into a node
    into: Index  # [H] by head, then by number
    owner: Index  # [A] the hyperedge of each tail
    use_ptr: Index  # [N+1] places where a node is a tail
    use: Index  # [A] places in `tail`, by node, then by place


class Derivation(NamedTuple):
    """A tree: its hyperedges, parents first and left to right, and what they weigh together."""

    value: float
    hyperedges: tuple[int, ...]


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
        return _assemble(
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


def _assemble(
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
        return _assemble(range(count), range(len(head)) if labels is None else labels, goal, head, ptr, tail)

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
        return Weighted(self, _checked(found, np.arange(len(self))))


def _checked(weights: Floats, hyperedges: Ints) -> Floats:
    """The weights of these hyperedges, once they are known to be weights."""
    wrong = np.flatnonzero(~(weights < np.inf))
    if len(wrong):
        raise InputError(
            f"hyperedge {hyperedges[wrong[0]]} weighs {weights[wrong[0]]}",
            fix="weights are natural logs: finite, or -inf for what is impossible",
        )
    # -0.0 would equal 0.0 and yet differ in its bits.
    found = weights + 0.0
    found.flags.writeable = False
    return found


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
        found: Floats = _kernel().marginals(self.graph.links, made, over, value[self.graph.goal])
        return found

    def viterbi(self) -> Derivation | None:
        """The best derivation of the goal, None where there is none.

        The order: at each node the larger value (the sum weight + first tail + second tail ... in float64),
        then the hyperedge with the smaller number.
        """
        return _best(self.graph, *self._inside(Semiring.VITERBI))

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
        value, made = _kernel().inside(int(semiring), self.graph.links, self.weights)
        return value, made

    def _outside(self, semiring: Semiring, value: Floats) -> Floats:
        over: Floats = _kernel().outside(
            int(semiring), self.graph.links, self.weights, value, self.graph.goal
        )
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
        new = _checked(np.broadcast_to(np.asarray(weights, np.float64), changed.shape), changed)
        before = self.weights[changed]
        self.weights[changed] = new
        room = self._scratch
        made, self.reworked, nodes = _kernel().propagate(
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
        return _best(self.start.graph, self.values, self.made)

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


def _best(graph: Hypergraph, value: Floats, made: Floats) -> Derivation | None:
    if value[graph.goal] == IMPOSSIBLE:
        return None
    found = _kernel().derivation(graph.links, value, made, graph.goal, MAX_STEPS)
    if not len(found):
        raise InputError(
            f"the best derivation has more than {MAX_STEPS} hyperedges",
            fix="take the value alone, from inside(Semiring.VITERBI)",
        )
    return Derivation(float(value[graph.goal]), tuple(found.tolist()))


def _kernel() -> Any:
    from secateur.kernels import hypergraph  # brings numba

    return hypergraph
