"""Evaluation: a whole corpus scored, sentence by sentence, and summed up as the user asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from secateur.errors import InputError
from secateur.metrics.bootstrap import confidence
from secateur.metrics.evalb.counts import Counts, sum_counts
from secateur.metrics.evalb.parameters import COLLINS, Parameters, read_parameters
from secateur.metrics.evalb.score import Brackets, SentenceScore, score
from secateur.metrics.lengths import BINS, class_name, length_classes
from secateur.metrics.table import Table
from secateur.options import option
from secateur.treebanks.tree import Tree

# Rows of the summary: what people call a field of Counts.
_ROWS = {
    "sentences": "sentences",
    "errors": "errors (words differ)",
    "skipped": "skipped (no words)",
    "failures": "without a parse",
    "recall": "labelled recall",
    "precision": "labelled precision",
    "f1": "labelled F1",
    "complete_match": "complete match, %",
    "average_crossing": "crossing, per sentence",
    "without_crossing": "without crossing, %",
    "tag_accuracy": "tag accuracy",
}


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
    def accuracy(self) -> float:
        """Labelled F1."""
        return self.total.f1

    @property
    def nothing_scored(self) -> bool:
        """Whether no sentence could be scored."""
        return not any(sentence.counts.valid for sentence in self.sentences)

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """The 95% interval of F1 when the sentences are drawn again."""
        return confidence([sentence.counts for sentence in self.sentences], seed=seed)

    def figures(self) -> dict[str, float]:
        return {"F1": self.total.f1}

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        return {"F1": self.interval(seed)}

    def summary(self) -> Table:
        total, short = self.total, self.up_to_cutoff
        rows = [(name, getattr(total, field), getattr(short, field)) for field, name in _ROWS.items()]
        return Table(("", "all", f"<= {self.parameters.cutoff} words"), rows)

    def each(self) -> Table:
        columns = ["sentence", "status", "length", "gold", "parsed", "matched", "crossing", "words"]
        rows = [
            (n, s.status.name.lower(), c.length, c.gold, c.test, c.matched, c.crossing, c.words, c.tags)
            for n, (s, c) in enumerate(((s, s.counts) for s in self.sentences), 1)
        ]
        return Table([*columns, "right tags"], rows)

    def lengths(self) -> Table:
        rows = [
            (name, c.sentences, *((c.f1, c.recall, c.precision) if c.valid else ("-", "-", "-")))
            for name, c in ((row.name, row.counts) for row in self.by_length())
        ]
        return Table(("words", "sentences", "F1", "recall", "precision"), rows)

    def remarks(self) -> list[str]:
        told = {
            "not scored: gold and parsed words differ": self.total.errors,
            "with other words tagged as punctuation than in gold: scored by gold tags": self.total.retagged,
        }
        return [f"{n:,} sentence{'s' * (n != 1)} {what}" for what, n in told.items() if n]

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


@dataclass(frozen=True, slots=True)
class PhraseScoring:
    """What counts in phrase trees."""

    prm: Path | None = option(None, "An EVALB parameter file instead of COLLINS.prm.")

    def said(self) -> str:
        """For protocols: of parses of the gold words."""
        return self._parameters(parsed=True).protocol()

    def _parameters(self, *, parsed: bool) -> Parameters:
        """Where a parser was given the gold words, every sentence counts, whatever it tagged them."""
        return replace(read_parameters(self.prm) if self.prm else COLLINS, by_gold_tags=parsed)

    def score(
        self, gold: Iterable[Tree], found: Iterable[Tree], *, failed: Sequence[bool] | None = None
    ) -> Evaluation:
        parameters = self._parameters(parsed=failed is not None)
        return evaluate(gold, found, parameters, failed=failed or ())
