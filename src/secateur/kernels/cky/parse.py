"""A sentence to the nodes of its best tree, in one call: going in and out of kernels costs time too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .features import span_scores
from .unfold import unfold
from .viterbi import viterbi


class Found(NamedTuple):
    """The best tree, and what it took; kernels return its fields as a plain tuple.

    A NamedTuple comes to Python by way of Python code: an interrupt at that moment ends the process.
    """

    nodes: np.ndarray  # [M, 2] int64, as from unfold; none where there is no parse
    score: float
    pushes: int
    items: int
    kept: int  # of the spans that are decided
    complete: bool  # False: the memory limit stopped it


@njit(cache=True, nogil=True)
def kept_of(mask):
    """How many spans a mask keeps, of those that are decided."""
    n = mask.shape[0] - 1
    kept = 0
    for i in range(n - 1):
        for k in range(i + 2, n + (i > 0)):
            kept += mask[i, k]
    return kept


@njit(cache=True, nogil=True)
def masked(rules, labels, words, mask, anchors, limit):
    """With the spans of a mask: the fields of Found."""
    steps, score, pushes, items, complete = viterbi(rules, words, mask, anchors, limit)
    return unfold(labels, steps), score, pushes, items, kept_of(mask), complete


@njit(cache=True, nogil=True)
def pruned(rules, labels, words, templates, columns, weights, anchors, limit):
    """With the spans that a linear policy keeps."""
    return masked(rules, labels, words, span_scores(templates, columns, weights) > 0, anchors, limit)
