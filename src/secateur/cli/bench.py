"""secateur bench: how fast a grammar, or each point of a model, parses here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from secateur.cli import inputs
from secateur.cli.options import Dial, Json, Quiet, Source, check_picture
from secateur.cli.settings import chosen, one_tree
from secateur.cli.spread import Given
from secateur.cli.tally import plural
from secateur.cli.terminal import err, print_json, print_pairs, print_table, watching
from secateur.errors import InputError

if TYPE_CHECKING:
    from secateur.models.measure import Timing
    from secateur.models.parse import Parse, SentenceParser
    from secateur.models.point import Figures
    from secateur.treebanks.annotation import Annotation
    from secateur.treebanks.sentence import Sentence

T = TypeVar("T")

GARDEN = 300  # sentences of the garden, where no text is given


def bench(
    model: Annotated[str, typer.Argument(help="A model directory, or a grammar file.")],
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
    using: Given,
    source: Source,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Words per second on one core, best of several runs, with the work counters beside it.

    A model is measured at the point its dial is set to; without a setting, at all points of its frontier.
    """
    from secateur.models.measure import clock

    loaded = inputs.read_model(model)
    own = one_tree(loaded.kind, using)
    settings = [dial] if dial or not loaded.points else []
    parsers = {name: loaded.measured_parser(name, **own) for _, name in chosen(model, loaded, settings)}
    if plot and len(parsers) > 1:
        raise typer.BadParameter("--plot draws one point: choose it with --point")
    name, given = _sentences(loaded.kind.annotation, text, sentences, source)
    parses = {point: parser.batch(given) for point, parser in parsers.items()}
    timings = clock(parsers, given, repeat=repeat, watch=watching(quiet))
    figures = loaded.kind.figures
    if plot:
        (parser,), (found,) = parsers.values(), parses.values()
        work = [getattr(parse.work, figures.work) for parse in found]
        _plot(plot, [len(s) for s in given], _each(parser, given, repeat), work, plural(figures.unit))
    rows = {point: _row(given, parses[point], timings[point], figures) for point in parsers}
    _report(model, name, repeat, rows, figures, bool(loaded.points), json, quiet)


def _sentences(
    annotation: Annotation[T], text: str | None, count: int, source: Source
) -> tuple[str, list[Sentence]]:
    """What to parse, and what to call it."""
    if text is None:
        number = min(count, GARDEN)
        trees = inputs.grown(annotation, number)
        return f"garden ({number:,} sentences)", [annotation.sentence(tree) for tree in trees]
    found = inputs.sentences(text, source).sentences
    given = list(islice((sentence for sentence in found if len(sentence)), count))
    if not given:
        raise InputError("no sentences", where=text, fix="give one sentence a line")
    return text, given


def _row(
    given: Sequence[Sentence], parses: Sequence[Parse[T]], timing: Timing, figures: Figures
) -> dict[str, Any]:
    """The same for every kind of model; counters of work per sentence."""
    from secateur.search.core import Work

    words = sum(map(len, given))
    every = {name: sum(getattr(parse.work, name) for parse in parses) for name in Work._fields}
    work = every[figures.work]
    return {
        "sentences": len(given),
        "words": words,
        "words_per_second": round(words / timing.best),
        "ms_per_sentence": 1e3 * timing.best / len(given),
        "work_per_sentence": round(work / len(given)),
        "million_work_per_second": work / timing.best / 1e6,
        "failures": sum(parse.failed or parse.fell_back for parse in parses),
        "spread": timing.spread,
        "work": {name: round(number / len(given)) for name, number in every.items() if number},
    }


def _report(
    model: str,
    text: str,
    repeat: int,
    rows: dict[str, dict[str, Any]],
    figures: Figures,
    is_model: bool,
    json: bool,
    quiet: bool,
) -> None:
    from secateur.models.measure import NOISE, clock_said

    if json:
        found: dict[str, Any] = {"points": rows} if is_model else next(iter(rows.values()))
        print_json({"model": model, "text": text, "runs": repeat, "unit": figures.unit, **found})
        return
    print(f"{model} on {text}; {clock_said(repeat)}\n")
    names = {
        "words_per_second": "words/s",
        "ms_per_sentence": "ms/sentence",
        "work_per_sentence": f"{plural(figures.unit)}/sentence",
        "million_work_per_second": f"million {plural(figures.unit)}/s",
        "failures": figures.failures,
        "spread": "spread of runs",
    }
    shown = {point: {**found, "spread": f"{found['spread']:.0%}"} for point, found in rows.items()}
    if is_model:
        cells = ([point, *(found[name] for name in names)] for point, found in shown.items())
        print_table(["point", *names.values()], cells)
    else:
        (found,) = shown.values()
        print_pairs({names.get(name, name): value for name, value in found.items() if name != "work"})
    if max(found["spread"] for found in rows.values()) > NOISE and not quiet:
        err.print("the runs differ by more than 10%: the machine is busy; trust the counters, not the clock")


def _each(parser: SentenceParser[T], given: Sequence[Sentence], repeat: int) -> list[float]:
    """CPU seconds of each sentence by itself, the best of several runs."""
    from secateur.models.measure import quiet_collector

    best = [float("inf")] * len(given)
    with quiet_collector():
        for _ in range(repeat):
            for place, sentence in enumerate(given):
                started = time.process_time()
                parser.batch([sentence])
                best[place] = min(best[place], time.process_time() - started)
    return best


def _plot(path: Path, lengths: list[int], seconds: list[float], work: list[int], units: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    milliseconds = [1e3 * s for s in seconds]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    left.loglog(lengths, milliseconds, ".", alpha=0.5)
    left.set(xlabel="words", ylabel="ms (CPU)")
    right.loglog(work, milliseconds, ".", alpha=0.5)
    right.set(xlabel=units)
    for axis in (left.xaxis, left.yaxis):  # 1, 2, 5, 10: few decades, so each needs more than one tick
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
