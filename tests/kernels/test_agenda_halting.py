"""Searches that a policy ends, against a twin that looks at them pop by pop."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from agenda_cases import ALL, Case, Run, cases
from naive.agenda_halting import Ended
from naive.agenda_halting import halted as slowly
from secateur.kernels.agenda.halting import HALTED, SEEN, Halted, Looks, halted
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import NO_LIMITS, How, Limits
from secateur.kernels.agenda.state import EMPTY, FOUND, POPS

Trial = tuple[Case, Looks, np.ndarray]


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    case = draw(st.booleans().flatmap(lambda exact: cases(exact=exact, longest=6)))
    widen = draw(st.sampled_from((1.0, 2.0))) if case.how.delta > 0.0 else 1.0
    case = case._replace(how=How(case.how.delta, case.how.merge, widen))
    first, grow = draw(st.sampled_from((0.2, 1.0, 3.0, np.inf))), draw(st.sampled_from((1.0, 1.3, 2.0)))
    looks = Looks(first, grow, draw(st.sampled_from((1.0, 1.5, 4.0))))
    weights = np.random.default_rng(draw(st.integers(0, 1 << 32))).normal(size=SEEN)
    weights[0] += draw(st.sampled_from((0.0, 3.0, 30.0)))
    weights[4] += draw(st.sampled_from((0.0, 3.0, 30.0)))
    return case, looks, weights


def ended(trial: Trial, limits: Limits = NO_LIMITS) -> Halted:
    (grammar, words, *rest), looks, weights = trial
    return Halted(*halted(grammar.rules, joins_of(grammar.rules), words, *rest, limits, looks, weights))


@settings(max_examples=300)
@given(trials())
def test_it_ends_where_the_twin_ends(trial: Trial) -> None:
    found, twin = ended(trial), slowly(*trial)
    assert (found.pops, found.pushes, found.looks) == (twin.pops, twin.pushes, len(twin.seen))
    steps = [tuple(step) for step in found.steps.tolist()]
    assert steps == (twin.agenda.answer() or twin.agenda.cover())
    assert (found.score > -np.inf) == (found.status == FOUND) == bool(twin.agenda.answer())
    if twin.seen and twin.seen[-1] @ trial[2] <= 0 and not twin.agenda.answer():
        assert found.status == HALTED


@settings(max_examples=100)
@given(trials(), st.integers(0, 20))
def test_limits_end_it_too(trial: Trial, pops: int) -> None:
    free, found = ended(trial), ended(trial, Limits(pops=pops))
    assert found.pops == min(pops, free.pops)
    if free.pops > pops:
        assert found.status in (POPS, FOUND)


def test_who_never_gives_up_and_takes_the_first_parse_changes_nothing() -> None:
    @settings(max_examples=100)
    @given(trials())
    def check(trial: Trial) -> None:
        case, looks, weights = trial
        case = case._replace(how=case.how._replace(widen=1.0))
        weights = np.zeros(SEEN)
        weights[0], weights[4] = 1.0, -1.0
        status, run = Run.of(case).go(ALL)
        found = ended((case, looks, weights))
        assert (found.pops, found.pushes, found.status) == (len(run.log), run.pushes, status)
        assert status in (FOUND, EMPTY)

    check()


def test_the_twin_sees_different_things() -> None:
    """Looks before a parse and after, with a parse that became better: else nothing above would be tested."""
    kinds = set()

    @settings(max_examples=300, database=None)
    @given(trials())
    def look(trial: Trial) -> None:
        twin: Ended = slowly(*trial)
        for seen in twin.seen:
            kinds.add(("before", bool(seen[0])))
            kinds.add(("several parses", bool(seen[8])))

    look()
    assert kinds == {(name, is_so) for name in ("before", "several parses") for is_so in (False, True)}
