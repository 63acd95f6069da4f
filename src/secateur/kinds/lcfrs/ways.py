"""The ways to parse discontinuous phrases.

By blocks: what prunes their spans, and how a split grammar decodes (`kinds.pcfg.ways`); the trees that are
likeliest by max-rule may be ranked by features of whole trees. By deduction with a PLCFRS: what says which
items to make, the coarse grammar, a policy, both or neither.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.pcfg import ways as blocks
from secateur.models.point import Way
from secateur.search.core import Policy

DEDUCE = "plcfrs"
RANKED = "ranked"


def ways(parts: LcfrsParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
    """By the names of their points: coarse-1+items-lols-2+plcfrs; the first looks at everything."""
    found = {} if parts.blocks is None else blocks.ways(parts.blocks, _of_spans(parts, policies))
    return found | _ranked(parts, found) | _by_name(parts, policies)


def offered(parts: LcfrsParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
    """Those that a dial is made of: of blocks a choice. Ranking takes its time: what prunes much before it
    gains little."""
    masks = _of_spans(parts, policies)
    found = {} if parts.blocks is None else blocks.offered(parts.blocks, masks)
    slow = {name: way for name, way in found.items() if way.get("mask") in (None, *masks[:1])}
    return found | _ranked(parts, slow) | _by_name(parts, policies)


def is_deduced(way: Way) -> bool:
    """Whether a way deduces."""
    return way["decode"] == DEDUCE


def _of_spans(parts: LcfrsParts, policies: Mapping[str, Policy]) -> list[str]:
    """The policies that are not about deduction."""
    others = parts.deduction.named if parts.deduction is not None else ()
    return [name for name in policies if name not in others]


def _ranked(parts: LcfrsParts, every: Mapping[str, Way]) -> dict[str, Way]:
    """Of ways by blocks, those with several trees, which are ranked then."""
    if parts.ranker is None:
        return {}
    several = {name: way for name, way in every.items() if way["decode"] != blocks.VITERBI}
    return {f"{name}+{RANKED}": {**way, RANKED: True} for name, way in several.items()}


def _by_name(parts: LcfrsParts, policies: Collection[str]) -> dict[str, Way]:
    """The ways that deduce, with those of their policies that are there."""
    if parts.deduction is None:
        return {}
    last = (DEDUCE,) if parts.blocks is not None else ()
    return {"+".join((*_names(way), *last)): way for way in _deduced(parts.deduction, policies)}


def _names(way: Way) -> list[str]:
    """Of what a way deduces with: coarse-1, items-lols-2."""
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
