"""All decoders of split grammars through Parser: against flat grammars, and against all derivations."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import secateur as sec
from forest_cases import Case, case_of, cases, exact, possible, times
from naive import forest as naive
from naive.cky import cell_of
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.grammar import SplitPCFG, product
from secateur.grammar.latent.ladder import Ladder, ladder
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kernels.split.tree_em import Blocks
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.posterior import Marginals
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.limits import Limits
from secateur.search.core import Policy
from secateur.testing.strategies import anchors, blocks, grammars, masks, sentences

QUICK = Schedule(split_rounds=8, merge_rounds=4, smooth_rounds=3)
TREES = sec.garden.treebank(240)
TRAIN, HELD_OUT = TREES[:220], TREES[220:]
NONE = np.zeros((0, 0), np.float32)
Mask = npt.NDArray[np.bool_]


@cache
def grammar() -> SplitPCFG:
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=QUICK)).fit().grammar()


@cache
def flat() -> PCFG:
    return grammar().flat()


class Given:
    """The spans of a mask."""

    def __init__(self, kept: Mask) -> None:
        self.kept = kept

    def mask(self, words: object) -> Mask:
        return self.kept


def split_of(coarse: PCFG, split: Blocks) -> SplitPCFG:
    return SplitPCFG(coarse, split, np.ones((len(coarse.symbols), int(split.splits.max()))), ())


def flat_anchors(coarse: PCFG, single: PCFG, scores: Anchors) -> Anchors:
    """The same for all sub-symbols of a symbol."""
    of = [coarse.number[name] for name in single.unsplit]
    return Anchors(*(np.ascontiguousarray(part[:, of]) if part.size else part for part in scores))


def named(found: Marginals) -> dict[tuple[str, int], float]:
    """By label and cell, as far as they are not 0."""
    names = (*found.labels, "made")
    return {(names[c], int(cell)): float(found.table[cell, c]) for cell, c in np.argwhere(found.table > 0.0)}


def same(ours: Marginals | None, theirs: Marginals | None) -> None:
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert ours.log_total == pytest.approx(theirs.log_total, rel=1e-9, abs=1e-9)
        assert named(ours) == pytest.approx(named(theirs), rel=1e-9, abs=1e-9)


def symbols_of(coarse: PCFG, label: str) -> npt.NDArray[np.intp]:
    return np.flatnonzero(coarse.labels.of == coarse.label_names.index(label))


def random_anchors(words: list[str], *, far: float = 1.0, seed: int = 0) -> Anchors:
    rng = np.random.default_rng(seed)
    n, labels = len(words), len(grammar().coarse.symbols)
    span, tag = ((far * rng.normal(size=(rows, labels))).astype(np.float32) for rows in (n * (n + 1) // 2, n))
    return Anchors(span, tag)


# Random grammars --------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(grammars(rules=9, tags_apart=True), sentences(longest=6), st.data())
def test_as_the_flat_grammar(coarse: PCFG, words: list[str], data: st.DataObject) -> None:
    """Marginals, and the score of the best derivation, with and without masks and anchors."""
    n = len(words)
    split = split_of(coarse, data.draw(blocks(coarse)))
    kept = data.draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    scores = data.draw(st.just(NO_ANCHORS) | anchors(coarse, n))
    try:
        single = split.flat()
    except InputError:
        assume(False)
    ours = Parser(split, decode="viterbi", spans=Given(kept))
    theirs = Parser(single, spans=Given(kept))
    others = flat_anchors(coarse, single, scores)
    same(ours.marginals(words, anchors=scores), theirs.marginals(words, anchors=others))
    mine, flat_one = ours.parse(words, anchors=scores), theirs.parse(words, anchors=others)
    assert (mine.failed, mine.work.kept) == (flat_one.failed, flat_one.work.kept)
    assert mine.score == flat_one.score
    recalled = ours.max_recall(words, anchors=scores)
    assert recalled.failed == mine.failed
    assert recalled.work._replace(kept=mine.work.kept) == mine.work


def check_max_rule(case: Case, split: Blocks) -> None:
    """With nothing dropped: no derivation's rules have a larger product of posteriors."""
    whole = split_of(case.grammar, split)
    words = [case.grammar.lexicon.words[w] for w in case.words.tolist()]
    found = Parser(whole, ladder=ladder(whole, least=0.0)).parse(words, anchors=case.anchors)
    expected = naive.posteriors(case.weighted)
    assume(expected.total)
    highest = max(naive.product_of(expected, steps) for steps, _ in case.weighted)
    assert found.score == pytest.approx(math.log(highest), rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(cases())
def test_max_rule_equals_enumeration(case: Case) -> None:
    check_max_rule(case, case.blocks)


@settings(max_examples=60)
@given(grammars(rules=9), sentences(longest=4, unknown=False), st.data())
def test_max_rule_with_anchors_far_apart(coarse: PCFG, words: list[str], data: st.DataObject) -> None:
    """Too far for the unsplit grammar's sums, not for those of the split one."""
    scores = times(data.draw(anchors(coarse, len(words))), 1000.0)
    split = possible(data.draw(blocks(coarse)))
    check_max_rule(case_of(coarse, words, exact(split), 2000, scores), split)


# A grammar of the garden ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", HELD_OUT[:4], ids=range(4))
def test_garden_sentences(tree: sec.Tree) -> None:
    """The best derivation's tree, its score, marginals and the tree of maximum recall."""
    words = tree.words()
    ours, theirs = Parser(grammar(), decode="viterbi"), Parser(flat())
    for scores in (NO_ANCHORS, random_anchors(words)):
        others = flat_anchors(grammar().coarse, flat(), scores)
        mine, flat_one = ours.parse(words, anchors=scores), theirs.parse(words, anchors=others)
        assert (mine.tree, mine.score) == (flat_one.tree, flat_one.score)
        assert mine.work.pushes > 0 < mine.work.items
        same(ours.marginals(words, anchors=scores), theirs.marginals(words, anchors=others))
        recalled = ours.max_recall(words, anchors=scores)
        assert recalled.tree == theirs.max_recall(words, anchors=others).tree
    # How a sentence is decoded says nothing about its marginals.
    same(Parser(grammar()).marginals(words), theirs.marginals(words))


def test_each_decoder_finds_its_own() -> None:
    """Trees may differ; scores are a derivation's log probability, and the log of a product of posteriors."""
    differ = 0
    for tree in HELD_OUT:
        best = Parser(grammar(), decode="viterbi").parse(tree.words())
        likeliest = Parser(grammar(), decode="max-rule").parse(tree.words())
        differ += best.tree != likeliest.tree
        assert best.score < likeliest.score < 0.0
    assert differ
    assert Parser(grammar()).decode == "max-rule"
    assert Parser(flat()).decode == Parser(grammar().coarse, decode="viterbi").decode == "viterbi"


@pytest.mark.parametrize("decode", ["max-rule", "viterbi"])
def test_anchors_of_zero_change_nothing(decode: sec.parser.Decode) -> None:
    words, parser = HELD_OUT[0].words(), Parser(grammar(), decode=decode)
    plain, anchored = parser.parse(words), parser.parse(words, anchors=random_anchors(words, far=0.0))
    assert (plain.tree, plain.work) == (anchored.tree, anchored.work)
    assert plain.score == pytest.approx(anchored.score, rel=1e-12)


@pytest.mark.parametrize("far", [20.0, 3000.0])
@pytest.mark.parametrize("decode", ["max-rule", "viterbi"])
def test_anchors_decide(decode: sec.parser.Decode, far: float) -> None:
    """What is forbidden is in no tree, and what is favoured is, wherever some tree has it."""
    words = max((tree.words() for tree in HELD_OUT), key=len)
    n, coarse, parser = len(words), grammar().coarse, Parser(grammar(), decode=decode)
    plain = parser.parse(words)
    inner = next(span for span in plain.tree.spans() if 1 < span.k - span.i < n)
    span = np.zeros((n * (n + 1) // 2, len(coarse.symbols)), np.float32)
    span[cell_of(inner.i, inner.k), symbols_of(coarse, inner.label)] = -np.inf
    assert inner not in parser.parse(words, anchors=Anchors(span, NONE)).tree.spans()
    found = parser.marginals(words)
    assert found is not None
    rivals = [(p, other) for other, p in found.above(1e-6) if other not in plain.tree.spans()]
    _, rival = max((p, other) for p, other in rivals if 1 < other.k - other.i < n)
    span[:] = 0.0
    span[cell_of(rival.i, rival.k), symbols_of(coarse, rival.label)] = far
    scores = Anchors(span, np.full((n, len(coarse.symbols)), -far, np.float32))  # of each word as much
    assert rival in parser.parse(words, anchors=scores).tree.spans()
    favoured = parser.marginals(words, anchors=scores)
    assert favoured is not None
    assert favoured[rival] > 0.999


def test_masks_and_policies() -> None:
    words = HELD_OUT[1].words()
    n = len(words)
    features = SpanFeatures.from_words(TRAIN.vocabulary())
    rng = np.random.default_rng(3)
    policy = Policy(rng.normal(0.3, 1.0, features.dim).astype(np.float32))
    kept = features.scores(features.columns(words), policy.weights) > 0
    assert 0 < kept[np.triu_indices(n + 1, 2)].sum() < n * (n - 1) // 2
    policed = Parser(grammar(), decode="viterbi", features=features, policy=policy)
    masked = Parser(grammar(), decode="viterbi", spans=Given(kept))
    for decoded in (policed.parse(words), masked.parse(words)):
        by_mask = Parser(flat()).parse(words, mask=kept)
        assert (decoded.tree, decoded.score) == (by_mask.tree, by_mask.score)
        assert decoded.work.kept == by_mask.work.kept < n * (n - 1) // 2 - 1
    others = Parser(flat(), spans=Given(kept))
    same(policed.marginals(words), others.marginals(words))
    same(masked.marginals(words), others.marginals(words))
    nothing = np.zeros((n + 1, n + 1), np.bool_)
    none = Parser(grammar(), decode="viterbi").parse(words, mask=nothing)
    assert (none.failed, none.score, none.work.kept) == (True, -np.inf, 0)
    assert none.tree.words() == words
    recalled = Parser(grammar(), spans=Given(nothing)).max_recall(words)
    assert recalled.failed
    assert Parser(grammar(), spans=Given(nothing)).marginals(words) is None
    with pytest.raises(InputError, match="mask has shape"):
        Parser(grammar(), decode="viterbi").parse(words, mask=nothing[1:])


def test_limits() -> None:
    """Of words or of memory: in pieces, which are decoded alike."""
    words = HELD_OUT[0].words()
    parser = Parser(grammar(), decode="viterbi")
    lanes = 8 * int(grammar().padded.block_ptr[-1])
    tight = 12 * 50 * lanes + 100_000  # a chart of some nine words
    for limits in (Limits(words=len(words) - 1), Limits(chart_bytes=tight)):
        short = Parser(grammar(), decode="viterbi", limits=limits)
        for found in (short.parse(words), short.max_recall(words)):
            assert found.degraded
            assert found.tree.words() == words
        assert short.marginals(words) is None
    assert not parser.parse(words).degraded
    shape = (3, len(grammar().coarse.symbols))
    with pytest.raises(InputError, match="span anchors"):
        parser.marginals(words, anchors=Anchors(np.zeros(shape, np.float32), NONE))


def tiny() -> SplitPCFG:
    """Much ambiguity; of the nine sub-symbols of A some are far less likely than others."""
    coarse = PCFG.from_text("""
        S -> A A 0.5 | S A 0.5
        A -> A B 0.2 | B 0.2 | 'a' 0.6
        B -> B A 0.1 | 'b' 0.9
    """)
    rng = np.random.default_rng(5)
    k = np.array([{"S": 1, "A": 9, "B": 3}[name] for name in coarse.symbols], np.uint32)
    parts: list[npt.NDArray[np.generic]] = []
    for symbols in (
        (coarse.binary.parent, coarse.binary.left, coarse.binary.right),
        (coarse.unary.parent, coarse.unary.child),
        (coarse.lexicon.tag,),
    ):
        sizes = np.prod([k[column] for column in symbols], axis=0).astype(np.int64)
        parts += [np.append(0, np.cumsum(sizes)).astype(np.uint64), rng.random(int(sizes.sum())) ** 6 / 40]
    return split_of(coarse, Blocks(k, *parts))


def test_a_forest_of_everything_has_a_limit_too() -> None:
    words = [word for tree in HELD_OUT for word in tree.words()][:40]
    everything = ladder(grammar(), levels=[], least=0.0)
    whole = Parser(grammar(), ladder=everything).parse(words)
    assert not whole.degraded
    # The chart alone would have room, but not the forest of all its hyperedges.
    limits = Limits(chart_bytes=40 * Parser(grammar().coarse).parse(words).work.pushes)
    assert not Parser(grammar(), limits=limits).parse(words).degraded
    assert Parser(grammar(), ladder=everything, limits=limits).parse(words).degraded


@pytest.mark.parametrize("far", [0.0, 5.0])
def test_two_hundred_words(far: float) -> None:
    n = 200
    rng = np.random.default_rng(n)
    words = [("a", "b")[w] for w in rng.integers(0, 2, n)]
    span = (far * rng.normal(size=(n * (n + 1) // 2, 3))).astype(np.float32)
    scores = Anchors(span, NONE) if far else NO_ANCHORS
    split = tiny()
    for decode in ("viterbi", "max-rule"):
        found = Parser(split, decode=decode).parse(words, anchors=scores)
        assert not found.failed
        assert not found.degraded
        assert np.isfinite(found.score)
        assert found.tree.words() == words
    posteriors = Parser(split).marginals(words, anchors=scores)
    assert posteriors is not None
    assert np.isfinite(posteriors.table).all()
    assert np.isfinite(posteriors.log_total)
    assert posteriors["S", 0, n] == pytest.approx(1.0)
    assert Parser(split).max_recall(words, anchors=scores).tree.words() == words


def test_what_is_refused() -> None:
    words = HELD_OUT[0].words()
    with pytest.raises(InputError, match=r"'best'.*max-rule or viterbi"):
        Parser(grammar(), decode="best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="max-rule"):
        Parser(flat(), decode="max-rule")
    steps: Ladder = ladder(grammar())
    for one, decode in ((grammar(), "viterbi"), (flat(), None)):
        with pytest.raises(InputError, match="ladder"):
            Parser(one, decode=decode, ladder=steps)  # type: ignore[arg-type]
    both = product([grammar(), grammar()])
    assert not Parser(both).parse(words).failed
    with pytest.raises(InputError, match="product"):
        Parser(both, decode="viterbi")
    with pytest.raises(InputError, match="product"):
        Parser(both).marginals(words)
    with pytest.raises(InputError, match="flat"):
        Parser(grammar(), decode="viterbi").kbest(words, 2)


def test_products_take_anchors() -> None:
    words = HELD_OUT[2].words()
    scores = random_anchors(words, far=3.0)
    once = Parser(grammar()).parse(words, anchors=scores)
    twice = Parser(product([grammar(), grammar()])).parse(words, anchors=scores)
    assert once.tree == twice.tree
    assert twice.score == pytest.approx(2.0 * once.score)


def test_parsers_travel() -> None:
    """To other processes, before and after their first sentence."""
    words = HELD_OUT[0].words()
    parser = Parser(replace(grammar()), decode="viterbi")
    before = [found.tree for found in parser.pipe([words] * 2, jobs=2)]
    found = parser.parse(words)
    after = [found.tree for found in parser.pipe([words] * 2, jobs=2)]
    assert before == after == [found.tree] * 2
