"""Roll-outs of agenda parsing: which of a few rivals should be popped first.

Each pop is a decision. Its candidates are the first ones of the agenda, some drawn from all that waits, and
the best of the oracle's items that wait, if it leads now and then or is to give hints. What is not popped
waits on: to pop the second before the first changes next to nothing, while an item of the parse that waits
far behind keeps all others going.

With few rivals the policy itself says who they are; that first decisions are the same for all policies, as
`check_task` wants it, is true of all that waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.kernels.agenda import parse as kernel
from secateur.kernels.agenda.derivation import goal_of, score_of, steps_of
from secateur.kernels.agenda.priorities import NO_LIMITS, UNLIMITED, Limits
from secateur.kernels.agenda.rivals import Chosen, Turns, choose_all, rows_of
from secateur.kernels.agenda.snapshot import Futures, futures
from secateur.kernels.agenda.state import ITEMS, NONE, POPPED, PUSHES, name_of
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.cky.sparse import cell_of
from secateur.search.arrays import Bools, Floats, Sites, Steps
from secateur.search.core import (
    FREE,
    Episode,
    Force,
    Outcome,
    Policy,
    Reward,
    RewardOf,
    Rows,
    Task,
    Trace,
    Work,
)
from secateur.search.learners import Aggregate
from secateur.search.linear import REGULARIZER, Softmax
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.learn import Weaned
from secateur.tasks.agenda_order.oracle import Keys
from secateur.tasks.agenda_order.sampling import Price
from secateur.tasks.agenda_order.task import AgendaOrder, Encoded, Gold, Popped

ALL = 1 << 40  # heads, more than wait
_NOBODY: Keys = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class PopChoice:
    """Agenda parsing as a choice at each pop. A site is (i, k, symbol, over), its state the score."""

    order: AgendaOrder
    heads: int = 2  # rivals that come first
    others: int = 0  # rivals drawn from what waits, those behind being rarer
    hint: bool = False  # where gold is told, the oracle's best item is a rival though the oracle never leads
    limits: Limits = NO_LIMITS

    def __post_init__(self) -> None:
        if self.heads < 1 or self.others < 0:
            raise InputError(f"{self.heads} heads and {self.others} others", fix="take 1 head or more")
        if self.order.how.widen > 1.0:
            raise InputError("choices of several attempts", fix="widen by 1.0 where choices are learned from")

    @property
    def dim(self) -> int:
        return self.order.dim

    def run(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Outcome:
        if force != FREE or policy.temperature > 0 or policy.oracle_rate > 0:
            given = (*self.given(x, policy), self.turns(policy, gold, seed, force))
            return self._outcome(x, choose_all(*given, kept=False))
        found = kernel.Found(*kernel.first_parse(*self.given(x, policy)))
        work = Work(pushes=int(found.pushes), pops=int(found.pops), items=int(found.items))
        return Outcome(Popped(found.steps, float(found.score)) if found.score > -np.inf else None, work)

    def roll_in(
        self, x: Encoded, policy: Policy, force: Force = FREE, *, gold: Gold | None = None, seed: int = 0
    ) -> Episode:
        given = (*self.given(x, policy), self.turns(policy, gold, seed, force))
        found = choose_all(*given)
        choices, steps = found.choices, int(found.state.tally[POPPED])
        ptr = choices.ptr[: steps + 1].copy()
        item = choices.item[: ptr[-1]]
        trace = Trace(
            rows_of(found.state.name[item]),
            choices.score[: ptr[-1], None].astype(np.float64),
            ptr,
            choices.action[:steps].copy(),
            False,
        )
        return Episode(self._outcome(x, found), trace, seed)

    def features(self, x: Encoded, site: Sites, state: Floats) -> Rows:
        inside = state[:, 0].astype(np.float32)
        return self.order.features.rows(x.known, site[:, :3].astype(np.int64), inside)

    def is_gold(self, site: Sites, gold: Gold) -> Bools:
        """Whether candidates are among the oracle's items."""
        i, k, symbol, over = site.T.astype(np.int64)
        keys = 2 * (len(self.order.grammar.symbols) * cell_of(i, k) + symbol) + over
        return np.isin(keys.astype(np.uint64), self.order.oracle.item_keys(gold.items))

    # For roll-outs ------------------------------------------------------------------------------------------

    def given(self, x: Encoded, policy: Policy) -> tuple[Any, ...]:
        """What all kernels take first."""
        order = self.order.features.tables(x.known, policy.weights)
        rules = self.order.grammar.rules
        return rules, self.order.joins, x.known.words, x.mask, NO_ANCHORS, order, self.order.how, self.limits

    def turns(
        self, policy: Policy, gold: Gold | None, seed: int, force: Force = FREE, later: float | None = None
    ) -> Turns:
        """How pops are chosen; after the forced one the oracle's rate may be another."""
        rate = float(policy.oracle_rate)
        after = rate if later is None else later
        leads = max(rate, after) > 0
        if leads and gold is None:
            raise InputError("an oracle rate without gold", fix="give what is right, or set the rate to 0")
        names = _NOBODY
        if gold is not None and (self.hint or leads):
            found = [name_of(i, k, symbol, over) for i, k, symbol, over in gold.items.items.tolist()]
            names = np.sort(np.array(found, np.uint64))
        heat = float(policy.temperature)
        among = (self.heads, self.others, seed, force.step, force.action)
        return Turns(names, rate, after, self.hint, heat, *among)

    def _outcome(self, x: Encoded, found: Chosen) -> Outcome:
        state, rules = found.state, self.order.grammar.rules
        tally = state.tally
        work = Work(pushes=int(tally[PUSHES]), pops=int(tally[POPPED]), items=int(tally[ITEMS]))
        goal = goal_of(rules, state)
        if goal == NONE:
            return Outcome(None, work)
        steps = steps_of(state, goal)
        return Outcome(Popped(steps, float(score_of(rules, x.known.words, NO_ANCHORS, steps))), work)


@dataclass(frozen=True, slots=True)
class RollOut:
    """What pops are worth (`search.core.Values`): their futures run from copies of the state.

    With `later` the oracle leads futures at that rate. Else it does at the policy's: values are `replay`'s.
    """

    later: float | None = None

    def __call__(
        self,
        task: Task,
        x: Encoded,
        gold: Gold,
        policy: Policy,
        episode: Episode,
        reward: RewardOf,
        steps: Steps,
    ) -> Floats:
        if not isinstance(task, PopChoice):
            raise InputError(f"roll-outs of pops, of {type(task).__name__}", fix="use replay")
        if isinstance(reward, Reward) and reward.runtime == "seconds":
            raise InputError(
                "roll-outs of pops by the clock", fix="count pops, pushes or items, or use replay"
            )
        trace = episode.trace
        _, there = trace.choices().table(steps)
        found = np.full(there.shape, np.nan)
        if self.later is None:
            rows = np.arange(len(steps))
            found[rows, trace.action[steps]] = reward(x, episode.outcome, gold)
        asked = np.argwhere(there & np.isnan(found))
        asked = asked[np.argsort(steps[asked[:, 0]], kind="stable")]
        turns = task.turns(policy, gold, episode.seed, later=self.later)
        given = (*task.given(x, policy), turns, steps[asked[:, 0]], asked[:, 1].copy())
        for place, outcome in zip(asked.tolist(), _outcomes(futures(*given)), strict=True):
            found[tuple(place)] = reward(x, outcome, gold)
        return found


def _outcomes(found: Futures) -> list[Outcome]:
    outcomes = []
    for q, count in enumerate(found.length.tolist()):
        work = Work(pushes=int(found.pushes[q]), pops=int(found.pops[q]), items=int(found.items[q]))
        parts = Popped(found.steps[q, :count], float(found.score[q])) if count else None
        outcomes.append(Outcome(parts, work))
    return outcomes


@dataclass(frozen=True, kw_only=True)
class RollOutSettings:
    """How priorities are learned from roll-outs: LOLS, its decisions some of a run's pops."""

    rounds: int = 10
    steps: int = 12  # pops of a run that are asked about
    heads: int = 1
    others: int = 2
    hint: bool = True
    tradeoff: float = 1e-4  # what a unit of work costs, in accuracy
    price: Price = "pops"
    wean: float = 0.0  # the oracle leads runs at a rate of 1, then this, then its square, and so on; 0: never
    later: float = 0.0  # the rate at which it leads what comes of a pop
    pops: int = UNLIMITED  # where runs end
    regularizer: float = REGULARIZER
    seed: int = 0


def rollout_learner(settings: RollOutSettings, *, engine: Engine | None = None) -> Aggregate:
    """To be fitted to `pop_choice` with Reward(accuracy, settings.price, settings.tradeoff)."""
    rate = Weaned(settings.wean, settings.rounds) if settings.wean else 0.0
    return Aggregate(
        RollOut(settings.later),
        iterations=settings.rounds,
        patience=settings.rounds + 1,
        classifier=Softmax(settings.regularizer),
        sample=partial(min, settings.steps),
        oracle_rate=rate,
        seed=settings.seed,
        engine=engine or Engine(),
    )


def pop_choice(order: AgendaOrder, settings: RollOutSettings) -> PopChoice:
    """What such a learner learns from."""
    return PopChoice(order, settings.heads, settings.others, settings.hint, Limits(pops=settings.pops))
