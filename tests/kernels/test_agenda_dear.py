"""Agendas that ask for scores late: against their twin, question by question, and against CKY."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.cky import Mask
from naive.dear import DearAgenda, Question
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda import dear
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.outside import slack_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, Limits, Priorities, uniform_cost
from secateur.kernels.agenda.state import BYTES, EMPTY, FOUND, NONE, POPS
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.cky.sparse import cell_of
from secateur.kinds.pcfg.dear import scored_labels
from secateur.testing.strategies import WORDS, grammars, masks, sentences
from split_cases import random_split

Says = Callable[[int, int, str], float]


class Case(NamedTuple):
    grammar: PCFG
    words: Ids
    mask: Mask
    priorities: Priorities
    says: Says
    bound: float

    @property
    def share(self) -> float:
        return float(slack_of(len(self.words))) if self.priorities.outside.size else 0.0

    def twin(self) -> DearAgenda:
        labels, label = scored_labels(self.grammar)
        named = {x: labels[one] for x, one in enumerate(label.tolist()) if one != NONE}
        grammar, words, mask, priorities, says, bound = self
        return DearAgenda(grammar, words, mask, priorities, named, says, bound)

    def best(self) -> tuple[np.float32, list[list[int]]]:
        """CKY's, when everything is asked for."""
        n, (labels, label) = len(self.words), scored_labels(self.grammar)
        span = np.zeros((n * (n + 1) // 2, len(label)), np.float32)
        for k in range(1, n + 1):
            for i in range(k):
                for x, one in enumerate(label.tolist()):
                    span[cell_of(i, k), x] = self.says(i, k, labels[one]) if one != NONE else 0.0
        anchors = NO_ANCHORS._replace(span=span)
        steps, score, *_ = cky.viterbi(self.grammar.rules, self.words, self.mask, anchors, 1 << 30)
        return score, steps.tolist()


class Found(NamedTuple):
    talk: dear.Talk
    calls: list[Question]


def asked(case: Case, *, together: int = 1, limits: Limits = NO_LIMITS) -> Found:
    """The kernel's search."""
    labels, label = scored_labels(case.grammar)
    n, rules = len(case.words), case.grammar.rules
    own = np.where(label == NONE, np.float32(0.0), np.float32(case.bound))
    anchors = NO_ANCHORS._replace(span=np.tile(own, (n * (n + 1) // 2, 1)))
    talk, calls = dear.talk_of(n, label, together), list[Question]()
    given = (rules, joins_of(rules), case.words, case.mask, anchors, case.priorities, EXACT, limits, talk)
    for count in dear.asking(*given):
        some = [(i, k, labels[one]) for i, k, one in talk.asked[:count].tolist()]
        talk.said[:count] = [case.says(*one) for one in some]
        calls += some
    return Found(talk, calls)


def says_of(seed: int, exact: bool, never: float, bound: float) -> Says:
    """Answers that depend on the question alone; some forbid."""

    def says(i: int, k: int, label: str) -> float:
        rng = np.random.default_rng(zlib.crc32(f"{seed} {i} {k} {label}".encode()))
        if rng.random() < never:
            return -np.inf
        return bound - (int(rng.integers(0, 16)) / 4 if exact else float(rng.exponential(3.0)))

    return says


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Of a grammar as it is by score, or of a split one with the bounds of a coarser level."""
    exact, seed = draw(st.booleans()), draw(st.integers(0, 1 << 32))
    grammar, order = draw(grammars(exact=exact, rules=10)), None
    sentence = draw(
        sentences(longest=7) if exact else st.lists(st.sampled_from(WORDS), min_size=1, max_size=7)
    )
    n = len(sentence)
    mask = draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    if draw(st.booleans()):
        blocks, mass, ancestry = random_split(
            grammar, 2, np.random.default_rng(seed), zeros=draw(st.sampled_from((0.0, 0.3))), proper=True
        )
        split = SplitPCFG(grammar, blocks, mass, ancestry)
        grammar = split.flat()
        words = grammar.lexicon.encode(sentence)
        if draw(st.booleans()):
            bounds = Bounds.of(split, grammar, draw(st.integers(0, 2)))
            order = uniform_cost(n, len(grammar.symbols))._replace(
                outside=bounds.estimate(words, mask).outside, seen=bounds.seen
            )
    words = grammar.lexicon.encode(sentence)
    bound = draw(st.sampled_from((0.0, 0.0, -0.25, -1.7)))
    says = says_of(seed, exact, draw(st.sampled_from((0.0, 0.0, 0.2))), bound)
    return Case(grammar, words, mask, order or uniform_cost(n, len(grammar.symbols)), says, bound)


@settings(max_examples=300)
@given(cases())
def test_kernel_equals_twin_and_cky(case: Case) -> None:
    """The same questions in the same order, the same work; and the score of all scores asked for first."""
    found, twin = asked(case), case.twin()
    status = twin.search(case.share)
    counts = found.talk.counts
    assert found.calls == twin.calls
    assert len(set(found.calls)) == len(found.calls)
    assert (counts[dear.STATUS], counts[dear.POPS_MADE], counts[dear.PUSHES_MADE]) == (
        status,
        len(twin.log),
        twin.pushes,
    )
    score, _ = case.best()
    assert found.talk.score[0] == score
    assert (status == FOUND) == (score > -np.inf)
    steps = [tuple(step) for step in found.talk.steps[: counts[dear.STEPS]].tolist()]
    if status == FOUND:
        assert steps == twin.answer()
        assert counts[dear.STATUS] == FOUND
    else:
        assert counts[dear.STATUS] == EMPTY
        assert [(i, k) for kind, _, i, k, _ in steps if kind == 0] == [
            (i, i + 1) for i in range(len(case.words))
        ]


@settings(max_examples=100)
@given(cases(), st.integers(2, 6))
def test_questions_together_change_no_score(case: Case, together: int) -> None:
    found = asked(case, together=together)
    assert found.talk.score[0] == case.best()[0]
    assert len(set(found.calls)) == len(found.calls)


@settings(max_examples=50)
@given(cases(), st.integers(1, 12))
def test_limits_and_silence_end_it(case: Case, pops: int) -> None:
    """What was popped by then is the same, and there is a tree of some sort."""
    whole, found = asked(case), asked(case, limits=Limits(pops=pops))
    assert found.calls == whole.calls[: len(found.calls)]
    if found.talk.counts[dear.STATUS] == POPS:
        assert found.talk.counts[dear.POPS_MADE] == pops
    small = asked(case, limits=Limits(bytes=1)).talk.counts
    assert (small[dear.STATUS], small[dear.POPS_MADE]) == (BYTES, 0)
