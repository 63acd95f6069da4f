"""Heads of phrases, by what children are to them or by their labels."""

from __future__ import annotations

import pytest

from secateur.grammar.lcfrs.heads import head
from secateur.treebanks.tree import Leaf, Tree


def node(label: str, *children: str) -> Tree:
    """From children as label/rel."""
    parts = (child.partition("/") for child in children)
    return Tree(label, tuple(Tree(name, (Leaf(p, "w"),), rel) for p, (name, _, rel) in enumerate(parts)))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (node("np", "det/det", "noun/hd", "pp/mod"), 1),
        (node("VP", "PP/MO", "VVPP/HD"), 1),
        (node("conj", "np/cnj", "vg/crd", "np/cnj"), 1),
        (node("cp", "comp/cmp", "ssub/body"), 0),
        (node("rel", "ssub/body", "pron/rhd"), 1),
        (node("du", "smain/nucl", "np/sat", "x/dp"), 2),
        (node("mwu", "a/mwp", "b/mwp"), 0),
        (node("top", "punct/--", "smain/tag"), 0),
        (node("x", "a/foo", "b/bar"), 0),
        (node("x", "a/hd", "b/hd"), 0),
        (node("NP", "DT", "JJ", "NN", "PP"), 2),
        (node("unheard", "a", "b", "."), 1),
    ],
)
def test_head(tree: Tree, expected: int) -> None:
    assert head(tree) == expected
