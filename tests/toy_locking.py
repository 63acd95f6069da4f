"""Arc locking in the garden, with a parser for each fold that has not seen it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from secateur.kinds.arcs.weights import staged_weights
from secateur.search.core import Example
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking, ArcModels
from toy_dependencies import BITS, FEATURES, GROUPS, grown

FOLDS = 3


def task_of(trees: Any, bits: int | None) -> ArcLocking:
    weights = staged_weights(FEATURES, corpus_of(FEATURES, trees), GROUPS, epochs=1, bits=BITS)
    limits = LengthLimits.from_trees(grown(120))
    return ArcLocking(FEATURES, GROUPS, ArcModels(weights), limits, bits=bits)


def examples(task: ArcLocking, trees: Any) -> list[Example]:
    return [
        Example(task.encode(tree.words, tree.tags, tree.coarse), np.array([-1, *tree.heads], np.int32))
        for tree in trees
    ]


@cache
def given(bits: int | None) -> tuple[ArcLocking, list[tuple[ArcLocking, list[Example]]], list[Example]]:
    """A parser of all trees, folds with parsers of the others, and held-out sentences."""
    trees = list(grown(120))
    whole = task_of(trees, bits)
    parts = []
    for fold in range(FOLDS):
        others = [tree for number, tree in enumerate(trees) if number % FOLDS != fold]
        own = task_of(others, bits)
        parts.append((own, examples(own, trees[fold::FOLDS])))
    return whole, parts, examples(whole, grown(20, seed=1))
