"""Drawn runs of agenda parsing, and where they point to.

What a pop earns is 1 where it is of something right, less its price; so all in all a run earns what is right
in its parse, less its work. Right are, the first time, the items of the oracle's derivation ("oracle": made
symbols, unaries and tags too), or nodes of the gold tree under any of their sub-symbols ("any").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from secateur.errors import InputError
from secateur.grammar.pcfg import Ids
from secateur.kernels.agenda.gradient import CREDIT, SCORE, Earning, Learned, Sums, learned
from secateur.kernels.agenda.priorities import NO_LIMITS, How, Limits, Priorities
from secateur.kernels.agenda.sample import Lead
from secateur.kernels.agenda.state import name_of
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Floats
from secateur.search.core import Outcome, Policy, Work
from secateur.search.gradient import Credit, Sample
from secateur.tasks.agenda_order.oracle import GoldItems, Keys
from secateur.tasks.agenda_order.task import AgendaOrder, Encoded, Gold, Popped

Rewarded = Literal["oracle", "any"]
Price = Literal["pops", "pushes"]


@dataclass(frozen=True)
class DrawnOrder:
    """Agenda parsing as a search that sums its gradients (`search.gradient.Sampled`).

    Where gold has no derivation at all, nothing is right, and nobody leads: such sentences teach what work
    costs, and are better left out (`tasks.agenda_order.learn.examples`).
    """

    task: AgendaOrder
    rewarded: Rewarded = "oracle"
    price: Price = "pops"
    labels: bool = False  # make likelier what the oracle would have popped, whatever was popped and earned
    by_length: int = 0  # gradients are divided by this power of how many items the oracle has
    how: How | None = None  # of drawn runs; None: the task's
    limits: Limits = NO_LIMITS

    @property
    def dim(self) -> int:
        return self.task.dim

    def run(self, *args: Any, **options: Any) -> Outcome:
        """The task's own."""
        return self.task.run(*args, **options)

    def sample(
        self, x: Encoded, policy: Policy, credit: Credit, *, gold: Gold | None = None, seed: int = 0
    ) -> Sample:
        """A run that draws by priority / temperature, now and then led by the oracle."""
        _check(policy, credit)
        if gold is None:
            raise InputError("a drawn run without gold", fix="give what is right: it earns nothing else")
        task, temperature = self.task, policy.temperature
        order = task.features.tables(x.known, policy.weights.astype(np.float64) / temperature)
        lead = Lead(self._names(gold.items), float(policy.oracle_rate), self.labels, seed)
        rules, how = task.grammar.rules, self.how or task.how
        given = (rules, task.joins, x.known.words, x.mask, NO_ANCHORS, order, how, self.limits, lead)
        run = Learned(*learned(*given, self._earning(gold.items, credit)))
        work = Work(pushes=int(run.pushes), pops=int(run.pops), items=int(run.items))
        outcome = Outcome(Popped(run.steps, float(run.score)) if len(run.steps) else None, work)
        scale = float(max(1, len(gold.items.items))) ** -self.by_length
        gradient = self._gathered(x, order, run, CREDIT) * (scale / temperature)
        score = np.zeros(self.dim)
        if run.drawn:
            score = self._gathered(x, order, run, SCORE) / temperature
        return Sample(outcome, int(run.pops), int(run.drawn), float(run.credit) * scale, gradient, score)

    def _gathered(self, x: Encoded, order: Priorities, run: Learned, which: int) -> Floats:
        sums = Sums(*(table[which] for table in run.sums))
        tables = (*sums[1:4], order.column, sums.outside, order.seen, sums.dynamic)
        return self.task.features.gathered(x.known, Priorities(float(sums.inside), *tables))

    def _names(self, gold: GoldItems) -> Keys:
        """[M] of the oracle's items, as the kernel packs them."""
        found = [name_of(i, k, symbol, over) for i, k, symbol, over in gold.items.tolist()]
        return np.sort(np.array(found, np.uint64))

    def _earning(self, gold: GoldItems, credit: Credit) -> Earning:
        oracle, symbols = self.task.oracle, len(self.task.grammar.symbols)
        by_push = self.price == "pushes"
        if self.rewarded == "oracle":
            wanted, column, width = oracle.item_keys(gold), self._numbers, symbols
        else:
            wanted, column, width = oracle.node_keys(gold), oracle.label, len(oracle.labels)
        twice = self.rewarded == "oracle"
        return Earning(wanted, column, width, twice, by_push, float(credit.tradeoff), float(credit.discount))

    @cached_property
    def _numbers(self) -> Ids:
        return np.arange(len(self.task.grammar.symbols), dtype=np.uint32)


def _check(policy: Policy, credit: Credit) -> None:
    """Refuse what no run can be drawn with."""
    if not (policy.temperature > 0 and np.isfinite(policy.temperature)):
        raise InputError(f"a temperature of {policy.temperature}", fix="draw at one above 0, and finite")
    if not 0 <= policy.oracle_rate <= 1:
        raise InputError(f"an oracle rate of {policy.oracle_rate}", fix="it is a share, from 0 to 1")
    if not 0 <= credit.discount <= 1:
        raise InputError(
            f"a discount of {credit.discount}", fix="it is from 0 (at once) to 1 (all that comes)"
        )
    if not np.isfinite(policy.weights).all():
        raise InputError("weights that are no numbers", fix="take steps that are smaller")
