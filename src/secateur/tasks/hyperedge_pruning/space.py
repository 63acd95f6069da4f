"""Space: what there is to decide about a derivation graph.

A decision is about one hyperedge (the 2018 paper's), about an item, a label over a set of positions, or about
a set of positions; all hyperedges that make it are kept or pruned together. What words make is never
pruned. Where unary rules come on top of what is already there they are a decision of their own, so that
decisions have an order: by the number of positions, then set by set, unary rules last.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.lcfrs.derivation import BINARY, LEXICAL, UNARY
from secateur.hypergraph import Change
from secateur.search.arrays import Bools, Ints, Sites
from secateur.tasks.hyperedge_pruning.graph import STAY, DerivationGraph

Unit = Literal["hyperedge", "item", "set"]
UNITS: tuple[Unit, ...] = ("hyperedge", "item", "set")

# Columns of a site: a unary rule or not; the symbol, -1 where sets are decided; the set of positions as four
# times 32 bits; and of single hyperedges the rule's number and the left child's set.
IS_UNARY, SYMBOL, POSITIONS, RULE, LEFT = 0, 1, slice(2, 6), 6, slice(7, 11)
_SHORT, _WHOLE = 6, 11


class Space(NamedTuple):
    """D decisions about the hyperedges of a graph."""

    graph: DerivationGraph
    site: Sites  # [D, 6 or 11]
    ptr: Ints  # [D+1] where the hyperedges of each begin among ...
    hyperedge: Ints  # ... these
    first: Ints  # [D] of the hyperedges before they were sorted: for what all of a decision share
    cost: Ints  # [H] 1 for what counts as work: all but staying

    def bits(self, taken: Bools) -> Bools:
        """[H] what is kept."""
        kept = np.ones(len(self.cost), np.bool_)
        kept[self.hyperedge] = np.repeat(taken, np.diff(self.ptr))
        return kept

    def open(self, change: Change) -> Bools:
        """[D] the decisions that a search meets: for some hyperedge all tails are there.

        Where unary rules may follow each other they are met once anything is there that they may lead from.
        """
        graph, links = self.graph, self.graph.weighted.graph.links
        alive = change.made > -np.inf
        there = np.zeros(len(change.values), np.bool_)
        there[links.head[alive & (self.graph.kind != UNARY)]] = True
        unary = np.flatnonzero((graph.kind == UNARY) & (graph.weighted.weights > -np.inf))
        head, tail = links.head[unary], links.tail[links.ptr[unary]]
        before = -1
        while (count := int(there.sum())) > before:
            before = count
            there[head[there[tail]]] = True
        able = graph.weighted.weights > -np.inf
        binary = np.flatnonzero(graph.kind == BINARY)
        one, two = (links.tail[links.ptr[binary] + n] for n in (0, 1))
        able[binary] &= (change.values[one] > -np.inf) & (change.values[two] > -np.inf)
        able[unary] &= there[tail]
        return np.logical_or.reduceat(able[self.hyperedge], self.ptr[:-1]) if len(self.site) else there[:0]


def space_of(graph: DerivationGraph, unit: Unit) -> Space:
    """The decisions about a graph, in order."""
    decided = np.flatnonzero((graph.kind == BINARY) | (graph.kind == UNARY))
    site = _sites(graph, decided, unit)
    size = _size(graph.positions[graph.weighted.graph.links.head[decided]])
    order = np.lexsort((*_keys(site), size))
    site, decided = site[order], decided[order]
    new = np.ones(len(site), np.bool_)
    new[1:] = (site[1:] != site[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    ptr = np.append(first, len(site))
    cost = (graph.kind != STAY).astype(np.int64)
    return Space(graph, np.ascontiguousarray(site[first]), ptr, decided, decided[first], cost)


def _sites(graph: DerivationGraph, decided: Ints, unit: Unit) -> Sites:
    links = graph.weighted.graph.links
    head = links.head[decided]
    site = np.zeros((len(decided), _WHOLE if unit == "hyperedge" else _SHORT), np.int32)
    site[:, IS_UNARY] = graph.kind[decided] == UNARY
    site[:, SYMBOL] = -1 if unit == "set" else graph.symbol[head]
    site[:, POSITIONS] = _halves(graph.positions[head])
    if unit == "hyperedge":
        site[:, RULE] = graph.rule[decided]
        site[:, LEFT] = _halves(graph.positions[links.tail[links.ptr[decided]]])
    return site


def _keys(site: Sites) -> list[Ints]:
    """For lexsort, the last one first: by set, then unary or not, then the rest."""
    columns = [*range(_SHORT - 1, 1, -1), IS_UNARY, SYMBOL, *range(RULE, site.shape[1])]
    return [site[:, c].view(np.uint32) for c in reversed(columns)]


def _halves(positions: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
    """[R, 4] from [R, 2] sets."""
    return np.ascontiguousarray(positions).view(np.uint32).view(np.int32)


def positions_of(site: Sites) -> npt.NDArray[np.uint64]:
    """[R, 2] the sets of sites."""
    return np.ascontiguousarray(site[:, POSITIONS]).view(np.uint64)


def _size(positions: npt.NDArray[np.uint64]) -> Ints:
    found: Ints = np.bitwise_count(positions).sum(axis=1, dtype=np.int64)
    return found


def lexical_count(graph: DerivationGraph) -> int:
    """Hyperedges that words make."""
    return int(np.count_nonzero(graph.kind == LEXICAL))
