"""Attachment scores of dependency parses: how many words have the right head (UAS), and label too (LAS).

Whether punctuation counts, and what is punctuation, changes the figures by a point or more, so that every
result says it. By tag, a word is punctuation if its gold tags say so; by characters, if all of its characters
are punctuation in Unicode (so % is, but `` and -LRB- are not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar, Literal
from unicodedata import category

from secateur.errors import InputError
from secateur.metrics.additive import Additive, Percent
from secateur.metrics.bootstrap import confidence
from secateur.metrics.corpus import CorpusScores, paired
from secateur.metrics.evalb.counts import Counts
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
class Attachment(Additive):
    """Additive counts; every figure of a corpus follows from their sum."""

    FIGURES: ClassVar[str] = "uas las complete_match complete_labelled_match"

    sentences: int = 0
    length: int = 0  # words, punctuation included
    words: int = 0  # those that count
    heads: int = 0  # words with the right head
    labelled: int = 0  # words with the right head and label
    complete: int = 0  # sentences in which all words that count have the right head
    complete_labelled: int = 0  # and label

    uas = Percent("heads", "words")
    las = Percent("labelled", "words")
    complete_match = Percent("complete", "sentences")
    complete_labelled_match = Percent("complete_labelled", "sentences")


sum_attachments = Attachment.sum


@dataclass(frozen=True, slots=True)
class AttachmentScores(CorpusScores[Attachment]):
    """The counts of all sentences, in order, and how they were taken."""

    COUNTED: ClassVar[type[Attachment]] = Attachment
    SUMMARY: ClassVar[str] = "sentences words uas las complete_match complete_labelled_match"

    punctuation: Punctuation
    subtypes: bool
    sentences: tuple[Attachment, ...]

    @property
    def protocol(self) -> str:
        labels = "labels whole" if self.subtypes else "labels without subtypes (up to the first colon)"
        return f"attachment, {_IN_WORDS[self.punctuation]}, {labels}, all lengths"

    @property
    def counts(self) -> Sequence[Attachment]:
        return self.sentences

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

    def as_brackets(self, *, labelled: bool = False) -> list[Counts]:
        """Every sentence as if each word were a bracket: F1 is UAS or LAS, for intervals and tests."""
        return [
            Counts(gold=each.words, test=each.words, matched=each.labelled if labelled else each.heads)
            for each in self.sentences
        ]


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
    for number, (right, tried) in enumerate(paired(gold, parsed, what="sentence"), 1):
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
