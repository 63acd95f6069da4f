"""Figures of merit, against their formulas and all tag sequences."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

import secateur as sec
from naive.priority import nodes
from secateur.errors import InputError
from secateur.features.merit import MERITS, PRIOR, Merits, tag_model
from secateur.features.neighbours import SMOOTHING, shares_of
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import Priorities
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.treebanks.formats.brackets import read_tree

LEFT = Binarization()
TREES = [
    read_tree(text)
    for text in (
        "(ROOT (S (NP (D the) (N dog)) (VP (V saw) (NP (D the) (N cat)))))",
        "(ROOT (S (NP (N dog)) (VP (V saw) (NP (D a) (N saw)) (P in))))",
        "(ROOT (S (NP (D a) (N cat)) (VP (V saw))))",
    )
]
WORDS = ["the", "dog", "saw", "a", "cat"]


@cache
def merits() -> Merits:
    return Merits.learned(induce(TREES), TREES, LEFT)


def total(tables: Priorities, i: int, k: int, x: int, inside: float) -> float:
    column = tables.column[x]
    return float(
        tables.inside * inside + tables.span[i, k] + tables.first[i, column] + tables.last[k, column]
    )


def probability(grammar: PCFG, word: str, tag: str) -> float:
    lexicon, w = grammar.lexicon, int(grammar.lexicon.encode([word])[0])
    entries = range(int(lexicon.ptr[w]), int(lexicon.ptr[w + 1]))
    return sum(math.exp(lexicon.weight[e]) for e in entries if grammar.symbols[lexicon.tag[e]] == tag)


TAGS = ("D", "N", "P", "V")
END = "end"


def counted(tags: tuple[str, ...]) -> int:
    """How often tags follow one another, sentences having two boundaries before and one behind."""
    found = 0
    for tree in TREES:
        padded = [END, END, *tree.tags(), END]
        # The boundaries before the first tag are nobody's continuation.
        found += sum(tuple(padded[at + 1 - len(tags) : at + 1]) == tags for at in range(2, len(padded)))
    return found


def following(a: str, b: str, c: str) -> float:
    """p(c | a, b), from counts."""
    every = (*TAGS, END)
    seen = sum(counted((t,)) for t in every)
    one = (counted((c,)) + SMOOTHING) / (seen + SMOOTHING * len(every))
    two = (counted((b, c)) + PRIOR * one) / (sum(counted((b, t)) for t in every) + PRIOR)
    return (counted((a, b, c)) + PRIOR * two) / (sum(counted((a, b, t)) for t in every) + PRIOR)


def prefix(words: list[str], *, ends: bool = False) -> float:
    """log p(words), by all sequences of tags."""
    found = 0.0
    for tags in product(TAGS, repeat=len(words)):
        p, padded = 1.0, (END, END, *tags)
        for at, (word, tag) in enumerate(zip(words, tags, strict=True)):
            p *= following(padded[at], padded[at + 1], tag) * probability(merits().grammar, word, tag)
        found += p * (following(padded[-2], padded[-1], END) if ends else 1.0)
    return math.log(found)


def test_prefixes_are_sums_over_tags() -> None:
    ids = merits().grammar.lexicon.encode(WORDS)
    expected = [0.0, *(prefix(WORDS[:k]) for k in range(1, 6)), prefix(WORDS, ends=True)]
    assert merits().prefixes(ids).tolist() == pytest.approx(expected)


def test_tags_are_followed_by_some_tag() -> None:
    usual, three = tag_model([[3, 0, 1, 3], [3, 2, 2, 3]], 4)
    assert usual.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(three.sum(-1), 1.0)
    assert (three > 0).all()


def beside(label: str) -> tuple[dict[str, float], dict[str, float]]:
    """p(label | tag before) and p(tag after | label), counted from gold tags."""
    labels = sorted(set(merits().grammar.symbols))
    every = (*TAGS, END)
    before = {(t, c): SMOOTHING for t in every for c in labels}
    after = dict(before)
    for tree in TREES:
        tags = [END, *tree.tags(), END]
        for name, i, k in nodes(LEFT(tree)):
            before[tags[i], name] += 1
            after[tags[k + 1], name] += 1
    return (
        {t: before[t, label] / sum(before[t, c] for c in labels) for t in every},
        {t: after[t, label] / sum(after[t, label] for t in every) for t in every},
    )


def test_merits_are_their_formulas() -> None:
    grammar = merits().grammar
    ends = [prefix(WORDS[:k]) if k else 0.0 for k in range(6)] + [prefix(WORDS, ends=True)]
    seen = [name for tree in TREES for name, _, _ in nodes(LEFT(tree))]
    usual = {t: (counted((t,)) + SMOOTHING) for t in (*TAGS, END)}
    tables = {merit: merits().tables(WORDS, merit) for merit in MERITS}
    for label, (i, k) in product(("NP", "VP", "@VP", "D"), ((0, 2), (2, 5), (0, 5), (3, 4))):
        x, inside = grammar.number[label], -3.5
        before, after = beside(label)
        likely = {END: 1.0}
        if i:
            likely = {t: probability(grammar, WORDS[i - 1], t) * usual[t] for t in TAGS}
        left = sum(p * before[t] for t, p in likely.items()) / sum(likely.values())
        right = after[END]
        if k < 5:
            right = sum(probability(grammar, WORDS[k], t) * after[t] for t in TAGS)
        alone = (seen.count(label) + SMOOTHING) / (len(seen) + SMOOTHING * len(grammar.symbols))
        expected = {
            "straight": inside,
            "mean": inside - (k - i) * ends[5] / 5,
            "trigram": math.log(alone) + inside - (ends[k] - ends[i]),
            "left": math.log(left) + inside - (ends[k] - ends[i]),
            "boundary": math.log(left) + inside + math.log(right) - (ends[k + 1] - ends[i]),
        }
        ours = {merit: total(tables[merit], i, k, x, inside) for merit in MERITS}
        assert ours == pytest.approx(expected)


def test_sub_symbols_have_their_shares() -> None:
    quick = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=2)
    bank = sec.garden.treebank(60)
    split = SplitTraining(bank, settings=SplitSettings(levels=1, schedule=quick)).fit().grammar()
    fine, right = split.flat(), Binarization("right")
    share = shares_of(split, fine)
    found = Merits.learned(fine, bank, right, share=share)
    words = bank[0].words()
    for merit in ("trigram", "left", "boundary"):
        tables = found.tables(words, merit)
        for name in ("NP", "VP"):
            mine = [x for x, label in enumerate(fine.unsplit) if label == name]
            first = tables.first[0, mine] - np.log(share[mine])
            np.testing.assert_allclose(first, first[0])
            np.testing.assert_allclose(tables.last[2, mine], tables.last[2, mine[0]])
        assert np.isfinite(tables.first).all()
        assert tables.column.tolist() == list(range(len(fine.symbols)))


def test_words_of_no_entry_and_merits_of_no_name() -> None:
    grammar = PCFG.from_text("S -> A B 1.0\nA -> 'a' 1.0\nB -> 'b' 1.0")
    found = Merits.learned(grammar, [read_tree("(S (A a) (B b))")], LEFT)
    for merit in MERITS:
        assert all(np.isfinite(table).all() for table in found.tables(["a", "zzz"], merit)[1:4])
    with pytest.raises(InputError, match="unknown figure of merit 'best'"):
        found.tables(["a"], "best")  # type: ignore[arg-type]


def test_restored_for_the_same_grammar_alone() -> None:
    again = Merits.restored(merits().grammar, merits().arrays())
    for merit in MERITS:
        for ours, theirs in zip(again.tables(WORDS, merit), merits().tables(WORDS, merit), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    other = PCFG.from_text("S -> A B 1.0\nA -> 'a' 1.0\nB -> 'b' 1.0")
    with pytest.raises(InputError, match="another grammar"):
        Merits.restored(other, merits().arrays())
