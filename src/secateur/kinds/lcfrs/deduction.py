"""Deduction: a PLCFRS to parse with, and what may say which of its items are worth making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from secateur.features.item import ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.models.point import Way
from secateur.search.core import Policy
from secateur.tasks.hyperedge_pruning.task import Gated, Gating
from secateur.tasks.span_pruning.masks import LearnedMask


@dataclass(frozen=True, eq=False)
class Deduction:
    """The parts of a model that deduces."""

    grammar: PLCFRS  # binary
    coarse: CoarseToFine | None = None
    features: ItemFeatures | None = None  # that policies about its items see
    policies: tuple[str, ...] = ()  # names of the model's policies that are about its items
    spans: SpanFeatures | None = None  # that policies about the coarse grammar's spans see
    masks: tuple[str, ...] = ()  # names of these
    behind: str | None = None  # the one of them that policies about items have learned behind

    @property
    def named(self) -> tuple[str, ...]:
        """All policies of a model that are about its deduction."""
        return (*self.masks, *self.policies)

    def gating(self, way: Way, policies: Mapping[str, Policy]) -> list[Gating]:
        """What says which items a way makes."""
        found: list[Gating] = []
        if "mask" in way:
            assert self.features is not None, "a model with policies about items has their features"
            found.append(ItemPolicy(self.grammar, self.features, policies[str(way["mask"])]))
        before = self.bounding(way, policies)
        return [*found, before] if before is not None else found

    def bounding(self, way: Way, policies: Mapping[str, Policy]) -> CoarseToFine | None:
        """What comes before policies about items, or alone; None: nothing does."""
        if not way["coarse"]:
            return None
        assert self.coarse is not None, "ways by a coarse grammar are where it is there"
        mask = None
        if "spans" in way:
            assert self.spans is not None, "a model with policies about spans has their features"
            mask = LearnedMask(self.spans, policies[str(way["spans"])])
        coarse = replace(self.coarse, spans=mask)
        return coarse.wide if "mask" in way else coarse


@dataclass(frozen=True)
class ItemPolicy:
    """The items that a linear policy keeps."""

    grammar: PLCFRS
    features: ItemFeatures
    policy: Policy

    def gate(self, words: Sequence[str]) -> Gated:
        """Of the words as the grammar spells them."""
        columns = self.features.columns(words)
        return Gated(self.features.gate(columns, self.policy.weights, self.grammar.rules))
