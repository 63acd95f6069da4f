from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.strategies import any_trees

FORESTS = st.lists(any_trees(), max_size=6)
CAT = "(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept))))"
ASK = "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))"


def test_holds_trees_of_any_shape() -> None:
    odd = [
        Tree("TOP", ()),
        Tree("NP", (Leaf(0, "a"), Leaf(1, "b"))),
        Tree("S", (Tree("X", ()), Tree("NN", (Leaf(3, "c d"),)), Leaf(4, ""))),
        Tree("S", tuple(Tree("NN", (Leaf(i, "w"),)) for i in range(40_000))),
    ]
    assert list(Treebank(odd)) == odd
    assert Treebank(odd).lengths().tolist() == [0, 2, 2, 40_000]


@given(FORESTS)
def test_counts_agree_with_the_trees(forest: list[Tree]) -> None:
    treebank = Treebank(forest)
    assert treebank.tags() == Counter(tag for tree in forest for tag in tree.tags())
    assert treebank.labels() == Counter(
        node.label for tree in forest for node in tree.nodes() if not node.is_preterminal
    )
    assert treebank.special()["discontinuous trees"] == sum(tree.is_discontinuous for tree in forest)


def test_unary_chains_are_runs_of_phrases_below_the_root() -> None:
    texts = [
        "(ROOT (S (NP (NN a)) (VP (VB b))))",  # none: the root does not count, nor do tags
        "(ROOT (S (VP (VP (SBAR (S (VB a) (VB b)))))))",  # one
        "(ROOT (S (NP (QP (CD a))) (VP (S (VP (VB b))))))",  # two
    ]
    chains = [Treebank([brackets.read_tree(text)]).special()["unary chains"] for text in texts]
    assert chains == [0, 1, 2]


def test_checksum_is_the_same_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"{CAT}\n{CAT}\n")
    one = Treebank.read(path)
    path.write_text((brackets.write(one[0], indent=True) + "\n\n") * 2)
    two = Treebank.read(path)
    path.write_text((discbracket.write(one[0]) + "\n") * 2)
    three = Treebank.read(path)
    assert (
        one.checksum()
        == two.checksum()
        == three.checksum()
        == ("54c365f95be436de01e9c6a20dd51b262a2810a06afd2b4147ae81ecb0a2fb86")
    )
    assert one == two == three


def test_read_normalizes_and_reports(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"( (NP-SBJ (NN a)))\n(S (NN a)))\n( (NP (-NONE- *)))\n{CAT}\n")
    errors: list[InputError] = []
    treebank = Treebank.read(path, normalization=Normalization(), on_error=errors.append)
    assert [str(tree) for tree in treebank] == ["(ROOT (NP (NN a)))", CAT]
    assert treebank.name == str(path)
    assert [error.where for error in errors] == [f"{path}:2:11"]
    raw = Treebank.read(path, on_error=errors.append)
    assert len(raw) == 3
    assert raw.normalize(Normalization()) == treebank
    with pytest.raises(InputError):
        Treebank.read(path)


def test_discontinuous_sentences_are_counted() -> None:
    forest = [brackets.read_tree(CAT), discbracket.read_tree(ASK), brackets.read_tree(CAT)]
    assert Treebank(forest).special()["discontinuous trees"] == 1
    assert Treebank(forest)[::2].special()["discontinuous trees"] == 0
