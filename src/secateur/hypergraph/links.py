"""The arrays of a hypergraph: its structure, and weights for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.hypergraph.semiring import kernel

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Index = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

IMPOSSIBLE = -np.inf
MOST = (1 << 32) - 2  # nodes, hyperedges or tails that uint32 can number, with one number left for none


class Links(NamedTuple):
    """The structure as the kernels see it: N nodes, H hyperedges, A tails in all; read-only.

    Nodes that are needed to make each other are one of C components; without cycles each is its own.
    """

    head: Index  # [H]
    ptr: Index  # [H+1] tails of a hyperedge
    tail: Index  # [A] nodes
    into_ptr: Index  # [N+1] hyperedges into a node
    into: Index  # [H] by head, then by number
    owner: Index  # [A] the hyperedge of each tail
    use_ptr: Index  # [N+1] places where a node is a tail
    use: Index  # [A] places in `tail`, by node, then by place
    order: Index  # [N] nodes by component: tails' components before heads'
    component: Index  # [N] of a node
    component_ptr: Index  # [C+1] places in `order`
    cyclic: Bools  # [C] whether a component has cycles
    inner_ptr: Index  # [N+1] hyperedges that need a node to make one of its component ...
    inner: Index  # ... by node, then by number


def linked(nodes: int, head: Index, ptr: Index, tail: Index) -> Links:
    """All of the structure, from checked arrays."""
    run = kernel("order")
    owner = run.owners(ptr)
    into_ptr, into = run.grouped(head, nodes)
    use_ptr, use = run.grouped(tail, nodes)
    order, begins = np.arange(nodes, dtype=np.uint32), np.arange(nodes + 1, dtype=np.uint32)
    if run.late_tails(head, tail, owner, order) != (0, 0):
        order, count = run.bottom_up(head, owner, use_ptr, use)
        if count < nodes:
            order, begins = run.components(ptr, tail, into_ptr, into)
            tidy = run.by_number(order, begins)
            if not run.late_tails(head, tail, owner, run.numbered(*tidy))[0]:
                order, begins = tidy
    component = run.numbered(order, begins)
    cyclic = run.with_cycles(head, tail, owner, component, len(begins) - 1)
    inner = run.inner_uses(head, owner, use_ptr, use, component, cyclic)
    return Links(
        head, ptr, tail, into_ptr, into, owner, use_ptr, use, order, component, begins, cyclic, *inner
    )


def integers(what: str, given: npt.ArrayLike) -> Integers:
    """An array, once it is known to be one row of integers."""
    found = np.asarray(given)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputError(
            f"{what} is an array of {found.dtype} of shape {found.shape}", fix="give one row of integers"
        )
    return found if found.size else found.astype(np.uint32)


def checked_weights(weights: Floats, hyperedges: Ints | None = None) -> Floats:
    """The weights of these hyperedges (all, if none are named), once they are known to be weights."""
    sound = weights < np.inf
    if not sound.all():
        wrong = np.argwhere(~sound)[0]
        h = wrong[0] if hyperedges is None else hyperedges[wrong[0]]
        raise InputError(
            f"hyperedge {h} weighs {weights[tuple(wrong)]}",
            fix="weights are natural logs: finite, or -inf for what is impossible",
        )
    # -0.0 would equal 0.0 and yet differ in its bits.
    found = weights + 0.0
    found.flags.writeable = False
    return found
