"""The grammar itself: symbols, order of rules, checks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG, is_intermediate, plain_label
from secateur.testing.strategies import grammars


@pytest.mark.parametrize(
    ("label", "made", "plain"),
    [
        ("NP", False, "NP"),
        ("@NP", True, "NP"),
        ("@", False, "@"),
        ("", False, ""),
        ("NP|<D-N>", True, "NP"),
        ("NP^<S>", False, "NP"),
        ("@NP^<S-VP>", True, "NP"),
        ("NP^<S>|<D-N>", True, "NP"),
        ("PRT|ADVP", False, "PRT|ADVP"),
        ("-LRB-", False, "-LRB-"),
    ],
)
def test_labels(label: str, made: bool, plain: str) -> None:
    assert is_intermediate(label) == made
    assert plain_label(label) == plain


@settings(max_examples=60)
@given(grammars())
def test_rules_are_sorted(grammar: PCFG) -> None:
    """Rule ids are places in the order (left, right, parent), and (child, parent) for unaries."""
    assert list(grammar.symbols) == sorted(grammar.symbols)
    triples = list(zip(*(column.tolist() for column in grammar.binary[:3]), strict=True))
    assert triples == sorted(set(triples))
    pairs = list(zip(*(column.tolist() for column in grammar.unary[:2]), strict=True))
    assert pairs == sorted(set(pairs))
    for array in (*grammar.binary[:3], *grammar.unary[:2], grammar.lexicon.tag, grammar.lexicon.ptr):
        assert array.dtype == np.uint32


@settings(max_examples=60)
@given(grammars())
def test_kernel_view(grammar: PCFG) -> None:
    """The arrays the kernels walk hold the same rules, each once."""
    rules = grammar.rules
    binary = list(zip(*(column.tolist() for column in grammar.binary[:3]), strict=True))
    walked = [
        (y, int(rules.pair_right[p]), int(rules.rule_parent[r]))
        for y in range(len(grammar.symbols))
        for p in range(rules.pair_ptr[y], rules.pair_ptr[y + 1])
        for r in range(rules.rule_ptr[p], rules.rule_ptr[p + 1])
    ]
    assert walked == binary
    assert len(set(zip(rules.rule_left, rules.rule_right, strict=True))) == len(rules.pair_right)
    made = [
        (x, int(rules.made[m]))
        for x in range(len(grammar.symbols))
        for m in range(rules.made_ptr[x], rules.made_ptr[x + 1])
    ]
    assert sorted(made) == made
    assert sorted(r for _, r in made) == list(range(len(binary)))
    assert all(rules.rule_parent[r] == x for x, r in made)
    unary = [
        (y, int(rules.unary_parent[u]))
        for y in range(len(grammar.symbols))
        for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1])
    ]
    assert unary == list(zip(*(column.tolist() for column in grammar.unary[:2]), strict=True))
    assert rules.start == grammar.symbols.index(grammar.start)
    np.testing.assert_allclose(rules.rule_prob, np.exp(grammar.binary.weight))
    np.testing.assert_allclose(np.exp(rules.lex_log), np.exp(grammar.lexicon.weight))


def test_order_of_rules_given_does_not_matter() -> None:
    rules = [("S", "b", "a", -1.0), ("S", "a", "b", -2.0), ("A", "a", "b", -3.0)]
    entries = [("a", "x", -1.0), ("b", "x", -1.0), ("A", "y", 0.0)]
    one = PCFG.build("S", rules, [], entries)
    other = PCFG.build("S", rules[::-1], [], entries[::-1])
    assert one.symbols == other.symbols == ("A", "S", "a", "b")
    assert one.binary.weight.tolist() == other.binary.weight.tolist() == [-3.0, -2.0, -1.0]
    assert one.lexicon.weight.tolist() == other.lexicon.weight.tolist()


def test_plain_labels() -> None:
    grammar = PCFG.build(
        "S^<R>",
        [("S^<R>", "@S^<R>", "x^<y>", -1.0), ("@S^<R>", "x^<y>", "@u", -1.0)],
        [("S^<R>", "x^<y>", -1.0, ("VP^<S>", "@VP", "V|<A>"))],
        [("x^<y>", "a", -1.0), ("@u", "b", -1.0)],
    )
    named = dict(zip(grammar.symbols, grammar.plain, strict=True))
    assert named == {"S^<R>": "S", "@S^<R>": "S", "x^<y>": "x^<y>", "@u": "@u"}
    assert [s for s, made in zip(grammar.symbols, grammar.intermediate, strict=True) if made] == ["@S^<R>"]
    assert [s for s, tag in zip(grammar.symbols, grammar.tags, strict=True) if tag] == ["@u", "x^<y>"]
    assert grammar.plain_paths == (("VP",),)


def test_mass() -> None:
    grammar = PCFG.from_text("S -> A A 0.25 | A 0.5 | 'a' 0.25 \n A -> 'a' 0.9 | 'b' 0.2")
    assert dict(zip(grammar.symbols, grammar.mass(), strict=True)) == pytest.approx({"S": 1.0, "A": 1.1})
    assert dict(grammar.improper()) == pytest.approx({"A": 1.1})


ENTRY = [("t", "a", -1.0)]


@pytest.mark.parametrize(
    ("start", "binary", "unary", "lexical", "complaint"),
    [
        ("X", [("S", "t", "t", -1.0)], [], ENTRY, "unknown start symbol 'X': no rule expands it"),
        ("t", [], [], [], "unknown start symbol"),
        ("S", [("S", "t", "t", -1.0)] * 2, [], ENTRY, "duplicate rule: t t S"),
        ("S", [], [("S", "t", -1.0, ()), ("S", "t", -2.0, ("X",))], ENTRY, "duplicate rule: t S"),
        ("t", [], [], [("t", "a", -1.0), ("t", "a", -2.0)], "duplicate rule: t a"),
        ("S", [("S", "t", "t", 0.5)], [], ENTRY, "log weight is 0.5"),
        ("S", [("S", "t", "t", math.nan)], [], ENTRY, "log weight is nan"),
        ("S", [], [("S", "t", math.nan, ())], ENTRY, "log weight is nan"),
        ("t", [], [], [("t", "a", math.inf)], "log weight is inf"),
    ],
)
def test_wrong_rules(
    start: str,
    binary: list[tuple[str, str, str, float]],
    unary: list[tuple[str, str, float, tuple[str, ...]]],
    lexical: list[tuple[str, str, float]],
    complaint: str,
) -> None:
    with pytest.raises(InputError, match=complaint):
        PCFG.build(start, binary, unary, lexical)
