"""The k best derivations by agenda: those of CKY, in its order, where that can be known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import How
from secateur.kinds.pcfg.agenda import AgendaParser
from secateur.kinds.pcfg.agenda_given import Order
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.limits import Limits
from secateur.testing.strategies import grammars, masks, sentences

TREES = sec.garden.treebank(140)
TRAIN, SENTENCES = TREES[:120], [tree.words() for tree in TREES[120:]]
BOUNDARY = ("words", "label | word before", "word after | label")
MANY = 400


@cache
def plain() -> PCFG:
    return sec.induce(TRAIN)


@cache
def split() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()


@cache
def boundary() -> Order:
    features = PriorityFeatures.learned(plain(), TRAIN, Binarization(), settings=PrioritySettings(merit=True))
    return Order(features, features.start(*BOUNDARY))


def said(parses: Any) -> list[tuple[str, float | None]]:
    return [(str(parse), parse.score) for parse in parses]


class Given:
    """A mask."""

    def __init__(self, mask: Any) -> None:
        self.kept = mask

    def mask(self, words: Sequence[str]) -> Any:
        return self.kept


@settings(max_examples=100)
@given(st.data())
def test_by_score_they_are_those_of_cky(data: st.DataObject) -> None:
    """For any k, scores bit for bit and ties in their order; with a mask those of the spans it keeps."""
    grammar = data.draw(grammars(exact=data.draw(st.booleans()), rules=9))
    words = data.draw(sentences(longest=5))
    n, k = len(words), data.draw(st.sampled_from((1, 2, 5, MANY)))
    mask = data.draw(st.just(None) | masks(n))
    spans = None if mask is None else Given(mask)
    wanted = sec.Parser(grammar, spans=spans, binarized=True).kbest(words, k)
    found = AgendaParser(grammar, spans=spans, binarized=True).kbest(words, k)
    assert found[0].failed == wanted[0].failed
    if not found[0].failed:
        assert said(found) == said(wanted)
        assert all(parse.certified == (spans is None) for parse in found)


@pytest.mark.parametrize("k", [1, 3, 30])
def test_those_of_a_treebank(k: int) -> None:
    """And the first pops far less than all of them would take."""
    chart, agenda = sec.Parser(plain()), AgendaParser(plain(), using=Using(kbest=k))
    for words, found in zip(SENTENCES, agenda.answers([agenda.given(w) for w in SENTENCES]), strict=True):
        if not found[0].failed:
            assert said(found) == said(chart.kbest(words, k))
        pops = [parse.work.pops for parse in found]
        assert pops == sorted(pops)
        assert pops[0] <= 2 * agenda.parse(words).work.pops


@pytest.mark.parametrize("level", [None, 0, 1])
def test_with_sub_symbols_each_tree_comes_once(level: int | None) -> None:
    """With its best derivation; by score or by bounds of a coarser grammar."""
    flat = split().flat()
    order = None if level is None else Bounds.of(split(), flat, level)
    agenda, chart = AgendaParser(flat, order=order), sec.Parser(flat)
    for words in SENTENCES[:8]:
        wanted = dict[str, float | None]()
        for tree, score in said(chart.kbest(words, 60)):
            wanted.setdefault(tree, score)
        found = said(islice(agenda.kbest_as_found(words, 9), len(wanted)))
        assert len(dict(found)) == len(found)
        if not wanted or found[0][1] == -np.inf:
            continue
        if order is None:
            assert found == list(wanted.items())[:9]
        else:  # ties may fall otherwise
            assert [score for _, score in found] == list(wanted.values())[:9]


def test_they_come_when_they_are_known() -> None:
    """Of the first nothing more is popped than half as much again."""
    long = [word for words in SENTENCES for word in words][:24]
    found = AgendaParser(plain()).kbest_as_found(long, 1000)
    first, second = next(found), next(found)
    assert first.work.pops <= second.work.pops
    assert first.score is not None
    assert second.score is not None
    assert first.score >= second.score


def test_of_other_orders_they_are_the_best_of_what_was_popped() -> None:
    chart, agenda = sec.Parser(plain()), AgendaParser(plain(), order=boundary(), how=How(9.0, widen=1.5))
    some = 0
    for words in SENTENCES:
        found, best = agenda.kbest(words, 4), chart.kbest(words, 4)
        scores = [parse.score for parse in found if parse.score is not None]
        assert scores == sorted(scores, reverse=True)
        assert not any(parse.certified for parse in found)
        assert all(own <= (other.score or 0.0) for own, other in zip(scores, best, strict=False))
        assert found[0].failed == best[0].failed
        assert len({str(parse) for parse in found}) == len(found) > 1 or found[0].failed or len(best) == 1
        some += said(found) == said(best)
    assert some >= 2


def test_where_there_are_fewer_or_none() -> None:
    grammar = PCFG.from_text("S -> S S 0.5 | 'a' 0.5")
    parser = AgendaParser(grammar)
    assert len(parser.kbest(["a"] * 4, 100)) == 5
    (only,) = parser.kbest(["a", "b"], 5)
    assert only.failed
    assert only.tree.words() == ["a", "b"]
    (tight,) = AgendaParser(grammar, limits=Limits(chart_bytes=100_000)).kbest(["a"] * 60, 3)
    assert tight.notes == {"status": "memory"}
    (long,) = AgendaParser(grammar, limits=Limits(words=3)).kbest(["a"] * 6, 3)
    assert long.degraded
    few = AgendaParser(grammar, pops=12).kbest(["a"] * 5, 50)
    assert 0 < len(few) < 14
    assert few[0].work.pops <= 12
    with pytest.raises(sec.InputError, match="0 best trees; ask for 1 or more"):
        parser.kbest(["a"], 0)
