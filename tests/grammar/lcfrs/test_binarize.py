"""Discontinuous trees made binary and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcfrs_cases import LABELS, discontinuous_trees
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization as ContinuousBinarization
from secateur.grammar.lcfrs.binarize import (
    ORDERS,
    Binarization,
    debinarize,
    is_made,
    label_of,
    marked,
    unmarked,
)
from secateur.testing.strategies import trees
from secateur.treebanks.formats import alpino
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.formats.source import lines
from secateur.treebanks.punctuation import move
from secateur.treebanks.tree import Leaf, Tree

WAYS = st.builds(
    Binarization, st.sampled_from(ORDERS), st.sampled_from((0, 1, 2, None)), st.sampled_from((1, 2, 3))
)


def gaps(tree: Tree) -> int:
    """Runs of the positions, counted one by one."""
    indices = tree.indices()
    return sum(p - 1 not in indices for p in indices)


@settings(max_examples=200)
@given(discontinuous_trees(), WAYS)
def test_there_and_back(tree: Tree, way: Binarization) -> None:
    binary = way(tree)
    assert debinarize(binary) == tree
    for node in binary.nodes():
        assert len(node.children) <= 2
        assert marked(unmarked(node.label), gaps(node)) == node.label
        firsts = [c.position if isinstance(c, Leaf) else c.indices()[0] for c in node.children]
        assert firsts == sorted(firsts)


@given(trees(), st.sampled_from(("left", "right")), st.sampled_from((0, 1, None)), st.sampled_from((1, 2)))
def test_continuous_trees_as_for_a_pcfg(tree: Tree, order: str, h: int | None, v: int) -> None:
    """From the left and from the right the two are the same, but for marks that labels may look like."""
    expected = ContinuousBinarization(order, h, v)(tree)  # type: ignore[arg-type]
    assert Binarization(order, h, v)(tree) == expected  # type: ignore[arg-type]


@given(st.sampled_from((*LABELS, "_1", "a_", "_", "$_2_", "X|<A-B>", "\n_2")), st.integers(1, 4))
def test_marks(label: str, fan_out: int) -> None:
    symbol = marked(label, fan_out)
    assert unmarked(symbol) == label
    assert symbol == label or symbol == f"{label}_{fan_out}"


def test_marks_are_distinct() -> None:
    """A label that looks marked does not meet one that is."""
    assert [marked("VP", 1), marked("VP", 2), marked("VP_2", 1), marked("VP_2", 2)] == [
        "VP", "VP_2", "VP_2_1", "VP_2_2",
    ]  # fmt: skip
    assert is_made("VP|<NP>_2")
    assert label_of("VP^<S>_2") == "VP"


CROSSED = read_tree("(S (A (a 0=v) (b 2=w) (c 5=x)) (B (d 1=y) (e 3=z)) (f 4=u))")


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (
            Binarization("left"),
            "(S (S|<B>_2 (A_3 (A|<b>_2 (a 0=v) (b 2=w)) (c 5=x)) (B_2 (d 1=y) (e 3=z))) (f 4=u))",
        ),
        (
            Binarization("right", h=2),
            "(S (A_3 (a 0=v) (A|<b-c>_2 (b 2=w) (c 5=x))) (S|<B-f>_2 (B_2 (d 1=y) (e 3=z)) (f 4=u)))",
        ),
        (
            Binarization("head", h=0, v=2),
            "(S (@S_2 (A^<S>_3 (@A^<S>_2 (a 0=v) (b 2=w)) (c 5=x)) (B^<S>_2 (d 1=y) (e 3=z))) (f 4=u))",
        ),
        (
            Binarization("minimal", h=None),
            "(S (A_3 (A|<a-b>_2 (a 0=v) (b 2=w)) (c 5=x)) (S|<B-f>_2 (B_2 (d 1=y) (e 3=z)) (f 4=u)))",
        ),
    ],
)
def test_small(way: Binarization, expected: str) -> None:
    """A's head is a, B's d; S's head is made A by its rel."""
    a, b, f = CROSSED.children
    assert isinstance(a, Tree)
    heads = (Tree(a.children[0].label, a.children[0].children, "hd"), *a.children[1:])  # type: ignore[union-attr]
    tree = Tree("S", (Tree("A", heads, "HD"), b, f))
    binary = way(tree)
    assert str(binary) == str(read_tree(expected))
    assert debinarize(binary) == tree


def test_rel_stays_with_its_node() -> None:
    tree = Tree("S", (Tree("A", (Tree("t", (Leaf(0, "a"),), "hd"),), "su"),), "--")
    binary = Binarization()(tree)
    assert [node.rel for node in binary.nodes()] == ["--", "su", "hd"]


@given(WAYS)
def test_notes(way: Binarization) -> None:
    assert Binarization.from_notes(way.notes()) == way
    assert Binarization.from_notes({}) == Binarization()


def test_refused() -> None:
    with pytest.raises(InputError, match="unknown binarization"):
        Binarization("middle")  # type: ignore[arg-type]
    for h, v in ((-1, 1), (1, 0)):
        with pytest.raises(InputError, match="h is 0 or more"):
            Binarization(h=h, v=v)


def test_alpino(data: Path) -> None:
    """Every tree comes back, and no order needs less fan-out than the minimal one."""
    found = [move(tree) for tree in alpino.read(lines(data / "alpino" / "dev.xml"))]
    assert len(found) == 500
    largest = {}
    for order in ORDERS:
        way = Binarization(order)
        binary = [way(tree) for tree in found]
        assert [debinarize(tree) for tree in binary] == found
        made = [gaps(node) for tree in binary for node in tree.nodes() if is_made(node.label)]
        largest[order] = sum(made)
    assert largest["minimal"] == min(largest.values())
