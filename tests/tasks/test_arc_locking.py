"""Arc locking: the kernel against sets and dicts, decision by decision; the contracts; what always holds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from locking_cases import BETWEEN, BITS, FEATURES, POLICY_BITS, Case, eighths, random_case
from naive.arc_locking import Parse, Setting, best_tree, filtered, parse, rows_of
from naive.arcs import is_projective, is_tree
from secateur.errors import InputError
from secateur.kernels.arcs import locking as kernel
from secateur.kernels.arcs.stages import ALWAYS, LAST, NEVER
from secateur.kernels.perceptron.mira import parse_corpus
from secateur.search.arrays import Floats
from secateur.search.core import Episode, Example, Outcome, Policy, Reward
from secateur.search.values import imitate, replay
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking, ArcModels, Heads
from secateur.testing import check_task, check_values
from secateur.treebanks import garden
from secateur.treebanks.dependency_tree import DependencyTree

CASES = 60


def twin(case: Case, seed: int) -> Parse:
    """The same run, slowly."""
    task, x, policy = case.task, case.x, case.policy
    n = case.words
    siblings = task.stages.first < len(task.groups)
    rows = rows_of(FEATURES, x.sentence, 1 << BITS, siblings=siblings)
    policy_rows = rows_of(FEATURES, x.sentence, 1 << POLICY_BITS, siblings=siblings) if task.bits else {}
    models = task.models
    setting = Setting(
        [list(group) for group in task.groups],
        sum(min(group) < FEATURES.first for group in task.groups),
        {2 * pattern + far for pattern in BETWEEN for far in (0, 1)},
        [models.crossing, models.projective, models.siblings],
        policy.weights,
        task.single_root,
        task.projective,
        task.last if task.last >= 0 else len(task.groups) - 1,
    )
    draws = np.random.default_rng((seed, 1)).random((2, (setting.last + 1) * (n + 1)))

    def decide(step: int, score: float, h: int, m: int) -> bool:
        if step == case.force.step:
            return case.force.action == 1
        if draws[1, step] < policy.oracle_rate:
            return bool(case.gold[m] == h)
        if policy.temperature:
            return bool(draws[0, step] < 1 / (1 + math.exp(-score / policy.temperature)))
        return score > 0

    allowed = {(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m and x.allowed[m, h]}
    every = {(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m}
    filters = [
        (
            rows_of(FEATURES, x.sentence, len(own.weights), siblings=False),
            own.templates,
            own.weights,
            own.margin,
        )
        for own in task.filters
    ]
    left, behind, computed = filtered(filters, allowed)
    for arcs in (*left[::-1], every):  # where some hold no tree, more are allowed
        found = parse(setting, rows, policy_rows, n, arcs, behind, decide)
        computed += found.computed
        if found.ending != "no tree" or found.stage > 0:
            break
    return found._replace(computed=computed)


@pytest.mark.parametrize("block", range(6))
def test_every_decision_and_the_outcome_are_those_of_sets_and_dicts(block: int) -> None:
    for seed in range(block * CASES, (block + 1) * CASES):
        case = random_case(seed)
        expected = twin(case, seed)
        episode = case.task.roll_in(case.x, case.policy, case.force, gold=case.gold, seed=seed)
        trace, parts = episode.trace, episode.outcome.parts
        where = f"seed {seed}"
        for step, decision in enumerate(expected.decisions[: len(trace.action)]):
            assert tuple(trace.site[step].tolist()) == decision.site, f"{where}, step {step}"
            assert tuple(trace.state[step].tolist()) == decision.state, f"{where}, step {step}"
            assert trace.action[step] == decision.action, f"{where}, step {step}"
        assert len(trace.action) == len(expected.decisions), where
        assert episode.outcome.work.features == expected.computed, where
        assert parts.heads.tolist() == expected.heads, where
        assert (parts.stage, parts.fell_back) == (expected.stage, expected.ending == "no tree"), where


def test_many_sentences_at_once_are_as_one_by_one() -> None:
    task = garden_task(projective=LAST)
    corpus, policy = corpus_of(FEATURES, grown()), drawn(task, 1)
    tags, heads = np.zeros(len(corpus.heads), np.int32), np.full_like(corpus.heads, -1)
    for start, tree in zip(corpus.start, grown(), strict=False):
        tags[start : start + len(tree) + 1] = task.limits.numbers(tree.tags)
    found = kernel.lock_corpus(
        FEATURES.compiled,
        task.stages,
        task.weights(policy),
        task.rules,
        corpus,
        tags,
        task.limits.longest,
        heads,
    )
    assert len({ending for ending, _, _ in found.tolist()}) == 3
    for start, tree, (ending, stage, computed) in zip(corpus.start, grown(), found.tolist(), strict=False):
        outcome = task.run(encoded(task, tree), policy)
        assert computed == outcome.work.features
        np.testing.assert_array_equal(heads[start : start + len(tree) + 1], outcome.parts.heads)
        assert (stage, ending == kernel.NO_TREE) == (outcome.parts.stage, outcome.parts.fell_back)


def heads_right(x: ArcInput, outcome: Outcome, gold: Heads) -> float:
    """The share of words whose head is right."""
    return 0.0 if outcome.parts is None else float((outcome.parts.heads == gold)[1:].mean())


def imitate_slowly(
    task: Any, x: Any, gold: Any, policy: Policy, episode: Episode, reward: Any, steps: Any
) -> Floats:
    """1 for locking a true arc, and for not locking another one."""
    found = []
    for step in steps.tolist():
        _, h, m, _ = episode.trace.site[step].tolist()
        found.append([0.0, 1.0] if gold[m] == h else [1.0, 0.0])
    return np.array(found).reshape(-1, 2)


@cache
def grown() -> list[DependencyTree]:
    return [sample.dependencies for sample in garden.garden(60)]


def gold_of(tree: DependencyTree) -> Heads:
    return np.array([-1, *tree.heads], np.int32)


def garden_task(**options: Any) -> ArcLocking:
    """With random weights."""
    rng = np.random.default_rng(5)
    groups = ((0, 2), (1, 3, 4, 12), (5, 6, 7, 8, 9, 10, 11, 13, 14, 15), (16, 18, 20, 21), (17, 19, 22, 23))
    models = ArcModels(eighths(rng, 1 << BITS))
    limits = LengthLimits.from_trees(grown()[:40])
    return replace(ArcLocking(FEATURES, groups, models, limits, bits=POLICY_BITS), **options)


def encoded(task: ArcLocking, tree: DependencyTree) -> ArcInput:
    return task.encode(tree.words, tree.tags, tree.coarse)


def never(task: ArcLocking) -> Policy:
    """Locks nothing."""
    return Policy(np.full(task.dim, -1.0, np.float32))


def drawn(task: ArcLocking, seed: int) -> Policy:
    """Locks about half, whatever it is."""
    return Policy(eighths(np.random.default_rng(seed), task.dim, 8))


def short() -> list[DependencyTree]:
    return [tree for tree in grown() if 2 <= len(tree) <= 9][:4]


@pytest.mark.parametrize("projective", [NEVER, LAST, ALWAYS])
def test_the_task_keeps_its_contract(projective: int) -> None:
    task = garden_task(projective=projective, bits=None if projective == NEVER else POLICY_BITS)
    examples = [Example(encoded(task, tree), gold_of(tree)) for tree in short()]
    check_task(task, examples, workers=projective == LAST, steps=4)


def test_values_are_those_of_running_again() -> None:
    task = garden_task()
    examples = [Example(encoded(task, tree), gold_of(tree)) for tree in short()[:2]]
    reward = Reward(heads_right, "features", 0.001)
    check_values(replay, task, examples, reward)
    check_values(imitate, task, examples, reward, reference=imitate_slowly)


@pytest.mark.parametrize("projective", [NEVER, LAST, ALWAYS])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("last", [-1, 2])
def test_what_is_found_is_a_tree(projective: int, single_root: bool, last: int) -> None:
    task = garden_task(projective=projective, single_root=single_root, last=last)
    stages = fell_back = 0
    for number, tree in enumerate(grown()):
        x = encoded(task, tree)
        episode = task.roll_in(x, drawn(task, number))
        within = naive_best(x, single_root, projective == ALWAYS) is not None
        heads, stage, back = episode.outcome.parts
        chosen = tuple(heads[1:].tolist())
        assert heads[0] == -1
        assert is_tree(chosen)
        assert not single_root or chosen.count(0) == 1
        assert not within or all(x.allowed[m, h] for m, h in enumerate(chosen, 1))
        if projective == ALWAYS or (projective == LAST and stage >= 2 and not back):
            assert is_projective(chosen)
        assert not (back and projective == ALWAYS), "the tree of the stage before is still there"
        stages, fell_back = stages + stage, fell_back + back
        for (_, h, m, _), action in zip(episode.trace.site.tolist(), episode.trace.action, strict=True):
            assert action == kernel.ADD or heads[m] == h, "what is locked stays"
        done = {
            m for (_, _, m, _), a in zip(episode.trace.site.tolist(), episode.trace.action, strict=True) if a
        }
        assert len(done) == episode.trace.action.sum(), "nobody asks for what is locked"
    assert stages > len(grown()) / 2
    assert fell_back > 0 or projective == ALWAYS or last == 2


def naive_best(x: ArcInput, single_root: bool, projective: bool) -> list[int] | None:
    n = len(x.allowed) - 1
    scores = {(h, m): 0.0 for m in range(1, n + 1) for h in range(n + 1) if h != m and x.allowed[m, h]}
    return best_tree(n, scores, projective=projective, single_root=single_root)


@pytest.mark.parametrize("projective", [NEVER, LAST, ALWAYS])
@pytest.mark.parametrize("last", range(5))
def test_without_locking_it_is_the_parser_with_all_features_of_the_stage(projective: int, last: int) -> None:
    task = garden_task(projective=projective, last=last, limits=LengthLimits.none())
    corpus = corpus_of(FEATURES, grown())
    expected = np.full_like(corpus.heads, -1)
    crossing = task.models.crossing
    assert not parse_corpus(FEATURES.compiled, task.stages, last, task.rules, crossing, corpus, expected)
    for start, tree in zip(corpus.start, grown(), strict=False):
        x = encoded(task, tree)
        outcome = task.run(x, never(task))
        np.testing.assert_array_equal(outcome.parts.heads, expected[start : start + len(tree) + 1])
        assert outcome.work.features == task.full_cost(x) == slow_cost(task, x)
        assert outcome.parts.stage == last


def slow_cost(task: ArcLocking, x: ArcInput) -> int:
    n = len(x.allowed) - 1
    arcs = {(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m and x.allowed[m, h]}
    siblings = sum((h, s) in arcs for h, m in arcs for s in range(min(h, m) + 1, max(h, m)))
    groups = task.groups[: task.rules.last + 1]
    first = sum(len(group) for group in groups if max(group) < FEATURES.first)
    second = sum(map(len, groups)) - first
    return first * len(arcs) + second * (len(arcs) + siblings)


def test_only_words_with_a_single_candidate_cost_less_without_locking() -> None:
    """They are locked after the first stage, and bar what conflicts; the tree is the same."""
    task = garden_task(last=2)
    lone = 0
    for tree in grown():
        x = encoded(task, tree)
        full = slow_cost(task, x)
        assert task.full_cost(x) == full
        if naive_best(x, task.single_root, projective=True) is None:
            continue
        outcome = task.run(x, never(task))
        single = (x.allowed[1:].sum(axis=1) == 1).any()
        assert (outcome.work.features < full) == single
        assert outcome.work.features <= full
        lone += bool(single)
    assert 0 < lone < len(grown())


def test_the_last_stage_stops_early() -> None:
    """Up to it nothing else happens than without the stop."""
    whole = garden_task()
    for number, tree in enumerate(grown()[:30]):
        x = encoded(whole, tree)
        trace = whole.roll_in(x, drawn(whole, number)).trace
        before = -1
        for last in range(5):
            task = garden_task(last=last)
            episode = task.roll_in(x, drawn(task, number))
            own = trace.site[:, 0] < last
            np.testing.assert_array_equal(episode.trace.site, trace.site[own])
            np.testing.assert_array_equal(episode.trace.action, trace.action[own])
            assert episode.outcome.parts.stage <= last
            assert episode.outcome.work.features >= before
            before = episode.outcome.work.features


def test_the_oracle_locks_what_is_right_and_computes_less() -> None:
    task = garden_task(limits=LengthLimits.none())
    right = full = computed = words = 0
    for tree in grown():
        x, gold = encoded(task, tree), gold_of(tree)
        episode = task.roll_in(x, Policy(drawn(task, 0).weights, oracle_rate=1.0), gold=gold)
        np.testing.assert_array_equal(task.is_gold(episode.trace.site, gold), episode.trace.action == 1)
        free = task.run(x, never(task))
        right += int((episode.outcome.parts.heads == gold).sum() - (free.parts.heads == gold).sum())
        full, computed = full + task.full_cost(x), computed + episode.outcome.work.features
        words += len(tree)
    assert right > 0.1 * words
    assert computed < 0.8 * full


def test_oracles_need_gold() -> None:
    task = garden_task()
    with pytest.raises(ValueError, match="gold"):
        task.run(encoded(task, grown()[0]), Policy(never(task).weights, oracle_rate=0.5))


def test_stages_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="stage 5"):
        _ = garden_task(last=5).rules
    with pytest.raises(InputError, match="33 groups"):
        _ = garden_task(groups=((0,),) * 33).stages
