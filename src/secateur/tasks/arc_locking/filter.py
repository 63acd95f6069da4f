"""Filters of arcs: few templates, and a cheap model of each word's head by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs import filter as kernel
from secateur.kernels.arcs.features import AROUND, EACH
from secateur.kernels.perceptron.mira import Arcs, Corpus
from secateur.search.arrays import Weights
from secateur.tasks.arc_locking.limits import LengthLimits


@dataclass(frozen=True, eq=False)
class ArcFilter:
    """Bars arcs that it finds less likely, by a factor of exp(margin), than the best to the same word."""

    templates: tuple[int, ...]
    weights: Weights  # [2^b]
    margin: float


def compiled(features: ArcFeatures, filters: Sequence[ArcFilter]) -> kernel.Filters:
    """Filters in a row as the kernels have them."""
    groups = [features.group(own.templates) for own in filters]
    return kernel.Filters(
        np.concatenate([np.empty(0, np.uint32), *(group.pattern for group in groups)]),
        np.concatenate([np.empty(0, np.uint32), *(group.wanted for group in groups)]),
        np.cumsum([0, *(len(group.pattern) for group in groups)]),
        np.concatenate([np.empty(0, np.float32), *(own.weights for own in filters)]),
        np.cumsum([0, *(len(own.weights) for own in filters)]),
        np.array([own.margin for own in filters], np.float32),
    )


def filter_templates(features: ArcFeatures, ranked: Sequence[int], count: int) -> tuple[int, ...]:
    """Both templates of the first ranked patterns; those that look at each word between cost too much."""
    between = features.compiled.between
    patterns = dict.fromkeys(t // 2 for t in ranked if t < features.first and between[t // 2] != EACH)
    return tuple(t for pattern in list(patterns)[:count] for t in (2 * pattern, 2 * pattern + 1))


def likely(
    features: ArcFeatures,
    filters: Sequence[ArcFilter],
    corpus: Corpus,
    tags: npt.NDArray[np.int32],
    limits: LengthLimits,
) -> Arcs:
    """The arcs of a corpus that limits and filters leave. `tags`: numbers in the limits, by position."""
    start = np.cumsum([0, *((np.diff(corpus.start) - AROUND + 1) ** 2)])
    allowed = np.zeros(start[-1], np.bool_)
    kernel.likely_corpus(
        features.compiled, compiled(features, filters), corpus, tags, limits.longest, allowed, start
    )
    return Arcs(allowed, start)


def with_gold(arcs: Arcs, corpus: Corpus) -> Arcs:
    """The same arcs, and the true ones."""
    allowed = arcs.allowed.copy()
    for a, b, start in zip(corpus.start[:-1], corpus.start[1:], arcs.start[:-1], strict=True):
        words = np.arange(1, b - a - AROUND + 1)
        allowed[start + words * (len(words) + 1) + corpus.heads[a + words]] = True
    return Arcs(allowed, arcs.start)
