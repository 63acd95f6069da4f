"""When to end a search, as a task: its contract, what decisions are worth, and that something is learned."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import secateur as sec
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.kernels.agenda.halting import AFTER, BEFORE, SEEN, Looks
from secateur.kernels.agenda.priorities import EXACT, How
from secateur.search.core import Example, Policy
from secateur.search.learners import judge
from secateur.search.values import replay
from secateur.tasks.agenda_order import halting
from secateur.tasks.agenda_order.halting import AgendaHalting, at_first_parse, follow, halting_learner
from secateur.tasks.agenda_order.oracle import Oracle
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.testing.tasks import check_task
from secateur.testing.values import check_values
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.normalization import Normalization

TREES = [tree for tree in map(Normalization(), sec.garden.treebank(90)) if tree is not None]
TRAIN, TEST = TREES[:60], TREES[60:]
LEFT = Binarization()
BOUNDARY = ("words", "label | word before", "word after | label")


@cache
def order(how: How = EXACT) -> AgendaOrder:
    grammar = sec.induce(TRAIN, binarization=LEFT)
    features = PriorityFeatures.learned(grammar, TRAIN, LEFT, settings=PrioritySettings(merit=True))
    return AgendaOrder(grammar, features, how, Oracle(grammar, LEFT))


@cache
def task(tradeoff: float = 1e-4, how: How = EXACT) -> AgendaHalting:
    own = order(how)
    return AgendaHalting(own, Policy(own.features.start(*BOUNDARY)), Looks(2.0, 1.5, 5.0), tradeoff=tradeoff)


@cache
def examples(tradeoff: float = 1e-4) -> list[Example]:
    return halting.examples(task(tradeoff), TEST[:12])


def policies() -> list[Policy]:
    drawn = np.random.default_rng(5).normal(0.0, 1.0, (6, SEEN)).astype(np.float32)
    drawn[:4, [0, BEFORE]] += 3.0
    return [at_first_parse(), *map(Policy, drawn)]


def test_it_is_a_task() -> None:
    check_task(task(), examples()[:6])


def test_what_follows_is_what_replay_finds() -> None:
    some = [Policy(own.weights) for own in policies()]
    check_values(follow, task(), examples()[:6], halting.reward_of(task()), reference=replay, policies=some)


@pytest.mark.parametrize("how", [EXACT, How(3.0, widen=1.5)])
def test_a_course_is_the_search(how: How) -> None:
    """What it says of each policy is what a search with that policy does."""
    own, seen = task(1e-4, how), set()
    for tree in TEST[:8]:
        x = own.encode(tree.words())
        for policy in policies():
            ended = AgendaOrder(
                order().grammar, order().features, how, order().oracle, halting=own.halting(policy)
            )
            found = ended.run(ended.encode(tree.words()), own.priorities)
            wanted = own.run(x, policy)
            assert found.work == wanted.work
            assert found.parts is not None
            assert found.parts.score == wanted.parts.score
            np.testing.assert_array_equal(found.parts.steps, wanted.parts.steps)
            seen.add((found.parts.score > -np.inf, found.work.pops == x.work[-1].pops))
    assert {True, False} == {whole for whole, _ in seen} == {to_the_end for _, to_the_end in seen}


def test_the_first_parse_is_where_searches_end() -> None:
    plain, own = order(), task()
    for tree in TEST:
        x = plain.encode(tree.words())
        first, ended = plain.run(x, own.priorities), own.run(own.course(x), at_first_parse())
        assert first.work == ended.work
        if first.parts is not None:
            np.testing.assert_array_equal(first.parts.steps, ended.parts.steps)
            gold, known = plain.gold(tree), own.gold(own.course(x), tree)
            assert plain.f1(x, first, gold) == own.f1(own.course(x), ended, known)


def test_what_is_given_up_counts() -> None:
    """The pieces there are have their brackets; words of no tag have none."""
    own, never = task(), Policy(np.zeros(SEEN, np.float32))
    for tree in [*TEST[:5], read_tree("(S (ZZ blorp) (ZZ blorp))")]:
        x = own.encode(tree.words())
        outcome = own.run(x, never)
        assert outcome.parts.steps[:, 1].max(initial=0) < len(order().grammar.symbols)
        assert 0.0 <= own.f1(x, outcome, own.gold(x, tree)) <= 1.0
        assert outcome.work.pops <= max(x.work[0].pops, 2 * len(tree.words()))


def test_the_oracle_goes_on_where_something_better_comes() -> None:
    own = task()
    for x, gold in examples():
        worth = np.array([own.f1(x, o, gold) - own.tradeoff * o.work.pops for o in halting.outcomes_of(x)])
        assert gold.go_on.tolist() == [worth[t + 1 :].max() > worth[t] for t in range(len(worth) - 1)]
        led = own.run(x, Policy(at_first_parse().weights, oracle_rate=1.0), gold=gold)
        assert own.f1(x, led, gold) - own.tradeoff * led.work.pops == pytest.approx(worth.max())


@pytest.mark.parametrize("tradeoff", [0.0, 1e-2])
def test_something_is_learned(tradeoff: float) -> None:
    """Where pops are dear searches are given up; where they cost nothing none is."""
    own, data = task(tradeoff), examples(tradeoff)
    reward = halting.reward_of(own)
    learner = halting_learner(iterations=4).fit(own, data, reward, at_first_parse(), dev=data)
    before, after = (judge(own, reward, p, data) for p in (at_first_parse(), learner.policy_))
    assert after.reward >= before.reward
    if tradeoff:
        assert after.runtime < before.runtime
        assert after.reward > before.reward + 0.1


def test_what_is_seen_has_two_parts() -> None:
    for x, _ in examples():
        before, after = x.seen[:, :BEFORE], x.seen[:, BEFORE:]
        assert after.shape[1] == AFTER
        assert (before[:, 0] + after[:, 0] == 1.0).all()
        assert not before[after[:, 0] == 1.0].any()
        assert not after[before[:, 0] == 1.0].any()
