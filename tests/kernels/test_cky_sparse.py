"""The sparse chart gives, bit for bit, what the dense one gives: items, scores, work and derivation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.cky import Mask, Step
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import sparse as cky_sparse
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.testing.strategies import anchors, grammars, masks, sentences

LIMIT = 1 << 30
GRAMMAR = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


class Case(NamedTuple):
    grammar: PCFG
    words: npt.NDArray[np.uint32]
    mask: Mask
    anchors: Anchors = NO_ANCHORS


class Found(NamedTuple):
    items: dict[tuple[int, int, int], tuple[float, float]]  # (i, k, label) -> (base, best)
    pushes: int
    steps: list[Step]


@st.composite
def cases(draw: st.DrawFn, *, exact: bool, longest: int = 9) -> Case:
    grammar = draw(grammars(exact=exact))
    words = draw(sentences(longest=longest))
    n = len(words)
    mask = draw(masks(n, density=draw(st.sampled_from((0.0, 0.2, 0.5, 0.8, 1.0)))))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, n, exact=exact))
    return Case(grammar, grammar.lexicon.encode(words), mask, scores)


def listed(steps: npt.NDArray[np.int64]) -> list[Step]:
    return [tuple(step) for step in steps.tolist()]


def dense(case: Case) -> Found:
    rules, n = case.grammar.rules, len(case.words)
    chart = cky.fill(rules, case.words, case.mask, case.anchors, LIMIT)
    items = {}
    for i, k in spans(n):
        cell = cky.cell_of(i, k)
        for item in range(chart.cell_begin[cell], chart.cell_end[cell]):
            items[i, k, int(chart.label[item])] = (chart.base[item], chart.best[item])
    steps: list[Step] = []
    if (0, n, rules.start) in items:
        steps = listed(cky.trace(rules, chart, case.anchors, 0, n, rules.start))
    return Found(items, int(chart.pushes), steps)


def sparse(case: Case) -> Found:
    rules, n = case.grammar.rules, len(case.words)
    chart = cky_sparse.fill(rules, case.words, cky_sparse.slots_of(case.mask), case.anchors)
    items = {}
    for i, k in spans(n):
        here = chart.slot[cky.cell_of(i, k)]
        for x in chart.label[here, : chart.size[here]].tolist():
            items[i, k, x] = (chart.base[here, x], chart.best[here, x])
    assert len(items) == chart.items == chart.size.sum()
    return Found(items, int(chart.pushes), listed(cky_sparse.trace(rules, chart, case.anchors, n)))


def spans(n: int) -> list[tuple[int, int]]:
    return [(i, k) for k in range(1, n + 1) for i in range(k)]


@settings(max_examples=400)
@given(st.booleans().flatmap(lambda exact: cases(exact=exact)))
def test_the_charts_are_equal(case: Case) -> None:
    assert sparse(case) == dense(case)


def random_case(n: int, density: float, *, anchored: bool = False, unknown: bool = False) -> Case:
    grammar = PCFG.from_text(GRAMMAR)
    rng = np.random.default_rng((n, int(100 * density)))
    words = [("a", "b")[w] for w in rng.integers(0, 2, n)]
    if unknown:
        words[n // 2] = "zzz"
    mask = rng.random((n + 1, n + 1)) < density
    if density:
        mask[0] = mask[:, n] = True  # so that there is a parse
    if not anchored:
        return Case(grammar, grammar.lexicon.encode(words), mask)
    labels = len(grammar.symbols)
    tag, span = rng.normal(size=(n, labels)), rng.normal(size=(n * (n + 1) // 2, labels))
    span[rng.random(span.shape) < 0.01] = -np.inf
    return Case(
        grammar,
        grammar.lexicon.encode(words),
        mask,
        Anchors(span.astype(np.float32), tag.astype(np.float32)),
    )


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 130])
@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("anchored", [False, True])
def test_short_and_long_sentences(n: int, density: float, anchored: bool) -> None:
    case = random_case(n, density, anchored=anchored)
    found = sparse(case)
    assert found == dense(case)
    if not anchored:  # anchors may forbid all parses
        assert bool(found.steps) == (n < 3 or density > 0)


def test_a_word_without_tags() -> None:
    case = random_case(6, 1.0, unknown=True)
    found = sparse(case)
    assert found == dense(case)
    assert not found.steps
    assert {(i, k) for i, k, _ in found.items} == {(i, k) for i, k in spans(6) if not i <= 3 < k}


COUNTS = (63, 1, 64, 127, 1, 65, 62, 129, 128, 126)  # some end one short of a machine word


def crowded(labels: int) -> PCFG:
    """A grammar whose first labels are the left children of so many rules each."""
    rng = np.random.default_rng(labels)
    names = [f"X{x:03}" for x in range(labels)]
    binary = set()
    for y, count in enumerate(COUNTS):
        for number in rng.choice(labels * labels, count, replace=False).tolist():
            binary.add((names[number // labels], names[y], names[number % labels]))
    tags = {(names[t], word) for word in "abcd" for t in range(0, labels, 2)}

    def weighted(rules: set[tuple[str, ...]]) -> list[tuple[Any, ...]]:
        return [(*rule, float(rng.uniform(-9.0, 0.0))) for rule in sorted(rules)]

    unary = [(names[0], name, -1.0, ()) for name in names[1::3]]
    return PCFG.build(names[0], weighted(binary), unary, weighted(tags))


@pytest.mark.parametrize("labels", [70, 400])
@pytest.mark.parametrize("density", [0.3, 1.0])
def test_many_rules(labels: int, density: float) -> None:
    """Right children are matched as sets of bits, or one by one where the sets would be too large."""
    grammar = crowded(labels)
    rules = grammar.rules
    counts = np.diff(rules.rule_ptr[rules.pair_ptr].astype(int))
    assert tuple(counts[counts > 0]) == COUNTS
    assert (len(grammar.symbols) * counts.sum() <= cky_sparse.FEW_BITS) == (labels == 70)
    n = 16
    mask = np.random.default_rng(n).random((n + 1, n + 1)) < density
    mask[0] = mask[:, n] = True
    case = Case(grammar, grammar.lexicon.encode([*"abcd" * 4]), mask)
    found = sparse(case)
    assert found == dense(case)
    assert found.steps


def naive_splits(mask: Mask) -> int:
    n = len(mask) - 1
    kept = {(i, k) for i, k in spans(n) if k - i in (1, n) or mask[i, k]}
    return sum((i, j) in kept and (j, k) in kept for i, k in kept for j in range(i + 1, k))


@given(st.integers(1, 9).flatmap(lambda n: masks(n, density=0.5)))
def test_slots(mask: Mask) -> None:
    slot, count, splits = cky_sparse.slots_of(mask)
    n = len(mask) - 1
    kept = [cky.cell_of(i, k) for i, k in spans(n) if k - i in (1, n) or mask[i, k]]
    assert sorted(slot[kept].tolist()) == list(range(1, count))
    assert not np.delete(slot, kept).any()
    assert splits == naive_splits(mask)


@pytest.mark.parametrize("n", [1, 12, 70])
@pytest.mark.parametrize("density", [0.0, 0.1, 0.3, 1.0])
def test_either_chart_serves(n: int, density: float) -> None:
    """cky.viterbi chooses one by the splits, and the dense one where memory does not suffice."""
    case = random_case(n, density)
    rules = case.grammar.rules
    slots = cky_sparse.slots_of(case.mask)
    assert cky_sparse.suits(rules, slots, LIMIT) == (slots.splits <= cky_sparse.FEW * slots.count)
    assert not cky_sparse.suits(rules, slots, 10 * slots.count)
    steps, score, pushes, items, complete = cky.viterbi(rules, case.words, case.mask, case.anchors, LIMIT)
    expected = dense(case)
    assert complete
    assert (listed(steps), pushes, items) == (expected.steps, expected.pushes, len(expected.items))
    assert score == (expected.items[0, n, rules.start][1] if expected.steps else -np.inf)


def test_both_charts_are_chosen() -> None:
    rules = PCFG.from_text(GRAMMAR).rules
    chosen = {
        density: cky_sparse.suits(rules, cky_sparse.slots_of(random_case(70, density).mask), LIMIT)
        for density in (0.1, 1.0)
    }
    assert chosen == {0.1: True, 1.0: False}


@pytest.mark.parametrize("density", [0.1, 1.0])
def test_too_little_memory(density: float) -> None:
    case = random_case(40, density)
    steps, score, *_, complete = cky.viterbi(case.grammar.rules, case.words, case.mask, NO_ANCHORS, 1)
    assert not complete
    assert len(steps) == 0
    assert score == -np.inf
