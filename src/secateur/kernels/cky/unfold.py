"""Derivations to the nodes of their trees: made symbols dissolved, unary paths unfolded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .sparse import BINARY, LEXICAL, UNARY


class Labels(NamedTuple):
    """The labels of the trees' nodes, as numbers. N symbols, U unary rules."""

    made: int  # the number that stands for "no node"
    of: np.ndarray  # [N] uint32, the label of a symbol
    path_ptr: np.ndarray  # [U+1] uint32, labels on the way of a composed unary ...
    path: np.ndarray  # uint32, ... top first


@njit(cache=True, nogil=True)
def unfold(labels, steps):
    """Nodes [M, 2], each its label and how many nodes it stands over (0: a word), the root last.

    The steps, parents first, are read backwards: children come before their parent, the last one first.
    """
    most = steps.shape[0]
    for s in range(steps.shape[0]):
        if steps[s, 0] == UNARY:
            rule = np.uint64(steps[s, 4])
            most += np.int64(labels.path_ptr[rule + np.uint64(1)] - labels.path_ptr[rule])
    nodes = np.empty((most, 2), np.int64)
    count = 0
    # A stack: into how many nodes each part of the sentence was made so far.
    parts = np.empty(steps.shape[0], np.int64)
    top = -1
    for s in range(steps.shape[0] - 1, -1, -1):
        if steps[s, 0] == LEXICAL:
            top += 1
            parts[top] = 0
        elif steps[s, 0] == BINARY:
            top -= 1
            parts[top] += parts[top + 1]
        else:
            rule = np.uint64(steps[s, 4])
            for p in range(labels.path_ptr[rule + np.uint64(1)], labels.path_ptr[rule], -1):
                nodes[count, 0] = labels.path[p - 1]
                nodes[count, 1] = parts[top]
                parts[top] = 1
                count += 1
        label = labels.of[steps[s, 1]]
        if label != labels.made:
            nodes[count, 0] = label
            nodes[count, 1] = parts[top]
            parts[top] = 1
            count += 1
    return nodes[:count]
