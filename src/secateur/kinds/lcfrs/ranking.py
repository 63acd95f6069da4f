"""From training trees to a ranker (`kinds.lcfrs.ranker`).

Its lists of candidates are found by split grammars that were trained without the sentences: trees that a
grammar has seen look better than any other will. Features in which the candidates of a sentence do not differ
say nothing of it, and are left out of its list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.features.tree import TreeFeatures, head_shares
from secateur.kernels import ranking as kernel
from secateur.kinds.lcfrs.ranker import AMONG, Candidates, Judged, Ranker
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.metrics.position_sets import PROPER, Prepared, prepare
from secateur.models.run import Run
from secateur.models.storage import Schema, Spec
from secateur.search.arrays import Floats, Ints, Weights
from secateur.search.linear import minimize
from secateur.treebanks.bank import Bank
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree

FOLDS = 4
REGULARIZER = 3.0
LEAST = 3  # sentences whose candidates a feature must tell apart
ROUNDS = 60  # of the optimizer
TRUSTS = (0.125, 0.25, 0.5, 1.0, 2.0)  # how much more to trust a grammar than those that made the lists


class Lists(NamedTuple):
    """Candidates of T sentences: R rows, each with a grammar's score, its features and its F1."""

    ptr: Ints  # [T+1] rows of a sentence
    said: Floats  # [R]
    row_ptr: Ints  # [R+1] features of a row
    buckets: npt.NDArray[np.uint32]
    f1: Floats  # [R]


SCHEMA: Schema = {
    "ptr": Spec("i8", ("sentences+1",), ends="rows"),
    "said": Spec("f8", ("rows",)),
    "row_ptr": Spec("i8", ("rows+1",), ends="features"),
    "buckets": Spec("u4", ("features",)),
    "f1": Spec("f8", ("rows",), low=0.0, most=1.0),
}


def listed(parser: Parser, features: TreeFeatures, among: int, trees: Sequence[Tree]) -> list[Lists]:
    """Of each tree the list of what a parser of blocks finds for its words."""
    return [_listed(parser, features, among, tree) for tree in trees]


def _listed(parser: Parser, features: TreeFeatures, among: int, gold: Tree) -> Lists:
    parses = parser.kbest(gold.words(), among)
    told = features.of(parses[0].tree.words())
    found = Candidates.of(told, parses)
    if not found.trees:
        return joined([])  # of no sentence
    sizes, buckets = differing(list(map(told.buckets, found.numbers)))
    right = prepare(gold, PROPER)
    return Lists(
        np.array([0, len(sizes)]),
        np.array(found.said),
        np.concatenate(([0], np.cumsum(sizes))),
        buckets,
        np.array([_f1(right, tree) for tree in found.trees]),
    )


def differing(rows: Sequence[Sequence[int]]) -> tuple[Ints, npt.NDArray[np.uint32]]:
    """The features of some candidates less those that all have, as often as all have them: how many each
    has, and which, one candidate's after the other's."""
    count = len(rows)
    owner = np.repeat(np.arange(count), [len(row) for row in rows])
    both, times = np.unique(np.concatenate(rows).astype(np.int64) * count + owner, return_counts=True)
    bucket, owner = both // count, both % count
    begin = np.flatnonzero(np.diff(bucket, prepend=-1))
    sizes = np.diff(np.append(begin, len(bucket)))
    shared = np.where(sizes == count, np.minimum.reduceat(times, begin), 0)
    times = times - np.repeat(shared, sizes)
    order = np.argsort(owner, kind="stable")
    kept = np.bincount(owner, weights=times, minlength=count).astype(np.int64)
    return kept, np.repeat(bucket[order], times[order]).astype(np.uint32)


def joined(lists: Sequence[Lists]) -> Lists:
    """One after the other."""

    def ends(sizes: Iterable[Ints]) -> Ints:
        return np.concatenate(([0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]))))

    return Lists(
        ends(np.diff(one.ptr) for one in lists),
        np.concatenate([np.zeros(0), *(one.said for one in lists)]),
        ends(np.diff(one.row_ptr) for one in lists),
        np.concatenate([np.zeros(0, np.uint32), *(one.buckets for one in lists)]),
        np.concatenate([np.zeros(0), *(one.f1 for one in lists)]),
    )


def fitted(lists: Lists, dim: int, *, regularizer: float = REGULARIZER) -> tuple[Weights, float]:
    """Weights of the features, and of what a grammar says, under which the best of each list is likeliest."""
    if not len(lists.said):
        return np.zeros(dim, np.float32), 1.0
    sentences = np.repeat(np.arange(len(lists.ptr) - 1), np.diff(lists.ptr))
    owner = np.repeat(sentences, np.diff(lists.row_ptr))
    both = np.unique(lists.buckets.astype(np.int64) * len(lists.ptr) + owner)
    active = np.flatnonzero(np.bincount(both // len(lists.ptr), minlength=dim) >= LEAST)
    number = np.zeros(dim, np.uint32)
    number[active] = np.arange(1, len(active) + 1)
    known = number[lists.buckets]
    sizes = np.add.reduceat(np.append(known > 0, False), lists.row_ptr[:-1], dtype=np.int64)
    row_ptr = np.concatenate(([0], np.cumsum(np.where(np.diff(lists.row_ptr) > 0, sizes, 0))))
    top = np.maximum.reduceat(lists.f1, lists.ptr[:-1])
    given = (lists.ptr, lists.said, row_ptr, known[known > 0], lists.f1 == top[sentences])

    def objective(theta: Floats) -> tuple[float, Floats]:
        loss, gradient = kernel.loss_and_gradient(*given, theta)
        drawn = regularizer * theta
        drawn[0] = 0.0  # what a grammar says is trusted as it turns out
        # Not by BLAS, whose sums depend on its number of threads.
        return loss + 0.5 * float(np.einsum("i,i->", drawn, theta)), gradient + drawn

    first = np.zeros(len(active) + 1)
    first[0] = 1.0
    theta = minimize(objective, first, iterations=ROUNDS, tolerance=1e-5)
    weights = np.zeros(dim, np.float32)
    weights[active] = theta[1:]
    return weights, float(theta[0])


def ranker_of(
    run: Run, train: Bank[Tree], dev: Bank[Tree], parser: Parser, settings: SplitSettings, longest: int
) -> Ranker:
    """Learned from the training trees of so many words; `dev` says how much to trust `parser`, the one whose
    trees will be ranked. `settings`: of the grammars of folds."""
    features = TreeFeatures(head_shares(train))
    folds = lists_of(run, train, features, settings, longest)
    weights, trust = fitted(joined(folds), 1 << features.bits)
    ranker = Ranker(features, weights, trust)
    judged = [_judged(ranker, parser, gold) for gold in dev]
    f1 = {factor: _accuracy(judged, factor * trust, dev) for factor in TRUSTS}
    best = max(f1, key=lambda factor: f1[factor])
    run.told(f"trees are ranked: F1 {f1[best]:.2f}, a grammar trusted {best:g} times as much as in lists")
    return ranker.trusting(best * trust)


def lists_of(
    run: Run, train: Bank[Tree], features: TreeFeatures, settings: SplitSettings, longest: int
) -> list[Lists]:
    """The lists of each fold."""
    return [_fold(run, train, fold, features, settings, longest) for fold in range(FOLDS)]


def _fold(
    run: Run, train: Bank[Tree], fold: int, features: TreeFeatures, settings: SplitSettings, longest: int
) -> Lists:
    """The lists of one fold's sentences."""

    def make() -> dict[str, npt.NDArray[np.generic]]:
        others = Treebank(split(tree) for n, tree in enumerate(train) if n % FOLDS != fold)
        training = SplitTraining(others, settings=settings, run=run.part(f"without-{fold}-of-{FOLDS}")).fit()
        held = [tree for n, tree in enumerate(train) if n % FOLDS == fold and len(tree.leaves()) <= longest]
        work = partial(listed, Parser(training.grammar()), features, AMONG)
        cost = np.array([len(tree.leaves()) ** 2.0 for tree in held])
        return joined(run.engine.map(work, held, cost))._asdict()

    return Lists(**run.arrays(f"lists-{fold}-of-{FOLDS}", make, SCHEMA))


def _judged(ranker: Ranker, parser: Parser, gold: Tree) -> Judged:
    """Of a held-out sentence; where it was not parsed, what there is instead."""
    parses = parser.kbest(gold.words(), ranker.among)
    found = ranker.judged(parses)
    return found if found.trees else Judged([merge(parses[0].tree)], np.zeros(1), np.zeros(1), [[]])


def _accuracy(judged: Sequence[Judged], trust: float, dev: Bank[Tree]) -> float:
    """F1 on held-out trees."""
    found = (one.trees[int(one.expected(trust).argmax())] for one in judged)
    return DiscontinuousScoring().score(dev, found).accuracy


def _f1(right: Prepared, tree: Tree) -> float:
    """Of a tree, as it is scored, against what was prepared of a gold one."""
    found = prepare(tree, PROPER, dropped=right.dropped)
    both = right.brackets.total() + found.brackets.total()
    return 2 * (right.brackets & found.brackets).total() / both if both else 1.0
