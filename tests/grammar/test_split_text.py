"""Split grammars as text: what is read equals what was written, and wrong files are refused."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from secateur.errors import InputError
from secateur.grammar.files import read_any
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.lineage import lineage_text, read_lineage
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.latent.text import END, LEXICON, parse_split, read_split, split_lines, write_split
from secateur.grammar.text import read_grammar, write_grammar
from secateur.kernels.split.tree_em import Blocks
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.testing.strategies import grammars
from split_text import SPLIT

QUICK = Schedule(split_rounds=8, merge_rounds=4, smooth_rounds=3)
TREES = sec.garden.treebank(240)
TRAIN, HELD_OUT = TREES[:220], TREES[220:]


@cache
def grown() -> SplitTraining:
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=QUICK)).fit()


@cache
def trained(level: int = 2) -> SplitPCFG:
    return grown().grammar(level)


def arrays(grammar: SplitPCFG) -> list[np.ndarray[Any, Any]]:
    coarse = grammar.coarse
    lexicon = coarse.lexicon
    return [
        *coarse.binary,
        *coarse.unary[:3],
        lexicon.ptr,
        lexicon.tag,
        lexicon.weight,
        *(part for blocks in (grammar.blocks, *grammar.others) for part in blocks),
        grammar.mass,
        *(origin for level in grammar.ancestry for origin in level),
    ]


def assert_same(one: SplitPCFG, other: SplitPCFG) -> None:
    a, b = one.coarse, other.coarse
    assert (a.symbols, a.start, a.notes, a.unary.path) == (b.symbols, b.start, b.notes, b.unary.path)
    assert a.lexicon.words == b.lexicon.words
    assert (len(one.ancestry), len(one.others)) == (len(other.ancestry), len(other.others))
    for x, y in zip(arrays(one), arrays(other), strict=True):
        assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes())


def split_at_random(coarse: sec.PCFG, rng: np.random.Generator, *, levels: int, grammars: int) -> SplitPCFG:
    """Any numbers that sum to 1, in symbols that were split at random, some sub-symbols never used."""
    n = len(coarse.symbols)
    start = coarse.number[coarse.start]
    ancestry: list[tuple[Any, ...]] = []
    sizes = [1] * n
    for _ in range(levels):
        halves = [rng.integers(1, 3, k) if x != start else np.ones(k, int) for x, k in enumerate(sizes)]
        ancestry.append(tuple(np.repeat(np.arange(len(h), dtype=np.uint32), h) for h in halves))
        sizes = [int(h.sum()) for h in halves]
    everyone = []
    for number in range(grammars):
        splits = sizes if number == 0 else [1 if x == start else int(rng.integers(1, 4)) for x in range(n)]
        everyone.append(blocks_at_random(coarse, splits, rng))
    mass = np.zeros((n, max(sizes)))
    for x, k in enumerate(sizes):
        mass[x, :k] = rng.random(k) * 10
    return SplitPCFG(coarse, everyone[0], mass, tuple(ancestry), tuple(everyone[1:]))


def blocks_at_random(coarse: sec.PCFG, splits: list[int], rng: np.random.Generator) -> Blocks:
    binary, unary, lexicon = coarse.binary, coarse.unary, coarse.lexicon
    parts: list[np.ndarray[Any, Any]] = []
    total = np.zeros((len(splits), max(splits)))
    unused = {x for x in range(len(splits)) if splits[x] > 1 and rng.random() < 0.3}
    groups = ((binary.parent, binary.left, binary.right), (unary.parent, unary.child), (lexicon.tag,))
    made = []
    for ids in groups:
        found = []
        for row in zip(*(column.tolist() for column in ids), strict=True):
            block = rng.random([splits[x] for x in row])
            if row[0] in unused:
                block[0] = 0.0
            if len(ids) > 1:
                total[row[0], : splits[row[0]]] += block.reshape(splits[row[0]], -1).sum(1)
            found.append((row[0], block))
        made.append(found)
    total[total == 0.0] = 1.0
    for kind, found in enumerate(made):
        flat = [
            (
                block if kind == 2 else block / total[x, : len(block)].reshape(-1, *[1] * (block.ndim - 1))
            ).ravel()
            for x, block in found
        ]
        parts += [np.cumsum([0, *map(len, flat)]).astype(np.uint64), np.concatenate([*flat, np.zeros(0)])]
    return Blocks(np.array(splits, np.uint32), *parts)


# Written and read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("name", ["g.split", "g.split.gz"])
def test_files(tmp_path: Path, level: int, name: str) -> None:
    grammar = trained(level)
    path = tmp_path / name
    write_split(grammar, path)
    content = path.read_bytes()
    assert content.startswith(b"\x1f\x8b") == name.endswith(".gz")
    again = read_split(path)
    assert_same(grammar, again)
    write_split(again, path)
    assert path.read_bytes() == content
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_parses_are_the_same(tmp_path: Path) -> None:
    grammar = trained()
    write_split(grammar, tmp_path / "g.split")
    again = read_any(tmp_path / "g.split")
    assert isinstance(again, SplitPCFG)
    before, after = sec.Parser(grammar), sec.Parser(again)
    for tree in HELD_OUT:
        one, other = before.parse(tree.words()), after.parse(tree.words())
        assert (one.tree, one.score, one.work) == (other.tree, other.score, other.work)


@settings(max_examples=60)
@given(grammars(), st.integers(0, 3), st.integers(1, 3), st.integers(0, 1 << 30))
def test_any_grammar(coarse: sec.PCFG, levels: int, grammars: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grammar = split_at_random(coarse, rng, levels=levels, grammars=grammars)
    lines = list(split_lines(grammar))
    again = parse_split(lines)
    assert_same(grammar, again)
    assert list(split_lines(again)) == lines


@settings(max_examples=40)
@given(
    st.lists(st.text("ab|<>^@=#-:é\u00a0\u2028\x85\x1c'\"", min_size=1, max_size=5), min_size=1, max_size=6),
    st.sampled_from(["t", ":", "=====", "0", "-1.5", "NP~1", "("]),
)
def test_words_and_symbols_of_any_spelling(words: list[str], tag: str) -> None:
    tree = sec.Tree("S", tuple(sec.Tree(tag, (sec.Leaf(i, word),)) for i, word in enumerate(words)))
    grammar = split_at_random(sec.induce([tree]), np.random.default_rng(1), levels=1, grammars=2)
    assert_same(grammar, parse_split(split_lines(grammar)))


def test_notes_of_any_kind() -> None:
    coarse = replace(trained().coarse, notes={"a b": 'New\n"York" é', "=": ""})
    grammar = replace(trained(), coarse=coarse)
    assert_same(grammar, parse_split(split_lines(grammar)))


def test_rules_may_be_put_in_any_order() -> None:
    grammar = trained()
    lines = list(split_lines(grammar))
    at = lines.index(LEXICON)
    moved = [*lines[:at], LEXICON, "", *reversed(lines[at + 1 : -1]), END]
    assert_same(grammar, parse_split(moved))


def test_unwritable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_split(trained(), tmp_path / "missing" / "g.split")
    coarse = sec.PCFG.build("S", [], [], [("S", "New York", -1.0)])
    wrong = split_at_random(coarse, np.random.default_rng(1), levels=1, grammars=1)
    with pytest.raises(InputError, match="white space"):
        write_split(wrong, tmp_path / "g.split")
    assert not list(tmp_path.iterdir())


# Trees of splits --------------------------------------------------------------------------------------------


def test_lineages() -> None:
    levels = read_lineage("(0 (0 0 1) (1 2))")
    assert [level.tolist() for level in levels] == [[0, 0], [0, 0, 1]]
    assert lineage_text([(level,) for level in levels], 0) == "(0 (0 0 1) (1 2))"
    assert read_lineage("0") == ()
    assert lineage_text((), 0) == "0"


@pytest.mark.parametrize(
    "text",
    [
        *("", "(", "()", "(0", "(0 0))", "(0) 0", "0 0", "((0 0))", "(0 0 (1 1))", "(0 (0 0) 1)"),
        *("(0 1 0)", "(0 0 2)", "(0 0 x)", "(0 0 -1)", "(1 0)", "(0 (0 0) (1))", "(" * 5000),
    ],
)
def test_wrong_lineages(text: str) -> None:
    with pytest.raises(InputError, match="no tree of splits") as caught:
        read_lineage(text)
    assert caught.value.fix
    assert len(caught.value.what) < 100


# Wrong files ------------------------------------------------------------------------------------------------

GOOD = SPLIT.splitlines()


def with_line(number: int, line: str) -> list[str]:
    return [*GOOD[: number - 1], line, *GOOD[number:]]


def test_the_good_lines_are_good() -> None:
    grammar = parse_split(GOOD)
    assert grammar.blocks.splits.tolist() == [2, 1, 1]
    assert grammar.blocks.binary.tolist() == [0.25, 0.25]
    assert grammar.coarse.unary.path == (("X",),)
    assert grammar.mass.tolist() == [[3.0, 1.0], [2.0, 0.0], [1.0, 0.0]]
    assert str(sec.Parser(grammar).parse(["a", "b"])) == "(S (A a) (B b))"


def test_a_sub_symbol_that_nothing_uses() -> None:
    lines = [line.replace("A B", "C B").replace("nSymbols=3", "nSymbols=4") for line in GOOD]
    lines[8:9] = ["S -> C B -0.7 : 0.5 0", "C -> A B 0 : 1 0 0 0"]
    lines.insert(4, "C 2 : 1.0 0 : (0 0 1)")
    lines[0] = lines[0].replace("nBinary=1", "nBinary=2")
    assert parse_split(lines).blocks.splits.tolist() == [2, 1, 2, 1]


FIRST = GOOD[0]


@pytest.mark.parametrize(
    ("lines", "number", "complaint"),
    [
        ([], 1, "not a split grammar"),
        (GOOD[1:], 1, "not a split grammar"),
        (with_line(1, "format=secateur start=S"), 1, "not a split grammar"),
        (with_line(1, "format=secateur-split version=1"), 1, "not a split grammar"),
        (with_line(1, FIRST.replace("version=1", "version=2")), 1, "version 2"),
        (with_line(1, "format=secateur-split start=S"), 1, "version unknown"),
        (with_line(1, FIRST.replace("start=S", "start=Q")), 1, "unknown start symbol 'Q'"),
        (with_line(1, FIRST.replace("nSymbols=3", "nSymbols=4")), 1, "nSymbols=4, the file has 3"),
        (with_line(1, FIRST.replace("nBinary=1", "nBinary=2")), 1, "nBinary=2, the file has 1"),
        (with_line(1, FIRST.replace("nUnary=1", "nUnary=0")), 1, "nUnary=0, the file has 1"),
        (with_line(1, FIRST.replace("nLex=3", "nLex=9")), 1, "nLex=9, the file has 3"),
        (with_line(2, "S -> A B -0.7 : 0.25 0.25"), 2, "where `===== NOTES =====` should be"),
        (with_line(8, ""), 11, "where `===== RULES =====` should be"),
        ([*GOOD, "B -> c -1 : 0"], 16, "where `the end of the file` should be"),
        (with_line(3, ""), 2, "no notes"),
        (with_line(3, "{"), 3, "no notes"),
        (with_line(3, '{"trees": 3}'), 3, "no notes"),
        (with_line(3, "[]"), 3, "no notes"),
        (with_line(5, "A : 3.0 1.0 : (0 0 1)"), 5, "not a symbol"),
        (with_line(5, "A two : 3.0 1.0 : (0 0 1)"), 5, "not a symbol"),
        (with_line(5, "A 0 : : 0"), 5, "not a symbol"),
        (with_line(5, "A 2 : 3.0 1.0"), 5, "not a symbol"),
        (with_line(5, "A 2 : 3.0 many : (0 0 1)"), 5, "no number: 'many'"),
        (with_line(5, "A 2 : 3.0 : (0 0 1)"), 5, "1 uses, not 2"),
        (with_line(5, "A 2 : 3.0 -1.0 : (0 0 1)"), 5, "a use below 0"),
        (with_line(5, "A 2 : nan 1.0 : (0 0 1)"), 5, "a use below 0 or not finite"),
        (with_line(5, "A 2 : 3.0 inf : (0 0 1)"), 5, "a use below 0 or not finite"),
        (with_line(5, "A 2 : 3.0 1.0 : (0 0)"), 5, "1 leaves of the tree of splits, not 2"),
        (with_line(5, "A 2 : 3.0 1.0 : (0 0"), 5, "no tree of splits"),
        (with_line(6, "B 1 : 2.0 : (0 (0 0))"), 6, "1 numbers and 2 levels, other symbols 1 and 1"),
        (with_line(6, "B 1 2 : 2.0 : (0 0)"), 6, "2 numbers and 1 levels, other symbols 1 and 1"),
        (with_line(6, GOOD[4]), 6, "duplicate rule: A 2"),
        (with_line(6, "C 1 : 2.0 : (0 0)"), 9, "unknown symbol 'B'"),
        ([*GOOD[:7], "C 1 : 2.0 : (0 0)", *GOOD[7:]], 1, "nSymbols=3, the file has 4"),
        (
            [FIRST.replace("nSymbols=3", "nSymbols=4"), *GOOD[1:7], "C 1 : 2.0 : (0 0)", *GOOD[7:]],
            8,
            "no rule has the symbol C",
        ),
        (with_line(9, "S -> A B -0.7 0.25 0.25"), 9, "not a rule"),
        (with_line(9, "S -> A B A -0.7 : 0.25 0.25"), 9, "not a rule"),
        (with_line(9, "S -0.7 : 0.25 0.25"), 9, "not a rule"),
        (with_line(9, "S -> A B high : 0.25 0.25"), 9, "'high' is no weight"),
        (with_line(9, "S -> A B 0.7 : 0.25 0.25"), 9, "the weight 0.7"),
        (with_line(9, "S -> A B -0.7 :"), 9, "0 probabilities, not 1 x 2 x 1"),
        (with_line(9, "S -> A B -0.7 : 0.25"), 9, "1 probabilities, not 1 x 2 x 1"),
        (with_line(9, "S -> A B -0.7 : 0.25 0.25 0"), 9, "3 probabilities, not 1 x 2 x 1"),
        (with_line(9, "S -> A B -0.7 : 0.25 0.25 : 1"), 9, "probabilities of 2 grammars, not 1"),
        (with_line(9, "S -> A B -0.7 : 0.25 half"), 9, "no number: 'half'"),
        (with_line(9, "S -> A B -0.7 : 0.75 -0.25"), 9, "the probability -0.25"),
        (with_line(9, "S -> A B -0.7 : 0.25 nan"), 9, "the probability nan"),
        (with_line(9, "S -> A B -0.7 : 0.25 1.5"), 9, "the probability 1.5"),
        (with_line(9, "S -> A B -0.7 : 0.25 0.3"), 7, "sub-symbol 0 of S sum to 1.05"),
        (with_line(9, "S -> A B -0.7 : 0.25 0.2"), 7, "sub-symbol 0 of S sum to 0.95"),
        (with_line(9, GOOD[9]), 10, "duplicate rule: S -> A"),
        (with_line(10, "S -> A -0.7 : 0.5 inf"), 10, "the probability inf"),
        (with_line(12, "A -> a -1 0.5 0.5"), 12, "not an entry"),
        (with_line(12, "A -> a b -1 : 0.5 0.5"), 12, "not an entry"),
        (with_line(12, "A -> a -1 : 0.5"), 12, "1 probabilities, not 2"),
        (with_line(12, "C -> a -1 : 0.5 0.5"), 12, "unknown symbol 'C'"),
        (with_line(12, "A -> a -1 : 0.5 -0.5"), 12, "the probability -0.5"),
        (with_line(12, "A -> a -1 : 0.5 1.5"), 12, "the probability 1.5"),
        (with_line(13, GOOD[11]), 13, "duplicate rule: A -> a"),
        *((GOOD[:end], end, f"ends without a line `{GOOD[after]}`") for end, after in
          ((1, 1), (3, 3), (6, 7), (9, 10), (13, 14), (14, 14))),
    ],
)  # fmt: skip
def test_wrong_input(lines: list[str], number: int, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint.replace("(", r"\(")) as caught:
        parse_split(lines, name="some.split")
    assert caught.value.where == f"some.split:{number}"
    assert caught.value.fix


def test_a_start_symbol_that_is_split() -> None:
    lines = with_line(7, "S 2 : 1.0 1.0 : (0 0 1)")
    lines[8:10] = ["S -> A B -0.7 : 0.25 0.25 0.25 0.25", "S -> X -> A -0.7 : 0.5 0 0.5 0"]
    with pytest.raises(InputError, match="the start symbol S is split"):
        parse_split(lines)


def test_every_cut_is_noticed() -> None:
    text = "\n".join(GOOD)
    for end in range(len(text)):
        with pytest.raises(InputError):
            parse_split(text[:end].splitlines())


def test_cut_off_gzip(tmp_path: Path) -> None:
    path = tmp_path / "cut.split.gz"
    path.write_bytes(gzip.compress("\n".join(GOOD).encode())[:-20])
    with pytest.raises(InputError) as caught:
        read_split(path)
    assert caught.value.where.startswith(str(path))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_split(tmp_path / "none.split")


# Files of any kind ------------------------------------------------------------------------------------------


def test_any_kind_of_file(tmp_path: Path) -> None:
    coarse = trained().coarse
    write_grammar(coarse, tmp_path / "g.gr")
    flat = read_any(tmp_path / "g.gr")
    assert isinstance(flat, sec.PCFG)
    assert flat.symbols == coarse.symbols
    write_split(trained(), tmp_path / "g.split")
    with pytest.raises(InputError, match="a split grammar, where a flat one is needed"):
        read_grammar(tmp_path / "g.split")
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match="not a grammar"):
        read_any(tmp_path / "empty")
