"""DeadlineParser: the best tree there is when a deadline comes.

A chart with few spans is filled sooner than an agenda finds a parse (benchmarks/deadline.py), but there is
nothing in it before it is full. So its time is foretold: from the sentence's length, and from the pairs of
kept spans that make a kept span, to which the work is nearly proportional. Several ways to parse stand ready;
the first that will be done in time parses the sentence. Where none will, its halves are parsed so, each in
its share of the time. What one word, or one pair, takes is measured when the parser is loaded; where a
sentence takes longer than was foretold, the next ones are expected to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.optimize import nnls

from secateur.errors import InputError
from secateur.grammar.pcfg import PCFG
from secateur.kernels.cky.pairs import count_pairs
from secateur.kinds.pcfg.parser import Parser, chart_parser_of
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.substitute import PunctualParser
from secateur.kinds.pcfg.tried import to_try
from secateur.kinds.pcfg.ways import quick_of, way_of
from secateur.models.limits import Limits, pieces
from secateur.models.measure import quiet_collector, settle
from secateur.models.parse import Parse
from secateur.models.point import Way
from secateur.search.arrays import Bools, Floats
from secateur.search.core import Policy, Work
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.sentence import Sentence
from secateur.treebanks.tree import Tree

TRIED = (2, 6, 14, 30, 60, 130)  # words of the sentences that tell how long others take
REPEATS = 5  # of each, the quickest counts: the others were interrupted
ENOUGH = 0.02  # seconds of runs
MARGIN = 1.25  # what is foretold is this much more
LEAST = 1e-9  # seconds: nothing takes less
FEWER = 0.75  # of the spans: what keeps more than that share of what another keeps is hardly faster
RISE = 1.15  # what is expected goes up by where it took longer ...
CALMER = 0.99  # what is expected comes down by, from a sentence to the next
SHARE = 0.1  # of a sentence in what is usual
CALMEST = 0.25
ODD = 2.0  # times as long as was measured: what takes longer was interrupted
ALONE = 5e-6  # seconds a word: where there is less, words are put beside each other

Amounts = tuple[float, ...]


@dataclass
class Pace:
    """What something takes: so many seconds for each thing of several sorts."""

    per: Floats  # [sorts]
    usual: float = 1.0  # times as long as was measured, of late

    @classmethod
    def measured(cls, amounts: Sequence[Amounts], seconds: Sequence[float]) -> Pace:
        """None of the sentences took longer than this says."""
        shares = np.array(amounts) / np.maximum(seconds, LEAST)[:, None]
        per = nnls(shares, np.ones(len(seconds)))[0]
        return cls(per / min((shares @ per).min(), 1.0))

    def of(self, amounts: Amounts) -> float:
        return MARGIN * self.usual * float(self.per @ amounts)

    def took(self, amounts: Amounts, seconds: float) -> None:
        share = seconds / max(float(self.per @ amounts), LEAST)
        self.usual = min(self.usual * RISE, ODD) if share > self.usual else self.usual * CALMER


@dataclass
class Rung:
    """A parser, what it takes to choose its spans, and then to parse."""

    parser: Parser
    choosing: Pace
    parsing: Pace
    density: float  # pairs as a share of the square of the words, of late

    def first(self, n: int) -> float:
        """What it will take at least, as far as the length tells: half as many pairs as usual."""
        pairs = self.density * n * n / 2
        return self.choosing.of(lengths_of(n)) + self.parsing.of((*lengths_of(n), pairs))

    def calm(self) -> None:
        """Nobody tried: else what was expected once would be expected for ever."""
        for pace in (self.choosing, self.parsing):
            pace.usual = max(CALMER * pace.usual, CALMEST)

    def has(self, amounts: Amounts) -> None:
        """So many pairs are in a sentence that is to be parsed."""
        _, n, _, pairs = amounts
        self.density += SHARE * (pairs / n**2 - self.density)


def lengths_of(n: int) -> Amounts:
    """1, words, and words by words: for what there is of each sentence, word, and span."""
    return 1.0, n, n * n


def amounts_of(n: int, mask: Bools | None) -> Amounts:
    """The same, and pairs of kept spans that make a kept span."""
    pairs = (n + 1) * n * (n - 1) / 6 if mask is None else float(count_pairs(mask))
    return *lengths_of(n), pairs


class DeadlineParser(PunctualParser):
    """Parsing by the first of several parsers that is expected to be done in time. A parse says in its
    `notes` whether there was time for the whole sentence; `fell_back`: not for the first way to parse it."""

    annotation = PHRASES

    def __init__(self, parsers: Sequence[Parser], deadline: float, using: Using | None = None) -> None:
        """`parsers`: the slowest, and best, first. `deadline`: seconds from the words to the tree."""
        if not parsers:
            raise InputError("no parsers", fix="give one or more")
        if not 0.0 < deadline < np.inf:
            raise InputError(f"a deadline of {deadline} seconds", fix="give more than nothing")
        self.deadline: float = deadline
        self.parsers = tuple(parsers)
        self.grammar: PCFG = parsers[0].grammar
        self.limits: Limits = parsers[0].limits
        self.using = using or parsers[0].using
        self._rungs: list[Rung] = []

    def __repr__(self) -> str:
        return f"<DeadlineParser: {1000 * self.deadline:g} ms, {self.parsers[0]!r}>"

    def __getstate__(self) -> dict[str, object]:
        """Another process measures for itself."""
        return {**self.__dict__, "_rungs": []}

    def search(self, sentences: Sequence[Sentence]) -> list[Parse[Tree] | None]:
        self.warm_up()
        found: list[Parse[Tree] | None] = []
        for sentence in sentences:
            started = time.perf_counter()
            if len(sentence) > self.limits.words and self.limits.on_long != "degrade":
                found.append(None)
                continue
            parse = self._within(sentence.spelt(self.grammar.lexicon.index), started + self.deadline)
            found.append(replace(parse, seconds=time.perf_counter() - started))
        return found

    def whole(self, tree: Tree) -> int:
        return self.parsers[0].whole(tree)

    def _within(self, sentence: Sentence, end: float) -> Parse[Tree]:
        """A tree, by the time the clock reads `end`."""
        n = len(sentence)
        end -= self._flat * n
        for rung in self._rungs if n <= self.limits.words else ():
            if time.perf_counter() + rung.first(n) > end:
                continue
            mask = self._mask(rung, sentence)
            amounts = amounts_of(n, mask)
            rung.has(amounts)
            started = time.perf_counter()
            if started + rung.parsing.of(amounts) > end:
                continue
            parse = rung.parser.parse(sentence, mask=mask)
            rung.parsing.took(amounts, time.perf_counter() - started)
            if parse.failed:
                continue
            return replace(parse, fell_back=rung is not self._rungs[0], notes={"status": "complete"})
        if n == 1 or time.perf_counter() + n * ALONE > end:
            self._rungs[-1].calm()
            flat = self._substitute(sentence, end, degraded=True)
            return replace(flat, fell_back=True, notes={"status": "deadline"})
        return self._halves(sentence, end)

    def _halves(self, sentence: Sentence, end: float) -> Parse[Tree]:
        """Two or three pieces, each with its share of what time there is left."""
        n = len(sentence)
        found, parts = [], []
        for first, last in pieces(sentence.penn, (n + 1) // 2):
            now = time.perf_counter()
            share = (last - first) / (n - first)
            found.append(self._within(sentence.part(first, last), now + share * (end - now)))
            parts.append((first, found[-1].tree))
        scores = [parse.score for parse in found if parse.score is not None]
        return Parse(
            self.joined(sentence, parts),
            Work(*map(sum, zip(*(parse.work for parse in found), strict=True))),
            0.0,
            sum(scores),
            failed=any(parse.failed for parse in found),
            fell_back=True,
            degraded=True,
            notes={"status": "deadline"},
            annotation=self.annotation,
        )

    # Time ---------------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Load the kernels and see how long they take; once in a process."""
        if self._rungs:
            return
        sentences = to_try(self.grammar, TRIED)
        with quiet_collector():
            self._flat = MARGIN * _quickest(partial(self.flat, sentences[-1])) / TRIED[-1]
            self._rungs = [self._measured(parser, sentences) for parser in self.parsers]
        settle()

    def _mask(self, rung: Rung, sentence: Sentence) -> Bools | None:
        """The spans that it keeps; None: all."""
        if rung.parser.policy is None:
            return None
        started, n = time.perf_counter(), len(sentence)
        mask = rung.parser.kept(sentence)
        rung.choosing.took(lengths_of(n), time.perf_counter() - started)
        return mask

    def _measured(self, parser: Parser, sentences: Sequence[Sentence]) -> Rung:
        rung = Rung(parser, Pace(np.full(3, LEAST)), Pace(np.full(4, LEAST)), 0.0)
        choosing, parsing, spans = [], [], []
        for sentence in sentences:
            mask = self._mask(rung, sentence)
            choosing.append(_quickest(partial(self._mask, rung, sentence)))
            parsing.append(_quickest(partial(parser.parse, sentence, mask=mask)))
            spans.append(amounts_of(len(sentence), mask))
        lengths = [lengths_of(len(sentence)) for sentence in sentences]
        density = min(pairs / n**2 for _, n, _, pairs in spans)
        return Rung(parser, Pace.measured(lengths, choosing), Pace.measured(spans, parsing), density)


def deadline_parser_of(
    parts: PcfgParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> DeadlineParser:
    """A model's parser that goes one of its ways, or a faster one where there is not the time."""
    assert using.seconds is not None, "who asks for a deadline has one"
    every = [way, *faster(parts, way, policies)]
    parsers = [chart_parser_of(parts, one, policies, limits, using) for one in every]
    return DeadlineParser(parsers, using.seconds, using)


def faster(parts: PcfgParts, way: Way, policies: Mapping[str, Policy]) -> list[Way]:
    """The same without what comes after a quick way to decode; then with fewer and fewer spans."""
    quick, own = quick_of(parts.grammar), way.get("mask")
    first = way_of(None if own is None else str(own), quick)
    found = [first] if first != way else []
    kept = {} if parts.features.missing_views else _kept(parts, policies)
    most = 1.0 if own is None else kept.get(str(own), 0.0)
    for name in sorted(kept, key=lambda name: -kept[name]):
        if kept[name] < FEWER * most:
            found.append(way_of(name, quick))
            most = kept[name]
    return found


def _kept(parts: PcfgParts, policies: Mapping[str, Policy]) -> dict[str, float]:
    """The share of the spans that each policy keeps, of one long sentence of words that there are."""
    sentence, _ = to_try(parts.rules, TRIED[-1:])
    columns, n = parts.features.columns(sentence.penn), TRIED[-1]
    wide = np.triu(np.ones((n + 1, n + 1), np.bool_), 2)
    return {
        name: float((parts.features.scores(columns, policy.weights)[wide] > 0).mean())
        for name, policy in policies.items()
    }


def _quickest(work: Callable[[], object]) -> float:
    """The seconds of the quickest of some runs; the first loads the kernels."""
    runs: list[float] = []
    while len(runs) < 2 or (len(runs) <= REPEATS and sum(runs[1:]) < ENOUGH):
        started = time.perf_counter()
        work()
        runs.append(time.perf_counter() - started)
    return min(runs[1:])
