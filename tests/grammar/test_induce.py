"""Grammars induced from trees: proper, and the relative frequencies that a slow count finds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.binarize import binarize
from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import Smoothing, induce
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.parser import Parser
from secateur.testing.strategies import trees
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.tree import Leaf, Tree

WORDS = ("a", "b", "Cress", "pruning", "7", "x-y", "Gnus")


@st.composite
def treebanks(draw: st.DrawFn, *, mixed: bool = False) -> list[Tree]:
    """A few trees under one root; mixed: labels that are tags and phrases."""
    tags = ("t", "NP", "u") if mixed else ("t", "u", "v")
    some = draw(st.lists(trees(tags=tags, words=WORDS, size=6, arity=4), min_size=1, max_size=5))
    return [Tree("ROOT", (tree,)) for tree in some]


ways = st.sampled_from([Binarization(), Binarization("right", h=1, v=2), Binarization("left", h=None, v=3)])


def slow_counts(treebank: list[Tree], way: Binarization) -> dict[str, Counter[tuple[str, ...]]]:
    """How often each symbol is rewritten as what: ("B", y, z), ("U", y) or ("W",)."""
    found: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)

    def walk(node: Tree) -> None:
        bottom = node
        while len(bottom.children) == 1 and isinstance(bottom.children[0], Tree):
            bottom = bottom.children[0]
        if bottom.label != node.label:
            found[node.label]["U", bottom.label] += 1
        below = [child for child in bottom.children if isinstance(child, Tree)]
        found[bottom.label][("B", *(child.label for child in below)) if below else ("W",)] += 1
        for child in below:
            walk(child)

    for tree in treebank:
        walk(binarize(tree, way.direction, way.h, way.v))
    return found


def probabilities(grammar: PCFG) -> dict[str, dict[tuple[str, ...], float]]:
    names = grammar.symbols
    found: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
    for y, z, x, w in zip(*grammar.binary, strict=True):
        found[names[x]]["B", names[y], names[z]] = math.exp(w)
    for y, x, w, _ in zip(*grammar.unary, strict=True):
        found[names[x]]["U", names[y]] = math.exp(w)
    for x, w in zip(grammar.lexicon.tag, grammar.lexicon.weight, strict=True):
        found[names[x]][("W",)] = found[names[x]].get(("W",), 0.0) + math.exp(w)
    return found


@settings(max_examples=100)
@given(st.booleans().flatmap(lambda mixed: treebanks(mixed=mixed)), ways, st.sampled_from([0, 1, 5]))
def test_relative_frequencies(treebank: list[Tree], way: Binarization, rare: int) -> None:
    grammar = induce(treebank, binarization=way, smoothing=Smoothing(rare=rare))
    expected = slow_counts(treebank, way)
    found = probabilities(grammar)
    assert found.keys() == expected.keys()
    for symbol, counts in expected.items():
        total = sum(counts.values())
        assert found[symbol] == pytest.approx({rule: c / total for rule, c in counts.items()}, rel=1e-9)


@settings(max_examples=60)
@given(treebanks(mixed=True), ways, st.sampled_from([Smoothing(), Smoothing(rare=0), Smoothing(2, 0.0)]))
def test_proper(treebank: list[Tree], way: Binarization, smoothing: Smoothing) -> None:
    grammar = induce(treebank, binarization=way, smoothing=smoothing)
    np.testing.assert_allclose(grammar.mass(), 1.0, rtol=1e-9)
    assert grammar.improper() == []


@settings(max_examples=60)
@given(treebanks(), ways)
def test_training_sentences_parse(treebank: list[Tree], way: Binarization) -> None:
    """And no parse is worse than the tree itself, whose probability is that of its rules."""
    grammar = induce(treebank, binarization=way)
    parser = Parser(grammar)
    found = probabilities(grammar)
    entries = {
        (grammar.symbols[grammar.lexicon.tag[e]], word): grammar.lexicon.weight[e]
        for w, word in enumerate(grammar.lexicon.words)
        for e in range(grammar.lexicon.ptr[w], grammar.lexicon.ptr[w + 1])
    }
    for tree in treebank:
        parse = parser.parse(tree.words())
        assert not parse.failed
        assert parse.tree.words() == tree.words()
        rules = slow_counts([tree], way)
        score = sum(
            count * math.log(found[symbol][rule])
            for symbol, counts in rules.items()
            for rule, count in counts.items()
            if rule != ("W",)
        )
        score += sum(entries[tag, word] for tag, word in zip(tree.tags(), tree.words(), strict=True))
        assert parse.score >= score - 1e-4


@settings(max_examples=30)
@given(treebanks())
def test_the_order_of_trees_does_not_matter(treebank: list[Tree]) -> None:
    one, other = induce(treebank), induce(reversed(treebank))
    assert one.symbols == other.symbols
    for a, b in zip((*one.binary, *one.unary[:3]), (*other.binary, *other.unary[:3]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.unary.path == other.unary.path
    np.testing.assert_allclose(one.lexicon.weight, other.lexicon.weight, rtol=1e-12)


def test_unary_chains_are_restored() -> None:
    """ROOT -> S -> VP -> V is one rule, and a tree again on output."""
    tree = read_tree("(ROOT (S (VP (V prune))))")
    grammar = induce([tree])
    assert grammar.unary.path == (("S", "VP"),)
    assert [grammar.symbols[s] for s in (*grammar.unary.parent, *grammar.unary.child)] == ["ROOT", "V"]
    assert Parser(grammar).parse(["prune"]).tree == tree


def test_the_usual_path_is_kept() -> None:
    """Of two chains between the same symbols the more frequent one; of equals the first by name."""
    one, other = read_tree("(ROOT (A (t x)))"), read_tree("(ROOT (B (t x)))")
    assert induce([one, other, other]).unary.path == (("B",),)
    assert induce([other, one]).unary.path == (("A",),)


def test_chains_back_to_the_same_label_are_dropped() -> None:
    tree = read_tree("(ROOT (S (X (Y (X (t a) (t b))))))")
    grammar = induce([tree])
    names = [
        (grammar.symbols[x], grammar.symbols[y], path) for y, x, _, path in zip(*grammar.unary, strict=True)
    ]
    assert names == [("ROOT", "X", ("S", "X", "Y"))]
    inner = induce([read_tree("(ROOT (u c) (X (Y (X (t a) (t b)))))")])
    assert len(inner.unary.weight) == 0
    assert str(Parser(inner).parse(["c", "a", "b"])) == "(ROOT (u c) (X (t a) (t b)))"


def test_annotation_is_removed_on_output() -> None:
    tree = read_tree("(ROOT (S (NP (D the) (J old) (N gnu)) (VP (V saw) (NP (D the) (J big) (N emu)))))")
    for way in (Binarization("right", h=2, v=3), Binarization("left", h=0, v=2), Binarization(h=None)):
        grammar = induce([tree], binarization=way)
        assert Parser(grammar).parse(tree.words()).tree == tree
        assert Parser(grammar, binarized=True).parse(tree.words()).tree == way(tree)


def test_unseen_words_take_the_tags_of_their_class() -> None:
    treebank = [
        read_tree("(ROOT (S (D the) (N gnu) (V grafted)))"),
        read_tree("(ROOT (S (D the) (N emu) (V pollarded)))"),
        read_tree("(ROOT (S (D the) (N yak) (V sleeps)))"),
    ]
    parser = Parser(induce(treebank, smoothing=Smoothing(rare=2)))
    assert str(parser.parse(["the", "newt", "coppiced"])) == "(ROOT (S (D the) (N newt) (V coppiced)))"


def test_most_frequent_root_is_the_start() -> None:
    roots = ["A", "B", "B"]
    assert induce([read_tree(f"({root} (t a) (t b))") for root in roots]).start == "B"


def test_notes_tell_how_it_was_made() -> None:
    notes = induce([read_tree("(S (t a))")], binarization=Binarization("right", h=None, v=2)).notes
    assert (notes["binarization"], notes["h"], notes["v"], notes["trees"]) == ("right", "inf", "2", "1")


def test_nothing_to_induce_from() -> None:
    with pytest.raises(InputError, match="no trees"):
        induce([])


@pytest.mark.parametrize("label", ["@X", "X|<A-B>", "X^<S>"])
def test_labels_that_look_binarized_are_refused(label: str) -> None:
    with pytest.raises(InputError, match="looks like a binarized one"):
        induce([read_tree(f"(S ({label} (t a) (t b)) (t c))")])


def test_discontinuous_trees_are_refused() -> None:
    tree = Tree(
        "S", (Tree("X", (Tree("t", (Leaf(0, "a"),)), Tree("t", (Leaf(2, "c"),)))), Tree("t", (Leaf(1, "b"),)))
    )
    with pytest.raises(InputError, match="discontinuous"):
        induce([tree])


@pytest.mark.parametrize(
    "tree",
    [
        Tree("S", ()),
        Tree("S", (Tree("t", (Leaf(0, "a"),)), Tree("X", ()))),
        Tree("S", (Leaf(0, "a"), Leaf(1, "b"))),
        Tree("S", (Tree("t", (Leaf(0, "a"),)), Leaf(1, "b"))),
        Tree("S", (Leaf(0, "a"), Tree("t", (Leaf(1, "b"),)))),
    ],
)
def test_words_without_tags_and_empty_nodes_are_refused(tree: Tree) -> None:
    with pytest.raises(InputError):
        induce([tree])


def test_a_tree_without_a_root_label() -> None:
    """As in files of Penn trees that were not normalized."""
    tree = Tree("", read_tree("(S (NP (t a)) (VP (t b)))").children)
    assert Parser(induce([tree])).parse(["a", "b"]).tree == tree
