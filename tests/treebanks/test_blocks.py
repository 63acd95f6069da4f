"""Split into blocks and merged again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.treebanks.annotation import read_files
from secateur.treebanks.blocks import Label, merge, parsed, split
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading
from secateur.treebanks.formats import brackets, discbracket
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.garden import garden
from secateur.treebanks.tree import Leaf, Tree
from treebanks.formats.strategies import any_trees, trees

# Labels that look as if they were split, and some that a careless escape would mix up.
LABELS = ["X", "X*", "X*0", "X*1", "X**", "X**1", "*", "*0", "", "X*Y", "Y"]
TREES = any_trees(labels=LABELS, tags=["NN", "X*0", "X*1", "*"], words=["cat", "*", "X*0"], max_words=9)


def test_by_hand() -> None:
    tree = read_tree("(S (VP (WP 0=what) (VP (VB 3=see) (RB 5=now))) (MD 1=will) (PRP 2=you) (RB 4=only))")
    found = split(tree)
    assert brackets.write(found) == (
        "(S (VP*0 (WP what)) (MD will) (PRP you) (VP*1 (VP*0 (VB see))) (RB only) (VP*2 (VP*1 (RB now))))"
    )
    assert merge(found) == tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (X*1 (a x)) (b y))", "(S (X (a 0=x)) (b 1=y))"),  # the first block is missing
        ("(S (X*0 (a x)) (b y) (X*2 (a z)))", "(S (X (a 0=x)) (b 1=y) (X (a 2=z)))"),  # one between is
        ("(S (X*1 (a x)) (b y) (X*0 (a z)))", "(S (X (a 0=x)) (b 1=y) (X (a 2=z)))"),  # the wrong way round
        ("(S (X*1 (a x)) (b y) (X*2 (a z)))", "(S (X (a 0=x) (a 2=z)) (b 1=y))"),  # they go together yet
        ("(S (X*0 (a x)) (X*1 (a y)))", "(S (X (a 0=x) (a 1=y)))"),  # nothing between
        ("(S (X*0 (a x)) (X*0 (a y)) (b z) (X*1 (a w)))", "(S (X (a 0=x)) (X (a 1=y) (a 3=w)) (b 2=z))"),
        ("(S (X*0 (a x)) (b y) (Y*1 (a z)))", "(S (X (a 0=x)) (b 1=y) (Y (a 2=z)))"),
        ("(S (X*0 (a x)) (Z (X*1 (a y))))", "(S (X (a 0=x)) (Z (X (a 1=y))))"),  # no siblings
        ("(X*1 (X*0 (X*0 (a x))))", "(X (X (X (a 0=x))))"),
        ("(S (X*0 (a x)) (X*1 (X*1 (a y))))", "(S (X (a 0=x) (X (a 1=y))))"),
        ("(X*0 x)", "(X*0 0=x)"),  # a tag
        ("(S (X (a x)) (b y) (X*1 (a z)))", "(S (X (a 0=x)) (b 1=y) (X (a 2=z)))"),  # X was whole
    ],
)
def test_any_tree_can_be_merged(text: str, expected: str) -> None:
    assert discbracket.write(merge(brackets.read_tree(text))) == expected


@pytest.mark.parametrize(
    ("label", "plain", "block"),
    [
        ("X", "X", None),
        ("X*0", "X", 0),
        ("X*12", "X", 12),
        ("X**", "X*", None),
        ("X**1", "X*1", None),
        ("X***1", "X*", 1),
        ("X**3*1", "X*3", 1),
        ("*0", "", 0),
        ("X*", "X*", None),
        ("X*-1", "X*-1", None),
        ("X*²", "X*²", None),
        (f"X*{'9' * 5000}", f"X*{'9' * 5000}", None),
    ],
)
def test_labels(label: str, plain: str, block: int | None) -> None:
    assert parsed(label) == Label(plain, block)


def blocks_of(positions: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The runs of positions one after the other, the slow way."""
    found: list[tuple[int, ...]] = []
    for position in positions:
        if found and found[-1][-1] == position - 1:
            found[-1] += (position,)
        else:
            found.append((position,))
    return found


@given(TREES)
def test_every_block_becomes_a_node(tree: Tree) -> None:
    found = split(tree)
    assert not found.is_discontinuous
    assert (found.words(), found.tags(), found.indices()) == (tree.words(), tree.tags(), tree.indices())
    expected = []
    for label, positions in tree.constituents():
        runs = blocks_of(positions)
        for number, run in enumerate(runs):
            expected.append((Label(label, number if len(runs) > 1 else None), run))
    assert sorted(map(str, expected)) == sorted(
        str((parsed(label), ix)) for label, ix in found.constituents()
    )


def is_clear(tree: Tree) -> bool:
    """Whether no two siblings with gaps have one label."""
    for node in tree.nodes():
        gapped = [c.label for c in node.children if isinstance(c, Tree) and len(blocks_of(c.indices())) > 1]
        if len(gapped) != len(set(gapped)):
            return False
    return True


@given(TREES)
def test_merging_undoes_splitting(tree: Tree) -> None:
    if is_clear(tree):
        assert merge(split(tree)) == tree


@given(trees(labels=LABELS, tags=["NN", "X*0"], max_words=9))
def test_merging_keeps_the_words(tree: Tree) -> None:
    found = merge(tree)
    assert (found.words(), found.tags()) == (tree.words(), tree.tags())
    assert len(found.constituents()) <= len(tree.constituents())
    assert discbracket.read_tree(discbracket.write(found)) == found  # children in order


@given(st.data())
def test_edge_labels_stay(data: st.DataObject) -> None:
    def labelled(node: Tree | Leaf) -> Tree | Leaf:
        if isinstance(node, Leaf):
            return node
        rel = data.draw(st.sampled_from(["", "hd", "su"]))
        return Tree(node.label, tuple(map(labelled, node.children)), rel)

    tree = labelled(data.draw(TREES))
    assert isinstance(tree, Tree)
    if is_clear(tree):
        assert merge(split(tree)) == tree


def test_a_tree_of_one_word_and_one_of_none() -> None:
    word = read_tree("(X*0 0=a)")
    assert split(word) == merge(word) == word
    assert split(Tree("X*", ())) == Tree("X**", ())
    assert merge(Tree("X*0", ())) == Tree("X", ())
    empty = Tree("S", (Tree("X", ()), Tree("a", (Leaf(0, "x"),))))
    assert split(empty) == Tree("S", (Tree("a", (Leaf(0, "x"),)),))


def test_what_cannot_be_split() -> None:
    with pytest.raises(InputError, match='"y" stands directly under S'):
        split(Tree("S", (Tree("a", (Leaf(0, "x"),)), Leaf(1, "y"))))
    with pytest.raises(ValueError, match=r"numbered \(0, 2\)"):
        split(Tree("S", (Tree("a", (Leaf(0, "x"),)), Tree("a", (Leaf(2, "y"),)))))


def test_the_garden_comes_back() -> None:
    for sample in garden(300):
        assert merge(split(sample.discontinuous)) == sample.discontinuous


def test_alpino_comes_back(data: Path) -> None:
    files = [data / "alpino" / f"{name}.xml" for name in ("train", "dev", "test")]
    bank = read_files(DISCONTINUOUS, files, DiscontinuousReading())
    changed = [tree for tree in bank if merge(split(tree)) != tree]
    assert (len(bank), len(changed)) == (6707, 2)
    assert not any(is_clear(tree) for tree in changed)
