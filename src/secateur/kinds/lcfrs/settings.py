"""What a model of discontinuous phrases can be told: how to train, to parse, and to look at a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.kinds.pcfg.settings import COARSE, FINE, Looking, Settings
from secateur.kinds.pcfg.settings import Using as PhraseUsing
from secateur.models import kind
from secateur.options import check_choice, check_counts, number_of, option, option_as_in

__all__ = ["LcfrsSettings", "Looking", "Using", "measured", "quick"]


@dataclass(frozen=True, slots=True)
class LcfrsSettings:
    """How to train a grammar of blocks, a PLCFRS, and a frontier of policies that prune with them."""

    grammar: Literal["fine", "coarse"] = option(
        "fine", "fine: blocks split into sub-symbols; coarse: the trees' own."
    )
    levels: int = option_as_in(Settings, "levels", default=4)
    products: int = option_as_in(Settings, "products", default=4)
    surrogate: Literal["dp", "cp"] = option_as_in(Settings, "surrogate")
    points: int = option_as_in(Settings, "points", default=4)
    iterations: int = option_as_in(Settings, "iterations", default=4)
    max_length: int = option_as_in(Settings, "max_length")
    minibatch: int | None = option(1500, "Sentences a round of LOLS.", low=1, counts="sentences a round")
    ranking: bool = option(True, "Of a fine grammar: points whose likeliest trees are ranked as wholes.")
    deduction: bool = option(True, "Points of a PLCFRS too: exact, coarse to fine, and pruned.")
    # By default none: no setting of the dial would choose a policy about items beside blocks.
    item_points: int = option(
        0, "Baselines that prune a PLCFRS, and LOLS runs from them; 0: none.", low=0, counts="item points"
    )
    unit: Literal["item", "hyperedge", "set"] = option(
        "item", "What roll-outs of a PLCFRS flip: items, hyperedges, or sets of positions."
    )
    # Of the sentences that policies about a PLCFRS learn from.
    item_length: int = number_of("words as the longest sentence to learn of items from", 25, low=3)
    item_trees: int = number_of("sentences to learn of items from", 2000, low=1)
    repeat: int = 3  # timing runs
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("grammar", self.grammar, (FINE, COARSE))
        check_choice("unit", self.unit, ("item", "hyperedge", "set"))
        check_counts(self)
        if 0 < self.item_points < 3:
            raise InputError(f"{self.item_points} item points", fix="give 3 or more, or 0 for none")
        _ = self.blocks  # says what is wrong with the others

    @property
    def blocks(self) -> Settings:
        """How the continuous trees of blocks are learned from."""
        found = Settings(
            grammar=self.grammar,
            binarization=Binarization("right", owed=True),
            surrogate=self.surrogate,
            points=self.points,
            iterations=self.iterations,
            max_length=self.max_length,
            minibatch=self.minibatch,
            repeat=self.repeat,
            seed=self.seed,
        )
        return found if self.grammar == COARSE else replace(found, levels=self.levels, products=self.products)

    @property
    def own_notes(self) -> dict[str, Any]:
        """What models note beside what they note of blocks."""
        names = ("ranking", "deduction", "item_points", "unit", "item_length", "item_trees")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Using(kind.Using):
    """How a parser of discontinuous phrases is used."""

    kbest: int | None = option_as_in(PhraseUsing, "kbest")
    binarized: bool = option_as_in(PhraseUsing, "binarized")

    def __post_init__(self) -> None:
        check_counts(self)

    @property
    def is_several(self) -> bool:
        return self.kbest is not None


def quick(seed: int) -> LcfrsSettings:
    """Unsplit: to compile what makes and parses with sub-symbols takes a minute more."""
    return LcfrsSettings(
        grammar="coarse", points=4, iterations=1, max_length=30, deduction=False, repeat=1, seed=seed
    )


def measured(notes: Mapping[str, Any]) -> Using:
    """As the points of a dial are measured."""
    return Using()
