"""Hierarchical A* against its slow twin, pop by pop, and against CKY."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from naive.cky import Mask
from naive.hierarchy import Hierarchical
from secateur.errors import InputError
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.hierarchy import Hierarchy, looked_through
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.hierarchy import Climbed, hierarchical
from secateur.kernels.agenda.levels import levels_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, How, Limits
from secateur.kernels.agenda.state import BYTES, EMPTY, FOUND, LONGEST, POPS
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.testing.strategies import grammars, masks, sentences
from secateur.treebanks.normalization import AS_IN_THE_PAPER
from split_cases import random_split

LIMIT = 1 << 30


class Case(NamedTuple):
    grammars: list[PCFG]  # coarse before fine
    seen: list[Ids]
    words: Ids
    mask: Mask

    def climbed(self, how: How = EXACT, limits: Limits = NO_LIMITS, *, log: bool = False) -> Climbed:
        levels = levels_of([grammar.rules for grammar in self.grammars], self.seen)
        return hierarchical(levels, self.words, self.mask, how, limits, log=log)

    def score(self) -> float:
        return float(cky.viterbi(self.grammars[-1].rules, self.words, self.mask, NO_ANCHORS, LIMIT)[1])


@st.composite
def cases(draw: st.DrawFn, *, longest: int = 5, rules: int = 9) -> Case:
    """A split grammar and some of its levels; weights are often equal."""
    grammar = draw(grammars(exact=True, rules=rules))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    depth, proper = draw(st.sampled_from((0, 1, 2))), draw(st.booleans())
    blocks, _, ancestry = random_split(grammar, depth, rng, zeros=0.0, proper=proper)
    if draw(st.booleans()):  # powers of 2, of which some are 0 or 1
        few = np.array([0.0, 0.25, 0.5, 1.0])
        blocks = blocks._replace(**{
            name: few[rng.integers(0 if draw(st.booleans()) else 1, 4, getattr(blocks, name).shape)]
            for name in ("binary", "unary", "lexical")
        })  # fmt: skip
    split = SplitPCFG(grammar, blocks, np.ones((len(blocks.splits), int(blocks.splits.max()))), ancestry)
    chosen = draw(st.sampled_from(((0, 1), (1,), (0,), ()))) if depth == 2 else range(depth)
    every, seen = looked_through(split, chosen)
    words = every[-1].lexicon.encode(draw(sentences(longest=longest)))
    n = len(words)
    mask = draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    return Case(every, seen, words, mask)


DELTAS = st.sampled_from((np.inf, np.inf, 0.0, 0.7, 2.0))


@settings(max_examples=150)
@given(cases(), DELTAS)
def test_kernel_equals_twin(case: Case, delta: float) -> None:
    """Pop by pop: which item, with which priority."""
    twin = Hierarchical(*case, delta)
    parsed = twin.run()
    found = case.climbed(How(delta), log=True)
    log = list(zip(map(tuple, found.log.tolist()), found.log_key.tolist(), strict=True))
    assert log == twin.log
    assert (found.pops, found.pushes) == (len(twin.log), twin.pushes)
    assert found.status == (FOUND if parsed else EMPTY)
    assert [tuple(step) for step in found.steps.tolist()] == (twin.answer() if parsed else [])
    for level, (inside, outside) in enumerate(found.pops_of.tolist()):
        kinds = [item[1] >= 2 for item, _ in twin.log if item[0] == level]
        assert (inside, outside) == (kinds.count(False), kinds.count(True))


@settings(max_examples=300)
@given(cases(longest=8, rules=14))
def test_the_parse_is_the_best_one(case: Case) -> None:
    found, score = case.climbed(), case.score()
    assert found.score == score
    assert (found.status == FOUND) == (score > -np.inf)
    rough = case.climbed(How(0.5, 2, 1.5))
    assert (rough.score > -np.inf) == (score > -np.inf)
    assert rough.score <= score


@settings(max_examples=100)
@given(cases(longest=8, rules=14), st.integers(0, 60))
def test_pops_are_limited(case: Case, pops: int) -> None:
    whole, cut = case.climbed(log=True), case.climbed(limits=Limits(pops=pops), log=True)
    assert cut.log.tolist() == whole.log[:pops].tolist()
    assert cut.status == (POPS if whole.pops > pops else whole.status)
    assert cut.pops == cut.pops_of.sum() == min(pops, whole.pops)


# Larger grammars --------------------------------------------------------------------------------------------

QUICK = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=2)
TREES = sec.garden.treebank(200).normalize(AS_IN_THE_PAPER)
LEVELS = 3


@cache
def training() -> SplitTraining:
    return SplitTraining(TREES, settings=SplitSettings(levels=LEVELS, schedule=QUICK)).fit()


@cache
def hierarchy(level: int) -> Hierarchy:
    return Hierarchy.of(training().grammar(level))


@pytest.mark.parametrize("level", range(LEVELS + 1))
def test_scores_are_those_of_cky(level: int) -> None:
    found, rng = hierarchy(level), np.random.default_rng(1)
    rules = found.grammar.rules
    assert found.numbers == tuple(range(level + 1))
    for tree in sec.garden.treebank(215)[200:]:
        words = found.grammar.lexicon.encode(tree.words())
        n = len(words)
        for mask in (np.ones((n + 1, n + 1), np.bool_), rng.random((n + 1, n + 1)) < 0.8):
            score = cky.viterbi(rules, words, mask, NO_ANCHORS, LIMIT)[1]
            climbed = found.parse(words, mask)
            assert climbed.score == score
            assert climbed.pops_of.sum() == climbed.pops


def test_the_last_level_pops_little() -> None:
    """What the levels before leave is a small part of what there is without them."""
    split = training().grammar(LEVELS)
    alone, every = Hierarchy.of(split, ()), hierarchy(LEVELS)
    words = every.grammar.lexicon.encode(max((tree.words() for tree in TREES[:40]), key=len))
    assert every.parse(words).pops_of[-1, 0] * 10 < alone.parse(words).pops
    assert every.parse(words).pops_of[-1, 1] == 0
    assert every.parse(words).score == alone.parse(words).score


def test_memory_is_limited() -> None:
    found = hierarchy(LEVELS)
    words = found.grammar.lexicon.encode(max((tree.words() for tree in TREES[:40]), key=len))
    exact = found.parse(words)
    small = found.parse(words, limits=Limits(bytes=1 << 16))
    assert (small.status, small.score, len(small.steps)) == (BYTES, -np.inf, 0)
    assert small.pops < exact.pops
    assert found.parse(words, limits=Limits(bytes=1 << 28)).score == exact.score


def test_some_levels_are_enough() -> None:
    split = training().grammar(LEVELS)
    found = Hierarchy.of(split, [1])
    assert found.numbers == (1, LEVELS)
    words = found.grammar.lexicon.encode(TREES[0].words())
    assert found.parse(words).score == hierarchy(LEVELS).parse(words).score


def test_wrong_levels_are_refused() -> None:
    with pytest.raises(InputError, match="level 4 of a grammar with 3"):
        Hierarchy.of(training().grammar(LEVELS), [4])


@pytest.mark.parametrize("words", [0, LONGEST + 1])
def test_sentences_are_neither_empty_nor_endless(words: int) -> None:
    with pytest.raises(ValueError, match=f"^{words} words: an agenda takes 1 to 32767$"):
        hierarchy(0).parse(np.zeros(words, np.uint32), np.ones((1, 1), np.bool_))
