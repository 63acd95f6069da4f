"""secateur evaluate: trees, a grammar or a model against gold trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from secateur.cli import inputs
from secateur.cli.options import Dial, Jobs, Json, Quiet, Seed, Source
from secateur.cli.settings import chosen, one_tree, settings_of
from secateur.cli.spread import Given
from secateur.cli.terminal import err, print_json, print_table, watching
from secateur.errors import InputError
from secateur.metrics.scores import SCORING
from secateur.treebanks.annotation import read_files
from secateur.treebanks.reading import annotation_of

if TYPE_CHECKING:
    from secateur.metrics.scores import Scores, Scoring
    from secateur.models.model import Model
    from secateur.treebanks.bank import Bank

RUNS = 2  # timing runs of each point, after the one that is scored


class By(StrEnum):
    length = "length"


class Show(NamedTuple):
    """What to show of the scores."""

    by_length: bool
    sentences: bool
    seed: int
    json: bool
    quiet: bool


def evaluate(
    gold: Annotated[
        str,
        typer.Argument(help="Gold trees; or a model or grammar, which then parses the sentences of PARSED."),
    ],
    parsed: Annotated[
        str, typer.Argument(help="Trees to score; or the gold trees, if a model or grammar comes first.")
    ],
    *,
    points: Annotated[
        str | None, typer.Option("--points", help="Points of a model: all of its frontier, or names: a,b.")
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Break the scores down by sentence length.")] = None,
    sentences: Annotated[bool, typer.Option("--sentences", help="The counts of each sentence too.")] = False,
    dial: Dial,
    using: Given,
    reading: Given,
    scoring: Given,
    source: Source,
    jobs: Jobs = 1,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score trees as they stand; or a model or grammar on gold trees, read as those that it was trained on.

    Phrases get EVALB's scores, discontinuous ones those over position sets, dependencies UAS and LAS. A model
    is scored at one setting of its dial or several, as in --budget 500wps,2000wps or --points all.
    """
    show = Show(by is not None, sentences, seed, json, quiet)
    if not inputs.is_model(gold, encoding=source.encoding):
        using.none("there is no model here")
        reading.none("two files are scored as they stand")
        if dial or points:
            fix = "name a model first, or leave the setting out"
            raise InputError("only a model has a dial", where=gold, fix=fix)
        _report(_compared(gold, parsed, source, scoring), show)
        return
    settings = settings_of(dial, points)
    if sentences and len(settings) != 1 and not json:
        raise typer.BadParameter("--sentences is for one setting of the dial")
    model = inputs.read_model(gold)
    annotation = model.kind.annotation
    own = reading.of(annotation.name)
    how = annotation.reading(**own) if own else annotation.reading.from_notes(model.settings)
    judge = SCORING[annotation.name](**scoring.of(annotation.name))
    bank = read_files(annotation, [source.opened(parsed)], how)
    parsing = one_tree(model.kind, using)
    rows = _rows(gold, model, bank, settings, judge, parsing, jobs, quiet)
    said = [how.said(), replace(model.kind.measured(model.settings), **parsing).said()]
    _report_rows(gold, model, rows, said, show)


# Two files --------------------------------------------------------------------------------------------------


def _compared(gold: str, parsed: str, source: Source, scoring: Given) -> Scores:
    """The trees of one file against those of another, as they stand."""
    if gold == parsed == "-":
        raise typer.BadParameter("only one of the two can come from standard input")
    if inputs.is_model(parsed, encoding=source.encoding):
        fix = "name the model or grammar first, then the gold trees"
        raise InputError("this is something to parse with", where=parsed, fix=fix)
    right, found = source.opened(gold), source.opened(parsed)
    annotation = annotation_of([right, found])
    judge: Scoring[Any] = SCORING[annotation.name](**scoring.of(annotation.name))
    with inputs.located(found.name):
        scores = judge.score(annotation.trees(right, None), annotation.trees(found, None, empty=True))
        if scores.nothing_scored:
            fix = "check that these are parses of the same sentences, in the same order"
            raise InputError("no sentence could be scored: " + "; ".join(scores.remarks()), fix=fix)
    return scores


# A model ----------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A model at one setting of its dial."""

    setting: str
    point: str
    scores: Scores
    words_per_second: float | None  # None where several processes parsed
    work: float  # in millions of the kind's unit, per sentence
    kept: float
    failures: int


def _rows(
    path: str,
    model: Model[Any, Any],
    bank: Bank[Any],
    settings: Sequence[Dial],
    judge: Scoring[Any],
    using: dict[str, Any],
    jobs: int,
    quiet: bool,
) -> list[Row]:
    asked = chosen(path, model, settings)
    rows: dict[str, Row] = {}
    for setting, name in asked:
        if name not in rows:  # two settings may lead to one point
            rows[name] = _row(setting, name, model, bank, judge, using, jobs, quiet)
    return [rows[name]._replace(setting=setting) for setting, name in asked]


def _row(
    setting: str,
    name: str,
    model: Model[Any, Any],
    bank: Bank[Any],
    judge: Scoring[Any],
    using: dict[str, Any],
    jobs: int,
    quiet: bool,
) -> Row:
    from secateur.models.measure import clock, measured, tried
    from secateur.models.parse import cores

    parser, watch = model.measured_parser(name, **using), watching(quiet)
    with inputs.located(bank.name):
        trial = tried(parser, bank, judge, jobs=cores(jobs), watch=watch, what=f"parsing at {name}")
    speed = None
    sentences = [parser.annotation.sentence(tree) for tree in bank]
    if cores(jobs) == 1:
        timing = clock({name: parser}, sentences, repeat=RUNS, watch=watch)[name]
        speed = trial.words / timing.best
    else:
        timing = trial.untimed
    point = measured(name, {}, parser, model.kind.figures, trial, timing)
    failed = sum(parse.failed or parse.fell_back for parse in trial.parses)
    return Row(setting, name, trial.scores, speed, point.work, point.kept, failed)


# Reports ----------------------------------------------------------------------------------------------------


def _report_rows(path: str, model: Model[Any, Any], rows: Sequence[Row], said: list[str], show: Show) -> None:
    from secateur.models.measure import clock_said

    protocol = ", ".join(filter(None, [rows[0].scores.protocol, *said]))
    if show.json:
        found = []
        for row in rows:
            own = row._asdict()
            own["result"] = {**_fields(own.pop("scores"), show), "protocol": protocol}
            found.append(own)
        print_json({"model": path, "protocol": protocol, "settings": found})
        return
    print(f"protocol: {protocol}")
    timed = rows[0].words_per_second is not None
    print(clock_said(RUNS) if timed else "words/s: not measured with several processes", end="\n\n")
    _print_rows(rows, model, show)
    if len(rows) == 1:
        _details(rows[0].scores, show)
        return
    if show.by_length:
        _lengths(rows, model.kind.figures.accuracy)
    if not show.quiet:
        for row in rows:
            for remark in row.scores.remarks():
                err.print(f"{row.point}: {remark}")


def _print_rows(rows: Sequence[Row], model: Model[Any, Any], show: Show) -> None:
    figures = model.kind.figures
    names = list(rows[0].scores.figures())
    columns = ["setting", "point", *names, "95% interval", "words/s", figures.per_sentence, figures.kept]
    cells = [
        (
            row.setting,
            row.point,
            *row.scores.figures().values(),
            "{:.2f}-{:.2f}".format(*row.scores.interval(show.seed)),
            round(row.words_per_second) if row.words_per_second else "-",
            f"{row.work:.4f}",
            f"{row.kept:.1%}",
            row.failures,
        )
        for row in rows
    ]
    named = all(row.setting in ("", f"--point {row.point}") for row in rows)
    print_table([*columns, figures.failures][named:], (row[named:] for row in cells))


def _lengths(rows: Sequence[Row], accuracy: str) -> None:
    """The accuracy of each setting, by length."""
    print(f"\n{accuracy} by length")
    tables = [row.scores.lengths().rows for row in rows]
    print_table(
        ["words", "sentences", *(row.setting for row in rows)],
        ((group[0][0], group[0][1], *(r[2] for r in group)) for group in zip(*tables, strict=True)),
    )


def _report(scores: Scores, show: Show) -> None:
    if show.json:
        print_json(_fields(scores, show))
        return
    print(f"protocol: {scores.protocol}")
    _details(scores, show)


def _fields(scores: Scores, show: Show) -> dict[str, object]:
    """The scores for machines."""
    found = {
        **scores.to_dict(sentences=show.sentences),
        "accuracy": scores.accuracy,
        "confidence": scores.intervals(show.seed),
    }
    if show.by_length:
        found["by_length"] = {row.name: row.counts.to_dict() for row in scores.by_length()}
    return found


def _details(scores: Scores, show: Show) -> None:
    """The scores for people."""
    if show.sentences:
        print()
        print_table(*scores.each())
    print()
    print_table(*scores.summary())
    for name, (low, high) in scores.intervals(show.seed).items():
        print(f"95% confidence of {name}: {low:.2f} to {high:.2f}")
    if show.by_length:
        print()
        print_table(*scores.lengths())
    if not show.quiet:
        for remark in scores.remarks():
            err.print(remark)
