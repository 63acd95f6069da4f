"""A model's points that parse by agenda."""

from __future__ import annotations

from collections.abc import Mapping

from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.agenda import AgendaParser
from secateur.kinds.pcfg.agenda_given import Order
from secateur.kinds.pcfg.orders import order_level
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import Using
from secateur.kinds.pcfg.ways import HALT, ORDER, how_of
from secateur.models.limits import Limits
from secateur.models.point import Way
from secateur.search.core import Policy
from secateur.tasks.span_pruning.masks import LearnedMask


def agenda_parser_of(
    parts: PcfgParts, way: Way, policies: Mapping[str, Policy], limits: Limits, using: Using
) -> AgendaParser:
    """A model's parser that goes one of its ways, by agenda."""
    orders, mask = parts.orders, way.get("mask")
    assert orders is not None, "who has such ways has orders"
    features, name = orders.features, str(way[ORDER])
    return AgendaParser(
        features.grammar,
        order=Order(features, orders.weights_of(name)),
        how=how_of(way),
        spans=None if mask is None else LearnedMask(parts.features, policies[str(mask)]),
        limits=limits,
        deadline=using.seconds,
        using=using,
        bounds=bounds_of(parts.grammar, features.grammar) if using.certify else None,
        halting=orders.halting_of(name) if HALT in way else None,
    )


def bounds_of(grammar: PCFG | SplitPCFG, items: PCFG) -> Bounds:
    """What there is outside of a model's items at best: as one level below theirs has it, or, where there is
    none, they themselves."""
    level = order_level(grammar)
    if isinstance(grammar, PCFG) or level == 0:
        return Bounds.own(items)
    return Bounds.of(seen_from(grammar.alone, level), items, level - 1)
