"""Evaluation: a whole corpus scored, sentence by sentence, and summed up as the user asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from secateur.errors import InputError
from secateur.metrics.evalb.counts import Counts, sum_counts
from secateur.metrics.evalb.parameters import COLLINS, Parameters
from secateur.metrics.evalb.score import Brackets, SentenceScore, score
from secateur.metrics.lengths import BINS, class_name, length_classes
from secateur.treebanks.tree import Tree


class LengthRow(NamedTuple):
    """The sentences of `first` to `last` words; the last row has no upper end."""

    first: int
    last: int | None
    counts: Counts

    @property
    def name(self) -> str:
        return class_name(self.first, self.last)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of all sentences, in order."""

    parameters: Parameters
    sentences: tuple[SentenceScore, ...]

    @property
    def protocol(self) -> str:
        """One line that says how the numbers were computed."""
        return self.parameters.protocol()

    @property
    def total(self) -> Counts:
        """The sum over all sentences."""
        return sum_counts(sentence.counts for sentence in self.sentences)

    @property
    def up_to_cutoff(self) -> Counts:
        """The sum over sentences no longer than the parameters' cutoff."""
        cutoff = self.parameters.cutoff
        return sum_counts(s.counts for s in self.sentences if s.counts.length <= cutoff)

    @property
    def nothing_scored(self) -> bool:
        """Whether there is no sentence that was scored, so that the figures mean nothing."""
        return self.total.valid == 0

    @property
    def too_many_errors(self) -> bool:
        """Whether the plain program would have given up without printing totals."""
        return self.total.errors > self.parameters.max_error + 1

    def by_length(self, bins: Sequence[int] = BINS) -> list[LengthRow]:
        """One row per length class that has sentences; `bins` are the longest lengths of all but the last."""
        return [
            LengthRow(first, last, sum_counts(self.sentences[number].counts for number in numbers))
            for first, last, numbers in length_classes((s.counts.length for s in self.sentences), bins)
            if numbers
        ]

    def to_dict(self, *, sentences: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; the sentences can be left out."""
        found: dict[str, Any] = {
            "protocol": self.protocol,
            "total": self.total.to_dict(),
            "cutoff": self.parameters.cutoff,
            "up_to_cutoff": self.up_to_cutoff.to_dict(),
        }
        if sentences:
            found["sentences"] = [sentence.to_dict() for sentence in self.sentences]
        return found


def evaluate(
    golds: Iterable[Tree | Brackets],
    tests: Iterable[Tree | Brackets],
    parameters: Parameters = COLLINS,
    *,
    failed: Iterable[bool] = (),
) -> Evaluation:
    """Score parses against gold trees, pair by pair; `failed` marks substitutes for parses not found."""
    marks = iter(failed)
    pairs = zip_longest(golds, tests)
    found: list[SentenceScore] = []
    for gold, test in pairs:
        if gold is None or test is None:
            short, rest = len(found), 1 + sum(1 for _ in pairs)
            counts = (short, short + rest) if gold is None else (short + rest, short)
            raise InputError(
                f"{counts[0]} gold trees but {counts[1]} trees to score",
                fix="give one tree per gold tree, in the same order",
            )
        try:
            found.append(score(gold, test, parameters, failed=next(marks, False)))
        except InputError as error:
            raise InputError(f"sentence {len(found) + 1}: {error.what}", fix=error.fix) from None
    return Evaluation(parameters, tuple(found))
