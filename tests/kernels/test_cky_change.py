"""Change propagation against parsing again, at every span: equal to the last bit."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import (
    change as cky_change,
)
from secateur.kernels.cky import (
    counts as cky_counts,
)
from secateur.kernels.cky import (
    front as cky_front,
)
from secateur.kernels.cky import (
    state as cky_state,
)
from secateur.kernels.cky import (
    viterbi as cky,
)
from secateur.kernels.cky.brackets import Classes, GoldBrackets, count_matches
from secateur.kernels.cky.rules import NO_ANCHORS, Rules
from secateur.search.core import Outcome, Policy, Reward
from secateur.search.values import replay
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning, sites_of
from secateur.testing.strategies import grammars, masks, sentences
from secateur.treebanks import garden
from secateur.treebanks.tree import Leaf, Tree
from without_jit import needs_compiled, plain_results

LIMIT = 1 << 40
FEATURES = SpanFeatures(frozenset(), bits=10)
AMBIGUOUS = """
    S -> S S 0.3 | A B 0.3 | S B 0.2 | A 0.2
    A -> B A 0.4 | 'a' 0.3 | 'b' 0.3
    B -> A S 0.35 | 'b' 0.35 | S 0.3
"""


class Case(NamedTuple):
    rules: Rules
    words: npt.NDArray[np.uint32]
    mask: npt.NDArray[np.bool_]
    sites: npt.NDArray[np.int32]
    classes: Classes
    gold: GoldBrackets


def random_tree(grammar: PCFG, words: list[str], rng: np.random.Generator) -> Tree:
    """A gold tree with the grammar's labels, wide nodes and chains."""

    def node(i: int, k: int) -> Tree:
        label = grammar.plain[int(rng.integers(len(grammar.plain)))]
        if k - i == 1 and rng.random() < 0.7:
            return Tree(label, (Leaf(i, words[i]),))
        inner = sorted({int(j) for j in rng.integers(i + 1, k, size=2)}) if k - i > 1 else []
        ends = [i, *inner, k]
        return Tree(label, tuple(node(a, b) for a, b in pairwise(ends)))

    return Tree(grammar.start, (node(0, len(words)),))


def weigh(rules: Rules, how: str) -> Rules:
    """The same rules with weights that put rounding to the test."""
    if how == "rounded":  # sums so large that many totals round to the same
        return rules._replace(lex_weight=rules.lex_weight - np.float32(30000))
    if how == "positive":
        return rules._replace(rule_weight=rules.rule_weight + np.float32(7), unary_weight=-rules.unary_weight)
    return rules


def case_of(
    grammar: PCFG, words: list[str], mask: npt.NDArray[np.bool_], tree: Tree, how: str = "as drawn"
) -> Case:
    task = SpanPruning(grammar, FEATURES, Binarization())
    sites = sites_of(len(words)).copy()
    brackets = task.gold(tree).brackets
    return Case(
        weigh(grammar.rules, how), grammar.lexicon.encode(words), mask, sites, task.brackets.classes, brackets
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    grammar = draw(grammars(exact=draw(st.booleans())))
    words = draw(sentences())
    mask = draw(masks(len(words), density=draw(st.sampled_from((0.2, 0.5, 0.8, 1.0)))))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    how = draw(st.sampled_from(("as drawn", "rounded", "positive")))
    return case_of(grammar, words, mask, random_tree(grammar, words, rng), how)


@cache
def grown() -> PCFG:
    return induce(garden.treebank(300))


@cache
def garden_cases() -> list[Case]:
    """Held-out sentences with masks like learned ones: most gold spans, and some others."""
    rng = np.random.default_rng(5)
    found: list[Case] = []
    for tree in garden.treebank(500)[300:]:
        n = len(tree.leaves())
        if len(found) < 6 and n in range(10 + 3 * len(found), 31):
            task = SpanPruning(grown(), FEATURES, Binarization())
            mask = rng.random((n + 1, n + 1)) < (0.1, 0.25, 0.5)[len(found) % 3]
            mask |= task.gold(tree).spans & (rng.random(mask.shape) < (1.0 if len(found) % 2 else 0.9))
            found.append(case_of(grown(), tree.words(), mask, tree))
    return found


def again(case: Case, site: Any) -> tuple[Any, ...]:
    """Parse with the mask flipped: steps, score, work, brackets."""
    i, k = site
    mask = case.mask.copy()
    mask[i, k] = not mask[i, k]
    steps, score, pushes, items, _ = cky.viterbi(case.rules, case.words, mask, NO_ANCHORS, LIMIT)
    matched, made = count_matches(case.classes, case.gold, steps)
    return steps, np.float32(score), int(items), int(pushes), int(matched), int(made)


def fill(case: Case) -> Any:
    return cky.fill(case.rules, case.words, case.mask, NO_ANCHORS, LIMIT)


def check_flips(case: Case) -> None:
    """Every flip alone, against parsing again."""
    chart = fill(case)
    items, pushes = cky_counts.runtimes(case.rules, chart, case.mask, case.sites)
    score, matched, made = cky_change.parses(
        case.rules, chart, case.mask, case.sites, case.classes, case.gold
    )
    state = cky_state.build_state(case.rules, chart, case.mask, case.sites)
    labels = state.best.shape[1]
    changes, pairs = cky_change.build_changes(chart.words, labels), cky_front.build_pairs(case.rules)
    front = cky_front.build_front(state.kept)
    roll_in = cky_change.parse_of(case.rules, state)
    before = [field.copy() for field in restored(state)]
    for s, (a, b) in enumerate(case.sites.tolist()):
        steps, *expected = again(case, (a, b))
        assert [score[s], items[s], pushes[s], matched[s], made[s]] == expected
        matters, goal = cky_change.new_score(state, roll_in, a, b)
        parse = roll_in
        if matters:
            parse = cky_change.flip_parse(case.rules, pairs, state, front, changes, a, b, goal)
        assert parse.score == expected[0]
        np.testing.assert_array_equal(parse.steps, steps)
        if expected[0] > -np.inf:  # about right is within the allowance for rounding
            assert abs(goal - expected[0]) <= state.slack
    for field, kept in zip(restored(state), before, strict=True):
        assert field.tobytes() == kept.tobytes()


def restored(state: cky_state.State) -> list[npt.NDArray[Any]]:
    """What a flip must leave as it was."""
    return [state.base, state.best, state.score_from, state.score_to, state.dirty]


@settings(max_examples=300)
@given(cases())
def test_every_flip_of_small_grammars(case: Case) -> None:
    check_flips(case)


@pytest.mark.parametrize("number", range(6))
def test_every_flip_of_garden_sentences(number: int) -> None:
    check_flips(garden_cases()[number])


def test_flips_make_and_break_parses() -> None:
    """Spans without which there is no parse, and spans with which there is one."""
    grammar = PCFG.from_text("S -> A B 1.0\nA -> t t 1.0\nB -> t t 1.0\nt -> 'a' 1.0")
    words = ["a", "a", "a", "a"]
    tree = random_tree(grammar, words, np.random.default_rng(0))
    for spans, found in (([], []), ([(0, 2)], [(2, 4)]), ([(0, 2), (2, 4)], [(1, 3), (0, 3), (1, 4)])):
        mask = np.zeros((5, 5), np.bool_)
        for i, k in spans:
            mask[i, k] = True
        case = case_of(grammar, words, mask, tree)
        check_flips(case)
        score, _, _ = cky_change.parses(*case[:1], fill(case), *case[2:])
        assert {tuple(s) for s in case.sites[score > -np.inf].tolist()} == set(found)


@pytest.mark.parametrize(("n", "others"), [(63, 0), (64, 100), (70, 200)])
def test_sets_of_several_words(n: int, others: int) -> None:
    """Of positions in long sentences, and of labels: A and B come before the others, S after them."""
    unused = [f"L{other:03} -> 'c' 1.0" for other in range(others)]
    grammar = PCFG.from_text("\n".join([AMBIGUOUS, *unused]), start="S")
    assert grammar.number["S"] == 2 + others
    rng = np.random.default_rng(n)
    words = [("a", "b")[w] for w in rng.integers(0, 2, n)]
    mask = rng.random((n + 1, n + 1)) < 0.12
    mask[0] = True
    case = case_of(grammar, words, mask, random_tree(grammar, words, rng))
    check_flips(case._replace(sites=case.sites[rng.choice(len(case.sites), 120, replace=False)]))


class Example(NamedTuple):
    task: SpanPruning
    x: Encoded
    gold: Gold
    policy: Policy


def examples() -> list[Example]:
    task = SpanPruning(grown(), FEATURES, Binarization())
    rng = np.random.default_rng(8)
    weights = rng.normal(size=task.dim).astype(np.float32)
    trees = [tree for tree in garden.treebank(400)[300:] if 8 <= len(tree.leaves()) <= 14][:4]
    short = [tree for tree in garden.treebank(400) if len(tree.leaves()) <= 3][:1]
    policies = [Policy(weights), Policy(weights, oracle_rate=0.9), Policy(weights, oracle_rate=1.0)]
    return [
        Example(task, task.encode(tree.words()), task.gold(tree), policies[t % 3])
        for t, tree in enumerate([*trees, *short])
    ]


@pytest.mark.parametrize("accuracy", ["f1", "recall"])
@pytest.mark.parametrize("runtime", ["items", "pushes", "kept"])
def test_propagate_equals_replay(accuracy: str, runtime: str) -> None:
    for task, x, gold, policy in examples():
        reward = Reward(getattr(task, accuracy), runtime, 0.003)
        episode = task.roll_in(x, policy, gold=gold)
        steps = np.arange(len(episode.trace.action))[::2]
        expected = replay(task, x, gold, policy, episode, reward, steps)
        found = propagate(task, x, gold, policy, episode, reward, steps)
        assert found.tobytes() == expected.tobytes()
        assert found.shape == (len(steps), 2)


def test_propagate_of_nothing() -> None:
    task, x, gold, policy = examples()[0]
    episode = task.roll_in(x, policy, gold=gold)
    none = np.zeros(0, np.int64)
    assert propagate(task, x, gold, policy, episode, Reward(task.f1, "items", 0.1), none).shape == (0, 2)


def test_other_rewards_are_refused() -> None:
    task, x, gold, policy = examples()[0]
    episode = task.roll_in(x, policy, gold=gold)
    steps = np.arange(2)
    twin = SpanPruning(task.grammar, FEATURES, Binarization(), parameters=task.parameters)

    def own(x: Encoded, outcome: Outcome, gold: Gold) -> float:
        return 1.0

    for reward in (
        own,
        Reward(own, "pushes", 0.1),
        Reward(twin.f1, "pushes", 0.1),
        Reward(task.f1, "seconds", 0.1),
    ):
        with pytest.raises(InputError, match="use replay"):
            propagate(task, x, gold, policy, episode, reward, steps)


def results() -> list[Any]:
    """Of one sentence: the work and the parse of every flip."""
    grammar = PCFG.from_text(AMBIGUOUS)
    rng = np.random.default_rng(1)
    words = [("a", "b")[w] for w in rng.integers(0, 2, 9)]
    mask = rng.random((10, 10)) < 0.6
    case = case_of(grammar, words, mask, random_tree(grammar, words, rng))
    chart = fill(case)
    found = (
        *cky_counts.runtimes(case.rules, chart, case.mask, case.sites),
        *cky_change.parses(case.rules, chart, case.mask, case.sites, case.classes, case.gold),
    )
    return [column.tolist() for column in found]


@needs_compiled
def test_same_results_without_compilation() -> None:
    plain = plain_results(__file__)
    assert plain == json.loads(json.dumps(results()))
    assert len(set(plain[2])) > 2


if __name__ == "__main__":
    print(json.dumps(results()))
