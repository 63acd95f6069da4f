"""The derivation graph of a PLCFRS against the naive chart: hyperedges, best trees, sums, changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars, item_name, node_names, sentences
from naive import lcfrs as naive
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import Ids
from secateur.hypergraph.semiring import Semiring
from secateur.kernels.lcfrs import parse as kernel
from secateur.tasks.hyperedge_pruning.graph import STAY, DerivationGraph, graph_of


def made(grammar: PLCFRS, words: Ids) -> DerivationGraph:
    return graph_of(grammar, words, kernel.chart_of(grammar.rules, words, keep_uses=True))


@given(st.booleans(), st.data())
def test_it_has_all_hyperedges_in_order(circles: bool, data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=circles))
    words = grammar.lexicon.encode(data.draw(sentences()))
    theirs, found = naive.chart(grammar, words.tolist()), made(grammar, words)
    names, graph = node_names(found), found.weighted.graph
    ours: dict[tuple[int, int, bool], list[object]] = {}
    for h in range(len(graph)):
        head = names[int(graph.links.head[h])]
        tails = tuple(names[t] for t in graph.tails(h))
        ours.setdefault(head, []).append((int(found.kind[h]), int(found.rule[h]), tails))
    expected = {
        item_name(item): [(h.kind, h.rule, tuple(map(item_name, h.tail))) for h in hyperedges]
        for item, hyperedges in theirs.incoming.items()
    }
    assert {item: sorted(each, key=str) for item, each in ours.items()} == {
        item: sorted(each, key=str) for item, each in expected.items()
    }
    best = found.weighted.viterbi()
    assert (best is None) == (theirs.score == -math.inf)
    if best is not None:
        assert best.value == theirs.score
        assert found.steps(best.hyperedges) == theirs.derivation()


@given(st.data())
def test_sums_equal_those_of_all_derivations(data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=False))
    words = grammar.lexicon.encode(data.draw(sentences(longest=4)))
    found = made(grammar, words)
    try:
        every = naive.Derivations(grammar, words.tolist()).all()
    except naive.TooMany:
        return
    total = naive.log_sum([derivation.log for derivation in every])
    goal = found.weighted.graph.goal
    assert found.weighted.inside()[goal] == pytest.approx(total)
    assert found.weighted.inside(Semiring.COUNT)[goal] == len(every)
    best = [round(derivation.value, 9) for derivation in found.weighted.kbest(7)]
    assert best == [round(derivation.score, 9) for derivation in every[:7]]


@given(st.booleans(), st.data())
def test_a_flip_equals_parsing_without_the_hyperedge(circles: bool, data: st.DataObject) -> None:
    """Flips and undoing: the same values as those of the graph made anew with that weight."""
    grammar = data.draw(grammars(circles=circles))
    words = grammar.lexicon.encode(data.draw(sentences()))
    found = made(grammar, words)
    able = np.flatnonzero(found.kind != STAY)
    change = found.weighted.change()
    before = change.values.copy()
    for h in able[:: max(len(able) // 6, 1)].tolist():
        change.flip([h])
        weights = found.weighted.weights.copy()
        weights[h] = -np.inf
        again = found.weighted.graph.weigh(weights)
        assert np.array_equal(change.values, again.inside(Semiring.VITERBI))
        best, theirs = change.viterbi(), again.viterbi()
        assert (best and best.hyperedges) == (theirs and theirs.hyperedges)
        change.undo()
        assert np.array_equal(change.values, before)
