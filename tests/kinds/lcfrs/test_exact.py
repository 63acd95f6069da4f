"""Exact parsing with PLCFRSs: trees of hand-written and induced grammars, limits, and what is left then."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars, sentences
from naive import lcfrs as naive
from secateur.errors import InputError
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kinds.lcfrs.exact import PlcfrsParser, Stops
from secateur.models.limits import Limits
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading

CROSSING = """
ROOT(V1 Y V2) -> VP(V1, V2) NP(Y)   0.5
ROOT(Y V)     -> NP(Y) VP1(V)       0.5
VP(W, V)      -> WH(W) VB(V)        1.0
VP1(V)        -> VB(V)              1.0
NP('you')       -> 0.5
NP('what')      -> 0.5
WH('what')      -> 1.0
VB('see')       -> 1.0
"""


def test_a_discontinuous_tree() -> None:
    parse = PlcfrsParser(PLCFRS.from_text(CROSSING))("what you see")
    assert str(parse.tree) == "(ROOT (VP (WH 0=what) (VB 2=see)) (NP 1=you))"
    assert parse.score == pytest.approx(math.log(0.5 * 0.5))
    assert (parse.failed, parse.notes) == (False, {"status": "complete"})


@given(st.booleans(), st.data())
def test_trees_equal_the_twin(long: bool, data: st.DataObject) -> None:
    """With rules of any length: the twin takes them as they are."""
    grammar = data.draw(grammars(long=long))
    words = data.draw(sentences())
    parse = PlcfrsParser(grammar)(words)
    theirs = naive.chart(grammar, grammar.lexicon.encode(words).tolist())
    assert parse.failed == (theirs.score == -math.inf)
    assert parse.score == theirs.score
    if long and not parse.failed:  # of several best trees another may be found
        try:
            every = naive.Derivations(grammar, grammar.lexicon.encode(words).tolist()).all()
        except naive.TooMany:
            return
        best = {str(tree_of(grammar, d.steps, words)) for d in every if d.score == theirs.score}
        assert str(parse.tree) in best
    elif not parse.failed:
        assert parse.tree == tree_of(grammar, theirs.derivation(), words)


def test_what_was_learned_from_is_parsed() -> None:
    trees = list(DISCONTINUOUS.normalized(DISCONTINUOUS.grown(120), DiscontinuousReading()))
    short = [tree for tree in trees if len(tree.words()) <= 10]
    parser = PlcfrsParser(induce(trees))
    parses = [parser(tree) for tree in short]
    assert not any(parse.failed for parse in parses)
    assert any(parse.tree.is_discontinuous for parse in parses)
    assert all(parse.tree.words() == tree.words() for parse, tree in zip(parses, short, strict=True))


def test_a_stop_leaves_the_largest_parts() -> None:
    parser = PlcfrsParser(PLCFRS.from_text(CROSSING), stops=Stops(items=3))
    parse = parser("what you see")
    assert (parse.failed, parse.notes) == (True, {"status": "items"})
    assert parse.score == -math.inf
    assert parse.tree.words() == ["what", "you", "see"]
    slow = PlcfrsParser(PLCFRS.from_text(CROSSING), stops=Stops(seconds=0.0))
    assert slow("what you see").tree.words() == ["what", "you", "see"]


@given(st.data())
def test_limits_always_leave_a_tree(data: st.DataObject) -> None:
    grammar, words = data.draw(grammars(long=True)), data.draw(sentences())
    parse = PlcfrsParser(grammar, stops=Stops(items=data.draw(st.integers(0, 30))))(words)
    assert parse.tree.words() == words
    assert parse.failed == (parse.score == -math.inf)


@given(st.data())
def test_best_first_is_as_good(data: st.DataObject) -> None:
    grammar, words = data.draw(grammars(long=True)), data.draw(sentences())
    whole, first = PlcfrsParser(grammar)(words), PlcfrsParser(grammar, best_first=True)(words)
    assert (first.failed, first.score) == (whole.failed, whole.score)
    assert first.work.items <= whole.work.items
    stopped = PlcfrsParser(grammar, best_first=True, stops=Stops(items=data.draw(st.integers(0, 30))))(words)
    assert stopped.tree.words() == words
    assert stopped.failed == (stopped.score == -math.inf)


def test_best_first_needs_weights_that_cost() -> None:
    grammar = PLCFRS.from_text(CROSSING)
    lifted = replace(grammar, unary=grammar.unary._replace(weight=grammar.unary.weight + 0.5)).binarized()
    with pytest.raises(InputError, match=r"log weight is 0\.5"):
        PlcfrsParser(lifted, best_first=True)


def test_little_memory() -> None:
    text = "S(X Y) -> S(X) S(Y) 0.5\nS(X Y X2) -> D(X, X2) S(Y) 0.2\nD(X, Y) -> S(X) S(Y) 1.0\nS('a') -> 0.3"
    parser = PlcfrsParser(PLCFRS.from_text(text), limits=Limits(chart_bytes=1 << 20))
    parse = parser(["a"] * 30)
    assert (parse.failed, parse.notes["status"]) == (True, "memory")
    assert len(parse.tree.words()) == 30


def test_long_sentences() -> None:
    grammar = PLCFRS.from_text("S(X Y) -> A(X) S(Y) 0.5\nS('a') -> 0.5\nA('a') -> 1.0")
    parser = PlcfrsParser(grammar)
    whole = parser(["a"] * 128)
    assert (whole.failed, whole.degraded, len(whole.tree.words())) == (False, False, 128)
    parts = parser(["a"] * 300)
    assert (parts.degraded, len(parts.tree.words())) == (True, 300)
    assert PlcfrsParser(grammar, limits=Limits(on_long="flat"))(["a"] * 129).degraded


def test_words_without_a_tag() -> None:
    parse = PlcfrsParser(PLCFRS.from_text(CROSSING))("what strangers see")
    assert parse.failed
    assert parse.tree.tags()[1] == "X"
    assert parse.tree.words() == ["what", "strangers", "see"]


def test_mistakes() -> None:
    with pytest.raises(TypeError, match="a PLCFRS is needed, not str"):
        PlcfrsParser("S -> A B")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="an empty sentence"):
        PlcfrsParser(PLCFRS.from_text(CROSSING))("")
