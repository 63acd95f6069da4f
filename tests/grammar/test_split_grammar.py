"""Words, sub-symbols and ladders of split grammars, and parsing with them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.ladder import ladder
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.latent.words import WordSmoothing, emissions
from secateur.grammar.lexicon import Lexicon, finer
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import forest, forest_scores
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.search.core import Policy

QUICK = Schedule(split_rounds=8, merge_rounds=4, smooth_rounds=3)
TREES = sec.garden.treebank(260)
TRAIN, HELD_OUT = TREES[:220], TREES[220:]


@cache
def grown() -> SplitTraining:
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=QUICK)).fit()


@cache
def grammar() -> SplitPCFG:
    return grown().grammar()


# Words ------------------------------------------------------------------------------------------------------

ENTRIES = (("N", "cat", False), ("N", "dog", False), ("V", "cat", False), ("V", "runs", False))
COUNTS = [np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.array([2.0]), np.array([1.0])]
MASS = {"N": np.array([3.5, 1.5]), "V": np.array([3.0])}
_ENDINGS = ("realize", "baptize", "agonize", "doze", "limbo", "gumbo", "turbo", "whale")


def test_a_frequent_word_speaks_for_itself() -> None:
    found = emissions(ENTRIES, COUNTS, MASS, WordSmoothing(rare=1, frequent=5))
    assert np.allclose(found["N", "cat"], [3.0 / 3.5, 1.0 / 1.5])
    assert np.allclose(found["V", "cat"], [2.0 / 3.0])


def test_a_rare_word_is_drawn_towards_its_class() -> None:
    smoothing = WordSmoothing(rare=1, frequent=5, known=0.25, unknown=0.5)
    found = emissions(ENTRIES, COUNTS, MASS, smoothing)
    # The rare words are dog, of class UNK-LC, and runs, of class UNK-LC-s; each counts a hundredth for the
    # classes that are shorter than its own.
    assert {name for _, name in found} - {word for _, word, _ in ENTRIES} == {"UNK-LC-s", "UNK-LC", "UNK"}
    dog, everything = np.array([0.5, 0.5]), 1.01 + 1.02
    prior = (dog + 0.5 * 1.01 * dog / everything) / (1.0 + 0.01 + 0.5)
    expected = (np.array([0.5, 0.5]) + 0.25 * prior) / (1.0 + 0.25) / MASS["N"]
    assert np.allclose(found["N", "dog"], expected)
    assert np.allclose(found["N", "UNK-LC"], prior / MASS["N"])


def test_sub_tags_of_a_rare_word_are_drawn_more_than_its_tags() -> None:
    entries = (("N", "cow", False), ("N", "dog", False), ("V", "dog", False))
    counts = [np.array([2.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0])]
    mass = {"N": np.array([2.0, 1.0]), "V": np.array([1.0])}
    smoothing = WordSmoothing(rare=2, known=0.0, unknown=0.0, shared=3.0)
    found = emissions(entries, counts, mass, smoothing)
    # All are rare, and of one class: two thirds of its N are of the first kind.
    assert np.allclose(found["N", "dog"] * mass["N"], np.array([0.0 + 2.0, 1.0 + 1.0]) / (1.0 + 3.0))
    assert np.allclose(found["N", "cow"] * mass["N"], 2.0 * np.array([2.0 + 2.0, 1.0]) / (2.0 + 3.0))
    assert np.allclose(found["V", "dog"], [1.0])  # tags stay as they were seen


def test_words_that_end_alike_are_a_class_of_their_own() -> None:
    entries = tuple(("V" if word.endswith("ze") else "N", word, False) for word in _ENDINGS)
    counts = [np.array([0.75, 0.25]) if tag == "N" else np.array([1.0]) for tag, _, _ in entries]
    mass = {"N": np.array([3.0, 1.0]), "V": np.array([4.0])}
    smoothing = WordSmoothing(unknown=0.0, ending=2.0, least=3, unlikely=0.4)
    found = emissions(entries, counts, mass, smoothing)
    names = {name for _, name in found if "~" in name}
    assert names == {"UNK-LC~ze", "UNK-LC~ize", "UNK-LC~bo"}  # others are too few
    # Half of the class are verbs. What ends in -ze is so in 4 of 4, nouns are unlikely.
    assert np.allclose(found["V", "UNK-LC~ze"] * mass["V"], 5 / 6)
    assert ("N", "UNK-LC~ze") not in found
    assert np.allclose(found["V", "UNK-LC~ize"] * mass["V"], (3 + 2 * 5 / 6) / (3 + 2))
    assert np.allclose(found["N", "UNK-LC~bo"] * mass["N"], (3 + 2 / 2) / (3 + 2) * np.array([0.75, 0.25]))
    lexicon = Lexicon.build((word, 0, 0.0) for _, word in found)
    assert lexicon.known("finalize") == "UNK-LC~ize"
    assert lexicon.known("gaze") == "UNK-LC~ze"
    assert lexicon.known("hobo") == "UNK-LC~bo"
    assert lexicon.known("table") == "UNK-LC"


def test_endings_of_numbers_have_digits_alike() -> None:
    assert finer("UNK-NUM", "1997") == ("UNK-NUM~000", "UNK-NUM~00")
    assert finer("UNK-CAPS", "Realize") == ("UNK-CAPS~lize", "UNK-CAPS~ize", "UNK-CAPS~ze")
    assert finer("UNK", "up") == ()


def test_a_sub_tag_that_nothing_uses_has_no_words() -> None:
    counts = [np.array([4.0, 0.0]), np.array([1.0, 0.0]), COUNTS[2], COUNTS[3]]
    found = emissions(ENTRIES, counts, MASS | {"N": np.array([5.0, 0.0])}, WordSmoothing())
    assert all(p[1] == 0.0 and np.isfinite(p).all() for (tag, _), p in found.items() if tag == "N")


# The grammar ------------------------------------------------------------------------------------------------


def test_the_coarse_grammar_is_the_treebanks() -> None:
    induced = sec.induce(TRAIN, binarization=sec.Binarization("right"))
    assert grammar().coarse.symbols == induced.symbols
    assert np.array_equal(grammar().coarse.binary.weight, induced.binary.weight)
    assert grammar().blocks.splits[induced.number[induced.start]] == 1
    assert grammar().blocks.splits.max() > 2


def log_total(grammar: sec.PCFG, words: list[str]) -> float:
    found = sec.Parser(grammar).marginals(words)
    assert found is not None
    return found.log_total


def test_flat_and_split_grammar_agree() -> None:
    """One sums over sub-symbols in blocks, the other knows nothing of them."""
    split = grammar()
    flat = split.flat()
    rules = split.coarse.rules
    assert set(flat.plain) == set(split.coarse.plain)
    for tree in HELD_OUT[:5]:
        words = tree.words()
        ids = split.coarse.lexicon.encode(words)
        chart = cky.chart_of(rules, ids, np.ones((len(ids) + 1,) * 2, np.bool_), NO_ANCHORS, 1 << 30)
        everything = np.ones(len(chart.label), np.bool_)
        woods = forest.build(rules, chart, ids, everything, everything)
        scores = forest_scores.inside(woods, split.blocks, NO_ANCHORS)
        total = np.log(scores.node[woods.top, 0]) + scores.power[woods.top] * np.log(2.0)
        assert np.isclose(total, log_total(flat, words), rtol=1e-6)  # the flat chart's weights are rounded


# Parsing ----------------------------------------------------------------------------------------------------


def test_dropping_nothing_is_the_same_through_any_ladder() -> None:
    one = sec.Parser(grammar(), ladder=ladder(grammar(), levels=(), least=0.0))
    many = sec.Parser(grammar(), ladder=ladder(grammar(), levels=(0, 1), least=0.0))
    for tree in HELD_OUT[:8]:
        first, second = one.parse(tree.words()), many.parse(tree.words())
        assert first.tree == second.tree
        assert np.isclose(first.score, second.score)
        assert first.work.pushes < second.work.pushes


def test_split_grammars_parse_better() -> None:
    golds = list(HELD_OUT)
    f1 = []
    for parser in (sec.Parser(grammar().coarse), sec.Parser(grammar())):
        f1.append(sec.evaluate(golds, [parser.parse(tree.words()).tree for tree in golds]).total.f1)
    assert f1[1] > f1[0] + 3.0


def test_masks_policies_and_limits() -> None:
    words = HELD_OUT[0].words()
    n = len(words)
    features = SpanFeatures.from_words(TRAIN.vocabulary())
    nothing = Policy(np.zeros(features.dim, np.float32))
    pruned = sec.Parser(grammar(), features=features, policy=nothing).parse(words)
    masked = sec.Parser(grammar()).parse(words, mask=np.zeros((n + 1, n + 1), np.bool_))
    assert (pruned.tree, pruned.work.pushes, pruned.work.kept) == (masked.tree, masked.work.pushes, 0)
    assert sec.Parser(grammar()).parse(words).work.kept == n * (n - 1) // 2 - 1
    short = sec.Parser(grammar(), limits=sec.Limits(words=n - 1)).parse(words)
    assert short.degraded
    assert short.tree.words() == words


def test_without_a_parse() -> None:
    # Only the sentence and its words are kept, and no tree of more than two words is so flat.
    words = max((tree.words() for tree in HELD_OUT), key=len)
    n = len(words)
    found = sec.Parser(grammar()).parse(words, mask=np.zeros((n + 1, n + 1), np.bool_))
    assert found.failed
    assert found.score == -np.inf
    assert found.tree.words() == words


def test_what_only_flat_grammars_give() -> None:
    words = HELD_OUT[0].words()
    with pytest.raises(InputError):
        sec.Parser(grammar(), decode="viterbi").kbest(words, 2)
    assert len(sec.Parser(grammar().flat()).kbest(words, 2)) == 2


@pytest.mark.parametrize(("levels", "least", "what"), [((3,), 0.1, "level 3"), ((1,), 1.0, "posterior")])
def test_bad_ladders(levels: tuple[int, ...], least: float, what: str) -> None:
    with pytest.raises(InputError, match=what):
        ladder(grammar(), levels=levels, least=least)
