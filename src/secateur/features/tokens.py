"""Tokens, and the keys of their views: made once for each token, kept at hand as bytes.

Rows of bytes join into the array of a whole batch of sentences without a step of Python for each word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from secateur.features.patterns import digest

Keys = npt.NDArray[np.uint64]
Columns = tuple[Iterable[str], Iterable[str], Iterable[str]]  # words, tags and coarse tags of a sentence
Kept = TypeVar("Kept", bound=tuple[Any, ...] | str)

MOST = 1 << 17  # rows that are kept at hand
_DIGIT = re.compile(r"\d")


class Token(NamedTuple):
    """What features see of a word."""

    word: str
    tag: str
    coarse: str


# What stands before and behind a sentence (before, the root; after, none) has tags and words like no token's.
AROUND = tuple(Token(name, name, name) for name in ("\x01", "\x02", "\x03", "\x04"))
BEFORE, AFTER = AROUND[:2], AROUND[2:]
ROOT = BEFORE[1]


def normal_form(word: str) -> str:
    """The word with every digit as 0."""
    return word if word.isalpha() else _DIGIT.sub("0", word)


class Remembered(dict[Kept, bytes]):
    """Rows by what they are of; one that is missing is made. When there are too many, all are forgotten."""

    def __init__(self, make: Callable[[Kept], bytes], *, most: int = MOST) -> None:
        super().__init__()
        self.make = make
        self.most = most

    def __missing__(self, key: Kept) -> bytes:
        row = self.make(key)
        if len(self) >= self.most:
            self.clear()
        self[key] = row
        return row

    def joined(self, keys: Iterable[Kept]) -> bytes:
        """The rows of many, one after the other."""
        return b"".join(map(self.__getitem__, keys))


class TokenRows(Remembered[tuple[str, str, str]]):
    """Rows by token."""

    def of(self, sentences: Iterable[Columns]) -> Keys:
        """[places, width] the rows of all words, with those of what is around each sentence."""
        before, after = self.joined(BEFORE), self.joined(AFTER)
        found: list[bytes] = []
        for words, tags, coarse in sentences:
            found += (before, self.joined(zip(words, tags, coarse, strict=True)), after)
        width = len(self[ROOT]) // 8
        return np.frombuffer(b"".join(found), np.uint64).reshape(-1, width)


def _key_bytes(text: str) -> bytes:
    """key_of(text) as this machine has it in memory."""
    found = digest(text)
    return found if sys.byteorder == "little" else found[::-1]


# Tags, endings and the like come again with ever new words.
text_keys = Remembered(_key_bytes, most=MOST // 2)
