"""Luck: weighted tables, and the one source of chance behind a sentence.

Only `random.Random.random` is used, the one method whose sequence Python promises to keep, and weights come
from division alone, so a seed gives the same sentences on every platform and version.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")

# From this many words on, optional material becomes rarer, with the square of the excess.
COMFORTABLE = 14


class Table(Generic[T]):
    """Items with weights."""

    __slots__ = ("cumulative", "items", "total")

    def __init__(self, pairs: Iterable[tuple[T, float]]) -> None:
        kept = list(pairs)
        self.items = tuple(item for item, _ in kept)
        self.cumulative = list(accumulate(weight for _, weight in kept))
        self.total = self.cumulative[-1] if kept else 0.0


def zipf(items: Iterable[T], shift: float = 2.0) -> Table[T]:
    """Earlier items are more frequent: weight 1 / (rank + shift)."""
    return Table((item, 1.0 / (rank + shift)) for rank, item in enumerate(items))


def listed(text: str) -> list[str]:
    """The words of a text, in a list."""
    return text.split()


class Luck:
    """The chance of one sentence, and how far it has grown.

    `lush` is how much optional material this sentence likes; `size` counts the words so far, roughly;
    `past` is whether it is told in the past.
    """

    __slots__ = ("lush", "past", "random", "size")

    def __init__(self, key: str) -> None:
        self.random = Random(key).random
        self.size = 0
        # The product of two numbers gives many plain sentences and a tail of rich ones.
        self.lush = 0.75 + 1.2 * self.random() * (0.5 + self.random())
        self.past = self.toss(0.7)

    def toss(self, probability: float) -> bool:
        return self.random() < probability

    def may(self, probability: float) -> bool:
        """Whether to add something optional: rarer the longer the sentence is already."""
        shrink = COMFORTABLE / self.size if self.size > COMFORTABLE else 1.0
        return self.random() < probability * self.lush * shrink * shrink

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all alike."""
        return items[int(self.random() * len(items))]

    def of(self, table: Table[T]) -> T:
        """One of the items, by weight."""
        return table.items[bisect(table.cumulative, self.random() * table.total)]
