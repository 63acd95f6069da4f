"""What all counts have in common: they add up, and have figures that follow from the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add, attrgetter
from typing import Any, ClassVar, Self, overload


class Additive:
    """Counts of one sentence, or of any collection of them: a frozen dataclass of numbers, 0 by default."""

    __slots__ = ()
    FIGURES: ClassVar[str] = ""  # the properties that are figures, with blanks between
    sentences: int
    length: int  # words, punctuation included

    def __add__(self, other: Self) -> Self:
        values = self._values()
        return type(self)(*map(add, values(self), values(other)))

    @classmethod
    def sum(cls, counts: Iterable[Self]) -> Self:
        """The sum; of nothing, all zero."""
        return cls(*map(sum, zip(*map(cls._values(), counts), strict=True)))

    def figures(self) -> dict[str, float]:
        """The figures that are not counts, by name."""
        return {name: getattr(self, name) for name in self.FIGURES.split()}

    def to_dict(self) -> dict[str, float]:
        """Counts and figures, by name."""
        return dict(zip(self._names(), self._values()(self), strict=True)) | self.figures()

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        found: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]
        return found

    @classmethod
    def _values(cls) -> Callable[[Any], tuple[int, ...]]:
        """From counts, all of them in order."""
        return attrgetter(*cls._names())


class Percent:
    """A figure of counts: one as a share of another."""

    def __init__(self, part: str, whole: str) -> None:
        self.counted = attrgetter(part, whole)

    @overload
    def __get__(self, counts: None, owner: type[Additive]) -> Self: ...
    @overload
    def __get__(self, counts: Additive, owner: type[Additive]) -> float: ...
    def __get__(self, counts: Additive | None, owner: type[Additive]) -> Self | float:
        return self if counts is None else percent(*self.counted(counts))


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
