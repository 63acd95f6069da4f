"""MIRA with one best tree, in dicts: every tree's features are counted in full, and averages are sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from naive import arcs as listing
from naive.arc_locking import Rows, best_tree, total
from secateur.kernels.arcs.stages import ALWAYS, LAST

Weights = dict[int, float]


def features_of(rows: Rows, templates: list[list[int]], heads: Sequence[int]) -> Counter[int]:
    """Of a tree, heads [n+1]. templates: those of arcs, and those of siblings."""
    n = len(heads) - 1
    found: Counter[int] = Counter()
    siblings = listing.siblings(tuple(heads[1:]))
    for m in range(1, n + 1):
        h, s = heads[m], siblings[m - 1]
        for template in templates[0]:
            found.update(rows[template, (h, m, -1)])
        for template in templates[1]:
            found.update(rows[template, (h, m, s if s != h else n + 1)])
    return found


def tree_of(
    rows: Rows,
    templates: list[list[int]],
    weights: np.ndarray,
    n: int,
    *,
    siblings: bool,
    projective: bool,
    single_root: bool,
    gold: Sequence[int] = (),
    loss: float = 0.0,
) -> list[int]:
    """The best tree of a sentence whose arcs are all allowed; those not gold have a loss added."""
    arcs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m]
    scores = {arc: total(rows, weights, templates[0], (*arc, -1)) for arc in arcs}
    if gold:
        scores = {(h, m): score + (loss if gold[m] != h else 0.0) for (h, m), score in scores.items()}
    beside = None
    if siblings:
        parts = [(h, m, s) for h, m in arcs for s in [*range(min(h, m) + 1, max(h, m)), n + 1]]
        beside = {part: total(rows, weights, templates[1], part) for part in parts}
    found = best_tree(n, scores, beside, projective=projective, single_root=single_root)
    assert found is not None
    return found


def train(
    groups: Sequence[Sequence[int]],
    first: int,
    projective: int,
    single_root: bool,
    sentences: Sequence[tuple[Rows, Sequence[int]]],
    visits: Sequence[tuple[int, int]],
    size: int,
    most: float,
    loss: float,
) -> tuple[np.ndarray, np.ndarray, int]:
    """visits: sentence and stage. The weights, their mean over the sentences visited, and right heads."""
    weights, summed = np.zeros(size), np.zeros(size)
    right = 0
    for i, stage in visits:
        rows, gold = sentences[i]
        n = len(gold) - 1
        own = [t for group in groups[: min(stage + 1, first)] for t in group]
        templates = [own, [t for group in groups[first : stage + 1] for t in group]]
        found = tree_of(
            rows,
            templates,
            weights,
            n,
            siblings=stage >= first,
            projective=projective == ALWAYS or (projective == LAST and stage == first - 1),
            single_root=single_root,
            gold=gold,
            loss=loss,
        )
        wrong = sum(a != b for a, b in zip(found[1:], gold[1:], strict=True))
        right += n - wrong
        difference = features_of(rows, templates, gold)
        difference.subtract(features_of(rows, templates, found))
        square = sum(value * value for value in difference.values())
        if square:
            margin = sum(weights[row] * value for row, value in difference.items())
            step = min(most, max(0.0, wrong - margin) / square)
            for row, value in difference.items():
                weights[row] += step * value
        summed += weights
    return weights, summed / len(visits), right
