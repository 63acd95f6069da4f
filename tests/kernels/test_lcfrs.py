"""The exhaustive chart of a PLCFRS against its naive twin: items, values, uses of rules, derivations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcfrs_cases import grammars, sentences
from naive import best_first as twin
from naive import lcfrs as naive
from secateur.grammar.derivation import LEXICAL
from secateur.grammar.lcfrs.derivation import Step
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.lcfrs import chart as cells
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.gate import Gate, gate_of
from secateur.kernels.lcfrs.rules import NONE


def items(grammar: PLCFRS, chart: kernel.Chart) -> dict[tuple[int, int], float]:
    """(symbol, positions) -> value of all items."""
    room, rules = chart.room, grammar.rules
    found = {}
    for s in range(chart.sets):
        positions = int(room.words[s, 0]) | int(room.words[s, 1]) << 64
        for symbol in room.active[room.begin[s] : room.end[s]].tolist():
            found[symbol, positions] = float(room.value[room.base[s] + rules.local[symbol]])
    return found


def steps(grammar: PLCFRS, chart: kernel.Chart, goal: int) -> list[Step]:
    start = grammar.number[grammar.start]
    binary, words = grammar.binary, chart.room.words
    rows = kernel.derivation(grammar.rules, chart.room, binary.left, binary.right, goal, start).tolist()
    return [Step(kind, x, int(words[s, 0]) | int(words[s, 1]) << 64, rule) for kind, x, s, rule in rows]


def plain(derivation: list[Step]) -> list[Step]:
    """Without the rules of words, which the kernel does not name."""
    return [step._replace(rule=-1) if step.kind == LEXICAL else step for step in derivation]


@given(st.booleans(), st.data())
def test_chart_equals_the_twin(circles: bool, data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=circles, exact=data.draw(st.booleans())))
    words = grammar.lexicon.encode(data.draw(sentences()))
    theirs = naive.chart(grammar, words.tolist())
    chart = kernel.chart_of(grammar.rules, words)
    expected = {
        (item.symbol, naive.bits(item.positions)): score
        for item, score in theirs.scores.items()
        if item.above and score > -np.inf
    }
    assert items(grammar, chart) == expected
    binary = [h for h in theirs.hyperedges if h.kind == naive.BINARY]
    assert int(chart.room.tally[cells.PUSHES]) == len(binary)
    goal = kernel.goal_of(grammar.rules, chart.room, len(words))
    score = kernel.best_of(grammar.rules, chart.room, goal, grammar.number[grammar.start])
    assert score == theirs.score
    if score > -np.inf:
        assert plain(steps(grammar, chart, goal)) == plain(theirs.derivation())


@given(st.data())
def test_little_room_makes_no_difference(data: st.DataObject) -> None:
    grammar = data.draw(grammars())
    words = grammar.lexicon.encode(data.draw(sentences()))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_SETS", "_CELLS", "_ACTIVE", "_ENTRIES", "_LISTS", "_USES"):
            patch.setattr(kernel, name, 1)
        little = kernel.chart_of(grammar.rules, words, keep_uses=True)
    chart = kernel.chart_of(grammar.rules, words, keep_uses=True)
    assert items(grammar, little) == items(grammar, chart)
    assert (little.room.tally[cells.PUSHES :] == chart.room.tally[cells.PUSHES :]).all()
    count = int(chart.room.tally[cells.USES])
    for ours, theirs in zip(little.uses, chart.uses, strict=True):
        assert (ours[:count] == theirs[:count]).all()


def open_hyperedges(chart: naive.Chart, gate: Gate) -> dict[naive.Item, list[naive.Hyperedge]]:
    """Those that words make, and all others into an item that the gate lets pass."""

    def keeps(item: naive.Item) -> bool:
        runs = naive_runs(item.positions)
        slot = int(gate.slot[item.symbol])
        if slot == NONE:
            return True
        total = sum(float(gate.interval[slot + part, i, k]) for part, (i, k) in enumerate(runs))
        size, length = len(item.positions), runs[-1][1] - runs[0][0]
        return total + float(gate.size[item.symbol, size]) + float(gate.length[item.symbol, length]) > 0

    free = (naive.LEXICAL, naive.STAY)
    return {
        item: [h for h in found if h.kind in free or keeps(item)] for item, found in chart.incoming.items()
    }


def naive_runs(positions: frozenset[int]) -> list[tuple[int, int]]:
    starts = sorted(p for p in positions if p - 1 not in positions)
    ends = sorted(p + 1 for p in positions if p + 1 not in positions)
    return list(zip(starts, ends, strict=True))


def drawn_gate(grammar: PLCFRS, n: int, data: st.DataObject) -> Gate:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 32)))
    slot = (np.cumsum(grammar.fanout) - grammar.fanout).astype(np.uint32)
    if data.draw(st.booleans()):
        slot[rng.random(len(slot)) < 0.3] = NONE  # always kept
    values = [
        rng.integers(-2, 3, shape) / 4 + offset
        for shape, offset in (
            ((int(grammar.fanout.sum()), n + 1, n + 1), 0.25),
            ((len(slot), n + 1), 0.0),
            ((len(slot), n + 1), 0.0),
        )
    ]
    return gate_of(grammar.rules, slot, *values)


@given(st.data())
def test_a_gate_keeps_what_it_says(data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=data.draw(st.booleans())))
    words = grammar.lexicon.encode(data.draw(sentences()))
    gate = drawn_gate(grammar, len(words), data)
    chart = kernel.chart_of(grammar.rules, words, gate)
    theirs = naive.chart(grammar, words.tolist())
    left = open_hyperedges(theirs, gate)
    scores = naive.relaxed(left)
    assert items(grammar, chart) == {
        (item.symbol, naive.bits(item.positions)): score
        for item, score in scores.items()
        if item.above and score > -np.inf
    }
    live = [h for found in left.values() for h in found if all(scores[tail] > -np.inf for tail in h.tail)]
    assert int(chart.room.tally[cells.PUSHES]) == sum(h.kind == naive.BINARY for h in live)
    assert int(chart.room.tally[cells.UNARIES]) == sum(h.kind == naive.UNARY for h in live)
    first = kernel.best_first(grammar.rules, words, gate)
    assert best(grammar, first, len(words)) == scores.get(theirs.goal, -np.inf)


# Best-first -------------------------------------------------------------------------------------------------


def popped(grammar: PLCFRS, chart: kernel.Chart) -> dict[tuple[int, int], float]:
    """(symbol, positions) -> value of the items that were worked on."""
    room, rules = chart.room, grammar.rules
    found = {}
    for s in range(chart.sets):
        positions = int(room.words[s, 0]) | int(room.words[s, 1]) << 64
        first = int(rules.symbol_ptr[room.fanout[s]])
        row = room.value[room.base[s] : room.base[s] + rules.width[room.fanout[s]]]
        for place in np.flatnonzero(row > -np.inf).tolist():
            found[int(rules.symbol[first + place]), positions] = float(row[place])
    return found


def best(grammar: PLCFRS, chart: kernel.Chart, n: int) -> float:
    goal = kernel.goal_of(grammar.rules, chart.room, n)
    return float(kernel.best_of(grammar.rules, chart.room, goal, grammar.number[grammar.start]))


@given(st.booleans(), st.data())
def test_best_first_ends_with_the_best_parse(circles: bool, data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=circles, exact=data.draw(st.booleans())))
    words = grammar.lexicon.encode(data.draw(sentences()))
    whole = naive.chart(grammar, words.tolist())
    theirs = {
        (item.symbol, naive.bits(item.positions)): value
        for item, value in twin.values(whole).items()
        if item.above
    }
    chart = kernel.best_first(grammar.rules, words)
    found = popped(grammar, chart)
    assert int(chart.room.tally[cells.ITEMS]) == len(found)
    assert best(grammar, chart, len(words)) == whole.score
    # Which items of the goal's own value come before it is not said.
    assert {key: v for key, v in found.items() if v > whole.score} == {
        key: v for key, v in theirs.items() if v > whole.score
    }
    values = {(i.symbol, naive.bits(i.positions)): v for i, v in whole.scores.items() if i.above}
    assert found.items() <= values.items()
    if whole.score == -np.inf:
        every = kernel.chart_of(grammar.rules, words)
        assert found == items(grammar, every)
        assert (
            chart.room.tally[[cells.PUSHES, cells.UNARIES]] == every.room.tally[[cells.PUSHES, cells.UNARIES]]
        ).all()
        return
    goal = kernel.goal_of(grammar.rules, chart.room, len(words))
    ours = plain(steps(grammar, chart, goal))
    if (grammar.unary.weight < 0.0).all():  # no rule is free
        assert ours == plain(whole.derivation())
        return
    try:
        every = naive.Derivations(grammar, words.tolist()).all()
    except naive.TooMany:
        return
    assert ours in [plain(list(d.steps)) for d in every if d.score == whole.score]


@given(st.data())
def test_best_first_in_little_room(data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=data.draw(st.booleans())))
    words = grammar.lexicon.encode(data.draw(sentences()))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_SETS", "_CELLS", "_ACTIVE", "_ENTRIES", "_LISTS", "_WAITING"):
            patch.setattr(kernel, name, 1)
        little = kernel.best_first(grammar.rules, words)
    chart = kernel.best_first(grammar.rules, words)
    assert popped(grammar, little) == popped(grammar, chart)
    assert (little.room.tally[cells.PUSHES :] == chart.room.tally[cells.PUSHES :]).all()


def test_best_first_stops() -> None:
    grammar = PLCFRS.from_text(
        "S(X Y) -> S(X) S(Y) 0.3\nS(X Y Z) -> D(X, Z) S(Y) 0.2\nD(X, Y) -> S(X) S(Y)\nS('a') -> 0.5"
    )
    words = grammar.lexicon.encode(["a"] * 14)
    for limits, status in (
        (kernel.Limits(items=20), kernel.TOO_MANY),
        (kernel.Limits(memory=1 << 10), kernel.TOO_LARGE),
        (kernel.Limits(), kernel.COMPLETE),
    ):
        chart = kernel.best_first(grammar.rules, words, limits=limits)
        assert chart.status == status
        assert (best(grammar, chart, 14) > -np.inf) == (status == kernel.COMPLETE)
        assert popped(grammar, chart)
