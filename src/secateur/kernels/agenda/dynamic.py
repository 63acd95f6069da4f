"""What an item is like beside what was popped and offered before it: features that depend on the search.

They are looked at when an item comes to wait, or waits again with a better score, and then stay what they are
until its next offer: so priorities change only where an item's score does. They count what was there before,
that which is being popped included, the item itself and what the same pop makes after it left out:

    behind   its score less the best one offered so far for its span, its own included
    begun    whether its span has a node
    nodes    log(1 + nodes of its span)
    rank     log(1 + items of its span, waiting or popped, that have a better score)
"""

from __future__ import annotations

import math

import numpy as np

from ..bare import bare

BEHIND, BEGUN, NODES, RANK, SIZE = range(5)


@bare
def better_ones(score_of, base, symbols, score):
    """How many of a row's scores are above this one."""
    found = np.int64(0)
    for at in range(base, base + symbols):
        found += np.int64(score_of[at] > score)
    return found


@bare
def looked(into, nodes, row_of, score_of, symbols, best, i, k, score):
    """The features of an item of this score; `best` is that of its span."""
    into[BEHIND] = np.float64(score) - np.float64(best)
    into[BEGUN] = np.float64(nodes[i, k] > 0)
    into[NODES] = math.log(1.0 + np.float64(nodes[i, k]))
    better = np.int64(0)
    for over in range(2):
        row = np.uint64(row_of[over, i, k])
        if row and best > score:
            better += better_ones(score_of, row * symbols, symbols, score)
    into[RANK] = math.log(1.0 + np.float64(better))
