"""Patterns for choosing a class, in words, made ready for the kernel; and what was learned about them.

A pattern is a text of atoms: `suffix3[w]` is a view of the word at the place w, `word[w-1]` that of the word
before it, and a name alone is a value of the case at hand, such as the class chosen before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.kernels import rows as kernel

Array = npt.NDArray[Any]

_ATOM = re.compile(r"(\w+)\[([a-z])([+-]\d)?\]")
_START = 1 << 12  # rows that a table has room for at first
_STORED = ("keys", "ptr", "column", "weight")
_STEPS = 8  # from where a row belongs to where it is, on average, at most; in a good table it is half a step


def digest(text: str) -> bytes:
    """Eight bytes that stand for a text."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def key_of(text: str) -> int:
    """The same as a number."""
    return int.from_bytes(digest(text), "little")


def compiled(
    patterns: Sequence[str], *, views: Sequence[str], places: str, values: Sequence[str]
) -> kernel.Patterns:
    """Patterns as the kernel has them; places are letters."""
    ptr, place, column, offset = [0], [], [], []
    for text in patterns:
        for atom in text.split():
            found = _ATOM.fullmatch(atom)
            if atom in values:
                place.append(int(kernel.VALUE))
                column.append(values.index(atom))
                offset.append(0)
            elif found and found[1] in views and found[2] in places:
                place.append(places.index(found[2]))
                column.append(views.index(found[1]))
                offset.append(int(found[3] or 0))
            else:
                raise InputError(
                    f"{atom!r} in the pattern {text!r} is no atom",
                    fix=f"write view[place], with the views {', '.join(views)}, or {', '.join(values)}",
                )
        ptr.append(len(place))
    return kernel.Patterns(
        np.array(list(map(key_of, patterns)), np.uint64),
        np.array(ptr, np.uint32),
        np.array(place, np.uint32),
        np.array(column, np.uint32),
        np.array(offset, np.int64),
    )


def empty_table() -> kernel.Table:
    """A table without features."""
    keys, first = np.zeros(_START, np.uint64), np.zeros(_START, np.uint32)
    column, weight = np.zeros(_START, np.uint16), np.zeros(_START, np.float32)
    slots, used = np.zeros(2 * _START, np.uint64), np.array([1, 0], np.int64)
    return kernel.Table(slots, keys, first, first.copy(), column, weight, weight.copy(), used)


def averaged(table: kernel.Table, clock: int) -> kernel.Rows:
    """The mean of the weights over the time of training."""
    ptr, column, weight = kernel.averaged(table, max(clock, 1))
    return _rows(table.keys[: table.used[0]].copy(), ptr, column, weight)


def to_arrays(rows: kernel.Rows) -> dict[str, Array]:
    """What there is to store."""
    return {name: getattr(rows, name) for name in _STORED}


def from_arrays(stored: Mapping[str, Array]) -> kernel.Rows:
    """From arrays that fit each other; ValueError where their keys are none that hashing makes."""
    keys, ptr, column, weight = (stored[name] for name in _STORED)
    if not len(keys) or ptr[1] != 0:
        raise ValueError("no empty row before the others")
    if _steps(keys[1:], _size(len(keys))) > _STEPS * len(keys) + _START:
        raise ValueError("its features have keys that are all alike")
    return _rows(keys, ptr, column, weight)


def _steps(keys: Array, size: int) -> int:
    """How many steps in all there are from where keys belong to where they find room.

    From slot to slot, waiting = max(waiting + keys that belong here - 1, 0).
    """
    belong = np.bincount((keys & np.uint64(size - 1)).astype(np.int64), minlength=size)
    flow = np.cumsum(belong - 1)
    waiting = flow - np.minimum(np.minimum.accumulate(flow), 0)
    return int(waiting.sum())


def _size(count: int) -> int:
    """Slots for so many rows, half of them empty or more."""
    return 1 << (2 * count).bit_length()


def _rows(keys: Array, ptr: Array, column: Array, weight: Array) -> kernel.Rows:
    slots = kernel.slots_of(keys, len(keys), _size(len(keys)))
    return kernel.Rows(keys, slots, ptr, column, weight)
