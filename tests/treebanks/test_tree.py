"""Trees as one meets them at a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Leaf, Tree, renumber
from treebanks.formats.strategies import any_trees

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
