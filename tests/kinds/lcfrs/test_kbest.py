"""The k best trees of a PLCFRS, against all derivations there are."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import secateur as sec
from lcfrs_cases import grammars, sentences
from naive import lcfrs as naive
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.kinds.lcfrs.settings import Using

AMBIGUOUS = """\
S(X Y) -> S(X) S(Y) 0.25
S(X Y Z) -> D(X, Z) S(Y) 0.25
D(X, Y) -> S(X) S(Y)
S('a') -> 0.5
"""


@given(st.integers(1, 40), st.data())
def test_all_derivations_in_order(k: int, data: st.DataObject) -> None:
    grammar, words = data.draw(grammars()), data.draw(sentences())
    ids = grammar.lexicon.encode(words).tolist()
    try:
        every = naive.Derivations(grammar, ids).all()
    except naive.TooMany:
        assume(False)
    parser = sec.PlcfrsParser(grammar)
    found = parser.kbest(words, k)
    if not every:
        assert [parse.failed for parse in found] == [True]
        assert found[0].tree.words() == words
        return
    best = sorted((derivation.score for derivation in every), reverse=True)[:k]
    assert [parse.score for parse in found] == best
    assert parser.parse(words).score == best[0]
    trees = [(str(tree_of(grammar, one.steps, words)), one.score) for one in every]
    for parse in found:
        trees.remove((str(parse.tree), parse.score))  # each derivation once


def test_answers() -> None:
    parser = sec.PlcfrsParser(sec.PLCFRS.from_text(AMBIGUOUS), using=Using(kbest=3))
    given = [sec.Sentence.from_line(line) for line in ("a a a", "", "a", "a b")]
    three, none, one, failed = parser.answers(given)
    assert [str(parse) for parse in three] == [
        "(S (D (S 0=a) (S 2=a)) (S 1=a))",
        "(S (S 0=a) (S (S 1=a) (S 2=a)))",
        "(S (S (S 0=a) (S 1=a)) (S 2=a))",
    ]
    assert [parse.score for parse in three] == pytest.approx([math.log(x) for x in (2**-5, 2**-7, 2**-7)])
    assert [parse.failed for parse in none] == [True]
    assert [parse.score for parse in one] == [pytest.approx(math.log(0.5))]
    assert ([parse.failed for parse in failed], failed[0].tree.words()) == ([True], ["a", "b"])


def test_limits() -> None:
    grammar = sec.PLCFRS.from_text(AMBIGUOUS)
    (parts,) = sec.PlcfrsParser(grammar, limits=sec.Limits(words=3)).kbest(["a"] * 5, 4)
    assert (parts.degraded, parts.tree.words()) == (True, ["a"] * 5)
    (patched,) = sec.PlcfrsParser(grammar, limits=sec.Limits(chart_bytes=1 << 20)).kbest(["a"] * 30, 2)
    assert (patched.failed, patched.notes, len(patched.tree.words())) == (True, {"status": "memory"}, 30)


def test_mistakes() -> None:
    parser = sec.PlcfrsParser(sec.PLCFRS.from_text("S(X) -> T(X)\nT(X) -> S(X)\nT('a') ->"))
    assert str(parser("a").tree) == "(S (T a))"
    with pytest.raises(sec.InputError, match="costs nothing, in a cycle"):
        parser.kbest("a", 2)
    with pytest.raises(sec.InputError, match="0 best trees"):
        parser.kbest("a", 0)


def test_binarized() -> None:
    grammar = sec.PLCFRS.from_text("S(X Y Z) -> A(X) A(Y) A(Z)\nA('a') ->")
    parser = sec.PlcfrsParser(grammar, using=Using(binarized=True))
    assert str(parser("a a a")) == "(S (S|<A-A> (A 0=a) (A 1=a)) (A 2=a))"
    assert str(sec.PlcfrsParser(grammar)("a a a")) == "(S (A 0=a) (A 1=a) (A 2=a))"
