"""Grammars as text: written, read, and refused with the place of what is wrong."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.grammar.induce import induce
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import grammar_lines, parse_grammar, read_grammar, write_grammar
from secateur.kinds.pcfg.parser import Parser
from secateur.testing.strategies import grammars
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Leaf, Tree


def assert_same(one: PCFG, other: PCFG) -> None:
    assert (one.symbols, one.start, one.unary.path) == (other.symbols, other.start, other.unary.path)
    assert one.lexicon.words == other.lexicon.words
    for a, b in zip(
        (*one.binary, *one.unary[:3], one.lexicon.ptr, one.lexicon.tag, one.lexicon.weight),
        (*other.binary, *other.unary[:3], other.lexicon.ptr, other.lexicon.tag, other.lexicon.weight),
        strict=True,
    ):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@settings(max_examples=60)
@given(grammars())
def test_written_and_read(grammar: PCFG) -> None:
    lines = list(grammar_lines(grammar))
    again = parse_grammar(lines)
    assert_same(grammar, again)
    assert list(grammar_lines(again)) == lines


@settings(max_examples=60)
@given(
    st.lists(st.text("ab|<>^@=#-é\u00a0\u2028\x85\x1c'\"", min_size=1, max_size=5), min_size=1, max_size=6)
)
def test_words_of_any_spelling(words: list[str]) -> None:
    """Words may hold marks of the format itself, and blanks that are not ASCII."""
    tree = Tree("S", tuple(Tree("t", (Leaf(i, word),)) for i, word in enumerate(words)))
    grammar = induce([tree])
    assert_same(grammar, parse_grammar(grammar_lines(grammar)))


@pytest.mark.parametrize("name", ["g.gr", "g.gr.gz"])
def test_files(tmp_path: Path, name: str) -> None:
    grammar = induce([read_tree("(ROOT (S (NP (D the) (J old) (N gnu)) (VP (V sleeps))))")])
    path = tmp_path / name
    write_grammar(grammar, path)
    content = path.read_bytes()
    assert content.startswith(b"\x1f\x8b") == name.endswith(".gz")
    again = read_grammar(path)
    assert_same(grammar, again)
    assert again.notes["binarization"] == "left"
    write_grammar(again, path)
    assert path.read_bytes() == content
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_unwritable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_grammar(PCFG.from_text("S -> 'a' 1.0"), tmp_path / "missing" / "g.gr")


@pytest.mark.parametrize(
    "grammar",
    [
        PCFG.build("S", [], [], [("S", "New York", -1.0)]),
        PCFG.build("S", [], [], [("S", "", -1.0)]),
        PCFG.build("", [("", "t", "t", -1.0)], [], [("t", "a", -1.0)]),
        PCFG.build("S", [], [("S", "t", -1.0, ("A B",))], [("t", "a", -1.0)]),
    ],
)
def test_names_that_cannot_be_written(grammar: PCFG, tmp_path: Path) -> None:
    """What could not be read again is refused before anything is written."""
    with pytest.raises(InputError, match="white space"):
        write_grammar(grammar, tmp_path / "g.gr")
    assert not list(tmp_path.iterdir())


BERKELEY = """\
lang=UNK  format=Berkeley unkThresh=5 start=ROOT nBinary=2 nUnary=3 nLex=4
@NP -> DT JJ -0.5
NP -> @NP NN -0.25
ROOT -> S -0.1
S -> VP -0.2
VP -> NP -0.3

===== LEXICON =====
DT -> the -0.1
JJ -> old -0.2
NN -> gnu -0.3
NN -> UNK -1e-1
"""

CSLU = """\
format=CSLU start=S
S -> S|<NP-VP> NP -0.5
S|<NP-VP> -> NP VP 0
S^<S> -> NP NP -2
===== LEXICON =====
NP -> gnus -0.1
VP -> saw -0.2
"""


def test_berkeley_dialect() -> None:
    grammar = parse_grammar(BERKELEY.splitlines(keepends=True))
    assert (grammar.start, grammar.notes["unkThresh"]) == ("ROOT", "5")
    names = grammar.symbols
    unary = {(names[x], names[y]): (w, p) for y, x, w, p in zip(*grammar.unary, strict=True)}
    assert unary == {
        ("ROOT", "S"): (-0.1, ()),
        ("ROOT", "VP"): (pytest.approx(-0.3), ("S",)),
        ("ROOT", "NP"): (pytest.approx(-0.6), ("S", "VP")),
        ("S", "VP"): (-0.2, ()),
        ("S", "NP"): (pytest.approx(-0.5), ("VP",)),
        ("VP", "NP"): (-0.3, ()),
    }
    parse = Parser(grammar).parse(["the", "old", "gnu"])
    assert str(parse) == "(ROOT (S (VP (NP (DT the) (JJ old) (NN gnu)))))"
    assert parse.score == pytest.approx(-0.6 - 0.25 - 0.5 - 0.6, rel=1e-6)
    raw = parse_grammar(BERKELEY.splitlines(), composed=False)
    assert len(raw.unary.weight) == 3


def test_cslu_dialect() -> None:
    grammar = parse_grammar(CSLU.splitlines())
    assert [s for s, made in zip(grammar.symbols, grammar.intermediate, strict=True) if made] == ["S|<NP-VP>"]
    assert str(Parser(grammar).parse(["gnus", "saw", "gnus"])) == "(S (NP gnus) (VP saw) (NP gnus))"


@pytest.mark.parametrize("dialect", ["Berkeley", "CSLU"])
def test_foreign_dialects_keep_rules_but_not_paths(dialect: str) -> None:
    grammar = parse_grammar(BERKELEY.splitlines())
    again = parse_grammar(grammar_lines(grammar, dialect=dialect))
    assert again.notes["format"] == dialect
    assert again.symbols == grammar.symbols
    np.testing.assert_array_equal(again.binary.weight, grammar.binary.weight)
    np.testing.assert_allclose(again.unary.weight, grammar.unary.weight)
    assert len(again.unary.weight) == 6


def test_unknown_dialect_to_write() -> None:
    with pytest.raises(InputError, match="unknown dialect 'latin'"):
        list(grammar_lines(PCFG.from_text("S -> 'a' 1.0"), dialect="latin"))


HEAD = "format=secateur start=S"
GOOD = [HEAD, "S -> A B -1", "S -> A -2", "===== LEXICON =====", "A -> a -1", "B -> b -1"]


def with_line(number: int, line: str) -> list[str]:
    return [*GOOD[: number - 1], line, *GOOD[number:]]


@pytest.mark.parametrize(
    ("lines", "number", "complaint"),
    [
        ([], 1, "not a grammar"),
        (["S -> A B -1"], 1, "not a grammar"),
        (with_line(1, "format=secateur"), 1, "not a grammar"),
        (with_line(1, "start=S"), 1, "not a grammar"),
        (with_line(1, "format=Stanford start=S"), 1, "unknown grammar dialect 'Stanford'"),
        (with_line(1, "format=secateur start=Q"), 1, "unknown start symbol 'Q'"),
        (with_line(1, HEAD + " nBinary=2"), 1, "says nBinary=2, the file has 1"),
        (with_line(1, HEAD + " nUnary=0"), 1, "says nUnary=0, the file has 1"),
        (with_line(1, HEAD + " nLex=3"), 1, "says nLex=3, the file has 2"),
        ([*GOOD[:3], "S -> A B -2", *GOOD[3:]], 4, "duplicate rule: S -> A B -2"),
        ([*GOOD[:3], "S -> X -> A -2", *GOOD[3:]], 4, "duplicate rule"),
        ([*GOOD, "A -> a -2"], 7, "duplicate rule: A -> a -2"),
        (with_line(2, "S -> A B 0.5"), 2, "the weight 0.5 is not the log of a probability"),
        (with_line(2, "S -> A B nan"), 2, "the weight nan"),
        (with_line(2, "S -> A B inf"), 2, "the weight inf"),
        (with_line(5, "A -> a NaN"), 5, "the weight NaN"),
        (with_line(5, "A -> a low"), 5, "'low' is no weight"),
        (with_line(2, "S -> A B C -1"), 2, "3 symbols on the right"),
        (with_line(2, "S -> A B C D -1"), 2, "4 symbols on the right"),
        (with_line(5, "A -> a b -1"), 5, "2 symbols on the right"),
        (with_line(2, "S -> -1"), 2, "not a rule"),
        (with_line(2, "S : A B -1"), 2, "not a rule"),
        (with_line(5, "A a -1"), 5, "not a rule"),
        (GOOD[:3], 3, "ends without a line"),
        (GOOD[:1], 1, "ends without a line"),
    ],
)
def test_wrong_input(lines: list[str], number: int, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        parse_grammar(lines, name="some.gr")
    assert caught.value.where == f"some.gr:{number}"
    assert caught.value.fix


def test_the_good_lines_are_good() -> None:
    assert len(parse_grammar(GOOD).binary.weight) == 1


def test_free_cycle_names_the_file() -> None:
    lines = ["format=Berkeley start=S", "S -> A 0", "A -> S 0", "===== LEXICON =====", "A -> a -1"]
    with pytest.raises(InputError, match="unary cycle") as caught:
        parse_grammar(lines, name="some.gr")
    assert caught.value.where == "some.gr"


def test_our_dialect_is_not_composed() -> None:
    """Its unaries are single steps already: a cycle there does no harm."""
    lines = ["format=secateur start=S", "S -> A 0", "A -> S 0", "===== LEXICON =====", "A -> a -1"]
    assert len(parse_grammar(lines).unary.weight) == 2


def test_impossible_rules_are_kept() -> None:
    """Probability 0 has the log -inf."""
    assert parse_grammar(with_line(2, "S -> A B -inf")).binary.weight.tolist() == [-math.inf]


@pytest.mark.parametrize("content", [b"\x00\x01\x02junk", b"\xff\xfe\xfdjunk\n", bytes(range(256))])
def test_binary_junk(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "junk.gr"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_grammar(path)
    assert caught.value.where.startswith(f"{path}:1")


def test_cut_off_gzip(tmp_path: Path) -> None:
    path = tmp_path / "cut.gr.gz"
    path.write_bytes(gzip.compress("\n".join(GOOD).encode())[:-20])
    with pytest.raises(InputError) as caught:
        read_grammar(path)
    assert caught.value.where.startswith(str(path))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_grammar(tmp_path / "none.gr")


@pytest.mark.parametrize(
    ("name", "binary", "unary"), [("R0", 4240, 236), ("R2", 13657, 236), ("R2.P1", 25183, 736)]
)
def test_known_grammars(data: Path, name: str, binary: int, unary: int) -> None:
    path = data / "wsj-grammars" / f"eng.{name}.gr.gz"
    grammar = read_grammar(path)
    assert len(grammar.binary.weight) == binary
    assert grammar.start == "ROOT"
    assert len(read_grammar(path, composed=False).unary.weight) == unary
    assert_same(grammar, parse_grammar(grammar_lines(grammar)))


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (2, "S -> A B -1e308", "not the log of a probability"),
        (2, "S" + " -> S" * 2000 + " -1.0", "through 2001 labels"),
        (1, f"format=secateur start=S nLex={'9' * 5000}", "the first line says nLex=999"),
    ],
)
def test_what_no_grammar_has(number: int, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_grammar(with_line(number, line))


def test_only_the_dialects_that_are_asked_for() -> None:
    with pytest.raises(InputError, match="unknown grammar dialect 'Berkeley'"):
        parse_grammar(BERKELEY.splitlines(), dialects=("secateur",))
