"""Parts of a tree over neighbouring words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Part(Protocol):
    """What covers the words i, ..., k - 1."""

    @property
    def i(self) -> int: ...

    @property
    def k(self) -> int: ...


P = TypeVar("P", bound=Part)


def runs(parts: Iterable[P]) -> list[list[P]]:
    """The parts in order, those that stand together in one list."""
    found: list[list[P]] = []
    for part in sorted(parts, key=lambda part: part.i):
        if found and found[-1][-1].k == part.i:
            found[-1].append(part)
        else:
            found.append([part])
    return found
