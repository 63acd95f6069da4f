"""Choices among rivals against a twin that sorts all that waits; roll-outs against whole runs."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agenda_cases import ALL, Case, cases
from naive.agenda import POPS, Item
from naive.rivals import Chooser
from secateur.kernels.agenda.derivation import goal_of, steps_of
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.lots import uniform
from secateur.kernels.agenda.priorities import NO_LIMITS, Limits
from secateur.kernels.agenda.rivals import Chosen, Turns, choose_all, rows_of
from secateur.kernels.agenda.snapshot import copied, futures
from secateur.kernels.agenda.state import ITEMS, NONE, POPPED, PUSHES, State, name_of


class Trial(NamedTuple):
    """A case, and how its pops are chosen."""

    case: Case
    oracle: set[Item]
    rate: float
    later: float
    hint: bool
    temperature: float
    heads: int
    others: int
    seed: int

    def turns(self, step: int = -1, action: int = 0) -> Turns:
        names = np.sort(np.array([name_of(*item) for item in self.oracle], np.uint64))
        given = (self.rate, self.later, self.hint, self.temperature, self.heads, self.others, self.seed)
        return Turns(names, *given, step, action)

    def given(self) -> tuple[object, ...]:
        grammar, words, *rest = self.case
        return grammar.rules, joins_of(grammar.rules), words, *rest

    def run(
        self, step: int = -1, action: int = 0, *, kept: bool = True, limits: Limits = NO_LIMITS
    ) -> Chosen:
        return choose_all(*self.given(), limits, self.turns(step, action), kept=kept)  # type: ignore[arg-type]

    def twin(self, step: int = -1, action: int = 0) -> Chooser:
        return Chooser(
            *self.case,
            oracle=self.oracle,
            rate=self.rate,
            later=self.later,
            hint=self.hint,
            temperature=self.temperature,
            heads=self.heads,
            lots=lambda at, which: uniform(self.seed, at * (2 + self.others) + which),
            force=(step, action),
        )


@st.composite
def trials(draw: st.DrawFn, *, others: bool = False) -> Trial:
    case = draw(cases(exact=False, longest=6))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    symbols = len(case.grammar.symbols)
    spans = [(i, k) for i in range(len(case.words)) for k in range(i + 1, len(case.words) + 1)]
    items = [(*span, x, over) for span in spans for x in range(symbols) for over in range(2)]
    share = draw(st.sampled_from((0.0, 0.3, 1.0)))
    oracle = {item for item in items if rng.random() < share}
    rates = st.sampled_from((0.0, 0.4, 1.0))
    temperature = draw(st.sampled_from((0.0, 1.0, 3.0)))
    heads = draw(st.sampled_from((1, 2, 3, 9, ALL)))
    extra = draw(st.sampled_from((1, 3))) if others else 0
    rate, later, seed = draw(rates), draw(rates), int(rng.integers(1 << 30))
    return Trial(case, oracle, rate, later, draw(st.booleans()), temperature, heads, extra, seed)


def logged(run: Chosen) -> list[tuple[list[Item], list[float], int]]:
    choices, steps = run.choices, int(run.state.tally[POPPED])
    ptr = choices.ptr[: steps + 1].tolist()
    items = [tuple(row) for row in rows_of(run.state.name[choices.item[: ptr[-1]]]).tolist()]
    scores = choices.score[: ptr[-1]].tolist()
    return [
        (items[first:end], scores[first:end], int(action))
        for first, end, action in zip(ptr[:-1], ptr[1:], choices.action[:steps], strict=True)
    ]


def answer(run: Chosen, trial: Trial) -> list[list[int]]:
    goal = goal_of(trial.case.grammar.rules, run.state)
    return [] if goal == NONE else steps_of(run.state, goal).tolist()


@given(trials(), st.data())
def test_choices_are_those_of_the_twin(trial: Trial, data: st.DataObject) -> None:
    """Step by step: the rivals, their scores, and which was popped; also where one is forced."""
    slow = trial.twin()
    status = slow.go(200)
    run = trial.run(limits=Limits(pops=200))
    assert run.status == status
    assert logged(run) == [tuple(choice) for choice in slow.choices]
    assert int(run.state.tally[PUSHES]) == slow.pushes
    assert answer(run, trial) == [list(step) for step in slow.answer()]
    if not slow.choices:
        return
    step = data.draw(st.integers(0, len(slow.choices) - 1))
    action = data.draw(st.integers(0, len(slow.choices[step].rivals) - 1))
    other = trial.twin(step, action)
    other.go(200)
    found = trial.run(step, action, limits=Limits(pops=200))
    assert logged(found) == [tuple(choice) for choice in other.choices]
    # Without a log it is the same run.
    bare = trial.run(step, action, kept=False, limits=Limits(pops=200))
    assert bare.state.tally.tolist() == found.state.tally.tolist()
    assert answer(bare, trial) == answer(found, trial) == [list(one) for one in other.answer()]


@given(trials(others=True))
def test_others_wait_too(trial: Trial) -> None:
    """They are drawn from what waits, beside those that a run without them has at the same state."""
    run, waiting = trial.run(limits=Limits(pops=60)), set[Item]()
    slow, heads = trial._replace(others=0, temperature=0.0).twin(), trial.heads
    for rivals, scores, action in logged(run):
        first = sorted(slow.waiting, key=slow.rank, reverse=True)
        assert set(first[:heads]) <= set(rivals) <= set(slow.waiting)
        assert len(rivals) <= heads + trial.others + 1
        assert rivals == [item for item in slow.made if item in rivals]
        assert scores == [float(slow.made[item].score) for item in rivals]
        waiting |= set(rivals) - set(first[:heads])
        slow.chosen = rivals[action]
        slow.pop()
        slow.chosen = None


@given(trials() | trials(others=True), st.integers(0, 1 << 30))
def test_futures_are_runs_from_the_beginning(trial: Trial, seed: int) -> None:
    """Exactly: parse, score and counts."""
    limits, rng = Limits(pops=300), np.random.default_rng(seed)
    log = logged(trial.run(limits=limits))
    asked = [(t, a) for t, (rivals, _, _) in enumerate(log) for a in range(len(rivals))]
    some = sorted(asked[p] for p in rng.permutation(len(asked))[:25])
    step, action = np.array(some, np.int64).reshape(-1, 2).T.copy()
    found = futures(*trial.given(), limits, trial.turns(), step, action)  # type: ignore[arg-type]
    for q, (t, a) in enumerate(some):
        run = trial.run(t, a, kept=False, limits=limits)
        tally = run.state.tally
        counts = (int(found.pops[q]), int(found.pushes[q]), int(found.items[q]))
        assert counts == tuple(int(tally[what]) for what in (POPPED, PUSHES, ITEMS))
        assert found.steps[q, : found.length[q]].tolist() == answer(run, trial)
        slow = trial.twin(t, a)
        if not trial.others:
            assert (slow.go(300) == POPS) == (run.status == POPS)
            assert (len(slow.choices), slow.pushes) == counts[:2]
            assert float(found.score[q]) == float(
                slow.score(slow.node[slow.goal]) if slow.answer() else -np.inf
            )


def test_a_copy_has_all_that_there_is() -> None:
    """A state that comes to hold more must not be copied without it."""
    source = inspect.getsource(getattr(copied, "py_func", copied))
    missing = [name for name in State._fields if f"found.{name}[" not in source]
    assert missing == [name for name in State._fields if name.startswith("log_")]
