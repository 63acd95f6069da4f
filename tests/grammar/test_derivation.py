"""Derivations to trees."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings

from naive.cky import BINARY, LEXICAL, UNARY, viterbi
from naive.enumerate import is_made, nodes_of
from secateur.grammar.derivation import build_tree, flat_tree
from secateur.grammar.pcfg import PCFG
from secateur.testing.strategies import grammars, sentences


def test_made_nodes_dissolve_and_paths_unfold() -> None:
    grammar = PCFG.build(
        "R",
        [("S^<R>", "@S^<R>", "t", -1.0), ("@S^<R>", "t", "t", -1.0)],
        [("R", "S^<R>", -1.0, ("Q", "P^<Q>"))],
        [("t", "a", -1.0)],
    )
    number, words = grammar.number, ["x", "y", "z"]
    steps = np.array(
        [
            (UNARY, number["R"], 0, 3, 0),
            (BINARY, number["S^<R>"], 0, 3, 0),
            (BINARY, number["@S^<R>"], 0, 2, 1),
            (LEXICAL, number["t"], 0, 1, -1),
            (LEXICAL, number["t"], 1, 2, -1),
            (LEXICAL, number["t"], 2, 3, -1),
        ]
    )
    assert str(build_tree(grammar, steps, words)) == "(R (Q (P (S (t x) (t y) (t z)))))"
    assert str(build_tree(grammar, steps, words, binarized=True)) == "(R (S^<R> (@S^<R> (t x) (t y)) (t z)))"


@settings(max_examples=80)
@given(grammars(tags_apart=True), sentences(unknown=False))
def test_trees_have_the_nodes_of_their_derivations(grammar: PCFG, words: list[str]) -> None:
    found = viterbi(grammar, grammar.lexicon.encode(words))
    assume(found.steps)
    steps = np.array(found.steps)
    assert not is_made(grammar.start)
    tree = build_tree(grammar, steps, words)
    assert tree.words() == words
    expected = nodes_of(grammar, tuple(found.steps))
    ours = [(label, ix[0], ix[-1] + 1) for label, ix in tree.constituents()]
    ours += [(node.label, node.indices()[0], node.indices()[0] + 1) for node in tree.preterminals()]
    assert sorted(ours) == sorted((name, i, k) for name, i, k in expected.elements() if name is not None)
    binarized = build_tree(grammar, steps, words, binarized=True)
    assert [node.label for node in binarized.nodes()] == [grammar.symbols[x] for _, x, _, _, _ in found.steps]


def test_flat_tree_has_the_likeliest_tags() -> None:
    grammar = PCFG.build(
        "R^<Q>", [("R^<Q>", "t", "u", -1.0)], [], [("t", "a", -1.0), ("u", "a", -0.5), ("t", "b", -3.0)]
    )
    words = grammar.lexicon.encode(["a", "b", "c"])
    assert str(flat_tree(grammar, words, ["A", "B", "C"])) == "(R (u A) (t B) (X C))"


def test_one_word() -> None:
    grammar = PCFG.build("S", [], [], [("S", "a", -1.0)])
    assert str(build_tree(grammar, np.array([(LEXICAL, 0, 0, 1, -1)]), ["a"])) == "(S a)"
