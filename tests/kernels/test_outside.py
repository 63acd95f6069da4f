"""Viterbi outside scores, and bounds from coarser grammars, against dictionaries and all derivations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import secateur as sec
from naive.cky import UNARY, cell_of
from naive.enumerate import Forest
from naive.outside import Scores
from secateur.errors import InputError
from secateur.grammar.latent.bounds import Bounds, largest
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.outside import estimate, slack_of
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.testing.strategies import WORDS, grammars, masks, sentences
from split_cases import random_split

BYTES = 1 << 30


def everything(n: int) -> np.ndarray:
    return np.ones((n + 1, n + 1), np.bool_)


def estimated(grammar: PCFG, words: np.ndarray, *, admissible: bool = False) -> tuple[np.ndarray, np.ndarray]:
    best, outside, complete = estimate(
        grammar.rules, words, everything(len(words)), NO_ANCHORS, admissible, BYTES
    )
    assert complete
    return best, outside


def spans(n: int) -> list[tuple[int, int]]:
    return [(i, k) for k in range(1, n + 1) for i in range(k)]


@given(grammars(), sentences(longest=6))
def test_outside_equals_its_definition(grammar: PCFG, sentence: list[str]) -> None:
    words = grammar.lexicon.encode(sentence)
    best, outside = estimated(grammar, words)
    twin = Scores(grammar, words)
    for i, k in spans(len(words)):
        here = [twin.node(i, k, x) for x in twin.symbols]
        assert best[cell_of(i, k)] == pytest.approx(max(here), rel=1e-5)
        # The chart's items alone have a score: of what has nothing inside nobody asks.
        expected = [twin.outer(i, k, x) if here[x] > -np.inf else -np.inf for x in twin.symbols]
        np.testing.assert_allclose(outside[cell_of(i, k)], expected, rtol=1e-5, atol=1e-5)


@given(grammars(), sentences(longest=13, unknown=False))
def test_long_rows_equal_the_definition_too(grammar: PCFG, sentence: list[str]) -> None:
    """More than one vector of splits."""
    words = grammar.lexicon.encode(sentence)
    _, outside = estimated(grammar, words)
    twin = Scores(grammar, words)
    for i, k in spans(len(words)):
        for x in twin.symbols:
            expected = twin.outer(i, k, x) if twin.node(i, k, x) > -np.inf else -np.inf
            assert outside[cell_of(i, k), x] == pytest.approx(expected, rel=1e-5, abs=1e-5)


@given(grammars(rules=9), sentences(longest=5, unknown=False))
def test_inside_and_outside_bound_every_derivation(grammar: PCFG, sentence: list[str]) -> None:
    """And those of the best derivation reach its score, at each of its items."""
    words = grammar.lexicon.encode(sentence)
    every = Forest(grammar, words)
    assume(0 < every.size() <= 500)
    _, outside = estimated(grammar, words)
    twin = Scores(grammar, words)
    derivations = every.derivations()
    assume(derivations)
    best = max(float(d.log) for d in derivations)
    for d in derivations:
        for kind, x, i, k, _ in d.steps:
            outer = float(outside[cell_of(i, k), x])
            inside = twin.node(i, k, x) if kind == UNARY else twin.base(i, k, x)
            assert inside + outer >= d.log - 1e-4
            if kind != UNARY and d.log == best:
                assert inside + outer == pytest.approx(best, rel=1e-5, abs=1e-4)


@given(grammars(), sentences(longest=8), st.data())
def test_masks_hold(grammar: PCFG, sentence: list[str], data: st.DataObject) -> None:
    """With fewer spans nothing is better, and what is pruned is in no parse."""
    words = grammar.lexicon.encode(sentence)
    mask = data.draw(masks(len(words)))
    _, outside = estimated(grammar, words)
    _, fewer, _ = estimate(grammar.rules, words, mask, NO_ANCHORS, False, BYTES)
    assert (fewer <= outside).all()
    for i, k in spans(len(words)):
        if 1 < k - i < len(words) and not mask[i, k]:
            assert (fewer[cell_of(i, k)] == -np.inf).all()


def test_a_small_limit_stops_it() -> None:
    grammar = PCFG.from_text("S -> S S 0.5 | 'a' 0.5")
    words = grammar.lexicon.encode(["a"] * 9)
    *_, complete = estimate(grammar.rules, words, everything(9), NO_ANCHORS, False, 100)
    assert not complete


# Bounds -----------------------------------------------------------------------------------------------------


def check_bound(split: SplitPCFG, fine: PCFG, words: np.ndarray, level: int) -> None:
    """From a coarser grammar nothing looks worse than it is, in whatever order numbers are added."""
    best, outside = estimated(fine, words)
    bounds = Bounds.of(split, fine, level)
    seen = bounds.estimate(words)
    assert bounds.admissible
    assert seen.outside.dtype == np.float32
    assert (seen.outside[:, bounds.seen] >= outside).all()
    assert (seen.best >= best - 1e-5 * np.abs(best)).all() if np.isfinite(best).all() else True


@settings(max_examples=30)
@given(
    grammars(rules=6),
    st.integers(0, 1 << 32),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
)
def test_the_largest_probabilities_bound_all(grammar: PCFG, seed: int, sentence: list[str]) -> None:
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, 2, rng, zeros=0.3, proper=True)
    split = SplitPCFG(grammar, blocks, mass, ancestry)
    fine = split.flat()
    words = fine.lexicon.encode(sentence)
    for level in range(3):
        check_bound(split, fine, words, level)


@given(grammars(rules=6), st.integers(0, 1 << 32))
def test_each_symbol_is_seen_as_its_ancestor(grammar: PCFG, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks, mass, ancestry = random_split(grammar, 2, rng, zeros=0.0, proper=True)
    split = SplitPCFG(grammar, blocks, mass, ancestry)
    fine = split.flat()
    for level in range(3):
        bounds = Bounds.of(split, fine, level, "average")
        for x, name in enumerate(fine.symbols):
            if name == fine.start:
                assert bounds.grammar.symbols[bounds.seen[x]] == name
                continue
            plain, _, sub = name.rpartition("~")
            above = int(sub)
            for origin in reversed(ancestry[level:]):
                above = int(origin[grammar.number[plain]][above])
            assert bounds.grammar.symbols[bounds.seen[x]] == f"{plain}~{above}"


@cache
def grown() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return (
        SplitTraining(sec.garden.treebank(120), settings=SplitSettings(levels=2, schedule=quick))
        .fit()
        .grammar()
    )


@pytest.mark.parametrize("level", [0, 1, 2])
def test_bounds_of_a_grown_grammar(level: int) -> None:
    split = grown()
    fine = split.flat()
    for tree in sec.garden.treebank(130)[120:]:
        check_bound(split, fine, fine.lexicon.encode(tree.words()), level)


def test_averages_are_closer_but_no_bound() -> None:
    split = grown()
    fine = split.flat()
    above, below = 0, 0
    for tree in sec.garden.treebank(130)[120:]:
        words = fine.lexicon.encode(tree.words())
        _, outside = estimated(fine, words)
        bounds = Bounds.of(split, fine, 0, "average")
        assert not bounds.admissible
        seen = bounds.estimate(words).outside[:, bounds.seen]
        there = outside > -np.inf
        assert (seen[there] > -np.inf).all()
        above += int((seen[there] > outside[there]).sum())
        below += int((seen[there] < outside[there]).sum())
    assert above > 0 < below


def test_largest_is_the_grammar_itself_at_its_own_level() -> None:
    split = grown()
    assert largest(split, len(split.ancestry)).binary.weight.tolist() == split.flat().binary.weight.tolist()


def test_levels_that_are_not_there() -> None:
    split = grown()
    with pytest.raises(InputError, match="level 7"):
        Bounds.of(split, split.flat(), 7)


def test_slack_covers_the_additions() -> None:
    assert slack_of(40) == np.float32(320 * 2.0**-24)
