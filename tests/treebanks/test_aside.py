"""What a sentence carries besides its tree."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.aside import NOTHING, Aside, aside_of, numbered, per_word, with_aside
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.tree import Leaf, Tree, renumber
from treebanks.formats.strategies import carrying, trees


@given(trees())
def test_an_aside_changes_nothing_else(tree: Tree) -> None:
    carrying = with_aside(tree, Aside(id="7"))
    assert aside_of(tree) == NOTHING
    assert aside_of(carrying) == Aside(id="7")
    assert carrying == tree
    assert tree == carrying
    assert hash(carrying) == hash(tree)
    assert (repr(carrying), str(carrying)) == (repr(tree), str(tree))
    assert list(carrying.nodes()) == list(tree.nodes())
    assert with_aside(carrying, NOTHING) == tree
    assert type(with_aside(carrying, NOTHING)) is Tree
    assert with_aside(tree, NOTHING) is tree


@given(carrying())
def test_an_aside_travels(tree: Tree) -> None:
    sent = pickle.loads(pickle.dumps(tree))
    assert sent == tree
    assert aside_of(sent) == aside_of(tree)


@given(carrying())
def test_other_trees_have_none(tree: Tree) -> None:
    assert aside_of(tree.relabel(str.lower, tags=True)) == NOTHING
    normalized = Normalization()(tree)
    assert normalized is None or aside_of(normalized) == NOTHING
    assert aside_of(renumber(tree, [leaf.position for leaf in tree.leaves()])) == NOTHING


def test_numbers_are_for_those_without() -> None:
    tree = Tree("N", (Leaf(0, "a"),))
    assert aside_of(numbered(tree, 3)) == Aside(id="3")
    named = with_aside(tree, Aside(id="x", comment="c"))
    assert numbered(named, 3) is named
    assert aside_of(numbered(with_aside(tree, Aside(comment="c")), 3)) == Aside(id="3", comment="c")


@given(st.lists(st.sampled_from(["", "a"])))
def test_words_have_all_an_entry_or_none(values: list[str]) -> None:
    assert per_word(values) == (tuple(values) if "a" in values else ())
