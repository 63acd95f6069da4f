"""Dependency trees by enumeration: every choice of heads that is a tree, scored arc by arc."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

Heads = tuple[int, ...]  # of the words 1..n, 0 is the root


def is_tree(heads: Heads) -> bool:
    """Whether every word comes to the root in at most n steps."""
    for word in range(1, len(heads) + 1):
        at = word
        for _ in heads:
            at = heads[at - 1] if at else 0
        if at:
            return False
    return True


def is_projective(heads: Heads) -> bool:
    """Whether no two arcs cross, drawn above the words with the root at the left."""
    arcs = [(min(m, h), max(m, h)) for m, h in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def siblings(heads: Heads) -> list[int]:
    """Of each word: the next modifier of its head on the way to the head, or the head itself."""
    found = {}
    for head in range(len(heads) + 1):
        children = [m for m, h in enumerate(heads, 1) if h == head]
        rightwards = [head, *(m for m in children if m > head)]
        leftwards = [head, *(m for m in reversed(children) if m < head)]
        for chain in (rightwards, leftwards):
            found.update({further: nearer for nearer, further in pairwise(chain)})
    return [found[m] for m in range(1, len(heads) + 1)]


class Listed(NamedTuple):
    """T trees of n words."""

    heads: np.ndarray  # [T, n]
    siblings: np.ndarray  # [T, n]


@cache
def all_heads(n: int) -> list[Heads]:
    choices = [[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]
    return [heads for heads in product(*choices) if is_tree(heads)]


@cache
def trees(n: int, projective: bool, single_root: bool) -> Listed:
    found = [
        heads
        for heads in all_heads(n)
        if (not projective or is_projective(heads)) and (not single_root or heads.count(0) == 1)
    ]
    return Listed(np.array(found), np.array([siblings(heads) for heads in found]))


def totals(listed: Listed, score: np.ndarray, sibling: np.ndarray | None = None) -> np.ndarray:
    """The score of every tree, [T]; -inf where an arc is barred, whatever its siblings."""
    found = np.zeros(len(listed.heads))
    for m in range(1, len(score)):
        head = listed.heads[:, m - 1]
        found += score[m, head]
        if sibling is not None:
            found += np.where(score[m, head] > -math.inf, sibling[m, head, listed.siblings[:, m - 1]], 0.0)
    return found


def best(listed: Listed, total: np.ndarray) -> tuple[float, Heads | None]:
    """The best tree's score and heads; of several the first in the order of heads."""
    top = int(total.argmax())
    return float(total[top]), tuple(listed.heads[top].tolist()) if total[top] > -math.inf else None


def log_total(total: np.ndarray) -> float:
    top = float(total.max())
    return top if top == -math.inf else top + math.log(np.exp(total - top).sum())


def with_arc(listed: Listed, m: int, h: int) -> np.ndarray:
    return listed.heads[:, m - 1] == h


def marginals(listed: Listed, total: np.ndarray) -> np.ndarray:
    """[m, h]: the share of all trees' weight that trees with the arc have; there must be a tree."""
    n = listed.heads.shape[1]
    weight = np.exp(total - log_total(total))
    found = np.zeros((n + 1, n + 1))
    for m in range(1, n + 1):
        for h in range(n + 1):
            found[m, h] = weight[with_arc(listed, m, h)].sum()
    return found


def max_marginals(listed: Listed, total: np.ndarray) -> np.ndarray:
    """[m, h]: the score of the best tree with the arc, -inf if there is none."""
    n = listed.heads.shape[1]
    found = np.full((n + 1, n + 1), -math.inf)
    for m in range(1, n + 1):
        for h in range(n + 1):
            found[m, h] = total[with_arc(listed, m, h)].max(initial=-math.inf)
    return found


def margins(listed: Listed, total: np.ndarray) -> list[float]:
    """Of each word: the best score, less that of the best tree where the word has another head."""
    top, heads = best(listed, total)
    assert heads is not None
    return [
        top - float(total[~with_arc(listed, m, h)].max(initial=-math.inf)) for m, h in enumerate(heads, 1)
    ]
