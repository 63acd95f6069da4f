"""Forward selection of templates against a loop that parses with every choice; groups of the ranking."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locking_cases import eighths
from naive.arc_locking import Rows, rows_of
from naive.mira import tree_of
from secateur.features.arc import ArcFeatures
from secateur.kinds.arcs.ranking import Ranking, grouped, paired, prefixes, rank
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.treebanks import garden
from secateur.treebanks.dependency_tree import DependencyTree

BITS = 12
FEATURES = ArcFeatures(
    patterns=("tag[h] tag[m]", "coarse[m]", "tag[h] tag[b] tag[m]", "coarse[h] coarse{b} coarse[m]"),
    siblings=("tag[s] tag[m]", "coarse[h] coarse[s] coarse[m]", "coarse[s] coarse[b] coarse[m]"),
)


@cache
def grown() -> tuple[DependencyTree, ...]:
    trees = (sample.dependencies for sample in garden.garden(60))
    return tuple(tree for tree in trees if 3 <= len(tree) <= 8)[:5]


def rows() -> list[Rows]:
    sentences = [FEATURES.sentence(tree.words, tree.tags, tree.coarse) for tree in grown()]
    return [rows_of(FEATURES, sentence, 1 << BITS, siblings=True) for sentence in sentences]


def right_heads(tables: list[Rows], weights: np.ndarray, templates: list[int], single_root: bool) -> int:
    """Of all sentences parsed with these templates; with siblings where any is of the second order."""
    of_arcs = [t for t in templates if t < FEATURES.first]
    of_siblings = [t for t in templates if t >= FEATURES.first]
    second = bool(of_siblings)
    right = 0
    for table, tree in zip(tables, grown(), strict=True):
        found = tree_of(
            table,
            [of_arcs, of_siblings],
            weights,
            len(tree),
            siblings=second,
            projective=second,
            single_root=single_root,
        )
        right += sum(a == b for a, b in zip(found[1:], tree.heads, strict=True))
    return right


def slowly(weights: np.ndarray, given: list[int], left: list[tuple[int, ...]], single_root: bool) -> Ranking:
    """Each time the unit that gets most right; of several the first."""
    tables, words = rows(), sum(map(len, grown()))
    chosen: list[tuple[int, ...]] = []
    shares: list[float] = []
    while left:
        so_far = [*given, *(t for unit in chosen for t in unit)]
        tried = [right_heads(tables, weights, [*so_far, *unit], single_root) for unit in left]
        best = tried.index(max(tried))
        chosen.append(left.pop(best))
        shares.append(tried[best] / words)
    return Ranking(tuple(chosen), tuple(shares))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("in_pairs", [False, True])
def test_templates_are_ranked_as_by_parsing_with_every_choice(seed: int, in_pairs: bool) -> None:
    weights, single_root = eighths(np.random.default_rng(seed), 1 << BITS), seed % 2 == 0
    corpus = corpus_of(FEATURES, grown())
    first, last = FEATURES.first, len(FEATURES.templates)
    arcs: list[tuple[int, ...]] = [(t,) for t in range(first)]
    siblings: list[tuple[int, ...]] = [(t,) for t in range(first, last)]
    if in_pairs:
        arcs = [(t, t + 1) for t in range(0, first, 2)]
        siblings = [(t, t + 1) for t in range(first, last, 2)]
    reports: list[tuple[int, int, float]] = []
    found = rank(
        FEATURES,
        weights,
        corpus,
        units=arcs if in_pairs else None,
        single_root=single_root,
        jobs=2,
        report=lambda *one: reports.append(one),
    )
    units = len(arcs)
    assert found == slowly(weights, [], arcs, single_root)
    assert reports[-1] == (units, units, found.accuracy[-1])
    assert len(reports) == units
    units_of_siblings = siblings if in_pairs else None
    ranked = rank(FEATURES, weights, corpus, siblings=True, units=units_of_siblings, single_root=single_root)
    assert ranked == slowly(weights, [*range(first)], siblings, single_root)


SHARES = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=30)


@settings(max_examples=200, deadline=None)
@given(SHARES, st.integers(1, 8), st.sampled_from([0.0, 0.3, 0.9]))
def test_groups_are_the_ranked_list_in_parts(shares: list[float], count: int, start: float) -> None:
    ranking = Ranking(tuple((t, t + 1) for t in range(100, 100 + 2 * len(shares), 2)), tuple(shares))
    groups = grouped(ranking, count, start=start)
    assert tuple(t for group in groups for t in group) == ranking.templates
    assert len(groups) == min(count, len(shares))
    assert all(len(group) % 2 == 0 and group for group in groups)  # no unit is torn
    so_far = np.maximum.accumulate(shares)
    first = len(groups[0]) // 2
    if len(groups) > 1 and first <= len(shares) - len(groups):  # nothing had to be left for the others
        assert so_far[first - 1] >= start * so_far[-1]
        assert first == 1 or so_far[first - 2] < start * so_far[-1]


@pytest.mark.parametrize("count", range(1, 9))
def test_accuracy_grows_evenly(count: int) -> None:
    """In groups that get larger where it grows less and less."""
    shares = 1 - 0.5 ** np.linspace(0.5, 8, 60)
    groups = grouped(Ranking(tuple((t,) for t in range(60)), tuple(shares)), count)
    assert len(groups) == count
    ends = np.cumsum([len(group) for group in groups])
    if count > 2:
        grown_by = np.diff(shares[ends - 1])
        assert grown_by.max() - grown_by.min() < 0.13
        assert len(groups[-1]) > len(groups[1])


def test_groups_of_given_sizes() -> None:
    ranking = Ranking(((3,), (1, 2), (0,), (5, 4)), (0.1, 0.2, 0.3, 0.4))
    assert prefixes(ranking, [1, 3]) == ((3,), (1, 2, 0), (5, 4))
    assert prefixes(ranking, [1, 9]) == ((3,), (1, 2, 0, 5, 4))
    assert prefixes(ranking, []) == ((3, 1, 2, 0, 5, 4),)


def test_a_template_brings_the_other_of_its_pattern() -> None:
    ranking = Ranking(((5,), (0,), (4,), (3,), (1,), (2,)), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    assert paired(ranking) == Ranking(((4, 5), (0, 1), (2, 3)), (0.1, 0.2, 0.4))
