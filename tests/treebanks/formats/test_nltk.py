from __future__ import annotations

import sys

import pytest
from hypothesis import given

from secateur.errors import InputError, MissingExtra
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.formats.nltk import from_nltk, to_nltk
from secateur.treebanks.tree import MAX_DEPTH, Tree
from treebanks.formats.strategies import trees

nltk_tree = pytest.importorskip("nltk.tree").Tree


@given(trees(roots=["", "S"]))
def test_round_trip(tree: Tree) -> None:
    theirs = to_nltk(tree)
    assert isinstance(theirs, nltk_tree)
    assert theirs.leaves() == tree.words()
    assert from_nltk(theirs) == tree


@given(trees(words=["cat", "-LRB-", "*"]))
def test_reads_what_nltk_reads(tree: Tree) -> None:
    assert from_nltk(nltk_tree.fromstring(brackets.write(tree))) == tree


def test_what_nltk_cannot_hold() -> None:
    with pytest.raises(InputError, match="discontinuous"):
        to_nltk(discbracket.read_tree("(S (A (a 0=x) (a 2=z)) (b 1=y))"))


def test_what_is_no_tree_of_tagged_words() -> None:
    deep = nltk_tree("NN", ["a"])
    for _ in range(MAX_DEPTH):
        deep = nltk_tree("X", [deep])
    for bad in (
        "(S (NN a))",
        nltk_tree("NP", ["the", nltk_tree("NN", ["cat"])]),
        nltk_tree("NP", ["the", "cat"]),
        nltk_tree("NP", [("cat", "NN")]),
        deep,
    ):
        with pytest.raises(InputError):
            from_nltk(bad)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(MissingExtra, match=r"secateur\[nltk\]"):
        to_nltk(brackets.read_tree("(NN a)"))
    with pytest.raises(MissingExtra):
        from_nltk("(NN a)")
