"""Expected recall of all flips at once: the kernel against slow twins, back-propagation against replay."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import secateur as sec
from naive.cky import Mask
from naive.enumerate import Forest
from naive.expect import Node, expected_recall, flip, long_expected_recall, nodes_of
from secateur.features.span import SpanFeatures
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky import expect as cky_expect
from secateur.kernels.cky import viterbi as cky
from secateur.kernels.cky.rules import NO_ANCHORS, Anchors
from secateur.search.core import Policy, Reward
from secateur.search.values import replay
from secateur.tasks.span_pruning.backprop import ExpectedRecall, backprop
from secateur.tasks.span_pruning.task import SpanPruning, sites_of
from secateur.testing.strategies import anchors, grammars, masks, sentences

MANY = 2000  # derivations, more than which are not listed
Ids = npt.NDArray[np.uint32]


class Case(NamedTuple):
    grammar: PCFG
    words: Ids
    mask: Mask
    nodes: set[Node]  # gold nodes that the grammar has
    lacking: int = 0
    anchors: Anchors = NO_ANCHORS


def kernel(case: Case, *, flips: bool = True) -> tuple[float, list[float]]:
    """Expected recall under the mask, and with each site flipped."""
    n = len(case.words)
    rows = np.array(sorted(case.nodes), np.int64).reshape(-1, 3)
    sites = sites_of(n) if flips else np.zeros((0, 2), np.int32)
    gold_nodes = len(case.nodes) + case.lacking
    as_is, flipped = cky_expect.expected_recalls(
        case.grammar.rules, case.words, case.mask, rows, gold_nodes, case.anchors, sites.copy()
    )
    return float(as_is), flipped.tolist()


def exactly(value: float | list[float]) -> object:
    """What is nothing must be exactly nothing."""
    return pytest.approx(value, rel=1e-9, abs=0.0)


def check_enumerated(case: Case) -> list[float]:
    """The kernel equals the sum over all derivations, on every flip; returns what the flips are worth."""
    n = len(case.words)
    derivations = Forest(case.grammar, case.words, None, case.anchors).derivations()
    gold_nodes = len(case.nodes) + case.lacking
    as_is, flipped = kernel(case)
    assert as_is == exactly(expected_recall(derivations, n, case.mask, case.nodes, gold_nodes))
    expected = [
        expected_recall(derivations, n, flip(case.mask, i, k), case.nodes, gold_nodes)
        for i, k in sites_of(n).tolist()
    ]
    assert flipped == exactly(expected)
    return expected


def check_anew(case: Case) -> list[float]:
    """The flips equal computing afresh under the flipped masks."""
    _, flipped = kernel(case)
    sites = sites_of(len(case.words)).tolist()
    anew = [kernel(case._replace(mask=flip(case.mask, i, k)), flips=False)[0] for i, k in sites]
    assert flipped == exactly(anew)
    return anew


@st.composite
def cases(draw: st.DrawFn, *, longest: int) -> Case:
    """Gold nodes are some of a derivation's and a few others."""
    grammar = draw(grammars(rules=10))
    words = grammar.lexicon.encode(draw(sentences(longest=longest)))
    n = len(words)
    scores = draw(st.just(NO_ANCHORS) | anchors(grammar, n))
    mask = draw(st.sampled_from((0.0, 0.3, 0.6, 0.9)).flatmap(lambda density: masks(n, density=density)))
    forest = Forest(grammar, words, None, scores)
    assume(forest.size() <= MANY)
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    pool = {(i, k, int(rng.integers(len(grammar.symbols)))) for i, k in sites_of(n).tolist()}
    derivations = forest.derivations()
    if derivations:
        pool |= set(nodes_of(derivations[int(rng.integers(len(derivations)))].steps))
    nodes = {node for node in sorted(pool) if 1 < node[1] - node[0] < n and rng.random() < 0.6}
    return Case(grammar, words, mask, nodes, draw(st.integers(0, 2)), scores)


@settings(max_examples=400)
@given(cases(longest=7))
def test_every_flip_equals_enumeration(case: Case) -> None:
    check_enumerated(case)


@pytest.mark.parametrize("words", ["a", "a a", "b"])
def test_short_sentences_have_no_flips(words: str) -> None:
    grammar = PCFG.from_text("S -> S S 0.5 | 'a' 0.5 \n B -> 'b' 1.0")
    case = Case(grammar, grammar.lexicon.encode(words.split()), np.ones((3, 3), np.bool_), set())
    case = case._replace(mask=np.zeros((len(case.words) + 1,) * 2, np.bool_))
    parses = "b" not in words
    assert kernel(case) == (float(parses), [])
    assert kernel(case._replace(lacking=1)) == (0.0, [])
    check_enumerated(case)


CHAIN = """
    S -> A c1 0.5 | a1 B 0.5
    A -> a1 b1 0.7 | X 0.3
    X -> a1 b1 1.0
    B -> b1 c1 1.0
    a1 -> 'a' 1.0
    b1 -> 'b' 1.0
    c1 -> 'c' 1.0
"""


def test_a_flip_may_be_what_makes_a_parse() -> None:
    grammar = PCFG.from_text(CHAIN)
    a, b, x = (grammar.number[name] for name in "ABX")
    case = Case(grammar, grammar.lexicon.encode(list("abc")), np.zeros((4, 4), np.bool_), {(0, 2, a)})
    assert kernel(case) == (0.0, [1.0, 0.0])
    # The label below a unary does not count, and what the grammar lacks is never found.
    assert kernel(case._replace(nodes={(0, 2, x)})) == (0.0, [0.0, 0.0])
    assert kernel(case._replace(nodes={(0, 2, a), (1, 3, b)}, lacking=2)) == (0.0, [0.25, 0.25])
    # Two flips away from a parse: nothing.
    four = PCFG.from_text("S -> A d 1.0 \n A -> B c 1.0 \n B -> 'a' 1.0 \n c -> 'c' 1.0 \n d -> 'd' 1.0")
    words = four.lexicon.encode(list("accd"))
    assert kernel(Case(four, words, np.zeros((5, 5), np.bool_), set())) == (0.0, [0.0] * 5)


@pytest.mark.parametrize("rest", [1e-3, 3e-5, 1e-6, 1e-9, 1e-12, 1e-15, 1e-20, 1e-100])
def test_pruning_what_carries_almost_everything(rest: float) -> None:
    """The difference of two nearly equal sums would be noise; the gold node is in the small remainder."""
    kept = f"{1 - rest:.17g}" if rest > 1e-15 else "1.0"
    grammar = PCFG.from_text(CHAIN.replace("A c1 0.5 | a1 B 0.5", f"A c1 {kept} | a1 B {rest!r}"))
    mask = np.ones((4, 4), np.bool_)
    words = grammar.lexicon.encode(list("abc"))
    case = Case(grammar, words, mask, {(1, 3, grammar.number["B"])})
    assert check_enumerated(case) == [1.0, 0.0]
    # Now R is almost all lost, and Z is not; then both are lost to nothing.
    gold = {(0, 2, grammar.number["A"]), (1, 3, grammar.number["B"])}
    assert check_enumerated(case._replace(nodes=gold, lacking=1)) == exactly([1 / 3, 1 / 3])
    alone = flip(mask, 1, 3)
    assert check_enumerated(case._replace(nodes=gold, mask=alone))[0] == 0.0
    assert check_enumerated(case._replace(nodes=set(), mask=alone))[0] == 0.0


def test_recall_lost_while_weight_is_not() -> None:
    """Without the span (0, 2) half of the weight is left, but only one part in 10^10 of the gold."""
    lexicon = "a -> 'a' 1.0 \n b -> 'b' 1.0 \n c -> 'c' 1.0"
    phrases = "A -> a b 1.0 \n B -> b c 1.0 \n C -> b c 1.0"
    grammar = PCFG.from_text(f"S -> A c 0.5 | a B 5e-11 | a C 0.49999999995 \n {phrases} \n {lexicon}")
    gold = {(0, 2, grammar.number["A"]), (1, 3, grammar.number["B"])}
    case = Case(grammar, grammar.lexicon.encode(list("abc")), np.ones((4, 4), np.bool_), gold)
    assert check_enumerated(case) == exactly([0.5e-10, 0.5])


LONG = """
    S -> NP VP 0.7 | S CS 0.3
    CS -> C S 1.0
    NP -> D N 0.6 | NP PP 0.2 | N 0.2
    VP -> V NP 0.5 | VP PP 0.2 | V 0.3
    PP -> P NP 1.0
    D -> 'the' 0.99 | 'saw' 0.01
    N -> 'hill' 1e-30 | 'birds' 0.5 | 'saw' 0.5
    V -> 'saw' 0.9 | 'birds' 0.1
    P -> 'with' 0.9 | 'saw' 0.1
    C -> 'and' 1.0
"""
CLAUSE = ["birds", "saw", "the", "hill", "with", "birds", "and"]


def long_case(n: int, density: float) -> Case:
    """Half of the best parse's nodes are gold; its spans are kept, and others at random."""
    grammar = PCFG.from_text(LONG)
    words = grammar.lexicon.encode((CLAUSE * n)[:n])
    rng = np.random.default_rng(n)
    mask = rng.random((n + 1, n + 1)) < density
    everything = np.ones((n + 1, n + 1), np.bool_)
    steps = cky.viterbi(grammar.rules, words, everything, NO_ANCHORS, 1 << 40)[0].tolist()
    best = sorted(node for node in nodes_of(tuple(map(tuple, steps))) if 1 < node[1] - node[0] < n)
    for i, k, _ in best:
        mask[i, k] = True
    return Case(grammar, words, mask, set(best[::2]), lacking=1)


@pytest.mark.parametrize("n", [65, 205])
def test_long_sentences_stay_in_range(n: int) -> None:
    """Against a twin in log space, on flips of all kinds; then once more from a roll-in without a parse."""
    case = long_case(n, 0.15)
    gold_nodes = len(case.nodes) + case.lacking
    sites = [tuple(site) for site in sites_of(n).tolist()]
    best = sorted({(i, k) for i, k, _ in case.nodes})
    as_is, flipped = kernel(case)
    assert as_is == exactly(long_expected_recall(case.grammar, case.words, case.mask, case.nodes, gold_nodes))
    assert np.isfinite(flipped).all()
    assert 0.0 <= min(flipped) <= max(flipped) <= 1.0
    assert 0.0 < as_is < 1.0
    gained = max((t for t in range(len(sites)) if not case.mask[sites[t]]), key=lambda t: flipped[t])
    lost = sites.index(best[len(best) // 2])
    for t in (gained, lost):
        mask = flip(case.mask, *sites[t])
        expected = long_expected_recall(case.grammar, case.words, mask, case.nodes, gold_nodes)
        assert flipped[t] == exactly(expected)
    # Without a span that every parse needs there is none, until it is flipped back.
    needed = next(t for t in range(len(sites)) if case.mask[sites[t]] and flipped[t] == 0.0)
    failed = case._replace(mask=flip(case.mask, *sites[needed]))
    as_failed, from_failed = kernel(failed)
    assert as_failed == 0.0
    assert from_failed[needed] == exactly(as_is)


@cache
def garden_task() -> tuple[SpanPruning, list[sec.Tree]]:
    grown = sec.garden.treebank(300)
    features = SpanFeatures.from_words(grown.vocabulary(), bits=14)
    return SpanPruning(sec.induce(grown), features, sec.Binarization()), list(grown)


@pytest.mark.parametrize("density", [0.05, 0.2, 0.5])
def test_garden_flips_equal_computing_anew(density: float) -> None:
    task, trees = garden_task()
    rng = np.random.default_rng(3)
    lost = 0
    for n in (10, 16, 23, 30):
        tree = next(tree for tree in trees if len(tree.leaves()) == n)
        gold = task.gold(tree)
        mask = gold.spans | (rng.random((n + 1, n + 1)) < density)
        nodes = {(int(i), int(k), int(x)) for i, k, x in gold.nodes}
        case = Case(task.grammar, task.encode(tree.words()).words, mask, nodes, gold.total - len(gold.nodes))
        anew = check_anew(case)
        lost += sum(value == 0.0 for value in anew)
    # Some gold spans cannot be done without.
    assert lost or density > 0.1


@pytest.mark.parametrize("tradeoff", [0.0, 1e-3])
def test_backprop_equals_replay(tradeoff: float) -> None:
    """Policies with random weights: some of their roll-ins have no parse, and some flips mend that."""
    task, trees = garden_task()
    rng = np.random.default_rng(5)
    reward = Reward(ExpectedRecall(task), "kept", tradeoff)
    parsed, mended = set(), 0
    for tree in [tree for tree in trees if 4 <= len(tree.leaves()) <= 9][:40]:
        x, gold = task.encode(tree.words()), task.gold(tree)
        policy = Policy(rng.normal(rng.choice([-0.2, 0.0, 0.2]), 1.0, task.dim).astype(np.float32))
        episode = task.roll_in(x, policy)
        steps = rng.permutation(len(episode.trace.action))[::2]
        found = backprop(task, x, gold, policy, episode, reward, steps)
        assert found.shape == (len(steps), 2)
        expected = replay(task, x, gold, policy, episode, reward, steps)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        parsed.add(episode.outcome.parts is not None)
        mended += episode.outcome.parts is None and found.max() > 0.0
    assert parsed == {False, True}
    assert mended


def test_nothing_to_find_is_found() -> None:
    """Gold of two words has no inner nodes: recall is 1 with a parse, 0 without."""
    task, _ = garden_task()
    tree = sec.read_tree("(S (NP (NNS birds)) (VP (VBP sing)))")
    x, gold = task.encode(tree.words()), task.gold(tree)
    assert gold.total == 0
    policy = Policy(np.zeros(task.dim, np.float32))
    episode = task.roll_in(x, policy)
    recall = ExpectedRecall(task)(x, episode.outcome, gold)
    assert recall == float(episode.outcome.parts is not None)
    assert ExpectedRecall(task)(x, episode.outcome._replace(parts=None), gold) == 0.0
    reward = Reward(ExpectedRecall(task), "kept", 0.1)
    assert backprop(task, x, gold, policy, episode, reward, np.arange(0)).shape == (0, 2)


def test_backprop_refuses_other_rewards() -> None:
    task, trees = garden_task()
    x, gold, policy = (
        task.encode(trees[0].words()),
        task.gold(trees[0]),
        Policy(np.zeros(task.dim, np.float32)),
    )
    episode = task.roll_in(x, policy)
    for reward in (
        Reward(task.f1, "kept", 0.1),
        Reward(ExpectedRecall(task), "pushes", 0.1),
        ExpectedRecall(task),
    ):
        with pytest.raises(sec.InputError, match="replay"):
            backprop(task, x, gold, policy, episode, reward, np.arange(1))
