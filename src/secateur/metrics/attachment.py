"""Attachment scores of dependency parses: how many words have the right head (UAS), and label too (LAS).

Whether punctuation counts, and what is punctuation, changes the figures by a point or more, so that every
result says it. By tag, a word is punctuation if its gold tags say so; by characters, if all of its characters
are punctuation in Unicode (so % is, but `` and -LRB- are not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from operator import add, attrgetter
from typing import Any, Literal, NamedTuple
from unicodedata import category

from secateur.errors import InputError
from secateur.metrics.bootstrap import confidence
from secateur.metrics.evalb.counts import Counts
from secateur.metrics.lengths import BINS, class_name, length_classes
from secateur.metrics.table import Table
from secateur.options import option
from secateur.treebanks.dependency_tree import PENN_PUNCTUATION, DependencyTree

Punctuation = Literal["include", "tag", "characters"]

_IN_WORDS = {
    "include": "punctuation counted",
    "tag": f"without punctuation by gold tag ({' '.join(sorted(PENN_PUNCTUATION))} or PUNCT)",
    "characters": "without words of Unicode punctuation only",
}


@dataclass(frozen=True, slots=True)
class Attachment:
    """Additive counts; every figure of a corpus follows from their sum."""

    sentences: int = 0
    length: int = 0  # words, punctuation included
    words: int = 0  # those that count
    heads: int = 0  # words with the right head
    labelled: int = 0  # words with the right head and label
    complete: int = 0  # sentences in which all words that count have the right head
    complete_labelled: int = 0  # and label

    def __add__(self, other: Attachment) -> Attachment:
        return Attachment(*map(add, _values(self), _values(other)))

    @property
    def uas(self) -> float:
        return _percent(self.heads, self.words)

    @property
    def las(self) -> float:
        return _percent(self.labelled, self.words)

    @property
    def complete_match(self) -> float:
        return _percent(self.complete, self.sentences)

    @property
    def complete_labelled_match(self) -> float:
        return _percent(self.complete_labelled, self.sentences)

    def to_dict(self) -> dict[str, float]:
        """Counts and figures, by name."""
        return {name: getattr(self, name) for name in (*_NAMES, *_FIGURES)}


_NAMES = tuple(field.name for field in fields(Attachment))
_FIGURES = ("uas", "las", "complete_match", "complete_labelled_match")
_values = attrgetter(*_NAMES)


def sum_attachments(counts: Iterable[Attachment]) -> Attachment:
    """The sum; of nothing, all zero."""
    return Attachment(*map(sum, zip(*map(_values, counts), strict=True)))


# Rows of the summary: what people call a field of Attachment.
_ROWS = {
    "sentences": "sentences",
    "words": "words that count",
    "uas": "UAS",
    "las": "LAS",
    "complete_match": "complete match, %",
    "complete_labelled_match": "complete with labels, %",
}


class AttachmentRow(NamedTuple):
    """The sentences of some lengths."""

    name: str
    counts: Attachment


@dataclass(frozen=True, slots=True)
class AttachmentScores:
    """The counts of all sentences, in order, and how they were taken."""

    punctuation: Punctuation
    subtypes: bool
    sentences: tuple[Attachment, ...]

    @property
    def protocol(self) -> str:
        """One line that says how the numbers were computed."""
        labels = "labels whole" if self.subtypes else "labels without subtypes (up to the first colon)"
        return f"attachment, {_IN_WORDS[self.punctuation]}, {labels}, all lengths"

    @property
    def total(self) -> Attachment:
        """The sum over all sentences."""
        return sum_attachments(self.sentences)

    @property
    def nothing_scored(self) -> bool:
        """Whether there is no word that counts, so that the figures mean nothing."""
        return self.total.words == 0

    @property
    def uas(self) -> float:
        return self.total.uas

    @property
    def las(self) -> float:
        return self.total.las

    def confidence(
        self, *, labelled: bool = False, level: float = 0.95, seed: int = 0
    ) -> tuple[float, float]:
        """The interval of UAS, or of LAS, when the sentences are drawn again."""
        return confidence(self.as_brackets(labelled=labelled), level=level, seed=seed)

    @property
    def accuracy(self) -> float:
        """UAS."""
        return self.uas

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """The 95% interval of UAS when the sentences are drawn again."""
        return self.confidence(seed=seed)

    def figures(self) -> dict[str, float]:
        return {"UAS": self.uas, "LAS": self.las}

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        return {name: self.confidence(labelled=name == "LAS", seed=seed) for name in ("UAS", "LAS")}

    def summary(self) -> Table:
        total = self.total
        return Table(("", "all"), [(name, getattr(total, field)) for field, name in _ROWS.items()])

    def each(self) -> Table:
        rows = [(n, s.length, s.words, s.heads, s.labelled) for n, s in enumerate(self.sentences, 1)]
        return Table(("sentence", "length", "words that count", "right heads", "and labels"), rows)

    def lengths(self) -> Table:
        rows = [
            (
                row.name,
                row.counts.sentences,
                *((row.counts.uas, row.counts.las) if row.counts.words else "--"),
            )
            for row in self.by_length()
        ]
        return Table(("words", "sentences", "UAS", "LAS"), rows)

    def remarks(self) -> list[str]:
        return []

    def as_brackets(self, *, labelled: bool = False) -> list[Counts]:
        """Every sentence as if each word were a bracket: F1 is UAS or LAS, for intervals and tests."""
        return [
            Counts(gold=each.words, test=each.words, matched=each.labelled if labelled else each.heads)
            for each in self.sentences
        ]

    def by_length(self, bins: Sequence[int] = BINS) -> list[AttachmentRow]:
        """One row per length class that has sentences; `bins` are the longest lengths of all but the last."""
        return [
            AttachmentRow(class_name(first, last), sum_attachments(self.sentences[n] for n in numbers))
            for first, last, numbers in length_classes((each.length for each in self.sentences), bins)
            if numbers
        ]

    def to_dict(self, *, sentences: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; the sentences can be left out."""
        found: dict[str, Any] = {"protocol": self.protocol, "total": self.total.to_dict()}
        if sentences:
            found["sentences"] = [sentence.to_dict() for sentence in self.sentences]
        return found


def attachment(
    gold: Iterable[DependencyTree],
    parsed: Iterable[DependencyTree],
    *,
    punctuation: Punctuation = "include",
    subtypes: bool = True,
) -> AttachmentScores:
    """Score parses against gold trees, pair by pair; subtypes=False cuts labels at their first colon."""
    if punctuation not in _COUNTS:
        fix = f"use one of {', '.join(_COUNTS)}"
        raise InputError(f'unknown treatment of punctuation "{punctuation}"', fix=fix)
    found: list[Attachment] = []
    pairs = zip_longest(gold, parsed)
    for number, (right, tried) in enumerate(pairs, 1):
        if right is None or tried is None:
            longer, shorter = number + sum(1 for _ in pairs), number - 1
            counts = (shorter, longer) if right is None else (longer, shorter)
            raise InputError(
                f"{counts[0]} gold sentences but {counts[1]} to score",
                fix="give one sentence per gold sentence, in the same order",
            )
        _check(number, right, tried)
        found.append(_score(right, tried, punctuation, subtypes))
    return AttachmentScores(punctuation, subtypes, tuple(found))


def _score(
    gold: DependencyTree, parsed: DependencyTree, punctuation: Punctuation, subtypes: bool
) -> Attachment:
    counts = _COUNTS[punctuation]
    words = heads = labelled = 0
    for m in range(len(gold)):
        if not counts(gold, m):
            continue
        words += 1
        if gold.heads[m] == parsed.heads[m]:
            heads += 1
            a, b = gold.labels[m], parsed.labels[m]
            labelled += a == b or (not subtypes and a.partition(":")[0] == b.partition(":")[0])
    return Attachment(1, len(gold), words, heads, labelled, int(heads == words), int(labelled == words))


def _check(number: int, gold: DependencyTree, parsed: DependencyTree) -> None:
    """Whether the two are trees over the same words."""
    for name, tree in (("gold", gold), ("parsed", parsed)):
        if not tree.is_parsed:
            what = f"sentence {number}{_line(tree)} has no heads on the {name} side"
            raise InputError(what, fix="parse it first")
    if gold.words != parsed.words:
        pairs = enumerate(zip_longest(gold.words, parsed.words), 1)
        place, (a, b) = next((m, pair) for m, pair in pairs if pair[0] != pair[1])
        shown = [f'"{word}"' if word is not None else "nothing" for word in (a, b)]
        what = f"sentence {number}{_line(parsed)}: word {place} is {shown[0]} in gold but {shown[1]} here"
        raise InputError(what, fix="give the same sentences with the same words")


def _line(tree: DependencyTree) -> str:
    return f" (line {tree.source.line})" if tree.source else ""


def _any(gold: DependencyTree, m: int) -> bool:
    return True


def _tagged(gold: DependencyTree, m: int) -> bool:
    return gold.tags[m] not in PENN_PUNCTUATION and gold.coarse[m] != "PUNCT"


def _spelled(gold: DependencyTree, m: int) -> bool:
    return not all(category(character)[0] == "P" for character in gold.words[m])


# Whether a word counts.
_COUNTS: dict[str, Callable[[DependencyTree, int], bool]] = {
    "include": _any,
    "tag": _tagged,
    "characters": _spelled,
}


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class DependencyScoring:
    """What counts in dependency trees."""

    punctuation: Punctuation = option("include", "Counted, or left out by tag or by characters.")
    subtypes: bool = option(True, "Labels whole; without, up to the first colon.")

    def said(self) -> str:
        """For protocols."""
        return AttachmentScores(self.punctuation, self.subtypes, ()).protocol

    def score(
        self,
        gold: Iterable[DependencyTree],
        found: Iterable[DependencyTree],
        *,
        failed: Sequence[bool] | None = None,
    ) -> AttachmentScores:
        return attachment(gold, found, punctuation=self.punctuation, subtypes=self.subtypes)
