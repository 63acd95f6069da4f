"""Filters in a row, each trained on what those before it leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs.filter import train_filter
from secateur.kernels.perceptron.mira import Arcs, Corpus
from secateur.models.arrays import Schema, Spec
from secateur.tasks.arc_locking.corpus import corpus_of, corpus_tags
from secateur.tasks.arc_locking.filter import ArcFilter, filter_templates, likely
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.treebanks.dependency_tree import DependencyTree

BITS = (18, 20)  # tables of the first filters, and of those after them: the first sees most arcs
EPOCHS = 4
RATE = 0.05
FIRST_SQUARE = 0.1  # keeps the first steps of AdaGrad small
WIDER = 1.5  # a filter is too sure of the trees it was trained on: the next one sees more of them than later


def train_filters(
    features: ArcFeatures,
    trees: Sequence[DependencyTree],
    limits: LengthLimits,
    ranked: Sequence[int],
    patterns: Sequence[int],
    margins: Sequence[float],
    *,
    seed: int = 0,
) -> tuple[ArcFilter, ...]:
    """As many filters as numbers of patterns and margins; each has the first patterns of the ranking."""
    corpus, tags = corpus_of(features, trees), corpus_tags(limits, trees)
    found: list[ArcFilter] = []
    for number, (count, margin) in enumerate(zip(patterns, margins, strict=True)):
        arcs = likely(features, [wider(own) for own in found], corpus, tags, limits)
        templates = filter_templates(features, ranked, count)
        found.append(_trained(features, corpus, arcs, templates, margin, _bits(number), seed))
    return tuple(found)


def filters_schema(count: int) -> Schema:
    """Of the weights of so many filters, by their numbers."""
    return {f"{number}": Spec("f4", (1 << _bits(number),)) for number in range(count)}


def _bits(number: int) -> int:
    return BITS[min(number, len(BITS) - 1)]


def wider(own: ArcFilter) -> ArcFilter:
    """As it is used on the trees it was trained on."""
    return replace(own, margin=own.margin + WIDER)


def _trained(
    features: ArcFeatures,
    corpus: Corpus,
    arcs: Arcs,
    templates: tuple[int, ...],
    margin: float,
    bits: int,
    seed: int,
) -> ArcFilter:
    """The average of the weights after each pass."""
    rng = np.random.default_rng(seed)
    weights, squares = np.zeros(1 << bits, np.float32), np.full(1 << bits, FIRST_SQUARE, np.float32)
    total = np.zeros(1 << bits, np.float32)
    group = features.group(templates)
    for _ in range(EPOCHS):
        order = rng.permutation(len(corpus.start) - 1)
        train_filter(features.compiled, group, weights, squares, RATE, corpus, arcs, order)
        total += weights
    return ArcFilter(templates, total / np.float32(EPOCHS), margin)
