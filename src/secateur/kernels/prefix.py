"""How likely the first words of a sentence are under a trigram model of tags."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def prefixes(tags, emitted, words):
    """[n+2] log p(the first k words), and last that of all words and no more.

    tags[a, b, c]: p(c | a, b), the last tag stands for the boundary; emitted[w, c]: p(w | c).
    """
    n, boundary = words.shape[0], tags.shape[0] - 1
    found = np.zeros(n + 2)
    a, b = np.full(1, boundary, np.uint32), np.full(1, boundary, np.uint32)
    state = np.ones((1, 1))  # p(the last two tags | the words so far), of those tags that they may have
    for k in range(n):
        # p(b, c, words up to k) = sum over a of p(a, b, words before k) p(c | a, b) p(word k | c)
        row = emitted[words[k]]
        c = np.flatnonzero(row).astype(np.uint32)
        following, whole = np.zeros((b.shape[0], c.shape[0])), 0.0
        for y in range(b.shape[0]):
            for x in range(a.shape[0]):
                share = state[x, y]
                for z in range(c.shape[0]):
                    following[y, z] += share * tags[a[x], b[y], c[z]]
            for z in range(c.shape[0]):
                following[y, z] *= row[c[z]]
                whole += following[y, z]
        found[k + 1] = found[k] + np.log(whole)
        for y in range(b.shape[0]):
            for z in range(c.shape[0]):
                following[y, z] /= whole
        state, a, b = following, b, c
    last = 0.0
    for x in range(a.shape[0]):
        for y in range(b.shape[0]):
            last += state[x, y] * tags[a[x], b[y], boundary]
    found[n + 1] = found[n] + np.log(last)
    return found
