"""The k best derivations of a hypergraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from secateur.errors import InputError
from secateur.hypergraph import derivation
from secateur.hypergraph.derivation import Chart, Derivation
from secateur.hypergraph.links import IMPOSSIBLE
from secateur.hypergraph.semiring import kernel

if TYPE_CHECKING:
    from secateur.hypergraph.weighted import Weighted


def kbest(forest: Weighted, k: int, chart: Chart) -> list[Derivation]:
    """The best derivations of the goal in order, k of them if there are so many; from a Viterbi chart."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"the {k!r} best derivations were asked for", fix="k is a whole number from 1 on")
    graph, run = forest.graph, kernel("kbest")
    if chart.value[graph.goal] == IMPOSSIBLE:
        return []
    nodes, room = len(chart.value), 1024
    found = np.empty(min(int(k), 1024), np.uint32)
    while True:
        pool = run.pool_for(nodes, nodes + room, 3 * (nodes + room))
        count = run.search(graph.links, forest.weights, *chart, graph.goal, found, pool)
        if count == run.FREE:
            h = int(pool.tally[run.WRONG])
            raise InputError(
                f"{graph.told(h)} costs nothing, in a cycle: going round it again is as good",
                fix="the k best need weights below 0 in cycles",
            )
        if count == run.FULL:
            room *= 4
        elif count == len(found) < k:
            found = np.empty(min(int(k), 8 * len(found)), np.uint32)
        else:
            break
    derivations = []
    for entry in found[:count].tolist():
        steps = np.empty(0, np.uint32)
        size = run.unfold(graph.links, pool, entry, steps, derivation.MAX_STEPS)
        if size > derivation.MAX_STEPS:
            raise derivation.too_long()
        steps = np.empty(size, np.uint32)
        run.unfold(graph.links, pool, entry, steps, size)
        derivations.append(Derivation(float(pool.worth[entry]), tuple(steps.tolist())))
    return derivations
