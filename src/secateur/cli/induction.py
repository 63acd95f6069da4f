"""How grammars are read off trees, as options: PCFGs off phrases, PLCFRSs off discontinuous ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import Smoothing, induce
from secateur.grammar.lcfrs import binarize as lcfrs
from secateur.grammar.lcfrs.induce import induce as induce_plcfrs
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.grammar.pcfg import PCFG
from secateur.options import Options, option, option_as_in
from secateur.treebanks import formats
from secateur.treebanks.tree import Tree


class Induction(Options, Protocol):
    """The way from trees to a grammar."""

    def __call__(self, trees: Iterable[Tree]) -> PCFG | PLCFRS: ...


@dataclass(frozen=True, slots=True)
class OfPhrases:
    """A PCFG from continuous trees."""

    binarization: Literal["left", "right"] = option("left", "Which children are grouped first, usually left.")
    horizontal: int = option(0, "Sibling history, usually 0; -1 for all of it.", low=-1, also="-H")
    vertical: int = option(1, "1: labels alone; 2: with their parent's.", low=1, also="-V")
    rare: int = option(3, "Words seen at most so often also train their class, usually 3.", low=0)
    prior: float = option(0.3, "Weight of a class's tags for its rare words, usually 0.3.", low=0.0)

    def __post_init__(self) -> None:
        _ = self.binarized  # says what is wrong

    def __call__(self, trees: Iterable[Tree]) -> PCFG:
        return induce(trees, binarization=self.binarized, smoothing=Smoothing(self.rare, self.prior))

    @property
    def binarized(self) -> Binarization:
        """How trees are made binary."""
        return Binarization(self.binarization, _history(self.horizontal), self.vertical)


@dataclass(frozen=True, slots=True)
class OfDiscontinuous:
    """A PLCFRS from trees with gaps."""

    binarization: Literal["minimal", "head", "right", "left"] = option(
        "minimal", "minimal, as usual: fan-out as low as can be; head: from the head outwards; right; left."
    )
    horizontal: int = option(1, "Sibling history, usually 1; -1 for all of it.", low=-1, also="-H")
    vertical: int = option_as_in(OfPhrases, "vertical")
    rare: int = option_as_in(OfPhrases, "rare")
    prior: float = option_as_in(OfPhrases, "prior")

    def __post_init__(self) -> None:
        _ = self.binarized

    def __call__(self, trees: Iterable[Tree]) -> PLCFRS:
        smoothing = Smoothing(self.rare, self.prior)
        return induce_plcfrs(trees, binarization=self.binarized, smoothing=smoothing)

    @property
    def binarized(self) -> lcfrs.Binarization:
        """How trees are made binary."""
        return lcfrs.Binarization(self.binarization, _history(self.horizontal), self.vertical)


INDUCTIONS: dict[str, type[Any]] = {formats.PHRASES: OfPhrases, formats.DISCONTINUOUS: OfDiscontinuous}


def _history(size: int) -> int | None:
    return None if size < 0 else size
