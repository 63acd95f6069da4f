"""What a way to parse does with a sentence: the chart of its blocks, decisions, features, and the tree."""

from __future__ import annotations

from secateur.kinds.lcfrs import items_look
from secateur.kinds.lcfrs.parser import RankedParser, parser_of
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.settings import Using
from secateur.kinds.lcfrs.ways import RANKED, is_deduced
from secateur.kinds.pcfg import look as pcfg
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.models.kind import Look, LookedAt
from secateur.models.limits import Limits
from secateur.models.parse import Parse
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.tree import Tree

SHOWN = 3  # of the trees that were ranked


def look(looked_at: LookedAt[LcfrsParts, Tree]) -> Look:
    """Of deduction, its items. Of blocks as of phrases: the chart is theirs, the trees are what they are put
    together to, and those that were ranked stand before them."""
    if is_deduced(looked_at.way):
        return items_look.look(looked_at)
    assert looked_at.parts.blocks is not None, "blocks have ways where they are there"
    # Field by field: the tuple's type goes with that of the parts.
    inner: LookedAt[PcfgParts, Tree] = LookedAt(looked_at.parts.blocks, *looked_at[1:])
    found = pcfg.look(inner, pcfg.Shape(split, merge, DiscontinuousScoring()))
    if RANKED not in looked_at.way:
        return found
    best = _ranked(looked_at)
    told = [f"expected F1 {100 * (parse.score or 0.0):.1f}: {parse.tree}" for parse in best]
    fields = {**found.fields, RANKED: [{"tree": str(one.tree), "expected F1": one.score} for one in best]}
    return found._replace(text="\n".join((*told, "", "By rules alone:", found.text)), fields=fields)


def _ranked(looked_at: LookedAt[LcfrsParts, Tree]) -> list[Parse[Tree]]:
    """The trees that are ranked first."""
    parser = parser_of(looked_at.parts, looked_at.way, looked_at.policies, Limits(), Using())
    assert isinstance(parser, RankedParser), "a ranked way has such a parser"
    return parser.kbest(looked_at.sentence, SHOWN)
