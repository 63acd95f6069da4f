"""What a way to parse does with a sentence: the chart of its blocks, decisions, features, and the tree."""

from __future__ import annotations

from secateur.kinds.lcfrs import items_look
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.ways import is_deduced
from secateur.kinds.pcfg import look as pcfg
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.models.kind import Look, LookedAt
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.tree import Tree


def look(looked_at: LookedAt[LcfrsParts, Tree]) -> Look:
    """Of deduction, its items. Of blocks as of phrases: the chart is theirs, the trees are what they are put
    together to."""
    if is_deduced(looked_at.way):
        return items_look.look(looked_at)
    assert looked_at.parts.blocks is not None, "blocks have ways where they are there"
    # Field by field: the tuple's type goes with that of the parts.
    inner: LookedAt[PcfgParts, Tree] = LookedAt(looked_at.parts.blocks, *looked_at[1:])
    return pcfg.look(inner, pcfg.Shape(split, merge, DiscontinuousScoring()))
