"""Sentences by length."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from secateur.errors import InputError

BINS = (10, 20, 30, 40)


class LengthClass(NamedTuple):
    """The sentences of `first` to `last` words; the last class has no upper end."""

    first: int
    last: int | None
    sentences: list[int]  # their numbers, from 0


def length_classes(lengths: Iterable[int], bins: Sequence[int] = BINS) -> list[LengthClass]:
    """Which sentences are in each class; `bins` are the longest lengths of all classes but the last."""
    if list(bins) != sorted(set(bins)) or any(last < 1 for last in bins):
        raise InputError(f"length classes must grow from 1: {list(bins)}")
    groups: list[list[int]] = [[] for _ in range(len(bins) + 1)]
    for number, length in enumerate(lengths):
        groups[bisect_left(bins, length)].append(number)
    ends = zip([1, *(last + 1 for last in bins)], [*bins, None], groups, strict=True)
    return [LengthClass(first, last, group) for first, last, group in ends]


def class_name(first: int, last: int | None) -> str:
    return f"{first}+" if last is None else f"{first}-{last}"
