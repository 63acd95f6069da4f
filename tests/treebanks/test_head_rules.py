"""From Penn trees to dependencies by head rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from secateur.errors import InputError
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.head_rules import YAMADA_MATSUMOTO, HeadRules, Rule, to_dependencies
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.tree import Tree
from treebank_files import trees_of
from treebanks.formats.strategies import any_trees

ASK = (
    "( (S (NP-SBJ (NP (DT The) (NN cat)) (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (-NONE- *T*-1)) "
    "(VP (MD will) (VP (VB sleep)))))) (VP (VBZ purrs) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
)


def test_a_sentence() -> None:
    tree = to_dependencies(read_tree(ASK)).check()
    assert tree.words == ("The", "cat", "that", "will", "sleep", "purrs", "on", "the", "mat", ".")
    assert tree.tags[:3] == ("DT", "NN", "WDT")
    assert tree.coarse == ("DT", "NN", "WD", "MD", "VB", "VB", "IN", "DT", "NN", ".")
    assert tree.heads == (2, 6, 2, 3, 4, 0, 6, 9, 7, 6)
    assert tree.labels == ("DT", "NP", "SBAR", "S", "VP", "ROOT", "PP", "DT", "NP", ".")


def test_punctuation_heads_nothing_if_it_can_be_helped() -> None:
    tree = to_dependencies(read_tree("(S (NP (NN cat)) (PRN (-LRB- -LRB-) (X (FW so)) (-RRB- -RRB-)))"))
    assert tree.heads == (0, 3, 1, 3)
    assert to_dependencies(read_tree("(PRN (: --) (, ,))")).heads == (2, 0)


@given(any_trees(tags=["NN", "VB", ",", "-NONE-"]))
def test_any_tree_gives_a_tree(tree: Tree) -> None:
    kept = Normalization()(tree)
    if kept is None:
        with pytest.raises(InputError, match="without words"):
            to_dependencies(tree)
        return
    found = to_dependencies(tree).check()
    assert list(found.words) == kept.words()
    assert list(found.tags) == kept.tags()
    assert found.labels[found.heads.index(0)] == "ROOT"
    if not tree.is_discontinuous:
        assert found.is_projective


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "heads.txt"
    path.write_text("# comment\n\nNP first DT/PRP NN\nS last VP\n* first\n")
    rules = HeadRules.read(path)
    assert rules.rules["NP"] == Rule(False, (frozenset({"DT", "PRP"}), frozenset({"NN"})))
    tree = read_tree("(S (NP (JJ big) (NN cat) (DT the)) (VP (RB now) (VBD slept)))")
    assert to_dependencies(tree, rules).heads == (3, 3, 4, 0, 4)
    assert to_dependencies(tree).heads == (2, 5, 2, 5, 0)
    assert HeadRules.from_lines(["NP last NN"]).rules["*"] == Rule(True, ())
    assert "NP" in YAMADA_MATSUMOTO.rules


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("NP last NN\nVP VB\n", "2:1", "no direction for VP"),
        ("NP\n", "1:1", "no direction for NP"),
        ("NP last\nNP first\n", "2:1", "two lines for NP"),
        ("# nothing\n", "", "no head rules"),
    ],
)
def test_bad_tables(text: str, where: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "heads.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=what) as caught:
        HeadRules.read(path)
    assert caught.value.where == (f"{path}:{where}" if where else str(path))
    assert caught.value.fix


def test_words_need_tags() -> None:
    with pytest.raises(InputError, match="two words under NP"):
        to_dependencies(Tree("NP", (read_tree("(NN a)").leaves()[0], read_tree("(NN b)").leaves()[0])))


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_equals_the_usual_conversion(data: Path, part: str) -> None:
    """Dependencies that others made of the same trees by the same rules: every head is the same."""
    trees, golds = data / "ptb-sample" / f"{part}.mrg", data / "ptb-sample-dep" / f"{part}.conll"
    if not (trees.exists() and golds.exists()):
        pytest.skip("the Penn sample is not among the data")
    found = map(to_dependencies, trees_of(trees))
    for made, gold in zip(found, trees_of(golds), strict=True):
        assert (made.words, made.tags, made.heads) == (gold.words, gold.tags, gold.heads)
