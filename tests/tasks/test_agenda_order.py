"""Agenda parsing as a search: uniform cost against CKY, what is counted, what is refused."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import secateur as sec
from agenda_cases import task_of
from naive.priority import nodes as nodes_of
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.grammar.derivation import build_tree
from secateur.kernels.agenda.priorities import EXACT, How
from secateur.search.core import Force, Outcome, Policy, Search, Work
from secateur.tasks.agenda_order.task import AgendaOrder, Popped
from secateur.tasks.span_pruning.masks import settled
from secateur.tasks.span_pruning.task import SpanPruning
from secateur.treebanks.normalization import Normalization

TREES = [tree for tree in map(Normalization(), sec.garden.treebank(90)) if tree is not None]
TRAIN, TEST = TREES[:70], TREES[70:]
LEFT = Binarization()


@cache
def task() -> AgendaOrder:
    return task_of(TRAIN, LEFT)


def policy(*names: str) -> Policy:
    return Policy(task().features.start(*names))


BOUNDARY = ("words", "label | word before", "word after | label")


def runs(names: tuple[str, ...], how: How = EXACT) -> list[tuple[sec.Tree, Outcome]]:
    own = AgendaOrder(task().grammar, task().features, how, task().oracle)
    return [(tree, own.run(own.encode(tree.words()), policy(*names))) for tree in TEST]


def test_uniform_cost_is_cky() -> None:
    pruning = SpanPruning(task().grammar, SpanFeatures(frozenset(), bits=2), LEFT)
    parser = sec.Parser(task().grammar)
    for tree, outcome in runs(()):
        exact, own = parser.parse(tree.words()), task()
        assert (outcome.parts is None) == exact.failed
        if outcome.parts is None:
            continue
        assert outcome.parts.score == exact.score
        assert 0 < outcome.work.pops <= outcome.work.pushes
        x, gold = own.encode(tree.words()), own.gold(tree)
        assert own.f1(x, outcome, gold) == pruning.f1(
            pruning.encode(tree.words()), outcome, pruning.gold(tree)
        )


def test_the_boundary_estimate_pops_less() -> None:
    exact, boundary = (sum(one.work.pops for _, one in runs(names)) for names in ((), BOUNDARY))
    assert boundary < exact / 2


def test_recall_is_the_share_of_gold_nodes() -> None:
    own = task()
    seen = set()
    for tree, outcome in runs(BOUNDARY):
        gold = own.gold(tree)
        recall = own.recall(own.encode(tree.words()), outcome, gold)
        if outcome.parts is None:
            assert recall == 0.0
            continue
        binary = build_tree(own.grammar, outcome.parts.steps, tree.words(), binarized=True)
        made = {
            name
            for name, is_made in zip(own.grammar.symbols, own.grammar.intermediate, strict=True)
            if is_made
        }
        wanted = {node for node in nodes_of(LEFT(tree)) if node[0] not in made}
        found = set(nodes_of(binary))
        assert recall == pytest.approx(len(wanted & found) / len(wanted))
        seen.add(recall)
    assert len(seen) > 3


def test_gold_is_its_own_best() -> None:
    own = task()
    for tree in TRAIN[:10]:
        x, gold = own.encode(tree.words()), own.gold(tree)
        assert gold.items.whole
        outcome = Outcome(Popped(gold.items.steps, 0.0), Work())
        assert (own.f1(x, outcome, gold), own.recall(x, outcome, gold)) == (1.0, 1.0)


def test_a_mask_and_delta_leave_items_out() -> None:
    class Narrow:
        def mask(self, words: list[str]) -> np.ndarray:
            i, k = np.indices((len(words) + 1,) * 2)
            return settled((k - i < 4) | (k == len(words)))

    masked = AgendaOrder(task().grammar, task().features, EXACT, task().oracle, Narrow())
    for tree, free in runs(()):
        found = masked.run(masked.encode(tree.words()), policy())
        assert found.work.pushes <= free.work.pushes
        if found.parts is not None:
            widths = found.parts.steps[:, 3] - found.parts.steps[:, 2]
            at_the_end = found.parts.steps[:, 3] == len(tree.words())
            assert ((widths < 4) | at_the_end).all()
    dropped = sum(one.work.pushes for _, one in runs((), How(2.0)))
    assert dropped < sum(one.work.pushes for _, one in runs(()))


def test_what_is_not_there_is_refused() -> None:
    own, x = task(), task().encode(["the", "cat"])
    weights = policy().weights
    for warm in (Policy(weights, temperature=1.0), Policy(weights, oracle_rate=0.5)):
        with pytest.raises(InputError, match="draws nothing; set temperature"):
            own.run(x, warm)
    with pytest.raises(InputError, match="cannot be forced"):
        own.run(x, policy(), Force(0, 1))
    is_search: Search = own
    assert is_search.dim == len(weights)
