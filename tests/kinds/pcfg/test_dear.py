"""Parsing with a scorer that is asked late: as charts do that ask about everything, with fewer questions."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given

import secateur as sec
from secateur.errors import InputError
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.dear import DearParser, ask_all, scored_labels
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.limits import Limits
from secateur.tasks.span_pruning.masks import settled
from secateur.testing.strategies import grammars, sentences

TREES = sec.garden.treebank(132)
TRAIN, SENTENCES = TREES[:120], [tree.words() for tree in TREES[120:]]


class Odd:
    """Says something else of every phrase, and counts the questions."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int, str]] = []

    def __call__(self, words: Sequence[str], i: int, k: int, label: str) -> float:
        self.asked.append((i, k, label))
        return -(zlib.crc32(f"{' '.join(words)} {i} {k} {label}".encode()) % 64) / 16


class Many(Odd):
    """Takes many questions at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def many(self, words: Sequence[str], phrases: Sequence[tuple[int, int, str]]) -> list[float]:
        self.sizes.append(len(phrases))
        return [self(words, *phrase) for phrase in phrases]


@cache
def split() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()


@given(grammars(), sentences(longest=6, unknown=False))
def test_charts_that_ask_about_everything_score_the_same(grammar: PCFG, words: list[str]) -> None:
    every, few = Odd(), Odd()
    anchors, calls = ask_all(grammar, words, every)
    exact, found = sec.Parser(grammar).parse(words, anchors=anchors), DearParser(grammar, few).parse(words)
    assert (found.score, found.failed) == (exact.score, exact.failed)
    assert calls == len(every.asked) == len(set(every.asked))
    assert set(few.asked) <= set(every.asked)
    assert found.notes == {"status": "complete", "calls": len(few.asked)}
    assert found.certified == (not found.failed)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_split_grammar_is_asked_by_its_labels(level: int) -> None:
    """Bounds of each level make the questions fewer, and the block kernel finds the same."""
    total = np.zeros(3, int)
    for words in SENTENCES[:6]:
        every, few, none = Odd(), Odd(), Odd()
        anchors, calls = ask_all(split(), words, every)
        exact = sec.Parser(split(), decode="viterbi").parse(words, anchors=anchors)
        bounds = Bounds.of(split(), split().flat(), level)
        found = DearParser(split(), few, bounds=bounds).parse(words)
        assert found.score == exact.score == DearParser(split(), none, bounds="none").parse(words).score
        assert found.certified
        assert set(few.asked) <= set(none.asked) <= set(every.asked)
        assert len(few.asked) == len(set(few.asked)) == found.notes["calls"]
        total += [len(few.asked), len(none.asked), calls]
    assert total[0] < total[1] <= total[2]


def test_what_is_asked_about() -> None:
    """Not tags, nor made symbols, nor labels on the way of a unary rule: those have no score of their own."""
    grammar = sec.induce(TRAIN)
    labels, label = scored_labels(grammar)
    assert not any(name.startswith("@") for name in labels)
    assert {"ROOT", "NP"} <= set(labels)
    assert not {"DT", "NN"} & set(labels)
    every = Odd()
    ask_all(grammar, SENTENCES[0], every)
    assert {one for _, _, one in every.asked} <= set(labels)
    assert len(label) == len(grammar.symbols)


def test_many_questions_at_once() -> None:
    grammar = sec.induce(TRAIN)
    one, some = Many(), Many()
    alone, together = DearParser(grammar, one), DearParser(grammar, some, together=4)
    for words in SENTENCES:
        assert together.parse(words).score == alone.parse(words).score
    assert set(one.sizes) == {1}
    assert max(some.sizes) == 4
    assert len(some.sizes) < len(one.sizes) <= sum(some.sizes)
    every = Many()
    calls = ask_all(grammar, SENTENCES[0], every)[1]
    assert every.sizes == [calls]


class Narrow:
    """Keeps short spans."""

    def mask(self, words: Sequence[str]) -> np.ndarray:
        i, k = np.indices((len(words) + 1,) * 2)
        return settled((k - i < 4) | (k == len(words)))


def test_masks_and_limits() -> None:
    grammar, words = sec.induce(TRAIN), SENTENCES[0]
    mask = Narrow().mask(words)
    anchors, _ = ask_all(grammar, words, Odd(), mask)
    found = DearParser(grammar, Odd(), spans=Narrow()).parse(words)
    assert found.score == sec.Parser(grammar).parse(words, anchors=anchors, mask=mask).score
    assert not found.certified
    cut = DearParser(grammar, Odd(), pops=3).parse(words)
    assert (cut.notes["status"], cut.work.pops, cut.failed) == ("pops", 3, True)
    assert cut.tree.words() == words
    small = DearParser(grammar, Odd(), limits=Limits(chart_bytes=1)).parse(words)
    assert (small.notes, small.failed) == ({"status": "memory", "calls": 0}, True)
    pieces = DearParser(grammar, Odd(), bounds="none", limits=Limits(words=len(words) - 1)).parse(words)
    assert pieces.degraded
    assert pieces.notes["calls"] > 0


def test_it_travels() -> None:
    parser = DearParser(sec.induce(TRAIN), Odd())
    again = pickle.loads(pickle.dumps(parser))
    assert str(again.parse(SENTENCES[0])) == str(parser.parse(SENTENCES[0]))


def test_what_a_scorer_may_not_say() -> None:
    grammar, words = sec.induce(TRAIN), SENTENCES[1]
    for said in (0.5, float("nan")):
        with pytest.raises(InputError, match=r"a score of .* for \(.*give at most 0, or say"):
            DearParser(grammar, lambda *_, said=said: said).parse(words)
    with pytest.raises(InputError, match="give at most -1"):
        DearParser(grammar, lambda *_: -0.5, bound=-1.0).parse(words)
    for bound in (0.5, float("nan"), -float("inf")):
        with pytest.raises(InputError, match="a bound of"):
            DearParser(grammar, Odd(), bound=bound)
    with pytest.raises(InputError, match="bounds"):
        DearParser(grammar, Odd(), bounds="nearly")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="bounds of another grammar; make them of this one"):
        DearParser(grammar, Odd(), bounds=Bounds.own(sec.induce(TRAIN[:9])))
    with pytest.raises(InputError, match="0 questions together"):
        DearParser(grammar, Odd(), together=0)
    with pytest.raises(TypeError, match="needs a grammar"):
        DearParser("grammar", Odd())  # type: ignore[arg-type]

    class Short(Odd):
        def many(self, words: Sequence[str], phrases: Sequence[tuple[int, int, str]]) -> list[float]:
            return []

    with pytest.raises(InputError, match="scores for 1 phrases; give one for each"):
        DearParser(grammar, Short()).parse(words)
