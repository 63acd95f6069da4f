"""When to end a search, as a task: at each look (`kernels.agenda.halting`) to go on or take what there is.

With a fixed order a search goes the same way whatever the policy says: the policy only says how far. So its
whole course is known from one long run, and with it what each decision is worth under any policy that follows
it: one that stops at once gets F1 less the price of the pops so far, one that goes on what it gets later.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.kernels.agenda.halting import (
    BEFORE,
    EARLIER_POPS,
    EARLIER_PUSHES,
    LOOKS,
    SEEN,
    Looks,
    answer_of,
    beginning,
    next_look,
    seen,
)
from secateur.kernels.agenda.priorities import NO_LIMITS, Limits
from secateur.kernels.agenda.run import begin
from secateur.kernels.agenda.state import FOUND, ITEMS, POPPED, PUSHES, RUNNING, State
from secateur.kernels.cky.brackets import GoldBrackets
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.search.arrays import Bools, Floats, Sites
from secateur.search.core import (
    DECLINE,
    FREE,
    TAKE,
    Episode,
    Example,
    Force,
    Outcome,
    Policy,
    Reward,
    RewardOf,
    Rows,
    Task,
    Trace,
    Work,
    choose,
)
from secateur.search.learners import Aggregate
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.task import AgendaOrder, Encoded, Halting, Popped
from secateur.tasks.brackets import f1_of
from secateur.treebanks.tree import Tree

Steps = npt.NDArray[np.int64]
GO_ON, STOP = TAKE, DECLINE


class Course(NamedTuple):
    """A search that nothing ended but itself, or a limit. T looks; one more answer, that of its end."""

    seen: Floats  # [T, SEEN] what a policy sees
    work: tuple[Work, ...]  # [T+1]
    answers: tuple[Popped, ...]  # [T+1] the best parse, or what covers the sentence


class Known(NamedTuple):
    """What is right about a sentence, and whether there is more to be had after each look."""

    brackets: GoldBrackets
    go_on: Bools  # [T]


@dataclass(frozen=True)
class AgendaHalting:
    """To end searches in an order that is learned already. The policy's features are what it sees."""

    order: AgendaOrder
    priorities: Policy
    looks: Looks = LOOKS
    limits: Limits = NO_LIMITS
    tradeoff: float = 1e-6  # what a pop costs the oracle

    @property
    def dim(self) -> int:
        return SEEN

    def encode(self, words: Sequence[str]) -> Course:
        return self.course(self.order.encode(words))

    def course(self, x: Encoded) -> Course:
        """Of a sentence that has been looked at already."""
        task, words, rules = self.order, x.known.words, self.order.grammar.rules
        order, how = task.features.tables(x.known, self.priorities.weights), task.how
        progress = beginning(len(words), how, self.looks)
        state = begin(rules, words, x.mask, NO_ANCHORS, order, how)
        numbers, work, answers = list[Floats](), list[Work](), list[Popped]()

        def note(state: State) -> None:
            steps, score = answer_of(rules, words, NO_ANCHORS, state)
            count, tally = progress.count, state.tally
            pops, pushes = tally[POPPED] + count[EARLIER_POPS], tally[PUSHES] + count[EARLIER_PUSHES]
            work.append(Work(pushes=int(pushes), pops=int(pops), items=int(tally[ITEMS])))
            answers.append(task.popped(steps, score))

        while True:
            given = (rules, task.joins, words, x.mask, NO_ANCHORS, order, how, self.limits, self.looks)
            status, state = next_look(*given, state, progress)
            note(state)
            if status not in (RUNNING, FOUND):
                return Course(np.array(numbers).reshape(-1, SEEN), tuple(work), tuple(answers))
            numbers.append(seen(rules, order, state, progress))

    def gold(self, x: Course, tree: Tree) -> Known:
        """From a normalized gold tree."""
        brackets = self.order.brackets.gold(tree)
        known = Known(brackets, np.zeros(0, np.bool_))
        paid = np.array([self.tradeoff * work.pops for work in x.work])
        worth = np.array([self.f1(x, outcome, known) for outcome in outcomes_of(x)]) - paid
        # To go on is right where something better comes.
        best = np.maximum.accumulate(worth[::-1])[::-1]
        return known._replace(go_on=best[1:] > worth[:-1])

    def run(
        self, x: Course, policy: Policy, force: Force = FREE, *, gold: Known | None = None, seed: int = 0
    ) -> Outcome:
        """As far along the course as the policy goes."""
        return self.roll_in(x, policy, force, gold=gold, seed=seed).outcome

    def roll_in(
        self, x: Course, policy: Policy, force: Force = FREE, *, gold: Known | None = None, seed: int = 0
    ) -> Episode:
        """The same with the decisions up to there."""
        started, right = time.perf_counter(), None if gold is None else gold.go_on
        taken = choose(x.seen @ policy.weights, policy, force, right, seed)
        last = stop_of(taken)
        asked = min(last + 1, len(taken))
        outcome = Outcome(x.answers[last], x.work[last], time.perf_counter() - started)
        site, action = np.arange(asked, dtype=np.int32)[:, None], taken[:asked].astype(np.int64)
        return Episode(outcome, Trace(site, x.seen[:asked], np.arange(asked + 1), action, True), seed)

    def features(self, x: Course, site: Sites, state: Floats) -> Rows:
        bucket = np.tile(np.arange(SEEN, dtype=np.uint32), (len(state), 1))
        return Rows(bucket, state.astype(np.float32))

    def is_gold(self, site: Sites, gold: Known) -> Bools:
        found: Bools = gold.go_on[site[:, 0]]
        return found

    def f1(self, x: Course, outcome: Outcome, gold: Known) -> float:
        """Labelled F1 of the sentence as EVALB has it, of what is put together too."""
        assert outcome.parts is not None
        return f1_of(*self.order.brackets.matches(outcome.parts.steps, gold.brackets))

    def halting(self, policy: Policy) -> Halting:
        """For `AgendaOrder` and parsers."""
        return Halting(policy.weights.astype(np.float64), self.looks)


def stop_of(taken: Bools) -> int:
    """The answer at which such decisions end."""
    stops = np.flatnonzero(~taken)
    return int(stops[0]) if len(stops) else len(taken)


def outcomes_of(x: Course) -> list[Outcome]:
    """[T+1] what there is to be had."""
    return [Outcome(answer, work) for answer, work in zip(x.answers, x.work, strict=True)]


def at_first_parse() -> Policy:
    """What searches do that nobody ends: never give up, and take the first parse."""
    weights = np.zeros(SEEN, np.float32)
    weights[0], weights[BEFORE] = 1.0, -1.0
    return Policy(weights)


def follow(
    task: Task, x: Course, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Any
) -> Floats:
    """What each decision is worth if the policy, which draws nothing, goes on from there: as `replay` has it
    of greedy policies, from the course."""
    worth = [reward(x, outcome, gold) for outcome in outcomes_of(x)]
    taken = x.seen @ policy.weights > 0
    found = np.empty((len(steps), 2))
    for row, step in enumerate(np.asarray(steps).tolist()):
        found[row, STOP] = worth[step]
        found[row, GO_ON] = worth[step + 1 + stop_of(taken[step + 1 :])]
    return found


def examples(task: AgendaHalting, trees: Iterable[Tree]) -> list[Example]:
    """Of normalized trees."""
    courses = [(task.encode(tree.words()), tree) for tree in trees]
    return [Example(x, task.gold(x, tree)) for x, tree in courses]


def halting_learner(
    *, iterations: int = 10, exploration: float = 2.0, seed: int = 0, engine: Engine | None = None
) -> Aggregate:
    """Locally optimal learning to search, from `at_first_parse`: roll-ins go astray at this temperature."""
    return Aggregate(
        values=follow, iterations=iterations, exploration=exploration, seed=seed, engine=engine or Engine()
    )


def reward_of(task: AgendaHalting) -> Reward:
    return Reward(task.f1, "pops", task.tradeoff)
