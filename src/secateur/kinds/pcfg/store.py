"""A split grammar's numbers as named arrays; its rules are those of the unsplit grammar beside them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG, TOLERANCE, Ids
from secateur.kernels.split.tree_em import Blocks
from secateur.models.storage import Array, Schema, Spec, check_arrays

MOST = 1 << 12  # sub-symbols of a symbol

# Of N symbols, in grammars whose product is taken, one after the other; and in the levels of the first one.
SCHEMA: Schema = {
    "splits": Spec("u4", ("grammars", "symbols"), low=1, below=MOST),
    "binary": Spec("f8", ("of binary rules",), low=0.0, most=1.0 + TOLERANCE),
    "unary": Spec("f8", ("of unary rules",), low=0.0, most=1.0 + TOLERANCE),
    "lexical": Spec("f8", ("of words",), low=0.0, most=1.0 + TOLERANCE),
    "mass": Spec("f8", ("symbols", "sub-symbols"), low=0.0, most=1e100),
    "sizes": Spec("u4", ("levels", "symbols"), low=1, below=MOST),
    "origin": Spec("u4", ("of all levels",), below=MOST),
}


def sizes_of(coarse: PCFG) -> dict[str, int]:
    """What the schema has to know of the rules."""
    return {"symbols": len(coarse.symbols)}


def to_arrays(grammar: SplitPCFG) -> dict[str, Array]:
    """All but the unsplit rules."""
    everyone, symbols = (grammar.blocks, *grammar.others), len(grammar.coarse.symbols)
    levels = [[len(origin) for origin in origins] for origins in grammar.ancestry]
    return {
        "splits": np.stack([blocks.splits for blocks in everyone]),
        "binary": np.concatenate([blocks.binary for blocks in everyone]),
        "unary": np.concatenate([blocks.unary for blocks in everyone]),
        "lexical": np.concatenate([blocks.lexical for blocks in everyone]),
        "mass": grammar.mass,
        "sizes": np.array(levels, np.uint32).reshape(len(levels), symbols),
        "origin": np.concatenate([np.empty(0, np.uint32), *(o for level in grammar.ancestry for o in level)]),
    }


def from_arrays(coarse: PCFG, stored: Mapping[str, Array]) -> SplitPCFG:
    """ValueError where they do not fit the rules, or each other."""
    found = check_arrays(stored, SCHEMA, sizes_of(coarse))
    splits, mass = found["splits"], found["mass"]
    if not len(splits) or (splits[:, coarse.number[coarse.start]] != 1).any():
        raise ValueError("no grammar, or one whose start symbol is split")
    if mass.shape[1] < splits[0].max():
        raise ValueError("the masses do not fit the sub-symbols")
    first, *others = _blocks(coarse, splits, found)
    ancestry = _ancestry(found["sizes"], found["origin"])
    if ancestry and not np.array_equal(found["sizes"][-1], first.splits):
        raise ValueError("the last level does not fit the sub-symbols")
    return SplitPCFG(coarse, first, mass, ancestry, tuple(others))


def _blocks(coarse: PCFG, splits: npt.NDArray[np.uint32], found: Mapping[str, Array]) -> list[Blocks]:
    """The grammars one by one."""
    binary, unary = coarse.binary, coarse.unary
    parts: dict[str, list[tuple[Array, Array]]] = {}
    for name, symbols in (
        ("binary", (binary.parent, binary.left, binary.right)),
        ("unary", (unary.parent, unary.child)),
        ("lexical", (coarse.lexicon.tag,)),
    ):
        parts[name] = []
        begin = 0
        for own in splits.astype(np.int64):
            sizes = np.prod([own[x] for x in symbols], axis=0)
            ptr = np.concatenate(([0], np.cumsum(sizes)))
            parts[name].append((ptr.astype(np.uint64), found[name][begin : begin + ptr[-1]]))
            begin += int(ptr[-1])
        if len(found[name]) != begin:
            raise ValueError(f"the {name} blocks do not fit the rules")
    columns = zip(splits, *parts.values(), strict=True)
    return [Blocks(own, *b, *u, *lexical) for own, b, u, lexical in columns]


def _ancestry(sizes: npt.NDArray[np.uint32], origin: Ids) -> tuple[tuple[Ids, ...], ...]:
    """For each level, which of the level before a sub-symbol comes from, one after the other."""
    if int(sizes.sum(dtype=np.int64)) != len(origin):
        raise ValueError("the levels do not fit the symbols")
    found: list[tuple[Ids, ...]] = []
    before = np.ones(sizes.shape[1], np.int64)
    begin = 0
    for level in sizes.astype(np.int64):
        end = begin + int(level.sum())
        flat = origin[begin:end].astype(np.int64)
        starts = np.cumsum(level) - level
        steps = np.diff(flat)
        steps = np.delete(steps, starts[1:] - 1)  # but not from a symbol to the next
        if flat[starts].any() or (steps < 0).any() or (steps > 1).any():
            raise ValueError("a level whose sub-symbols do not come from those before, one after the other")
        if not np.array_equal(flat[starts + level - 1] + 1, before):
            raise ValueError("a level that does not fit the one before")
        found.append(tuple(np.split(origin[begin:end], starts[1:])))
        before, begin = level, end
    return tuple(found)
