"""Deduction: a PLCFRS to parse with, and what may say which of its items are worth making."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from secateur.features.item import ItemFeatures
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kernels.lcfrs.gate import Gate
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.search.core import Policy


@dataclass(frozen=True, eq=False)
class Deduction:
    """The parts of a model that deduces."""

    grammar: PLCFRS  # binary
    coarse: CoarseToFine | None = None
    features: ItemFeatures | None = None  # that the policies see
    policies: tuple[str, ...] = ()  # names of the model's policies that are about its items

    def gating(self, name: str, policies: Mapping[str, Policy]) -> ItemPolicy:
        """What a policy of the model keeps."""
        assert self.features is not None, "a model with policies about items has their features"
        return ItemPolicy(self.grammar, self.features, policies[name])


@dataclass(frozen=True)
class ItemPolicy:
    """The items that a linear policy keeps."""

    grammar: PLCFRS
    features: ItemFeatures
    policy: Policy

    def gate(self, words: Sequence[str]) -> Gate:
        """Of the words as the grammar spells them."""
        return self.features.gate(self.features.columns(words), self.policy.weights, self.grammar.rules)
