"""A model of discontinuous phrases made by hand: the toy model's blocks, and a PLCFRS with its policies."""

from __future__ import annotations

from typing import Any

import numpy as np

import toy_model
from secateur import read_tree
from secateur.features.item import TEMPLATES, ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.induce import induce
from secateur.kinds.lcfrs import KIND
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.ways import ways
from secateur.models.model import Model
from secateur.models.point import Point
from secateur.search.core import Policy
from secateur.treebanks.formats import discbracket
from secateur.treebanks.tree import Tree

CROSSING = "(ROOT (S (VP (WP 0=what) (VB 3=see)) (VBD 1=did) (NP (DT 2=you))) (. 4=?))"


def trees() -> list[Tree]:
    """Those of the toy model, and one with a gap."""
    return [*map(read_tree, toy_model.TREES.splitlines()), discbracket.read_tree(CROSSING)]


def toy_lcfrs_model() -> Model[Any, Any]:
    """The toy model's points, and, worse than these, the ways that deduce: "items" keeps every item, and
    "coarse-0" every span."""
    toy, own = toy_model.toy_model(), trees()
    grammar, blocks = induce(own), toy.parts
    spans = SpanFeatures(blocks.features.vocabulary, TEMPLATES, bits=toy_model.BITS)
    features = ItemFeatures.of_grammar(grammar, spans)
    keeps = np.zeros(features.dim, np.float32)
    keeps[features.bias] = 1.0
    spans_kept = np.zeros(features.dim, np.float32)
    spans_kept[blocks.features.rows(blocks.features.columns(["a"] * 3), np.array([[0, 2]]))[0]] = 1.0
    policies = {**toy.policies, "items": Policy(keeps), "coarse-0": Policy(spans_kept)}
    coarse = CoarseToFine.induced(grammar, own)
    masks = ("coarse-0",)
    deduction = Deduction(grammar, coarse, features, ("items",), blocks.features, masks, *masks)
    parts = LcfrsParts(blocks, deduction)
    deduced = [
        Point(name, way, 30.0, 25.0, 35.0, 1.0, 1000.0, 0.02, 1.0, 0.0)
        for name, way in ways(parts, policies).items()
        if name.endswith("plcfrs")
    ]
    return Model(KIND, parts, policies, [*toy.points, *deduced], toy.settings)
