"""secateur evaluate: parses, a grammar or a model against gold trees."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from secateur.cli import attachment, inputs
from secateur.cli.attachment import Punctuation, Tags
from secateur.cli.bench import timed
from secateur.cli.frontier import chosen, settings_of
from secateur.cli.options import Dial, Encoding, From, Jobs, Json, Keep, Quiet, Seed, cores, refuse, with_dial
from secateur.cli.terminal import count, err, print_json, print_table, progress
from secateur.errors import InputError
from secateur.treebanks import formats
from secateur.treebanks.bank import Treebank
from secateur.treebanks.normalization import Normalization

if TYPE_CHECKING:
    from secateur.kinds.pcfg.model import Model
    from secateur.metrics import Evaluation, Parameters

# Rows of the report: what people call a field of Counts.
FIGURES = {
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


class By(StrEnum):
    length = "length"


@with_dial
def evaluate(
    gold: Annotated[
        str,
        typer.Argument(help="Gold trees; or a grammar or model, which then parses the sentences of PARSED."),
    ],
    parsed: Annotated[
        str, typer.Argument(help="Trees to score; or the gold trees, if a grammar or model comes first.")
    ],
    *,
    points: Annotated[
        str | None, typer.Option("--points", help="Points of a model: all of its frontier, or names: a,b.")
    ] = None,
    prm: Annotated[
        Path | None, typer.Option("--prm", help="An EVALB parameter file instead of COLLINS.prm.")
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Break the scores down by sentence length.")] = None,
    sentences: Annotated[bool, typer.Option("--sentences", help="The counts of each sentence too.")] = False,
    punctuation: Annotated[
        Punctuation | None,
        typer.Option("--punctuation", help="Of dependencies: counted, or left out by tag or by characters."),
    ] = None,
    subtypes: Annotated[
        bool | None,
        typer.Option("--subtypes/--no-subtypes", help="Of dependencies: labels whole, or up to the colon."),
    ] = None,
    tags: Annotated[
        Tags | None, typer.Option("--tags", help="Of a dependency model: gold ones, or its own tagger's.")
    ] = None,
    dial: Dial,
    keep: Keep = None,
    from_: From = None,
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """EVALB scores of parsed trees, as they stand; or of a grammar or model on a gold treebank, normalized.

    Dependencies (CoNLL-X or CoNLL-U) get attachment scores: UAS and LAS.

    A model is scored at one setting of its dial or several, as in --budget 500wps,2000wps or --points all.
    Without --keep, its gold trees are normalized as those that it was trained on.
    """
    from secateur import metrics
    from secateur.kinds.pcfg.model import load_model

    parameters = metrics.read_parameters(prm) if prm else metrics.COLLINS
    how = How(parameters, by, sentences, cores(jobs), seed, json, quiet)
    refuse({"--tags": tags is not None and not inputs.is_dependency_model(gold)}, "models of dependencies")
    of_dependencies = {"--punctuation": punctuation is not None, "--subtypes": subtypes is not None}
    if Path(gold).is_dir():
        settings = settings_of(dial, points)
        if sentences and len(settings) != 1 and not json:
            raise typer.BadParameter("--sentences is for one setting of the dial")
        if inputs.is_dependency_model(gold):
            refuse({"--prm": prm is not None, "--keep": bool(keep)}, "models of phrases")
            scoring = attachment.Scoring(punctuation, subtypes is not False, tags or Tags.gold)
            attachment.evaluate_model(
                gold,
                formats.opened(parsed, format=from_, encoding=encoding),
                settings,
                scoring,
                attachment.Show(by is not None, sentences, seed, json, quiet),
                cores(jobs),
            )
            return
        refuse(of_dependencies, "files of dependencies")
        model = load_model(gold)
        steps = inputs.normalization(keep) if keep else model.normalization
        treebank = inputs.read_treebank([parsed], format=from_, encoding=encoding, steps=steps)
        _report_rows(gold, _rows(gold, model, treebank, settings, how), how.normalized(steps), how)
        return
    if dial or points:
        fix = "name a model first, or leave the setting out"
        raise InputError("only a model has a dial", where=gold, fix=fix)
    protocol = parameters.protocol()
    if inputs.is_grammar(gold, encoding=encoding):
        refuse(of_dependencies, "files of dependencies")
        steps = inputs.normalization(keep)
        golds, tests, failed = _parse(gold, parsed, steps, from_, encoding, how)
        with inputs.located(parsed):
            result = metrics.evaluate(golds, tests, parameters, failed=failed)
        protocol = how.normalized(steps)
    elif keep:
        raise typer.BadParameter("--keep is for a grammar's gold trees; two files are scored as they stand")
    else:
        golds = _opened(gold, parsed, from_, encoding)
        if golds.has_dependencies:
            refuse({"--prm": prm is not None}, "files of trees")
            tests = formats.opened(parsed, format=from_, encoding=encoding)
            scores = attachment.compare(golds, tests, punctuation, subtypes is not False)
            attachment.report(scores, attachment.Show(by is not None, sentences, seed, json, quiet))
            return
        refuse(of_dependencies, "files of dependencies")
        with inputs.located(parsed):
            result = _compare(golds, parsed, encoding, parameters)
    if json:
        print_json({**_fields(result, how), "protocol": protocol})
        return
    print(f"protocol: {protocol}")
    _report(result, how)


class How(NamedTuple):
    """How to score, and what to show of it."""

    parameters: Parameters
    by: By | None
    sentences: bool
    jobs: int
    seed: int
    json: bool
    quiet: bool

    def interval(self, result: Evaluation) -> tuple[float, float]:
        """95% confidence of F1."""
        from secateur import metrics

        return metrics.confidence([sentence.counts for sentence in result.sentences], seed=self.seed)

    def normalized(self, steps: Normalization) -> str:
        """The protocol where gold trees are normalized."""
        return f"{self.parameters.protocol()}, gold normalized ({', '.join(steps.steps) or 'no step'})"


# A model ----------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A model at one setting of its dial."""

    setting: str
    point: str
    result: Evaluation
    words_per_second: float | None  # None where several processes parsed
    mpush: float  # mega-pushes per sentence


def _rows(path: str, model: Model, treebank: Treebank, settings: list[Dial], how: How) -> list[Row]:
    from secateur.kinds.pcfg.parser import model_parser

    asked = chosen(path, model, settings)
    rows: dict[str, Row] = {}
    for setting, name in asked:
        if name not in rows:  # two settings may lead to one point
            rows[name] = _row(setting, name, model_parser(model, name), treebank, how)
    return [rows[name]._replace(setting=setting) for setting, name in asked]


def _row(setting: str, name: str, parser: Any, treebank: Treebank, how: How) -> Row:
    from secateur import metrics

    words = [tree.words() for tree in treebank]
    if not words:
        raise InputError("no trees", where=treebank.name, fix="give a treebank")
    speed, doing = None, f"parsing at {name}"
    if how.jobs == 1:
        parser.parse(words[0])  # loads the kernels before the clock starts
        times, parses = timed(parser, progress(words, doing, total=len(words), quiet=how.quiet))
        speed = sum(map(len, words)) / max(sum(times), 1e-9)
    else:
        found = parser.pipe(words, jobs=how.jobs)
        parses = list(progress(found, doing, total=len(words), quiet=how.quiet))
    trees, failed = [parse.tree for parse in parses], [parse.failed for parse in parses]
    with inputs.located(treebank.name):
        result = metrics.evaluate(treebank, trees, how.parameters, failed=failed)
    return Row(setting, name, result, speed, sum(parse.work.pushes for parse in parses) / len(parses) / 1e6)


def _report_rows(model: str, rows: Sequence[Row], protocol: str, how: How) -> None:
    if how.json:
        found = [
            {**row._asdict(), "result": {**_fields(row.result, how), "protocol": protocol}} for row in rows
        ]
        print_json({"model": model, "protocol": protocol, "settings": found})
        return
    print(f"protocol: {protocol}")
    if len(rows) == 1:
        (row,) = rows
        speed = (
            f"{row.words_per_second:,.0f} words/s (CPU time on one core), " if row.words_per_second else ""
        )
        print(f"setting: {row.setting}, point {row.point}, {speed}{row.mpush:.4f} Mpush/sentence")
        _report(row.result, how)
        return
    measured = "CPU time on one core" if rows[0].words_per_second else "not measured with several processes"
    print(f"words/s: {measured}\n")
    _print_rows(rows, how)
    if how.by:
        print("\nF1 by length")
        lengths = zip(*(row.result.by_length() for row in rows), strict=True)
        print_table(
            ["words", "sentences", *(row.setting for row in rows)],
            ((group[0].name, group[0].counts.sentences, *(r.counts.f1 for r in group)) for group in lengths),
        )


def _print_rows(rows: Sequence[Row], how: How) -> None:
    columns = [
        "setting",
        "point",
        "F1",
        "95% interval",
        "words/s",
        "Mpush/sentence",
        "without a parse",
        "errors",
    ]
    cells = [
        (
            row.setting,
            row.point,
            row.result.total.f1,
            "{:.2f}-{:.2f}".format(*how.interval(row.result)),
            round(row.words_per_second) if row.words_per_second else "-",
            f"{row.mpush:.4f}",
            row.result.total.failures,
            row.result.total.errors,
        )
        for row in rows
    ]
    named = all(row.setting == f"--point {row.point}" for row in rows)
    print_table(columns[named:], (row[named:] for row in cells))


# A grammar, or two files ------------------------------------------------------------------------------------


def _parse(
    grammar: str, gold: str, steps: Normalization, format: str | None, encoding: str, how: How
) -> tuple[Any, Any, Any]:
    from secateur.kinds.pcfg.parser import Parser

    treebank = inputs.read_treebank([gold], format=format, encoding=encoding, steps=steps)
    parser = Parser(inputs.read_grammar(grammar))
    found = parser.pipe((tree.words() for tree in treebank), jobs=how.jobs)
    parses = list(progress(found, "parsing", total=len(treebank), quiet=how.quiet))
    return treebank, [parse.tree for parse in parses], [parse.failed for parse in parses]


def _opened(gold: str, parsed: str, format: str | None, encoding: str) -> formats.Opened:
    """The gold file of two that are compared."""
    if gold == parsed == "-":
        raise typer.BadParameter("only one of the two can come from standard input")
    if inputs.is_grammar(parsed, encoding=encoding):
        raise InputError("this is a grammar", where=parsed, fix="name the grammar first, then the gold trees")
    return formats.opened(gold, format=format, encoding=encoding)


def _compare(gold: formats.Opened, parsed: str, encoding: str, parameters: Any) -> Any:
    """As they stand: EVALB itself knows function tags and traces."""
    from secateur import metrics

    lines = formats.source.lines(parsed, encoding=encoding)
    name = formats.source.name_of(parsed)
    tests = formats.brackets.read(lines, name=name, empty=True)
    return metrics.evaluate(gold.trees(), tests, parameters)


def _fields(result: Evaluation, how: How) -> dict[str, Any]:
    """The scores for machines."""
    found = {**result.to_dict(sentences=how.sentences), "confidence": how.interval(result)}
    if how.by:
        found["by_length"] = {row.name: row.counts.to_dict() for row in result.by_length()}
    return found


def _report(result: Evaluation, how: How) -> None:
    """The scores for people."""
    if how.sentences:
        print()
        print_table(
            ["sentence", "status", "length", "gold", "parsed", "matched", "crossing", "words", "right tags"],
            (
                (n, s.status.name.lower(), c.length, c.gold, c.test, c.matched, c.crossing, c.words, c.tags)
                for n, (s, c) in enumerate(((s, s.counts) for s in result.sentences), 1)
            ),
        )
    print()
    total, short = result.total, result.up_to_cutoff
    print_table(
        ["", "all", f"<= {result.parameters.cutoff} words"],
        ((name, getattr(total, field), getattr(short, field)) for field, name in FIGURES.items()),
    )
    print("95% confidence of F1 (all): {:.2f} to {:.2f}".format(*how.interval(result)))
    if how.by:
        print()
        rows = (
            (row.name, row.counts.sentences, row.counts.f1, row.counts.recall, row.counts.precision)
            for row in result.by_length()
        )
        print_table(["words", "sentences", "F1", "recall", "precision"], rows)
    if total.errors and not how.quiet:
        err.print(f"{count(total.errors, 'sentence')} not scored: gold and parsed words differ")
