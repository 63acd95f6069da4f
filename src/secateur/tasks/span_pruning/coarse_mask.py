"""Coarse to fine by spans: keep what a cheaper grammar finds likely enough.

The posterior of a span is the probability that a derivation has a node over it, whatever its label; a symbol
made by binarization is a node, too, so both grammars must be binarized in the same direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Bools, Floats
from secateur.search.core import Work
from secateur.tasks.span_pruning.masks import length_of, settled

CHART_BYTES = 400 << 20  # the sums in float64 come on top of it


class Posterior(NamedTuple):
    """How likely each span is, and what it took to know."""

    spans: Floats  # [n+1, n+1]
    work: Work


@dataclass(frozen=True, slots=True)
class CoarseMask:
    """The spans whose posterior under a grammar is at least `least`."""

    grammar: PCFG
    least: float
    chart_bytes: int = CHART_BYTES

    def __post_init__(self) -> None:
        if not 0.0 <= self.least < 1.0:
            raise InputError(f"a least posterior of {self.least}", fix="give 0 or more, and less than 1")

    def mask(self, words: Sequence[str]) -> Bools:
        """[n+1, n+1] the likely spans (see masks.Spans)."""
        return settled(self.posterior(words).spans >= self.least)

    def posterior(self, words: Sequence[str]) -> Posterior:
        """Of all spans; 1 for each where the grammar has no parse, or no room for it: then it cannot tell."""
        n = length_of(words)
        rules, ids = self.grammar.rules, self.grammar.lexicon.encode(words)
        everything = np.triu(np.ones((n + 1, n + 1)), 1)
        chart = cky.chart_of(rules, ids, everything > 0, NO_ANCHORS, self.chart_bytes)
        work = Work(pushes=int(chart.pushes), items=len(chart.label))
        top = cky.item_of(chart, 0, n, rules.start) if chart.complete else -1
        if top < 0:
            return Posterior(everything, work)
        steps = cky.trace(rules, chart, NO_ANCHORS, 0, n, rules.start)
        word, gap = cky_inside.scales(rules, chart, steps, NO_ANCHORS)
        base, total, from_rows, to_rows = cky_inside.inside(rules, chart, ids, NO_ANCHORS, word, gap)
        _, outer = cky_inside.outside(rules, chart, NO_ANCHORS, gap, from_rows, to_rows)
        # A derivation has at most one lexical or binary node over a span: their posteriors add up to its own.
        # What no parse holds may have an infinite score inside.
        likely = np.multiply(base, outer, out=np.zeros_like(base), where=outer > 0.0) / total[top]
        return Posterior(_by_span(chart, likely), work)


def _by_span(chart: cky.Chart, of_item: Floats) -> Floats:
    """[n+1, n+1] sums over the items of each span."""
    n = int(chart.words)
    sizes = (chart.cell_end - chart.cell_begin).astype(np.int64)
    order = np.argsort(chart.cell_begin, kind="stable")  # of the cells, as the items stand
    sums = np.bincount(np.repeat(order, sizes[order]), of_item, len(sizes))
    end, begin = np.tril_indices(n)  # the cells by number: k * (k-1) / 2 + i
    found = np.zeros((n + 1, n + 1))
    found[begin, end + 1] = sums
    return found
