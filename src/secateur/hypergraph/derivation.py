"""Derivations, and which one is best."""

from __future__ import annotations

from typing import NamedTuple

from secateur.errors import InputError
from secateur.hypergraph.links import IMPOSSIBLE, Floats, Links
from secateur.hypergraph.semiring import kernel

MAX_STEPS = 1 << 27  # hyperedges of a derivation, where nodes are shared so much that it explodes


class Derivation(NamedTuple):
    """A tree: its hyperedges, parents first and left to right, and what they weigh together."""

    value: float
    hyperedges: tuple[int, ...]


def best(links: Links, goal: int, value: Floats, made: Floats) -> Derivation | None:
    """The best derivation of the goal, from values of nodes [N] and of what each hyperedge makes [H]."""
    if value[goal] == IMPOSSIBLE:
        return None
    found = kernel().derivation(links, value, made, goal, MAX_STEPS)
    if not len(found):
        raise InputError(
            f"the best derivation has more than {MAX_STEPS} hyperedges",
            fix="take the value alone, from inside(Semiring.VITERBI)",
        )
    return Derivation(float(value[goal]), tuple(found.tolist()))
