"""The order of an agenda as what a policy controls: a linear function of an item's features is its priority.

A policy has one weight for each feature. The first complete parse that is popped ends the search, or another
policy does (`tasks.agenda_order.halting`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from secateur.errors import InputError
from secateur.features.priority import Known, PriorityFeatures
from secateur.grammar.derivation import Steps
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda import parse as kernel
from secateur.kernels.agenda.halting import LOOKS, Halted, Looks, halted
from secateur.kernels.agenda.joins import Joins, joins_of
from secateur.kernels.agenda.priorities import NO_LIMITS, How
from secateur.kernels.cky.brackets import GoldBrackets
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.cky.sparse import cell_of
from secateur.metrics import COLLINS, Parameters
from secateur.search.arrays import Bools, Floats
from secateur.search.core import FREE, Force, Outcome, Policy, Work
from secateur.tasks.agenda_order.oracle import GoldItems, Oracle, items_of
from secateur.tasks.brackets import Brackets, f1_of
from secateur.tasks.span_pruning.masks import Spans
from secateur.treebanks.tree import Tree


class Encoded(NamedTuple):
    """A sentence: what features know of it, and the spans that may be built."""

    known: Known
    mask: Bools  # [n+1, n+1]


class Gold(NamedTuple):
    """What is known to be right about a sentence."""

    items: GoldItems
    brackets: GoldBrackets


class Popped(NamedTuple):
    """What was found."""

    steps: Steps  # where a search was given up, without words of no tag
    score: float  # -inf: they do not make a whole


class Halting(NamedTuple):
    """A policy that ends searches."""

    weights: Floats  # [SEEN] float64
    looks: Looks = LOOKS


@dataclass(frozen=True)
class AgendaOrder:
    """Agenda parsing with a grammar, its items in the order that a policy over their features gives."""

    grammar: PCFG
    features: PriorityFeatures
    how: How
    oracle: Oracle
    spans: Spans | None = None  # which spans may be built; None: all
    parameters: Parameters = COLLINS
    halting: Halting | None = None  # None: the first parse ends a search

    @property
    def dim(self) -> int:
        return self.features.dim

    def encode(self, words: Sequence[str]) -> Encoded:
        n = len(words)
        mask = np.ones((n + 1, n + 1), np.bool_) if self.spans is None else self.spans.mask(words)
        return Encoded(self.features.columns(words, mask), mask)

    def run(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Outcome:
        """Pop by priority: nothing is drawn, and there is no step to force.

        Without a parse nothing was found; with a policy that ends searches, what covers the sentence.
        """
        if policy.temperature > 0 or policy.oracle_rate > 0:
            raise InputError("a run without a log draws nothing", fix="set temperature and oracle rate to 0")
        if force != FREE:
            raise InputError("an agenda's steps cannot be forced", fix="leave the force out")
        started = time.perf_counter()
        order = self.features.tables(x.known, policy.weights)
        words, rules = x.known.words, self.grammar.rules
        given = (rules, self.joins, words, x.mask, NO_ANCHORS, order, self.how)
        found: kernel.Found | Halted
        if self.halting is None:
            found = kernel.Found(*kernel.first_parse(*given, NO_LIMITS))
        else:
            found = Halted(*halted(*given, NO_LIMITS, self.halting.looks, self.halting.weights))
        work = Work(pushes=int(found.pushes), pops=int(found.pops), items=int(found.items))
        parts = None
        if self.halting is not None or found.score > -np.inf:
            parts = self.popped(found.steps, found.score)
        return Outcome(parts, work, time.perf_counter() - started)

    def popped(self, steps: Steps, score: float) -> Popped:
        """Of what the kernel found, whole or not."""
        return Popped(steps[steps[:, 1] < len(self.grammar.symbols)], float(score))

    def gold(self, tree: Tree) -> Gold:
        """From a normalized gold tree."""
        return Gold(self.oracle(self.grammar.lexicon.encode(tree.words()), tree), self.brackets.gold(tree))

    def f1(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """Labelled F1 of the sentence as EVALB has it, 0 to 1; 0 where there is no parse."""
        if outcome.parts is None:
            return 0.0
        return f1_of(*self.brackets.matches(outcome.parts.steps, gold.brackets))

    def recall(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """The share of the gold nodes that were found, tags and the root too, as the 2012 paper counts;
        unary chains by both ends. 0 where there is no parse."""
        if outcome.parts is None:
            return 0.0
        i, k, symbol, _ = items_of(outcome.parts.steps).T
        found = len(self.oracle.labels) * cell_of(i, k) + self.oracle.label[symbol]
        return float(np.isin(self.oracle.node_keys(gold.items), found.astype(np.uint64)).mean())

    @cached_property
    def joins(self) -> Joins:
        return joins_of(self.grammar.rules)

    @cached_property
    def brackets(self) -> Brackets:
        return Brackets(self.grammar, self.parameters)
