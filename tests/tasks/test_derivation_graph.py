"""The derivation graph of a PLCFRS against the naive chart: hyperedges, best trees, sums, changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars, item_name, node_names, sentences
from naive import lcfrs as naive
from secateur.errors import InputError
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import Ids
from secateur.hypergraph.semiring import Semiring
from secateur.kernels.lcfrs import parse as kernel
from secateur.kinds.lcfrs.exact import PlcfrsParser, Stops
from secateur.tasks.hyperedge_pruning.graph import STAY, DerivationGraph, graph_of


def made(grammar: PLCFRS, words: Ids) -> DerivationGraph:
    return graph_of(grammar, words, kernel.chart_of(grammar.rules, words, keep_uses=True))


@given(st.booleans(), st.booleans(), st.data())
def test_it_has_all_hyperedges_in_order(circles: bool, long: bool, data: st.DataObject) -> None:
    """Of rules with any number of symbols on the right: the twin takes them as they are."""
    grammar = data.draw(grammars(circles=circles, long=long))
    sentence = data.draw(sentences())
    words = grammar.lexicon.encode(sentence)
    theirs, found = naive.chart(grammar, words.tolist()), PlcfrsParser(grammar).graph(sentence)
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
    grammar = data.draw(grammars(circles=False, long=data.draw(st.booleans())))
    sentence = data.draw(sentences(longest=4))
    words, found = grammar.lexicon.encode(sentence), PlcfrsParser(grammar).graph(sentence)
    try:
        every = naive.Derivations(grammar, words.tolist()).all()
    except naive.TooMany:
        return
    total = naive.log_sum([derivation.log for derivation in every])
    goal = found.weighted.graph.goal
    assert found.weighted.inside()[goal] == pytest.approx(total)
    assert found.weighted.inside(Semiring.COUNT)[goal] == len(every)
    best = found.weighted.kbest(7)
    assert [round(one.value, 9) for one in best] == [round(derivation.score, 9) for derivation in every[:7]]
    steps = [derivation.steps for derivation in every]
    assert all(tuple(found.steps(one.hyperedges)) in steps for one in best)


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


def test_a_rule_of_four_is_one_hyperedge() -> None:
    """Binary rules share what they have in common; here every way to divide the words is one of its own."""
    grammar = PLCFRS.from_text(
        "S(W X Y Z) -> A(W) A(X) A(Y) A(Z) 0.5\nA(X Y) -> A(X) A(Y) 0.5\nA('a') -> 0.5"
    )
    graph = PlcfrsParser(grammar).graph(["a"] * 6).weighted.graph
    goal = [h for h, head in enumerate(graph.links.head.tolist()) if head == graph.goal]
    assert len(goal) == math.comb(5, 3)
    assert {len(graph.tails(h)) for h in goal} == {4}


def test_no_graph_of_half_a_chart() -> None:
    grammar = PLCFRS.from_text("S(X Y) -> S(X) S(Y) 0.5\nS('a') -> 0.5")
    with pytest.raises(InputError, match="did not become complete: items"):
        PlcfrsParser(grammar, stops=Stops(items=5)).graph(["a"] * 9)
    with pytest.raises(InputError, match="a sentence of 129 words"):
        PlcfrsParser(grammar).graph(["a"] * 129)
