"""Derivations, and which one is best."""

from __future__ import annotations

from typing import NamedTuple

from secateur.errors import InputError
from secateur.hypergraph.links import IMPOSSIBLE, Floats, Index, Links
from secateur.hypergraph.semiring import kernel

MAX_STEPS = 1 << 27  # hyperedges of a derivation, where nodes are shared so much that it explodes


class Derivation(NamedTuple):
    """A tree: its hyperedges, parents first and left to right, and what they weigh together."""

    value: float
    hyperedges: tuple[int, ...]


class Chart(NamedTuple):
    """What a dynamic program has found out; all arrays of the structure's length."""

    value: Floats  # [N] of nodes
    made: Floats  # [H] what each hyperedge makes
    height: Index  # [N] how often in turn a cycle was followed at no cost, to settle ties; [0] without cycles


def best(links: Links, goal: int, chart: Chart) -> Derivation | None:
    """The best derivation of the goal, from a chart in Semiring.VITERBI."""
    if chart.value[goal] == IMPOSSIBLE:
        return None
    found = kernel().derivation(links, *chart, goal, MAX_STEPS)
    if not len(found):
        raise too_long()
    return Derivation(float(chart.value[goal]), tuple(found.tolist()))


def too_long() -> InputError:
    return InputError(
        f"the best derivation has more than {MAX_STEPS} hyperedges",
        fix="take the value alone, from inside(Semiring.VITERBI)",
    )
