"""Many sentences at once, as the kernels of dependency parsing take them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from secateur.features.arc import POINT, VERB, ArcFeatures
from secateur.kernels.arcs.features import AROUND
from secateur.kernels.perceptron.mira import Corpus
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.treebanks.dependency_tree import DependencyTree


def corpus_of(features: ArcFeatures, trees: Sequence[DependencyTree]) -> Corpus:
    """Sentences one after the other, with their heads."""
    corpus = unparsed_corpus(features, trees)
    for a, tree in zip(corpus.start.tolist(), trees, strict=False):
        corpus.heads[a + 1 : a + 1 + len(tree)] = tree.heads
    return corpus


def unparsed_corpus(features: ArcFeatures, trees: Sequence[DependencyTree]) -> Corpus:
    """Sentences one after the other, with room for heads."""
    start = [0, *accumulate([len(tree.words) + AROUND for tree in trees])]
    rows = features.rows.of([(tree.words, tree.tags, tree.coarse) for tree in trees])
    by_place, views = rows[:, :-1], len(features.view_names)
    keys = np.empty(by_place.size, np.uint64)
    for a, b in pairwise(start):
        keys[views * a : views * b].reshape(views, b - a)[:] = by_place[a:b].T
    # By position: the root's is 0. What else is around a sentence has no flags.
    is_verb, is_point = np.zeros((2, len(rows)), np.bool_)
    is_verb[:-1], is_point[:-1] = rows[1:, -1] & VERB, rows[1:, -1] & POINT
    return Corpus(keys, views, is_verb, is_point, np.full(len(rows), -1, np.int32), np.array(start, np.int64))


def corpus_tags(limits: LengthLimits, trees: Sequence[DependencyTree]) -> npt.NDArray[np.int32]:
    """The tags of sentences as numbers, by position as in their corpus."""
    behind = (0,) * (AROUND - 1)
    numbers: list[int] = []
    for tree in trees:
        numbers += limits.listed(tree.tags)
        numbers += behind
    return np.array(numbers, np.int32)
