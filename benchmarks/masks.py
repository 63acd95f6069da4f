"""Sentences under masks for the roll-out benchmarks: those that a policy trained on gold spans would keep."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import secateur as sec

# A policy by hand, without a training: its parts have no public names.
from secateur.search.core import Rows
from secateur.search.linear import Matrix, logistic_regression
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning, sites_of
from secateur.treebanks.normalization import AS_IN_THE_PAPER

PENALTY = 0.01  # of keeping a span that is not gold


class Roll(NamedTuple):
    x: Encoded
    gold: Gold
    mask: np.ndarray


def treebanks() -> Iterator[tuple[str, sec.Treebank]]:
    yield "garden", sec.garden.treebank(3000).normalize(AS_IN_THE_PAPER)
    if "SECATEUR_DATA" in os.environ:
        path = Path(os.environ["SECATEUR_DATA"]) / "ptb-sample" / "train.mrg"
        yield "ptb-sample", sec.read(path, normalization=AS_IN_THE_PAPER)


def learned(task: SpanPruning, trees: list[sec.Tree]) -> np.ndarray:
    """Weights of a policy that imitates the gold spans."""
    rows, gold = [], []
    for tree in trees:
        sites = sites_of(len(tree.leaves()))
        rows.append(task.features(task.encode(tree.words()), sites, np.zeros((len(sites), 0))))
        gold.append(task.is_gold(sites, task.gold(tree)))
    advantage = np.where(np.concatenate(gold), 1.0, -PENALTY)
    joined = Rows.join(rows)
    matrix = Matrix.build(joined, np.bincount(joined.bucket.ravel(), minlength=task.dim) > 0)
    return logistic_regression(matrix, advantage, regularizer=2**-13)


def rolls(task: SpanPruning, weights: np.ndarray, trees: list[sec.Tree], share: float) -> Iterator[Roll]:
    """Sentences with masks that keep this share of all their spans."""
    given = [(task.encode(tree.words()), task.gold(tree)) for tree in trees]
    scores = [task.span_features.scores(x.columns, weights) for x, _ in given]
    decided = [s[tuple(sites_of(len(x.words)).T)] for s, (x, _) in zip(scores, given, strict=True)]
    least = np.quantile(np.concatenate(decided), 1.0 - share)
    for score, (x, gold) in zip(scores, given, strict=True):
        n = len(x.words)
        mask = np.zeros((n + 1, n + 1), np.bool_)
        at = tuple(sites_of(n).T)
        mask[at] = score[at] > least
        yield Roll(x, gold, mask)
