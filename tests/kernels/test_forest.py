"""Forests and a split grammar's scores over them, against all derivations and choices of sub-symbols."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forest_cases import (
    Bools,
    Case,
    Weighted,
    binaries_of,
    cases,
    chart_of,
    check,
    check_sums,
    even_blocks,
    exp_blocks,
    items_of,
    named,
    run,
    seeds,
    tags_of,
    unaries_of,
)
from naive import forest as naive
from naive.cky import span_anchor
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import inside as cky_inside
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split import forest, forest_scores
from secateur.kernels.split.forest import Forest
from secateur.kernels.split.forest_scores import Posteriors
from secateur.testing.strategies import anchors, grammars, sentences


@settings(max_examples=100)
@given(cases())
def test_scores_equal_enumeration(case: Case) -> None:
    made = case.build()
    assert sorted(items_of(made)) == sorted(case.items())
    check(case, made, case.weighted)


@st.composite
def kept_items(draw: st.DrawFn, case: Case) -> tuple[Bools, Bools]:
    """As bases and as nodes; now and then nothing at all, or not the top."""
    rng = np.random.default_rng(draw(seeds))
    density = draw(st.sampled_from((0.0, 0.5, 0.8, 0.95)))
    base, node = (rng.random((2, len(case.chart.label))) < density).copy()
    top = cky.item_of(case.chart, 0, len(case.words), case.grammar.rules.start)
    if top >= 0:
        node[top] = draw(st.booleans())
    return base, node


@settings(max_examples=100)
@given(cases(), st.data())
def test_kept_items(case: Case, data: st.DataObject) -> None:
    kept = data.draw(kept_items(case))
    bases, nodes = ({x for x, yes in zip(case.items(), mask, strict=True) if yes} for mask in kept)
    made = case.build(*kept)
    assert set(items_of(made)) == bases | nodes
    start = case.grammar.rules.start, 0, len(case.words)
    assert (made.top >= 0) == (start in nodes)
    grammar = case.grammar
    assert set(binaries_of(grammar, made)) == {
        (r, i, j, k)
        for x, i, k in bases
        for r in np.flatnonzero(grammar.binary.parent == x).tolist()
        for j in range(i + 1, k)
        if (grammar.binary.left[r], i, j) in nodes and (grammar.binary.right[r], j, k) in nodes
    }
    assert set(unaries_of(grammar, made)) == {
        (u, i, k)
        for x, i, k in nodes
        for u in np.flatnonzero(grammar.unary.parent == x).tolist()
        if (grammar.unary.child[u], i, k) in bases
    }
    entries = {(x, i, k) for steps, _ in case.weighted for kind, x, i, k, _ in steps if kind == cky.LEXICAL}
    tags = tags_of(grammar, case.words, made)
    assert entries & bases <= tags <= bases
    check(case, made, [(steps, p) for steps, p in case.weighted if naive.kept(steps, bases, nodes)])


@settings(max_examples=60)
@given(grammars(), sentences(longest=12), st.data())
def test_unsplit_symbols(grammar: PCFG, words: list[str], data: st.DataObject) -> None:
    """With one sub-symbol each, posteriors are those of the chart."""
    ids = grammar.lexicon.encode(words)
    scores = data.draw(st.just(NO_ANCHORS) | anchors(grammar, len(words)))
    rules, chart, n = grammar.rules, chart_of(grammar, ids, scores), len(words)
    case = Case(grammar, ids, exp_blocks(grammar), chart, [])
    made = case.build()
    log, found = run(made, case.blocks, scores)
    top = cky.item_of(chart, 0, n, rules.start)
    assert (top < 0) == (log == -math.inf)
    assume(top >= 0)
    steps = cky.trace(rules, chart, scores, 0, n, rules.start)
    word, gap = cky_inside.scales(rules, chart, steps, scores)
    base, total, from_rows, to_rows = cky_inside.inside(rules, chart, ids, scores, word, gap)
    node, outer = cky_inside.outside(rules, chart, scores, gap, from_rows, to_rows)
    assert log == pytest.approx(math.log(total[top]) + word.sum() + gap.sum(), rel=1e-9)
    ours, items = named(grammar, made, found), case.items()
    for p, sums in ((ours.base, base * outer), (ours.node, total * node)):
        expected = dict(zip(items, (sums / total[top]).tolist(), strict=True))
        assert p == pytest.approx(expected, rel=1e-9, abs=1e-12)
    place = {item: number for number, item in enumerate(items)}
    for (u, i, k), p in ours.unary.items():
        x, y = place[grammar.unary.parent[u], i, k], place[grammar.unary.child[u], i, k]
        bonus = math.exp(span_anchor(scores, i, k, grammar.unary.parent[u]))
        used = node[x] * rules.unary_prob[u] * bonus * base[y] / total[top]
        assert p == pytest.approx(used, rel=1e-9, abs=1e-12)
    check_sums(made, found)


def left(case: Case, smaller: Forest) -> Weighted:
    """The derivations that a smaller forest still has, by its hyperedges, tags and top."""
    binaries, unaries = set(binaries_of(case.grammar, smaller)), set(unaries_of(case.grammar, smaller))
    tags = tags_of(case.grammar, case.words, smaller)
    found = []
    for steps, p in case.weighted if smaller.top >= 0 else ():
        parts = naive.parts_of(steps)
        lexical = {(x, i, k) for kind, x, i, k, _ in steps if kind == cky.LEXICAL}
        if binaries.issuperset(parts.binary) and unaries.issuperset(parts.unary) and tags >= lexical:
            found.append((steps, p))
    return found


def check_restricted(case: Case, made: Forest, found: Posteriors, least: float) -> Forest:
    """What is at least so likely in its role is there, in its order, and nothing else."""
    smaller = forest.restrict(made, found, least)
    p = named(case.grammar, made, found)
    bases = {item for item, likely in p.base.items() if likely >= least}
    nodes = {item for item, likely in p.node.items() if likely >= least}
    grammar = case.grammar
    assert smaller.words == made.words
    assert items_of(smaller) == [item for item in items_of(made) if item in bases | nodes]
    # Where rounding has a hyperedge likelier than what it joins, it goes with that.
    assert binaries_of(grammar, smaller) == [
        (r, i, j, k)
        for (r, i, j, k), likely in p.binary.items()
        if likely >= least
        and (grammar.binary.parent[r], i, k) in bases
        and (grammar.binary.left[r], i, j) in nodes
        and (grammar.binary.right[r], j, k) in nodes
    ]
    assert unaries_of(grammar, smaller) == [
        (u, i, k)
        for (u, i, k), likely in p.unary.items()
        if likely >= least
        and (grammar.unary.parent[u], i, k) in nodes
        and (grammar.unary.child[u], i, k) in bases
    ]
    assert tags_of(grammar, case.words, smaller) == tags_of(grammar, case.words, made) & bases
    start = grammar.rules.start, 0, len(case.words)
    assert smaller.top == (items_of(smaller).index(start) if start in nodes and made.top >= 0 else -1)
    return smaller


@settings(max_examples=100)
@given(cases(), st.data())
def test_restrict(case: Case, data: st.DataObject) -> None:
    made = case.build()
    _, found = run(made, case.blocks, case.anchors)
    some = np.concatenate(found)
    some = some[some > 0.0]
    assume(len(some))
    least = data.draw(
        st.sampled_from(some.tolist()) | st.sampled_from((0.0, 1e-4, 0.01, 0.1, 0.3, 1.0, 2.0)), label="least"
    )
    smaller = check_restricted(case, made, found, least)
    parts = [naive.parts_of(steps) for steps, _ in case.weighted]
    p = named(case.grammar, made, found)
    # By the definition, where no rounding interferes.
    if not np.isclose(some, least, rtol=1e-9).any():
        kept = [
            (steps, weight)
            for (steps, weight), part in zip(case.weighted, parts, strict=True)
            if all(by[one] >= least for by, ones in zip(p[1:], part, strict=True) for one in ones)
        ]
        assert left(case, smaller) == kept
    again = check(case, smaller, left(case, smaller))
    # Once more: what a restricted forest says is as good as any.
    check_restricted(case, smaller, again, least)


@settings(max_examples=60)
@given(cases(), st.data())
def test_restrict_by_posteriors_that_do_not_fit(case: Case, data: st.DataObject) -> None:
    """However likely a hyperedge is said to be, it never joins what is gone."""
    kept = data.draw(kept_items(case))
    made = case.build(*kept)
    rng = np.random.default_rng(data.draw(seeds))
    sizes = (len(made.binary), len(made.unary), len(made.label), len(made.label))
    found = Posteriors(*(rng.integers(0, 3, size) / 2 for size in sizes))
    bases, nodes = ({x for x, yes in zip(case.items(), mask, strict=True) if yes} for mask in kept)
    # What is not in a role has no posterior in it.
    for p, role in ((found.base, bases), (found.node, nodes)):
        p[[item not in role for item in items_of(made)]] = 0.0
    smaller = check_restricted(case, made, found, 0.5)
    check(case, smaller, left(case, smaller))


def test_no_parse() -> None:
    """Nothing kept; a top that nothing builds; rules without probability."""
    grammar = PCFG.from_text("S -> A B 1.0 \n A -> 'a' 1.0 \n B -> 'b' 0.5 | A 0.5")
    for words in (["a"], ["b", "b"], ["a", "zzz"], ["a", "a", "a"], ["a", "b"], ["a", "a"]):
        ids = grammar.lexicon.encode(words)
        split = even_blocks(grammar, 3)
        case = Case(grammar, ids, split, chart_of(grammar, ids), [])
        none = np.zeros(len(case.chart.label), bool)
        impossible = split._replace(lexical=np.zeros_like(split.lexical))
        forests = [
            (case.build(none, none), split),
            (case.build(none), split),
            (case.build(None, none), split),
        ]
        for made, numbers in (*forests, (case.build(), impossible)):
            log, found = run(made, numbers)
            assert log == -math.inf
            assert not any(p.any() for p in found)
            assert len(forest_scores.max_rule(made, found)[0]) == 0
            for least in (0.0, 0.5):
                smaller = forest.restrict(made, found, least)
                assert len(smaller.label) == (0 if least else len(made.label))
                assert run(smaller, numbers)[0] == -math.inf
