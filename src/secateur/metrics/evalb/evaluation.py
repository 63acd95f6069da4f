"""Evaluation: a whole corpus scored, sentence by sentence, and summed up as the user asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from secateur.metrics.bootstrap import confidence
from secateur.metrics.corpus import BracketScores, score_trees
from secateur.metrics.evalb.counts import Counts
from secateur.metrics.evalb.parameters import COLLINS, Parameters, read_parameters
from secateur.metrics.evalb.score import Brackets, SentenceScore, score
from secateur.metrics.table import Table
from secateur.options import option
from secateur.treebanks.tree import Tree


@dataclass(frozen=True, slots=True)
class Evaluation(BracketScores[Counts]):
    """The scores of all sentences, in order."""

    COUNTED: ClassVar[type[Counts]] = Counts
    SUMMARY: ClassVar[str] = """
        sentences errors skipped failures recall precision f1 complete_match average_crossing
        without_crossing tag_accuracy
    """

    parameters: Parameters
    sentences: tuple[SentenceScore, ...]

    @property
    def counts(self) -> Sequence[Counts]:
        return [sentence.counts for sentence in self.sentences]

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
        return confidence(self.counts, seed=seed)

    def figures(self) -> dict[str, float]:
        return {"F1": self.total.f1}

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        return {"F1": self.interval(seed)}

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

    @property
    def too_many_errors(self) -> bool:
        """Whether the plain program would have given up without printing totals."""
        return self.total.errors > self.parameters.max_error + 1


def evaluate(
    golds: Iterable[Tree | Brackets],
    tests: Iterable[Tree | Brackets],
    parameters: Parameters = COLLINS,
    *,
    failed: Iterable[bool] = (),
) -> Evaluation:
    """Score parses against gold trees, pair by pair; `failed` marks substitutes for parses not found."""

    def scored(gold: Tree | Brackets, test: Tree | Brackets, failed: bool) -> SentenceScore:
        return score(gold, test, parameters, failed=failed)

    return Evaluation(parameters, score_trees(golds, tests, failed, scored))


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
