"""Grammars written by hand."""

from __future__ import annotations

import math

import pytest

from secateur.errors import InputError
from secateur.grammar.handwritten import read
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.parser import Parser


def rules(grammar: PCFG) -> dict[str, float]:
    """Everything in the grammar, as text, with probabilities."""
    names, found = grammar.symbols, {}
    for y, z, x, w in zip(*grammar.binary, strict=True):
        found[f"{names[x]} -> {names[y]} {names[z]}"] = math.exp(w)
    for y, x, w, path in zip(*grammar.unary, strict=True):
        found[" -> ".join((names[x], *path, names[y]))] = math.exp(w)
    for w, word in enumerate(grammar.lexicon.words):
        for e in range(grammar.lexicon.ptr[w], grammar.lexicon.ptr[w + 1]):
            found[f"{names[grammar.lexicon.tag[e]]} -> {word!r}"] = math.exp(grammar.lexicon.weight[e])
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S -> A B 0.5\nA -> 'a' 1\nB -> \"b\" 1.0", {"S -> A B": 0.5, "A -> 'a'": 1.0, "B -> 'b'": 1.0}),
        ("S -> 'a' 0.25 | 'b' 0.75", {"S -> 'a'": 0.25, "S -> 'b'": 0.75}),
        ("S->'a' [0.5]|'b' [.5]", {"S -> 'a'": 0.5, "S -> 'b'": 0.5}),
        ("# a comment\n\n  S -> 'a' 1e-3  # another\n", {"S -> 'a'": 0.001}),
        ("S -> '#' 0.5 | '|' 0.25 | '0.1' 0.25", {"S -> '#'": 0.5, "S -> '|'": 0.25, "S -> '0.1'": 0.25}),
        ('S -> "don\'t" 1.0', {'S -> "don\'t"': 1.0}),
        ("S -> ' ' 1.0 | '->' 0.5", {"S -> ' '": 1.0, "S -> '->'": 0.5}),
        (
            "S -> A B C D 0.5\nA -> 'a' 1\nB -> 'b' 1\nC -> 'c' 1\nD -> 'd' 1",
            {
                "S -> S|<A-B-C> D": 0.5,
                "S|<A-B-C> -> S|<A-B> C": 1.0,
                "S|<A-B> -> A B": 1.0,
                **{f"{x} -> '{x.lower()}'": 1.0 for x in "ABCD"},
            },
        ),
        (
            "S -> 'give' NP 1\nNP -> 'up' 1",
            {"S -> 'give' NP": 1.0, "'give' -> 'give'": 1.0, "NP -> 'up'": 1.0},
        ),
        (
            "S -> A 0.5\nA -> B 0.5\nB -> 'b' 1.0",
            {"S -> A": 0.5, "A -> B": 0.5, "S -> A -> B": 0.25, "B -> 'b'": 1.0},
        ),
        ("S -> S 0.5 | 'a' 0.5", {"S -> 'a'": 0.5}),
    ],
)
def test_read(text: str, expected: dict[str, float]) -> None:
    grammar = read(text)
    assert rules(grammar) == pytest.approx(expected)
    assert grammar.start == "S"


def test_start_symbol() -> None:
    text = "A -> 'a' 1.0\nS -> A A 1.0"
    assert read(text).start == "A"
    assert PCFG.from_text(text, start="S").start == "S"
    with pytest.raises(InputError, match="unknown start symbol 'X'"):
        read(text, start="X")


def test_shared_beginnings() -> None:
    """Long rules that begin alike share their made symbols, but never across parents."""
    text = "S -> A A A 0.5 | A A A A 0.25 | A A 'b' 0.25\nX -> A A A 1.0\nA -> 'a' 1.0"
    made = {rule for rule in rules(read(text)) if rule.startswith(("S|", "X|"))}
    assert made == {"S|<A-A> -> A A", "S|<A-A-A> -> S|<A-A> A", "X|<A-A> -> A A"}


def test_names_with_dashes_do_not_run_together() -> None:
    """S -> A-B C D and S -> A B-C D have different first halves, though both read A-B-C."""
    text = "S -> A-B C D 0.5 | A B-C D 0.5\nA-B -> 'a' 1\nC -> 'b' 1\nA -> 'c' 1\nB-C -> 'd' 1\nD -> 'e' 1"
    parser = Parser(read(text))
    assert str(parser.parse(["a", "b", "e"])) == "(S (A-B a) (C b) (D e))"
    assert str(parser.parse(["c", "d", "e"])) == "(S (A c) (B-C d) (D e))"
    assert parser.parse(["a", "d", "e"]).failed


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("S -> A B 0.5\nA 'a' 1.0", 2),
        ("S -> A B", 1),
        ("S -> 0.5", 1),
        ("S -> A | B 0.5", 1),
        ("S -> A 0.5 B 0.5", 1),
        ("S -> A 1.5", 1),
        ("S -> A 0.0", 1),
        ("S -> A 0.5 |", 1),
        ("-> A 0.5", 1),
        ("S T -> A 0.5", 1),
        ("S\tT -> A 0.5", 1),
        ("\n# nothing\nS -> A nan", 3),
        ("S -> A -0.5", 1),
    ],
)
def test_wrong_lines(text: str, line: int) -> None:
    with pytest.raises(InputError, match="not a rule") as caught:
        read(text)
    assert caught.value.where == f"line {line}"
    assert caught.value.fix


@pytest.mark.parametrize(
    "text",
    ["S -> 'a' 0.5\nS -> 'a' 0.5", "S -> 'a' 1\nS -> A A 0.1 | A A 0.2", "S -> 'a' 1 \n S -> A 0.1 | A 0.2"],
)
def test_duplicates(text: str) -> None:
    with pytest.raises(InputError, match="duplicate rule") as caught:
        read(text)
    assert caught.value.where == "line 2"


def test_no_rules() -> None:
    with pytest.raises(InputError, match="a grammar without rules"):
        read("# only a comment\n")


def test_free_cycles() -> None:
    with pytest.raises(InputError, match="unary cycle"):
        read("S -> A 1.0 | 'a' 0.5\nA -> S 1.0")
