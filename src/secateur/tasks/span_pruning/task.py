"""Span pruning in CKY (Vieira & Eisner 2017): before parsing, a policy keeps or prunes each span.

A site is a span (i, k) with 1 < k - i < n; TAKE keeps it, DECLINE prunes it. Features are static, so one
pass decides all spans and the kernel receives a mask.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.features.span import Columns, SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.grammar.derivation import Steps
from secateur.grammar.pcfg import PCFG
from secateur.grammar.unaries import chains
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.brackets import GoldBrackets
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.metrics import COLLINS, Parameters
from secateur.search.arrays import Bools, Floats, Sites
from secateur.search.core import FREE, Episode, Force, Outcome, Policy, Rows, Trace, Work, choose
from secateur.tasks.brackets import Brackets, f1_of
from secateur.treebanks.tree import Tree

UNLIMITED = 1 << 62


class Encoded(NamedTuple):
    """A sentence as the kernels see it."""

    words: npt.NDArray[np.uint32]  # [n] word ids
    columns: Columns  # [views, n+2] feature keys


class Gold(NamedTuple):
    """What is known to be right about a sentence."""

    spans: Bools  # [n+1, n+1] spans of the binarized tree
    # [G, 3] (i, k, symbol) of its nodes, but the root, width 1 and unary children; each sub-symbol apart
    nodes: npt.NDArray[np.int64]
    total: int  # such nodes of the tree, also those whose label the grammar does not have
    brackets: GoldBrackets


class Forest(NamedTuple):
    """What a parse found: its best derivation, and the mask it was found under."""

    steps: Steps
    score: float
    mask: Bools  # [n+1, n+1]


@dataclass(frozen=True)
class SpanPruning:
    """CKY with a grammar, its spans chosen by a policy over span features."""

    grammar: PCFG
    span_features: SpanFeatures
    binarization: Binarization
    parameters: Parameters = COLLINS

    @property
    def dim(self) -> int:
        return self.span_features.dim

    def encode(self, words: Sequence[str]) -> Encoded:
        return Encoded(self.grammar.lexicon.encode(words), self.span_features.columns(words))

    def run(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Outcome:
        started = time.perf_counter()
        sites = sites_of(len(x.words))
        return self.parse_kept(x, sites, self._choices(x, sites, policy, force, gold, seed), started)

    def roll_in(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Episode:
        started = time.perf_counter()
        sites = sites_of(len(x.words))
        taken = self._choices(x, sites, policy, force, gold, seed)
        outcome = self.parse_kept(x, sites, taken, started)
        state = np.zeros((len(sites), 0))
        trace = Trace(sites, state, np.arange(len(sites) + 1), taken.astype(np.int64), True)
        return Episode(outcome, trace, seed)

    def features(self, x: Encoded, site: Sites, state: Floats) -> Rows:
        return Rows(self.span_features.rows(x.columns, site))

    def is_gold(self, site: Sites, gold: Gold) -> Bools:
        return gold.spans[site[:, 0], site[:, 1]]

    def parse_kept(self, x: Encoded, sites: Sites, taken: Bools, started: float) -> Outcome:
        """Parse with the chosen spans."""
        n = len(x.words)
        mask = np.zeros((n + 1, n + 1), np.bool_)
        mask[sites[:, 0], sites[:, 1]] = taken
        steps, score, pushes, items, _ = cky.viterbi(self.grammar.rules, x.words, mask, NO_ANCHORS, UNLIMITED)
        work = Work(pushes=int(pushes), items=int(items), kept=int(taken.sum()))
        parts = Forest(steps, float(score), mask) if len(steps) else None
        return Outcome(parts, work, time.perf_counter() - started)

    def _choices(
        self, x: Encoded, sites: Sites, policy: Policy, force: Force, gold: Gold | None, seed: int
    ) -> Bools:
        scores = self.span_features.scores(x.columns, policy.weights)[sites[:, 0], sites[:, 1]]
        return choose(scores, policy, force, None if gold is None else self.is_gold(sites, gold), seed)

    def gold(self, tree: Tree) -> Gold:
        """From a normalized gold tree."""
        binary = self.binarization(tree)
        n = len(tree.leaves())
        spans = np.zeros((n + 1, n + 1), np.bool_)
        nodes: list[tuple[int, int, int]] = []
        total = 0
        for (top, *_), i, k in chains(binary):
            if k - i == 1:
                continue
            spans[i, k] = True
            if k - i == n:
                continue
            total += 1
            nodes += [(i, k, symbol) for symbol in self._sub_symbols.get(top, ())]
        return Gold(spans, np.array(nodes, np.int64).reshape(-1, 3), total, self.brackets.gold(tree))

    @cached_property
    def _sub_symbols(self) -> dict[str, list[int]]:
        """Of every label: one or, in a split grammar, several."""
        found: dict[str, list[int]] = {}
        for symbol, name in enumerate(self.grammar.unsplit):
            found.setdefault(name, []).append(symbol)
        return found

    @cached_property
    def brackets(self) -> Brackets:
        return Brackets(self.grammar, self.parameters)

    def matches(self, outcome: Outcome, gold: Gold) -> tuple[int, int, int]:
        """(matched, made, gold) brackets; nothing is made where there is no parse."""
        if outcome.parts is None:
            return 0, 0, gold.brackets.total
        return self.brackets.matches(outcome.parts.steps, gold.brackets)

    def f1(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """Labelled F1 of the sentence, 0 to 1; 0 where there is no parse."""
        matched, made, total = self.matches(outcome, gold)
        return 0.0 if outcome.parts is None else f1_of(matched, made, total)

    def recall(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """Labelled recall of the sentence, 0 to 1; 0 where there is no parse."""
        matched, _, total = self.matches(outcome, gold)
        return 0.0 if outcome.parts is None else (matched / total if total else 1.0)


@lru_cache(maxsize=512)
def sites_of(n: int) -> Sites:
    """The spans that are decided, narrow ones first, as CKY visits them."""
    wide = [np.stack((np.arange(n - w + 1), np.arange(w, n + 1)), 1) for w in range(2, n)]
    sites = np.concatenate(wide).astype(np.int32) if wide else np.zeros((0, 2), np.int32)
    sites.flags.writeable = False  # shared by all sentences of this length
    return sites
