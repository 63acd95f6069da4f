"""Discontinuous trees made continuous: what stays, what is raised, and where to."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

from secateur.treebanks.continuous import continuous
from secateur.treebanks.formats import brackets
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.garden import garden
from secateur.treebanks.head_rules import HeadRules
from secateur.treebanks.tree import Leaf, Tree
from treebank_files import trees_of
from treebanks.formats.strategies import any_trees, trees


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (  # the head of VP is VB: the question word goes up to where it stands beside something
            "(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))",
            "(S (WP what) (MD will) (PRP you) (VP (VB say)))",
        ),
        (  # over two nodes, up to the third
            "(ROOT (SQ (VP (S (VP (NP (WP 0=what)) (VB 6=buy)) (TO 5=to)) (VB 3=want) (NP (PRP 4=them)))"
            " (VBD 1=did) (PRP 2=you)) (. 7=?))",
            "(ROOT (SQ (NP (WP what)) (VBD did) (PRP you) (VP (VB want) (NP (PRP them)) (S (TO to)"
            " (VP (VB buy))))) (. ?))",
        ),
        (  # extraposed: the noun stays
            "(S (NP-SBJ (NP (DT 0=a) (NN 1=man)) (SBAR (WP 3=who) (VP (VBD 4=sang) (RB 5=well))))"
            " (VP (VBD 2=came)))",
            "(S (NP-SBJ (NP (DT a) (NN man))) (VP (VBD came)) (SBAR (WP who) (VP (VBD sang) (RB well))))",
        ),
        (  # no rule: the longest part, the first of equals
            "(S (Q (a 0=a) (b 2=b) (c 3=c)) (R (d 1=d)))",
            "(S (a a) (R (d d)) (Q (b b) (c c)))",
        ),
        ("(S (Q (a 0=a) (b 2=b)) (R (d 1=d)))", "(S (Q (a a)) (R (d d)) (b b))"),
    ],
)
def test_examples(given: str, expected: str) -> None:
    assert brackets.write(continuous(read_tree(given))) == expected


def test_other_rules() -> None:
    tree = read_tree("(S (Q (a 0=a) (b 2=b)) (R (d 1=d)))")
    assert str(continuous(tree, HeadRules.from_lines(["Q last b"]))) == "(S (a a) (R (d d)) (Q (b b)))"


@given(any_trees())
def test_what_holds_of_any_tree(tree: Tree) -> None:
    found = continuous(tree)
    assert not found.is_discontinuous
    assert found is tree or tree.is_discontinuous
    assert found.words() == tree.words()
    assert found.tags() == tree.tags()
    assert Counter(node.label for node in found.nodes()) == Counter(node.label for node in tree.nodes())
    assert brackets.read_tree(brackets.write(found)).words() == tree.words()
    assert continuous(found) is found
    assert continuous(tree) == found


def named(node: Tree, names: list[int]) -> Tree:
    """The tree with a number for each phrase as its label."""
    names.append(len(names))
    label = str(names[-1])
    if node.is_preterminal:
        return Tree(label, node.children)
    return Tree(label, tuple(c if isinstance(c, Leaf) else named(c, names) for c in node.children))


def above(tree: Tree) -> dict[str, list[str]]:
    """The ancestors of every node, the nearest first."""
    found: dict[str, list[str]] = {tree.label: []}
    for node in tree.nodes():
        for child in node.children:
            if isinstance(child, Tree):
                found[child.label] = [node.label, *found[node.label]]
    return found


@given(trees(discontinuous=True))
def test_parts_go_up_and_no_further_than_they_must(tree: Tree) -> None:
    given = named(tree, [])
    found = continuous(given)
    old, new = above(given), above(found)
    covered = {node.label: set(node.indices()) for node in found.nodes()}
    kept = {node.label: node.indices() for node in given.nodes()}
    for label, ancestors in new.items():
        assert set(ancestors) <= set(old[label])
        assert covered[label] <= set(kept[label])
        for passed in old[label][: old[label].index(ancestors[0])] if ancestors else ():
            # It does not stand beside what the ancestors it went past have kept.
            ends = covered[passed]
            assert max(covered[label]) + 1 < min(ends) or max(ends) + 1 < min(covered[label])


def test_nodes_without_words_go() -> None:
    tree = read_tree("(S (A (a 0=x) (E ) (b 2=z)) (B (c 1=y)))", empty=True)
    assert str(continuous(tree)) == "(S (A (a x)) (B (c y)) (b z))"


def test_words_must_be_numbered_from_0() -> None:
    with pytest.raises(ValueError, match="numbered"):
        continuous(Tree("S", (Tree("a", (Leaf(0, "x"),)), Tree("b", (Leaf(2, "y"),)))))


def test_the_garden() -> None:
    samples = list(garden(200, seed=3))
    assert sum(sample.discontinuous.is_discontinuous for sample in samples) > 20
    for sample in samples:
        found = continuous(sample.discontinuous)
        assert not found.is_discontinuous
        assert found.words() == sample.discontinuous.words()


def test_the_sample_of_discontinuous_trees(data: Path) -> None:
    trees = list(trees_of(data / "disc-samples" / "garden-gold.dbr"))
    assert not any(continuous(tree).is_discontinuous for tree in trees)
