"""Sentences for agendas: priorities, ways to drop and to merge, masks and anchors, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from naive.agenda import Agenda
from naive.cky import Mask
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.derivation import goal_of, pops_of, steps_of
from secateur.kernels.agenda.dynamic import SIZE
from secateur.kernels.agenda.joins import Joins, joins_of
from secateur.kernels.agenda.priorities import (
    EXACT,
    NO_LIMITS,
    NOTHING,
    How,
    Limits,
    Priorities,
    uniform_cost,
)
from secateur.kernels.agenda.run import advance, begin
from secateur.kernels.agenda.state import POPPED, PUSHES, RUNNING, State
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.tasks.agenda_order.oracle import Oracle
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.testing.strategies import anchors, grammars, masks, sentences
from secateur.treebanks.tree import Tree

ALL = 1 << 40  # pops, more than there are


class Case(NamedTuple):
    grammar: PCFG
    words: npt.NDArray[np.uint32]
    mask: Mask
    anchors: Anchors
    priorities: Priorities
    how: How

    def twin(self) -> Agenda:
        return Agenda(*self)


class Run(NamedTuple):
    """A case in the kernel."""

    case: Case
    joins: Joins
    state: State

    @classmethod
    def of(cls, case: Case) -> Run:
        grammar, words, *rest = case
        return cls(case, joins_of(grammar.rules), begin(grammar.rules, words, *rest, log=True))

    def go(self, pops: int = ALL, limits: Limits = NO_LIMITS) -> tuple[int, Run]:
        case = self.case
        given = (case.grammar.rules, self.joins, case.anchors, case.priorities, case.how, limits)
        status, state = advance(*given, self.state, pops)
        return status, self._replace(state=state)

    def sliced(self, pops: int) -> tuple[int, Run]:
        """The same by slices of so many pops."""
        status, run = self.go(pops)
        while status == RUNNING:
            status, run = run.go(pops)
        return status, run

    @property
    def log(self) -> list[tuple[tuple[int, ...], float, np.float32, int]]:
        state = self.state
        count = int(state.tally[POPPED])
        columns = (state.log_key, state.log_score, state.log_pushes)
        items = map(tuple, pops_of(state).tolist())
        return list(zip(items, *(column[:count].tolist() for column in columns), strict=True))

    @property
    def pushes(self) -> int:
        return int(self.state.tally[PUSHES])

    @property
    def goal(self) -> int:
        return int(goal_of(self.case.grammar.rules, self.state))

    def steps(self, item: int) -> list[tuple[int, ...]]:
        return [tuple(step) for step in steps_of(self.state, np.uint32(item)).tolist()]


@st.composite
def priorities(draw: st.DrawFn, n: int, symbols: int, *, exact: bool) -> Priorities:
    """Of all sorts, with few columns; `exact` ones have many ties."""
    if draw(st.booleans()):
        return uniform_cost(n, symbols)
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    columns, seen = int(rng.integers(1, symbols + 1)), int(rng.integers(1, symbols + 1))

    def table(*shape: int) -> npt.NDArray[np.float64]:
        if draw(st.booleans()):
            return np.zeros(shape)
        return rng.integers(-3, 4, shape) / 2 if exact else rng.normal(0.0, 3.0, shape)

    outside = np.zeros((0, 0), np.float32)
    if draw(st.booleans()):
        outside = table(n * (n + 1) // 2, seen).astype(np.float32)
        outside[rng.random(outside.shape) < draw(st.sampled_from((0.0, 0.1)))] = -np.inf
    return Priorities(
        draw(st.sampled_from((1.0, 0.0, 0.5, -1.0))),
        table(n + 1, n + 1),
        table(n + 1, columns),
        table(n + 1, columns),
        rng.integers(0, columns, symbols).astype(np.uint32),
        outside,
        rng.integers(0, seen, symbols).astype(np.uint32),
        table(SIZE) if draw(st.booleans()) else NOTHING,
    )


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    exact: bool,
    longest: int = 7,
    rules: int = 14,
    cost_is_uniform: bool = False,
    unaries: bool = True,
) -> Case:
    """`cost_is_uniform`: by score alone, none above 0, and nothing dropped."""
    grammar = draw(grammars(exact=exact, rules=rules, unaries=unaries))
    words = draw(sentences(longest=longest))
    n, symbols = len(words), len(grammar.symbols)
    mask = draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, n, exact=exact))
    how = EXACT
    if cost_is_uniform:
        scores = Anchors(np.minimum(scores.span, np.float32(0.0)), np.minimum(scores.tag, np.float32(0.0)))
        order = uniform_cost(n, symbols)
    else:
        delta, merge = draw(st.sampled_from((np.inf, 0.0, 1.5, 6.0))), draw(st.sampled_from((0, 1, 2)))
        how = How(delta, merge)
        order = draw(priorities(n, symbols, exact=exact))
    return Case(grammar, grammar.lexicon.encode(words), mask, scores, order, how)


def task_of(train: Sequence[Tree], binarization: Binarization, *, dynamic: bool = False) -> AgendaOrder:
    """With a grammar of these trees, and figures of merit as features."""
    grammar = induce(train, binarization=binarization)
    settings = PrioritySettings(merit=True, dynamic=dynamic)
    features = PriorityFeatures.learned(grammar, train, binarization, settings=settings)
    return AgendaOrder(grammar, features, EXACT, Oracle(grammar, binarization))
