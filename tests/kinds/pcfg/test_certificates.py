"""Certificates: never wrong, and given where there is nothing to know."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from agenda_cases import Case, Run, cases
from naive import cky as naive
from secateur.errors import InputError
from secateur.grammar.latent.bounds import Bounds, largest
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.derivation import score_of
from secateur.kernels.agenda.priorities import How, uniform_cost
from secateur.kernels.agenda.state import NONE
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import left_out
from secateur.kinds.pcfg.certificates import Certifier, agenda_certified
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.testing.strategies import WORDS, grammars, masks, sentences
from split_cases import random_split

BYTES = 1 << 30
LOW = np.float32(-1e30)


def exact(grammar: PCFG, words: np.ndarray, mask: np.ndarray | None = None) -> np.float32:
    n = len(words)
    kept = np.ones((n + 1, n + 1), np.bool_) if mask is None else mask
    return cky.viterbi(grammar.rules, words, kept, NO_ANCHORS, BYTES)[1]


@settings(max_examples=200)
@given(grammars(), sentences(longest=9), st.data())
def test_with_what_a_mask_leaves_out_there_is_all(
    grammar: PCFG, sentence: list[str], data: st.DataObject
) -> None:
    """By the grammar itself: the better of both scores is that without a mask, bit for bit."""
    words = grammar.lexicon.encode(sentence)
    mask = data.draw(masks(len(words), density=0.6))
    most = left_out.left_out(grammar.rules, grammar.rules, words, mask, NO_ANCHORS, BYTES, LOW)
    best = naive.viterbi(grammar, words).score
    assert max(most, exact(grammar, words, mask)) == best
    # With a floor below it, nothing that counts is dropped; with one above, nothing is found.
    for floor in (most - np.float32(0.5), most + np.float32(0.5)) if most > -np.inf else ():
        again = left_out.left_out(grammar.rules, grammar.rules, words, mask, NO_ANCHORS, BYTES, floor)
        assert again == most if floor < most else again <= floor


class Drawn:
    """A split grammar at random, with a sentence and a mask."""

    def __init__(self, grammar: PCFG, seed: int, sentence: list[str], mask: np.ndarray) -> None:
        blocks, mass, ancestry = random_split(grammar, 2, np.random.default_rng(seed), zeros=0.2, proper=True)
        self.split = SplitPCFG(grammar, blocks, mass, ancestry)
        self.flat = self.split.flat()
        self.words, self.mask = self.flat.lexicon.encode(sentence), mask


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    sentence = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=7))
    mask = draw(masks(len(sentence), density=draw(st.sampled_from((0.4, 0.8)))))
    return Drawn(draw(grammars(rules=6)), draw(st.integers(0, 1 << 32)), sentence, mask)


@settings(max_examples=100)
@given(drawn())
def test_what_is_certified_is_best(case: Drawn) -> None:
    """At each level; and a higher one knows at least as much of what is left out."""
    best, found = exact(case.flat, case.words), exact(case.flat, case.words, case.mask)
    coarse_words = case.split.coarse.lexicon.encode([case.flat.lexicon.words[w] for w in case.words])
    most = []
    for level in range(3):
        certifier = Certifier(case.split, level)
        if certifier.certifies(coarse_words, case.mask, float(found)):
            assert found == best
        seen, rules = certifier._seen, largest(case.split, level).rules
        given_ = (coarse_words, case.mask, NO_ANCHORS, BYTES, LOW)
        most.append(left_out.left_out_of_blocks(case.split.padded, rules, seen, *given_))
        assert max(most[-1], found) >= best
    assert most[0] >= most[1] - 1e-4 >= most[2] - 2e-4 or best == -np.inf
    assert max(most[2], found) == best


@settings(max_examples=200)
@given(
    cases(exact=False, cost_is_uniform=False), st.sampled_from((1.0, 4.0, 12.0, np.inf)), st.integers(1, 60)
)
def test_what_an_agenda_certifies_is_best(case: Case, delta: float, pops: int) -> None:
    """In any order, with delta and a mask, and stopped wherever."""
    # An order that rules items out has to be right about it: this one is drawn.
    drawn = case.priorities._replace(outside=np.maximum(case.priorities.outside, np.float32(-50.0)))
    own = case._replace(anchors=NO_ANCHORS, how=How(delta), priorities=drawn)
    grammar, words, mask = own.grammar, own.words, own.mask
    best = exact(grammar, words)
    for limit in (pops, 1 << 30):
        _, run = Run.of(own).go(limit)
        if run.goal == NONE:
            continue
        score = float(exact_score(run))
        if agenda_certified(Bounds.own(grammar), words, mask, run.state, own.how, score):
            assert score == best


def exact_score(run: Run) -> np.float32:
    case = run.case
    return score_of(case.grammar.rules, case.words, NO_ANCHORS, np.array(run.steps(run.goal)))


# A grown grammar --------------------------------------------------------------------------------------------

TREES = sec.garden.treebank(132)
TRAIN, SENTENCES = TREES[:120], [tree.words() for tree in TREES[120:]]


@cache
def split() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()


def spans_of(words: list[str], share: float) -> np.ndarray:
    """Those of the best tree, and a share of the others."""
    tree = sec.Parser(split(), decode="viterbi", binarized=True).parse(words).tree
    mask = np.random.default_rng(len(words)).random((len(words) + 1,) * 2) < share
    for span in tree.spans():
        mask[span.i, span.k] = True
    return mask


def test_certificates_are_given() -> None:
    """Where little is pruned besides the worst, and by higher levels more often."""
    whole = sec.Parser(split(), decode="viterbi")
    count = np.zeros(3, int)
    for words in SENTENCES:
        best, mask = whole.parse(words), spans_of(words, 0.5)
        found = whole.parse(words, mask=mask)
        assert found.score == best.score
        ids = whole.grammar.lexicon.encode(sec.Sentence.of(words).penn)
        for level in range(3):
            count[level] += Certifier(split(), level).certifies(ids, mask, found.score)
    assert 0 < count[1] <= count[2]
    assert count[2] > len(SENTENCES) / 2


def test_orders_and_deltas_are_certified() -> None:
    grammar, found = split().flat(), 0
    bounds = Bounds.of(split(), grammar, 2)
    for words in SENTENCES:
        ids = grammar.lexicon.encode(sec.Sentence.of(words).penn)
        order, every = uniform_cost(len(ids), len(grammar.symbols)), np.ones((len(ids) + 1,) * 2, np.bool_)
        case = Case(grammar, ids, every, NO_ANCHORS, order, How(8.0))
        _, run = Run.of(case).go()
        if run.goal == NONE:
            continue
        score = float(exact_score(run))
        if agenda_certified(bounds, ids, case.mask, run.state, case.how, score):
            found += 1
            assert score == exact(grammar, ids)
    assert found > len(SENTENCES) / 4


def test_a_parser_certifies_when_asked() -> None:
    words = SENTENCES[0]
    mask = spans_of(words, 0.9)
    asked = sec.Parser(split(), decode="viterbi", using=Using(certify=True))
    plain = sec.Parser(split(), decode="viterbi")
    ids = plain.grammar.lexicon.encode(sec.Sentence.of(words).penn)
    found = asked.parse(words, mask=mask)
    assert found.certified == Certifier(split(), 2).certifies(ids, mask, found.score)
    assert not plain.parse(words, mask=mask).certified
    assert asked.parse(words, mask=np.ones_like(mask)).certified
    assert asked.parse(words).certified
    assert found.score == plain.parse(words, mask=mask).score
    nothing = asked.parse(words, mask=np.zeros_like(mask))
    assert not (nothing.failed and nothing.certified)


def test_what_cannot_be_certified() -> None:
    with pytest.raises(InputError, match="of a max-rule tree it is not known"):
        sec.Parser(split(), using=Using(certify=True))
    for other in ({"kbest": 2}, {"max_recall": True}, {"marginals": 0.1}):
        with pytest.raises(InputError, match="certify is for the best derivation's tree"):
            Using(certify=True, **other)
    with pytest.raises(InputError, match="leave one of them out"):
        Using(certify=True, deadline="5ms")
    with pytest.raises(InputError, match="level 7"):
        Certifier(split(), 7)
    above = PCFG.build("S", [("S", "t", "t", 1e-4)], [], [("t", "a", -1.0)])
    ids = above.lexicon.encode(["a", "a"])
    assert not Certifier(above).certifies(ids, np.ones((3, 3), np.bool_), -1.0)
