"""Coarse to fine: a PCFG of blocks says which items of a PLCFRS are worth making.

A symbol of fan-out f is f symbols in the coarse grammar, one for each component; what is more than binary
then is binarized with its whole history. An item is kept if each of its components is likely enough over its
words, by the posteriors of the coarse grammar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

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
from secateur.kernels.lcfrs.gate import Gate, gate_of
from secateur.kinds.pcfg.posterior import marginals
from secateur.treebanks.blocks import parsed, split
from secateur.treebanks.tree import Leaf, Tree, new_tree

THRESHOLD = 1e-3
_PREFIX = "c"  # of symbols: their own names would look like what binarization makes


@dataclass(frozen=True, eq=False)
class CoarseToFine:
    """A coarse grammar, and the symbol of it for each component of each symbol of the fine one."""

    grammar: PCFG
    fine: PLCFRS
    names: tuple[str, ...]  # by component, those of a symbol after one another; empty where there is none
    threshold: float = THRESHOLD

    @classmethod
    def induced(
        cls,
        fine: PLCFRS,
        trees: Iterable[Tree],
        *,
        binarization: Binarization | None = None,
        smoothing: Smoothing | None = None,
        threshold: float = THRESHOLD,
    ) -> CoarseToFine:
        """From the trees that the fine grammar was induced from, binarized in the same way."""
        binarize = binarization or Binarization()
        known: dict[tuple[str, int], str] = {}
        apart = (_renamed(split(binarize(tree)), known) for tree in trees)
        grammar = induce_phrases(
            apart, binarization=PhraseBinarization("right", h=None), smoothing=smoothing or Smoothing()
        )
        sizes = zip(fine.symbols, fine.fanout.tolist(), strict=True)
        names = tuple(known.get((symbol, part), "") for symbol, size in sizes for part in range(size))
        return cls(grammar, fine, names, threshold)

    @cached_property
    def _slot(self) -> npt.NDArray[np.uint32]:
        """[N] the first component of each symbol."""
        return (np.cumsum(self.fine.fanout) - self.fine.fanout).astype(np.uint32)

    @cached_property
    def _column(self) -> npt.NDArray[np.int64]:
        """[slots] columns of the coarse grammar's posteriors, -1 for none."""
        number = {name: c for c, name in enumerate(self.grammar.label_names)}
        return np.array([number.get(name, -1) for name in self.names])

    def gate(self, words: Sequence[str]) -> Gate | None:
        """Which items of a sentence to make; None where the coarse grammar has no parse."""
        n = len(words)
        ids = self.grammar.lexicon.encode(words)
        everything = np.ones((n + 1, n + 1), np.bool_)
        chart = cky.chart_of(self.grammar.rules, ids, everything, NO_ANCHORS, 1 << 40)
        found = marginals(self.grammar, chart, ids, NO_ANCHORS)
        if found is None:
            return None
        likely = np.append(found.table[:, :-1] >= self.threshold, np.zeros((len(found.table), 1), bool), 1)
        interval = np.full((len(self.names), n + 1, n + 1), -np.inf)
        start, end = np.triu_indices(n + 1, 1)
        cell = end * (end - 1) // 2 + start
        interval[:, start, end] = np.where(likely[cell][:, self._column].T, 1.0, -np.inf)
        at = np.arange(n)
        tags = self._slot[self.fine.tags].astype(np.int64)
        interval[tags[:, None], at, at + 1] = 1.0  # never pruned over single words
        nothing = np.zeros((len(self.fine.symbols), n + 1))
        return gate_of(self.fine.rules, self._slot, interval, nothing, nothing)


def _renamed(tree: Tree, known: dict[tuple[str, int], str]) -> Tree:
    """The tree of blocks with opaque names for phrases."""
    if tree.is_preterminal:
        return tree
    symbol, block = parsed(tree.label)
    name = known.setdefault((symbol, block or 0), f"{_PREFIX}{len(known)}")
    children = (child if isinstance(child, Leaf) else _renamed(child, known) for child in tree.children)
    return new_tree(name, tuple(children))
