"""The Viterbi kernel against its slow twin and against the list of all derivations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive.cky import Mask, Result, viterbi
from naive.enumerate import Forest
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.testing.strategies import anchors, grammars, masks, sentences

LIMIT = 1 << 30
MANY = 3000  # derivations, more than which are not listed


class Case(NamedTuple):
    grammar: PCFG
    words: npt.NDArray[np.uint32]
    mask: Mask
    anchors: Anchors


@st.composite
def cases(draw: st.DrawFn, *, exact: bool, longest: int = 7, rules: int = 14) -> Case:
    grammar = draw(grammars(exact=exact, rules=rules))
    words = draw(sentences(longest=longest))
    n = len(words)
    mask = draw(st.just(np.ones((n + 1, n + 1), np.bool_)) | masks(n))
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, n, exact=exact))
    return Case(grammar, grammar.lexicon.encode(words), mask, scores)


def kernel(case: Case) -> Result:
    steps, score, pushes, items, complete = cky.viterbi(
        case.grammar.rules, case.words, case.mask, case.anchors, LIMIT
    )
    assert complete
    return Result(np.float32(score), list(map(tuple, steps.tolist())), int(pushes), int(items))


@settings(max_examples=300)
@given(st.booleans().flatmap(lambda exact: cases(exact=exact)))
def test_kernel_equals_twin(case: Case) -> None:
    assert kernel(case) == viterbi(*case)


@settings(max_examples=150)
@given(st.booleans().flatmap(lambda exact: cases(exact=exact, longest=5, rules=8)))
def test_twin_equals_enumeration(case: Case) -> None:
    forest = Forest(*case)
    assume(forest.size() <= MANY)
    derivations = forest.derivations()
    found = viterbi(*case)
    if not derivations:
        assert found.score == -np.inf
        assert not found.steps
        return
    assert found.steps == list(derivations[0].steps)
    assert found.score == derivations[0].score == max(d.score for d in derivations)


@settings(max_examples=60)
@given(cases(exact=True))
def test_chart_holds_the_items(case: Case) -> None:
    """Every item can be looked up; what is not in the chart is not found."""
    chart = cky.fill(case.grammar.rules, case.words, case.mask, case.anchors, LIMIT)
    n, found = len(case.words), 0
    for i in range(n):
        for k in range(i + 1, n + 1):
            for x in range(len(case.grammar.symbols)):
                item = cky.item_of(chart, i, k, x)
                if item >= 0:
                    found += 1
                    assert chart.label[item] == x
                    assert chart.best[item] == chart.score_from[chart.row_from[i, x], k]
                    assert chart.best[item] == chart.score_to[chart.row_to[k, x], i]
                    assert chart.best[item] >= chart.base[item]
                    assert chart.best[item] > -np.inf
    assert found == len(chart.label)


def two_rules(anchor: float) -> Case:
    """Two binary rules for S whose weights differ by less than float32 holds once the anchor is added."""
    grammar = PCFG.build(
        "S",
        [("S", "t", "u", -0.75), ("S", "u", "t", -0.5)],
        [],
        [("t", "a", -1.0), ("u", "a", -1.0)],
    )
    span = np.zeros((3, len(grammar.symbols)), np.float32)
    span[1, grammar.number["S"]] = anchor
    return Case(
        grammar,
        grammar.lexicon.encode(["a", "a"]),
        np.ones((3, 3), np.bool_),
        Anchors(span, np.zeros((0, 0), np.float32)),
    )


def test_ties_are_settled_after_the_anchor() -> None:
    """Totals that an anchor's rounding makes equal are equal: the smaller rule id wins."""
    case = two_rules(2.0**26)
    assert kernel(case) == viterbi(*case)
    assert kernel(case).steps[0][-1] == 0
    assert kernel(two_rules(0.0)).steps[0][-1] == 1


def test_one_unary_at_most() -> None:
    """S -> A -> t would need two unaries over the word: there is no parse."""
    grammar = PCFG.build("S", [], [("S", "A", -1.0, ()), ("A", "t", -1.0, ())], [("t", "a", -1.0)])
    case = Case(grammar, grammar.lexicon.encode(["a"]), np.ones((2, 2), np.bool_), NO_ANCHORS)
    assert kernel(case) == Result(np.float32(-np.inf), [], 2, 2)


def test_widths_one_and_n_are_never_pruned() -> None:
    grammar = PCFG.build("S", [("S", "S", "S", -1.0)], [], [("S", "a", -1.0)])
    words = grammar.lexicon.encode(["a", "a", "a"])
    case = Case(grammar, words, np.zeros((4, 4), np.bool_), NO_ANCHORS)
    # Three entries; the whole sentence lacks its parts of width 2.
    assert kernel(case) == Result(np.float32(-np.inf), [], 3, 3)
    mask = np.zeros((4, 4), np.bool_)
    mask[1, 3] = True
    # One more push for (1, 3) and one for (0, 3).
    assert kernel(case._replace(mask=mask))[::3] == (np.float32(-5.0), 5)
    assert kernel(case._replace(mask=mask)).pushes == 5
