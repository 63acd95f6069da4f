"""Trees to binary trees and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.binarize import binarize
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization, debinarize
from secateur.testing.strategies import trees
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Tree

ways = st.builds(
    Binarization,
    direction=st.sampled_from(["left", "right"]),
    h=st.sampled_from([0, 1, 2, None]),
    v=st.sampled_from([1, 2, 3]),
)
# Tags and words of any look, even of the names that binarization gives to phrases.
any_trees = trees(
    tags=("NP", "@NP", "@", "NP|<A-B>", "x^<y>", "-LRB-"), words=("a", "@b", "c|<d>", "e^<f>", "|")
)


@settings(max_examples=200)
@given(any_trees, ways)
def test_debinarize_is_the_inverse(tree: Tree, way: Binarization) -> None:
    assert debinarize(way(tree)) == tree


@settings(max_examples=200)
@given(any_trees, ways)
def test_binary_trees(tree: Tree, way: Binarization) -> None:
    """At most two children each; words and tags are not touched; as the slow twin does it."""
    binary = way(tree)
    assert all(len(node.children) <= 2 for node in binary.nodes())
    assert binary.preterminals() == tree.preterminals()
    assert binary == binarize(tree, way.direction, way.h, way.v)


@settings(max_examples=30)
@given(any_trees)
def test_plain_trees_stay(tree: Tree) -> None:
    assert debinarize(tree) == tree


TREE = "(S (NP (D the) (J old) (J grey) (N gnu)) (VP (V sleeps)))"


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (Binarization(), "(S (NP (@NP (@NP (D the) (J old)) (J grey)) (N gnu)) (VP (V sleeps)))"),
        (
            Binarization("right", h=0, v=2),
            "(S (NP^<S> (D the) (@NP^<S> (J old) (@NP^<S> (J grey) (N gnu)))) (VP^<S> (V sleeps)))",
        ),
        (
            Binarization("left", h=1),
            "(S (NP (NP|<J> (NP|<J> (D the) (J old)) (J grey)) (N gnu)) (VP (V sleeps)))",
        ),
        (
            Binarization("left", h=None),
            "(S (NP (NP|<D-J-J> (NP|<D-J> (D the) (J old)) (J grey)) (N gnu)) (VP (V sleeps)))",
        ),
        (
            Binarization("right", h=2, v=3),
            "(S (NP^<S> (D the) (NP^<S>|<J-J> (J old) (NP^<S>|<J-N> (J grey) (N gnu)))) (VP^<S> (V sleeps)))",
        ),
    ],
)
def test_examples(way: Binarization, expected: str) -> None:
    assert str(way(read_tree(TREE))) == expected


def test_ancestors() -> None:
    chain = read_tree("(A (B (C (D (t w)) (t w)) (t w)) (t w))")
    assert str(Binarization(v=3)(chain)) == "(A (B^<A> (C^<A-B> (D^<B-C> (t w)) (t w)) (t w)) (t w))"


@pytest.mark.parametrize("options", [{"direction": "up"}, {"h": -1}, {"v": 0}])
def test_wrong_options(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Binarization(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "way", [Binarization(), Binarization("right", h=None, v=3), Binarization(h=2), Binarization(owed=True)]
)
def test_what_is_noted_can_be_read_back(way: Binarization) -> None:
    assert Binarization.from_notes(way.notes()) == way


def test_without_a_note_it_is_the_default() -> None:
    assert Binarization.from_notes({"trees": 7}) == Binarization()


def test_a_class_of_ones_own_cannot_be_read_back() -> None:
    class Sideways(Binarization):
        """Somebody's own."""

    with pytest.raises(InputError, match="Sideways"):
        Binarization.from_notes(Sideways().notes())


def test_empty_label() -> None:
    """The outer bracket of Penn trees has none."""
    tree = read_tree("(S (NP (t a) (t b) (t c)) (VP (t d)))")
    unnamed = Tree("S", (Tree("", tree.children), tree.children[1]))
    assert debinarize(Binarization(v=2, h=2)(unnamed)) == unnamed


def test_what_made_symbols_owe() -> None:
    tree = read_tree("(X (A*0 (t a)) (t b) (B (t c)) (A*1 (t d)) (t e))")
    right, left = Binarization("right", owed=True), Binarization("left", owed=True)
    assert str(right(tree)) == (
        "(X (A*0 (t a)) (@X|<A*1> (t b) (@X|<A*1> (B (t c)) (@X|<A*1> (A*1 (t d)) (t e)))))"
    )
    assert str(left(tree)) == "(X (@X (@X|<A*1> (@X|<A*1> (A*0 (t a)) (t b)) (B (t c))) (A*1 (t d))) (t e))"
    assert str(right(tree)).replace("|<A*1>", "") == str(Binarization("right")(tree))
    assert debinarize(right(tree)) == debinarize(left(tree)) == tree
    assert Binarization("right", h=1, owed=True)(tree).children[1].label == "X|<t>|<A*1>"  # type: ignore[union-attr]


def test_only_blocks_are_owed() -> None:
    """A tag may look like a block; a label of the treebank's own has its stars doubled."""
    tree = read_tree("(X (A*0 a) (B**0 (t b)) (t c) (B**1 (t d)) (A*1 e))")
    assert Binarization("right", owed=True)(tree) == Binarization("right")(tree)
    unmet = read_tree("(X (A*0 (t a)) (t b) (t c) (A*2 (t d)))")
    assert Binarization("right", owed=True)(unmet) == Binarization("right")(unmet)
