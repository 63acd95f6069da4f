"""The derivation graph: all items of a sentence and all ways to make them, as a hypergraph.

Hyperedges into a node are numbered in the order that settles ties in the chart (kernels/lcfrs/chart.py), so
the best derivation of the graph is that of the parser, and a change of weights is followed in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.lcfrs.derivation import BINARY, LEXICAL, UNARY, Step
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import Ids
from secateur.hypergraph import Hypergraph, Weighted
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.chart import IMPOSSIBLE, USES, Room
from secateur.kernels.lcfrs.rules import Rules

STAY = (
    -1
)  # from what words and binary rules make of an item to the item, where there is one unary rule at most

Ints = npt.NDArray[np.int64]


class _Columns(NamedTuple):
    """Hyperedges, one after the other."""

    head: Ints  # nodes
    first: Ints  # tail, -1 for none
    second: Ints
    kind: Ints
    rule: Ints
    weight: npt.NDArray[np.float64]
    set: Ints  # the left child's, for BINARY


@dataclass(frozen=True, eq=False)
class DerivationGraph:
    """A hypergraph with what its nodes and hyperedges stand for."""

    grammar: PLCFRS
    weighted: Weighted
    kind: Ints  # [H] LEXICAL, BINARY, UNARY or STAY
    rule: Ints  # [H] its number among the rules of its kind; for LEXICAL, the entry's place in the lexicon
    symbol: Ids  # [N]
    positions: npt.NDArray[np.uint64]  # [N, 2] p is bit p % 64 of word p // 64
    above: npt.NDArray[np.bool_]  # [N] False: before the unary rule, where there is one at most

    def steps(self, hyperedges: tuple[int, ...]) -> list[Step]:
        """A derivation's steps as trees are made of them."""
        head = self.weighted.graph.links.head
        found = []
        for h in hyperedges:
            if self.kind[h] != STAY:
                node = int(head[h])
                low, high = self.positions[node].tolist()
                found.append(
                    Step(int(self.kind[h]), int(self.symbol[node]), low | high << 64, int(self.rule[h]))
                )
        return found


def graph_of(grammar: PLCFRS, words: Ids, chart: kernel.Chart) -> DerivationGraph:
    """Of a complete chart that kept its uses; `words` are those it was made for."""
    room, rules = chart.room, grammar.rules
    sets = chart.sets
    cells = int(room.base[sets - 1] + rules.width[room.fanout[sets - 1]])
    owner = np.repeat(np.arange(sets), rules.width[room.fanout[:sets]])  # [C] the set of a cell
    local = np.arange(cells) - room.base[owner]
    symbol = rules.symbol[rules.symbol_ptr[room.fanout[owner]] + local].astype(np.int64)
    alive = room.value[:cells] > IMPOSSIBLE
    made = alive & (room.below[:cells, 0] > IMPOSSIBLE) if not grammar.chains else np.zeros(cells, bool)
    # Nodes: what is made before the unary rule, then the items.
    node = np.full((2, cells), -1)
    node[0, made] = np.arange(made.sum())
    node[1, alive] = made.sum() + np.arange(alive.sum())
    below = node[1] if grammar.chains else node[0]
    columns = [
        _lexical(grammar, words, room, below),
        _binary(chart, rules, node[1], below),
        _unary(rules, symbol, owner, room, node[1], below),
    ]
    if not grammar.chains:
        columns.append(_stay(node, made))
    joined = _Columns(*map(np.concatenate, zip(*columns, strict=True)))
    joined = _Columns._make(column[joined.head >= 0] for column in joined)  # a gate may leave heads out
    order = _ordered(joined, room)
    joined = _Columns._make(column[order] for column in joined)
    goal = kernel.goal_of(rules, room, len(words))
    cell = room.base[goal] + rules.local[rules.start] if goal >= 0 else -1
    count = int(made.sum() + alive.sum())
    # Where there is no parse, a node that nothing makes is the goal.
    at = int(node[1, cell]) if cell >= 0 and alive[cell] else count
    graph = _hypergraph(joined, at, count + (at == count))
    which = np.concatenate((np.flatnonzero(made), np.flatnonzero(alive), np.zeros(int(at == count), int)))
    return DerivationGraph(
        grammar,
        graph.weigh(joined.weight),
        joined.kind,
        joined.rule,
        symbol[which].astype(np.uint32),
        room.words[owner[which]],
        np.arange(len(which)) >= made.sum(),
    )


def steps_of(grammar: PLCFRS, chart: kernel.Chart, item: int, symbol: int) -> list[Step]:
    """The best derivation of an item of a chart."""
    binary, words = grammar.binary, chart.room.words
    found = kernel.derivation(grammar.rules, chart.room, binary.left, binary.right, item, symbol)
    return [
        Step(kind, x, int(words[s, 0]) | int(words[s, 1]) << 64, rule) for kind, x, s, rule in found.tolist()
    ]


def _hypergraph(columns: _Columns, goal: int, nodes: int) -> Hypergraph:
    sizes = (columns.first >= 0).astype(np.int64) + (columns.second >= 0)
    tails = np.stack([columns.first, columns.second], axis=1).ravel()
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    return Hypergraph.from_arrays(goal, columns.head, ptr, tails[tails >= 0], nodes=nodes)


def _ordered(columns: _Columns, room: Room) -> Ints:
    """By head; then what is no unary rule, by rule and left set; then unary rules."""
    is_unary = columns.kind == UNARY
    low, high = room.words[columns.set].T
    return np.lexsort((low, high, columns.rule, columns.kind, is_unary, columns.head))


def _made(
    head: Ints, first: Ints, second: Ints, kind: int, rule: Ints, weight: object, left: Ints
) -> _Columns:
    kinds = np.full(len(head), kind)
    return _Columns(head, first, second, kinds, rule.astype(np.int64), np.asarray(weight, np.float64), left)


def _lexical(grammar: PLCFRS, words: Ids, room: Room, below: Ints) -> _Columns:
    lexicon, rules = grammar.lexicon, grammar.rules
    begin, end = lexicon.ptr[words].astype(np.int64), lexicon.ptr[words + 1].astype(np.int64)
    entry = np.concatenate([np.arange(a, b) for a, b in zip(begin, end, strict=True)])
    at = np.repeat(np.arange(len(words)), end - begin)  # the sets of single words come first
    none = np.full(len(entry), -1)
    head = below[room.base[at] + rules.local[lexicon.tag[entry]]]
    return _made(head, none, none, LEXICAL, entry, lexicon.weight[entry], at)


def _binary(chart: kernel.Chart, rules: Rules, item: Ints, below: Ints) -> _Columns:
    count = int(chart.room.tally[USES])
    head, rule, left, right = (column[:count] for column in chart.uses)
    sets = np.searchsorted(chart.room.base[: chart.sets], left, side="right") - 1
    return _made(
        below[head], item[left], item[right], BINARY, rules.rule_id[rule], rules.rule_weight[rule], sets
    )


def _unary(rules: Rules, symbol: Ints, owner: Ints, room: Room, item: Ints, below: Ints) -> _Columns:
    """Every unary rule of every item that it can be used on."""
    cell = np.flatnonzero(below >= 0)
    begin, end = (rules.unary_ptr[symbol[cell] + shift].astype(np.int64) for shift in (0, 1))
    rule = np.concatenate([np.empty(0, int), *(np.arange(a, b) for a, b in zip(begin, end, strict=True))])
    child = np.repeat(cell, end - begin)
    head = item[room.base[owner[child]] + rules.local[rules.unary_parent[rule]]]
    none = np.full(len(rule), -1)
    return _made(head, below[child], none, UNARY, rule, rules.unary_weight[rule], owner[child])


def _stay(node: Ints, made: npt.NDArray[np.bool_]) -> _Columns:
    cell = np.flatnonzero(made)
    none = np.full(len(cell), -1)
    zero = np.zeros(len(cell), int)
    return _made(node[1, cell], node[0, cell], none, STAY, none, np.zeros(len(cell)), zero)
