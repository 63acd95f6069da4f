"""Inside scores, posteriors and maximum expected recall against the list of all derivations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive.cky import cell_of
from naive.enumerate import Forest, expected_nodes, log_total
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.posterior import Marginals, max_recall_tree
from secateur.testing.strategies import anchors, grammars, sentences
from secateur.treebanks.tree import Leaf, Span, Tree

MANY = 2000  # derivations, more than which are not listed


@st.composite
def cases(
    draw: st.DrawFn, *, unaries: bool = True, tags_apart: bool = False, longest: int = 5
) -> tuple[PCFG, list[str], Anchors]:
    grammar = draw(grammars(unaries=unaries, tags_apart=tags_apart, rules=9))
    words = draw(sentences(longest=longest))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, len(words)))
    return grammar, words, scores


def forest_of(grammar: PCFG, words: list[str], scores: Anchors) -> Forest:
    forest = Forest(grammar, grammar.lexicon.encode(words), None, scores)
    assume(forest.size() <= MANY)
    return forest


@settings(max_examples=150)
@given(cases())
def test_marginals_equal_enumeration(case: tuple[PCFG, list[str], Anchors]) -> None:
    grammar, words, scores = case
    derivations = forest_of(*case).derivations()
    found = Parser(grammar).marginals(words, anchors=scores)
    if not derivations:
        assert found is None
        return
    assert found is not None
    assert found.log_total == pytest.approx(log_total(derivations), rel=1e-9, abs=1e-9)
    expected = np.zeros_like(found.table)
    for (label, i, k), count in expected_nodes(grammar, derivations).items():
        column = -1 if label is None else found.labels.index(label)
        expected[cell_of(i, k), column] += count
    np.testing.assert_allclose(found.table, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=80)
@given(cases(unaries=False, tags_apart=True, longest=7))
def test_nodes_and_tags_are_as_many_as_they_must_be(case: tuple[PCFG, list[str], Anchors]) -> None:
    """Without unaries a derivation has n lexical and n - 1 binary nodes, and each word has one tag."""
    grammar, words, scores = case
    found = Parser(grammar).marginals(words, anchors=scores)
    assume(found is not None)
    assert found is not None
    n = len(words)
    assert found.table.sum() == pytest.approx(2 * n - 1, rel=1e-9)
    cells = [cell_of(i, i + 1) for i in range(n)]
    np.testing.assert_allclose(found.table[cells, :-1][:, found.tags].sum(axis=1), 1.0, rtol=1e-9)
    assert found.table[cell_of(0, n)].sum() == pytest.approx(1.0)


@settings(max_examples=60)
@given(cases(tags_apart=True))
def test_each_word_has_one_tag(case: tuple[PCFG, list[str], Anchors]) -> None:
    grammar, words, scores = case
    found = Parser(grammar).marginals(words, anchors=scores)
    assume(found is not None)
    assert found is not None
    cells = [cell_of(i, i + 1) for i in range(len(words))]
    np.testing.assert_allclose(found.table[cells, :-1][:, found.tags].sum(axis=1), 1.0, rtol=1e-9)


def ambiguous() -> PCFG:
    """Either NP or VP covers what follows the verb."""
    return PCFG.from_text(
        """
        ROOT -> S 1.0
        S -> NP VP 1.0
        VP -> V NP 0.5 | V NP PP 0.3 | 'sings' 0.2
        NP -> NP PP 0.2 | D N 0.5 | 'birds' 0.3
        PP -> P NP 1.0
        D -> 'the' 1.0
        N -> 'hill' 0.5 | 'glass' 0.5
        V -> 'saw' 1.0
        P -> 'with' 1.0
        """
    )


def test_marginals_of_an_attachment() -> None:
    found = Parser(ambiguous()).marginals(["birds", "saw", "the", "hill", "with", "the", "glass"])
    assert found is not None
    assert found[Span("VP", 1, 7)] == pytest.approx(1.0)
    # 0.5 * 0.2 for the noun's attachment against 0.3 for the verb's.
    assert found["NP", 2, 7] == pytest.approx(0.25)
    assert found[Span("PP", 4, 7)] == pytest.approx(1.0)
    assert found[Span("no such label", 0, 1)] == 0.0
    likely = dict(found.above(0.3))
    assert Span("NP", 2, 7) not in likely
    assert likely[Span("ROOT", 0, 7)] == pytest.approx(1.0)
    assert dict(found.above(0.2))[Span("NP", 2, 7)] == pytest.approx(0.25)
    # The verb's attachment needs a made symbol over "saw the hill", counted in the last column.
    assert found.table[cell_of(1, 4), -1] == pytest.approx(0.75)


def bracketings(i: int, k: int) -> Iterator[list[tuple[int, int]]]:
    """All binary bracketings of (i, k), the smaller first split first."""
    if k == i + 1:
        yield []
        return
    for j in range(i + 1, k):
        for left in bracketings(i, j):
            for right in bracketings(j, k):
                yield [(i, k), *left, *right]


def gains(found: Marginals) -> dict[tuple[int, int], float]:
    """What the bracketing is chosen by: each span's likeliest label, the made symbols counting as one."""
    n = found.words
    return {(i, k): float(found.table[cell_of(i, k)].max()) for i in range(n) for k in range(i + 2, n + 1)}


@settings(max_examples=80)
@given(cases(longest=6))
def test_max_recall_is_the_best_bracketing(case: tuple[PCFG, list[str], Anchors]) -> None:
    """No binary bracketing has a larger sum of likeliest labels than the one the tree is made of."""
    grammar, words, scores = case
    found = Parser(grammar).marginals(words, anchors=scores)
    assume(found is not None)
    assert found is not None
    n = len(words)
    tree, expected = max_recall_tree(found, "TOP", words)
    assert (tree.label, tree.words()) == ("TOP", words)
    spans = tree.spans()[1:]
    gain = gains(found)
    every = list(bracketings(0, n))
    best = max(math.fsum(gain[s] for s in spans) for spans in every)
    # The tree lacks the spans that dissolved; some optimal bracketing has all of those it kept.
    kept = {(span.i, span.k) for span in spans if span.k - span.i > 1}
    assert any(
        kept <= set(b) and math.fsum(gain[s] for s in b) == pytest.approx(best, abs=1e-9) for b in every
    )
    assert expected == pytest.approx(math.fsum(found[span] for span in spans), abs=1e-9)
    for span in spans:
        assert found[span] > 0.0
        row = found.table[cell_of(span.i, span.k)]
        assert found[span] > 0.5 or (span.k - span.i > 1 and found[span] == row.max())
    for node in tree.preterminals():
        (leaf,) = node.children
        assert isinstance(leaf, Leaf)
        assert found[node.label, leaf.position, leaf.position + 1] > 0.0


def test_max_recall_keeps_labels_that_are_also_tags() -> None:
    """A symbol may have words and phrases below it: VP and NP are both here."""
    words = ["birds", "saw", "the", "hill"]
    parser = Parser(ambiguous())
    assert parser.max_recall(words).tree == parser.parse(words).tree


def test_max_recall_without_a_parse_is_flat() -> None:
    found = Parser(ambiguous()).max_recall(["the", "the"])
    assert found.failed
    assert found.tree == Tree("ROOT", (Tree("D", (Leaf(0, "the"),)), Tree("D", (Leaf(1, "the"),))))


def test_tag_that_looks_made() -> None:
    """The tag of user names in some treebanks, @USR, is a tag like any other."""
    grammar = PCFG.build("S", [("S", "@USR", "V", -0.1)], [], [("@USR", "anna", -1.0), ("V", "sings", -1.0)])
    parser = Parser(grammar)
    found = parser.marginals(["anna", "sings"])
    assert found is not None
    assert found["@USR", 0, 1] == pytest.approx(1.0)
    assert parser.max_recall(["anna", "sings"]).tree == parser.parse(["anna", "sings"]).tree


def test_spans_are_nested() -> None:
    """A small check of the test's own bracketings: Catalan numbers, and no two spans cross."""
    for n, count in ((1, 1), (2, 1), (3, 2), (4, 5), (5, 14)):
        every = list(bracketings(0, n))
        assert len(every) == count
        assert all(len(b) == n - 1 for b in every)
        assert all(len(set(b)) == len(b) for b in every)
        assert all(a != b for a, b in pairwise(every))
