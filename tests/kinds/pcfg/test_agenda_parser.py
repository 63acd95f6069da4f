"""Parsing by agenda: against charts where it is exact, and a tree wherever it stops."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import secateur as sec
from secateur.errors import InputError
from secateur.features.priority import PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.hierarchy import Hierarchy
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG, TOLERANCE
from secateur.kernels.agenda.halting import BEFORE, SEEN
from secateur.kernels.agenda.priorities import How
from secateur.kinds.pcfg import agenda
from secateur.kinds.pcfg.agenda import AgendaParser
from secateur.kinds.pcfg.agenda_given import Order
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.tasks.agenda_order.task import Halting
from secateur.tasks.span_pruning.masks import settled
from secateur.testing.strategies import grammars, sentences
from secateur.treebanks.tree import Tree

TREES = sec.garden.treebank(140)
TRAIN, SENTENCES = TREES[:120], [tree.words() for tree in TREES[120:]]
LONG = [word for words in SENTENCES for word in words][:90]
UNKNOWN = ["blorp", "Zyzzyva", "42", "frobbed"] * 5
RIGHT = Binarization("right")


@cache
def split() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()


@cache
def fine() -> PCFG:
    return split().flat()


@cache
def boundary() -> Order:
    settings = PrioritySettings(merit=True)
    features = PriorityFeatures.learned(fine(), TRAIN, RIGHT, settings=settings)
    return Order(features, features.start("words", "label | word before", "word after | label"))


class Narrow:
    """Keeps short spans."""

    def mask(self, words: list[str]) -> Any:
        i, k = np.indices((len(words) + 1,) * 2)
        return settled((k - i < 6) | (k == len(words)))


def assert_whole(parse: Parse[Tree], words: list[str]) -> None:
    assert parse.tree.words() == words
    assert len(parse.tree.tags()) == len(words)
    tags = {*fine().unsplit, "X"}
    assert set(parse.tree.tags()) <= tags
    assert parse.tree.label == "ROOT"


def test_by_score_it_is_cky() -> None:
    own, chart = AgendaParser(split()), sec.Parser(fine())
    for words in SENTENCES:
        found, exact = own.parse(words), chart.parse(words)
        assert (str(found), found.score) == (str(exact), exact.score)
        assert found.certified == exact.certified == (not found.failed)
        assert found.notes == {"status": "complete"}
        assert found.work.kept == exact.work.kept


@given(grammars(exact=False, rules=14), sentences(longest=7))
def test_what_is_certified_is_best(grammar: PCFG, words: list[str]) -> None:
    """Weights may be above 0."""
    exact, found = sec.Parser(grammar).parse(words), AgendaParser(grammar).parse(words)
    assert exact.failed == found.failed
    if found.certified:
        assert found.score == exact.score
    assert found.failed or found.score <= exact.score
    assert found.fields()["certified"] is found.certified


def test_what_is_left_out_is_not_certified() -> None:
    words = SENTENCES[0]
    assert not AgendaParser(fine(), how=How(5.0)).parse(words).certified
    assert not AgendaParser(fine(), spans=Narrow()).parse(words).certified
    assert not AgendaParser(fine(), order=boundary()).parse(words).certified
    assert not sec.Parser(fine(), spans=Narrow()).parse(words).certified
    assert not sec.Parser(split()).parse(words).certified  # max-rule
    assert sec.Parser(split(), decode="viterbi").parse(words).certified
    mask = np.ones((len(words) + 1,) * 2, np.bool_)
    assert not sec.Parser(fine()).parse(words, mask=mask).certified
    above = PCFG.build("S", [("S", "t", "t", TOLERANCE)], [], [("t", "a", -1.0)])
    assert not AgendaParser(above).parse(["a", "a"]).certified


def test_certificates_of_any_order() -> None:
    """By the grammar itself, or by a coarser one, which knows less; those of exact searches stay."""
    asked, chart = Using(certify=True), sec.Parser(fine())
    exact = AgendaParser(fine(), using=asked)
    every = [
        AgendaParser(fine(), order=boundary(), how=How(12.0), using=asked, bounds=bounds)
        for bounds in (None, Bounds.of(split(), fine(), 0))
    ]
    count = np.zeros(2, int)
    for words in SENTENCES:
        best = chart.parse(words)
        assert exact.parse(words).certified == (not best.failed)
        found = [parser.parse(words) for parser in every]
        assert all(one.score == best.score for one in found if one.certified)
        count += [one.certified for one in found]
    assert count[0] >= count[1] > 0
    stopped = AgendaParser(fine(), order=boundary(), using=asked, pops=5).parse(SENTENCES[0])
    assert stopped.failed
    assert not stopped.certified


@pytest.mark.parametrize("level", [0, 1])
def test_bounds_of_a_coarser_grammar(level: int) -> None:
    """Admissible ones are exact with fewer pops; of others that is not known."""
    plain, chart = AgendaParser(fine()), sec.Parser(fine())
    exact, rough = (
        AgendaParser(fine(), order=Bounds.of(split(), fine(), level, joined))
        for joined in ("largest", "average")
    )
    pops = np.zeros(2)
    for words in SENTENCES:
        found = exact.parse(words)
        assert found.score == pytest.approx(chart.parse(words).score, rel=1e-6)
        assert found.certified == (not found.failed)
        other = rough.parse(words)
        assert not other.certified
        assert other.score <= found.score + 1e-4
        pops += [parse.work.pops for parse in (plain.parse(words), found)]
    assert pops[0] > 2 * pops[1]


@pytest.mark.parametrize("spans", [None, Narrow()])
def test_all_levels_of_a_hierarchy(spans: Narrow | None) -> None:
    """Exact with few pops of the last; with a mask, as charts are with it."""
    own = AgendaParser(split(), order=Hierarchy.of(split()), spans=spans, using=Using(certify=True))
    chart = sec.Parser(fine(), spans=spans)
    for words in SENTENCES:
        found, exact = own.parse(words), chart.parse(words)
        assert (str(found), found.score, found.failed) == (str(exact), exact.score, exact.failed)
        assert found.certified == (spans is None and not found.failed)
        assert found.work.kept == exact.work.kept
        assert found.notes == {"status": "complete"}
    few = AgendaParser(split(), order=Hierarchy.of(split()), spans=spans, pops=30).parse(LONG)
    assert_whole(few, LONG)
    assert (few.work.pops, few.failed, few.certified, few.notes) == (30, True, False, {"status": "pops"})
    dropping = AgendaParser(split(), order=Hierarchy.of(split()), spans=spans, how=How(4.0, widen=2.0))
    assert not any(dropping.parse(words).certified for words in SENTENCES[:4])
    assert "by bounds" in repr(own)


def test_a_hierarchy_has_one_tree() -> None:
    order = Hierarchy.of(split())
    for options in ({"using": Using(kbest=2)}, {"halting": halting(1.0)}):
        with pytest.raises(InputError, match=r"hierarchical A. finds one tree, which is the best"):
            AgendaParser(split(), order=order, **options)
    with pytest.raises(InputError, match="a deadline and bounds"):
        AgendaParser(split(), order=order, deadline=1.0)
    with pytest.raises(InputError, match="a hierarchy of another grammar"):
        AgendaParser(split(), order=order, level=0)
    for ask in (AgendaParser.pops, lambda parser, words: parser.kbest(words, 2)):
        with pytest.raises(InputError, match=r"hierarchical A. finds one tree; take bounds"):
            ask(AgendaParser(split(), order=order), SENTENCES[0])


def test_levels_are_those_of_the_hierarchy() -> None:
    coarse = sec.Parser(split().coarse).parse(SENTENCES[1])
    assert AgendaParser(split(), level=0).parse(SENTENCES[1]).score == coarse.score
    assert len(AgendaParser(split(), level=1).grammar.symbols) < len(fine().symbols)
    with pytest.raises(InputError, match="levels are those of split grammars; leave the level out"):
        AgendaParser(fine(), level=1)


def test_what_is_made_and_popped_along_the_way() -> None:
    parser = AgendaParser(fine(), order=boundary())
    for words in SENTENCES[:5]:
        parse, pops = parser.parse(words), parser.pops(words)
        assert len(pops) == parse.work.pops
        assert [pop.number for pop in pops] == list(range(1, len(pops) + 1))
        used = [pop for pop in pops if pop.used]
        assert {(pop.i, pop.k) for pop in used if not pop.over} >= {(i, i + 1) for i in range(len(words))}
        assert pops[-1].used
        assert (pops[-1].i, pops[-1].k) == (0, len(words))
        assert pops[-1].score == pytest.approx(parse.score)
    narrow = AgendaParser(fine(), how=How(0.5, widen=2.0))
    for words in SENTENCES[:8]:
        parse, pops = narrow.parse(words), narrow.pops(words)
        assert len(pops) <= parse.work.pops
        assert parse.failed or (pops[-1].i, pops[-1].k) == (0, len(words))


@pytest.mark.parametrize("words", [SENTENCES[2], LONG, UNKNOWN, ["42"]])
@pytest.mark.parametrize("order", [None, "boundary"])
def test_there_is_a_tree_wherever_it_stops(words: list[str], order: str | None) -> None:
    chosen = boundary() if order else None
    sizes = []
    for pops in (1, 20, 200):
        parse = AgendaParser(fine(), order=chosen, pops=pops).parse(words)
        assert_whole(parse, words)
        if parse.work.pops == pops and parse.failed:
            assert parse.notes == {"status": "pops"}
        sizes.append(len(parse.tree.children))
    assert sizes == sorted(sizes, reverse=True)
    small = AgendaParser(fine(), order=chosen, limits=Limits(chart_bytes=1)).parse(LONG)
    assert_whole(small, LONG)
    assert (small.notes, small.failed) == ({"status": "memory"}, True)


def test_delta_is_widened_until_there_is_a_parse() -> None:
    narrow, wide = (AgendaParser(fine(), how=How(0.5, widen=widen)) for widen in (1.0, 2.0))
    failed = [words for words in SENTENCES if narrow.parse(words).failed]
    assert failed
    for words in failed:
        assert wide.parse(words).work.pops > narrow.parse(words).work.pops
        assert not wide.parse(words).failed
        assert wide.parse(words).work.pushes == sum(
            AgendaParser(fine(), how=How(0.5 * 2.0**n)).parse(words).work.pushes
            for n in range(20)
            if n == 0 or AgendaParser(fine(), how=How(0.5 * 2.0 ** (n - 1))).parse(words).failed
        )


def hasty() -> Order:
    """Wide items first."""
    features = boundary().features
    weights = features.start("words")
    weights[features.names.index("length")] += 4.0
    return Order(features, weights)


def halting(weight: float) -> Halting:
    """Goes on after the first parse for good or not at all."""
    weights = np.zeros(SEEN)
    weights[BEFORE] = weight
    return Halting(weights)


@pytest.mark.parametrize("how", [How(), How(3.0, widen=1.5)])
@pytest.mark.parametrize("spans", [None, Narrow()])
def test_a_policy_goes_past_the_first_parse(how: How, spans: Narrow | None) -> None:
    """To trees that are no worse; one that stops there changes nothing."""
    options: Any = {"order": hasty(), "how": how, "spans": spans, "using": Using(certify=True)}
    usual = AgendaParser(fine(), **options)
    first, far = (AgendaParser(fine(), **options, halting=halting(weight)) for weight in (-1.0, 1.0))
    better, sure, statuses = 0, np.zeros(2, int), set()
    for words in SENTENCES:
        plain, found, best = (parser.parse(words) for parser in (usual, first, far))
        assert (str(found), found.score, found.work) == (str(plain), plain.score, plain.work)
        assert found.certified == plain.certified
        assert found.notes == {"status": "complete" if plain.failed else "halted"}
        assert best.score >= plain.score
        assert plain.work.pops <= best.work.pops <= 4 * plain.work.pops
        better += best.score > plain.score
        sure += (plain.certified, best.certified)
        statuses.add(best.notes["status"])
        if best.certified:
            assert best.score == AgendaParser(fine()).parse(words).score
        pops = far.pops(words)
        assert len(pops) <= best.work.pops
        assert len(pops) > len(usual.pops(words)) or best.work.pops == plain.work.pops
        assert {(pop.i, pop.k) for pop in pops if pop.used} >= {(s.i, s.k) for s in best.tree.spans()}
    assert better
    assert sure[1] >= sure[0]
    assert "halted" in statuses or how.delta < np.inf  # with delta agendas are empty sooner
    stopped = AgendaParser(fine(), **options, halting=halting(1.0), pops=30)
    found = stopped.parse(SENTENCES[0])
    assert (found.work.pops, found.notes) == (30, {"status": "pops"})


class Clock:
    """Each look at it takes a while."""

    def __init__(self, step: float) -> None:
        self.now, self.step = count(0.0, step), step

    def perf_counter(self) -> float:
        return next(self.now)


def within(deadline: float, monkeypatch: pytest.MonkeyPatch, **options: Any) -> AgendaParser:
    """Looks at the clock take a millisecond: so does a slice, whatever its size."""
    parser = AgendaParser(fine(), deadline=deadline, **options)
    monkeypatch.setattr(agenda, "time", Clock(1e-3))
    return parser


@pytest.mark.parametrize("words", [SENTENCES[2], LONG, UNKNOWN])
def test_a_deadline_ends_the_search(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for deadline in (1e-4, 0.03, 0.06, 1e6):
        parser = within(deadline, monkeypatch, order=boundary())
        parse = found[deadline] = parser.parse(words)
        assert_whole(parse, words)
        assert parse.seconds <= deadline + 0.005
        # What comes after the deadline makes no difference to another sentence.
        assert_whole(parser.parse(SENTENCES[0]), SENTENCES[0])
    assert found[1e-4].notes == {"status": "deadline"}
    assert found[1e-4].work.pops == 0
    assert found[1e-4].failed
    assert found[1e6].notes == {"status": "complete"}
    pops = [parse.work.pops for parse in found.values()]
    assert pops == sorted(pops)
    assert str(found[1e6]) == str(AgendaParser(fine(), order=boundary()).parse(words))


def test_pieces_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = within(0.1, monkeypatch, limits=Limits(words=30))
    parse = parser.parse(LONG)
    assert_whole(parse, LONG)
    assert parse.degraded
    assert parse.seconds <= 0.13
    assert parse.notes["status"] in ("complete", "deadline")


def test_it_travels() -> None:
    parser = AgendaParser(fine(), order=boundary())
    again = pickle.loads(pickle.dumps(parser))
    assert str(again.parse(SENTENCES[0])) == str(parser.parse(SENTENCES[0]))
    late = AgendaParser(fine(), deadline=1e6)
    late.warm_up()
    assert SimpleNamespace(**late.__getstate__())._pace is None
    trees = [str(parse) for parse in late.pipe(SENTENCES[:4], jobs=2)]
    assert trees == [str(AgendaParser(fine()).parse(words)) for words in SENTENCES[:4]]


def test_what_makes_no_sense_is_refused() -> None:
    for deadline in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"a deadline of .* seconds; give more than nothing"):
            AgendaParser(fine(), deadline=deadline)
    with pytest.raises(InputError, match="how long bounds take is not known before"):
        AgendaParser(fine(), order=Bounds.of(split(), fine(), 0), deadline=1.0)
    with pytest.raises(InputError, match="0 pops; ask for 1 or more"):
        AgendaParser(fine(), pops=0)
    for options in ({"deadline": 1.0}, {"using": Using(kbest=2)}):
        with pytest.raises(InputError, match="and a policy that ends searches"):
            AgendaParser(fine(), halting=halting(1.0), **options)
    for using in (Using(max_recall=True), Using(marginals=0.1)):
        with pytest.raises(InputError, match="an agenda keeps one derivation of an item"):
            AgendaParser(fine(), using=using)
    with pytest.raises(TypeError, match="needs a grammar"):
        AgendaParser("grammar")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="an empty sentence"):
        AgendaParser(fine()).parse([])
    names = [repr(AgendaParser(fine(), order=order)) for order in (None, boundary())]
    assert [name.split(", ")[-1] for name in names] == ["by score>", "by features>"]


def test_what_is_of_another_grammar_is_refused() -> None:
    other = sec.PCFG.build("S", [("S", "A", "A", -1.0)], [], [("A", "a", -1.0)])
    with pytest.raises(InputError, match="bounds of another grammar"):
        AgendaParser(fine(), order=Bounds.own(other))
    with pytest.raises(InputError, match="features of another grammar"):
        AgendaParser(other, order=boundary())
    with pytest.raises(InputError, match=r"1 weights of \d+ features"):
        AgendaParser(fine(), order=boundary()._replace(weights=np.zeros(1, np.float32)))
    with pytest.raises(TypeError, match="an order is an Order, Bounds or a Hierarchy, not 3"):
        AgendaParser(fine(), order=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "what"),
    [
        (How(0.0, widen=1.5), "a delta of 0 that is widened stays 0"),
        (How(-1.0), "a delta of -1.0"),
        (How(float("nan")), "a delta of nan"),
        (How(8.0, widen=0.5), "widened by 0.5"),
        (How(merge=7), "7 is no way to merge"),
    ],
)
def test_ways_to_work_that_have_no_end(how: How, what: str) -> None:
    with pytest.raises(InputError, match=what):
        AgendaParser(fine(), how=how)


def test_a_deadline_without_a_class_of_unknown_words() -> None:
    """What is tried when a parser is loaded are unknown words: here they make no items."""
    names = [f"X{number}" for number in range(300)]
    words = [(name, f"w{number % 100}", -1.0) for number, name in enumerate(names)]
    grammar = sec.PCFG.build("S", [("S", name, name, -1.0) for name in names], [], words)
    parse = AgendaParser(grammar, deadline=10.0).parse(["w1", "w1"])
    assert parse.score == AgendaParser(grammar).parse(["w1", "w1"]).score > -np.inf
    with pytest.raises(TypeError, match="a deadline is a number of seconds, not '5ms'"):
        AgendaParser(grammar, deadline="5ms")  # type: ignore[arg-type]
