"""secateur bench: how fast a grammar, or each point of a model, parses here."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secateur.cli import inputs
from secateur.cli.frontier import choose
from secateur.cli.options import Dial, Encoding, FromText, Json, Quiet, check_picture, refuse, with_dial
from secateur.cli.terminal import err, print_json, print_pairs, print_table, progress
from secateur.errors import InputError
from secateur.treebanks.text import Sentence

if TYPE_CHECKING:
    from secateur.kinds.arcs.parser import ArcParser
    from secateur.treebanks.dependency_tree import DependencyTree

# Repeats that differ by more than this tell more about the machine than about the parser.
NOISE = 0.1
GARDEN = 300  # sentences of the garden, where no text is given


@with_dial
def bench(
    model: Annotated[str, typer.Argument(help="A grammar file, or a model directory.")],
    text: Annotated[
        str | None,
        typer.Argument(help="Sentences: a file of tokens, or a treebank; without: the embedded garden."),
    ] = None,
    *,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the best counts.")] = 5,
    sentences: Annotated[int, typer.Option(min=1, help="Take the first so many sentences.")] = 1000,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Also draw time over length and over work (.png, .svg, .pdf).", callback=check_picture
        ),
    ] = None,
    dial: Dial,
    from_: FromText = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Words per second on one core, best of several runs, with the work counters beside it.

    A model is measured at the point its dial is set to; without a setting, at all points of its frontier.
    """
    parsers = _parsers(model, dial)
    if plot and len(parsers) > 1:
        raise typer.BadParameter("--plot draws one point: choose it with --point")
    if inputs.is_dependency_model(model):
        refuse({"--plot": plot is not None}, "models of phrases")
        name, trees = _dependencies(text, sentences, from_, encoding)
        _report(model, name, repeat, _arc_figures(parsers, trees, repeat, quiet), json, quiet)
        return
    name, given = _sentences(text, sentences, from_, encoding)
    runs: dict[str, list[list[float]]] = {point: [] for point in parsers}
    parses: dict[str, list[Any]] = {}
    for parser in parsers.values():
        parser.parse(given[0])  # loads the kernels before the clock starts
    # A round of all points at a time: what slows the machine down for a while slows all of them.
    for _ in progress(range(repeat), "running", total=repeat, quiet=quiet):
        for point, parser in parsers.items():
            times, parses[point] = timed(parser, given)
            runs[point].append(times)
    if plot:
        (times_of_runs,), (found,) = runs.values(), parses.values()
        fastest = [min(times) for times in zip(*times_of_runs, strict=True)]
        _plot(plot, [len(s.tokens) for s in given], fastest, [p.work.pushes for p in found])
    figures = {
        point: _figures(given, parses[point], [sum(times) for times in runs[point]]) for point in parsers
    }
    _report(model, name, repeat, figures, json, quiet)


def timed(parser: Any, given: Iterable[Any]) -> tuple[list[float], list[Any]]:
    """The CPU seconds of each sentence, and its parse."""
    times, parses = [], []
    for sentence in given:
        started = time.process_time()
        parses.append(parser.parse(sentence))
        times.append(time.process_time() - started)
    return times, parses


def _parsers(path: str, dial: Dial) -> dict[str, Any]:
    """By the name of their point; a grammar has but one, without a name."""
    from secateur.kinds.pcfg.parser import Parser

    if not Path(path).is_dir():
        if dial:
            fix = "name a model, or leave the setting out"
            raise InputError("a grammar has no dial", where=path, fix=fix)
        return {"": Parser(inputs.read_grammar(path))}
    from secateur.kinds.loading import load_any, parser_at

    model = load_any(path)
    points = [choose(path, model, dial)] if dial else model.frontier
    return {point.name: parser_at(model, point.name) for point in points}


def _sentences(
    text: str | None, count: int, format: str | None, encoding: str
) -> tuple[str, Sequence[Sentence]]:
    """What to parse, and what to call it."""
    if text is None:
        from secateur.treebanks.garden import treebank

        grown = min(count, GARDEN)
        return f"garden ({grown:,} sentences)", [Sentence.of(tree.words()) for tree in treebank(grown)]
    found = inputs.sentences(text, raw=False, format=format, encoding=encoding)
    given = list(islice((sentence for sentence in found if sentence.tokens), count))
    if not given:
        raise InputError("no sentences", where=text, fix="give one sentence a line")
    return text, given


def _dependencies(
    text: str | None, count: int, format: str | None, encoding: str
) -> tuple[str, list[DependencyTree | Sentence]]:
    """The same for a dependency model."""
    if text is None:
        from secateur.treebanks.garden import garden

        grown = min(count, GARDEN)
        return f"garden ({grown:,} sentences)", [sample.dependencies for sample in garden(grown)]
    found = inputs.dependency_sentences(text, raw=False, format=format, encoding=encoding)
    given = list(islice(found.sentences, count))
    if not given:
        raise InputError("no sentences", where=text, fix="give one sentence a line")
    return text, given


def _arc_figures(
    parsers: dict[str, ArcParser], given: list[DependencyTree | Sentence], repeat: int, quiet: bool
) -> dict[str, dict[str, float]]:
    """Sentences go through the kernels in batches: there is one time for all of them."""
    totals: dict[str, list[float]] = {point: [] for point in parsers}
    parses = {point: list(parser.pipe(given)) for point, parser in parsers.items()}  # loads the kernels too
    for _ in progress(range(repeat), "running", total=repeat, quiet=quiet):
        for point, parser in parsers.items():
            started = time.process_time()
            for _parse in parser.pipe(given):
                pass
            totals[point].append(time.process_time() - started)
    figures = {}
    for point, found in parses.items():
        words, best = sum(len(parse.tree) for parse in found), max(min(totals[point]), 1e-9)
        figures[point] = {
            "sentences": len(found),
            "words": words,
            "words/s": round(words / best),
            "ms/sentence": 1e3 * best / len(found),
            "templates/sentence": round(sum(parse.work.features for parse in found) / len(found)),
            "million templates/s": sum(parse.work.features for parse in found) / best / 1e6,
            "fell back": sum(parse.fell_back for parse in found),
            "spread of runs": statistics.median(totals[point]) / best - 1,
        }
    return figures


def _report(
    model: str, text: str, repeat: int, figures: dict[str, dict[str, float]], json: bool, quiet: bool
) -> None:
    is_grammar = "" in figures
    if json:
        found = figures[""] if is_grammar else {"points": figures}
        print_json({"model": model, "text": text, "runs": repeat, **found})
        return
    what = "exact Viterbi, " if is_grammar else ""
    print(f"{model} on {text}: {what}CPU time on one core, best of {repeat}\n")
    shown = {
        point: {**found, "spread of runs": f"{found['spread of runs']:.0%}"}
        for point, found in figures.items()
    }
    if is_grammar:
        print_pairs(shown[""])
    else:
        columns = [name for name in next(iter(shown.values())) if name not in ("sentences", "words")]
        print_table(["point", *columns], ([p, *(found[c] for c in columns)] for p, found in shown.items()))
    if max(found["spread of runs"] for found in figures.values()) > NOISE and not quiet:
        err.print("the runs differ by more than 10%: the machine is busy; trust the counters, not the clock")


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
