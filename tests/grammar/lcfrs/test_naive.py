"""The naive chart, which kernels are compared with, against listing all derivations."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lcfrs_cases import grammars, is_discontinuous_grammar, sentences
from naive.lcfrs import (
    LEXICAL,
    STAY,
    Chart,
    Derivation,
    Derivations,
    TooMany,
    bits,
    chart,
    inside,
    log_sum,
    outside,
)
from secateur.grammar.lcfrs.plcfrs import PLCFRS

ANY = st.one_of(grammars(), grammars(long=True), grammars(exact=False), grammars(long=True, circles=True))
STRAIGHT = st.one_of(grammars(), grammars(long=True, exact=False))


def both(grammar: PLCFRS, words: list[str]) -> tuple[Chart, list[Derivation]]:
    ids = grammar.lexicon.encode(words).tolist()
    try:
        return chart(grammar, ids), Derivations(grammar, ids).all()
    except TooMany:
        assume(False)
        raise


@settings(max_examples=150)
@given(ANY, sentences())
def test_best_score(grammar: PLCFRS, words: list[str]) -> None:
    found, derivations = both(grammar, words)
    assert found.score == max((d.score for d in derivations), default=-math.inf)
    if derivations:
        best = found.derivation()
        assert tuple(best) in {d.steps for d in derivations if d.score == found.score}


@settings(max_examples=80)
@given(STRAIGHT, sentences())
def test_sums(grammar: PLCFRS, words: list[str]) -> None:
    """Inside of the goal, and inside and outside together of every step in any derivation."""
    found, derivations = both(grammar, words)
    assume(derivations)
    below, around = inside(found), outside(found)
    total = log_sum([d.log for d in derivations])
    assert below[found.goal] == pytest.approx(total)
    expected: dict[tuple[int, int, int, int], float] = {}
    for d in derivations:
        for step in d.steps:
            expected[step] = expected.get(step, 0.0) + math.exp(d.log - total)
    seen = {}
    for hyperedge in found.hyperedges:
        if hyperedge.kind != STAY:
            log = around[hyperedge.head] + hyperedge.weight + sum(below[c] for c in hyperedge.tail) - total
            key = hyperedge.kind, hyperedge.head.symbol, bits(hyperedge.head.positions), hyperedge.rule
            seen[key] = seen.get(key, 0.0) + math.exp(log)
    assert {key: p for key, p in seen.items() if p > 0} == pytest.approx(expected)


@settings(max_examples=80)
@given(ANY, sentences(longest=4))
def test_order_of_hyperedges(grammar: PLCFRS, words: list[str]) -> None:
    """No score gets better from first to last, and derivations end, whatever unary rules lead round."""
    found = chart(grammar, grammar.lexicon.encode(words).tolist())
    for item, hyperedges in found.incoming.items():
        totals = []
        for h in hyperedges:
            tail = [found.scores[child] for child in h.tail]
            totals.append(h.weight + sum(tail) if tail else h.weight)
        assert totals == pytest.approx(sorted(totals, reverse=True))
        steps = found.derivation(item)
        assert sum(step.kind == LEXICAL for step in steps) == len(item.positions)


def test_cases_are_worth_it() -> None:
    """Most grammars have gaps, and most sentences a parse; some unary rules lead round."""
    gaps, parses, many, count = 0, 0, 0, 0

    @settings(max_examples=60)
    @given(grammars(), sentences())
    def look(grammar: PLCFRS, words: list[str]) -> None:
        nonlocal gaps, parses, many, count
        count += 1
        gaps += is_discontinuous_grammar(grammar)
        found = chart(grammar, grammar.lexicon.encode(words).tolist())
        parses += found.score > -math.inf
        many += any(len(h) > 1 and found.scores[item] > -9 for item, h in found.incoming.items())

    look()
    assert gaps > count / 3
    assert parses > count / 3
    assert many > count / 4


def test_a_tie_that_leads_round() -> None:
    """A -> B costs nothing and has the smaller id, but B is made of A: what ends is better."""
    grammar = PLCFRS.from_text("S(X) -> A(X)\nA(X) -> B(X)\nB(X) -> A(X)\nA(X) -> C(X)\nC('c') -> 0.5")
    found = chart(grammar, [0])
    names = [grammar.symbols[step.symbol] for step in found.derivation()]
    assert names == ["S", "A", "C"]
    assert found.score == math.log(0.5)


def test_at_most_one_unary_rule() -> None:
    """The same rules, which may follow each other or not."""
    text = "S(X) -> A(X) 0.5\nA(X) -> B(X) 0.5\nB('b') -> 0.5\nS('b') -> 0.001"
    free = PLCFRS.from_text(text)
    bound = PLCFRS.build(free.start, free.named(), free.entries())
    assert chart(free, [0]).score == 3 * math.log(0.5)
    assert chart(bound, [0]).score == math.log(0.001)
    assert not Derivations(bound, [0]).all()[1:]
    assert len(Derivations(free, [0]).all()) == 2
