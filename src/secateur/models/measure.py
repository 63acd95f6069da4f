"""The one clock: what a way to parse does on gold trees, as users will see it.

CPU seconds of one process, the interpreter's collector off, the best of several runs; sentences as words (and
tags, where the parser is given some) in, trees out. Reading and writing files are not in it.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from secateur.errors import InputError
from secateur.metrics.scores import SCORING, Scores, Scoring
from secateur.models.kind import Kind, Using
from secateur.models.limits import Limits
from secateur.models.parse import Parse, SentenceParser, batches
from secateur.models.point import Figures, Point, Way
from secateur.models.run import Run
from secateur.options import check_least
from secateur.search.core import Policy
from secateur.treebanks.bank import Bank
from secateur.treebanks.sentence import Sentence

P = TypeVar("P")
T = TypeVar("T")
V = TypeVar("V")

LEAST = 0.3  # seconds: short runs are repeated until then
LONG = 20.0  # seconds after which one run will do
NOISE = 0.1  # repeats that differ by more tell more about the machine than about the parser


class Watch(Protocol):
    """The things themselves, shown as they pass."""

    def __call__(self, things: Iterable[V], what: str, total: int, /) -> Iterable[V]: ...


def _unwatched(things: Iterable[V], what: str, total: int) -> Iterable[V]:
    return things


class Timing(NamedTuple):
    """CPU seconds of each run over all sentences."""

    runs: Sequence[float]

    @property
    def best(self) -> float:
        return max(min(self.runs), 1e-9)

    @property
    def spread(self) -> float:
        """By how much the median run is slower than the best."""
        return statistics.median(self.runs) / self.best - 1


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Within, the interpreter's collector is off: with many trees alive, it would be timed."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def settle() -> None:
    """Let the interpreter's collector never look again at what there is now: with a model's grammar that
    takes longer than many a deadline."""
    gc.collect()
    gc.freeze()


def clock(
    parsers: Mapping[str, SentenceParser[T]],
    sentences: Sequence[Sentence],
    *,
    repeat: int,
    watch: Watch = _unwatched,
) -> dict[str, Timing]:
    """Runs of each parser over all sentences, after one that loads the kernels and is not counted.

    A round of all parsers at a time: what slows the machine down for a while slows all of them.
    """
    check_least({"timing runs": (repeat, 1)})
    runs: dict[str, list[float]] = {name: [] for name in parsers}
    portions = list(batches(sentences))
    if not portions:
        raise InputError("no sentences to time", fix="give some")
    with quiet_collector():
        for parser in parsers.values():
            parser.batch(portions[0])
        for _ in watch(range(repeat), "timing", repeat):
            for name, parser in parsers.items():
                runs[name] += _runs(parser, portions, sum(runs[name]), repeat)
    return {name: Timing(own) for name, own in runs.items()}


def _runs(
    parser: SentenceParser[T], portions: Sequence[list[Sentence]], spent: float, repeat: int
) -> list[float]:
    """One run, or as many short ones as it takes to have a share of the least time; none of a slow one."""
    if spent > LONG:
        return []
    found: list[float] = []
    while not found or sum(found) < LEAST / repeat:
        started = time.process_time()
        for portion in portions:  # no tree is kept
            parser.batch(portion)
        found.append(time.process_time() - started)
    return found


@dataclass(frozen=True)
class Trial(Generic[T]):
    """What a parser made of gold trees."""

    parses: Sequence[Parse[T]]
    scores: Scores
    words: int

    @property
    def untimed(self) -> Timing:
        """What stands for a timing where there was none: the shares of the parses in the time taken."""
        return Timing([sum(parse.seconds for parse in self.parses)])

    @property
    def failures(self) -> float:
        """The share of sentences without a parse of their own."""
        return sum(parse.failed or parse.fell_back for parse in self.parses) / len(self.parses)

    def mean(self, field: str) -> float:
        """Of a counter of work, per sentence."""
        return float(sum(getattr(parse.work, field) for parse in self.parses)) / len(self.parses)


def tried(
    parser: SentenceParser[T],
    gold: Bank[T],
    scoring: Scoring[T],
    *,
    jobs: int = 1,
    watch: Watch = _unwatched,
    what: str = "parsing",
) -> Trial[T]:
    """Parse the sentences of gold trees, and score."""
    if not len(gold):
        raise InputError("no trees", where=gold.name, fix="give a treebank")
    sentences = [parser.annotation.sentence(tree) for tree in gold]
    with quiet_collector():
        parses = list(watch(parser.pipe(sentences, jobs=jobs), what, len(gold)))
        failed = [parse.failed for parse in parses]
        scores = scoring.score(gold, (parse.tree for parse in parses), failed=failed)
    return Trial(parses, scores, sum(map(len, sentences)))


def measured(
    name: str,
    way: Way,
    parser: SentenceParser[T],
    figures: Figures,
    trial: Trial[T],
    timing: Timing,
) -> Point:
    """The operating point of a way to parse."""
    low, high = trial.scores.interval()
    kept = sum(getattr(parse.work, figures.share) for parse in trial.parses)
    whole = sum(parser.whole(parse.tree) for parse in trial.parses)
    return Point(
        name,
        way,
        accuracy=trial.scores.accuracy,
        low=low,
        high=high,
        work=trial.mean(figures.work) / 1e6,
        words_per_second=trial.words / timing.best,
        seconds_per_sentence=timing.best / len(trial.parses),
        kept=kept / whole if whole else 1.0,
        failures=trial.failures,
    )


def measure(
    parsers: Mapping[str, tuple[Way, SentenceParser[T]]],
    gold: Bank[T],
    figures: Figures,
    scoring: Scoring[T],
    *,
    repeat: int,
    watch: Watch = _unwatched,
) -> list[Point]:
    """The points of several ways to parse, by their names, all on the same trees."""
    trials = {
        name: tried(parser, gold, scoring, watch=watch, what=f"parsing at {name}")
        for name, (_, parser) in parsers.items()
    }
    sentences = [next(iter(parsers.values()))[1].annotation.sentence(tree) for tree in gold]
    timings = clock(
        {name: parser for name, (_, parser) in parsers.items()}, sentences, repeat=repeat, watch=watch
    )
    return [
        measured(name, way, parser, figures, trials[name], timings[name])
        for name, (way, parser) in parsers.items()
    ]


def measure_all(
    run: Run,
    kind: Kind[P, T],
    parts: P,
    policies: Mapping[str, Policy],
    gold: Bank[T],
    *,
    using: Using,
    repeat: int,
    ways: Mapping[str, Way] | None = None,
) -> list[Point]:
    """The points of some ways to parse that a kind has with its parts, by default all; told as they are
    found."""
    run.told(f"measuring on {len(gold):,} held-out sentences", minor=True)
    every = {
        name: (way, kind.parser(parts, way, policies, Limits(), using))
        for name, way in (kind.ways(parts, policies) if ways is None else ways).items()
    }
    figures = kind.figures
    points = measure(every, gold, figures, SCORING[kind.annotation.name](), repeat=repeat)
    for p in points:
        run.told(
            f"{p.name}: {figures.accuracy} {p.accuracy:.2f}, {p.words_per_second:,.0f} words/s, "
            f"{p.work:.4f} {figures.per_sentence}, {figures.kept} {p.kept:.1%}, "
            f"{figures.failures} {p.failures:.1%}"
        )
    return points


def clock_said(repeat: int | None) -> str:
    """For protocols: what words/s stand for."""
    best = f", best of {repeat}" if repeat else ""
    return f"words/s: CPU time on one core{best}, words in, trees out"
