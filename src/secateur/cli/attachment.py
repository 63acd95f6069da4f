"""What `secateur evaluate` does with dependencies: attachment scores of one file against another."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from secateur import formats
from secateur.cli import inputs
from secateur.cli.terminal import print_json, print_table

if TYPE_CHECKING:
    from secateur.metrics import AttachmentScores

# Rows of the report: what people call a field of Attachment.
FIGURES = {
    "sentences": "sentences",
    "words": "words that count",
    "uas": "UAS",
    "las": "LAS",
    "complete_match": "complete match, %",
    "complete_labelled_match": "complete with labels, %",
}


class Punctuation(StrEnum):
    include = "include"
    tag = "tag"
    characters = "characters"


class Show(NamedTuple):
    """What to show of the scores."""

    by_length: bool
    sentences: bool
    seed: int
    json: bool


def compare(
    gold: formats.Opened, parsed: formats.Opened, punctuation: Punctuation | None, subtypes: bool
) -> AttachmentScores:
    """The scores of one file; several roots are no fault here."""
    from secateur import metrics

    with inputs.located(parsed.name):
        return metrics.attachment(
            gold.dependencies(several_roots=True),
            parsed.dependencies(several_roots=True),
            punctuation=(punctuation or Punctuation.include).value,
            subtypes=subtypes,
        )


def report(scores: AttachmentScores, show: Show) -> None:
    intervals = {name: scores.confidence(labelled=name == "las", seed=show.seed) for name in ("uas", "las")}
    if show.json:
        found = {**scores.to_dict(sentences=show.sentences), "confidence": intervals}
        if show.by_length:
            found["by_length"] = {row.name: row.counts.to_dict() for row in scores.by_length()}
        print_json(found)
        return
    print(f"protocol: {scores.protocol}")
    if show.sentences:
        print()
        print_table(
            ["sentence", "length", "words that count", "right heads", "and labels"],
            ((n, s.length, s.words, s.heads, s.labelled) for n, s in enumerate(scores.sentences, 1)),
        )
    print()
    total = scores.total
    print_table(["", "all"], ((name, getattr(total, field)) for field, name in FIGURES.items()))
    for name, interval in intervals.items():
        print("95% confidence of {}: {:.2f} to {:.2f}".format(name.upper(), *interval))
    if show.by_length:
        print()
        rows = (
            (row.name, row.counts.sentences, row.counts.uas, row.counts.las) for row in scores.by_length()
        )
        print_table(["words", "sentences", "UAS", "LAS"], rows)
