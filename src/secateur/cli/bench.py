"""secateur bench: how fast a grammar parses here."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.terminal import Encoding, From, Json, Quiet, err, print_json, print_table, progress

# Repeats that differ by more than this tell more about the machine than about the parser.
NOISE = 0.1


def bench(
    model: Annotated[str, typer.Argument(help="A grammar file.")],
    text: Annotated[str, typer.Argument(help="Sentences: a file of tokens, or a treebank.")],
    *,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the best counts.")] = 5,
    sentences: Annotated[int, typer.Option(min=1, help="Take at most so many.")] = 1000,
    plot: Annotated[Path | None, typer.Option(help="Time over length as a picture (png, svg, pdf).")] = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Words per second on one core, best of several runs, with the work counters beside it."""
    from itertools import islice

    from secateur.parser import load

    parser = load(model)
    given = list(islice(inputs.sentences(text, raw=False, format=from_, encoding=encoding), sentences))
    words = sum(len(sentence.tokens) for sentence in given)
    parser.parse(given[0])
    runs: list[list[float]] = []
    parses: list[Any] = []
    for _ in progress(range(repeat), "running", total=repeat, quiet=quiet):
        times = []
        parses = []
        for sentence in given:
            started = time.process_time()
            parses.append(parser.parse(sentence))
            times.append(time.process_time() - started)
        runs.append(times)
    totals = [sum(times) for times in runs]
    best = min(totals)
    found = {
        "sentences": len(given),
        "words": words,
        "words/s": words / best,
        "ms/sentence": 1e3 * best / len(given),
        "Mpush/sentence": sum(p.work.pushes for p in parses) / len(given) / 1e6,
        "Mpush/s": sum(p.work.pushes for p in parses) / best / 1e6,
        "items/sentence": sum(p.work.items for p in parses) / len(given),
        "without a parse": sum(p.failed for p in parses),
        "spread": statistics.median(totals) / best - 1,
    }
    fastest = [min(times) for times in zip(*runs, strict=True)]
    if plot:
        _plot(plot, [len(s.tokens) for s in given], fastest, [p.work.pushes for p in parses])
    if json:
        print_json(found)
        return
    print_table(f"{model}, exact Viterbi, CPU time, one core, best of {repeat}", ["", "value"], found.items())
    if found["spread"] > NOISE:
        err.print(
            f"runs differ by {found['spread']:.0%}: the machine is busy; trust the counters, not the clock"
        )


def _plot(path: Path, lengths: list[int], seconds: list[float], pushes: list[int]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6))
    left.loglog(lengths, [1e3 * s for s in seconds], ".", alpha=0.5)
    left.set(xlabel="words", ylabel="ms (CPU)")
    right.loglog(pushes, [1e3 * s for s in seconds], ".", alpha=0.5)
    right.set(xlabel="pushes", ylabel="ms (CPU)")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
