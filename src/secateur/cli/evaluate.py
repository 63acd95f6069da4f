"""secateur evaluate: parses against gold trees."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.terminal import (
    Encoding,
    From,
    Jobs,
    Json,
    Keep,
    Quiet,
    Seed,
    cores,
    print_json,
    print_pairs,
    print_table,
    progress,
)


class By(StrEnum):
    length = "length"


def evaluate(
    gold: Annotated[
        str, typer.Argument(help="Gold trees; or a grammar, which then parses PARSED's sentences.")
    ],
    parsed: Annotated[
        str, typer.Argument(help="Trees to score; or the gold trees, if a grammar comes first.")
    ],
    *,
    prm: Annotated[
        Path | None, typer.Option("--prm", help="An EVALB parameter file instead of COLLINS.prm.")
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Break the scores down by sentence length.")] = None,
    sentences: Annotated[bool, typer.Option("--sentences", help="Scores of each sentence too.")] = False,
    keep: Keep = None,
    from_: From = None,
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """EVALB scores of parsed trees; or of a grammar on a gold treebank."""
    from secateur import metrics

    parameters = metrics.read_parameters(prm) if prm else metrics.COLLINS
    if inputs.is_grammar(gold):
        golds, tests, failed = _parse(gold, parsed, keep, from_, encoding, jobs, quiet)
        result = metrics.evaluate(golds, tests, parameters, failed=failed)
    else:
        from secateur import formats

        # Scored as they stand: EVALB itself knows function tags and traces.
        result = metrics.evaluate(
            formats.read(gold, format=from_, encoding=encoding),
            formats.brackets.read(formats.source.lines(parsed, encoding=encoding), name=parsed, empty=True),
            parameters,
        )
    interval = metrics.confidence([s.counts for s in result.sentences], seed=seed)
    if json:
        print_json({**result.to_dict(sentences=sentences), "confidence": interval})
        return
    _report(result, interval, by, sentences)


def _parse(
    grammar: str, gold: str, keep: list[str] | None, format: str | None, encoding: str, jobs: int, quiet: bool
) -> tuple[Any, Any, Any]:
    from secateur.parser import load

    treebank = inputs.read_treebank(gold, format=format, encoding=encoding, keep=keep)
    found = load(grammar).pipe((tree.words() for tree in treebank), jobs=cores(jobs))
    parses = list(progress(found, "parsing", total=len(treebank), quiet=quiet))
    return treebank, [parse.tree for parse in parses], [parse.failed for parse in parses]


def _report(result: Any, interval: tuple[float, float], by: By | None, sentences: bool) -> None:
    print(f"protocol: {result.protocol}")
    if sentences:
        print_table(
            "",
            ["sentence", "status", "length", "gold", "parsed", "matched", "crossing", "words", "right tags"],
            (
                (n, s.status.name, c.length, c.gold, c.test, c.matched, c.crossing, c.words, c.tags)
                for n, (s, c) in enumerate(((s, s.counts) for s in result.sentences), 1)
            ),
        )
    total, short = result.total, result.up_to_cutoff
    names = {
        "sentences": "sentences",
        "errors": "errors (words differ)",
        "skipped": "skipped (no words)",
        "failures": "without a parse",
        "recall": "labelled recall",
        "precision": "labelled precision",
        "f1": "labelled F1",
        "complete_match": "complete match",
        "average_crossing": "average crossing",
        "without_crossing": "no crossing",
        "tag_accuracy": "tag accuracy",
    }
    print_table(
        "",
        ["", "all", f"<= {result.parameters.cutoff}"],
        ((name, getattr(total, field), getattr(short, field)) for field, name in names.items()),
    )
    print_pairs({"F1, 95% confidence": f"{interval[0]:.2f} to {interval[1]:.2f}"})
    if by is By.length:
        rows = ((row.name, row.counts.sentences, row.counts.f1, row.counts.recall, row.counts.precision)
                for row in result.by_length())  # fmt: skip
        print_table("", ["words", "sentences", "F1", "recall", "precision"], rows)
