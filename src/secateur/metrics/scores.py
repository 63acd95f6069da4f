"""Scores: what the commands and the dial need of any metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

from secateur.metrics.attachment import DependencyScoring
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.metrics.table import Table
from secateur.options import Options
from secateur.treebanks import formats

T = TypeVar("T", contravariant=True)


class Counted(Protocol):
    """Counts and figures of some sentences."""

    def to_dict(self) -> dict[str, float]:
        """By name."""


class OfLength(Protocol):
    """The sentences of a class of lengths."""

    @property
    def name(self) -> str: ...

    @property
    def counts(self) -> Counted: ...


class Scores(Protocol):
    """The counts of all sentences, in order, and what follows from them."""

    @property
    def protocol(self) -> str:
        """One line that says how the numbers were computed."""

    @property
    def accuracy(self) -> float:
        """The figure that the dial goes by, in percent."""

    @property
    def nothing_scored(self) -> bool:
        """Whether no sentence could be scored."""

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """The 95% interval of the accuracy when the sentences are drawn again."""

    def figures(self) -> dict[str, float]:
        """The figures of a whole treebank that matter most, by name; the accuracy is the first."""

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        """95% intervals of these figures, as far as there are some."""

    def summary(self) -> Table:
        """All figures."""

    def each(self) -> Table:
        """The counts of each sentence."""

    def by_length(self) -> Sequence[OfLength]:
        """Of each class of lengths that has sentences."""

    def lengths(self) -> Table:
        """Figures by length: the class, its sentences, the accuracy, and more."""

    def remarks(self) -> list[str]:
        """What a reader of the figures should know."""

    def to_dict(self, *, sentences: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; the sentences can be left out."""


class Scoring(Options, Protocol[T]):
    """What counts, as options."""

    def said(self) -> str:
        """For protocols: how scores are taken."""

    def score(self, gold: Iterable[T], found: Iterable[T], *, failed: Sequence[bool] | None = None) -> Scores:
        """Score trees pair by pair. `failed`: given where a parser made them from the gold words, and says
        which are substitutes for parses that it did not find."""


# By the name of an annotation.
SCORING: dict[str, type[Any]] = {
    formats.PHRASES: PhraseScoring,
    formats.DISCONTINUOUS: DiscontinuousScoring,
    formats.DEPENDENCIES: DependencyScoring,
}
