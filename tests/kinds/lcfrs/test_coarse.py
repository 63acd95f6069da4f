"""Coarse to fine: everything passes at threshold 0; above, fewer items, and what is kept is likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.induce import induce
from secateur.kernels.lcfrs.gate import EVERYTHING
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.kinds.lcfrs.exact import PlcfrsParser
from secateur.kinds.pcfg.parser import Parser
from secateur.search.core import Policy
from secateur.tasks.span_pruning.masks import LearnedMask, settled
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree


@lru_cache
def trees() -> list[Tree]:
    return list(DISCONTINUOUS.normalized(DISCONTINUOUS.grown(150), DiscontinuousReading()))


@lru_cache
def coarse() -> CoarseToFine:
    return CoarseToFine.induced(induce(trees()), trees())


def short() -> list[Sentence]:
    return [DISCONTINUOUS.sentence(tree) for tree in trees() if len(tree.words()) <= 9]


def test_every_component_has_a_coarse_symbol() -> None:
    fine = coarse().fine
    owner = np.repeat(np.arange(len(fine.symbols)), fine.fanout)
    nameless = {fine.symbols[x] for x, name in zip(owner, coarse().names, strict=True) if not name}
    tags = {symbol for symbol, tag in zip(fine.symbols, fine.tags, strict=True) if tag}
    assert nameless <= tags
    assert len(set(coarse().names) - {""}) == len([name for name in coarse().names if name])


def test_nothing_is_lost_at_threshold_0() -> None:
    exact = PlcfrsParser(coarse().fine)
    gated = PlcfrsParser(coarse().fine, gating=[replace(coarse(), threshold=0.0)])
    for sentence in short():
        assert gated.parse(sentence).score == exact.parse(sentence).score


def test_fewer_items_and_mostly_the_same_trees() -> None:
    exact, gated = PlcfrsParser(coarse().fine), PlcfrsParser(coarse().fine, gating=[coarse()])
    pairs = [(exact.parse(sentence), gated.parse(sentence)) for sentence in short()]
    assert sum(b.work.items for _, b in pairs) < 0.5 * sum(a.work.items for a, _ in pairs)
    assert all(b.failed or b.score <= a.score for a, b in pairs)
    assert sum(a.tree == b.tree for a, b in pairs) > 0.8 * len(pairs)


def test_what_is_likely_passes() -> None:
    """A component passes where its symbol's posterior, as the parser of phrases has it, is large enough."""
    phrases = Parser(coarse().grammar)
    fine = coarse().fine
    first = np.cumsum(fine.fanout) - fine.fanout
    for sentence in short()[:5]:
        gate, found = coarse().gate(sentence.penn).gate, phrases.marginals(sentence)
        assert found is not None
        likely = {span for span, _ in found.above(coarse().threshold)}
        for x, symbol in enumerate(fine.symbols):
            for part in range(int(fine.fanout[x])):
                name = coarse().names[int(first[x]) + part]
                spans = {(i, k) for label, i, k in likely if label == name and name}
                if fine.tags[x]:
                    spans |= {(i, i + 1) for i in range(len(sentence))}
                passing = zip(*np.where(gate.interval[int(first[x]) + part] > 0), strict=True)
                assert {(int(i), int(k)) for i, k in passing} == spans, symbol


def test_without_a_coarse_parse_everything_passes() -> None:
    sentence = Sentence.of(["the"] * 5)
    fails = Parser(coarse().grammar).parse(sentence).failed
    assert fails
    assert coarse().gate(sentence.penn).gate is EVERYTHING
    parse = PlcfrsParser(coarse().fine, gating=[coarse()]).parse(sentence)
    assert parse.score == PlcfrsParser(coarse().fine).parse(sentence).score
    assert parse.tree.words() == ["the"] * 5


class Given:
    """A mask for every sentence."""

    def __init__(self, keep: bool) -> None:
        self.keep = keep

    def mask(self, words: Sequence[str]) -> npt.NDArray[np.bool_]:
        return settled(np.full((len(words) + 1, len(words) + 1), self.keep))


def test_spans_that_are_left_out_have_no_items() -> None:
    """A mask that keeps all changes nothing; where one leaves no parse, all spans are looked at after all."""
    for sentence in short():
        free = coarse().gate(sentence.penn)
        whole, nothing = (replace(coarse(), spans=Given(keep)).gate(sentence.penn) for keep in (True, False))
        assert np.array_equal(whole.gate.interval, free.gate.interval)
        assert whole.pushes == free.pushes
        if len(sentence) > 3:
            assert nothing.pushes >= free.pushes
            assert np.array_equal(nothing.gate.interval, free.gate.interval)


def test_a_learned_mask_bounds_the_coarse_chart() -> None:
    features = SpanFeatures(frozenset("abc"), bits=12)
    for seed in range(5):
        weights = np.random.default_rng(seed).normal(size=features.dim).astype(np.float32)
        mask = LearnedMask(features, Policy(weights))
        masked = replace(coarse(), spans=mask, threshold=0.0)
        for sentence in short():
            n, kept = len(sentence), mask.mask(sentence.penn)
            assert kept[np.arange(n), np.arange(n) + 1].all()
            assert kept[0, n]
            found = Parser(masked.grammar).parse(sentence, mask=kept)
            gated = masked.gate(sentence.penn)
            if not found.failed:
                assert gated.pushes == found.work.pushes


def test_pushes_of_the_coarse_grammar_count() -> None:
    gated, alone = PlcfrsParser(coarse().fine, gating=[coarse()]), PlcfrsParser(coarse().fine)
    for sentence in short()[:10]:
        before = coarse().gate(sentence.penn).pushes
        assert before > 0
        assert gated.parse(sentence).work.pushes > before
        assert alone.parse(sentence).work.pushes > 0
