"""secateur parse: sentences in, trees out."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.terminal import (
    Encoding,
    From,
    Jobs,
    Json,
    Output,
    Quiet,
    cores,
    err,
    print_json,
    progress,
    sink,
)


class OnLong(StrEnum):
    degrade = "degrade"
    flat = "flat"
    skip = "skip"


class To(StrEnum):
    penn = "penn"
    drawn = "drawn"
    json = "json"


def parse(
    model: Annotated[str, typer.Argument(help="A grammar file.")],
    text: Annotated[
        str, typer.Argument(help='A file, "-" for standard input, or a sentence in quotes.')
    ] = "-",
    *,
    raw: Annotated[bool, typer.Option("--raw", help="Plain text: split into sentences and words.")] = False,
    from_: From = None,
    to: Annotated[To, typer.Option("--to", help="Output: penn (a tree a line), drawn, json.")] = To.penn,
    output: Output = None,
    kbest: Annotated[
        int, typer.Option("--kbest", "-k", min=0, help="The k best trees of each sentence.")
    ] = 0,
    marginals: Annotated[
        float | None,
        typer.Option("--marginals", min=0.0, max=1.0, help="Spans and labels at least this likely (JSON)."),
    ] = None,
    max_recall: Annotated[
        bool, typer.Option("--max-recall", help="The tree of maximum expected recall.")
    ] = False,
    binarized: Annotated[bool, typer.Option("--binarized", help="Trees as the grammar has them.")] = False,
    on_long: Annotated[
        OnLong, typer.Option("--on-long", help="Sentences too long to parse whole.")
    ] = OnLong.degrade,
    max_length: Annotated[
        int, typer.Option("--max-length", min=1, help="Longest sentence parsed whole.")
    ] = 250,
    jobs: Jobs = 1,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Parse sentences with a grammar; trees in input order, one a line."""
    from secateur.grammar.text import read_grammar
    from secateur.parser import Limits, Parser

    if sum((kbest > 0, marginals is not None, max_recall)) > 1:
        raise typer.BadParameter("choose one of --kbest, --marginals and --max-recall")
    parser = Parser(
        read_grammar(model), limits=Limits(words=max_length, on_long=on_long.value), binarized=binarized
    )
    given = inputs.sentences(text, raw=raw, format=from_, encoding=encoding)
    method, options = _method(kbest, marginals, max_recall)
    tally = _Tally()
    as_json = json or to is To.json or marginals is not None
    started = time.perf_counter()
    with sink(output) as out:
        found = parser.pipe(tally.count(given), jobs=cores(jobs), method=method, **options)
        for number, result in enumerate(progress(found, "parsing", quiet=quiet)):
            for rank, one in enumerate(result if isinstance(result, list) else [result]):
                tally.add(one, rank)
                line = _shown(one, to, number, rank, as_json, marginals)
                if as_json:
                    print_json(line, out)
                else:
                    print(line, file=out)
    if not quiet:
        tally.report(model, method, time.perf_counter() - started)


def _method(kbest: int, marginals: float | None, max_recall: bool) -> tuple[str, dict[str, Any]]:
    if kbest:
        return "kbest", {"k": kbest}
    if marginals is not None:
        return "marginals", {}
    return ("max_recall" if max_recall else "parse"), {}


def _shown(result: Any, to: To, number: int, rank: int, as_json: bool, threshold: float | None) -> Any:
    from secateur import draw

    if threshold is not None:
        if result is None:
            return {"sentence": number, "failed": True}
        spans = [[span.label, span.i, span.k, round(p, 6)] for span, p in result.above(threshold)]
        return {"sentence": number, "log_total": result.log_total, "spans": spans}
    if as_json:
        return {
            "sentence": number,
            "rank": rank,
            "tree": str(result.tree),
            "score": result.score if result.score > float("-inf") else None,
            "failed": result.failed,
            "degraded": result.degraded,
            "pushes": result.work.pushes,
            "items": result.work.items,
            "seconds": result.seconds,
        }
    return draw.text(result.tree) if to is To.drawn else str(result.tree)


class _Tally:
    """What the summary says."""

    def __init__(self) -> None:
        self.sentences = self.words = self.failed = self.degraded = self.pushes = 0

    def count(self, sentences: Any) -> Any:
        for sentence in sentences:
            self.sentences += 1
            self.words += len(sentence.tokens)
            yield sentence

    def add(self, result: Any, rank: int) -> None:
        if rank:
            return
        self.failed += getattr(result, "failed", result is None)
        self.degraded += getattr(result, "degraded", False)
        self.pushes += result.work.pushes if hasattr(result, "work") else 0

    def report(self, model: str, method: str, seconds: float) -> None:
        method = {"parse": "exact Viterbi"}.get(method, method)
        err.print(
            f"{model}, {method}: {self.sentences:,} sentences, {self.words:,} words, "
            f"{self.failed:,} without a parse, {self.degraded:,} degraded, {self.words / max(seconds, 1e-9):,.0f} words/s, "
            f"{self.pushes / max(self.sentences, 1) / 1e6:.3f} Mpush/sentence"
        )
