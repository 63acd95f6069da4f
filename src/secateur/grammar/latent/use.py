"""How often each sub-symbol is used, where no trees tell: as often as the grammar itself leads to expect."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from secateur.grammar.pcfg import PCFG

if TYPE_CHECKING:  # at run time, numba would come with it
    from secateur.kernels.split.tree_em import Blocks

Floats = npt.NDArray[np.float64]

DEPTH = 100  # of the trees in which sub-symbols are counted


def expected_use(coarse: PCFG, blocks: Blocks) -> Floats:
    """[N, K] how often a sub-symbol is expected in a tree, as far as it is DEPTH deep.

    use = start + use M, where M[a, b] is how many children b a node a is expected to have. Unaries that stand
    for chains as well as for their parts, and words, let rules sum to more or less than 1: they are scaled.
    """
    splits = blocks.splits.astype(np.int64)
    begin = np.concatenate(([0], np.cumsum(splits)))
    children = np.zeros((begin[-1], begin[-1]))
    whole = np.zeros(begin[-1])
    for ids, ptr, flat in (
        ((coarse.binary.parent, coarse.binary.left, coarse.binary.right), blocks.binary_ptr, blocks.binary),
        ((coarse.unary.parent, coarse.unary.child), blocks.unary_ptr, blocks.unary),
        ((coarse.lexicon.tag,), blocks.lexical_ptr, blocks.lexical),
    ):
        rows = zip(*(column.tolist() for column in ids), strict=True)
        for row, (first, last) in zip(rows, pairwise(ptr.tolist()), strict=True):
            block = flat[first:last].reshape([splits[x] for x in row])
            own, *below = (slice(begin[x], begin[x + 1]) for x in row)
            whole[own] += block.reshape(splits[row[0]], -1).sum(1)
            for axis, child in enumerate(below, 1):
                other = tuple(a for a in range(1, len(row)) if a != axis)
                children[own, child] += block.sum(other)
    children /= np.where(whole > 0.0, whole, 1.0)[:, None]
    level = np.zeros(begin[-1])
    level[begin[coarse.number[coarse.start]]] = 1.0
    use = level.copy()
    for _ in range(DEPTH):
        level = level @ children
        use += level
    mass = np.zeros((len(splits), int(splits.max())))
    for x, k in enumerate(splits.tolist()):
        mass[x, :k] = use[begin[x] : begin[x] + k]
    return mass
