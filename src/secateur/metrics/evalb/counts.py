"""Counts: what one sentence, or any collection of sentences, adds to a score; figures follow from sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from secateur.metrics.additive import Additive, Percent


@dataclass(frozen=True, slots=True)
class Counts(Additive):
    """Additive counts of bracket scoring; every figure of a corpus follows from their sum."""

    FIGURES: ClassVar[str] = """
        precision recall f1 complete_match average_crossing without_crossing up_to_two_crossing
        tag_accuracy
    """

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
    retagged: int = 0  # sentences where the parse's own tags would have left out other words than gold tags

    complete_match = Percent("complete", "valid")
    tag_accuracy = Percent("tags", "words")
    without_crossing = Percent("no_crossing", "valid")
    up_to_two_crossing = Percent("few_crossing", "valid")

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
    def average_crossing(self) -> float:
        return self.crossing / self.valid if self.valid else 0.0


sum_counts = Counts.sum
