"""From words to the tree of a split grammar's best derivation, as parse.py does for an unsplit one's."""

from __future__ import annotations

from numba import njit

from secateur.kernels.cky.features import span_scores
from secateur.kernels.cky.parse import kept_of
from secateur.kernels.cky.unfold import unfold

from .viterbi import viterbi


@njit(cache=True, nogil=True)
def masked(padded, labels, words, mask, anchors, limit):
    """With the spans of a mask: the fields of Found."""
    steps, _, score, pushes, items, complete = viterbi(padded, words, mask, anchors, limit)
    return unfold(labels, steps), score, pushes, items, kept_of(mask), complete


@njit(cache=True, nogil=True)
def pruned(padded, labels, words, templates, columns, weights, anchors, limit):
    """With the spans that a linear policy keeps."""
    return masked(padded, labels, words, span_scores(templates, columns, weights) > 0, anchors, limit)
