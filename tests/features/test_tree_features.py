"""What is said of whole trees."""

from __future__ import annotations

from collections import Counter

import pytest

import secateur as sec
from secateur.features.tree import TreeFeatures, head_shares
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.formats import discbracket

CROSSING = "(ROOT (S (VP (WP 0=what) (VB 3=see)) (VBD 1=did) (NP (DT 2=you))) (. 4=?))"
FLAT = "(ROOT (S (WP 0=what) (VBD 1=did) (NP (DT 2=you)) (VB 3=see)) (. 4=?))"


def grown(count: int) -> list[sec.Tree]:
    return list(DISCONTINUOUS.grown(count))


def buckets(features: TreeFeatures, tree: sec.Tree) -> list[int]:
    """Of a tree that no other came before."""
    told = features.of(tree.words())
    return told.buckets(told.number(tree))


def test_head_shares() -> None:
    marked = sec.Tree("S", (sec.Tree("NP", (sec.Leaf(0, "a"),)), sec.Tree("VP", (sec.Leaf(1, "b"),), "hd")))
    assert head_shares([marked]) == {"S": {"NP": 0.0, "VP": 0.5}}
    assert head_shares([marked] * 9)["S"]["VP"] == 0.9


def test_what_was_said_before_changes_nothing() -> None:
    """However many trees of a sentence came before, a tree's features are its own."""
    crossing, flat = map(discbracket.read_tree, (CROSSING, FLAT))
    features = TreeFeatures(head_shares([crossing, flat]))
    told = features.of(crossing.words())
    first = [told.buckets(told.number(tree)) for tree in (crossing, flat, crossing)]
    alone = [Counter(buckets(features, tree)) for tree in (crossing, flat)]
    assert list(map(Counter, first)) == [*alone, alone[0]]
    assert alone[0] != alone[1]


def test_numbers_tell_trees_apart() -> None:
    crossing, flat = map(discbracket.read_tree, (CROSSING, FLAT))
    told = TreeFeatures({}).of(crossing.words())
    numbers = [told.number(tree) for tree in (crossing, flat, crossing, discbracket.read_tree(FLAT))]
    assert numbers[:2] == numbers[2:]
    assert numbers[0] != numbers[1]


@pytest.mark.parametrize("bits", [4, 20])
def test_every_tree_has_features(bits: int) -> None:
    """Of a tag alone, its tag; what they are is the same for any process."""
    trees = [*grown(40), sec.Tree("X", (sec.Leaf(0, "a"),))]
    features = TreeFeatures(head_shares(trees), bits)
    for tree in trees:
        found = buckets(features, tree)
        phrases = sum(not node.is_preterminal for node in tree.nodes())
        assert len(found) >= 5 * len(tree.leaves()) + 7 * phrases
        assert all(0 <= bucket < 1 << bits for bucket in found)


def test_words_and_labels_count() -> None:
    crossing = discbracket.read_tree(CROSSING)
    features = TreeFeatures({})
    found = Counter(buckets(features, crossing))
    for before, after in (("(VP", "(XP"), ("(DT", "(PRP"), ("=you", "=they")):
        tree = discbracket.read_tree(CROSSING.replace(before, after))
        assert Counter(buckets(features, tree)) != found
    upper = discbracket.read_tree(CROSSING.replace("=you", "=You"))
    assert Counter(buckets(features, upper)) == found
