"""Hyperedge pruning: the contract of tasks, and roll-outs that equal parsing again, flip by flip."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import secateur as sec
from lcfrs_cases import discontinuous_trees, grammars, item_name, node_names, sentences
from naive import lcfrs as naive
from secateur.errors import InputError
from secateur.features.item import PAPER, ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.derivation import Step, tree_of
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.lcfrs import parse as kernel
from secateur.metrics.position_sets import PROPER, DiscontinuousParameters, compare
from secateur.search.core import DECLINE, TAKE, Episode, Example, Force, Policy, Reward
from secateur.search.values import replay
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.propagate import propagate
from secateur.tasks.hyperedge_pruning.space import UNITS, Unit, positions_of
from secateur.tasks.hyperedge_pruning.task import Gated, HyperedgePruning
from secateur.testing import check_task, check_values
from secateur.treebanks.tree import Tree

FEATURES = SpanFeatures(frozenset("abc"), templates=("bias", *PAPER), bits=12)


def task_of(grammar: PLCFRS, unit: Unit, *, conjoined: bool = True) -> HyperedgePruning:
    features = ItemFeatures.of_grammar(grammar, FEATURES, conjoined=conjoined, labelled=unit != "set")
    return HyperedgePruning(grammar, features, Binarization(), unit)


@dataclass(frozen=True)
class Before:
    """Bounds that another policy sets."""

    features: ItemFeatures
    grammar: PLCFRS
    policy: Policy

    def gate(self, words: Sequence[str]) -> Gated:
        columns = self.features.columns(words)
        return Gated(self.features.gate(columns, self.policy.weights, self.grammar.rules))


def drawn_policy(dim: int, seed: int) -> Policy:
    rng = np.random.default_rng(seed)
    weights = rng.integers(-3, 4, dim) / 4 + rng.choice([-0.1, 0.0, 0.1])
    return Policy(weights.astype(np.float32))


@cache
def trained() -> tuple[list[Tree], PLCFRS]:
    trees = [tree for tree in sec.garden.treebank(200) if len(tree.leaves()) <= 6][:40]
    return trees, induce(trees)


def plain(steps: Iterable[Step]) -> list[Step]:
    """Without the rules of words, which the kernel does not name."""
    return [step._replace(rule=-1) if step.kind == naive.LEXICAL else step for step in steps]


def examples(task: HyperedgePruning, trees: list[Tree]) -> list[Example]:
    return [Example(task.encode(tree.words()), task.gold(tree)) for tree in trees]


@pytest.mark.parametrize("unit", UNITS)
def test_the_contract(unit: Unit) -> None:
    trees, grammar = trained()
    task = task_of(grammar, unit)
    check_task(task, examples(task, trees[:3]))
    for accuracy in (task.f1, task.recall):
        for runtime in ("pushes", "items", "kept"):
            check_values(propagate, task, examples(task, trees[:2]), Reward(accuracy, runtime, 0.01))


@settings(max_examples=60)
@given(st.sampled_from(UNITS), st.booleans(), st.data())
def test_every_flip_equals_parsing_again(unit: Unit, circles: bool, data: st.DataObject) -> None:
    """Work and best derivation of each deviation: of the kernel's graph, and of the naive chart pruned."""
    grammar = data.draw(grammars(circles=circles, exact=data.draw(st.booleans())))
    text = data.draw(sentences(longest=4))
    task = task_of(grammar, unit)
    x, policy = task.encode(text), drawn_policy(task.dim, data.draw(st.integers(0, 1 << 32)))
    decided = task.decide(x, policy)
    space, graph = decided.space, decided.space.graph
    links, names = graph.weighted.graph.links, node_names(graph)
    decision = np.full(len(space.cost), -1)
    decision[space.hyperedge] = np.repeat(np.arange(len(space.site)), np.diff(space.ptr))
    key = {}
    for h, d in enumerate(decision.tolist()):
        tails = tuple(names[t] for t in graph.weighted.graph.tails(h))
        key[int(graph.kind[h]), int(graph.rule[h]), names[int(links.head[h])], tails] = d
    whole = naive.chart(grammar, x.words.tolist())

    def parsed(flipped: int) -> naive.Chart:
        def keeps(h: naive.Hyperedge) -> bool:
            d = key[h.kind, h.rule, item_name(h.head), tuple(map(item_name, h.tail))]
            return d < 0 or bool(decided.taken[d]) != (d == flipped)

        return naive.pruned(whole, keeps)

    trace = task.roll_in(x, policy).trace
    assert len(trace.action) == len(decided.open)
    free = parsed(-1)
    as_run = task.run(x, policy)
    for step, flipped in [(-1, -1), *enumerate(decided.open.tolist())]:
        theirs = parsed(flipped)
        ours = as_run
        if step >= 0:
            ours = task.run(x, policy, Force(step, 1 - int(trace.action[step])))
        live = [h for h in theirs.hyperedges if h.kind != naive.STAY]
        above = [item for item in theirs.incoming if item.above]
        assert (ours.work.pushes, ours.work.items) == (len(live), len(above))
        assert ours.work.kept == sum(h.kind != naive.LEXICAL for h in live)
        assert (ours.parts is None) == (theirs.score == -math.inf)
        if ours.parts is not None:
            found = [
                step._replace(rule=-1) if step.kind == naive.LEXICAL else step for step in ours.parts.steps
            ]
            derivation = theirs.derivation()
            assert ours.parts.score == theirs.score
            assert found == [s._replace(rule=-1) if s.kind == naive.LEXICAL else s for s in derivation]
    # What the search meets, in the naive chart: something to apply a rule to.
    if not circles and not grammar.chains:
        there = {item_name(item) for item in free.incoming}
        met = {d for (_, _, _, tails), d in key.items() if d >= 0 and all(tail in there for tail in tails)}
        assert sorted(met) == decided.open.tolist()


@settings(max_examples=60)
@given(st.sampled_from(UNITS), st.booleans(), st.data())
def test_propagation_equals_replay(unit: Unit, circles: bool, data: st.DataObject) -> None:
    grammar = data.draw(grammars(circles=circles))
    task = task_of(grammar, unit)
    text = data.draw(sentences(longest=5))
    x, policy = task.encode(text), drawn_policy(task.dim, data.draw(st.integers(0, 1 << 32)))
    # Gold: some tree of the sentence, or of another policy.
    other = task.run(
        x, Policy(np.where(np.arange(task.dim) == task.item_features.bias, 9.0, 0).astype(np.float32))
    )
    if other.parts is None:
        return
    gold = task.gold(tree_of(grammar, other.parts.steps, text))
    episode = task.roll_in(x, policy)
    steps = np.arange(len(episode.trace.action))
    for accuracy, runtime in ((task.f1, "pushes"), (task.recall, "items"), (task.f1, "kept")):
        reward = Reward(accuracy, runtime, 1 / 64)
        fast = propagate(task, x, gold, policy, episode, reward, steps)
        slow = replay(task, x, gold, policy, episode, reward, steps)
        assert np.array_equal(fast, slow)


@settings(max_examples=40)
@given(st.booleans(), st.lists(discontinuous_trees(longest=6), min_size=2, max_size=4))
def test_brackets_are_those_of_the_metric(every: bool, trees: list[Tree]) -> None:
    """Counted from derivations as they are counted from trees."""
    parameters = DiscontinuousParameters(PROPER.evalb, PROPER.delete_words, all_nodes=every)
    grammar = induce(trees)
    features = ItemFeatures.of_grammar(grammar, FEATURES)
    task = HyperedgePruning(grammar, features, Binarization(), parameters=parameters)
    for tree in trees:
        words = tree.words()
        outcome = task.run(task.encode(words), keep_all(task))
        assert outcome.parts is not None
        found = tree_of(grammar, outcome.parts.steps, words)
        expected = compare(tree, found, parameters)
        assert expected.test is not None
        both = (expected.gold.brackets & expected.test.brackets).total()
        counts = both, expected.test.brackets.total(), expected.gold.brackets.total()
        assert task.matches(outcome, task.gold(tree)) == counts


def test_gold_decisions_are_those_of_the_gold_derivation() -> None:
    """The oracle's run finds the gold tree, whatever is decided."""
    trees, grammar = trained()
    for unit in UNITS:
        task = task_of(grammar, unit)
        oracle = Policy(np.zeros(task.dim, np.float32), oracle_rate=1.0)
        for tree in trees[:10]:
            x, gold = task.encode(tree.words()), task.gold(tree)
            outcome = task.run(x, oracle, gold=gold)
            assert outcome.parts is not None
            matched, _, total = task.matches(outcome, gold)
            assert unit == "set" or matched == total


def test_decisions_come_by_size_and_words_are_never_pruned() -> None:
    trees, grammar = trained()
    task = task_of(grammar, "item")
    nothing = Policy(np.zeros(task.dim, np.float32))
    episode = task.roll_in(task.encode(trees[0].words()), nothing)
    assert episode.outcome.parts is None
    assert episode.outcome.work.kept == 0 < episode.outcome.work.pushes
    sizes = np.bitwise_count(positions_of(episode.trace.site)).sum(axis=1).tolist()
    assert all(one <= other for one, other in pairwise(sizes))
    assert set(episode.trace.action.tolist()) == {DECLINE}
    forced = task.roll_in(task.encode(trees[0].words()), nothing, Force(0, TAKE))
    assert forced.outcome.work.kept > 0


def test_the_contract_behind_bounds() -> None:
    """What another policy does not let pass is no decision, and never made."""
    trees, grammar = trained()
    free = task_of(grammar, "item")
    first = drawn_policy(free.dim, 5)
    first.weights[free.item_features.bias] += 2.0
    bound = replace(free, bounding=Before(free.item_features, grammar, first))
    check_task(bound, examples(bound, trees[:2]))
    check_values(propagate, bound, examples(bound, trees[:2]), Reward(bound.f1, "items", 0.01))
    for tree in trees[:10]:
        x = free.encode(tree.words())
        assert bound.run(x, keep_all(bound))[:2] == free.run(x, first)[:2]


def test_what_is_too_large_is_refused() -> None:
    trees, grammar = trained()
    task = HyperedgePruning(
        grammar,
        ItemFeatures.of_grammar(grammar, FEATURES),
        Binarization(),
        limits=kernel.Limits(items=3),
    )
    with pytest.raises(InputError, match="larger than the limits"):
        task.space(task.encode(trees[0].words()))
    with pytest.raises(InputError, match="129 words"):
        task.encode(["a"] * 129)


def test_propagation_says_what_it_does_not_know() -> None:
    trees, grammar = trained()
    task = task_of(grammar, "item")
    ((x, gold),) = examples(task, trees[:1])
    policy = Policy(np.ones(task.dim, np.float32))
    episode = task.roll_in(x, policy)

    def ask(reward: Callable[..., float] | Reward, of: object = task, episode: Episode = episode) -> None:
        propagate(of, x, gold, policy, episode, reward, np.arange(1))  # type: ignore[arg-type]

    with pytest.raises(InputError, match="use replay"):
        ask(lambda x, outcome, gold: 0.0)
    with pytest.raises(InputError, match="use replay"):
        ask(Reward(lambda x, outcome, gold: 0.0, "pushes", 0.0))
    with pytest.raises(InputError, match="pushes, kept or items"):
        ask(Reward(task.f1, "pops", 0.0))
    with pytest.raises(InputError, match="not object"):
        ask(Reward(task.f1, "pushes", 0.0), object())
