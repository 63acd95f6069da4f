"""Trees as one meets them at a prompt."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Leaf, Tree, new_tree, renumber
from treebanks.formats.strategies import any_trees, carrying

CAT = "(S (NP (DT the) (NN cat)) (VP (VBD slept)))"


def test_a_tree_shows_its_brackets() -> None:
    tree = read_tree(CAT)
    assert repr(tree) == f"<Tree {CAT}>"
    assert repr(Tree("TOP", ())) == "<Tree (TOP )>"
    long = Tree("X", tuple(Tree("N", (Leaf(i, "w"),)) for i in range(1000)))
    assert repr(long).startswith("<Tree (X (N w) (N w)")
    assert repr(long).endswith(" ...>")
    assert len(repr(long)) < 120
    deep = Tree("N", (Leaf(0, "w"),))
    for _ in range(3000):
        deep = Tree("X", (deep,))
    assert len(repr(deep)) < 120


@given(carrying())
def test_trees_are_made_in_two_ways(tree: Tree) -> None:
    slow, quick = (make(tree.label, tree.children, "SB") for make in (Tree, new_tree))
    assert slow == quick
    assert hash(slow) == hash(quick)
    assert type(quick) is Tree
    assert (quick.label, quick.children, quick.rel) == (tree.label, tree.children, "SB")
    assert new_tree(tree.label, tree.children) == Tree(tree.label, tree.children)
    with pytest.raises(FrozenInstanceError):
        quick.rel = "OA"  # type: ignore[misc]


def test_equality_is_of_labels_edges_and_words() -> None:
    leaf = (Leaf(0, "a"),)
    tree = Tree("N", leaf, "SB")
    others = (Tree("V", leaf, "SB"), Tree("N", (Leaf(0, "b"),), "SB"), Tree("N", leaf), ("N", leaf, "SB"))
    for other in others:
        assert tree != other
    assert tree == Tree("N", leaf, "SB")


@given(carrying())
def test_edges_keep_their_labels(tree: Tree) -> None:
    rels = sorted(node.rel for node in tree.nodes())
    shuffled = [leaf.position for leaf in tree.leaves()][::-1]
    for other in (tree.relabel(str.lower, tags=True), tree.relabel(str.lower), renumber(tree, shuffled)):
        assert sorted(node.rel for node in other.nodes()) == rels


@given(any_trees())
def test_a_tree_gives_its_children(tree: Tree) -> None:
    assert list(tree) == list(tree.children)
    assert [child for node in tree for child in ([node] if isinstance(node, Leaf) else node)] == [
        below
        for child in tree.children
        for below in ((child,) if isinstance(child, Leaf) else child.children)
    ]
    assert tree  # whatever it holds


@given(any_trees(), st.integers(0, 3))
def test_a_tree_is_discontinuous_where_a_constituent_is(tree: Tree, first: int) -> None:
    """The short cut by the order of words agrees with the definition, wherever the words begin."""
    moved = renumber(tree, range(first, first + len(tree.leaves())))
    holed = renumber(tree, [2 * leaf.position for leaf in tree.leaves()])
    for one in (tree, moved, holed, Tree("S", (Tree("X", ()), tree, Tree("Y", ())))):
        covered = [indices for _, indices in one.constituents() if indices]
        assert one.is_discontinuous == any(ix[-1] - ix[0] + 1 != len(ix) for ix in covered)


@pytest.mark.parametrize(
    ("heads", "shown"),
    [
        ((2, 0), "<DependencyTree she/PRP(nsubj 2) sang/VBD(root 0)>"),
        ((), "<DependencyTree she/PRP sang/VBD>"),
    ],
)
def test_dependencies_show_their_arcs(heads: tuple[int, ...], shown: str) -> None:
    labels = ("nsubj", "root") if heads else ()
    assert repr(DependencyTree(("she", "sang"), ("PRP", "VBD"), ("PR", "VB"), heads, labels)) == shown


def test_long_dependencies_are_cut() -> None:
    n = 300
    tree = DependencyTree(("w",) * n, ("N",) * n, ("N",) * n, tuple(range(n)), ("x",) * n)
    assert len(repr(tree)) < 130
    assert repr(tree).startswith("<DependencyTree w/N(x 0) w/N(x 1)")
