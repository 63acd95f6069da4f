"""Sentence: what a parser is given, whatever annotation it makes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.text import escaped, penn_spelling, read_words, tokenize


class Source(NamedTuple):
    """The text that a sentence was read from: its writer changes only what is new."""

    text: str  # comments and the blank lines around the sentence included
    format: str
    line: int  # of the sentence's first word
    fine: bool  # whether the tags are those of the finer column


class Tags(NamedTuple):
    """Tags that come with a sentence."""

    fine: tuple[str, ...]
    coarse: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words as they stand in the text, and as the parser shall see them; tags where there are some."""

    tokens: tuple[str, ...]
    penn: tuple[str, ...]
    tags: Tags | None = None
    source: Source | None = None

    @classmethod
    def of(cls, tokens: Iterable[str]) -> Sentence:
        """A sentence of surface tokens."""
        kept = tuple(tokens)
        for token in kept:
            if not isinstance(token, str):
                raise TypeError(f"a word is a text, not {token!r}")
        text = " ".join(kept)
        if tuple(text.split()) != kept:
            token = next(token for token in kept if token.split() != [token])
            raise InputError(f'"{token}" is not one token', fix="tokens hold no white space")
        return cls(kept, penn_spelling(kept))

    @classmethod
    def from_line(cls, line: str) -> Sentence:
        """A sentence of tokens with white space between."""
        kept = tuple(line.split())
        return cls(kept, penn_spelling(kept))

    @classmethod
    def from_text(cls, text: str) -> Sentence:
        """A sentence of raw text."""
        return cls.of(tokenize(text))

    def __len__(self) -> int:
        return len(self.tokens)

    def __reduce__(self) -> tuple[object, ...]:
        # To workers and back many times a second: as dataclasses travel by themselves takes twice as long.
        return Sentence, (self.tokens, self.penn, self.tags, self.source)

    def spelt(self, known: Container[str]) -> Sentence:
        """The same for a parser that knows words: those stay as they are in the text."""
        if self.penn is self.tokens:
            return self
        spelling = (
            token if token in known else penn for token, penn in zip(self.tokens, self.penn, strict=True)
        )
        return Sentence(self.tokens, tuple(spelling), self.tags, self.source)

    def part(self, first: int, end: int) -> Sentence:
        """Some words of it, as a sentence without a source."""
        tags = self.tags and Tags(self.tags.fine[first:end], self.tags.coarse[first:end])
        return Sentence(self.tokens[first:end], self.penn[first:end], tags)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The surface tokens with their brackets escaped: fit to be printed in a tree."""
        return escaped(self.tokens)


def read_sentences(lines: Iterable[str], *, raw: bool) -> Iterator[Sentence]:
    """Sentences from lines of tokens or from raw text, as `text.read_words` finds them."""
    return map(Sentence.of, read_words(lines, raw=raw))
