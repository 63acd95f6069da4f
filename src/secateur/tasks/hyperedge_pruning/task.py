"""Pruning of hyperedges in weighted deduction (Pueschel 2018): a policy keeps or prunes what rules make.

Decisions see the item that a hyperedge makes, so that all ways to make an item are kept or pruned together at
test time; what roll-outs flip, and so what is learned from, is a hyperedge, an item or a set of positions.
Without luck and deviations the kernel decides as it goes along, and what is pruned is never built. Else the
whole derivation graph is: pruned hyperedges are kept in it with their bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from secateur.errors import InputError
from secateur.features.item import ItemFeatures
from secateur.features.span import Columns
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.derivation import LEXICAL, Step
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import Ids
from secateur.hypergraph import Change
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.chart import ITEMS, PUSHES, UNARIES
from secateur.kernels.lcfrs.features import bounds_of
from secateur.kernels.lcfrs.gate import EVERYTHING, Gate, scores_of
from secateur.metrics.position_sets import PROPER, DiscontinuousParameters
from secateur.options import check_choice
from secateur.search.arrays import Bools, Floats, Ints, Sites
from secateur.search.core import FREE, TAKE, Episode, Force, Outcome, Policy, Rows, Trace, Work, choose
from secateur.tasks.hyperedge_pruning.brackets import Brackets, GoldBrackets
from secateur.tasks.hyperedge_pruning.gold import GoldSites, RuleNumbers, gold_sites, is_among
from secateur.tasks.hyperedge_pruning.graph import STAY, graph_of, steps_of
from secateur.tasks.hyperedge_pruning.space import (
    SYMBOL,
    UNITS,
    Space,
    Unit,
    lexical_count,
    positions_of,
    space_of,
)
from secateur.treebanks.tree import Tree


class Gated(NamedTuple):
    """The items of a sentence that are worth making, and what it took to know."""

    gate: Gate
    pushes: int = 0


class Gating(Protocol):
    """Says which items of a sentence are worth making."""

    def gate(self, words: Sequence[str]) -> Gated:
        """Of words as the grammar spells them."""


class Encoded(NamedTuple):
    """A sentence as the kernels see it."""

    words: Ids  # [n]
    columns: Columns  # [views, n+2] feature keys
    text: tuple[str, ...]


class Gold(NamedTuple):
    """What is known to be right about a sentence."""

    sites: GoldSites
    brackets: GoldBrackets


class Found(NamedTuple):
    """What a parse found: its best derivation."""

    steps: tuple[Step, ...]
    score: float


class Decided(NamedTuple):
    """A derivation graph with all decisions made."""

    space: Space
    taken: Bools  # [D]
    change: Change  # the graph as it is kept
    open: Ints  # the decisions that the search met
    outcome: Outcome


@dataclass
class _Latest:
    """The space of the sentence that was looked at last: its roll-outs come right after the roll-in."""

    x: Encoded | None = None
    space: Space | None = None

    def __reduce__(self) -> tuple[type[_Latest], tuple[()]]:
        return _Latest, ()


@dataclass(frozen=True)
class HyperedgePruning:
    """Deduction with a PLCFRS, its items chosen by a policy over item features."""

    grammar: PLCFRS  # binary
    item_features: ItemFeatures
    binarization: Binarization
    unit: Unit = "hyperedge"
    bounding: Gating | None = None  # what it leaves out is never made, whatever a policy says
    parameters: DiscontinuousParameters = PROPER
    limits: kernel.Limits = kernel.NO_LIMITS  # of a whole derivation graph
    _latest: _Latest = field(default_factory=_Latest, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

    @property
    def dim(self) -> int:
        return self.item_features.dim

    def encode(self, words: Sequence[str]) -> Encoded:
        if len(words) > kernel.POSITIONS:
            raise InputError(f"{len(words)} words", fix=f"give at most {kernel.POSITIONS}")
        ids = self.grammar.lexicon.encode(words)
        return Encoded(ids, self.item_features.columns(words), tuple(words))

    def bounds(self, x: Encoded) -> Gate:
        return self.bounding.gate(x.text).gate if self.bounding else EVERYTHING

    # As tasks do ------------------------------------------------------------------------------------------

    def run(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Outcome:
        if force.step >= 0 or policy.temperature > 0 or policy.oracle_rate > 0:
            return self.decide(x, policy, force, gold=gold, seed=seed).outcome
        started = time.perf_counter()
        gate = self.item_features.gate(x.columns, policy.weights, self.grammar.rules)
        chart = kernel.chart_of(self.grammar.rules, x.words, gate, bounds=self.bounds(x))
        room, rules = chart.room, self.grammar.rules
        start = self.grammar.number[self.grammar.start]
        goal = kernel.goal_of(rules, room, len(x.words))
        score = float(kernel.best_of(rules, room, goal, start))
        found = None
        if score > -np.inf:
            found = _found(steps_of(self.grammar, chart, goal, start), score)
        kept = int(room.tally[PUSHES] + room.tally[UNARIES])
        work = Work(pushes=kept + self._entries(x), items=int(room.tally[ITEMS]), kept=kept)
        return Outcome(found, work, time.perf_counter() - started)

    def roll_in(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Episode:
        found = self.decide(x, policy, force, gold=gold, seed=seed)
        site = found.space.site[found.open]
        state = np.zeros((len(site), 0))
        action = found.taken[found.open].astype(np.int64)
        trace = Trace(site, state, np.arange(len(site) + 1), action, True)
        return Episode(found.outcome, trace, seed)

    def features(self, x: Encoded, site: Sites, state: Floats) -> Rows:
        symbol = site[:, SYMBOL].astype(np.int64)
        return self.item_features.rows(x.columns, symbol, positions_of(site))

    def is_gold(self, site: Sites, gold: Gold) -> Bools:
        return is_among(site, gold.sites)

    # The derivation graph ---------------------------------------------------------------------------------

    def space(self, x: Encoded) -> Space:
        """All decisions about a sentence."""
        latest = self._latest
        if latest.x is not x or latest.space is None:
            bounds = self.bounds(x)
            chart = kernel.chart_of(self.grammar.rules, x.words, bounds, self.limits, keep_uses=True)
            if chart.status != kernel.COMPLETE:
                raise InputError(
                    f"the derivation graph of a sentence of {len(x.words)} words is larger than the limits",
                    fix="give shorter sentences, or bounds for what is made",
                )
            latest.x, latest.space = x, space_of(graph_of(self.grammar, x.words, chart), self.unit)
        return latest.space

    def scores(self, x: Encoded, space: Space, policy: Policy) -> Floats:
        """[D] what the policy says of every decision."""
        gate = self.item_features.gate(x.columns, policy.weights, self.grammar.rules)
        bound, parts = bounds_of(positions_of(space.site))
        head = space.graph.weighted.graph.links.head[space.first]
        found: Floats = scores_of(gate, space.graph.symbol[head], bound, parts)
        return found

    def decide(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Decided:
        """Every decision, and what comes of them."""
        started = time.perf_counter()
        space = self.space(x)
        right = self.is_gold(space.site, gold) if gold is not None and policy.oracle_rate > 0 else None
        taken = choose(self.scores(x, space, policy), policy, FREE, right, seed)
        change = space.graph.weighted.change(kept=space.bits(taken))
        met = np.flatnonzero(space.open(change))
        if force.step >= 0:
            taken[met[force.step]] = force.action == TAKE
            change = space.graph.weighted.change(kept=space.bits(taken))
            met = np.flatnonzero(space.open(change))
        best = change.viterbi()
        found = None
        if best is not None:
            found = _found(space.graph.steps(best.hyperedges), best.value)
        outcome = Outcome(found, work_of(space, change), time.perf_counter() - started)
        return Decided(space, taken, change, met, outcome)

    def _entries(self, x: Encoded) -> int:
        ptr = self.grammar.lexicon.ptr
        return int((ptr[x.words + 1].astype(np.int64) - ptr[x.words]).sum())

    # What is right ----------------------------------------------------------------------------------------

    @cached_property
    def brackets(self) -> Brackets:
        return Brackets(self.grammar, self.parameters)

    def gold(self, tree: Tree) -> Gold:
        """From a normalized gold tree."""
        sites = gold_sites(self.binarization(tree), self.rule_numbers, self.unit)
        return Gold(sites, self.brackets.gold(tree))

    @cached_property
    def rule_numbers(self) -> RuleNumbers:
        return RuleNumbers.of(self.grammar)

    def matches(self, outcome: Outcome, gold: Gold) -> tuple[int, int, int]:
        """(matched, made, gold) brackets; nothing is made where there is no parse."""
        total = gold.brackets.total
        if outcome.parts is None:
            return 0, 0, total
        return (*self.brackets.of_steps(outcome.parts.steps, gold.brackets), total)

    def f1(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """Labelled F1 of the sentence, 0 to 1; 0 where there is no parse."""
        matched, made, total = self.matches(outcome, gold)
        if outcome.parts is None:
            return 0.0
        return 2.0 * matched / (made + total) if made + total else 1.0

    def recall(self, x: Encoded, outcome: Outcome, gold: Gold) -> float:
        """Labelled recall of the sentence, 0 to 1; 0 where there is no parse."""
        matched, _, total = self.matches(outcome, gold)
        return 0.0 if outcome.parts is None else (matched / total if total else 1.0)


def _found(steps: Iterable[Step], score: float) -> Found:
    """The rules of words have no number."""
    return Found(tuple(s._replace(rule=0) if s.kind == LEXICAL else s for s in steps), score)


def work_of(space: Space, change: Change) -> Work:
    """Hyperedges that are kept and whose tails are there."""
    alive = change.made > -np.inf
    pushes = int(np.count_nonzero(alive & (space.graph.kind != STAY)))
    items = int(np.count_nonzero(space.graph.above & (change.values > -np.inf)))
    return Work(pushes=pushes, items=items, kept=pushes - lexical_count(space.graph))
