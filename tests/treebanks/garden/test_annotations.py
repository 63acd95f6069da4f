"""The three annotations of a sentence agree with each other."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from secateur.treebanks.dependency_tree import DependencyTree, coarse_of
from secateur.treebanks.garden import Sample, garden
from secateur.treebanks.tree import Leaf, Tree

COUNT = 1500
MOVED = re.compile(r"\*(T|ICH)\*-\d+")


@cache
def samples() -> tuple[Sample, ...]:
    return tuple(garden(COUNT, seed=7))


def without_traces(tree: Tree) -> Tree:
    """The tree without empty elements and what they leave empty, its words counted anew from 0."""
    words = iter(range(len(tree.leaves())))

    def strip(node: Tree) -> Tree | None:
        if node.is_preterminal:
            leaf = node.children[0]
            assert isinstance(leaf, Leaf)
            return None if node.label == "-NONE-" else Tree(node.label, (Leaf(next(words), leaf.word),))
        children = [strip(child) for child in node.children if isinstance(child, Tree)]
        kept = tuple(child for child in children if child is not None)
        return Tree(plain(node.label), kept) if kept else None

    found = strip(tree)
    assert found is not None
    return found


def plain(label: str) -> str:
    """The label without function tags and indices."""
    return label if label.startswith("-") else label.partition("-")[0]


def moved_overtly(tree: Tree) -> bool:
    """Whether a phrase with words in it stands elsewhere than where it is interpreted."""
    moved = {leaf.word.rpartition("-")[2] for leaf in tree.leaves() if MOVED.fullmatch(leaf.word)}
    antecedents = [node for node in tree.nodes() if node.label.rpartition("-")[2] in moved]
    return any(tag != "-NONE-" for node in antecedents for tag in node.tags())


def yields(dependencies: DependencyTree) -> list[tuple[int, ...]]:
    """For each word, the positions of the words below it, itself included, sorted."""
    found: list[set[int]] = [set() for _ in dependencies.words]
    for position in range(len(dependencies.words)):
        above = position + 1
        while above:
            found[above - 1].add(position)
            above = dependencies.heads[above - 1]
    return [tuple(sorted(positions)) for positions in found]


def crosses(dependencies: DependencyTree) -> bool:
    """Whether two arcs cross, the arc from the root (at 0) among them."""
    arcs = [
        (min(head, position), max(head, position))
        for position, head in enumerate(dependencies.heads, start=1)
    ]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def is_gapped(positions: tuple[int, ...]) -> bool:
    return positions[-1] - positions[0] + 1 != len(positions)


def test_same_words_and_tags() -> None:
    for penn, discontinuous, dependencies in samples():
        shown = without_traces(penn)
        assert shown.words() == discontinuous.words() == list(dependencies.words)
        assert shown.tags() == discontinuous.tags() == list(dependencies.tags)
        assert dependencies.check() is dependencies
        assert set(dependencies.coarse) == {coarse_of(tag) for tag in dependencies.tags}


def test_outer_brackets() -> None:
    for penn, discontinuous, _ in samples():
        assert (penn.label, len(penn.children)) == ("", 1)
        assert (discontinuous.label, len(discontinuous.children)) == ("ROOT", 1)


def test_positions_are_counted_from_0() -> None:
    for penn, discontinuous, _ in samples():
        for tree in (penn, discontinuous):
            assert [leaf.position for leaf in tree.leaves()] == list(range(len(tree.leaves())))


def test_penn_tree_is_continuous() -> None:
    assert not any(penn.is_discontinuous for penn, _, _ in samples())


def test_same_constituents_where_nothing_moved() -> None:
    still = 0
    for penn, discontinuous, _ in samples():
        shown = without_traces(penn)
        if not moved_overtly(penn):
            still += 1
            assert not discontinuous.is_discontinuous
            assert Counter(shown.constituents()[1:]) == Counter(discontinuous.constituents()[1:])
        # Moving a phrase changes what others cover, never which phrases there are.
        assert Counter(node.label for node in shown.nodes() if node.label) == Counter(
            node.label for node in discontinuous.nodes() if node.label != "ROOT"
        )
    assert COUNT / 2 < still < COUNT


def test_no_functions_or_traces_in_the_discontinuous_tree() -> None:
    for _, discontinuous, _ in samples():
        assert "-NONE-" not in discontinuous.tags()
        assert all(node.label == plain(node.label) for node in discontinuous.nodes())


def test_children_are_in_the_order_of_their_first_position() -> None:
    for _, discontinuous, _ in samples():
        for node in discontinuous.nodes():
            firsts = [child.indices()[0] for child in node.children if isinstance(child, Tree)]
            assert firsts == sorted(firsts)


def test_dependencies_are_a_tree_with_one_root() -> None:
    for _, _, dependencies in samples():
        assert dependencies.heads.count(0) == 1
        assert dependencies.labels[dependencies.heads.index(0)] == "root"
        assert dependencies.labels.count("root") == 1
        assert all(dependencies.labels)
        assert max(map(len, yields(dependencies))) == len(dependencies.words)


def test_non_projective_exactly_where_a_phrase_below_a_head_is_discontinuous() -> None:
    """The words below a head are always a constituent of the discontinuous tree; arcs cross if and only if
    one of these constituents is discontinuous. (A verb phrase can be: then its clause closes the gap.)"""
    crossing = 0
    for _, discontinuous, dependencies in samples():
        constituents = {indices for _, indices in discontinuous.constituents()}
        below = yields(dependencies)
        assert all(len(positions) == 1 or positions in constituents for positions in below)
        assert crosses(dependencies) == any(map(is_gapped, below))
        if crosses(dependencies):
            crossing += 1
            assert discontinuous.is_discontinuous
    assert 0.01 * COUNT < crossing < 0.12 * COUNT


def test_every_index_has_an_antecedent_and_a_trace() -> None:
    for penn, _, _ in samples():
        of_traces = {
            leaf.word.rpartition("-")[2] for leaf in penn.leaves() if re.fullmatch(r"\*.*-\d+", leaf.word)
        }
        labels = [node.label for node in penn.nodes() if not node.is_preterminal]
        of_phrases = [number for label in labels if (number := label.rpartition("-")[2]).isdigit()]
        assert len(of_phrases) == len(set(of_phrases))
        assert set(of_phrases) == of_traces


@pytest.mark.parametrize(("opening", "closing"), [("-LRB-", "-RRB-"), ("``", "''")])
def test_brackets_and_quotes_are_balanced(opening: str, closing: str) -> None:
    for _, _, dependencies in samples():
        depth = 0
        for tag in dependencies.tags:
            depth += (tag == opening) - (tag == closing)
            assert depth in (0, 1)
        assert depth == 0
