"""The arrays of a hypergraph: its structure, and weights for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Index = npt.NDArray[np.uint32]

IMPOSSIBLE = -np.inf


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


def checked_weights(weights: Floats, hyperedges: Ints) -> Floats:
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
