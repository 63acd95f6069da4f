"""The yardstick: CKY by the plain left-child loop, as a careful first implementation would have it.

A dense chart, rules grouped by left child, one split at a time; back-pointers as usual. It counts pushes
by the same definition as the kernels, so that speed can be compared per push.
"""

from __future__ import annotations

import numpy as np
from numba import njit

IMPOSSIBLE = np.float32(-np.inf)


@njit(cache=True, nogil=True)
def left_child_loop(rules, words, mask):
    """The chart's best score of the start symbol, and the number of pushes."""
    n = words.shape[0]
    labels = rules.pair_ptr.shape[0] - 1
    chart = np.full((n + 1, n + 1, labels), IMPOSSIBLE, np.float32)
    rule_at = np.zeros((n + 1, n + 1, labels), np.uint32)
    split_at = np.zeros((n + 1, n + 1, labels), np.uint32)
    over = np.empty(labels, np.float32)
    pushes = np.uint64(0)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            k = i + width
            if not (width == 1 or width == n or mask[i, k]):
                continue
            cell = chart[i, k]
            if width == 1:
                for e in range(rules.lex_ptr[words[i]], rules.lex_ptr[words[i] + 1]):
                    pushes += np.uint64(1)
                    cell[rules.lex_tag[e]] = max(cell[rules.lex_tag[e]], rules.lex_weight[e])
            for j in range(i + 1, k):
                left = chart[i, j]
                right = chart[j, k]
                for y in range(labels):
                    if left[y] == IMPOSSIBLE:
                        continue
                    # rules of left child y are contiguous: from its first pair's to its last pair's
                    for r in range(rules.rule_ptr[rules.pair_ptr[y]], rules.rule_ptr[rules.pair_ptr[y + 1]]):
                        z = rules.rule_right[r]
                        if right[z] == IMPOSSIBLE:
                            continue
                        pushes += np.uint64(1)
                        score = left[y] + right[z] + rules.rule_weight[r]
                        x = rules.rule_parent[r]
                        if score > cell[x]:
                            cell[x] = score
                            rule_at[i, k, x] = r
                            split_at[i, k, x] = j
            over[:] = IMPOSSIBLE
            for y in range(labels):
                if cell[y] > IMPOSSIBLE:
                    for u in range(rules.unary_ptr[y], rules.unary_ptr[y + 1]):
                        pushes += np.uint64(1)
                        score = cell[y] + rules.unary_weight[u]
                        over[rules.unary_parent[u]] = max(over[rules.unary_parent[u]], score)
            for x in range(labels):
                cell[x] = max(cell[x], over[x])
    return chart[0, n, rules.start], pushes
