"""The k best derivations against the sorted list of all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive.enumerate import Forest
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kinds.pcfg.kbest import KBest
from secateur.kinds.pcfg.parser import Parser
from secateur.testing.strategies import anchors, grammars, masks, sentences

LIMIT = 1 << 30
MANY = 800  # derivations, more than which are not listed


@settings(max_examples=150)
@given(st.data())
def test_all_derivations_in_order(data: st.DataObject) -> None:
    """Complete, distinct, best first with ties in the kernels' order; the first is Viterbi's."""
    exact = data.draw(st.booleans())
    grammar = data.draw(grammars(exact=exact, rules=9))
    words = grammar.lexicon.encode(data.draw(sentences(longest=5)))
    n = len(words)
    mask = data.draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    scores = data.draw(st.just(NO_ANCHORS) | anchors(grammar, n, exact=exact))
    forest = Forest(grammar, words, mask, scores)
    assume(forest.size() <= MANY)
    expected = forest.derivations()

    best = KBest(grammar.rules, cky.chart_of(grammar.rules, words, mask, scores, LIMIT), scores)
    for rank, derivation in enumerate(expected):
        found = best.derivation(rank)
        assert found is not None
        assert tuple(map(tuple, found[0].tolist())) == derivation.steps
        assert found[1] == derivation.score
    assert best.derivation(len(expected)) is None
    steps, score, *_ = cky.viterbi(grammar.rules, words, mask, scores, LIMIT)
    if expected:
        assert tuple(map(tuple, steps.tolist())) == expected[0].steps
        assert score == expected[0].score
    else:
        assert len(steps) == 0


def binary_grammar() -> PCFG:
    return PCFG.from_text("S -> S S 0.5 | 'a' 0.5")


def test_asked_out_of_order() -> None:
    grammar = binary_grammar()
    words = grammar.lexicon.encode(["a"] * 6)
    chart = cky.chart_of(grammar.rules, words, np.ones((7, 7), np.bool_), NO_ANCHORS, LIMIT)
    forwards, backwards = KBest(grammar.rules, chart, NO_ANCHORS), KBest(grammar.rules, chart, NO_ANCHORS)
    first = [forwards.derivation(rank) for rank in range(43)]
    last = [backwards.derivation(rank) for rank in reversed(range(43))][::-1]
    assert first[42] is last[42] is None  # the fifth Catalan number is 42
    for a, b in zip(first[:42], last[:42], strict=True):
        assert a is not None
        assert b is not None
        np.testing.assert_array_equal(a[0], b[0])


def test_parser_gives_up_to_k_trees() -> None:
    parser = Parser(binary_grammar())
    parses = parser.kbest(["a"] * 4, 3)
    assert len(parses) == 3
    assert len({str(parse.tree) for parse in parses}) == 3
    assert str(parses[0].tree) == str(parser.parse(["a"] * 4).tree)
    assert parses[0].score == parser.parse(["a"] * 4).score
    assert len(parser.kbest(["a"] * 4, 100)) == 5
    assert not any(parse.failed or parse.degraded for parse in parses)


def test_no_parse_is_one_flat_tree() -> None:
    (only,) = Parser(binary_grammar()).kbest(["a", "b"], 5)
    assert only.failed
    assert str(only.tree) == "(S (S a) (X b))"
    assert only.score == -np.inf


@pytest.mark.parametrize("direction", ["left", "right"])
def test_long_and_deep(direction: str) -> None:
    """A tree as deep as a sentence is long: nothing recurses too far."""
    rule = "S -> T S 0.5" if direction == "right" else "S -> S T 0.5"
    grammar = PCFG.from_text(f"{rule} | 'a' 0.5 \n T -> 'a' 0.5 | U 0.5 \n U -> 'a' 1.0")
    parses = Parser(grammar).kbest(["a"] * 240, 4)
    assert len(parses) == 4
    assert len({str(parse.tree) for parse in parses}) == 4
    assert [parse.score for parse in parses] == sorted((p.score for p in parses), reverse=True)


def test_forbidden_by_an_anchor() -> None:
    """A unary whose anchor is -inf is no derivation, even where its parent is also a tag of the word."""
    grammar = PCFG.build("S", [], [("S", "t", -1.0, ())], [("S", "a", -1.0), ("t", "a", -1.0)])
    span = np.full((1, 2), -np.inf, np.float32)
    parser = Parser(grammar)
    assert len(parser.kbest(["a"], 9)) == 2
    assert len(parser.kbest(["a"], 9, anchors=Anchors(span, np.zeros((0, 0), np.float32)))) == 1


def test_impossible_rules_give_no_derivations() -> None:
    """A rule may have probability 0."""
    grammar = PCFG.build(
        "S", [("S", "t", "t", -np.inf), ("S", "t", "S", -1.0)], [], [("t", "a", 0.0), ("S", "a", 0.0)]
    )
    assert len(Parser(grammar).kbest(["a", "a"], 9)) == 1
