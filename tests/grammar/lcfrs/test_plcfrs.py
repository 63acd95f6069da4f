"""Grammars from rules by name: their order, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import assert_same, grammars
from secateur.errors import InputError
from secateur.grammar.lcfrs.patterns import parse
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule

TAGS = [("A", "a", -1.0), ("B", "b", -2.0)]


def rule(parent: str, right: str, pattern: str, weight: float = -0.5, path: tuple[str, ...] = ()) -> Rule:
    components = parse(pattern)
    assert components is not None
    return Rule(parent, tuple(right.split()), components, weight, path)


def test_small() -> None:
    grammar = PLCFRS.build(
        "S",
        [
            rule("S", "V N", "010"),
            rule("V", "A B", "0,1", -0.25),
            rule("S", "A B A", "012", -3.0),
            rule("S", "N", "0", -0.75, ("X",)),
        ],
        [*TAGS, ("N", "b", 0.0)],
        plain={"V": "VP"},
        made=["V"],
        notes={"from": "here"},
    )
    assert grammar.symbols == ("A", "B", "N", "S", "V")
    assert grammar.plain == ("A", "B", "N", "S", "VP")
    assert grammar.fanout.tolist() == [1, 1, 1, 1, 2]
    assert grammar.made.tolist() == [False] * 4 + [True]
    assert [column.tolist() for column in grammar.binary] == [
        [0, 4], [1, 2], [4, 3], [-0.25, -0.5], [0b1_01_10, 0b1_00_10_00],
    ]  # fmt: skip
    assert [column.tolist() for column in grammar.unary[:3]] == [[2], [3], [-0.75]]
    assert grammar.unary.path == (("X",),)
    assert [column.tolist() for column in grammar.long] == [
        [3], [-3.0], [0, 3], [0, 1, 0], [0, 3], [0, 2, 4],
    ]  # fmt: skip
    assert list(grammar.entries()) == [("A", "a", -1.0), ("B", "b", -2.0), ("N", "b", 0.0)]
    assert (grammar.notes, grammar.chains) == ({"from": "here"}, False)
    assert repr(grammar) == (
        "<PLCFRS: 5 symbols of fan-out 2 at most from S, 2 binary, 1 unary and 1 longer rules, 2 words>"
    )
    assert [name for name, _ in grammar.improper()] == ["S"]
    assert grammar.mass()[3] == pytest.approx(math.exp(-0.5) + math.exp(-0.75) + math.exp(-3.0))


@given(grammars(long=True), st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(grammar: PLCFRS, random) -> None:  # type: ignore[no-untyped-def]
    rules, entries = list(grammar.named()), list(grammar.entries())
    random.shuffle(rules)
    random.shuffle(entries)
    again = PLCFRS.build(grammar.start, rules, entries, chains=grammar.chains)
    assert_same(grammar, again)
    keys = list(zip(*(column.tolist() for column in (*again.binary[:3], again.binary.pattern)), strict=True))
    assert keys == sorted(keys)
    keys = list(zip(again.unary.child.tolist(), again.unary.parent.tolist(), strict=True))
    assert keys == sorted(keys)


@given(grammars(long=True))
def test_mass_is_the_sum_of_probabilities(grammar: PLCFRS) -> None:
    expected = dict.fromkeys(grammar.symbols, 0.0)
    for one in grammar.named():
        expected[one.parent] += math.exp(one.weight)
    for tag, _, weight in grammar.entries():
        expected[tag] += math.exp(weight)
    assert grammar.mass().tolist() == pytest.approx(list(expected.values()))
    assert [name for name, _ in grammar.improper()] == [name for name, m in expected.items() if m > 1.001]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([rule("S", "A B", "01"), rule("S", "A B", "01")], "duplicate rule: S -> A B 01"),
        ([rule("S", "A", "0"), rule("S", "A", "0", path=("X",))], "duplicate rule: S -> A"),
        ([rule("S", "A B", "01"), rule("S", "A B", "0,1")], "S has fan-out 2 here and 1 elsewhere"),
        ([rule("S", "A A", "010")], "A has fan-out 1 here and 2 elsewhere"),
        ([rule("S", "C B", "010"), rule("C", "A", "0")], "C has fan-out 1 here and 2 elsewhere"),
        ([rule("S", "A B", "010")], "A has fan-out 1 here and 2 elsewhere"),
        ([rule("S", "A B", "0,1")], "start symbol S has fan-out 2"),
        ([rule("A", "A B", "01")], "unknown start symbol 'S'"),
        ([rule("S", "A C", "01")], "S derives no sentence"),
        ([rule("S", "S A", "01")], "S derives no sentence"),
        ([rule("S", "A B", "10")], "later child"),
        ([rule("S", "A B", "0")], "not one of 2 children"),
        ([rule("S", "A B", "01", math.nan)], "log weight is nan"),
        ([rule("S", "A B", "01", 0.5)], "log weight is 0.5"),
    ],
)
def test_refused(rules: list[Rule], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        PLCFRS.build("S", rules, TAGS)
    assert caught.value.fix


def test_refused_words() -> None:
    rules = [rule("S", "A B", "01")]
    with pytest.raises(InputError, match="duplicate rule: A -> 'a'"):
        PLCFRS.build("S", rules, [*TAGS, ("A", "a", -2.0)])
    with pytest.raises(InputError, match="log weight"):
        PLCFRS.build("S", rules, [*TAGS, ("A", "c", 2.0)])
    with pytest.raises(InputError, match="V has fan-out 1 here and 2 elsewhere"):
        PLCFRS.build("S", [*rules, rule("S", "V B", "010")], [*TAGS, ("V", "c", -1.0)])
    for made in ("S", "A"):
        with pytest.raises(InputError, match=f"{made} dissolves in trees"):
            PLCFRS.build("S", rules, TAGS, made=[made])


def test_what_cannot_be() -> None:
    """A rule of probability 0 is allowed."""
    grammar = PLCFRS.build("S", [rule("S", "A B", "01", -math.inf)], TAGS)
    assert grammar.mass()[grammar.number["S"]] == 0.0


def test_rules_that_differ_in_the_pattern_alone() -> None:
    parts = [rule("V", "A B", "0,1"), rule("W", "A B", "0,1")]
    rules = [*parts, rule("S", "V W", "0101"), rule("X", "V W", "010,1"), rule("X", "V W", "0,101", -1.0)]
    grammar = PLCFRS.build("S", rules, TAGS)
    assert grammar.binary.pattern.tolist()[-2:] == [0b1_00_10_01_10, 0b1_01_10_00_10]
    assert grammar.binary.weight.tolist()[-2:] == [-0.5, -1.0]
