"""What `secateur evaluate` does with dependencies: attachment scores of a file, or of a model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from secateur.cli import inputs
from secateur.cli.frontier import chosen
from secateur.cli.options import Dial
from secateur.cli.terminal import print_json, print_table, progress
from secateur.treebanks import formats
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.dependency_tree import DependencyTree

if TYPE_CHECKING:
    from secateur.kinds.arcs.model import DependencyModel
    from secateur.kinds.arcs.parser import ArcParser
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
    quiet: bool


class Tags(StrEnum):
    gold = "gold"
    predicted = "predicted"


class Scoring(NamedTuple):
    """What counts, and with which tags a model parses."""

    punctuation: Punctuation | None
    subtypes: bool
    tags: Tags

    def of(self, gold: Iterable[DependencyTree], parsed: Iterable[DependencyTree]) -> AttachmentScores:
        from secateur import metrics

        return metrics.attachment(
            gold,
            parsed,
            punctuation=(self.punctuation or Punctuation.include).value,
            subtypes=self.subtypes,
        )


# Two files --------------------------------------------------------------------------------------------------


def compare(
    gold: formats.Opened, parsed: formats.Opened, punctuation: Punctuation | None, subtypes: bool
) -> AttachmentScores:
    """The scores of one file; several roots are no fault here."""
    with inputs.located(parsed.name):
        return Scoring(punctuation, subtypes, Tags.gold).of(
            gold.dependencies(several_roots=True), parsed.dependencies(several_roots=True)
        )


def report(scores: AttachmentScores, show: Show) -> None:
    if show.json:
        print_json(_fields(scores, show))
        return
    print(f"protocol: {scores.protocol}")
    _report(scores, show)


def _intervals(scores: AttachmentScores, show: Show) -> dict[str, tuple[float, float]]:
    return {name: scores.confidence(labelled=name == "las", seed=show.seed) for name in ("uas", "las")}


def _fields(scores: AttachmentScores, show: Show) -> dict[str, Any]:
    """The scores for machines."""
    found = {**scores.to_dict(sentences=show.sentences), "confidence": _intervals(scores, show)}
    if show.by_length:
        found["by_length"] = {row.name: row.counts.to_dict() for row in scores.by_length()}
    return found


def _report(scores: AttachmentScores, show: Show) -> None:
    """The scores for people."""
    if show.sentences:
        print()
        print_table(
            ["sentence", "length", "words that count", "right heads", "and labels"],
            ((n, s.length, s.words, s.heads, s.labelled) for n, s in enumerate(scores.sentences, 1)),
        )
    print()
    total = scores.total
    print_table(["", "all"], ((name, getattr(total, field)) for field, name in FIGURES.items()))
    for name, interval in _intervals(scores, show).items():
        print("95% confidence of {}: {:.2f} to {:.2f}".format(name.upper(), *interval))
    if show.by_length:
        print()
        rows = (
            (row.name, row.counts.sentences, row.counts.uas, row.counts.las) for row in scores.by_length()
        )
        print_table(["words", "sentences", "UAS", "LAS"], rows)


# A model ----------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A model at one setting of its dial."""

    setting: str
    point: str
    scores: AttachmentScores
    words_per_second: float | None  # None where several jobs parsed
    templates: float  # per sentence
    kept: float  # share of the templates that full features take
    fell_back: int


def evaluate_model(
    path: str, gold: formats.Opened, settings: Sequence[Dial], scoring: Scoring, show: Show, jobs: int
) -> None:
    """Score a model on gold sentences at some settings of its dial; none: all points of its frontier."""
    from secateur.kinds.arcs.model import load_dependency_model

    model = load_dependency_model(path)
    trees = DependencyBank(gold.dependencies(several_roots=True), name=gold.name)
    asked = chosen(path, model, settings)
    rows: dict[str, Row] = {}
    for setting, name in asked:
        if name not in rows:  # two settings may lead to one point
            rows[name] = _row(setting, name, model, trees, scoring, jobs, quiet=show.quiet)
    found = [rows[name]._replace(setting=setting) for setting, name in asked]
    _report_rows(path, found, f"{found[0].scores.protocol}, {scoring.tags.value} tags", show)


def _row(
    setting: str,
    name: str,
    model: DependencyModel,
    gold: DependencyBank,
    scoring: Scoring,
    jobs: int,
    *,
    quiet: bool,
) -> Row:
    from secateur.kinds.arcs.parser import ArcParser

    parser = ArcParser(model, name, retag=scoring.tags is Tags.predicted)
    found = parser.pipe(gold, jobs=jobs)
    parses = list(progress(found, f"parsing at {name}", total=len(gold), quiet=quiet))
    with inputs.located(gold.name):
        scores = scoring.of(gold, (parse.tree for parse in parses))
    whole = model.whole
    full = sum(whole.full_cost(whole.encode(p.tree.words, p.tree.tags, p.tree.coarse)) for p in parses)
    computed = sum(parse.work.features for parse in parses)
    return Row(
        setting,
        name,
        scores,
        _speed(parser, gold) if jobs == 1 else None,
        computed / len(gold),
        computed / max(full, 1),
        sum(parse.fell_back for parse in parses),
    )


def _speed(parser: ArcParser, gold: DependencyBank) -> float:
    """Words/s in a second run: the first also looks every new word up, at the first point alone."""
    started = time.process_time()
    for _ in parser.pipe(gold):  # no parse is kept: with many alive, the interpreter's collector is timed
        pass
    return sum(gold.lengths()) / max(time.process_time() - started, 1e-9)


def _report_rows(model: str, rows: Sequence[Row], protocol: str, show: Show) -> None:
    if show.json:
        found = []
        for row in rows:
            own = row._asdict()
            own["result"] = {**_fields(own.pop("scores"), show), "protocol": protocol}
            found.append(own)
        print_json({"model": model, "protocol": protocol, "settings": found})
        return
    print(f"protocol: {protocol}")
    measured = "CPU time on one core" if rows[0].words_per_second else "not measured with several jobs"
    print(f"words/s: {measured}\n")
    columns = ["setting", "point", "UAS", "95% interval", "LAS", "words/s", "templates/sentence", "templates"]
    cells = [
        (
            row.setting,
            row.point,
            row.scores.uas,
            "{:.2f}-{:.2f}".format(*row.scores.confidence(seed=show.seed)),
            row.scores.las,
            round(row.words_per_second) if row.words_per_second else "-",
            round(row.templates),
            f"{row.kept:.1%}",
            row.fell_back,
        )
        for row in rows
    ]
    named = all(row.setting == f"--point {row.point}" for row in rows)
    print_table([*columns, "fell back"][named:], (row[named:] for row in cells))
    if len(rows) == 1:
        _report(rows[0].scores, show)
    elif show.by_length:
        print("\nUAS by length")
        lengths = zip(*(row.scores.by_length() for row in rows), strict=True)
        print_table(
            ["words", "sentences", *(row.setting for row in rows)],
            ((group[0].name, group[0].counts.sentences, *(r.counts.uas for r in group)) for group in lengths),
        )
