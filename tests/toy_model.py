"""A model made by hand, so that tests know what it keeps and why."""

from __future__ import annotations

from collections import Counter

import numpy as np

from secateur import induce, read_tree
from secateur.features.span import TEMPLATES, SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.search.core import Policy
from secateur.tasks.span_pruning.task import SpanPruning
from secateur.treebanks.tree import Tree

TREES = """\
(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))
(ROOT (S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .)))
(ROOT (S (NP (DT a) (NN bird)) (VP (VBD sang) (PP (IN in) (NP (DT the) (NN tree)))) (. .)))
(ROOT (S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (DT a) (NN bird)) (PP (IN in) (NP (DT a) (NN tree)))) (. .)))
"""
BIAS, LEARNED = -1.0, 2.0
BITS = 18


def toy_model(binarization: Binarization | None = None) -> Model[PcfgParts, Tree]:
    """ "careful" keeps the spans whose first and last words it saw in a gold span; "hasty" prunes all.

    A binarization is recorded if given; otherwise the model is like those that record nothing of it.
    """
    way = binarization or Binarization()
    trees = [read_tree(line) for line in TREES.splitlines()]
    grammar = induce(trees, binarization=way)
    features = SpanFeatures.from_words(Counter(w for t in trees for w in t.words()), rare=0, bits=BITS)
    task = SpanPruning(grammar, features, way)
    bias, pair = TEMPLATES.index("bias"), TEMPLATES.index("word[i] word[k-1]")
    hasty, careful = np.zeros(features.dim, np.float32), np.zeros(features.dim, np.float32)
    for tree in trees:
        sites = np.argwhere(task.gold(tree).spans).astype(np.int32)
        rows = features.rows(features.columns(tree.words()), sites)
        careful[rows[:, pair]] = LEARNED
        hasty[rows[:, bias]] = careful[rows[:, bias]] = BIAS
    points = [
        Point("exact", {"decode": "viterbi"}, 70.0, 68.0, 72.0, 0.5, 2000.0, 0.01, 1.0, 0.0),
        Point(
            "slow", {"mask": "slow", "decode": "viterbi"}, 65.0, 63.0, 67.0, 0.2, 5000.0, 0.004, 0.5, 0.0, 3.0
        ),
        Point(
            "careful",
            {"mask": "careful", "decode": "viterbi"},
            69.0,
            67.0,
            71.0,
            0.1,
            10000.0,
            0.002,
            0.3,
            0.01,
            10.0,
        ),
        Point(
            "hasty",
            {"mask": "hasty", "decode": "viterbi"},
            40.0,
            35.0,
            45.0,
            0.001,
            50000.0,
            0.0004,
            0.0,
            0.6,
            900.0,
        ),
    ]
    policies = {"slow": Policy(careful), "careful": Policy(careful), "hasty": Policy(hasty)}
    settings = {"trees": len(trees), "held out": 14, "judged on": 7, "checksum": "c0ffee", "repeat": 3}
    settings |= binarization.notes() if binarization else {}
    return Model(KIND, PcfgParts(grammar, features), policies, points, settings)
