"""The derivation graph in rules of any length: what was made binary is one hyperedge again.

A symbol that `binarized` made has one rule. So in a hyperedge that it is a tail of, what it is made of takes
its place, in each way there is to make it. Hyperedges into a node are numbered by kind (words, binary, long,
unary), rule and the sets of the tails from left to right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.lcfrs.binarized import origins
from secateur.grammar.lcfrs.derivation import BINARY, UNARY
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.hypergraph import Hypergraph
from secateur.tasks.hyperedge_pruning.graph import DerivationGraph, Ints

_NO_TAIL = -1


class _Incoming(NamedTuple):
    """Hyperedges by their heads."""

    ptr: Ints  # [N+1]
    hyperedge: Ints  # [H]


def contracted(graph: DerivationGraph, whole: PLCFRS) -> DerivationGraph:
    """The graph of a grammar, from that of its binarized form."""
    number = np.array([whole.number.get(name, -1) for name in graph.grammar.symbols])
    symbol = number[graph.symbol]
    goal, links = graph.weighted.graph.goal, graph.weighted.graph.links
    symbol[goal] = whole.number[whole.start]
    made = symbol < 0
    head = links.head.astype(np.int64)
    row, tails = _unfolded(_tails(graph), made, np.flatnonzero(~made[head]), _incoming(head, len(made)))
    tails = _left_to_right(tails, graph.positions)
    origin = origins(whole, graph.grammar)
    kind, rule = graph.kind[row], graph.rule[row]
    binary = kind == BINARY
    kind[binary], rule[binary] = origin[rule[binary]].T
    order = _ordered(head[row], kind, rule, tails, graph.positions)
    row, kind, rule, tails = row[order], kind[order], rule[order], tails[order]
    node = np.cumsum(~made) - 1
    is_tail = tails != _NO_TAIL
    ptr = np.concatenate(([0], np.cumsum(is_tail.sum(axis=1))))
    kept = Hypergraph.from_arrays(
        int(node[goal]), node[head[row]], ptr, node[tails[is_tail]], nodes=int((~made).sum())
    )
    return DerivationGraph(
        whole,
        kept.weigh(graph.weighted.weights[row]),
        kind,
        rule,
        symbol[~made].astype(np.uint32),
        graph.positions[~made],
        graph.above[~made],
    )


def _tails(graph: DerivationGraph) -> Ints:
    """[H, 2] the tails of hyperedges, _NO_TAIL for none."""
    links = graph.weighted.graph.links
    ptr = links.ptr.astype(np.int64)
    found = np.full((len(links.head), 2), _NO_TAIL)
    owner = np.repeat(np.arange(len(found)), np.diff(ptr))
    found[owner, np.arange(len(owner)) - ptr[owner]] = links.tail
    return found


def _incoming(head: Ints, nodes: int) -> _Incoming:
    ptr = np.concatenate(([0], np.cumsum(np.bincount(head, minlength=nodes))))
    return _Incoming(ptr, np.argsort(head, kind="stable"))


def _unfolded(tails: Ints, made: npt.NDArray[np.bool_], row: Ints, incoming: _Incoming) -> tuple[Ints, Ints]:
    """Of some hyperedges: themselves once for every way to put what made nodes are made of in their place,
    and [., K] these tails."""
    found = tails[row]
    while True:
        is_made = (found != _NO_TAIL) & made[found]
        at = np.flatnonzero(is_made.any(axis=1))
        if not len(at):
            return row, found
        place = is_made[at].argmax(axis=1)
        node = found[at, place]
        ways = incoming.ptr[node + 1] - incoming.ptr[node]
        first = np.repeat(incoming.ptr[node] - np.concatenate(([0], np.cumsum(ways)[:-1])), ways)
        way = tails[incoming.hyperedge[first + np.arange(ways.sum())]]
        more = found[np.repeat(at, ways)]
        more[np.arange(len(more)), np.repeat(place, ways)] = way[:, 0]
        rest = np.delete(np.arange(len(row)), at)
        alone = np.full((len(rest), 1), _NO_TAIL)
        row = np.concatenate((row[rest], np.repeat(row[at], ways)))
        found = np.concatenate((np.hstack((found[rest], alone)), np.hstack((more, way[:, 1:]))))


def _left_to_right(tails: Ints, positions: npt.NDArray[np.uint64]) -> Ints:
    """Tails by their first positions."""
    low, high = positions.T
    word = np.where(low != 0, low, high)
    first = np.log2((word & (~word + np.uint64(1))).astype(np.float64)) + np.where(low != 0, 0, 64)
    key = np.where(tails == _NO_TAIL, np.inf, first[tails])
    return np.take_along_axis(tails, np.argsort(key, axis=1, kind="stable"), axis=1)


def _ordered(head: Ints, kind: Ints, rule: Ints, tails: Ints, positions: npt.NDArray[np.uint64]) -> Ints:
    low, high = positions.T
    order = np.lexsort((low, high))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(
        np.concatenate(([0], (positions[order][1:] != positions[order][:-1]).any(axis=1)))
    )
    columns = [rank[column] for column in tails.T[::-1]]
    return np.lexsort((*columns, rule, kind, kind == UNARY, head))
