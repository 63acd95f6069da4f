"""Grammars written by hand, and what is said of those that are none."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars
from naive.lcfrs import chart
from secateur.errors import InputError
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.grammar.lcfrs.patterns import text_of
from secateur.grammar.lcfrs.plcfrs import PLCFRS, Rule


def rules(grammar: PLCFRS) -> dict[str, float]:
    """Everything in the grammar, with probabilities."""
    found = {
        f"{rule.parent} -> {' '.join(rule.children)} {text_of(rule.components)}": math.exp(rule.weight)
        for rule in grammar.named()
    }
    return found | {f"{tag} -> {word!r}": math.exp(weight) for tag, word, weight in grammar.entries()}


TWO = "A('a') -> 0.5\nB('b') ->\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S(X Y) -> A(X) B(Y) 0.5\n", {"S -> A B 01": 0.5}),
        ("S(X Y) -> B(Y) A(X)\n", {"S -> A B 01": 1.0}),
        ("S(X)->A(X)[.25]\n", {"S -> A 0": 0.25}),
        ("# a comment\n\n  S ( X )  ->  A ( X ) 1e-1 # another\n", {"S -> A 0": 0.1}),
        ("S(X Y Z) -> V(X, Z) B(Y)\nV(X, Y) -> A(X) A(Y)\n", {"S -> V B 010": 1.0, "V -> A A 0,1": 1.0}),
        ("S(X#1 Y 2) -> A(X#1) B(Y) A(2) 0.5\n", {"S -> A B A 012": 0.5}),
        ("S(X) -> 'N Y'(X)\n'N Y'(\"don't\") -> 0.5\n", {"S -> N Y 0": 1.0, "N Y -> \"don't\"": 0.5}),
        ("S(X) -> '('(X)\n'('('->') ->\n", {"S -> ( 0": 1.0, "( -> '->'": 1.0}),
        ("S(X) -> $.(X)\n$.('.') -> 0.5\n$.('#') ->\n", {"S -> $. 0": 1, "$. -> '.'": 0.5, "$. -> '#'": 1}),
        (
            "S(X1 Y1 X2 Y2) -> V(X1, X2) W(Y1, Y2)\nV(X, Y) -> W(X, Y)\nW(X, Y) -> A(X) B(Y) 0.5\n",
            {"S -> V W 0101": 1.0, "V -> W 0,0": 1.0, "W -> A B 0,1": 0.5},
        ),
    ],
)  # fmt: skip
def test_read(text: str, expected: dict[str, float]) -> None:
    assert rules(PLCFRS.from_text(text + TWO)) == pytest.approx(
        {**expected, "A -> 'a'": 0.5, "B -> 'b'": 1.0}
    )


def test_start_and_chains() -> None:
    grammar = PLCFRS.from_text("S(X) -> A(X)\n" + TWO)
    assert (grammar.start, grammar.chains) == ("S", True)
    assert PLCFRS.from_text("S(X) -> A(X)\n" + TWO, start="A").start == "A"


@pytest.mark.parametrize(
    ("line", "where", "message"),
    [
        ("S(X X) -> A(X)", "2:5", "X twice on the left"),
        ("S(X) -> A(X) B(X)", "2:16", "X twice on the right"),
        ("S(X) -> A(X) B(Y)", "2:16", "Y is not on the left"),
        ("S(X Y) -> A(X)", "2:5", "Y is not on the right"),
        ("S(Y X) -> V(X, Y)", "2:11", "V change places"),
        ("S(X Y) -> V(X, Y)", "2:1", "touch"),
        ("S(X,) -> A(X)", "2:5", "empty component of S"),
        ("S() -> A(X)", "2:3", "empty component of S"),
        ("S(X) -> A()", "2:11", "empty component of A"),
        ("S(X Y) -> A(X Y)", "2:15", "two variables in one component"),
        ("S(X 'b') -> A(X)", "2:5", "the word 'b' in a rule with symbols"),
        ("S(X) -> A('b')", "2:11", "the word 'b' in a rule with symbols"),
        ("S(X) ->", "2:3", "X is not on the right"),
        ("S('a' 'b') ->", "2:7", "more than one word"),
        ("S('a', 'b') ->", "2:8", "more than one word"),
        ("S('a') -> 1.5", "2:11", "the probability 1.5"),
        ("S('a') -> 0", "2:11", "the probability 0"),
        ("S('a') -> 0.5 0.5", "2:15", "'0.5' cannot stand here"),
        ("S('a') -> -0.5", "2:11", "'-0.5' cannot stand here"),
        ("S('a')", "2:7", "ends too early"),
        ("S", "2:2", "ends too early"),
        ("S -> A B", "2:3", "'->' cannot stand here"),
        ("S(X) -> A", "2:9", "'A' cannot stand here"),
        ("S(X -> A(X)", "2:5", "'->' cannot stand here"),
        ("S(X) -> A(X", "2:12", "ends too early"),
        ("S(X) A(X)", "2:6", "'A' cannot stand here"),
        ("S('a) -> 0.5", "2:3", "cannot stand here"),
        ("S('') -> 0.5", "2:3", "cannot stand here"),
        ("A('a') ->", "2:1", "duplicate rule: A -> 'a'"),
        ("A(X, Y) -> B(X) B(Y)", "2:1", "A has fan-out 2 here and 1 elsewhere"),
        ("V(X, Y) -> A(X) A(Y) 0.5", "2:1", "V has fan-out 2 here and 1 elsewhere"),
    ],
)  # fmt: skip
def test_refused(line: str, where: str, message: str) -> None:
    before = "V(X) -> A(X)\n" if line.startswith("V") else "A('a') ->\n"
    with pytest.raises(InputError) as caught:
        PLCFRS.from_text(before + line)
    assert message in caught.value.what
    assert caught.value.where == f"line {where}"
    assert caught.value.fix


def test_no_rules() -> None:
    for text in ("", "# nothing\n\n"):
        with pytest.raises(InputError, match="without rules"):
            PLCFRS.from_text(text)
    with pytest.raises(InputError, match="derives no sentence"):
        PLCFRS.from_text("S(X) -> A(X)")
    with pytest.raises(InputError, match="unknown start symbol 'T'"):
        PLCFRS.from_text(TWO, start="T")


@given(st.text("SXA()',\"->0.5[]# \n", max_size=30))
def test_anything_else_is_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        PLCFRS.from_text("S('a') ->\n" + text)


def written(grammar: PLCFRS) -> str:
    """As people write it: every variable called after its child and component."""

    def line(rule: Rule) -> str:
        seen: dict[int, int] = {}
        left = []
        for part in rule.components:
            names = []
            for child in part:
                seen[child] = seen.get(child, 0) + 1
                names.append(f"X{child}.{seen[child]}")
            left.append(" ".join(names))
        right = [
            f"'{name}'({', '.join(f'X{child}.{m + 1}' for m in range(seen[child]))})"
            for child, name in enumerate(rule.children)
        ]
        return f"'{rule.parent}'({', '.join(left)}) -> {' '.join(right[::-1])} {math.exp(rule.weight)!r}"

    lines = [line(rule) for rule in grammar.named()]
    return "\n".join(lines + [f"{tag}('{word}') -> {math.exp(w)!r}" for tag, word, w in grammar.entries()])


@given(grammars(long=True))
def test_written_and_read(grammar: PLCFRS) -> None:
    again = PLCFRS.from_text(written(grammar), start=grammar.start)
    assert rules(again) == pytest.approx(rules(grammar))


def test_a_parse() -> None:
    """Crossing dependencies, as Swiss German has them."""
    grammar = PLCFRS.from_text("""
        S(X Y Z U) -> NP(X) VP(Y, U) V(Z)
        VP(X Y, Z U) -> NP(X) VP(Y, U) V(Z) 0.25    # one more verb
        VP(X, Y) -> NP(X) V(Y) 0.75
        NP('a') -> 0.5
        NP('b') -> 0.5
        V('v') ->
    """)
    words = ["a", "b", "a", "v", "v", "v"]
    for one in (grammar, grammar.binarized()):
        found = chart(one, one.lexicon.encode(words).tolist())
        assert found.score == pytest.approx(math.log(0.25 * 0.75 * 0.125))
        tree = tree_of(one, found.derivation(), words)
        assert str(tree) == "(S (NP 0=a) (VP (NP 1=b) (VP (NP 2=a) (V 5=v)) (V 4=v)) (V 3=v))"
