"""Rules read from a file, with a block of probabilities for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.lines import CUT_OFF, log_weight, put

Floats = npt.NDArray[np.float64]


class Table:
    """The rules of a kind, in the order of the file, with their probabilities end to end."""

    def __init__(self, splits: dict[str, list[int]]) -> None:
        self.splits = splits
        self.rows: dict[tuple[str, ...], int] = {}  # by the names in the rule
        self.weights: list[float] = []
        self.paths: list[tuple[str, ...]] = []
        self.where: list[str] = []
        grammars = range(len(next(iter(splits.values()), ())))
        self.numbers = [array("d") for _ in grammars]  # one for each grammar of a product
        self.ends = [array("Q", [0]) for _ in grammars]  # where the numbers of the rows begin and end

    def add(
        self,
        key: tuple[str, ...],
        symbols: int,
        weight: str,
        numbers: str,
        where: str,
        path: Sequence[str] = (),
    ) -> None:
        """A rule; the first so many names of the key are symbols."""
        try:
            shape = [self.splits[name] for name in key[:symbols]]
        except KeyError as unknown:
            fix = "give it a line among the symbols, or mend it"
            raise InputError(f"unknown symbol {unknown}", where=where, fix=fix) from None
        parts = numbers.split(":")
        if len(parts) != len(self.numbers):
            what = f"probabilities of {len(parts)} grammars, not {len(self.numbers)}"
            raise InputError(what, where=where, fix="a `:` before those of each")
        for part, sizes, store, ends in zip(
            parts, zip(*shape, strict=True), self.numbers, self.ends, strict=True
        ):
            fields = part.split()
            if len(fields) != prod(sizes):
                raise miscounted("probabilities", len(fields), sizes, where)
            store.extend(floats(fields, where))
            ends.append(len(store))
        put(self.rows, key, len(self.weights), f"{key[0]} -> {' '.join(key[1:])}", where)
        self.weights.append(log_weight(weight, where))
        self.paths.append(tuple(path))
        self.where.append(where)

    def ordered(self, keys: Iterable[tuple[str, ...]], number: int) -> tuple[npt.NDArray[np.uint64], Floats]:
        """The numbers of one grammar in another order of the rules, and where those of each begin and end."""
        order = np.array([self.rows[key] for key in keys], np.int64)
        ends = np.array(self.ends[number], np.int64)
        sizes = np.diff(ends)[order]
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        moved = np.repeat(ends[:-1][order] - ptr[:-1], sizes)
        return ptr.astype(np.uint64), np.array(self.numbers[number])[np.arange(ptr[-1]) + moved]


def floats(fields: list[str], where: str) -> array[float]:
    try:
        return array("d", map(float, fields))
    except ValueError as error:
        raise InputError(
            f"no number: {error.args[0].rpartition(':')[2].strip()}", where=where, fix=CUT_OFF
        ) from None


def miscounted(what: str, found: int, sizes: Sequence[int], where: str) -> InputError:
    choices = " x ".join(map(str, sizes))
    return InputError(
        f"{found} {what}, not {choices}", where=where, fix=f"one for each choice of sub-symbols; {CUT_OFF}"
    )
