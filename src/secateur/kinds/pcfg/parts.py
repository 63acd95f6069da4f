"""The parts of a model of phrases: a grammar, and the features of its policies."""

from __future__ import annotations

from dataclasses import dataclass

from secateur.features.span import SpanFeatures
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG


@dataclass(frozen=True)
class PcfgParts:
    """A mere grammar has no features."""

    grammar: PCFG | SplitPCFG
    features: SpanFeatures | None = None
