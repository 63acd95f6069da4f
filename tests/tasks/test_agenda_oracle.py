"""The oracle of agenda parsing, against all derivations."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import secateur as sec
from naive.cky import LEXICAL, UNARY, Step, cell_of
from naive.enumerate import Derivation, Forest
from naive.priority import nodes as nodes_of
from secateur.grammar.binarize import Binarization
from secateur.grammar.derivation import build_tree
from secateur.grammar.induce import induce
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.tasks.agenda_order.oracle import GAIN, GoldItems, Oracle
from secateur.testing.strategies import trees
from secateur.treebanks.formats.brackets import read_tree
from secateur.treebanks.normalization import Normalization
from secateur.treebanks.tree import Tree

LEFT = Binarization()


def is_gold(grammar: PCFG, step: Step, gold: set[tuple[str, int, int]], tags: list[str]) -> float:
    """What the anchors say of a step."""
    kind, x, i, k, _ = step
    name = grammar.unsplit[x]
    if kind == LEXICAL:
        return float(GAIN) if tags[i] == name else -float(GAIN)
    if grammar.intermediate[x]:
        return 0.0
    return float(GAIN) if (name, i, k) in gold else -float(GAIN)


def worth(grammar: PCFG, derivation: Derivation, tree: Tree) -> float:
    tags = tree.tags()
    gold = {node for node in nodes_of(LEFT(tree)) if node[2] - node[1] > 1}
    # Over a single word the tag is no phrase, but what a unary makes of it may be.
    for label, i, k in nodes_of(LEFT(tree)):
        if k - i == 1 and label != tags[i]:
            gold.add((label, i, k))
    return derivation.log + sum(is_gold(grammar, step, gold, tags) for step in derivation.steps)


small = trees(labels=("S", "A", "B"), tags=("t", "u"), words=("a", "b"), size=4, arity=3)


@settings(max_examples=60)
@given(st.lists(small, min_size=1, max_size=4), small)
def test_it_is_the_best_derivation_with_most_gold_nodes(bank: list[Tree], other: Tree) -> None:
    normal = Normalization()
    known = [tree for tree in map(normal, bank) if tree is not None]
    gold = normal(other)
    assert gold is not None
    grammar = induce(known, binarization=LEFT)
    words = grammar.lexicon.encode(gold.words())
    every = Forest(grammar, words)
    assume(every.size() <= 300)
    derivations = every.derivations()
    oracle = Oracle(grammar, LEFT)
    found = oracle(words, gold)
    assert len(found.steps) == len(found.items)
    if not derivations:
        assert not len(found.steps)
        assert not found.whole
        return
    ours = tuple(map(tuple, found.steps.tolist()))
    by_steps = {d.steps: worth(grammar, d, gold) for d in derivations}
    check_items(grammar, oracle, found)
    right = collapsed(LEFT(gold))
    whole = [d for d in derivations if collapsed(built(grammar, d, gold)) == right]
    assert found.whole == bool(whole)
    if whole:
        assert {d.steps: d.log for d in whole}[ours] == pytest.approx(max(d.log for d in whole))
    else:
        assert by_steps[ours] == pytest.approx(max(by_steps.values()), abs=1e-3)


def built(grammar: PCFG, derivation: Derivation, gold: Tree) -> Tree:
    return build_tree(grammar, np.array(derivation.steps), gold.words(), binarized=True)


def collapsed(tree: Tree) -> str:
    """A binarized tree as a PCFG sees it: unary chains by their two ends."""
    children = [child for child in tree.children if isinstance(child, Tree)]
    if len(children) == 1:
        bottom = children[0]
        while len(bottom.children) == 1 and isinstance(bottom.children[0], Tree):
            bottom = bottom.children[0]
        below = collapsed(bottom)
        return below if bottom.label == tree.label else f"({tree.label} {below})"
    if not children:
        return f"({tree.label} *)"
    return f"({tree.label} {' '.join(map(collapsed, children))})"


def check_items(grammar: PCFG, oracle: Oracle, found: GoldItems) -> None:
    """Items are those of the steps; keys are sorted and say the same."""
    steps = [(i, k, x, int(kind == UNARY)) for kind, x, i, k, _ in found.steps.tolist()]
    assert [tuple(item) for item in found.items.tolist()] == steps
    count = len(grammar.symbols)
    assert oracle.item_keys(found).tolist() == sorted(
        2 * (count * cell_of(i, k) + x) + over for i, k, x, over in steps
    )
    assert oracle.node_keys(found).tolist() == sorted(
        len(oracle.labels) * cell_of(i, k) + label for i, k, label in found.nodes.tolist()
    )


@given(small)
def test_nodes_are_the_gold_trees(other: Tree) -> None:
    gold = Normalization()(other)
    assert gold is not None
    grammar = induce([gold], binarization=LEFT)
    oracle = Oracle(grammar, LEFT)
    found = oracle(grammar.lexicon.encode(gold.words()), gold)
    named = {(oracle.labels[label], i, k) for i, k, label in found.nodes.tolist()}
    assert named == {node for node in nodes_of(LEFT(gold)) if not node[0].startswith("@")}


def test_labels_that_the_grammar_has_not() -> None:
    bank = sec.garden.treebank(20)
    grammar = induce(bank)
    oracle = Oracle(grammar, LEFT)
    strange = bank[0].relabel(lambda label: "ZZ" if label == "VP" else label)
    found = oracle(grammar.lexicon.encode(strange.words()), strange)
    assert not found.whole
    assert len(found.steps)
    assert len(oracle.labels) - 1 in found.nodes[:, 2]


def test_a_gold_tree_may_be_very_unlikely() -> None:
    """Trees with a node too few or too many are likelier, by more than any gain."""
    grammar = PCFG.from_text(
        """
        S -> A B 0.5 | A 1e-40
        A -> A B 0.5
        A -> 'a' 0.5
        B -> 'b' 0.5
        """
    )
    oracle = Oracle(grammar, LEFT)
    words = grammar.lexicon.encode(["a", "b"])
    found = oracle(words, read_tree("(S (A (A a) (B b)))"))
    assert found.whole
    named = [(i, k, grammar.symbols[x], over) for i, k, x, over in found.items.tolist()]
    assert named == [(0, 2, "S", 1), (0, 2, "A", 0), (0, 1, "A", 0), (1, 2, "B", 0)]
    assert oracle(words, read_tree("(S (A a) (B b))")).whole


@cache
def fine() -> PCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    bank = sec.garden.treebank(80)
    return SplitTraining(bank, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar().flat()


def test_of_a_split_grammar() -> None:
    """Training trees are derived whole, in one choice of sub-symbols."""
    binarization = Binarization("right")
    oracle = Oracle(fine(), binarization)
    for tree in sec.garden.treebank(12):
        found = oracle(fine().lexicon.encode(tree.words()), tree)
        assert found.whole
        labels = [oracle.labels[x] for x in oracle.label[found.items[:, 2]].tolist()]
        spans = zip(labels, *found.items[:, :2].T.tolist(), strict=True)
        assert set(spans) == set(nodes_of(binarization(tree)))


@pytest.mark.skipif("SECATEUR_DATA" not in os.environ, reason="SECATEUR_DATA does not name the treebanks")
def test_most_trees_of_the_ptb_sample_are_derived(data: object) -> None:
    bank = sec.Treebank.read(f"{data}/ptb-sample/train.mrg", normalization=Normalization())
    grammar = induce(bank, binarization=Binarization("right"))
    oracle = Oracle(grammar, Binarization("right"))
    held_out = sec.Treebank.read(f"{data}/ptb-sample/dev.mrg", normalization=Normalization())
    chosen = held_out.filter(max_length=15)[:40]
    whole = [oracle(grammar.lexicon.encode(tree.words()), tree).whole for tree in chosen]
    assert 30 <= sum(whole) < 40
