"""A split grammar's numbers as named arrays; its rules are those of the unsplit grammar beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.kernels.split.tree_em import Blocks

Arrays = Mapping[str, npt.NDArray[Any]]


def to_arrays(grammar: SplitPCFG) -> dict[str, npt.NDArray[Any]]:
    """All but the unsplit rules."""
    found: dict[str, npt.NDArray[Any]] = {"mass": grammar.mass}
    for number, blocks in enumerate((grammar.blocks, *grammar.others)):
        found |= {f"{number}.{name}": array for name, array in zip(Blocks._fields, blocks, strict=True)}
    for level, origins in enumerate(grammar.ancestry):
        found[f"sizes.{level}"] = np.array([len(origin) for origin in origins], np.uint32)
        found[f"origin.{level}"] = np.concatenate(origins)
    return found


def from_arrays(coarse: PCFG, stored: Arrays) -> SplitPCFG:
    """ValueError or KeyError where they do not fit the rules, or each other."""
    first, *others = (
        _blocks(coarse, stored, number) for number in range(sum(name.endswith(".splits") for name in stored))
    )
    ancestry = []
    for level in range(sum(name.startswith("sizes.") for name in stored)):
        sizes = stored[f"sizes.{level}"]
        if len(sizes) != len(coarse.symbols) or sizes.sum() != len(stored[f"origin.{level}"]):
            raise ValueError(f"level {level} does not fit the symbols")
        ancestry.append(tuple(np.split(stored[f"origin.{level}"], np.cumsum(sizes)[:-1])))
    if ancestry and not np.array_equal([len(origin) for origin in ancestry[-1]], first.splits):
        raise ValueError("the last level does not fit the sub-symbols")
    if len(stored["mass"]) != len(coarse.symbols):
        raise ValueError("the masses do not fit the symbols")
    return SplitPCFG(coarse, first, stored["mass"], tuple(ancestry), tuple(others))


def _blocks(coarse: PCFG, stored: Arrays, number: int) -> Blocks:
    blocks = Blocks(*(stored[f"{number}.{name}"] for name in Blocks._fields))
    splits = blocks.splits.astype(np.int64)
    if len(splits) != len(coarse.symbols):
        raise ValueError("the sub-symbols do not fit the symbols")
    binary, unary = coarse.binary, coarse.unary
    for name, ptr, flat, symbols in (
        ("binary", blocks.binary_ptr, blocks.binary, (binary.parent, binary.left, binary.right)),
        ("unary", blocks.unary_ptr, blocks.unary, (unary.parent, unary.child)),
        ("lexical", blocks.lexical_ptr, blocks.lexical, (coarse.lexicon.tag,)),
    ):
        sizes = np.prod([splits[x] for x in symbols], axis=0)
        if not np.array_equal(np.diff(ptr), sizes) or len(flat) != sizes.sum():
            raise ValueError(f"the {name} blocks do not fit the rules")
        if not np.isfinite(flat).all() or flat.min(initial=0.0) < 0.0:
            raise ValueError(f"a {name} probability is negative or not finite")
    return blocks
