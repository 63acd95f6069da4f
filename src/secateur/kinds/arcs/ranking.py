"""The order in which templates are worth computing: forward selection on held-out trees, and groups of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs import ranking as kernel
from secateur.kernels.perceptron.mira import Corpus
from secateur.search.arrays import Floats, Ints, Weights

Units = Sequence[Sequence[int]]
Report = Callable[[int, int, float], None]  # units chosen, of how many, share of right heads


@dataclass(frozen=True, slots=True)
class Ranking:
    """Units of templates, the most useful first, and the share of right heads after each."""

    units: tuple[tuple[int, ...], ...]
    accuracy: tuple[float, ...]

    @property
    def templates(self) -> tuple[int, ...]:
        return tuple(itertools.chain(*self.units))

    @classmethod
    def checked(cls, stored: Any, features: ArcFeatures, where: str) -> Ranking:
        """From what was stored of one."""
        try:
            found = cls(tuple(map(tuple, stored["units"])), tuple(map(float, stored["accuracy"])))
            known = set(range(len(features.templates)))
            fits = bool(found.units) and set(found.templates) <= known
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits or len(found.units) != len(found.accuracy):
            fix = "delete this file: its piece of the training is done again"
            raise InputError("damaged: no ranking of these templates", where=where, fix=fix)
        return found


def rank(
    features: ArcFeatures,
    weights: Weights,
    corpus: Corpus,
    *,
    siblings: bool = False,
    units: Units | None = None,
    single_root: bool = True,
    jobs: int = 1,
    report: Report = lambda chosen, total, share: None,
) -> Ranking:
    """Templates, each the one that adds most to what is right: of arcs, in trees that may cross.

    Those of siblings are given all of arcs, and trees are projective. Units are templates that are chosen
    together, one by one if not given.
    """
    among = range(features.first, len(features.templates)) if siblings else range(features.first)
    units = units or [(template,) for template in among]
    start = kernel.count_parts(corpus, siblings)
    cached = _cached(features, units, weights, corpus, start, siblings=siblings)
    search: Callable[..., int] = partial(kernel.right_heads, corpus)
    if siblings:
        arc_start = kernel.count_parts(corpus, False)
        arcs = _cached(features, [range(features.first)], weights, corpus, arc_start, siblings=False)[0]
        search = partial(kernel.right_heads_siblings, corpus, arc_start, arcs)

    def right(sums: Floats, unit: int) -> int:
        return int(search(start, sums, cached[unit], single_root))

    return _forward(units, cached, right, _words(corpus), jobs, report)


def paired(ranking: Ranking) -> Ranking:
    """The same order of patterns: the two templates of one share a look-up, so each brings the other."""
    first: dict[int, float] = {}
    for template, accuracy in zip(ranking.templates, ranking.accuracy, strict=True):
        first.setdefault(template // 2, accuracy)
    return Ranking(tuple((2 * pattern, 2 * pattern + 1) for pattern in first), tuple(first.values()))


def prefixes(ranking: Ranking, ends: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Groups that end after so many units; the rest is the last one."""
    bounds = [0, *(end for end in ends if end < len(ranking.units)), len(ranking.units)]
    return tuple(tuple(itertools.chain(*ranking.units[a:b])) for a, b in itertools.pairwise(bounds))


def _cached(
    features: ArcFeatures, units: Units, weights: Weights, corpus: Corpus, start: Ints, *, siblings: bool
) -> Floats:
    """[units, R] what each unit says of each part of all sentences."""
    found = np.zeros((len(units), start[-1]), np.float32)
    for unit, own in zip(units, found, strict=True):
        group = features.group(unit)
        kernel.group_scores(features.compiled, group, weights, corpus, siblings, start, own)
    return found


def _forward(
    units: Units,
    cached: Floats,
    right: Callable[[Floats, int], int],
    words: int,
    jobs: int,
    report: Report,
) -> Ranking:
    """Greedy forward selection: a step is a sum of cached scores, and a search of all sentences."""
    left = list(range(len(units)))
    sums = np.zeros_like(cached[0])
    chosen: list[tuple[int, ...]] = []
    accuracy: list[float] = []
    with ThreadPoolExecutor(jobs) as threads:  # the kernels let go of the interpreter
        while left:
            # One share of the units for each thread: a search may take no longer than handing it over.
            shares = [left[a * len(left) // jobs : (a + 1) * len(left) // jobs] for a in range(jobs)]
            sought = threads.map(lambda share, sums=sums: [right(sums, unit) for unit in share], shares)
            found = list(itertools.chain.from_iterable(sought))
            best = int(np.argmax(found))
            number = left.pop(best)
            sums = sums + cached[number]
            chosen.append(tuple(units[number]))
            accuracy.append(found[best] / words)
            report(len(chosen), len(units), accuracy[-1])
    return Ranking(tuple(chosen), tuple(accuracy))


def _words(corpus: Corpus) -> int:
    return int((corpus.heads >= 0).sum())


def grouped(ranking: Ranking, count: int, *, start: float = 0.0) -> tuple[tuple[int, ...], ...]:
    """The ranked list in groups after each of which accuracy has grown by about the same.

    The first group is as large as it must be to reach the share `start` of the highest accuracy.
    """
    accuracy = np.maximum.accumulate(ranking.accuracy)
    total, count = len(accuracy), min(count, len(accuracy))
    low = max(accuracy[0], start * accuracy[-1])
    ends = [0]
    for number in range(count - 1):
        wanted = low + (accuracy[-1] - low) * number / (count - 1)
        reached = int(np.argmax(accuracy >= wanted)) + 1
        ends.append(min(max(reached, ends[-1] + 1), total - (count - 1 - number)))  # something for the rest
    ends.append(total)
    return tuple(tuple(itertools.chain(*ranking.units[a:b])) for a, b in itertools.pairwise(ends))
