"""Scores of discontinuous parses: labelled F1 of all brackets, and of those with a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import ClassVar

from secateur.metrics.additive import Additive, percent
from secateur.metrics.bootstrap import confidence
from secateur.metrics.corpus import BracketScores, score_trees
from secateur.metrics.evalb.counts import Counts
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
class Matches(Additive):
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
            "exact_match": percent(self.exact, self.scored),
            "discontinuous_recall": gapped.recall,
            "discontinuous_precision": gapped.precision,
            "discontinuous_f1": gapped.f1,
            "discontinuous_exact_match": percent(self.gapped_exact, self.gapped),
            "tag_accuracy": percent(self.tags, self.words),
            "coverage": percent(self.sentences - self.failures, self.sentences),
        }


sum_matches = Matches.sum


@dataclass(frozen=True, slots=True)
class DiscontinuousScores(BracketScores[Matches]):
    """The counts of all sentences, in order, and how they were taken."""

    COUNTED: ClassVar[type[Matches]] = Matches
    SUMMARY: ClassVar[str] = """
        sentences errors failures coverage gold test recall precision f1 exact_match gapped_gold
        gapped_test discontinuous_recall discontinuous_precision discontinuous_f1
        discontinuous_exact_match tag_accuracy
    """

    parameters: DiscontinuousParameters
    sentences: tuple[Matches, ...]

    @property
    def counts(self) -> Sequence[Matches]:
        return self.sentences

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


def discontinuous(
    golds: Iterable[Tree],
    tests: Iterable[Tree],
    parameters: DiscontinuousParameters = PROPER,
    *,
    failed: Iterable[bool] = (),
) -> DiscontinuousScores:
    """Score parses against gold trees, pair by pair; `failed` marks substitutes for parses not found."""

    def scored(gold: Tree, test: Tree, failed: bool) -> Matches:
        return _score(gold, test, parameters, failed)

    return DiscontinuousScores(parameters, score_trees(golds, tests, failed, scored))


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
