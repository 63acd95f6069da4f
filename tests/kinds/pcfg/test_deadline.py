"""Parsing by a deadline, with a clock that the tests wind."""

from __future__ import annotations

from collections import Counter
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.kernels.cky.pairs import count_pairs
from secateur.kinds.pcfg import deadline as timed
from secateur.kinds.pcfg.deadline import DeadlineParser, Pace, amounts_of, faster
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import Using, seconds_of
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.search.arrays import Bools
from secateur.search.core import Policy
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

TREES = sec.garden.treebank(130)
SENTENCES = [tree.words() for tree in TREES[100:]]
LONG = [word for words in SENTENCES for word in words][:250]
ODD = [["blorp"] * 250, ["cats", "and"] * 125, ["42"]]


@cache
def grammar() -> sec.PCFG:
    return sec.induce(TREES[:100])


@cache
def features() -> SpanFeatures:
    return SpanFeatures.from_words(Counter(w for tree in TREES[:100] for w in tree.words()), bits=12)


def policy(bias: float) -> Policy:
    rng = np.random.default_rng(1)
    return Policy(rng.normal(size=features().dim).astype(np.float32) + np.float32(bias))


class Watched(Parser):
    """Takes as long as it is told: for its words, for the spans to choose, and for pairs of those kept."""

    now, slow = 0.0, 1.0

    def parse(self, words: Any, *, mask: Bools | None = None, **options: Any) -> Parse[Tree]:
        _, n, _, pairs = amounts_of(len(words), mask)
        Watched.now += Watched.slow * (2e-5 + 1e-6 * n + 1e-6 * pairs)
        return super().parse(words, mask=mask, **options)

    def kept(self, sentence: Sentence) -> Bools:
        Watched.now += Watched.slow * 1e-7 * len(sentence) ** 2
        return super().kept(sentence)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    monkeypatch.setattr(timed, "time", SimpleNamespace(perf_counter=lambda: Watched.now))
    Watched.now, Watched.slow = 0.0, 1.0
    return Watched


def parser(deadline: float, **options: Any) -> DeadlineParser:
    """An exact one, one that prunes some spans, and one that prunes most."""
    pruned = [Watched(grammar(), features=features(), policy=policy(bias), **options) for bias in (0.2, -0.2)]
    return DeadlineParser([Watched(grammar(), **options), *pruned], deadline)


@pytest.mark.parametrize("deadline", [1e-6, 1e-4, 5e-4, 2e-3, 1e-2, 1.0, 100.0])
def test_every_sentence_has_a_tree_in_time(deadline: float, clock: type[Watched]) -> None:
    own = parser(deadline)
    own.warm_up()
    for words in (*SENTENCES, LONG, *ODD):
        before = clock.now
        parse = own.parse(words)
        assert clock.now - before <= deadline
        assert parse.tree.words() == words
        assert parse.tree.label == "ROOT"
        whole = parse.notes == {"status": "complete"}
        assert parse.degraded == parse.fell_back == (not whole) or (whole and not parse.degraded)
        assert parse.certified == (whole and not parse.fell_back)


def test_with_time_it_is_the_first_parser(clock: type[Watched]) -> None:
    own, exact = parser(1e9), Parser(grammar())
    for words in SENTENCES:
        found, wanted = own.parse(words), exact.parse(words)
        if not wanted.failed:
            assert (str(found), found.score, found.fell_back) == (str(wanted), wanted.score, False)


def test_with_less_time_fewer_spans_are_kept(clock: type[Watched]) -> None:
    words = max(SENTENCES, key=len)
    pairs = [float(count_pairs(one.kept(Sentence.of(words)))) for one in parser(1.0).parsers[1:]]
    found = [parser(deadline).parse(words) for deadline in (1.0, 1.4e-6 * pairs[0] + 3e-4, 1e-4)]
    assert [parse.fell_back for parse in found] == [False, True, True]
    assert [parse.notes["status"] for parse in found] == ["complete", "complete", "deadline"]
    assert found[0].work.pushes > found[1].work.pushes > found[2].work.pushes


def test_a_slower_machine_is_noticed(clock: type[Watched]) -> None:
    """Some sentences may come late; those after them do not."""
    own = parser(2e-3)
    own.warm_up()
    clock.slow = 2.0
    late = []
    for words in SENTENCES * 2:
        before = clock.now
        own.parse(words)
        late.append(clock.now - before > own.deadline)
    assert sum(late) <= 8
    assert not any(late[-30:])
    assert any(rung.parsing.usual > 1.5 for rung in own._rungs)


def test_a_pace_is_never_too_fast_for_what_was_measured() -> None:
    amounts = [(1.0, n, n**3) for n in (1.0, 5.0, 10.0, 40.0)]
    seconds = [1e-4, 3e-4, 4e-4, 8e-3]
    pace = Pace.measured(amounts, seconds)
    assert all(pace.of(one) >= took for one, took in zip(amounts, seconds, strict=True))
    before = pace.of(amounts[1])
    for _ in range(4):
        pace.took(amounts[1], before)
    assert pace.of(amounts[1]) > 1.2 * before
    for _ in range(1000):
        pace.took(amounts[1], before / 10)
    assert pace.of(amounts[1]) < before / 5
    pace.took(amounts[1], 1e6)  # interrupted
    assert pace.of(amounts[1]) < before


def test_long_sentences_are_treated_as_limits_say(clock: type[Watched]) -> None:
    for on_long, words in (("degrade", 250), ("flat", 250), ("skip", 0)):
        own = parser(1e9, limits=Limits(words=20, on_long=on_long))  # type: ignore[arg-type]
        parse = own.parse(LONG)
        assert parse.degraded
        assert len(parse.tree.words()) == words
    assert own.parse(SENTENCES[0]).notes == {"status": "complete"}


def test_faster_ways_keep_fewer_spans() -> None:
    parts = PcfgParts(grammar(), features())
    policies = {"a": policy(-0.5), "b": policy(3.0), "c": policy(-0.2), "d": policy(0.0)}
    policies["e"] = policy(0.01)
    names = [way["mask"] for way in faster(parts, {"decode": "viterbi"}, policies)]
    assert names == ["e", "c", "a"]  # "b" keeps all, and "d" what "e" does
    assert [way["mask"] for way in faster(parts, {"mask": "c", "decode": "viterbi"}, policies)] == ["a"]


@pytest.mark.parametrize(
    ("given", "seconds"), [("5ms", 0.005), (" 0.5 s", 0.5), (".1s", 0.1), (2, 2.0), (0.01, 0.01)]
)
def test_deadlines(given: object, seconds: float) -> None:
    assert seconds_of(given) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "given", ["0ms", "-1s", "5", "soon", "", "1e3ms", 0, -0.1, float("nan"), float("inf")]
)
def test_what_is_no_deadline_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="a deadline of"):
        Using(deadline=given)
    with pytest.raises(TypeError, match="a deadline is a number"):
        Using(deadline=True)  # type: ignore[arg-type]
    if given == "5":
        with pytest.raises(InputError, match="write it with its unit"):
            Using(deadline=given)
    if not isinstance(given, str):
        with pytest.raises(InputError, match="give more than nothing"):
            DeadlineParser([Parser(grammar())], given)


def test_a_deadline_is_for_the_best_tree() -> None:
    for more in ({"kbest": 2}, {"max_recall": True}, {"marginals": 0.5}):
        with pytest.raises(InputError, match="a deadline is for the best tree"):
            Using(deadline="5ms", **more)
    with pytest.raises(InputError, match="no parsers"):
        DeadlineParser([], 1.0)
    assert repr(DeadlineParser([Parser(grammar())], 0.005)).startswith("<DeadlineParser: 5 ms, <Parser: ")


def test_it_travels() -> None:
    """Another process measures for itself."""
    own = DeadlineParser([Parser(grammar())], 1e6)
    own.warm_up()
    assert not SimpleNamespace(**own.__getstate__())._rungs
    trees = [str(parse) for parse in own.pipe(SENTENCES[:4], jobs=2)]
    assert trees == [str(parse) for parse in own.batch([Sentence.of(words) for words in SENTENCES[:4]])]
