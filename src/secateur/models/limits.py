"""Limits: what to do with sentences too long to parse whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from secateur.errors import InputError
from secateur.options import check_choice, check_whole

OnLong = Literal["degrade", "flat", "skip"]

GIB = 1 << 30
_STOPS = frozenset({",", ";", ":", ".", "--", "?", "!", "-RRB-", "''"})


@dataclass(frozen=True, slots=True)
class Limits:
    """What to do with sentences too long to parse whole."""

    words: int = 250
    chart_bytes: int = 2 * GIB
    on_long: OnLong = "degrade"  # in pieces; or a flat tree; or an empty one

    def __post_init__(self) -> None:
        check_choice("on_long", self.on_long, ("degrade", "flat", "skip"))
        if check_whole("the limit of words", self.words) < 1:
            raise InputError(f"a limit of {self.words} words", fix="give 1 or more")
        if check_whole("the limit of bytes", self.chart_bytes) < 1:
            raise InputError(f"a limit of {self.chart_bytes} bytes", fix="give 1 or more")


def pieces(words: Sequence[str], longest: int) -> Iterator[tuple[int, int]]:
    """Cut a long sentence, after punctuation where there is some in the second half of a piece."""
    begin = 0
    while begin < len(words):
        end = min(begin + longest, len(words))
        if end < len(words):
            stops = [p + 1 for p in range(begin + longest // 2, end) if words[p] in _STOPS]
            end = stops[-1] if stops else end
        yield begin, end
        begin = end
