"""Weights of dependency parsers: MIRA against dicts, averages, and what training is for."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from locking_cases import FEATURES
from naive import mira as naive
from naive.arc_locking import Rows, rows_of
from secateur.features.stages import stages_of
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER, Rules
from secateur.kernels.perceptron import mira
from secateur.kernels.perceptron.mira import Corpus, parse_corpus
from secateur.kinds.arcs.weights import ALL_ARCS, Averaged, any_weights, staged_weights
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.treebanks import garden
from secateur.treebanks.dependency_tree import DependencyTree

BITS = 12
GROUPS = ((0, 2, 4), (1, 3, 6, 7), (5, 8, 9, 10, 11, 12, 13, 14, 15), (16, 17, 18), (19, 20, 21, 22, 23))
FIRST = 3
EXACT = 2.0**-12  # steps that are all as long, so that sums are exact


@cache
def grown(count: int = 14, longest: int = 8) -> tuple[DependencyTree, ...]:
    trees = (sample.dependencies for sample in garden.garden(20 * count))
    return tuple(tree for tree in trees if len(tree) <= longest)[:count]


@cache
def corpus() -> Corpus:
    return corpus_of(FEATURES, grown())


def visit(
    state: Averaged, rules: Rules, visits: list[tuple[int, int]], most: float, loss: float = 0.0
) -> int:
    """One pass, with a bound on steps that Averaged does not have."""
    order, drawn = (np.array(column, np.int64) for column in zip(*visits, strict=True))
    state.clock, right, _ = mira.train(
        FEATURES.compiled,
        stages_of(FEATURES, GROUPS),
        rules,
        state.weights,
        corpus(),
        ALL_ARCS,
        order,
        drawn,
        most,
        np.float32(loss),
        state.summed,
        state.scratch,
        state.clock,
    )
    return int(right)


def rows_of_tree(tree: DependencyTree) -> Rows:
    sentence = FEATURES.sentence(tree.words, tree.tags, tree.coarse)
    return rows_of(FEATURES, sentence, 1 << BITS, siblings=True)


@pytest.mark.parametrize(("most", "loss"), [(EXACT, 0.0), (EXACT, 8 * EXACT), (np.inf, 0.0), (np.inf, 0.3)])
@pytest.mark.parametrize(("projective", "single_root"), [(NEVER, True), (LAST, False), (ALWAYS, True)])
def test_weights_are_those_of_dicts(most: float, loss: float, projective: int, single_root: bool) -> None:
    rng = np.random.default_rng(projective)
    sentences = [(rows_of_tree(tree), [-1, *tree.heads]) for tree in grown()]
    order = [int(i) for _ in range(2) for i in rng.permutation(len(sentences))]
    visits = [(i, int(rng.integers(len(GROUPS)))) for i in order]
    weights, mean, right = naive.train(
        GROUPS, FIRST, projective, single_root, sentences, visits, 1 << BITS, most, loss
    )
    state = Averaged(BITS)
    rules = Rules(single_root, projective, len(GROUPS) - 1)
    half = len(visits) // 2  # the clock runs on
    found = [visit(state, rules, part, most, loss) for part in (visits[:half], visits[half:])]
    assert sum(found) == right
    assert state.clock == len(visits)
    assert np.count_nonzero(weights) > 100
    assert not state.scratch.any()
    np.testing.assert_allclose(state.weights, weights, rtol=0, atol=0 if most == EXACT else 1e-5)
    np.testing.assert_allclose(state.average(), mean, rtol=0, atol=1e-5 if most == np.inf else 1e-8)


def test_the_average_of_one_sentence_is_what_it_taught() -> None:
    state = Averaged(BITS)
    visit(state, Rules(True, ALWAYS, 4), [(0, 4)], np.inf)
    assert state.weights.any()
    np.testing.assert_array_equal(state.average(), state.weights)


def test_a_stage_teaches_only_its_own_templates() -> None:
    state = Averaged(BITS)
    for _ in range(20):
        visit(state, Rules(True, NEVER, 4), [(2, 1)], np.inf)
    own = {*GROUPS[0], *GROUPS[1]}
    known = {row for (t, _), rows in rows_of_tree(grown()[2]).items() if t in own for row in rows}
    assert set(np.flatnonzero(state.weights).tolist()) <= known
    assert state.weights.any()


def accuracy(weights: np.ndarray, stage: int, projective: int = ALWAYS) -> float:
    data = corpus()
    heads = np.full_like(data.heads, -1)
    rules = Rules(True, projective, len(GROUPS) - 1)
    failed = parse_corpus(FEATURES.compiled, stages_of(FEATURES, GROUPS), stage, rules, weights, data, heads)
    assert failed == 0
    return float((heads == data.heads)[data.heads >= 0].mean())


def test_training_learns_and_each_stage_knows_more() -> None:
    shares: list[float] = []
    weights = staged_weights(
        FEATURES,
        corpus(),
        GROUPS,
        epochs=8,
        shuffles=1,
        bits=14,
        report=lambda epoch, share: shares.append(share),
    )
    assert len(shares) == 8
    assert shares[-1] > shares[0] + 0.1
    by_stage = [accuracy(weights, stage) for stage in range(len(GROUPS))]
    assert by_stage[-1] > 0.9
    assert by_stage[-1] >= by_stage[0]
    # Where a stage alone was seen, the templates behind it have no weights to say more by.
    alone = staged_weights(FEATURES, corpus(), GROUPS, epochs=2, bits=14, shares=(1, 0, 0, 0, 0))
    assert np.count_nonzero(alone) < np.count_nonzero(weights) / 2


def test_the_same_seed_gives_the_same_weights() -> None:
    one, two, other = (
        staged_weights(FEATURES, corpus(), GROUPS, epochs=2, bits=BITS, seed=seed) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_shuffles_are_averaged() -> None:
    shares: list[float] = []
    both = staged_weights(
        FEATURES,
        corpus(),
        GROUPS,
        epochs=2,
        shuffles=2,
        bits=BITS,
        report=lambda e, share: shares.append(share),
    )
    first = staged_weights(FEATURES, corpus(), GROUPS, epochs=2, shuffles=1, bits=BITS)
    assert len(shares) == 4
    second = 2 * both - first
    assert abs(second - first).max() > 1e-3  # another order taught something else
    assert accuracy(second, len(GROUPS) - 1) > 0.5  # and it is weights that parse


def test_one_group_is_plain_training() -> None:
    groups = (tuple(range(FEATURES.first)),)
    shares: list[float] = []
    weights = staged_weights(
        FEATURES,
        corpus(),
        groups,
        epochs=10,
        shuffles=1,
        bits=14,
        report=lambda epoch, share: shares.append(share),
    )
    assert weights.any()
    assert shares[-1] > 0.9


def test_weights_for_any_choice_of_templates() -> None:
    units = [(template, template + 1) for template in range(0, FEATURES.first, 2)]
    shares: list[float] = []
    weights = any_weights(
        FEATURES, corpus(), units, epochs=10, bits=14, report=lambda epoch, share: shares.append(share)
    )
    np.testing.assert_array_equal(weights, any_weights(FEATURES, corpus(), units, epochs=10, bits=14))
    assert len(shares) == 10
    assert np.mean(shares[-3:]) > np.mean(shares[:3])
    assert accuracy(weights, FIRST - 1, NEVER) > 0.7
