"""Split grammars in the files of a Berkeley export: written, read, and refused with the place of a fault."""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.grammar.files import read_any
from secateur.grammar.latent.berkeley import read_berkeley, write_berkeley
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.latent.text import parse_split
from secateur.grammar.lexicon import UNKNOWN
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining

QUICK = Schedule(split_rounds=8, merge_rounds=4, smooth_rounds=3)
TREES = sec.garden.treebank(240)
TRAIN, HELD_OUT = TREES[:220], TREES[220:]


@cache
def trained(level: int) -> SplitPCFG:
    return SplitTraining(TRAIN, settings=SplitSettings(levels=level, schedule=QUICK)).fit().grammar(level)


def assert_same_rules(one: SplitPCFG, other: SplitPCFG) -> None:
    """All but the use of sub-symbols, and what follows from it."""
    assert texts(one) == texts(other)
    for x, y in zip(arrays(one), arrays(other), strict=True):
        assert (x.dtype, x.tobytes()) == (y.dtype, y.tobytes())


def texts(grammar: SplitPCFG) -> tuple[object, ...]:
    coarse = grammar.coarse
    return coarse.symbols, coarse.start, coarse.lexicon.words, coarse.unary.path, len(grammar.ancestry)


def arrays(grammar: SplitPCFG) -> tuple[np.ndarray[Any, Any], ...]:
    coarse = grammar.coarse
    origins = (origin for level in grammar.ancestry for origin in level)
    return (*coarse.binary[:3], *coarse.unary[:2], coarse.lexicon.tag, *grammar.blocks, *origins)


def shares(grammar: SplitPCFG) -> np.ndarray[Any, Any]:
    return np.asarray(grammar.mass / grammar.mass.sum(1, keepdims=True))


# Written and read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [1, 2])
def test_files(tmp_path: Path, level: int) -> None:
    grammar = trained(level)
    write_berkeley(grammar, tmp_path / "g")
    kinds = ("grammar", "lexicon", "paths", "splits", "words")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"g.{kind}" for kind in kinds]
    for name in ("g", "g.grammar"):
        assert_same_rules(grammar, read_berkeley(tmp_path / name))


@pytest.mark.parametrize(("smooth_rounds", "near"), [(0, 1e-9), (3, 0.05)])
def test_use_is_found_again(tmp_path: Path, smooth_rounds: int, near: float) -> None:
    """After a round of EM a sub-symbol is seen just as often as the grammar leads to expect; smoothing, which
    leaves the counts behind, moves it a little."""
    settings = SplitSettings(levels=2, schedule=replace(QUICK, smooth_rounds=smooth_rounds))
    grammar = SplitTraining(TRAIN, settings=settings).fit().grammar(2)
    write_berkeley(grammar, tmp_path / "g")
    again = read_berkeley(tmp_path / "g")
    np.testing.assert_allclose(shares(again), shares(grammar), atol=near)
    for one, other in (
        (grammar.coarse.binary, again.coarse.binary),
        (grammar.coarse.unary, again.coarse.unary),
        (grammar.coarse.lexicon, again.coarse.lexicon),
    ):
        np.testing.assert_allclose(np.exp(other.weight), np.exp(one.weight), atol=near)
    assert again.mass[again.coarse.number["ROOT"]].sum() == pytest.approx(1.0)


def test_parses_are_the_same(tmp_path: Path) -> None:
    grammar = trained(2)
    write_berkeley(grammar, tmp_path / "g")
    again = read_any(tmp_path / "g.grammar")
    assert isinstance(again, SplitPCFG)
    before, after = sec.Parser(grammar.flat()), sec.Parser(again.flat())
    best, again_best = sec.Parser(grammar), sec.Parser(again)
    for tree in HELD_OUT:
        one, other = before.parse(tree.words()), after.parse(tree.words())
        assert (one.tree, one.score, one.work.pushes) == (other.tree, other.score, other.work.pushes)
        assert best.parse(tree.words()).tree == again_best.parse(tree.words()).tree


def test_what_other_programs_expect(tmp_path: Path) -> None:
    write_berkeley(trained(1), tmp_path / "g")
    rules = (tmp_path / "g.grammar").read_text().splitlines()
    assert "ROOT_0 -> ROOT_0 1.0" in rules
    assert {"NP_0 -> NP_0 1.0", "NP_1 -> NP_1 1.0", "NN_0 -> NN_0 1.0"} <= set(rules)
    assert all(len(rule.replace("_", " ").split()) in (6, 8) for rule in rules)
    assert all(float(rule.split()[-1]) > 0.0 for rule in rules)
    assert any(rule.startswith("@NP_0 -> ") for rule in rules)
    trees = dict(line.split("\t") for line in (tmp_path / "g.splits").read_text().splitlines())
    assert "ROOT" not in trees
    assert trees["NP"] == "(0 0 1)"
    entries = [line.split(" ", 2) for line in (tmp_path / "g.lexicon").read_text().splitlines()]
    assert all(numbers[0] == "[" and numbers[-1] == "]" for _, _, numbers in entries)
    words = (tmp_path / "g.words").read_text().splitlines()
    known = {word for _, word, _ in entries}
    assert set(words) == {word for word in known if not word.startswith(UNKNOWN)}
    assert UNKNOWN in known


def test_unknown_words_find_their_class(tmp_path: Path) -> None:
    write_berkeley(trained(1), tmp_path / "g")
    again = read_berkeley(tmp_path / "g").coarse.lexicon
    lexicon = trained(1).coarse.lexicon
    strange = ["Blorping", "grumfly", "1,234.5-x", "Zanzibars", "frobnicated"]
    assert not set(strange) & set(lexicon.words)
    assert again.encode(strange).tolist() == lexicon.encode(strange).tolist()
    assert {again.words[w] for w in again.encode(strange).tolist()} != {UNKNOWN}


SMALL = """\
format=secateur-split version=1 start=TOP
===== NOTES =====
{}
===== SYMBOLS =====
DT 2 : 3.0 1.0 : (0 0 1)
NN 1 : 2.0 : (0 0)
NP|<DT-NN> 2 : 1.0 0.5 : (0 0 1)
S^<TOP> 1 : 1.0 : (0 0)
TOP 1 : 1.0 : (0 0)
===== RULES =====
S^<TOP> -> DT NP|<DT-NN> 0 : 0.25 0.25 0.25 0.25
NP|<DT-NN> -> DT NN 0 : 1 0 0.5 0.5
TOP -> S^<TOP> -0.5 : 0.5
TOP -> FRAG -> X -> NN -0.5 : 0.5
===== LEXICON =====
DT -> a -1 : 1 0
NN -> b_1 0 : 1
===== END =====
""".splitlines()


def test_names_and_paths_come_back(tmp_path: Path) -> None:
    grammar = parse_split(SMALL)
    write_berkeley(grammar, tmp_path / "g")
    text = (tmp_path / "g.grammar").read_text()
    assert "@NP|<DT-NN>_1 -> DT_0 NN_0 0.5" in text
    assert (tmp_path / "g.paths").read_text() == "TOP -> FRAG -> X -> NN\n"
    assert (tmp_path / "g.splits").read_text().splitlines()[2] == "@NP|<DT-NN>\t(0 0 1)"
    again = read_berkeley(tmp_path / "g")
    assert_same_rules(grammar, again)
    assert again.coarse.start == "TOP"
    assert str(sec.Parser(again).parse(["a", "a", "b_1"])) == "(TOP (S (DT a) (DT a) (NN b_1)))"
    assert str(sec.Parser(again).parse(["b_1"])) == "(TOP (FRAG (X (NN b_1))))"


def test_a_product_is_refused(tmp_path: Path) -> None:
    grammar = trained(1)
    with pytest.raises(InputError, match="a product of 2 grammars") as caught:
        write_berkeley(replace(grammar, others=(grammar.blocks,)), tmp_path / "g")
    assert caught.value.fix
    assert not list(tmp_path.iterdir())


def test_unwritable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_berkeley(trained(1), tmp_path / "missing" / "g")


# Exports of the other program -------------------------------------------------------------------------------

GRAMMAR = """\
S_0 -> NP_0 VP_0 0.5
S_0 -> NP_1 VP_0 0.5
NP_0 -> DT_0 @NP_0 1.0
NP_1 -> DT_0 NN_0 0.75
@NP_0 -> NN_1 NN_0 1.0
VP_0 -> VBZ_0 NP_1 1.25E-1
ROOT_0 -> ROOT_0 1.0
ROOT_0 -> S_0 1.0
ROOT_0 -> NP_1 1.0E-4
S_0 -> S_0 1.0
NP_0 -> NP_0 1.0
NP_1 -> NN_0 0.25
NP_1 -> NP_1 1.0
VP_0 -> VBZ_0 0.875
DT_0 -> DT_0 1.0
"""
LEXICON = """\
DT the [0.9]
DT UNK [0.1]
NN cat [0.5, 0.25]
NN UNK-LC-s [1.0E-5, 0.0]
NN UNK [0.25, 0.5]
VBZ sleeps [0.5]
VBZ UNK [0.25]
"""
SPLITS = """\
S\t(0 (0 0))
NP\t(0 (0 0 1))
@NP\t(0 (0 0))
VP\t(0 (0 0))
DT\t(0 (0 0))
NN\t(0 (0 0) (1 1))
VBZ\t(0 (0 0))
XX\t(0 (0 0))
"""


def export(
    folder: Path, *, grammar: str = GRAMMAR, lexicon: str = LEXICON, splits: str | None = SPLITS
) -> Path:
    (folder / "b.grammar").write_text(grammar)
    (folder / "b.lexicon").write_text(lexicon)
    if splits is not None:
        (folder / "b.splits").write_text(splits)
    return folder / "b"


def test_an_export(tmp_path: Path) -> None:
    grammar = read_berkeley(export(tmp_path))
    coarse, blocks = grammar.coarse, grammar.blocks
    assert coarse.symbols == ("@NP", "DT", "NN", "NP", "ROOT", "S", "VBZ", "VP")
    assert blocks.splits.tolist() == [1, 1, 2, 2, 1, 1, 1, 1]
    assert [level[coarse.number["NN"]].tolist() for level in grammar.ancestry] == [[0, 0], [0, 1]]
    # No rule is left of those over a symbol itself.
    assert len(coarse.unary.weight) == 4
    assert grammar.mass[coarse.number["S"], 0] == pytest.approx(1 / 1.0001)
    assert str(sec.Parser(grammar).parse(["the", "cat", "cat", "sleeps"])) == (
        "(ROOT (S (NP (DT the) (NN cat) (NN cat)) (VP (VBZ sleeps))))"
    )
    # dogs is of a class that the lexicon has, for nouns alone.
    assert str(sec.Parser(grammar.flat()).parse(["the", "dogs", "sleeps"])) == (
        "(ROOT (S (NP (DT the) (NN dogs)) (VP (VBZ sleeps))))"
    )


def test_without_splits(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="b.splits is missing"):
        grammar = read_berkeley(export(tmp_path, splits=None))
    assert grammar.blocks.splits.tolist() == [1, 1, 2, 2, 1, 1, 1, 1]
    assert len(grammar.ancestry) == 1
    assert not sec.Parser(grammar).parse(["the", "cat", "sleeps"]).failed


def test_gzipped(tmp_path: Path) -> None:
    stem = export(tmp_path)
    plain = read_berkeley(stem)
    for path in list(tmp_path.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    for name in ("b", "b.grammar.gz"):
        assert_same_rules(plain, read_berkeley(tmp_path / name))
    assert isinstance(read_any(tmp_path / "b.grammar.gz"), SplitPCFG)


def test_parents_in_labels(tmp_path: Path) -> None:
    """NP^S is an NP below S."""
    stem = export(
        tmp_path,
        grammar=GRAMMAR.replace("NP_", "NP^S_"),
        splits=SPLITS.replace("NP\t", "NP^S\t"),
    )
    grammar = read_berkeley(stem)
    assert "NP^<S>" in grammar.coarse.symbols
    assert str(sec.Parser(grammar).parse(["the", "cat", "sleeps"])) == (
        "(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))"
    )


@pytest.mark.parametrize("kind", ["grammar", "lexicon"])
def test_missing_files(tmp_path: Path, kind: str) -> None:
    stem = export(tmp_path)
    (tmp_path / f"b.{kind}").unlink()
    with pytest.raises(InputError, match="no such file") as caught:
        read_berkeley(stem)
    assert caught.value.where == str(tmp_path / f"b.{kind}")
    assert "b.lexicon" in caught.value.fix


RULES, WORDS, TREE = "grammar", "lexicon", "splits"


@pytest.mark.parametrize(
    ("kind", "number", "line", "complaint"),
    [
        (RULES, 1, "S_0 -> NP_0 VP_0", "'VP_0' is no probability"),
        (RULES, 1, "S_0 -> NP_0 VP_0 NP_0 0.5", "not a rule"),
        (RULES, 1, "S_0 0.5", "not a rule"),
        (RULES, 1, "S_0 => NP_0 VP_0 0.5", "not a rule"),
        (RULES, 1, "S_0 -> NP VP_0 0.5", "'NP' is no sub-symbol"),
        (RULES, 1, "S_x -> NP_0 VP_0 0.5", "'S_x' is no sub-symbol"),
        (RULES, 1, "S_0 -> NP_0 VP_0 half", "'half' is no probability"),
        (RULES, 1, "S_0 -> NP_0 VP_0 -0.7", "the probability -0.7"),
        (RULES, 1, "S_0 -> NP_0 VP_0 1.5", "the probability 1.5"),
        (RULES, 1, "S_0 -> NP_0 VP_0 NaN", "the probability NaN"),
        (RULES, 2, "S_0 -> NP_0 VP_0 0.25", "duplicate rule: S_0 NP_0 VP_0"),
        (RULES, 1, "S_0 -> NP_2 VP_0 0.5", "there is no NP_2: NP has 2 of them"),
        (RULES, 1, "S_0 -> NP_0 DT_1 0.5", "there is no DT_1: DT has 1 of them"),
        (RULES, 1, "S_0 -> NP_0 ADVP_0 0.5", "unknown symbol 'ADVP'"),
        (WORDS, 1, "DT the", "not an entry"),
        (WORDS, 1, "DT the 0.9", "not an entry"),
        (WORDS, 1, "DT the [0.9", "not an entry"),
        (WORDS, 1, "DT the old [0.9]", "not an entry"),
        (WORDS, 1, "DT the []", "'' is no probability"),
        (WORDS, 1, "DT the [low]", "'low' is no probability"),
        (WORDS, 1, "DT the [-0.9]", "the probability -0.9"),
        (WORDS, 1, "DT the [NaN]", "the probability NaN"),
        (WORDS, 1, "DT the [Infinity]", "the probability Infinity"),
        (WORDS, 2, "DT a [0.1, 0.2]", "2 probabilities, where DT had 1 before"),
        (WORDS, 2, "DT the [0.1]", "duplicate rule: DT the"),
        (TREE, 2, "NP", "no tree of splits"),
        (TREE, 2, "NP\t(0 (0 0 1)", "no tree of splits"),
        (TREE, 2, "NP\t(0 0 1)", "1 levels of splits, where the symbols before have 2"),
        (TREE, 2, "S\t(0 (0 0))", "duplicate rule: S"),
        (TREE, 6, "NN\t(0 (0 0))", "1 sub-symbols of NN, where the lexicon has 2"),
    ],
)
def test_wrong_lines(tmp_path: Path, kind: str, number: int, line: str, complaint: str) -> None:
    stem = export(tmp_path)
    path = tmp_path / f"b.{kind}"
    lines = path.read_text().splitlines()
    lines[number - 1] = line
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        read_berkeley(stem)
    assert complaint in caught.value.what
    assert caught.value.where == f"{path}:{number}"
    assert caught.value.fix


def test_wrong_paths(tmp_path: Path) -> None:
    stem = export(tmp_path)
    for line in ("ROOT -> NN", "ROOT NN", "ROOT -> S NN", "ROOT -> S -> NN ->"):
        (tmp_path / "b.paths").write_text(f"\n{line}\n")
        with pytest.raises(InputError, match="not a path") as caught:
            read_berkeley(stem)
        assert caught.value.where == f"{tmp_path / 'b.paths'}:2"


def test_wrong_start_symbols(tmp_path: Path) -> None:
    headless = "\n".join(line for line in GRAMMAR.splitlines() if not line.startswith("ROOT"))
    with pytest.raises(InputError, match="no rule of the start symbol"):
        read_berkeley(export(tmp_path, grammar=headless))
    with pytest.raises(InputError, match="the start symbol ROOT is split"):
        read_berkeley(export(tmp_path, splits=SPLITS + "ROOT\t(0 (0 0 1))\n"))
    with pytest.raises(InputError, match="no rule of the start symbol"):
        read_berkeley(export(tmp_path, grammar=""))


def test_a_tag_without_a_tree(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown symbol 'JJ'") as caught:
        read_berkeley(export(tmp_path, lexicon=LEXICON + "JJ old [0.5]\n"))
    assert caught.value.where.startswith(str(tmp_path / "b.grammar"))
