"""Agenda parsing against its slow twin, pop by pop, and against CKY."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from agenda_cases import ALL, Case, Run, cases
from secateur.grammar.derivation import build_tree, cover_tree
from secateur.grammar.induce import induce
from secateur.grammar.latent.splitmerge import Schedule
from secateur.grammar.pcfg import PCFG
from secateur.kernels.agenda import parse
from secateur.kernels.agenda.derivation import cover, score_of
from secateur.kernels.agenda.dynamic import SIZE
from secateur.kernels.agenda.joins import joins_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, NOTHING, How, Limits, uniform_cost
from secateur.kernels.agenda.run import begin
from secateur.kernels.agenda.state import BYTES, DROPPED, EMPTY, FOUND, ITEMS, LONGEST, POPPED, POPS, RUNNING
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.treebanks.normalization import AS_IN_THE_PAPER

LIMIT = 1 << 30


def some(**options: bool) -> st.SearchStrategy[Case]:
    return st.booleans().flatmap(lambda exact: cases(exact=exact, **options))


def best_of(run: Run) -> list[tuple[int, ...]]:
    return [] if run.goal == 0xFFFFFFFF else run.steps(run.goal)


@settings(max_examples=300)
@given(some())
def test_kernel_equals_twin(case: Case) -> None:
    """Pop by pop, also past the first parse, until nothing waits."""
    run, twin = Run.of(case), case.twin()
    for _ in range(200):
        status, run = run.go()
        assert status == twin.run(ALL)
        assert best_of(run) == twin.answer()
        if status == EMPTY:
            break
    assert status == EMPTY
    assert run.log == twin.log
    assert (run.pushes, run.state.tally[DROPPED]) == (twin.pushes, twin.dropped)
    for (i, k), (score, _) in twin.best_node.items():
        assert run.state.node_best[i, k] == score
    for i, k in np.ndindex(run.state.nodes.shape):
        assert run.state.nodes[i, k] == sum(key[:2] == (i, k) for key in twin.node)
    steps = cover(case.grammar.rules, case.words, run.state)
    assert [tuple(step) for step in steps.tolist()] == twin.cover()


@settings(max_examples=100)
@given(some())
def test_dynamic_features_of_no_weight_change_nothing(case: Case) -> None:
    without = case._replace(priorities=case.priorities._replace(dynamic=NOTHING))
    zeros = case._replace(priorities=case.priorities._replace(dynamic=np.zeros(SIZE)))
    assert Run.of(without).go()[1].log == Run.of(zeros).go()[1].log


@settings(max_examples=100)
@given(some(), st.integers(0, 12))
def test_slices_change_nothing(case: Case, pops: int) -> None:
    """Nor does a limit, but that there is no more after it."""
    status, run = Run.of(case).go()
    sliced = Run.of(case).sliced(1 + pops)
    assert (status, run.log, best_of(run)) == (sliced[0], sliced[1].log, best_of(sliced[1]))
    limited = Run.of(case).go(limits=Limits(pops=pops))
    assert limited[1].log == run.log[:pops]
    assert limited[0] == (POPS if len(run.log) > pops else status)
    assert Run.of(case).go(pops)[0] == (RUNNING if len(run.log) > pops else status)


@settings(max_examples=200)
@given(some(cost_is_uniform=True))
def test_uniform_cost_is_exact(case: Case) -> None:
    """The first parse has CKY's score; worked off to the end, the agenda has built all that CKY builds."""
    rules = case.grammar.rules
    _, score, pushes, items, _ = cky.viterbi(rules, case.words, case.mask, case.anchors, LIMIT)
    status, run = Run.of(case).go()
    assert (status == FOUND) == (score > -np.inf)
    if status == FOUND:
        steps = np.array(run.steps(run.goal))
        assert run.log[-1][2] == score == score_of(rules, case.words, case.anchors, steps)
    while status == FOUND:
        status, run = run.go()
    assert status == EMPTY
    assert (run.pushes, run.state.nodes.sum()) == (pushes, items)
    priorities = [entry[1] for entry in run.log]
    assert priorities == sorted(priorities, reverse=True)
    assert len(run.log) == len({entry[0] for entry in run.log}) == run.state.tally[ITEMS]


@settings(max_examples=200)
@given(some())
def test_a_derivation_scores_what_is_said(case: Case) -> None:
    """Or more, where a part of it became better after it was built in."""
    rules = case.grammar.rules
    status, run = Run.of(case).go()
    if status == FOUND:
        score, twin = run.log[-1][2], case.twin()
        twin.run(ALL)
        found = score_of(rules, case.words, case.anchors, np.array(run.steps(run.goal)))
        assert found == twin.score(twin.node[twin.goal])
        assert found == score if case.how.merge == 0 else found >= score
        assert found <= cky.viterbi(rules, case.words, case.mask, case.anchors, LIMIT)[1]


@settings(max_examples=100)
@given(some(), st.integers(0, 30))
def test_what_covers_a_sentence(case: Case, pops: int) -> None:
    """Every word, once, whatever was found."""
    _, run = Run.of(case).go(pops)
    steps = cover(case.grammar.rules, case.words, run.state)
    words = [(i, k) for kind, _, i, k, _ in steps.tolist() if kind == 0]
    assert words == [(i, i + 1) for i in range(len(case.words))]
    leaves = [f"word{i}" for i in range(len(case.words))]
    for binarized in (False, True):
        tree = cover_tree(case.grammar, steps, leaves, binarized=binarized)
        assert (tree.label, tree.words()) == ("S", leaves)


def test_the_tree_of_what_covers_a_sentence() -> None:
    """Tags are not split; @B dissolves; one word has been popped as nothing, another one has no tag."""
    grammar = PCFG.build(
        "S",
        [("@B", "A~0", "A~1", -1.0), ("C", "@B", "A~1", -1.0)],
        [("S", "t~0", -1.0, ())],
        [("A~0", "a", -1.0), ("A~1", "b", -1.0), ("t~0", "c", -2.0), ("A~1", "c", -3.0)],
        {"split": "yes"},
    )
    words = ["c", "a", "b", "b", "a", "b", "d"]
    case = ordinary(grammar, words)
    forbidden = np.zeros((len(words), len(grammar.symbols)), np.float32)
    forbidden[0] = -np.inf
    case = case._replace(anchors=Anchors(NO_ANCHORS.span, forbidden))
    tree = cover_tree(grammar, first(case).steps, words)
    assert str(tree) == "(S (t c) (C (A a) (A b) (A b)) (A a) (A b) (X d))"


def first(case: Case, limits: Limits = NO_LIMITS) -> parse.Found:
    grammar, words, *rest = case
    return parse.Found(*parse.first_parse(grammar.rules, joins_of(grammar.rules), words, *rest, limits))


@settings(max_examples=100)
@given(some())
def test_in_one_call(case: Case) -> None:
    status, run = Run.of(case).go()
    found = first(case)
    whole = best_of(run)
    assert (found.pops, found.pushes, found.status) == (len(run.log), run.pushes, status)
    assert (found.score > -np.inf) == bool(whole)
    steps = whole or cover(case.grammar.rules, case.words, run.state).tolist()
    assert [tuple(step) for step in found.steps.tolist()] == [tuple(step) for step in steps]


# Larger grammars --------------------------------------------------------------------------------------------

QUICK = Schedule(split_rounds=4, merge_rounds=2, smooth_rounds=2)
TREES = sec.garden.treebank(200).normalize(AS_IN_THE_PAPER)


@cache
def garden(level: int) -> PCFG:
    if level < 0:
        return induce(TREES)
    return SplitTraining(TREES, settings=SplitSettings(levels=2, schedule=QUICK)).fit().grammar(level).flat()


def ordinary(grammar: PCFG, words: Sequence[str], how: How = EXACT) -> Case:
    """By score alone."""
    n = len(words)
    ids, mask = grammar.lexicon.encode(list(words)), np.ones((n + 1, n + 1), np.bool_)
    return Case(grammar, ids, mask, NO_ANCHORS, uniform_cost(n, len(grammar.symbols)), how)


def check_against_cky(case: Case) -> None:
    score = cky.viterbi(case.grammar.rules, case.words, case.mask, case.anchors, LIMIT)[1]
    found = first(case)
    assert found.score == score
    assert found.pops <= found.items
    rough = first(case._replace(how=How(4.0, 2, 1.5)))
    assert (rough.score > -np.inf) == (score > -np.inf)
    assert rough.score <= score


@pytest.mark.parametrize("level", [-1, 0, 2])
def test_scores_are_those_of_cky(level: int) -> None:
    grammar, rng = garden(level), np.random.default_rng(1)
    for tree in sec.garden.treebank(210)[200:]:
        case = ordinary(grammar, tree.words())
        check_against_cky(case)
        n = len(case.words)
        some_spans = rng.random((n + 1, n + 1)) < 0.8
        scores = [-rng.exponential(1.0, (size, len(grammar.symbols))) for size in (n * (n + 1) // 2, n)]
        anchors = Anchors(*(score.astype(np.float32) for score in scores))
        check_against_cky(case._replace(mask=some_spans, anchors=anchors))


def test_scores_are_those_of_cky_on_a_treebank(data: Path) -> None:
    train, test = (
        sec.read(data / "ptb-sample" / f"{name}.mrg", normalization=AS_IN_THE_PAPER)
        for name in ("train", "test")
    )
    grammar = induce(train)
    for tree in test[:20]:
        check_against_cky(ordinary(grammar, tree.words()))


def test_the_tree_of_a_parse() -> None:
    tree = sec.garden.treebank(201)[200]
    case = ordinary(garden(-1), tree.words())
    steps = first(case).steps
    best = cky.viterbi(case.grammar.rules, case.words, case.mask, case.anchors, LIMIT)[0]
    assert build_tree(case.grammar, steps, tree.words()) == build_tree(case.grammar, best, tree.words())


# By hand ----------------------------------------------------------------------------------------------------


def small(weight: float = -1.0) -> PCFG:
    return PCFG.build(
        "S", [("S", "A", "B", weight)], [("B", "A", -1.0, ())], [("A", "a", -1.0), ("A", "b", -9.0)]
    )


def test_a_word() -> None:
    grammar = PCFG.build("S", [], [], [("S", "a", -0.5)])
    found = first(ordinary(grammar, ["a"]))
    assert (found.score, found.pops, found.pushes, found.status) == (np.float32(-0.5), 1, 1, FOUND)
    unknown = first(ordinary(grammar, ["b"]))
    assert (unknown.score, unknown.pops, unknown.pushes, unknown.status) == (-np.inf, 0, 0, EMPTY)
    assert unknown.steps.tolist() == [[0, 1, 0, 1, -1]]  # under no symbol


def test_delta_is_widened_until_there_is_a_parse() -> None:
    """No B is kept beside an A that is better by 1: not by 0.5, but by three times that."""
    case = ordinary(small(), ["a", "a"], How(0.0, 2, 1.0))
    assert first(case).status == EMPTY
    widened = first(case._replace(how=How(0.5, 2, 3.0)))
    assert (widened.status, widened.score) == (FOUND, np.float32(-4.0))
    narrow = Run.of(case._replace(how=How(0.5, 2, 1.0))).go()[1]
    exact = Run.of(case._replace(how=How(1.5, 2, 1.0))).go()[1]
    assert widened.pops == len(narrow.log) + len(exact.log)
    assert widened.pushes == narrow.pushes + exact.pushes
    limited = first(case._replace(how=How(0.5, 2, 3.0)), Limits(pops=3))
    assert (limited.status, limited.pops) == (POPS, 3)
    # Nothing was dropped: to go on widening would not end.
    assert first(ordinary(small(), ["a"], How(100.0, 2, 2.0))).status == EMPTY


def test_memory_is_limited() -> None:
    grammar = garden(-1)
    tree = max(sec.garden.treebank(40), key=lambda tree: len(tree.words()))
    case = ordinary(grammar, tree.words())
    found = first(case, Limits(bytes=1 << 16))
    assert (found.status, found.score) == (BYTES, -np.inf)
    assert len([step for step in found.steps if step[0] == 0]) == len(tree.words())
    assert first(case, Limits(bytes=1 << 28)).status == FOUND
    # What has grown is not lost: with more memory the search goes on.
    start = Run.of(case)
    size = sum(array.nbytes for array in start.state)
    status, run = start.go(limits=Limits(bytes=size + (1 << 12)))
    assert status == BYTES
    assert 0 < len(run.log) < len(Run.of(case).go()[1].log)
    assert sum(array.nbytes for array in run.state) <= size + (1 << 12)
    assert run.go()[1].log == Run.of(case).go()[1].log


def test_a_mask_bars_neither_words_nor_the_sentence() -> None:
    case = ordinary(small(), ["a", "b"])
    barred = case._replace(mask=np.zeros((3, 3), np.bool_))
    assert first(barred).score == first(case).score > -np.inf


@pytest.mark.parametrize("words", [0, LONGEST + 1])
def test_sentences_are_neither_empty_nor_endless(words: int) -> None:
    grammar = small()
    case = ordinary(grammar, ["a"])._replace(words=np.zeros(words, np.uint32))
    with pytest.raises(ValueError, match=f"^{words} words: an agenda takes 1 to 32767$"):
        begin(grammar.rules, *case[1:])


def test_what_was_popped_may_become_better() -> None:
    """A is popped as the worse of its two derivations; each way to merge does something else with it."""
    grammar = PCFG.build(
        "S",
        [("A", "t", "t", -5.0), ("A", "u", "u", -1.0), ("S", "A", "t", -1.0)],
        [],
        [("t", "a", -1.0), ("u", "a", -1.0)],
    )
    case = ordinary(grammar, ["a", "a", "a"])
    n, symbols = 3, len(grammar.symbols)
    column = np.arange(symbols, dtype=np.uint32)
    first_of = np.zeros((n + 1, symbols))
    first_of[:, grammar.number["u"]] = -100.0
    order = uniform_cost(n, symbols)._replace(first=first_of, last=np.zeros((n + 1, symbols)), column=column)
    found = {}
    for merge in range(3):
        twin_case = case._replace(priorities=order, how=How(np.inf, merge, 1.0))
        status, run = Run.of(twin_case).go()
        while status == FOUND:
            status, run = run.go()
        steps = np.array(run.steps(run.goal))
        again = sum(entry[0][:3] == (0, 2, grammar.number["A"]) for entry in run.log)
        found[merge] = (again, float(score_of(grammar.rules, twin_case.words, NO_ANCHORS, steps)))
        assert run.state.tally[POPPED] == len(run.log)
    assert found == {0: (1, -9.0), 1: (1, -5.0), 2: (2, -5.0)}
