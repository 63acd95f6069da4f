"""What follows from the counts of all sentences of a corpus, whatever is counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from secateur.errors import InputError
from secateur.metrics.additive import Additive
from secateur.metrics.lengths import BINS, class_name, length_classes
from secateur.metrics.table import Table

# What people call a count or a figure.
TITLES = {
    "sentences": "sentences",
    "errors": "errors (words differ)",
    "skipped": "skipped (no words)",
    "failures": "without a parse",
    "coverage": "coverage, %",
    "words": "words that count",
    "uas": "UAS",
    "las": "LAS",
    "complete_match": "complete match, %",
    "complete_labelled_match": "complete with labels, %",
    "gold": "gold brackets",
    "test": "parsed brackets",
    "recall": "labelled recall",
    "precision": "labelled precision",
    "f1": "labelled F1",
    "exact_match": "exact match, %",
    "average_crossing": "crossing, per sentence",
    "without_crossing": "without crossing, %",
    "gapped_gold": "discontinuous gold brackets",
    "gapped_test": "discontinuous parsed brackets",
    "discontinuous_recall": "discontinuous recall",
    "discontinuous_precision": "discontinuous precision",
    "discontinuous_f1": "discontinuous F1",
    "discontinuous_exact_match": "discontinuous exact match, %",
    "tag_accuracy": "tag accuracy",
}

C = TypeVar("C", bound=Additive)
G = TypeVar("G")
S = TypeVar("S")


class LengthRow(NamedTuple, Generic[C]):
    """The sentences of `first` to `last` words; the last row has no upper end."""

    first: int
    last: int | None
    counts: C

    @property
    def name(self) -> str:
        return class_name(self.first, self.last)


class Scored(Protocol):
    """A sentence that was scored."""

    def to_dict(self) -> Mapping[str, float]:
        """Ready for JSON."""


class CorpusScores(ABC, Generic[C]):
    """The scores of all sentences, in order."""

    __slots__ = ()
    COUNTED: ClassVar[type[Any]]  # the class of the counts
    SUMMARY: ClassVar[str]  # counts and figures that it shows, with blanks between
    sentences: tuple[Scored, ...]

    @property
    @abstractmethod
    def protocol(self) -> str:
        """One line that says how the numbers were computed."""

    @property
    @abstractmethod
    def counts(self) -> Sequence[C]:
        """Of each sentence."""

    @property
    def total(self) -> C:
        """The sum over all sentences."""
        return self._sum(self.counts)

    def columns(self) -> dict[str, C]:
        """What the summary shows, by its title."""
        return {"all": self.total}

    def summary(self) -> Table:
        titles, sums = zip(*self.columns().items(), strict=True)
        found = [each.to_dict() for each in sums]
        rows = [(TITLES[name], *(column[name] for column in found)) for name in self.SUMMARY.split()]
        return Table(("", *titles), rows)

    def by_length(self, bins: Sequence[int] = BINS) -> list[LengthRow[C]]:
        """One row per length class that has sentences; `bins` are the longest lengths of all but the last."""
        counts = self.counts
        return [
            LengthRow(first, last, self._sum(counts[number] for number in numbers))
            for first, last, numbers in length_classes((each.length for each in counts), bins)
            if numbers
        ]

    def remarks(self) -> list[str]:
        return []

    def to_dict(self, *, sentences: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; the sentences can be left out."""
        found = {"protocol": self.protocol, **self.sums()}
        return found | ({"sentences": [each.to_dict() for each in self.sentences]} if sentences else {})

    def sums(self) -> dict[str, Any]:
        """Figures of the whole corpus, ready for JSON."""
        return {"total": self.total.to_dict()}

    def _sum(self, counts: Iterable[C]) -> C:
        found: C = self.COUNTED.sum(counts)
        return found


class Judging(Protocol):
    """What counts."""

    def protocol(self) -> str:
        """One line that says so."""

    @property
    def cutoff(self) -> int:
        """The longest length of a short sentence."""


class BracketScores(CorpusScores[C]):
    """Those of brackets: short sentences are summed up apart, and what could not be scored is told."""

    __slots__ = ()
    parameters: Judging

    @property
    def protocol(self) -> str:
        return self.parameters.protocol()

    @property
    def up_to_cutoff(self) -> C:
        """The sum over sentences no longer than the cutoff."""
        return self._sum(each for each in self.counts if each.length <= self.parameters.cutoff)

    def columns(self) -> dict[str, C]:
        return {**super().columns(), f"<= {self.parameters.cutoff} words": self.up_to_cutoff}

    def remarks(self) -> list[str]:
        total = self.total.to_dict()
        told = {
            "not scored: gold and parsed words differ": total["errors"],
            "with other words tagged as punctuation than in gold: scored by gold tags": total["retagged"],
        }
        return [f"{n:,} sentence{'s' * (n != 1)} {what}" for what, n in told.items() if n]

    def sums(self) -> dict[str, Any]:
        cutoff, short = self.parameters.cutoff, self.up_to_cutoff.to_dict()
        return {**super().sums(), "cutoff": cutoff, "up_to_cutoff": short}


def paired(golds: Iterable[G], found: Iterable[G], *, what: str) -> Iterator[tuple[G, G]]:
    """Gold things and those found, pair by pair; as many of one as of the other."""
    pairs = zip_longest(golds, found)
    for number, (gold, test) in enumerate(pairs):
        if gold is None or test is None:
            longer = number + 1 + sum(1 for _ in pairs)
            counts = (number, longer) if gold is None else (longer, number)
            raise InputError(
                f"{counts[0]} gold {what}s but {counts[1]} to score",
                fix=f"give one {what} per gold {what}, in the same order",
            )
        yield gold, test


def score_trees(
    golds: Iterable[G], tests: Iterable[G], failed: Iterable[bool], score: Callable[[G, G, bool], S]
) -> tuple[S, ...]:
    """The score of each pair of trees; a fault says in which sentence it is."""
    marks = iter(failed)
    found: list[S] = []
    for number, (gold, test) in enumerate(paired(golds, tests, what="tree"), 1):
        try:
            found.append(score(gold, test, next(marks, False)))
        except InputError as error:
            raise InputError(f"sentence {number}: {error.what}", fix=error.fix) from None
    return tuple(found)
