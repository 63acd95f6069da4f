"""The ways to parse discontinuous phrases.

By blocks: what prunes their spans, and how a split grammar decodes (`kinds.pcfg.ways`). By deduction with a
PLCFRS: what says which items to make, the coarse grammar, a policy, both or neither.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.pcfg import ways as blocks
from secateur.models.point import Way
from secateur.search.core import Policy

DEDUCE = "plcfrs"


def ways(parts: LcfrsParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
    """By the names of their points: coarse-lols-1+items-lols-2+plcfrs; the first looks at everything."""
    found: dict[str, Way] = {}
    own = parts.deduction.named if parts.deduction is not None else ()
    if parts.blocks is not None:
        found = blocks.ways(parts.blocks, [name for name in policies if name not in own])
    if parts.deduction is not None:
        last = (DEDUCE,) if parts.blocks is not None else ()
        found |= {"+".join((*_names(way), *last)): way for way in _deduced(parts.deduction, policies)}
    return found


def is_deduced(way: Way) -> bool:
    """Whether a way deduces."""
    return way["decode"] == DEDUCE


def _names(way: Way) -> list[str]:
    """Of what a way deduces with: coarse-lols-1, items-lols-2."""
    named = [str(way.get("spans", "coarse"))] if way["coarse"] else []
    named += [str(way["mask"])] if "mask" in way else []
    return named or [blocks.UNPRUNED]


def _deduced(deduction: Deduction, policies: Collection[str]) -> list[Way]:
    """Policies about items are used alone, and behind what they have learned behind."""
    exact: Way = {"decode": DEDUCE, "coarse": False}
    first, behind = [exact], [exact]
    if deduction.coarse is not None:
        coarse: Way = {**exact, "coarse": True}
        masked = {name: {**coarse, "spans": name} for name in deduction.masks if name in policies}
        first += [coarse, *masked.values()]
        behind.append(masked.get(deduction.behind or "", coarse))
    own = [name for name in deduction.policies if name in policies]
    return [*first, *({**way, "mask": name} for name in own for way in behind)]
