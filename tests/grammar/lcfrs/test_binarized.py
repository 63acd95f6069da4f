"""Long rules made binary: the same scores, the same trees."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lcfrs_cases import grammars, sentences
from naive.lcfrs import Derivations, TooMany, chart
from secateur.grammar.lcfrs.binarized import positions
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.grammar.lcfrs.patterns import components_of, parse
from secateur.grammar.lcfrs.plcfrs import PLCFRS

LONG = st.one_of(grammars(long=True, length=6), grammars(long=True, circles=True))


def scored_trees(grammar: PLCFRS, words: list[str]) -> list[tuple[float, str]]:
    """Of all derivations."""
    try:
        found = Derivations(grammar, grammar.lexicon.encode(words).tolist()).all()
    except TooMany:
        assume(False)
    return sorted((d.score, str(tree_of(grammar, d.steps, words))) for d in found)


@settings(max_examples=150)
@given(LONG, sentences())
def test_same_trees(grammar: PLCFRS, words: list[str]) -> None:
    """Derivation by derivation; scores are exact here, whatever the order of their sums."""
    binary = grammar.binarized()
    assert len(binary.long.weight) == 0
    assert scored_trees(binary, words) == scored_trees(grammar, words)
    ids = [g.lexicon.encode(words).tolist() for g in (binary, grammar)]
    assert chart(binary, ids[0]).score == chart(grammar, ids[1]).score


@given(LONG)
def test_made_symbols(grammar: PLCFRS) -> None:
    """They have one rule each, of probability 1, and are used; all others keep what they had."""
    binary = grammar.binarized()
    made = {name for name, is_made in zip(binary.symbols, binary.made, strict=True) if is_made}
    assert made.isdisjoint(grammar.symbols)
    rules = list(binary.named())
    parents = [rule.parent for rule in rules]
    assert all(parents.count(name) == 1 for name in made)
    assert all(rule.weight == 0.0 for rule in rules if rule.parent in made)
    assert made <= {child for rule in rules for child in rule.children}
    assert set(binary.symbols) - made == set(grammar.symbols)
    for name in grammar.symbols:
        assert binary.mass()[binary.number[name]] == pytest.approx(grammar.mass()[grammar.number[name]])


def test_nothing_to_do() -> None:
    grammar = PLCFRS.from_text("S(X Y) -> A(X) A(Y)\nA('a') ->")
    assert grammar.binarized() is grammar


def test_parts_are_shared() -> None:
    """One made symbol for the same children in the same pattern, and another for other ones of its name."""
    grammar = PLCFRS.from_text("""
        S(X Y Z) -> A(X) A(Y) A(Z) 0.5
        S(X Y Z) -> A(X) A(Y) B(Z) 0.25
        S(X Y Z) -> A-A(X) A(Y) B(Z) 0.125
        S(X Y Z) -> A(X) A-A(Y) B(Z) 0.125
        'S|<A-A>'('s') ->
        A('a') ->
        A-A('b') ->
        B('b') ->
    """)
    binary = grammar.binarized()
    made = [name for name, is_made in zip(binary.symbols, binary.made, strict=True) if is_made]
    assert made == ["S|<A-A-A>", "S|<A-A-A>'", "S|<A-A>'"]
    assert set(binary.plain) == {"A", "A-A", "B", "S", "S|<A-A>"}
    words = ["a", "a", "b"]
    assert chart(binary, binary.lexicon.encode(words).tolist()).score == math.log(0.25)


def test_the_order_that_keeps_fan_out_low() -> None:
    """A B A C B C: A and B first would have fan-out 4 with what comes between, but not here."""
    grammar = PLCFRS.from_text("""
        S(A1 B1 A2 C1 B2 C2) -> A(A1, A2) B(B1, B2) C(C1, C2)
        A(X, Y) -> W(X) W(Y)
        B(X, Y) -> W(X) W(Y)
        C(X, Y) -> W(X) W(Y)
        W('w') ->
    """)
    binary = grammar.binarized()
    assert binary.fanout.max() == 2
    assert chart(binary, [0] * 6).score == 0.0


@pytest.mark.parametrize("text", ["01", "01,0", "0,1,0", "012,10", "0,1,2"])
def test_positions(text: str) -> None:
    components = parse(text)
    assert components is not None
    count = max(child for part in components for child in part) + 1
    assert components_of(positions(components, count)) == components
