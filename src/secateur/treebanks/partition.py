"""How a sequence of sentences is cut into parts, whatever kind of sentences they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError

Ints = npt.NDArray[np.signedinteger]


def three_parts(
    count: int, *, dev: float, test: float, seed: int | None, name: str = ""
) -> tuple[Ints, Ints, Ints]:
    """The numbers of train, dev and test, in this order, or drawn at random if there is a seed."""
    if min(dev, test) < 0 or dev + test >= 1:
        raise InputError(f"cannot split off {dev} and {test} of a treebank", fix="use shares such as 0.1")
    # A share that was asked for gets a tree at least.
    sizes = [max(round(share * count), int(share > 0)) for share in (dev, test)]
    train = count - sum(sizes)
    if train < 1:
        raise InputError(f"{count} trees are too few to split", where=name, fix="give a larger treebank")
    order = np.arange(count) if seed is None else np.random.default_rng(seed).permutation(count)
    first, second, third = map(np.sort, np.split(order, [train, train + sizes[0]]))
    return first, second, third


def folds(count: int, number: int) -> Iterator[tuple[Ints, Ints]]:
    """So many folds: each with the numbers of all the rest before it, as (rest, fold)."""
    if not 2 <= number <= count:
        raise InputError(f"cannot make {number} folds of {count} trees", fix=f"use from 2 to {count} folds")
    for fold in np.array_split(np.arange(count), number):
        yield np.delete(np.arange(count), fold), fold
