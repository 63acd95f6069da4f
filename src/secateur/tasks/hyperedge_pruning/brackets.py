"""The brackets that count, of gold trees and of derivations: position sets, as in metrics.position_sets.

Where words do not count, brackets are compared by the words that do, so that nothing need be numbered anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from secateur.grammar.lcfrs.derivation import LEXICAL, UNARY, Step
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import Ids
from secateur.kernels.lcfrs import brackets as kernel
from secateur.metrics.evalb.score import ROOTS
from secateur.metrics.position_sets import DiscontinuousParameters, has_gap, prepare
from secateur.search.arrays import Ints
from secateur.tasks.hyperedge_pruning.graph import STAY, DerivationGraph
from secateur.treebanks.tree import Tree

Bracket = tuple[str, int]  # a label, and a bit for each position that counts


class GoldBrackets(NamedTuple):
    """Of a gold tree."""

    brackets: Counter[Bracket]
    counted: int  # a bit for each position that counts

    @property
    def total(self) -> int:
        return self.brackets.total()


@dataclass(frozen=True, eq=False)
class Brackets:
    """What a grammar's rules put into trees, as far as parameters let it count."""

    grammar: PLCFRS
    parameters: DiscontinuousParameters

    def gold(self, tree: Tree) -> GoldBrackets:
        """Of a tree whose words are numbered 0, 1, 2, ..."""
        dropped = prepare(tree, self.parameters).dropped
        counted = sum(1 << p for p in range(len(tree.leaves())) if p not in dropped)
        found: Counter[Bracket] = Counter()
        for number, (label, indices) in enumerate(tree.constituents()):
            name = self._counting("TOP" if number == 0 and label in ROOTS else label)
            covered = sum(1 << p for p in indices) & counted
            if name is not None and covered and self._is_wanted(covered):
                found[name, covered] += 1
        if self.parameters.all_nodes:
            for p, tag in enumerate(tree.tags()):
                if self._is_wanted(1 << p):
                    found[self._label(tag), 1 << p] += 1
        return GoldBrackets(found, counted)

    def of_steps(self, steps: Iterable[Step], gold: GoldBrackets) -> tuple[int, int]:
        """(matched, made) brackets of a derivation."""
        found: Counter[Bracket] = Counter()
        for kind, symbol, positions, rule in steps:
            for name in self._names(kind, symbol, rule):
                covered = positions & gold.counted
                if name is not None and covered and self._is_wanted(covered):
                    found[name, covered] += 1
        return (found & gold.brackets).total(), found.total()

    def of_graph(self, graph: DerivationGraph, gold: GoldBrackets) -> Matching:
        """What counts the brackets of derivations of a graph."""
        number = {bracket: n for n, bracket in enumerate(gold.brackets)}
        covered = [(a | b << 64) & gold.counted for a, b in graph.positions.tolist()]
        head = graph.weighted.graph.links.head.tolist()
        symbol, found, sizes = graph.symbol.tolist(), [], []
        for h, (kind, rule) in enumerate(zip(graph.kind.tolist(), graph.rule.tolist(), strict=True)):
            names = () if kind == STAY else self._names(kind, symbol[head[h]], rule)
            positions = covered[head[h]]
            wanted = positions and self._is_wanted(positions)
            for name in names:
                counts = name is not None and wanted
                found.append(number.get((name or "", positions), kernel.ELSE) if counts else kernel.FREE)
            sizes.append(len(names))
        ptr = np.concatenate(([0], np.cumsum(np.array(sizes, np.int64))))
        left = np.fromiter(gold.brackets.values(), np.int64, len(gold.brackets))
        return Matching(ptr, np.array(found, np.int64), left)

    def _names(self, kind: int, symbol: int, rule: int) -> Sequence[str | None]:
        """The labels of the nodes that a step makes; None for those that do not count."""
        if kind == LEXICAL:
            return (self._label(self.grammar.plain[symbol]),) if self.parameters.all_nodes else ()
        if self.grammar.made[symbol]:
            return ()
        return self._unary[rule] if kind == UNARY else (self._own[symbol],)

    @cached_property
    def _own(self) -> list[str | None]:
        """By symbol; the start symbol's is the root's."""
        found = [self._counting(label) for label in self.grammar.plain]
        start = self.grammar.number[self.grammar.start]
        if self.grammar.plain[start] in ROOTS:
            found[start] = self._counting("TOP")
        return found

    @cached_property
    def _unary(self) -> list[tuple[str | None, ...]]:
        """By unary rule."""
        unary = self.grammar.unary
        pairs = zip(unary.parent.tolist(), unary.path, strict=True)
        return [(self._own[parent], *map(self._counting, path)) for parent, path in pairs]

    def _label(self, label: str) -> str:
        found = self.parameters.labels.get(label, label)
        return found if self.parameters.evalb.labelled else ""

    def _counting(self, label: str) -> str | None:
        known = self.parameters.labels.get(label, label)
        if known in self.parameters.deleted_labels and not self.parameters.all_nodes:
            return None
        return self._label(label)

    def _is_wanted(self, covered: int) -> bool:
        return not self.parameters.only or has_gap(covered)


class Matching(NamedTuple):
    """Counts brackets of a graph's derivations."""

    ptr: Ints  # [H+1] where a hyperedge's brackets begin among ...
    bracket: Ints  # ... these: numbers of gold ones, or what stands in their place
    left: Ints  # how often each gold bracket is there

    def __call__(self, ptr: Ints, hyperedges: Ids) -> Ints:
        """[G, 2] matched and made, of the derivations hyperedges[ptr[g]:ptr[g+1]]."""
        found: Ints = kernel.matches(ptr, hyperedges, self.ptr, self.bracket, self.left)
        return found
