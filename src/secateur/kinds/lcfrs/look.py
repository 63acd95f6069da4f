"""What a way to parse does with a sentence: the chart of its blocks, decisions, features, and the tree."""

from __future__ import annotations

from secateur.kinds.pcfg import look as pcfg
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.models.kind import Look, LookedAt
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.tree import Tree


def look(looked_at: LookedAt[PcfgParts, Tree]) -> Look:
    """As of phrases: the chart is that of blocks, the trees are what they are put together to."""
    return pcfg.look(looked_at, pcfg.Shape(split, merge, DiscontinuousScoring()))
