"""Coarse to fine: a PCFG of blocks says which items of a PLCFRS are worth making.

A symbol of fan-out f is f symbols in the coarse grammar, one for each component; what is more than binary
then is binarized with its whole history. An item is kept if each of its components is likely enough over its
words, by the posteriors of the coarse grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.grammar.binarize import Binarization as PhraseBinarization
from secateur.grammar.induce import Smoothing
from secateur.grammar.induce import induce as induce_phrases
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.lcfrs import likely as kernel
from secateur.kernels.lcfrs.gate import EVERYTHING
from secateur.kernels.lcfrs.rules import NONE
from secateur.kinds.pcfg.posterior import marginals
from secateur.search.arrays import Bools
from secateur.tasks.hyperedge_pruning.task import Gated
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.blocks import parsed, split
from secateur.treebanks.tree import Leaf, Tree, new_tree

THRESHOLD = 1e-3
WIDE = 1e-5  # before policies that leave out more
BINARIZATION = PhraseBinarization("right", h=None)  # of what is more than binary once it is blocks
_PREFIX = "c"  # of symbols: their own names would look like what binarization makes
_CHART_BYTES = 1 << 40  # a chart that is too large for the coarse grammar is one for the fine one


@dataclass(frozen=True, eq=False)
class CoarseToFine:
    """A coarse grammar, and the symbol of it for each component of each symbol of the fine one."""

    grammar: PCFG
    fine: PLCFRS
    names: tuple[str, ...]  # by component, those of a symbol after one another; empty where there is none
    threshold: float = THRESHOLD
    spans: Spans | None = None  # which of its spans are looked at; None: all

    @classmethod
    def induced(
        cls,
        fine: PLCFRS,
        trees: Iterable[Tree],
        *,
        smoothing: Smoothing | None = None,
        threshold: float = THRESHOLD,
    ) -> CoarseToFine:
        """From the trees that the fine grammar was induced from, binarized in the same way."""
        known: dict[tuple[str, int], str] = {}
        apart = _apart(trees, fine, known)
        grammar = induce_phrases(apart, binarization=BINARIZATION, smoothing=smoothing or Smoothing())
        names = tuple(known.get(component, "") for component in _components(fine))
        return cls(grammar, fine, names, threshold)

    @property
    def wide(self) -> CoarseToFine:
        """As it is before a policy about items."""
        return replace(self, threshold=min(self.threshold, WIDE))

    def trees(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """As the coarse grammar sees them."""
        components = zip(_components(self.fine), self.names, strict=True)
        yield from _apart(trees, self.fine, {component: name for component, name in components if name})

    @cached_property
    def _parts(self) -> kernel.Components:
        fanout = self.fine.fanout.astype(np.int64)
        slot = (np.cumsum(fanout) - fanout).astype(np.uint32)
        number = {name: c for c, name in enumerate(self.grammar.label_names)}
        of_column = np.full(len(number), NONE)
        for component, name in enumerate(self.names):
            if name in number:
                of_column[number[name]] = component
        return kernel.Components(
            slot,
            np.repeat(fanout, fanout).astype(np.uint8),
            (np.arange(fanout.sum()) - np.repeat(slot, fanout)).astype(np.uint8),
            of_column,
            slot[self.fine.tags],
        )

    def gate(self, words: Sequence[str]) -> Gated:
        """Which items of a sentence to make; all of them where the coarse grammar has no parse."""
        n = len(words)
        everything = np.ones((n + 1, n + 1), np.bool_)
        masks = [everything] if self.spans is None else [self.spans.mask(words), everything]
        pushes = 0
        for mask in masks:
            found = self._posteriors(words, mask)
            pushes += found.pushes
            if found.table is not None:
                return Gated(kernel.likely(self._parts, found.table, self.threshold, n), pushes)
        return Gated(EVERYTHING, pushes)

    def _posteriors(self, words: Sequence[str], mask: Bools) -> _Posteriors:
        ids = self.grammar.lexicon.encode(words)
        chart = cky.chart_of(self.grammar.rules, ids, mask, NO_ANCHORS, _CHART_BYTES)
        found = marginals(self.grammar, chart, ids, NO_ANCHORS)
        return _Posteriors(None if found is None else found.table, int(chart.pushes))


class _Posteriors(NamedTuple):
    """Of the components over the intervals; none without a parse."""

    table: npt.NDArray[np.float64] | None
    pushes: int


def _components(fine: PLCFRS) -> list[tuple[str, int]]:
    """The components of all symbols: (symbol, number)."""
    sizes = zip(fine.symbols, fine.fanout.tolist(), strict=True)
    return [(symbol, part) for symbol, size in sizes for part in range(size)]


def _apart(trees: Iterable[Tree], fine: PLCFRS, known: dict[tuple[str, int], str]) -> Iterator[Tree]:
    """Trees of blocks; what is met for the first time gets a name."""
    binarize = Binarization.from_notes(fine.notes)
    return (_renamed(split(binarize(tree)), known) for tree in trees)


def _renamed(tree: Tree, known: dict[tuple[str, int], str]) -> Tree:
    """The tree of blocks with opaque names for phrases."""
    if tree.is_preterminal:
        return tree
    symbol, block = parsed(tree.label)
    name = known.setdefault((symbol, block or 0), f"{_PREFIX}{len(known)}")
    children = (child if isinstance(child, Leaf) else _renamed(child, known) for child in tree.children)
    return new_tree(name, tuple(children))
