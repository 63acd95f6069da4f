"""PLCFRSs as text: written, read, and refused with the place of what is wrong."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcfrs_cases import assert_same, discontinuous_trees, grammars
from secateur.errors import InputError
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.lcfrs.text import parse_plcfrs, plcfrs_lines, read_plcfrs, write_plcfrs
from secateur.treebanks.tree import Leaf, Tree

SMALL = """\
format=secateur-lcfrs from=here start=S chains=no nBinary=2 nUnary=2 nLong=1 nLex=2
V -> N M 0,1 -0.25
S -> V N 010 -0.5
S -> N 0 -1.5
W -> P -> Q -> V 0,0 -1.0
S -> N M N 012 -inf
===== SYMBOLS =====
M 1 M
N 1 NN
S 1 S
V 2 VP made
W 2 W

===== LEXICON =====
M -> == -0.125
N -> new -1e-05
"""


@settings(max_examples=60)
@given(st.one_of(grammars(long=True, exact=False), grammars(circles=True).map(PLCFRS.binarized)))
def test_written_and_read(grammar: PLCFRS) -> None:
    written = list(plcfrs_lines(grammar))
    again = parse_plcfrs(written)
    assert_same(grammar, again)
    assert list(plcfrs_lines(again)) == written


@given(st.lists(discontinuous_trees(), min_size=1, max_size=3))
def test_induced(treebank: list[Tree]) -> None:
    grammar = induce(treebank, binarization=Binarization("left", h=None, v=2))
    assert_same(grammar, parse_plcfrs(plcfrs_lines(grammar)))


NAMES = st.text("ab|<>^@=#-é\u00a0\u2028\x85\x1c'\"_2,(", min_size=1, max_size=5)


@given(st.lists(NAMES, min_size=1, max_size=4), st.sampled_from(("=====", "->", "made", "0", "-1", "t")))
def test_names_of_any_spelling(words: list[str], tag: str) -> None:
    leaves = [Tree(tag, (Leaf(i, word),)) for i, word in enumerate(words)]
    tree = Tree("ROOT", (Tree("X", tuple(leaves)), Tree(tag + "x", (Leaf(len(words), "====="),))))
    grammar = induce([tree])
    assert_same(grammar, parse_plcfrs(plcfrs_lines(grammar)))


def test_small() -> None:
    grammar = parse_plcfrs(SMALL.splitlines(keepends=True))
    assert grammar.plain == ("M", "NN", "S", "VP", "W")
    assert grammar.made.tolist() == [False, False, False, True, False]
    assert grammar.unary.path == ((), ("P", "Q"))
    assert grammar.notes == {"from": "here"}
    assert list(plcfrs_lines(grammar))[1:] == [line for line in SMALL.splitlines() if line][1:]


@pytest.mark.parametrize("name", ["g.gr", "g.gr.gz"])
def test_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    grammar = parse_plcfrs(SMALL.splitlines())
    write_plcfrs(grammar, path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert_same(read_plcfrs(path), grammar)
    with pytest.raises(InputError, match="cannot write"):
        write_plcfrs(grammar, tmp_path / "missing" / name)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("format=secateur-lcfrs", "format=secateur", 1, "not a PLCFRS"),
        ("start=S", "begin=S", 1, "not a PLCFRS"),
        ("start=S", "start=T", 1, "unknown start symbol 'T'"),
        ("start=S", "start=V", 1, "fan-out 2"),
        ("chains=no", "chains=maybe", 1, "not a PLCFRS"),
        ("nLex=2", "nLex=3", 1, "nLex=3, the file has 2"),
        ("nLong=1", "nLong=0", 1, "nLong=0, the file has 1"),
        ("V N 010 -0.5", "V N 010", 3, "the weight 010 is not the log"),
        ("V N 010 -0.5", "V N 010 half", 3, "'half' is no weight"),
        ("V N 010 -0.5", "V N 010 0.5", 3, "not the log of a probability"),
        ("V N 010 -0.5", "V N 010 1e-5", 3, "log weight is 1e-05"),
        ("V N 010 -0.5", "V N 01 -0.5", 3, "V has fan-out 1 here and 2 elsewhere"),
        ("V N 010 -0.5", "V N 101 -0.5", 3, "later child"),
        ("V N 010 -0.5", "V N 0x0 -0.5", 3, "'0x0' is no pattern"),
        ("V N 010 -0.5", "V 010 -0.5", 3, "a unary rule that reads|not one of 1"),
        ("V N 010 -0.5", "V N 0 -0.5", 3, "a unary rule that reads 'V N'"),
        ("S -> N 0 -1.5", "S N 0 -1.5", 4, "not a rule"),
        ("S -> N 0 -1.5", "S -> 0 -1.5", 4, "is no pattern"),
        ("V 0,0 -1.0", "-> V 0,0 -1.0", 5, "a unary rule that reads"),
        ("P -> Q -> V", "P -> " * 1000 + "V", 5, "a unary rule through 1002 labels"),
        ("S -> N M N", "S -> N M", 6, "not one of 2 children"),
        ("===== SYMBOLS =====\n", "", 7, "not a rule"),
        ("===== SYMBOLS =====", "===== LEXICON =====", 7, "heading '===== LEXICON =====' cannot stand here"),
        ("M 1 M", "M one M", 8, "not a symbol"),
        ("M 1 M", "M 1", 8, "not a symbol"),
        ("M 1 M", "M 2 M", 8, "M has fan-out 2 here, 1 in the grammar"),
        ("M 1 M", "M 1 M maid", 8, "not a symbol"),
        ("M 1 M", "M 1 M made", 1, "M dissolves in trees"),
        ("M 1 M", "O 1 M", 8, "O has fan-out 1 here, no rules in the grammar"),
        ("M 1 M\n", "", 1, "no line for the symbol M"),
        ("N 1 NN", "M 1 M", 9, "two lines for the symbol M"),
        ("M -> ==", "M -> == ==", 15, "an entry with 2 words"),
        ("N -> new -1e-05", "N -> new nan", 16, "not the log of a probability"),
        ("N -> new", "M -> ==", 16, "duplicate rule: M -> '=='"),
        ("N -> new", "V -> new", 16, "V has fan-out 1 here and 2 elsewhere"),
    ],
)
def test_refused(old: str, new: str, line: int, message: str) -> None:
    assert old in SMALL
    with pytest.raises(InputError, match=message) as caught:
        parse_plcfrs(SMALL.replace(old, new, 1).splitlines(keepends=True), name="g.gr")
    assert caught.value.where == f"g.gr:{line}"
    assert caught.value.fix


def test_cut_off() -> None:
    for line in range(13):
        with pytest.raises(InputError) as caught:
            parse_plcfrs(SMALL.splitlines()[:line], name="g.gr")
        assert caught.value.where.startswith("g.gr:")


def mutated(text: str, rng: random.Random) -> str:
    """A text with something wrong in it: characters, fields or lines lost, doubled or changed."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        fields = lines[at].split(" ")
        place = rng.randrange(len(fields))
        odd = rng.choice(
            ["", "->", "=====", "nan", "inf", "0,,1", "9" * 30, "-", "\t", "made", "S", "é", "²", "0.0.1"]
        )
        match rng.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(rng.randrange(len(lines)), lines[at])
            case 2:
                lines[at] = " ".join([*fields[:place], odd, *fields[place + 1 :]])
            case 3:
                lines[at] = " ".join(fields[:place] + fields[place + 1 :])
            case 4:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
            case _:
                rng.shuffle(fields)
                lines[at] = " ".join(fields)
        if not lines:
            break
    return "\n".join(lines)


def test_mutated() -> None:
    """A grammar, or an input error that says where."""
    places = []
    for seed in range(1500):
        text = mutated(SMALL, random.Random(seed))
        try:
            grammar = parse_plcfrs(text.split("\n"), name="g.gr")
        except InputError as error:
            places.append(error.where)
        else:
            assert_same(grammar, parse_plcfrs(plcfrs_lines(grammar)))
    assert 900 < len(places) < 1500
    assert all(re.fullmatch(r"g\.gr:[0-9]+", place) for place in places)


@pytest.mark.parametrize(
    "change",
    [
        {"plain": {"A": "a b"}},
        {"plain": {"A": ""}},
        {"notes": {"from": "two words"}},
        {"notes": {"start": "A"}},
        {"notes": {"a=b": "c"}},
        {"notes": {"": "c"}},
    ],
)
def test_what_cannot_be_written(change: dict[str, dict[str, str]], tmp_path: Path) -> None:
    """What could not be read again is refused before anything is written."""
    grammar = PLCFRS.build("A", [], [("A", "a", -1.0)], **change)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be written"):
        write_plcfrs(grammar, tmp_path / "g.gr")
    assert not list(tmp_path.iterdir())
