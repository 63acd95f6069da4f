"""secateur bench: how fast a grammar parses here."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.options import Encoding, FromText, Json, Quiet, check_picture
from secateur.cli.terminal import err, print_json, print_pairs, progress
from secateur.errors import InputError
from secateur.text import Sentence

# Repeats that differ by more than this tell more about the machine than about the parser.
NOISE = 0.1


def bench(
    model: Annotated[str, typer.Argument(help="A grammar file.")],
    text: Annotated[str, typer.Argument(help="Sentences: a file of tokens, or a treebank.")],
    *,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the best counts.")] = 5,
    sentences: Annotated[int, typer.Option(min=1, help="Take the first so many sentences.")] = 1000,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Also draw time over length and over work (.png, .svg, .pdf).", callback=check_picture
        ),
    ] = None,
    from_: FromText = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Words per second on one core, best of several runs, with the work counters beside it."""
    from secateur.parser import Parser

    parser = Parser(inputs.read_grammar(model))
    found = inputs.sentences(text, raw=False, format=from_, encoding=encoding)
    given = list(islice((sentence for sentence in found if sentence.tokens), sentences))
    if not given:
        raise InputError("no sentences", where=text, fix="give one sentence a line")
    parser.parse(given[0])  # loads the kernels before the clock starts
    runs: list[list[float]] = []
    parses: list[Any] = []
    for _ in progress(range(repeat), "running", total=repeat, quiet=quiet):
        times, parses = _run(parser, given)
        runs.append(times)
    if plot:
        fastest = [min(times) for times in zip(*runs, strict=True)]
        _plot(plot, [len(s.tokens) for s in given], fastest, [p.work.pushes for p in parses])
    figures = _figures(given, parses, [sum(times) for times in runs])
    if json:
        print_json({"model": model, "text": text, "runs": repeat, **figures})
        return
    print(f"{model} on {text}: exact Viterbi, CPU time on one core, best of {repeat}\n")
    print_pairs({**figures, "spread of runs": f"{figures['spread of runs']:.0%}"})
    if figures["spread of runs"] > NOISE and not quiet:
        err.print("the runs differ by more than 10%: the machine is busy; trust the counters, not the clock")


def _run(parser: Any, given: Sequence[Sentence]) -> tuple[list[float], list[Any]]:
    """The CPU seconds of each sentence, and its parse."""
    times, parses = [], []
    for sentence in given:
        started = time.process_time()
        parses.append(parser.parse(sentence))
        times.append(time.process_time() - started)
    return times, parses


def _figures(given: Sequence[Sentence], parses: Sequence[Any], totals: Sequence[float]) -> dict[str, float]:
    words = sum(len(sentence.tokens) for sentence in given)
    pushes = sum(parse.work.pushes for parse in parses)
    best = max(min(totals), 1e-9)
    return {
        "sentences": len(given),
        "words": words,
        "words/s": round(words / best),
        "ms/sentence": 1e3 * best / len(given),
        "pushes/sentence": round(pushes / len(given)),
        "items/sentence": round(sum(parse.work.items for parse in parses) / len(given)),
        "million pushes/s": pushes / best / 1e6,
        "without a parse": sum(parse.failed for parse in parses),
        "spread of runs": statistics.median(totals) / best - 1,
    }


def _plot(path: Path, lengths: list[int], seconds: list[float], pushes: list[int]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    milliseconds = [1e3 * s for s in seconds]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    left.loglog(lengths, milliseconds, ".", alpha=0.5)
    left.set(xlabel="words", ylabel="ms (CPU)")
    right.loglog(pushes, milliseconds, ".", alpha=0.5)
    right.set(xlabel="pushes")
    for axis in (left.xaxis, left.yaxis):  # 1, 2, 5, 10: few decades, so each needs more than one tick
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
