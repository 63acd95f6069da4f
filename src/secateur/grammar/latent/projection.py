"""A split grammar seen from a coarser level: sub-symbols taken together, by how often each is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.split.tree_em import Blocks

Floats = npt.NDArray[np.float64]


def groups(ancestry: Sequence[tuple[Ids, ...]], level: int, x: int) -> Ids:
    """Where the groups of x's sub-symbols begin that come from one sub-symbol of a level; 0 takes all."""
    if level == 0:
        return np.zeros(1, np.uint32)
    found = np.arange(len(ancestry[-1][x]), dtype=np.uint32)
    for origin in reversed(ancestry[level:]):
        found = origin[x][found]
    return np.flatnonzero(np.diff(found, prepend=np.uint32(len(found) + 1))).astype(np.uint32)


def project(
    coarse: PCFG, blocks: Blocks, mass: Floats, ancestry: Sequence[tuple[Ids, ...]], level: int
) -> Blocks:
    """The probabilities p(A -> B C) = sum over a in A of w(a) sum over b in B, c in C of p(a -> b c).

    w(a) is the share of a in the use of A.
    """
    begins = [groups(ancestry, level, x) for x in range(len(blocks.splits))]
    shares = []
    for x, (begin, k) in enumerate(zip(begins, blocks.splits.tolist(), strict=True)):
        used, sizes = mass[x, :k], np.diff(np.append(begin, k))
        whole = np.repeat(np.add.reduceat(used, begin), sizes)
        even = np.repeat(1.0 / sizes, sizes)  # where no one is used
        shares.append(np.divide(used, whole, out=even, where=whole > 0.0))
    return _joined(coarse, blocks, begins, np.add, shares)


def bound(coarse: PCFG, blocks: Blocks, ancestry: Sequence[tuple[Ids, ...]], level: int) -> Blocks:
    """The largest of p(a -> b c) over a in A, b in B, c in C: no probabilities, but never too low."""
    begins = [groups(ancestry, level, x) for x in range(len(blocks.splits))]
    return _joined(coarse, blocks, begins, np.maximum)


def _joined(
    coarse: PCFG,
    blocks: Blocks,
    begins: Sequence[Ids],
    join: np.ufunc,
    shares: Sequence[Floats] | None = None,
) -> Blocks:
    """The rules of sub-symbols taken together from where groups of these begin, times the parents' shares."""
    binary, unary = coarse.binary, coarse.unary
    parts: list[npt.NDArray[np.generic]] = []
    for symbols, ptr, flat in (
        ((binary.parent, binary.left, binary.right), blocks.binary_ptr, blocks.binary),
        ((unary.parent, unary.child), blocks.unary_ptr, blocks.unary),
        ((coarse.lexicon.tag,), blocks.lexical_ptr, blocks.lexical),
    ):
        found = []
        for r, row in enumerate(zip(*(column.tolist() for column in symbols), strict=True)):
            block = flat[ptr[r] : ptr[r + 1]].reshape([blocks.splits[x] for x in row])
            if shares is not None:
                block = block * shares[row[0]].reshape(-1, *[1] * (len(row) - 1))
            for axis, x in enumerate(row):
                block = join.reduceat(block, begins[x], axis)
            found.append(block.ravel())
        parts += [np.cumsum([0, *map(len, found)]).astype(np.uint64), np.concatenate([*found, np.zeros(0)])]
    return Blocks(np.array([len(b) for b in begins], np.uint32), *parts)


def seen_from(grammar: SplitPCFG, level: int) -> SplitPCFG:
    """The grammar at a level of its hierarchy: as it is from its own level on."""
    if level >= len(grammar.ancestry):
        return grammar
    if level not in grammar.views:
        grammar.views[level] = _seen_from(grammar, level)
    return grammar.views[level]


def _seen_from(grammar: SplitPCFG, level: int) -> SplitPCFG:
    blocks = project(grammar.coarse, grammar.blocks, grammar.mass, grammar.ancestry, level)
    mass = np.zeros((len(blocks.splits), int(blocks.splits.max())))
    for x, k in enumerate(grammar.blocks.splits.tolist()):
        begin = groups(grammar.ancestry, level, x)
        mass[x, : len(begin)] = np.add.reduceat(grammar.mass[x, :k], begin)
    return SplitPCFG(grammar.coarse, blocks, mass, grammar.ancestry[:level])
