"""Many sentences at once, as the kernels of dependency parsing take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from secateur.dependencies import DependencyTree
from secateur.features.arc import ArcFeatures
from secateur.kernels.arc_features import AROUND
from secateur.kernels.mira import Corpus


def corpus_of(features: ArcFeatures, trees: Sequence[DependencyTree]) -> Corpus:
    """Sentences one after the other, with their heads."""
    sentences = [features.sentence(tree.words, tree.tags, tree.coarse) for tree in trees]
    sizes = [len(tree.words) + AROUND for tree in trees]
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    total = int(start[-1])
    is_verb, is_point = np.zeros(total, np.bool_), np.zeros(total, np.bool_)
    heads = np.full(total, -1, np.int32)
    for a, sentence, tree in zip(start.tolist(), sentences, trees, strict=False):
        b = a + len(tree.words) + 1
        is_verb[a:b], is_point[a:b] = sentence.is_verb, sentence.is_point
        heads[a + 1 : b] = tree.heads
    keys = np.concatenate([sentence.keys.ravel() for sentence in sentences])
    return Corpus(keys, len(features.view_names), is_verb, is_point, heads, start)
