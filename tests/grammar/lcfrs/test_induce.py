"""PLCFRSs induced from trees: proper, with the relative frequencies of a slow count; trees are parses."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lcfrs_cases import assert_same, discontinuous_trees
from naive.lcfrs import Components, Derivations, TooMany, chart, pattern_of
from secateur.errors import InputError
from secateur.grammar.induce import Smoothing
from secateur.grammar.lcfrs.binarize import ORDERS, Binarization
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.treebanks.formats import alpino
from secateur.treebanks.formats.discbracket import read_tree
from secateur.treebanks.formats.source import lines
from secateur.treebanks.punctuation import move
from secateur.treebanks.tree import Leaf, Tree

WAYS = st.builds(
    Binarization, st.sampled_from(ORDERS), st.sampled_from((0, 1, None)), st.sampled_from((1, 2))
)

Key = tuple[str, tuple[str, ...], Components]


def collapsed(tree: Tree) -> Tree:
    """A binary tree with at most one unary rule at each node: the top of a chain over its bottom."""
    bottom = tree
    while len(bottom.children) == 1 and isinstance(bottom.children[0], Tree):
        bottom = bottom.children[0]
    below = tuple(collapsed(c) if isinstance(c, Tree) else c for c in bottom.children)
    node = Tree(bottom.label, below)
    return node if bottom.label == tree.label else Tree(tree.label, (node,))


def slow_counts(treebank: list[Tree], way: Binarization) -> Counter[Key]:
    """How often each rule is used, words all the same."""
    found: Counter[Key] = Counter()
    for tree in treebank:
        for node in collapsed(way(tree)).nodes():
            below = [child for child in node.children if isinstance(child, Tree)]
            pattern = pattern_of([frozenset(child.indices()) for child in below])
            assert pattern is not None
            found[node.label, tuple(child.label for child in below), pattern] += 1
    return found


@settings(max_examples=100)
@given(st.lists(discontinuous_trees(), min_size=1, max_size=5), WAYS, st.sampled_from((0, 1, 5)))
def test_relative_frequencies(treebank: list[Tree], way: Binarization, rare: int) -> None:
    grammar = induce(treebank, binarization=way, smoothing=Smoothing(rare=rare))
    expected = slow_counts(treebank, way)
    total: Counter[str] = Counter()
    for (parent, _, _), count in expected.items():
        total[parent] += count
    found: dict[Key, float] = defaultdict(float)
    for rule in grammar.named():
        found[rule.parent, rule.children, rule.components] = math.exp(rule.weight)
    for tag, _, weight in grammar.entries():
        found[tag, (), ()] += math.exp(weight)
    assert dict(found) == pytest.approx({key: count / total[key[0]] for key, count in expected.items()})
    np.testing.assert_allclose(grammar.mass(), 1.0, rtol=1e-9)
    assert grammar.improper() == []
    assert (grammar.start, grammar.chains) == ("ROOT", False)


@settings(max_examples=100)
@given(st.lists(discontinuous_trees(longest=5), min_size=1, max_size=3), WAYS)
def test_training_trees_are_parses(treebank: list[Tree], way: Binarization) -> None:
    """Each at the score that its rules have, which the best parse's is not below."""
    grammar = induce(treebank, binarization=way, smoothing=Smoothing(rare=0))
    weights = {(r.parent, r.children, r.components): r.weight for r in grammar.named()}
    entries = {(tag, word): weight for tag, word, weight in grammar.entries()}
    for tree in treebank:
        binary = collapsed(way(tree))
        score = math.fsum(
            count * weights[key] for key, count in slow_counts([tree], way).items() if key[1]
        ) + sum(entries[node.label, node.children[0].word] for node in binary.preterminals())  # type: ignore[union-attr]
        words = tree.words()
        ids = grammar.lexicon.encode(words).tolist()
        assert chart(grammar, ids).score >= score - 1e-9
        try:
            derivations = Derivations(grammar, ids).all()
        except TooMany:
            assume(False)
        (log,) = [d.log for d in derivations if tree_of(grammar, d.steps, words, binarized=True) == binary]
        assert log == pytest.approx(score)


@settings(max_examples=50)
@given(st.lists(discontinuous_trees(), min_size=1, max_size=4), WAYS)
def test_the_order_of_trees_does_not_matter(treebank: list[Tree], way: Binarization) -> None:
    one, other = (
        induce(trees, binarization=way, smoothing=Smoothing(rare=0)) for trees in (treebank, treebank[::-1])
    )
    np.testing.assert_allclose(one.lexicon.weight, other.lexicon.weight, rtol=1e-12)
    rules, entries = list(other.named()), list(one.entries())
    plain = dict(zip(other.symbols, other.plain, strict=True))
    made = [name for name, is_made in zip(other.symbols, other.made, strict=True) if is_made]
    assert_same(one, PLCFRS.build(other.start, rules, entries, plain=plain, made=made, notes=other.notes))


TREE = read_tree("(ROOT (S (VP (A (NP (W 0=what))) (V 2=buy) (R 3=cheap)) (M 1=did) (. 4=?)))")


@pytest.mark.parametrize("order", ORDERS)
def test_a_single_tree_comes_back(order: str) -> None:
    """Binarization undone, unary chains unfolded."""
    grammar = induce([TREE], binarization=Binarization(order, h=None))  # type: ignore[arg-type]
    found = chart(grammar, grammar.lexicon.encode(TREE.words()).tolist())
    assert tree_of(grammar, found.derivation(), TREE.words()) == TREE
    names = grammar.symbols
    unaries = {(names[x], names[y]): path for y, x, _, path in zip(*grammar.unary, strict=True)}
    assert unaries == {("ROOT", "S"): (), ("A", "W"): ("NP",)}
    assert set(grammar.plain) - {"@S"} == {"ROOT", "S", "VP", "A", "W", "V", "R", "M", "."}
    assert grammar.fanout[grammar.number["VP_2"]] == 2


def test_the_usual_path_is_kept() -> None:
    one, other = read_tree("(ROOT (A_2 (t 0=x)))"), read_tree("(ROOT (B (t 0=x)))")
    assert induce([one, other, other]).unary.path == (("B",),)
    assert induce([other, one]).unary.path == (("A_2",),)


def test_labels_that_look_marked() -> None:
    tree = read_tree("(ROOT (VP_2 (t 0=a) (u 2=c)) (VP (t_1 1=b) (u 3=d)))")
    grammar = induce([tree])
    assert {"VP_2_2", "VP_2", "t_1_1"} <= set(grammar.symbols)
    found = chart(grammar, grammar.lexicon.encode(tree.words()).tolist())
    assert tree_of(grammar, found.derivation(), tree.words()) == tree


def test_notes_tell_how_it_was_made() -> None:
    notes = induce([TREE, TREE], binarization=Binarization("left", h=None, v=2)).notes
    assert notes == {"binarization": "left", "h": "inf", "v": "2", "rare": "3", "trees": "2"}


def test_unseen_words_take_the_tags_of_their_class() -> None:
    words = ["who", "did", "sleep", "sound", "?"]
    grammar = induce([TREE], smoothing=Smoothing(rare=2))
    assert tree_of(grammar, chart(grammar, grammar.lexicon.encode(words).tolist()).derivation(), words) == (
        read_tree("(ROOT (S (VP (A (NP (W 0=who))) (V 2=sleep) (R 3=sound)) (M 1=did) (. 4=?)))")
    )


def test_most_frequent_root_is_the_start() -> None:
    assert induce([Tree(root, TREE.children) for root in "ABB"]).start == "B"


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (Tree("S", ()), "empty"),
        (Tree("S", (Leaf(0, "a"), Leaf(1, "b"))), "without a tag"),
        (Tree("S", (Tree("t", (Leaf(1, "a"),)),)), "not at the positions 0 to 0"),
        (Tree("S", (Tree("t", (Leaf(0, "a"),)), Tree("t", (Leaf(2, "b"),)))), "not at the positions 0 to 1"),
        (Tree("S", (Tree("t", (Leaf(0, "a"),)), Tree("t", (Leaf(0, "b"),)))), "not at the positions 0 to 1"),
        (read_tree("(S (X|<a> (t 0=a) (t 2=c)) (t 1=b))"), "looks like a binarized one"),
        (read_tree("(S (X^<S> (t 0=a) (t 2=c)) (t 1=b))"), "looks like a binarized one"),
    ],
)
def test_refused(tree: Tree, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        induce([tree])
    assert caught.value.fix


def test_a_wide_node() -> None:
    """As many levels as children, when it is binary."""
    wide = Tree("S", tuple(Tree("t", (Leaf(p, "w"),)) for p in range(3000)))
    assert induce([wide]).symbols == ("S", "S|<t>", "t")


def test_nothing_to_induce_from() -> None:
    with pytest.raises(InputError, match="no trees"):
        induce([])


def test_alpino(data: Path) -> None:
    """Counts of its symbols and rules are those of the slow count, over real trees."""
    treebank = [move(tree) for tree in alpino.read(lines(data / "alpino" / "dev.xml"))]
    grammar = induce(treebank)
    rules = slow_counts(treebank, Binarization())
    names = {name for parent, children, _ in rules for name in (parent, *children)}
    assert set(grammar.symbols) == names
    assert len(grammar.binary.weight) == sum(len(children) == 2 for _, children, _ in rules)
    assert len(grammar.unary.weight) == sum(len(children) == 1 for _, children, _ in rules)
    assert grammar.fanout.max() >= 3
    np.testing.assert_allclose(grammar.mass(), 1.0, rtol=1e-9)
