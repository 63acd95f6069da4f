"""Which template helps most: best trees from scores that are cached template by template."""

from __future__ import annotations

import numpy as np
from numba import njit

from secateur.kernels.perceptron.mira import sentence_at

from .eisner_siblings import best_projective_siblings
from .features import AROUND, no_shares, score_parts
from .mst import best_tree
from .parts import arc_parts, sibling_parts


@njit(cache=True, nogil=True)
def count_parts(corpus, siblings):
    """[S+1] where the parts of each sentence start."""
    count = corpus.start.shape[0] - 1
    start = np.zeros(count + 1, np.int64)
    for i in range(count):
        n = corpus.start[i + 1] - corpus.start[i] - AROUND
        allowed = np.ones((n + 1, n + 1), np.bool_)
        parts = sibling_parts(allowed) if siblings else arc_parts(allowed)
        start[i + 1] = start[i] + parts.head.shape[0]
    return start


@njit(cache=True, nogil=True)
def group_scores(patterns, group, weights, corpus, siblings, start, out):
    """out[r]: what a group of templates says of part r of all sentences."""
    for i in range(start.shape[0] - 1):
        sentence = sentence_at(corpus, i)
        n = sentence.keys.shape[1] - AROUND
        allowed = np.ones((n + 1, n + 1), np.bool_)
        parts = sibling_parts(allowed) if siblings else arc_parts(allowed)
        shares = no_shares(patterns, sentence)
        score_parts(patterns, group, sentence, shares, parts, weights, out[start[i] : start[i + 1]])


@njit(cache=True, nogil=True)
def right_heads(corpus, start, scores, added, single_root):
    """How many heads are right in the best trees by scores + added, both [R] over all arcs."""
    right = 0
    for i in range(start.shape[0] - 1):
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        dense = np.full((n + 1, n + 1), -np.inf, np.float32)
        r = start[i]
        for m in range(1, n + 1):
            for h in range(n + 1):
                if h != m:
                    dense[m, h] = scores[r] + added[r]
                    r += 1
        found = np.empty(n + 1, np.int32)
        best_tree(dense, single_root, found)
        for m in range(1, n + 1):
            right += found[m] == corpus.heads[a + m]
    return right


@njit(cache=True, nogil=True)
def right_heads_siblings(corpus, arc_start, arcs, start, scores, added, single_root):
    """As right_heads, of projective trees with siblings: their scores + added are [R], arcs [A] stay."""
    right = 0
    for i in range(start.shape[0] - 1):
        a = corpus.start[i]
        n = corpus.start[i + 1] - a - AROUND
        dense = np.full((n + 1, n + 1), -np.inf, np.float32)
        siblings = np.full((n + 1, n + 1, n + 1), -np.inf, np.float32)
        q, r = arc_start[i], start[i]
        for m in range(1, n + 1):
            for h in range(n + 1):
                if h == m:
                    continue
                dense[m, h] = arcs[q]
                q += 1
                siblings[m, h, h] = scores[r] + added[r]
                r += 1
                for s in range(min(h, m) + 1, max(h, m)):
                    siblings[m, h, s] = scores[r] + added[r]
                    r += 1
        found = np.empty(n + 1, np.int32)
        best_projective_siblings(dense, siblings, single_root, found)
        for m in range(1, n + 1):
            right += found[m] == corpus.heads[a + m]
    return right
