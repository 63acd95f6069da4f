"""Counts: what one sentence, or any collection of sentences, adds to a score; figures follow from sums."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import add, attrgetter


@dataclass(frozen=True, slots=True)
class Counts:
    """Additive counts of bracket scoring; every figure of a corpus follows from their sum."""

    sentences: int = 0
    valid: int = 0  # sentences that were scored
    skipped: int = 0  # sentences without a parse
    errors: int = 0  # sentences whose words do not agree with the gold words
    failures: int = 0  # parse failures, as told by the caller
    length: int = 0  # words, punctuation included, of all sentences
    words: int = 0  # words whose tags were compared
    tags: int = 0  # correct tags
    gold: int = 0  # brackets of the gold trees
    test: int = 0  # brackets of the parses
    matched: int = 0
    crossing: int = 0  # brackets of the parses that cross a gold bracket
    no_crossing: int = 0  # sentences without such a bracket
    few_crossing: int = 0  # sentences with at most two
    complete: int = 0  # sentences whose brackets all match
    retagged: int = (
        0  # sentences in which the parse's own tags would have left out other words than gold tags
    )

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(add, _values(self), _values(other)))

    # The order of the operations below is that of EVALB's figures in the reference results, to the last bit.

    @property
    def precision(self) -> float:
        return 100 * (self.matched / self.test) if self.test else 0.0

    @property
    def recall(self) -> float:
        return 100 * (self.matched / self.gold) if self.gold else 0.0

    @property
    def f1(self) -> float:
        if not self.matched:
            return 0.0
        precision, recall = self.matched / self.test, self.matched / self.gold
        return 100 * 2 * precision * recall / (precision + recall)

    @property
    def complete_match(self) -> float:
        return _percent(self.complete, self.valid)

    @property
    def tag_accuracy(self) -> float:
        return _percent(self.tags, self.words)

    @property
    def average_crossing(self) -> float:
        return self.crossing / self.valid if self.valid else 0.0

    @property
    def without_crossing(self) -> float:
        return _percent(self.no_crossing, self.valid)

    @property
    def up_to_two_crossing(self) -> float:
        return _percent(self.few_crossing, self.valid)

    def figures(self) -> dict[str, float]:
        """The figures that are not counts, by name."""
        return {name: getattr(self, name) for name in _FIGURES}

    def to_dict(self) -> dict[str, float]:
        """Counts and figures, by name."""
        return dict(zip(_NAMES, _values(self), strict=True)) | self.figures()


_NAMES = tuple(field.name for field in fields(Counts))
_FIGURES = (
    "precision",
    "recall",
    "f1",
    "complete_match",
    "average_crossing",
    "without_crossing",
    "up_to_two_crossing",
    "tag_accuracy",
)
_values = attrgetter(*_NAMES)


def sum_counts(counts: Iterable[Counts]) -> Counts:
    """The sum; of nothing, all zero."""
    return Counts(*map(sum, zip(*map(_values, counts), strict=True)))


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
