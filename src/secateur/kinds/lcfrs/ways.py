"""The ways to parse with blocks: what prunes their spans, and how a split grammar decodes. A mere PLCFRS has
but one."""

from __future__ import annotations

from collections.abc import Iterable

from secateur.kinds.lcfrs.parts import LcfrsParts, PlcfrsParts
from secateur.kinds.pcfg import ways as blocks
from secateur.kinds.pcfg.ways import UNPRUNED, VITERBI, way_of
from secateur.models.point import Way


def ways(parts: LcfrsParts, policies: Iterable[str]) -> dict[str, Way]:
    """By the names of their points; the first is the whole grammar without a policy."""
    if isinstance(parts, PlcfrsParts):
        return {UNPRUNED: way_of(None, VITERBI)}
    return blocks.ways(parts, policies)
