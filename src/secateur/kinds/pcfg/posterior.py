"""Posterior marginals of spans and labels, and the tree of maximum expected labelled recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import Anchors
from secateur.kernels.split.posteriors import Expected
from secateur.treebanks.tree import Leaf, Span, Tree


def cell_of(i: int, k: int) -> int:
    return k * (k - 1) // 2 + i


@dataclass(frozen=True, eq=False)
class Marginals:
    """Expected numbers of nodes: what the whole forest says of each span and label."""

    words: int
    log_total: float  # log of the summed probability of all derivations
    labels: tuple[str, ...]  # plain labels; the last column of `table` is for made symbols
    table: npt.NDArray[np.float64]  # [cells, labels + 1], cell of (i, k): k*(k-1)/2 + i
    tags: npt.NDArray[np.bool_]  # [labels] which are tags

    def __getitem__(self, span: Span | tuple[str, int, int]) -> float:
        label, i, k = span
        return float(self.table[cell_of(i, k), self.labels.index(label)]) if label in self.labels else 0.0

    def above(self, threshold: float = 0.01) -> Iterator[tuple[Span, float]]:
        """Spans and labels at least this likely, by position then label."""
        for i in range(self.words):
            for k in range(i + 1, self.words + 1):
                row = self.table[cell_of(i, k), :-1]
                for column in np.flatnonzero(row >= threshold):
                    yield Span(self.labels[column], i, k), float(row[column])


def marginals(grammar: PCFG, chart: Any, words: npt.NDArray[np.uint32], anchors: Anchors) -> Marginals | None:
    """From a Viterbi chart; None where the sentence has no parse."""
    rules = grammar.rules
    n = int(chart.words)
    top = cky.item_of(chart, 0, n, rules.start)
    if top < 0:
        return None
    steps = cky.trace(rules, chart, anchors, 0, n, rules.start)
    word, gap = cky_inside.scales(rules, chart, steps, anchors)
    base, total, from_rows, to_rows = cky_inside.inside(rules, chart, words, anchors, word, gap)
    if not 0.0 < total[top] < np.inf:
        raise InputError("the scores are too far apart for posteriors", fix="keep anchors within 500 of 0")
    node, outer = cky_inside.outside(rules, chart, anchors, gap, from_rows, to_rows)
    scores = base, total, node, outer
    table = cky_inside.posteriors(rules, chart, anchors, scores, total[top], grammar.labels)
    return _marginals(grammar, n, np.log(total[top]) + word.sum() + gap.sum(), table)


def split_marginals(coarse: PCFG, found: Expected, n: int) -> Marginals | None:
    """From what a split grammar of these unsplit rules expects; None where the sentence has no parse."""
    return None if found.log_total == -np.inf else _marginals(coarse, n, found.log_total, found.table)


def _marginals(grammar: PCFG, n: int, log_total: float, table: npt.NDArray[np.float64]) -> Marginals:
    names = grammar.label_names
    tags = np.zeros(len(names), bool)
    tags[grammar.labels.of[np.flatnonzero(grammar.tags)]] = True
    return Marginals(n, float(log_total), names, table, tags)


def max_recall_tree(found: Marginals, root: str, leaves: Sequence[str]) -> tuple[Tree, float]:
    """A tree of maximum expected labelled recall, and the expected number of its right constituents.

    Goodman's criterion on the binarized forest: each span takes its likeliest label, made symbols counting as
    one, and the binary bracketing with the largest sum wins. Then spans that took a made symbol dissolve, a
    further label joins where it is more likely than not, and each word has its likeliest tag. The outer label
    stands on top and does not count.
    """
    n = found.words
    tagging = np.append(found.tags, False)
    singles = [cell_of(i, i + 1) for i in range(n)]
    phrases = found.table.copy()
    phrases[singles] = np.where(tagging, 0.0, phrases[singles])
    if root in found.labels:
        phrases[cell_of(0, n), found.labels.index(root)] = 0.0
    gain = phrases.max(axis=1)
    gain[singles] = 0.0
    split = cky_inside.best_recall(gain)
    expected = 0.0

    def build(i: int, k: int) -> tuple[Tree, ...]:
        nonlocal expected
        cell = cell_of(i, k)
        if k == i + 1:
            tag = int(np.where(tagging[:-1], found.table[cell, :-1], -1.0).argmax())
            children: tuple[Tree, ...] = (Tree(found.labels[tag], (Leaf(i, leaves[i]),)),)
            chosen = np.flatnonzero(phrases[cell] > 0.5)
        else:
            j = int(split[cell])
            children = build(i, j) + build(j, k)
            # A span that no derivation has, there only to make the bracketing binary, has no label.
            likely = phrases[cell] > 0.5
            likely[phrases[cell].argmax()] = gain[cell] > 0.0
            chosen = np.flatnonzero(likely)
        # The least likely label is the lowest: the top one is shared by most derivations.
        for column in sorted(chosen.tolist(), key=lambda c: phrases[cell, c]):
            if column == len(found.labels):
                continue
            expected += float(phrases[cell, column])
            children = (Tree(found.labels[column], children),)
        return children

    return Tree(root, build(0, n)), expected


def spans_of(found: Marginals | None, threshold: float) -> dict[str, Any]:
    """Posteriors for machines."""
    if found is None:
        return {"log_total": None, "spans": []}
    spans = [[span.label, span.i, span.k, round(p, 6)] for span, p in found.above(threshold)]
    return {"log_total": found.log_total, "spans": spans}
