"""Bounds: a coarser grammar's say about what is outside of a split grammar's items.

Each sub-symbol is seen as that of a coarser level which it comes from. Where a rule takes the largest of its
sub-rules' probabilities no derivation is worth more than what it is seen as: the estimate is admissible, and
A* with it exact. The average projection is that of coarse-to-fine parsing (`projection.seen_from`): closer to
the truth, but it may be too low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import bound, groups, seen_from
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.outside import estimate
from secateur.kernels.cky.rules import NO_ANCHORS

Joined = Literal["largest", "average"]
UNLIMITED = 1 << 62


class Estimate(NamedTuple):
    """Of a sentence, cells as in cky.sparse.cell_of."""

    best: npt.NDArray[np.float32]  # [cells] the best inside score of any symbol there; -inf: nothing
    outside: npt.NDArray[np.float32]  # [cells, M] see kernels.agenda.outside; -inf: in no parse


@dataclass(frozen=True, eq=False)
class Bounds:
    """A coarser grammar, and which of its symbols each of a finer one's is seen as."""

    grammar: PCFG
    seen: Ids  # [N]
    level: int
    joined: Joined

    @property
    def admissible(self) -> bool:
        return self.joined == "largest"

    @classmethod
    def of(cls, split: SplitPCFG, fine: PCFG, level: int = 0, joined: Joined = "largest") -> Bounds:
        """For items of `fine`, which is `split.flat()`, from a level of its hierarchy."""
        split.check_single()
        if not 0 <= level <= len(split.ancestry):
            raise InputError(
                f"level {level} of a grammar with {len(split.ancestry)}",
                fix=f"choose from 0 to {len(split.ancestry)}",
            )
        coarse = largest(split, level) if joined == "largest" else seen_from(split, level).flat()
        assert coarse.lexicon.words == fine.lexicon.words
        return cls(coarse, _seen(split, fine, coarse, level), level, joined)

    @classmethod
    def own(cls, grammar: PCFG) -> Bounds:
        """What is outside as the grammar itself has it: for items with more to their scores than that."""
        return cls(grammar, np.arange(len(grammar.symbols), dtype=np.uint32), 0, "largest")

    def check(self, fine: PCFG) -> None:
        """InputError where these are not bounds of this grammar's items."""
        if len(self.seen) != len(fine.symbols) or self.grammar.lexicon.words != fine.lexicon.words:
            raise InputError("bounds of another grammar", fix="make them of this one")

    def estimate(self, words: Ids, mask: npt.NDArray[np.bool_] | None = None) -> Estimate:
        """Of a sentence, given as word ids, with the spans of a mask."""
        if mask is None:
            mask = np.ones((len(words) + 1, len(words) + 1), np.bool_)
        best, outside, _ = estimate(self.grammar.rules, words, mask, NO_ANCHORS, self.admissible, UNLIMITED)
        return Estimate(best, outside)


def largest(split: SplitPCFG, level: int) -> PCFG:
    """The grammar at a level, each rule with the largest of its sub-rules' probabilities."""
    ancestry = split.ancestry
    if level == len(ancestry):
        return split.flat()
    blocks = bound(split.coarse, split.blocks, ancestry, level)
    return SplitPCFG(split.coarse, blocks, np.ones((len(blocks.splits), 1)), ancestry[:level]).flat()


def _seen(split: SplitPCFG, fine: PCFG, coarse: PCFG, level: int) -> Ids:
    """[N] the coarse symbol of each fine one; both are named NP~3, but for the start symbol."""
    found = np.zeros(len(fine.symbols), np.uint32)
    for x, name in enumerate(split.coarse.symbols):
        group = (
            np.searchsorted(groups(split.ancestry, level, x), np.arange(split.blocks.splits[x]), "right") - 1
        )
        for a, above in enumerate(group.tolist()):
            sub = name if name == fine.start else f"{name}~{a}"
            if sub in fine.number:
                found[fine.number[sub]] = coarse.number[name if name == fine.start else f"{name}~{above}"]
    return found
