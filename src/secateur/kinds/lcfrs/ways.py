"""The ways to parse discontinuous phrases.

By blocks: what prunes their spans, and how a split grammar decodes (`kinds.pcfg.ways`). By deduction with a
PLCFRS: what says which items to make, the coarse grammar, a policy, both or neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.pcfg import ways as blocks
from secateur.models.point import Way
from secateur.search.core import Policy

DEDUCE = "plcfrs"


def ways(parts: LcfrsParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
    """By the names of their points: coarse+items-lols-2+plcfrs; the first looks at everything."""
    found = {} if parts.blocks is None else blocks.ways(parts.blocks, _of_spans(parts, policies))
    return found | _by_name(parts, policies)


def offered(parts: LcfrsParts, policies: Mapping[str, Policy]) -> dict[str, Way]:
    """Those that a dial is made of: of blocks a choice; of deduction, where a coarse grammar is there, what
    goes by it, for all else takes many times as long."""
    found = {} if parts.blocks is None else blocks.offered(parts.blocks, _of_spans(parts, policies))
    by_coarse = parts.deduction is not None and parts.deduction.coarse is not None
    return found | {
        name: way for name, way in _by_name(parts, policies).items() if way["coarse"] or not by_coarse
    }


def is_deduced(way: Way) -> bool:
    """Whether a way deduces."""
    return way["decode"] == DEDUCE


def _of_spans(parts: LcfrsParts, policies: Mapping[str, Policy]) -> list[str]:
    """The policies that are not about items."""
    others = parts.deduction.policies if parts.deduction is not None else ()
    return [name for name in policies if name not in others]


def _by_name(parts: LcfrsParts, policies: Iterable[str]) -> dict[str, Way]:
    """The ways that deduce, with those of their policies that are there."""
    if parts.deduction is None:
        return {}
    last = (DEDUCE,) if parts.blocks is not None else ()
    return {"+".join((*_names(way), *last)): way for way in _deduced(parts.deduction, policies)}


def _names(way: Way) -> list[str]:
    """Of what a way deduces with: coarse, items-lols-2."""
    named = ["coarse"] if way["coarse"] else []
    named += [str(way["mask"])] if "mask" in way else []
    return named or [blocks.UNPRUNED]


def _deduced(deduction: Deduction, policies: Iterable[str]) -> list[Way]:
    first = (False, True) if deduction.coarse is not None else (False,)
    found: list[Way] = [{"decode": DEDUCE, "coarse": coarse} for coarse in first]
    there = set(policies)
    for name in (one for one in deduction.policies if one in there):
        found += [{"mask": name, "decode": DEDUCE, "coarse": coarse} for coarse in first]
    return found
