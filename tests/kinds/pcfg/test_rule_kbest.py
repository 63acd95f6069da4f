"""The k best trees by max-rule against the list of all derivations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import naive.forest as naive
import secateur as sec
from forest_cases import Case, cases, exp_blocks, run
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.split import forest_scores
from secateur.kinds.pcfg.forest import rule_forest
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining

TREES = sec.garden.treebank(120)


@settings(max_examples=100)
@given(cases())
def test_all_derivations_in_order(case: Case) -> None:
    """Each once, with the product of its rules' posteriors; the first is the max-rule derivation."""
    made = case.build()
    log, found = run(made, case.blocks, case.anchors)
    said = naive.posteriors(case.weighted) if log > -math.inf else None
    every = {} if said is None else {steps: naive.product_of(said, steps) for steps, _ in case.weighted}
    expected = sorted((p for p in every.values() if p > 0.0), reverse=True)
    if made.top < 0 or said is None:
        return
    ours = list(rule_forest(made, found).kbest(len(every) + 1))
    assert [math.exp(score) for _, score in ours] == pytest.approx(expected, rel=1e-6)
    kept = [tuple(map(tuple, steps.tolist())) for steps, _ in ours]
    assert len(set(kept)) == len(kept)
    for steps, (_, score) in zip(kept, ours, strict=True):
        # A lexical step's rule is not numbered: -1 in both.
        assert every[steps] == pytest.approx(math.exp(score), rel=1e-6)
    best, score = forest_scores.max_rule(made, found)
    assert (tuple(map(tuple, best.tolist())), score) == (kept[0], pytest.approx(ours[0][1]))


@cache
def grammar() -> SplitPCFG:
    quick = Schedule(split_rounds=5, merge_rounds=3, smooth_rounds=2)
    settings = [SplitSettings(levels=1, schedule=quick, seed=seed) for seed in (0, 1)]
    return product([SplitTraining(TREES, settings=one).fit().grammar() for one in settings])


def test_parser_gives_up_to_k_trees() -> None:
    """The first is what parsing alone finds, with its score."""
    parser = Parser(grammar())
    for tree in TREES[:12]:
        parses, alone = parser.kbest(tree.words(), 7), parser.parse(tree.words())
        assert (parses[0].tree, parses[0].failed) == (alone.tree, alone.failed)
        assert parses[0].score == pytest.approx(alone.score)
        assert parses[0].work.pushes == alone.work.pushes
        scores = [parse.score or 0.0 for parse in parses]
        assert scores == sorted(scores, reverse=True)
        assert 1 <= len(parses) <= 7
        assert all(parse.tree.words() == tree.words() for parse in parses)
    assert len(parser.kbest(TREES[0].words(), 1)) == 1


def test_binarized() -> None:
    words = max(TREES[:12], key=lambda tree: len(tree.leaves())).words()
    found = Parser(grammar(), binarized=True).kbest(words, 5)
    assert all(len(node.children) <= 2 for parse in found for node in parse.tree.nodes())


def test_without_a_parse_there_is_a_flat_tree() -> None:
    parser = Parser(grammar(), spans=Nothing())
    words = TREES[0].words()
    (found,) = parser.kbest(words, 5)
    assert found.failed
    assert found.tree == parser.parse(words).tree
    (pieces,) = Parser(grammar(), limits=sec.Limits(words=3)).kbest(words, 5)
    assert pieces.degraded


def test_grammars_that_have_no_derivation_in_common() -> None:
    """Each says that the other's is impossible: what there is instead of a tree is one flat tree."""
    coarse = PCFG.from_text("S -> A A 0.5 | B B 0.5\nA -> 'a' 1.0\nB -> 'a' 1.0")
    whole, parts = exp_blocks(coarse), []
    for rule in (0, 1):
        binary = whole.binary.copy()
        binary[rule] = 0.0
        parts.append(whole._replace(binary=binary))
    both = SplitPCFG(coarse, parts[0], np.ones((len(coarse.symbols), 1)), (), (parts[1],))
    (found,) = Parser(both).kbest(["a", "a"], 3)
    assert found.failed
    assert len(Parser(both.alone).kbest(["a", "a"], 3)) == 1


def test_derivations_over_sub_symbols_are_not_listed() -> None:
    with pytest.raises(sec.InputError, match="not listed"):
        Parser(grammar().alone, decode="viterbi").kbest(TREES[0].words(), 2)


class Nothing:
    """No spans."""

    def mask(self, words: Sequence[str]) -> npt.NDArray[np.bool_]:
        return np.zeros((len(words) + 1, len(words) + 1), np.bool_)
