"""Certificates: that nothing which was left out is better than what was found.

A coarser grammar each of whose weights is the largest of those it stands for says how good a derivation may
be that was left out: one with a span that a mask prunes, one with an item that still waits in an agenda, or
that delta dropped. Where that is below the score of what was found, nothing better was left out, and the
score is that of an exact search, bit for bit. Where it is not, nothing is known.

Sums in floats are off by a share of their size (kernels/agenda/outside.py): what is left out must be worse by
more than that. Weights above 0, which spoil the bounds, certify nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from secateur.errors import InputError
from secateur.grammar.latent.bounds import Bounds, largest
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import groups
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.outside import slack_of
from secateur.kernels.agenda.priorities import AGAIN, How
from secateur.kernels.agenda.rest import best_of_rest
from secateur.kernels.agenda.state import State
from secateur.kernels.cky.rules import NO_ANCHORS
from secateur.kernels.split.left_out import left_out, left_out_of_blocks
from secateur.kernels.split.simd import LANES
from secateur.search.arrays import Bools

UNLIMITED = 1 << 62
LEVEL = 2  # of the hierarchy whose grammar says what was left out; lower ones know too little of it


@dataclass(frozen=True, eq=False)
class Certifier:
    """Of parses with a mask by a grammar, by its best derivation. A higher level certifies more, later."""

    grammar: PCFG | SplitPCFG
    level: int = 0
    limit: int = UNLIMITED  # bytes of the chart

    @classmethod
    def usual(cls, grammar: PCFG | SplitPCFG, limit: int) -> Certifier:
        """With bounds of LEVEL, or the grammar's own where it has no more levels."""
        levels = len(grammar.ancestry) if isinstance(grammar, SplitPCFG) else 0
        return cls(grammar, min(LEVEL, levels), limit)

    def __post_init__(self) -> None:
        if isinstance(self.grammar, SplitPCFG):
            self.grammar.check_single()
            if not 0 <= self.level <= len(self.grammar.ancestry):
                what = f"level {self.level} of a grammar with {len(self.grammar.ancestry)}"
                raise InputError(what, fix=f"choose from 0 to {len(self.grammar.ancestry)}")

    def certifies(self, words: Ids, mask: Bools, score: float) -> bool:
        """Whether no derivation with a span that is pruned has more than this score, the best with the mask.

        `words` are ids of the grammar; `mask` as parsers have it.
        """
        if score == -np.inf or not costs_only(self._coarse):
            return False
        floor = np.float32(floor_of(len(words), score))
        rest = (words, np.ascontiguousarray(mask, np.bool_), NO_ANCHORS, self.limit, floor)
        if isinstance(self.grammar, SplitPCFG):
            rules = self._coarse.rules
            return bool(left_out_of_blocks(self.grammar.padded, rules, self._seen, *rest) <= floor)
        return bool(left_out(self.grammar.rules, self.grammar.rules, *rest) <= floor)

    @cached_property
    def _coarse(self) -> PCFG:
        return largest(self.grammar, self.level) if isinstance(self.grammar, SplitPCFG) else self.grammar

    @cached_property
    def _seen(self) -> Ids:
        """[lanes] the coarse symbol of each; what has none has no rules either."""
        assert isinstance(self.grammar, SplitPCFG), "others have no lanes"
        blocks, names = self.grammar.padded.block_ptr.astype(np.int64), self.grammar.coarse.symbols
        found = np.zeros(LANES * int(blocks[-1]), np.uint32)
        for x, (name, count) in enumerate(zip(names, self.grammar.blocks.splits.tolist(), strict=True)):
            begins = groups(self.grammar.ancestry, self.level, x)
            above = np.searchsorted(begins, np.arange(count), "right") - 1
            plain = [name if name == self._coarse.start else f"{name}~{one}" for one in above.tolist()]
            first = LANES * int(blocks[x])
            found[first : first + count] = [self._coarse.number.get(one, 0) for one in plain]
        return found


def agenda_certified(bounds: Bounds, words: Ids, mask: Bools, state: State, how: How, score: float) -> bool:
    """Whether no derivation that an agenda did not come to has more than this score, which it found.

    The best of such a derivation has an item that waits, with the score that it waits with; or that delta
    dropped, below the best of its span; or it has a span which the mask prunes.
    """
    coarse = bounds.grammar
    if score == -np.inf or not bounds.admissible or how.merge != AGAIN or not costs_only(coarse):
        return False
    floor = floor_of(len(words), score)
    outside = bounds.estimate(words, mask).outside
    if best_of_rest(state, how.delta, outside, bounds.seen) > floor:
        return False
    if mask[np.triu_indices(len(words) + 1, 2)].all():
        return True
    rest = (words, mask, NO_ANCHORS, UNLIMITED, np.float32(floor))
    return bool(left_out(coarse.rules, coarse.rules, *rest) <= np.float32(floor))


def floor_of(words: int, score: float) -> float:
    """What is no better than this has no larger score in floats, in whatever order numbers are added."""
    return score - 4.0 * float(slack_of(words)) * abs(score)


def costs_only(grammar: PCFG) -> bool:
    """Whether no weight is above 0, so that what is made of items has no larger score than they."""
    weights = (grammar.rules.rule_weight, grammar.rules.unary_weight, grammar.rules.lex_weight)
    return all(bool((one <= 0.0).all()) for one in weights)
