"""Scores of discontinuous parses: labelled F1 of all brackets, and of those with a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from operator import add, attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from secateur.errors import InputError
from secateur.metrics.bootstrap import confidence
from secateur.metrics.evalb.counts import Counts
from secateur.metrics.lengths import BINS, class_name, length_classes
from secateur.metrics.position_sets import (
    NO_PARSE,
    PROPER,
    DiscontinuousParameters,
    compare,
    read_discontinuous_parameters,
)
from secateur.metrics.table import Table
from secateur.options import option
from secateur.treebanks.tree import Tree


@dataclass(frozen=True, slots=True)
class Matches:
    """Additive counts; every figure of a corpus follows from their sum."""

    sentences: int = 0
    scored: int = 0  # with brackets to score: all, or those with a discontinuous one if only these count
    errors: int = 0  # sentences whose words do not agree with the gold words
    failures: int = 0  # without a parse: told by the caller, labelled NOPARSE, or without words
    retagged: int = 0  # where the parse's own tags would have left out other words than the gold tags
    length: int = 0  # words, punctuation included
    words: int = 0  # those that count
    tags: int = 0  # correct tags of these
    gold: int = 0  # brackets of the gold trees
    test: int = 0  # brackets of the parses
    matched: int = 0
    exact: int = 0  # sentences whose brackets all match
    gapped: int = 0  # sentences with a discontinuous bracket on either side
    gapped_gold: int = 0  # discontinuous brackets of the gold trees
    gapped_test: int = 0
    gapped_matched: int = 0
    gapped_exact: int = 0  # sentences with such brackets, which all match

    def __add__(self, other: Matches) -> Matches:
        return Matches(*map(add, _values(self), _values(other)))

    @property
    def all(self) -> Counts:
        """All brackets, with their precision, recall and F1."""
        return Counts(gold=self.gold, test=self.test, matched=self.matched)

    @property
    def discontinuous(self) -> Counts:
        """The discontinuous ones."""
        return Counts(gold=self.gapped_gold, test=self.gapped_test, matched=self.gapped_matched)

    def figures(self) -> dict[str, float]:
        """The figures that are not counts, by name."""
        both, gapped = self.all, self.discontinuous
        return {
            "recall": both.recall,
            "precision": both.precision,
            "f1": both.f1,
            "exact_match": _percent(self.exact, self.scored),
            "discontinuous_recall": gapped.recall,
            "discontinuous_precision": gapped.precision,
            "discontinuous_f1": gapped.f1,
            "discontinuous_exact_match": _percent(self.gapped_exact, self.gapped),
            "tag_accuracy": _percent(self.tags, self.words),
            "coverage": _percent(self.sentences - self.failures, self.sentences),
        }

    def to_dict(self) -> dict[str, float]:
        """Counts and figures, by name."""
        return dict(zip(_NAMES, _values(self), strict=True)) | self.figures()


_NAMES = tuple(field.name for field in fields(Matches))
_values = attrgetter(*_NAMES)


def sum_matches(counts: Iterable[Matches]) -> Matches:
    """The sum; of nothing, all zero."""
    return Matches(*map(sum, zip(*map(_values, counts), strict=True)))


# Rows of the summary: what people call a count or a figure.
_ROWS = {
    "sentences": "sentences",
    "errors": "errors (words differ)",
    "failures": "without a parse",
    "coverage": "coverage, %",
    "gold": "gold brackets",
    "test": "parsed brackets",
    "recall": "labelled recall",
    "precision": "labelled precision",
    "f1": "labelled F1",
    "exact_match": "exact match, %",
    "gapped_gold": "discontinuous gold brackets",
    "gapped_test": "discontinuous parsed brackets",
    "discontinuous_recall": "discontinuous recall",
    "discontinuous_precision": "discontinuous precision",
    "discontinuous_f1": "discontinuous F1",
    "discontinuous_exact_match": "discontinuous exact match, %",
    "tag_accuracy": "tag accuracy",
}


class MatchesRow(NamedTuple):
    """The sentences of some lengths."""

    name: str
    counts: Matches


@dataclass(frozen=True, slots=True)
class DiscontinuousScores:
    """The counts of all sentences, in order, and how they were taken."""

    parameters: DiscontinuousParameters
    sentences: tuple[Matches, ...]

    @property
    def protocol(self) -> str:
        """One line that says how the numbers were computed."""
        return self.parameters.protocol()

    @property
    def total(self) -> Matches:
        """The sum over all sentences."""
        return sum_matches(self.sentences)

    @property
    def up_to_cutoff(self) -> Matches:
        """The sum over sentences no longer than the parameters' cutoff."""
        cutoff = self.parameters.evalb.cutoff
        return sum_matches(each for each in self.sentences if each.length <= cutoff)

    @property
    def accuracy(self) -> float:
        """Labelled F1 of all brackets that count."""
        return self.total.all.f1

    @property
    def nothing_scored(self) -> bool:
        """Whether no sentence could be scored."""
        return self.total.scored == 0

    def interval(self, seed: int = 0) -> tuple[float, float]:
        """The 95% interval of F1 when the sentences are drawn again."""
        return confidence([each.all for each in self.sentences], seed=seed)

    def figures(self) -> dict[str, float]:
        total = self.total
        return {"F1": total.all.f1, "discontinuous F1": total.discontinuous.f1}

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        gapped = confidence([each.discontinuous for each in self.sentences], seed=seed)
        return {"F1": self.interval(seed), "discontinuous F1": gapped}

    def summary(self) -> Table:
        total, short = self.total.to_dict(), self.up_to_cutoff.to_dict()
        rows = [(name, total[field], short[field]) for field, name in _ROWS.items()]
        return Table(("", "all", f"<= {self.parameters.evalb.cutoff} words"), rows)

    def each(self) -> Table:
        named = ("length", "gold", "test", "matched", "gapped_gold", "gapped_test", "gapped_matched")
        columns = ["sentence", "length", "gold", "parsed", "matched"]
        columns += ["discontinuous gold", "parsed", "matched", "words", "right tags"]
        values = attrgetter(*named, "words", "tags")
        return Table(columns, [(n, *values(each)) for n, each in enumerate(self.sentences, 1)])

    def lengths(self) -> Table:
        rows = [
            (
                row.name,
                row.counts.sentences,
                *_dashed(row.counts.all, row.counts.scored),
                *_dashed(row.counts.discontinuous, row.counts.gapped)[:1],
            )
            for row in self.by_length()
        ]
        return Table(("words", "sentences", "F1", "recall", "precision", "discontinuous F1"), rows)

    def remarks(self) -> list[str]:
        total = self.total
        told = {
            "not scored: gold and parsed words differ": total.errors,
            "with other words tagged as punctuation than in gold: scored by gold tags": total.retagged,
        }
        return [f"{n:,} sentence{'s' * (n != 1)} {what}" for what, n in told.items() if n]

    def by_length(self, bins: Sequence[int] = BINS) -> list[MatchesRow]:
        """One row per length class that has sentences; `bins` are the longest lengths of all but the last."""
        return [
            MatchesRow(class_name(first, last), sum_matches(self.sentences[n] for n in numbers))
            for first, last, numbers in length_classes((each.length for each in self.sentences), bins)
            if numbers
        ]

    def to_dict(self, *, sentences: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; the sentences can be left out."""
        found: dict[str, Any] = {
            "protocol": self.protocol,
            "total": self.total.to_dict(),
            "cutoff": self.parameters.evalb.cutoff,
            "up_to_cutoff": self.up_to_cutoff.to_dict(),
        }
        if sentences:
            found["sentences"] = [each.to_dict() for each in self.sentences]
        return found


def discontinuous(
    golds: Iterable[Tree],
    tests: Iterable[Tree],
    parameters: DiscontinuousParameters = PROPER,
    *,
    failed: Iterable[bool] = (),
) -> DiscontinuousScores:
    """Score parses against gold trees, pair by pair; `failed` marks substitutes for parses not found."""
    marks = iter(failed)
    found: list[Matches] = []
    pairs = zip_longest(golds, tests)
    for number, (gold, test) in enumerate(pairs, 1):
        if gold is None or test is None:
            longer, shorter = number + sum(1 for _ in pairs), number - 1
            counts = (shorter, longer) if gold is None else (longer, shorter)
            raise InputError(
                f"{counts[0]} gold trees but {counts[1]} trees to score",
                fix="give one tree per gold tree, in the same order",
            )
        try:
            found.append(_score(gold, test, parameters, next(marks, False)))
        except InputError as error:
            raise InputError(f"sentence {number}: {error.what}", fix=error.fix) from None
    return DiscontinuousScores(parameters, tuple(found))


def _score(gold: Tree, test: Tree, parameters: DiscontinuousParameters, failed: bool) -> Matches:
    """A parse without words has no bracket and no tag right; a substitute is scored as it is."""
    right, found, retagged = compare(gold, test, parameters)
    missing = failed or not test.leaves() or any(node.label == NO_PARSE for node in test.nodes())
    told = Matches(sentences=1, failures=int(missing), retagged=int(retagged), length=right.length)
    if found is None:
        return told + Matches(errors=1)
    gapped_gold, gapped_test = right.discontinuous, found.discontinuous
    gapped = int(bool(gapped_gold or gapped_test))
    only = parameters.only
    brackets, others = (gapped_gold, gapped_test) if only else (right.brackets, found.brackets)
    scored = gapped if only else 1
    return told + Matches(
        scored=scored,
        words=len(right.words),
        tags=sum(a == b for a, b in zip(right.tags, found.tags, strict=False)),
        gold=brackets.total(),
        test=others.total(),
        matched=(brackets & others).total(),
        exact=int(brackets == others) * scored,
        gapped=gapped,
        gapped_gold=gapped_gold.total(),
        gapped_test=gapped_test.total(),
        gapped_matched=(gapped_gold & gapped_test).total(),
        gapped_exact=int(gapped_gold == gapped_test) * gapped,
    )


def _dashed(counts: Counts, sentences: int) -> tuple[object, ...]:
    return (counts.f1, counts.recall, counts.precision) if sentences else ("-", "-", "-")


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class DiscontinuousScoring:
    """What counts in discontinuous trees."""

    prm: Path | None = option(
        None, "A parameter file instead of the usual one, in which root and punctuation go."
    )
    all_nodes: bool = option(False, "All nodes count: root, preterminals and punctuation too.")

    def said(self) -> str:
        """For protocols: of parses of the gold words."""
        return self._parameters().protocol()

    def _parameters(self) -> DiscontinuousParameters:
        parameters = read_discontinuous_parameters(self.prm) if self.prm else PROPER
        return replace(parameters, all_nodes=self.all_nodes)

    def score(
        self, gold: Iterable[Tree], found: Iterable[Tree], *, failed: Sequence[bool] | None = None
    ) -> DiscontinuousScores:
        return discontinuous(gold, found, self._parameters(), failed=failed or ())
