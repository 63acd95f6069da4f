"""The order in which templates are worth computing: forward selection on held-out trees, and groups of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.kernels import ranking as kernel
from secateur.kernels.mira import Corpus
from secateur.search.core import Floats, Weights

Report = Callable[[int, int, float], None]  # templates chosen, of how many, share of right heads


@dataclass(frozen=True, slots=True)
class Ranking:
    """Templates, the most useful first, and the share of right heads after each."""

    templates: tuple[int, ...]
    accuracy: tuple[float, ...]


def rank(
    features: ArcFeatures,
    weights: Weights,
    corpus: Corpus,
    *,
    single_root: bool = True,
    jobs: int = 1,
    report: Report = lambda chosen, total, share: None,
) -> Ranking:
    """First-order templates, each the one that adds most to what trees that may cross get right."""
    templates = np.arange(features.first)
    start = kernel.count_parts(corpus, False)
    cached = np.zeros((len(templates), start[-1]), np.float32)
    kernel.template_scores(features.compiled, templates, weights, corpus, False, start, cached)

    def right(sums: Floats, template: int) -> int:
        return int(kernel.right_heads(corpus, start, sums, cached[template], single_root))

    return _forward(cached, right, _words(corpus), jobs, report)


def rank_siblings(
    features: ArcFeatures,
    weights: Weights,
    corpus: Corpus,
    *,
    single_root: bool = True,
    jobs: int = 1,
    report: Report = lambda chosen, total, share: None,
) -> Ranking:
    """Second-order templates, given all of the first order, by what projective trees get right."""
    arc_start = kernel.count_parts(corpus, False)
    arcs = np.zeros((features.first, arc_start[-1]), np.float32)
    all_arcs = np.arange(features.first)
    kernel.template_scores(features.compiled, all_arcs, weights, corpus, False, arc_start, arcs)
    of_arcs = arcs.sum(axis=0)
    templates = np.arange(features.first, len(features.templates))
    start = kernel.count_parts(corpus, True)
    cached = np.zeros((len(templates), start[-1]), np.float32)
    kernel.template_scores(features.compiled, templates, weights, corpus, True, start, cached)

    def right(sums: Floats, template: int) -> int:
        return int(
            kernel.right_heads_siblings(
                corpus, arc_start, of_arcs, start, sums, cached[template], single_root
            )
        )

    found = _forward(cached, right, _words(corpus), jobs, report)
    return Ranking(tuple(t + features.first for t in found.templates), found.accuracy)


def _forward(
    cached: Floats, right: Callable[[Floats, int], int], words: int, jobs: int, report: Report
) -> Ranking:
    """Greedy forward selection: a step is a sum of cached scores, and a search of all sentences."""
    left = list(range(len(cached)))
    sums = np.zeros_like(cached[0])
    chosen: list[int] = []
    accuracy: list[float] = []
    with ThreadPoolExecutor(jobs) as threads:  # the kernels let go of the interpreter
        while left:
            found = list(threads.map(partial(right, sums), left))
            best = int(np.argmax(found))
            chosen.append(left.pop(best))
            sums = sums + cached[chosen[-1]]
            accuracy.append(found[best] / words)
            report(len(chosen), len(cached), accuracy[-1])
    return Ranking(tuple(chosen), tuple(accuracy))


def _words(corpus: Corpus) -> int:
    return int((corpus.heads >= 0).sum())


def grouped(ranking: Ranking, count: int, *, start: float = 0.0) -> tuple[tuple[int, ...], ...]:
    """The ranked list in groups after each of which accuracy has grown by about the same.

    The first group is as large as it must be to reach the share `start` of the highest accuracy.
    """
    accuracy = np.maximum.accumulate(ranking.accuracy)
    low = max(accuracy[0], start * accuracy[-1])
    ends = [int(np.argmax(accuracy >= low)) + 1]
    for number in range(1, count - 1):
        wanted = low + (accuracy[-1] - low) * number / (count - 1)
        ends.append(max(int(np.argmax(accuracy >= wanted)) + 1, ends[-1] + 1))
    ends = [*(end for end in ends if end < len(accuracy)), len(accuracy)] if count > 1 else [len(accuracy)]
    return tuple(ranking.templates[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True))


def even(templates: Sequence[int], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Groups of the given sizes; the rest is the last one."""
    ends = np.cumsum(sizes).tolist()
    starts = [0, *ends]
    return tuple(tuple(templates[a:b]) for a, b in zip(starts, [*ends, len(templates)], strict=True) if b > a)
