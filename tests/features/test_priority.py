"""What priorities see of items: against one feature after the other, and tables against rows."""

from __future__ import annotations

import io
import json
import math
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import secateur as sec
from naive import priority as naive
from secateur.errors import InputError
from secateur.features import marks
from secateur.features.neighbours import LEAST_SHARE, even_shares, shares_of
from secateur.features.priority import SCALES, Known, PriorityFeatures, PrioritySettings
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda.priorities import NOTHING, Priorities
from secateur.kernels.cky.sparse import cell_of
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.treebanks.formats.brackets import read_tree

TREES = sec.garden.treebank(140)
TRAIN, HELD_OUT = TREES[:120], TREES[120:]
RIGHT = Binarization("right")
SENTENCES = (
    ["We", "saw", ",", "in", "1995", ",", "the", "old", "dog", "."],
    ["Go"],
    ["3", "blorps", "(", "-LRB-", "4", ")", "slept", ";", "they", "did", ",", "too", "!"],
    *(tree.words() for tree in HELD_OUT[:4]),
)


@cache
def split() -> SplitPCFG:
    quick = Schedule(split_rounds=6, merge_rounds=3, smooth_rounds=2)
    return SplitTraining(TRAIN, settings=SplitSettings(levels=2, schedule=quick)).fit().grammar()


@cache
def fine() -> PCFG:
    return split().flat()


@cache
def features(settings: PrioritySettings, level: int = 0) -> PriorityFeatures:
    bounds = Bounds.of(split(), fine(), level, "average") if settings.bounded else None
    share = shares_of(split(), fine())
    return PriorityFeatures.learned(fine(), TRAIN, RIGHT, settings=settings, share=share, bounds=bounds)


@cache
def unsplit() -> PriorityFeatures:
    return PriorityFeatures.learned(induce(TRAIN, binarization=RIGHT), TRAIN, RIGHT)


SETTINGS = (
    PrioritySettings(),
    PrioritySettings(marks="against", inside="by sentence", shares=True),
    PrioritySettings(marks="none", inside="over best"),
    PrioritySettings(inside="over best", outside=True, shares=True),
    PrioritySettings(marks="against", merit=True),
    PrioritySettings(merit=True, outside=True, shares=True),
    PrioritySettings(merit=True, dynamic=True, outside=True),
)


def items_of(found: PriorityFeatures, n: int, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Some of a sentence's items, with inside scores."""
    rng = np.random.default_rng(seed)
    i, k = np.sort([rng.permutation(n + 1)[:2] for _ in range(count)], axis=1).T
    items = np.stack((i, k, rng.integers(0, len(found.grammar.symbols), count)), 1)
    return items, rng.uniform(-80.0, 0.0, count).astype(np.float32)


def dynamic_of(found: PriorityFeatures, count: int) -> np.ndarray:
    """Some dynamic features, where there are any."""
    size = 4 if found.settings.dynamic else 0
    return np.random.default_rng(4).uniform(-3.0, 3.0, (count, size))


def priority(tables: Priorities, item: np.ndarray, inside: float, dynamic: np.ndarray = NOTHING) -> float:
    i, k, x = item
    total = tables.inside * inside + tables.span[i, k] + tables.dynamic @ dynamic
    total += tables.first[i, tables.column[x]] + tables.last[k, tables.column[x]]
    if tables.outside.size:
        total += tables.outside[cell_of(i, k), tables.seen[x]]
    return float(total)


# Tables and rows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", SETTINGS)
def test_tables_add_up_to_the_rows(settings: PrioritySettings) -> None:
    found = features(settings)
    rng = np.random.default_rng(1)
    for words in SENTENCES:
        x = found.columns(words)
        weights = rng.normal(size=found.dim).astype(np.float32)
        tables = found.tables(x, weights)
        items, inside = items_of(found, len(words), 300)
        dynamic = dynamic_of(found, len(items))
        scores = found.rows(x, items, inside, dynamic).scores(weights)
        ours = np.array([priority(tables, *one) for one in zip(items, inside, dynamic, strict=True)])
        there = ours > -np.inf
        np.testing.assert_allclose(ours[there], scores[there], rtol=1e-4, atol=1e-3)
        if settings.outside:
            useless = x.estimate.outside[cell_of(items[:, 0], items[:, 1]), tables.seen[items[:, 2]]]
            assert (there == (useless > -np.inf)).all()
        else:
            assert there.all()


@pytest.mark.parametrize("settings", SETTINGS)
def test_tables_have_their_shapes(settings: PrioritySettings) -> None:
    found = features(settings)
    for words in SENTENCES:
        n, symbols = len(words), len(fine().symbols)
        tables = found.tables(found.columns(words), found.start())
        columns = symbols if settings.shares else len(found.neighbours.labels)
        assert tables.span.shape == (n + 1, n + 1)
        assert tables.first.shape == tables.last.shape == (n + 1, columns)
        assert tables.column.dtype == tables.seen.dtype == np.uint32
        assert tables.column.shape == tables.seen.shape == (symbols,)
        assert tables.column.max() < columns
        assert [table.dtype for table in tables[1:4]] == [np.dtype(np.float64)] * 3
        assert tables.outside.dtype == np.float32
        if settings.outside:
            assert found.bounds is not None
            assert tables.outside.shape == (n * (n + 1) // 2, len(found.bounds.grammar.symbols))
        else:
            assert tables.outside.shape == (0, 0)


@pytest.mark.parametrize("settings", SETTINGS)
def test_sums_are_gathered(settings: PrioritySettings) -> None:
    """What a kernel sums where it reads tables is the sum of features."""
    found = features(settings)
    rng = np.random.default_rng(2)
    for words in SENTENCES:
        x = found.columns(words)
        tables = found.tables(x, found.start())
        items, inside = items_of(found, len(words), 200)
        if settings.outside:  # others are never on the agenda
            outside = x.estimate.outside[cell_of(items[:, 0], items[:, 1]), tables.seen[items[:, 2]]]
            items, inside = items[outside > -np.inf], inside[outside > -np.inf]
        c, dynamic = rng.normal(size=len(items)), dynamic_of(found, len(items))
        sums = Priorities(
            float(c @ inside), *(np.zeros(t.shape) for t in tables[1:4]), tables.column,
            np.zeros(tables.outside.shape), tables.seen, c @ dynamic,
        )  # fmt: skip
        for (i, k, symbol), share in zip(items.tolist(), c.tolist(), strict=True):
            sums.span[i, k] += share
            sums.first[i, tables.column[symbol]] += share
            sums.last[k, tables.column[symbol]] += share
            if settings.outside:
                sums.outside[cell_of(i, k), tables.seen[symbol]] += share
        expected = c @ found.rows(x, items, inside, dynamic).value.astype(np.float64)
        np.testing.assert_allclose(found.gathered(x, sums), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("weight", [0.0, -2.0])
def test_what_is_in_no_parse_is_never_useful(weight: float) -> None:
    """Whatever is thought of outside scores."""
    found = features(SETTINGS[3])
    x = found.columns(SENTENCES[0])
    weights = found.start()
    weights[found.names.index("outside")] = weight
    outside = found.tables(x, weights).outside
    assert ((outside == -np.inf) == (x.estimate.outside == -np.inf)).all()
    assert not np.isnan(outside).any()


def test_the_start_is_uniform_cost_or_a_star() -> None:
    found = features(PrioritySettings(outside=True))
    x = found.columns(SENTENCES[0])
    plain, guided = found.tables(x, found.start()), found.tables(x, found.start("outside"))
    assert plain.inside == guided.inside == 1.0
    assert not plain.span.any()
    assert not plain.first.any()
    assert not plain.last.any()
    np.testing.assert_array_equal(guided.outside, x.estimate.outside)
    assert set(np.unique(plain.outside)) == {-np.inf, 0.0}


def test_the_parts_of_a_merit_add_up_to_it() -> None:
    found = features(PrioritySettings(merit=True, outside=True, shares=True))
    assert found.merits is not None
    for words in SENTENCES:
        weights = found.start("words", "label | word before", "word after | label")
        ours = found.tables(found.columns(words), weights)._replace(outside=np.zeros((0, 0), np.float32))
        theirs = found.merits.tables(words, "boundary")
        items, inside = items_of(found, len(words), 100)
        for item, score in zip(items, inside, strict=True):
            assert priority(ours, item, score) == pytest.approx(priority(theirs, item, score), abs=1e-3)


# One feature after the other --------------------------------------------------------------------------------


def expected(found: PriorityFeatures, words: list[str], item: list[int], inside: float) -> dict[str, float]:
    """All features that are not 0, but for the estimates."""
    i, k, x = item
    grammar, settings = found.grammar, found.settings
    label, n = grammar.unsplit[x], len(words)
    tags = naive.around(grammar, words)
    share = math.log(max(found.share[x], LEAST_SHARE)) if settings.shares and found.share is not None else 0.0
    before = naive.log_p(grammar, TRAIN, RIGHT, label, tags[i], after=False) + share
    after = naive.log_p(grammar, TRAIN, RIGHT, label, tags[k + 1], after=True) + share
    return {
        "inside": inside / n if settings.inside == "by sentence" else inside / SCALES["score"],
        "length": (k - i) / 3.0,
        "length / sentence": (k - i) / n / 0.3,
        "label | tag before": before / 2.0,
        "label | tag after": after / 2.0,
    } | {name: 2.0 for name in naive.indicators(words, i, k) if name in found.names}


@pytest.mark.parametrize("which", [0, 1, 2])
def test_features_are_what_the_paper_says(which: int) -> None:
    found = (unsplit(), unsplit_settings("by sentence"), unsplit_settings("whole"))[which]
    for words in SENTENCES[:4]:
        x = found.columns(words)
        items, inside = items_of(found, len(words), 12, seed=which)
        rows = found.rows(x, items, inside)
        assert rows.bucket.tolist() == [list(range(found.dim))] * len(items)
        for item, score, values in zip(items.tolist(), inside.tolist(), rows.value.tolist(), strict=True):
            ours = {name: v for name, v in zip(found.names, values, strict=True) if v != 0.0}
            assert ours == pytest.approx(expected(found, list(words), item, score), rel=1e-5)


def unsplit_settings(inside: str) -> PriorityFeatures:
    settings = PrioritySettings(marks="against", inside=inside)  # type: ignore[arg-type]
    grammar = unsplit().grammar
    return PriorityFeatures.learned(grammar, TRAIN, RIGHT, settings=settings, share=even_shares(grammar))


def test_shares_weigh_the_probability_of_a_label() -> None:
    with_shares = features(SETTINGS[3])
    without = features(PrioritySettings(inside="over best", outside=True))
    words = list(SENTENCES[0])
    items, inside = items_of(with_shares, len(words), 100)
    share = np.log(np.maximum(shares_of(split(), fine()), LEAST_SHARE))[items[:, 2]] / 2.0
    ours = with_shares.rows(with_shares.columns(words), items, inside).value
    plain = without.rows(without.columns(words), items, inside).value
    for name in with_shares.names:
        place = with_shares.names.index(name)
        more = share if name.startswith("label") else 0.0
        np.testing.assert_allclose(ours[:, place], plain[:, place] + more, rtol=1e-4, atol=1e-5)


def test_shares_sum_to_one() -> None:
    for share in (shares_of(split(), fine()), even_shares(fine())):
        for label in set(fine().unsplit):
            mine = [s for s, name in zip(share.tolist(), fine().unsplit, strict=True) if name == label]
            assert sum(mine) == pytest.approx(1.0)


def test_inside_over_best_is_that_of_the_coarser_grammar() -> None:
    found = features(PrioritySettings(marks="none", inside="over best"))
    words = list(SENTENCES[3])
    x = found.columns(words)
    items, inside = items_of(found, len(words), 50)
    value = found.rows(x, items, inside).value[:, 0]
    for (i, k, _), score, ours in zip(items.tolist(), inside.tolist(), value.tolist(), strict=True):
        best = float(x.estimate.best[cell_of(i, k)])
        assert ours == pytest.approx((score - (best if best > -np.inf else 0.0)) / 10.0, rel=1e-5, abs=1e-6)


def test_labels_are_likely_beside_the_tags_they_stand_beside() -> None:
    trees = [read_tree("(ROOT (S (NP (D the) (N dog)) (VP (V saw) (NP (D the) (N cat)))))")] * 4
    found = PriorityFeatures.learned(induce(trees), trees, Binarization()).neighbours
    assert found.labels == ("D", "N", "NP", "ROOT", "S", "V", "VP")
    before, after = np.exp(found.before), np.exp(found.after)
    at = {tag: number for number, tag in enumerate((*found.tags, "boundary"))}
    # Behind a verb stand an NP and its D, each four times; after a boundary all but VP and its like.
    assert before[at["V"]] == pytest.approx([4.1 / 8.7 if c in (0, 2) else 0.1 / 8.7 for c in range(7)])
    assert before[at["boundary"], found.labels.index("VP")] == pytest.approx(0.1 / 16.7)
    # Before a verb stand NP and N.
    assert after[at["V"]] == pytest.approx([4.1 / 8.7 if c in (1, 2) else 0.1 / 8.7 for c in range(7)])


# Punctuation ------------------------------------------------------------------------------------------------

SIGNS = ("a", "b", ",", ".", "``", "--")


@given(st.lists(st.sampled_from(SIGNS), min_size=1, max_size=9), st.integers(1, 4))
def test_places_are_the_spans_with_a_pattern(words: list[str], longest: int) -> None:
    spans = [(i, k) for k in range(1, len(words) + 1) for i in range(k)]
    patterns = sorted({p for i, k in spans if len(p := naive.pattern(words[i:k])) <= longest})
    found = {
        (number, i, k)
        for number, first, last, from_end, to_end in marks.places_of(patterns, words).tolist()
        for i, k in product(range(first, last), range(from_end, to_end))
        if i < k
    }
    expected = {(i, k): naive.pattern(words[i:k]) for i, k in spans}
    assert found == {(patterns.index(p), *span) for span, p in expected.items() if p in patterns}


def test_pattern_weights_are_log_odds() -> None:
    """Of patterns often seen, with those of all spans taken off."""
    trees = [read_tree("(ROOT (S (A (t a) (t b)) (, ,) (A (t a) (, ,) (t b)) (. .)))")] * 50 + [
        read_tree("(ROOT (S (A (t a) (t b)) (B (, ,) (t a))))")
    ] * 30
    weights = marks.pattern_weights(trees, Binarization())
    seen: dict[tuple[str, ...], list[bool]] = {}
    for tree in trees:
        words = tree.words()
        there = {(i, k) for _, i, k in naive.nodes(Binarization()(tree))}
        for i, k in combinations(range(len(words) + 1), 2):
            if 1 < k - i < len(words):
                seen.setdefault(naive.pattern(words[i:k]), []).append((i, k) in there)
    assert weights.keys() == {pattern for pattern in seen if len(pattern) <= marks.LONGEST}
    odds = {p: math.log(sum(s) / (len(s) - sum(s))) for p, s in seen.items() if 0 < sum(s) < len(s)}
    first, *others = sorted(odds.keys() & weights.keys())
    assert others
    for other in others:
        assert weights[other] - weights[first] == pytest.approx(odds[other] - odds[first], abs=0.05)
    for pattern, found in seen.items():
        if not any(found) and pattern in weights:
            assert weights[pattern] < min(weights[p] for p in odds if p in weights)


def test_the_strongest_of_either_sign() -> None:
    weights = marks.pattern_weights(TRAIN, RIGHT)
    found = marks.strongest(TRAIN, RIGHT, positive=3, negative=2)
    ordered = sorted(weights.values())
    assert [weights[p] for p in found] == [*ordered[::-1][:3], *ordered[:2]]
    assert weights[found[0]] > 0.0 > weights[found[-1]]
    assert marks.strongest(TRAIN, RIGHT, positive=0, negative=2) == found[3:]


def test_words_are_marks_by_themselves() -> None:
    assert all(map(marks.is_mark, (",", ".", "--", "``", "''", "-LRB-", "-RCB-", "?", ";", "...")))
    assert not any(map(marks.is_mark, ("let", "punct", "'s", "%", "$", "1", "U.S.", "LET")))


# As it is saved ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", SETTINGS)
def test_saved_and_restored(settings: PrioritySettings) -> None:
    found = features(settings)
    file = io.BytesIO()
    np.savez(file, **found.arrays())
    file.seek(0)
    notes = json.loads(json.dumps(found.notes()))
    with np.load(file, allow_pickle=False) as arrays:
        again = PriorityFeatures.restored(fine(), notes, dict(arrays), found.bounds)
    assert again.names == found.names
    assert again.settings == settings
    x, y = found.columns(SENTENCES[0]), again.columns(SENTENCES[0])
    weights = np.random.default_rng(3).normal(size=found.dim)
    for a, b in zip(found.tables(x, weights), again.tables(y, weights), strict=True):
        np.testing.assert_array_equal(a, b)


def test_another_grammar_is_refused() -> None:
    found = unsplit()
    other = induce([read_tree("(ROOT (S (A a) (B b)))")])
    with pytest.raises(InputError, match="another grammar"):
        PriorityFeatures.restored(other, found.notes(), found.arrays())


def test_settings_that_lack_something() -> None:
    found = unsplit()
    lacking = {
        "bounds": PrioritySettings(outside=True),
        "shares": PrioritySettings(shares=True),
        "merit": PrioritySettings(merit=True),
    }
    for what, settings in lacking.items():
        with pytest.raises(InputError, match=what):
            found.with_settings(settings)
    with pytest.raises(InputError, match="patterns"):
        found.with_settings(PrioritySettings(marks="none"))
    assert found.with_settings(PrioritySettings(inside="by sentence")).names == found.names


def test_columns_know_words_of_no_entry() -> None:
    grammar = PCFG.from_text("S -> A B 1.0\nA -> 'a' 1.0\nB -> 'b' 1.0")
    trees = [read_tree("(S (A a) (B b))")]
    found = PriorityFeatures.learned(grammar, trees, Binarization())
    x: Known = found.columns(["a", "zzz"])
    assert x.tags.tolist() == [2, 0, 3, 2]
    assert np.isfinite(found.tables(x, found.start()).first).all()
