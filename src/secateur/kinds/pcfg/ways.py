"""The ways to parse with a grammar: what prunes its spans, and how a split one decodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.models.point import Way

UNPRUNED = "exact"  # the name of points without a policy
VITERBI, MAX_RULE, PRODUCT = "viterbi", "max-rule", "product"


def decoders(grammar: PCFG | SplitPCFG) -> tuple[str, ...]:
    """How a grammar can decode, the fastest first: of a split one, Viterbi is that of its unsplit grammar."""
    if isinstance(grammar, PCFG):
        return (VITERBI,)
    return (VITERBI, MAX_RULE, PRODUCT) if grammar.others else (VITERBI, MAX_RULE)


def way_of(mask: str | None, decode: str) -> Way:
    return {"decode": decode} if mask is None else {"mask": mask, "decode": decode}


def name_of(way: Way) -> str:
    """Of a way's point: lols-3+max-rule."""
    decode = "" if way["decode"] == VITERBI else f"+{way['decode']}"
    return f"{way.get('mask', UNPRUNED)}{decode}"


def ways(parts: PcfgParts, policies: Iterable[str]) -> dict[str, Way]:
    """By the names of their points; the first is the whole grammar without a policy."""
    every = decoders(parts.grammar)
    found = [way_of(None, decode) for decode in reversed(every)]
    found += [way_of(mask, decode) for mask in policies for decode in every]
    return {name_of(way): way for way in found}


def grammar_of(grammar: PCFG | SplitPCFG, way: Way) -> PCFG | SplitPCFG:
    """What of a grammar a way parses with."""
    if isinstance(grammar, PCFG) or way["decode"] == PRODUCT:
        return grammar
    return replace(grammar, others=()) if way["decode"] == MAX_RULE else grammar.coarse
