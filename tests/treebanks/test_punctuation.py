"""Punctuation moved down: by hand, against a plain twin, and on Alpino as notes say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.annotation import read_files
from secateur.treebanks.discontinuous import DISCONTINUOUS, fan_out
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.punctuation import is_punctuation, move, remove, treat
from secateur.treebanks.tree import Tree
from treebanks.formats.strategies import any_trees

TREES = any_trees(
    words=["cat", "the", ",", "--", "%", "''"],
    tags=["NN", "punct", "$,", "-NONE-", "X"],
    labels=["S", "NP", "VP"],
    max_words=9,
)


@pytest.mark.parametrize(
    ("tag", "word"),
    [
        ("$,", ","),
        ("$[", "x"),
        ("punct", "x"),
        ("let()", "x"),
        ("''", "''"),
        ("-LRB-", "-LRB-"),
        ("PUNCT", "x"),
        ("noun", '"'),
        ("X", "..."),
        ("X", "—"),
    ],
)
def test_punctuation(tag: str, word: str) -> None:
    assert is_punctuation(tag, word)


@pytest.mark.parametrize(
    ("tag", "word"),
    [
        ("NN", "cat"),
        ("CD", "7"),
        ("$", "$"),
        ("#", "#"),
        ("X", "€"),
        ("NN", "%"),
        ("CC", "&"),
        ("POS", "'"),
        ("-NONE-", "*"),
        ("X", "猫"),
        ("X", "o'"),
        ("X", "½"),
    ],
)
def test_words(tag: str, word: str) -> None:
    assert not is_punctuation(tag, word)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Into the lowest node around it.
        (
            "(R (S (N (a 0=x) (b 2=y)) (V (c 3=z))) (punct 1=,))",
            "(R (S (N (a 0=x) (punct 1=,) (b 2=y)) (V (c 3=z))))",
        ),
        # At the edge of two nodes: into the one that holds both. At the end: below the root.
        (
            "(R (S (N (a 0=x)) (V (c 2=z))) (punct 1=,) (punct 3=.))",
            "(R (S (N (a 0=x)) (punct 1=,) (V (c 2=z))) (punct 3=.))",
        ),
        # Into a node with a gap, if it is beside one of its words; with one word beside it on each side, into
        # the lower node.
        (
            "(R (S (V (a 0=x) (V (b 1=y) (c 4=z))) (N (d 3=w))) (punct 2=,))",
            "(R (S (V (a 0=x) (V (b 1=y) (punct 2=,) (c 4=z))) (N (d 3=w))))",
        ),
        (
            "(R (S (V (a 0=x) (b 5=y)) (N (d 1=w) (M (e 3=v) (f 7=r))) (g 6=q)) (punct 2=,) (punct 4=,))",
            "(R (S (V (a 0=x) (b 5=y)) (N (d 1=w) (punct 2=,) (M (e 3=v) (punct 4=,) (f 7=r))) (g 6=q)))",
        ),
        # Beside a mark that has been moved.
        (
            "(R (S (N (a 0=x) (b 3=y))) (punct 1=,) (punct 2=-))",
            "(R (S (N (a 0=x) (punct 1=,) (punct 2=-) (b 3=y))))",
        ),
        # Nodes of punctuation go.
        ("(R (S (a 0=x) (P (punct 1=,)) (b 2=y)))", "(R (S (a 0=x) (punct 1=,) (b 2=y)))"),
        # At the start of the sentence, and up from where it hangs too low.
        ("(R (S (N (punct 0=-) (a 1=x)) (b 2=y)))", "(R (punct 0=-) (S (N (a 1=x)) (b 2=y)))"),
    ],
)
def test_moved(before: str, after: str) -> None:
    assert move(read_tree(before)) == read_tree(after)
    assert treat(read_tree(before), "move") == read_tree(after)
    assert treat(read_tree(before), "leave") == read_tree(before)


def test_removed() -> None:
    tree = read_tree("(R (S (V (a 0=x) (c 4=z)) (P (punct 1=,)) (N (d 2=w))) (punct 3=,))")
    assert remove(tree) == treat(tree, "remove") == read_tree("(R (S (V (a 0=x) (c 2=z)) (N (d 1=w))))")
    with pytest.raises(InputError, match="treatment of punctuation 'lower'; choose move or leave or remove"):
        treat(tree, "lower")  # type: ignore[arg-type]


def test_nothing_but_punctuation() -> None:
    tree = read_tree("(R (P (punct 0=.)) (punct 1=.))")
    assert move(tree) == tree
    assert remove(tree) is None
    one = read_tree("(punct 0=.)")
    assert move(one) == one
    assert remove(one) is None


def test_edge_labels_stay() -> None:
    tree = read_tree("(R (S (N (a 0=x) (b 2=y)) (V (c 3=z))) (punct 1=,))")
    labelled = Tree("R", tuple(Tree(c.label, c.children, f"{c.label}!") for c in tree if isinstance(c, Tree)))
    moved = move(labelled)
    assert {node.label: node.rel for node in moved.nodes() if node.rel} == {"S": "S!", "punct": "punct!"}


class Node:
    """A phrase of the slow twin."""

    def __init__(self, label: str, depth: int, words: set[int]) -> None:
        self.label, self.depth, self.words = label, depth, words


def slowly_moved(tree: Tree) -> list[tuple[str, list[int]]]:
    """The phrases that `move` should make: every mark looks at all of them."""
    tagged = [(node.children[0], node.label) for node in tree.preterminals()]
    marks = {leaf.position for leaf, tag in tagged if is_punctuation(tag, leaf.word)}  # type: ignore[union-attr]
    found: list[tuple[Node, tuple[Node, ...]]] = []  # with those above it

    def visit(node: Tree, above: tuple[Node, ...]) -> None:
        if node.is_preterminal:
            return
        own = Node(node.label, len(above), set(node.indices()) - marks)
        found.append((own, above))
        for child in node.children:
            assert isinstance(child, Tree)
            visit(child, (*above, own))

    visit(tree, ())
    if marks == set(tree.indices()):
        return [(node.label, sorted(set(tree.indices()))) for node, _ in found[:1]]
    for mark in sorted(marks):
        fit = [
            (node, above)
            for node, above in found
            if node.words & {mark - 1, mark + 1} and min(node.words) < mark < max(node.words)
        ]
        lowest, above = max(fit, key=lambda pair: pair[0].depth, default=found[0])
        for node in (lowest, *above):
            node.words.add(mark)
    return [(node.label, sorted(node.words)) for node, _ in found if node.words]


@given(TREES)
def test_equals_its_plain_twin(tree: Tree) -> None:
    moved = move(tree)
    expected = slowly_moved(tree)
    found = [(label, list(indices)) for label, indices in moved.constituents()]
    if len(expected) == 1 and moved == tree:  # nothing but punctuation
        found = found[:1]
    assert sorted(found) == sorted(expected)


@given(TREES)
def test_words_stay_and_twice_is_once(tree: Tree) -> None:
    moved = move(tree)
    assert (moved.words(), moved.tags()) == (tree.words(), tree.tags())
    assert read_tree(formats.write(moved, "discbracket")) == moved
    assert move(moved) == moved


@given(TREES)
def test_marks_make_no_gaps(tree: Tree) -> None:
    """Every phrase has as many blocks as it has without any punctuation."""
    without = remove(tree)
    if without is not None:
        both = [
            Counter((label, fan_out(indices)) for label, indices in one.constituents())
            for one in (without, move(tree))
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize(
    ("split", "trees", "left", "moved", "nodes"),
    [
        ("train", 5708, 69.6, 49.0, {1: 60252, 2: 4619, 3: 436, 4: 15}),
        ("dev", 500, 63.6, 43.4, {1: 4969, 2: 318, 3: 37}),
        ("test", 499, 66.1, 48.9, {1: 5353, 2: 416, 3: 33, 4: 1}),
    ],
)
def test_alpino(data: Path, split: str, trees: int, left: float, moved: float, nodes: dict[int, int]) -> None:
    bank = read_files(DISCONTINUOUS, [data / "alpino" / f"{split}.xml"], None)
    assert len(bank) == trees
    assert share(bank) == left
    treated = [move(tree) for tree in bank]
    assert share(treated) == moved
    assert Counter(fan_out(ix) for tree in treated for _, ix in tree.constituents()) == nodes


def share(trees: object) -> float:
    """Of discontinuous trees, in percent."""
    found = [tree.is_discontinuous for tree in trees]  # type: ignore[attr-defined]
    return round(100 * sum(found) / len(found), 1)
