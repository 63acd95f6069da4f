"""A dependency model of the garden, small and quickly made."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from secateur.features.arc import ArcFeatures
from secateur.kernels.arcs.locking import CLASSES, META, STATE
from secateur.kinds.arcs import KIND
from secateur.kinds.arcs.filters import train_filters
from secateur.kinds.arcs.labels import Labeller
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.tagger import Tagger
from secateur.kinds.arcs.ways import FULL, policy_name
from secateur.kinds.arcs.weights import staged_weights
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.search.core import Policy
from secateur.tasks.arc_locking.corpus import corpus_of
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcModels
from secateur.treebanks.dependencies import DependencyBank
from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.garden import garden
from secateur.treebanks.text import has_penn_spelling

BITS = 14
# The second pattern of siblings is one of arcs too: what is stored must tell them apart.
FEATURES = ArcFeatures(
    patterns=("tag[h] tag[m]", "word[h] tag[m]", "tag[m-1] tag[m] tag[h]", "coarse[h] coarse{b} coarse[m]"),
    siblings=("tag[s] tag[m]", "tag[h] tag[m]"),
)
GROUPS = ((0, 1), (2, 4, 5), (3, 6, 7))
SIBLINGS = ((9, 8), (10, 11))
MARGINS = ((4.0, 3.0), (1.0, 0.5), (1e6, 1e6))  # the last lets all pass


@cache
def grown(count: int, seed: int = 0) -> DependencyBank:
    return DependencyBank((sample.dependencies for sample in garden(count, seed=seed)), name="garden")


# Made up, so that tests know what the dial picks.
POINTS = (
    Point(FULL, {}, 90.0, 89.0, 91.0, 0.5, 2000.0, 0.01, 1.0, 0.0),
    Point("static-0", {"last": 0}, 70.0, 69.0, 71.0, 0.1, 20000.0, 0.001, 0.2, 0.0, 300.0),
    Point(policy_name(0), {"policy": policy_name(0)}, 89.5, 88.0, 91.0, 0.2, 8000.0, 0.002, 0.4, 0.01, 20.0),
    Point("static-1", {"last": 1}, 80.0, 79.0, 81.0, 0.3, 7000.0, 0.0025, 0.6, 0.0),
)


@cache
def toy_parts(*, siblings: bool = False, filters: bool = False) -> ArcParts:
    """There is a tagger and a labeller."""
    trees = grown(80)
    groups = (*GROUPS, *SIBLINGS) if siblings else GROUPS
    weights = staged_weights(FEATURES, corpus_of(FEATURES, trees), groups, epochs=2, bits=BITS)
    limits = LengthLimits.from_trees(trees)
    return ArcParts(
        FEATURES,
        groups,
        ArcModels(weights),
        limits,
        train_filters(FEATURES, trees, limits, range(8), (1, 3), MARGINS[0]) if filters else (),
        MARGINS if filters else (),
        Tagger.train(trees, epochs=2),
        Labeller.train(trees, epochs=2),
        penn=has_penn_spelling(trees.vocabulary()),
    )


@cache
def toy_dependency_model(*, siblings: bool = False, filters: bool = False) -> Model[ArcParts, DependencyTree]:
    """dagger-0 locks what has a margin of some size."""
    parts = toy_parts(siblings=siblings, filters=filters)
    settings = {"trees": 80, "held out": 14, "judged on": 7, "checksum": "c0ffee", "repeat": 3}
    ways = KIND.ways(parts, {policy_name(0): confident(len(parts.groups))})
    return Model(
        KIND,
        parts,
        {policy_name(0): confident(len(parts.groups))},
        [replace(point, way=ways[point.name]) for point in POINTS],
        settings,
        [{"name": policy_name(0), "cost": 2.0}],
    )


def confident(stages: int, share: float = 0.75) -> Policy:
    """Locks by the margin alone: the classes above a share of all."""
    classes = CLASSES
    weights = np.zeros(META, np.float32)
    for stage in range(stages):
        start = stage * (1 + STATE * classes)
        weights[start] = -1.0
        weights[start + 1 + 2 * classes + int(share * classes) : start + 1 + 3 * classes] = 2.0
    return Policy(weights)
