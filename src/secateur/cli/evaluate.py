"""secateur evaluate: parses against gold trees."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import STEPS, Encoding, From, Jobs, Json, Keep, Quiet, Seed, cores
from secateur.cli.terminal import count, err, print_json, print_table, progress
from secateur.errors import InputError

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


def evaluate(
    gold: Annotated[
        str, typer.Argument(help="Gold trees; or a grammar, which then parses the sentences of PARSED.")
    ],
    parsed: Annotated[
        str, typer.Argument(help="Trees to score; or the gold trees, if a grammar comes first.")
    ],
    *,
    prm: Annotated[
        Path | None, typer.Option("--prm", help="An EVALB parameter file instead of COLLINS.prm.")
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Break the scores down by sentence length.")] = None,
    sentences: Annotated[bool, typer.Option("--sentences", help="The counts of each sentence too.")] = False,
    keep: Keep = None,
    from_: From = None,
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """EVALB scores of parsed trees, as they stand; or of a grammar on a gold treebank, normalized."""
    from secateur import metrics

    parameters = metrics.read_parameters(prm) if prm else metrics.COLLINS
    protocol = parameters.protocol()
    if inputs.is_grammar(gold, encoding=encoding):
        golds, tests, failed = _parse(gold, parsed, keep, from_, encoding, jobs, quiet)
        with inputs.located(parsed):
            result = metrics.evaluate(golds, tests, parameters, failed=failed)
        steps = [step for step in STEPS if step not in (keep or ())]
        protocol += f", gold normalized ({', '.join(steps) or 'no step'})"
    elif keep:
        raise typer.BadParameter("--keep is for a grammar's gold trees; two files are scored as they stand")
    else:
        with inputs.located(parsed):
            result = _compare(gold, parsed, from_, encoding, parameters)
    interval = metrics.confidence([s.counts for s in result.sentences], seed=seed)
    if json:
        found = {**result.to_dict(sentences=sentences), "protocol": protocol, "confidence": interval}
        if by:
            found["by_length"] = {row.name: row.counts.to_dict() for row in result.by_length()}
        print_json(found)
        return
    print(f"protocol: {protocol}")
    _report(result, interval, by, sentences)
    if result.total.errors and not quiet:
        err.print(f"{count(result.total.errors, 'sentence')} not scored: gold and parsed words differ")


def _parse(
    grammar: str, gold: str, keep: list[str] | None, format: str | None, encoding: str, jobs: int, quiet: bool
) -> tuple[Any, Any, Any]:
    from secateur.parser import Parser

    treebank = inputs.read_treebank([gold], format=format, encoding=encoding, keep=keep)
    parser = Parser(inputs.read_grammar(grammar))
    found = parser.pipe((tree.words() for tree in treebank), jobs=cores(jobs))
    parses = list(progress(found, "parsing", total=len(treebank), quiet=quiet))
    return treebank, [parse.tree for parse in parses], [parse.failed for parse in parses]


def _compare(gold: str, parsed: str, format: str | None, encoding: str, parameters: Any) -> Any:
    """As they stand: EVALB itself knows function tags and traces."""
    from secateur import formats, metrics

    if gold == parsed == "-":
        raise typer.BadParameter("only one of the two can come from standard input")
    if inputs.is_grammar(parsed, encoding=encoding):
        raise InputError("this is a grammar", where=parsed, fix="name the grammar first, then the gold trees")
    lines = formats.source.lines(parsed, encoding=encoding)
    name = formats.source.name_of(parsed)
    return metrics.evaluate(
        formats.read(gold, format=format, encoding=encoding),
        formats.brackets.read(lines, name=name, empty=True),
        parameters,
    )


def _report(result: Any, interval: tuple[float, float], by: By | None, sentences: bool) -> None:
    if sentences:
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
    print(f"95% confidence of F1 (all): {interval[0]:.2f} to {interval[1]:.2f}")
    if by:
        print()
        rows = (
            (row.name, row.counts.sentences, row.counts.f1, row.counts.recall, row.counts.precision)
            for row in result.by_length()
        )
        print_table(["words", "sentences", "F1", "recall", "precision"], rows)
