"""Hierarchy: levels of a split grammar for hierarchical A*, each rule as likely as the likeliest below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.bounds import Bounds
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import bound
from secateur.grammar.pcfg import PCFG, Ids
from secateur.kernels.agenda.hierarchy import Climbed, hierarchical
from secateur.kernels.agenda.levels import Levels, levels_of
from secateur.kernels.agenda.priorities import EXACT, NO_LIMITS, How, Limits


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """What is outside of an item is known from the level before it."""

    grammar: PCFG  # of the last level
    numbers: tuple[int, ...]  # of the levels, coarse before fine
    levels: Levels

    @classmethod
    def of(cls, split: SplitPCFG, levels: Sequence[int] | None = None) -> Hierarchy:
        """Through these levels, by default all; the last in any case."""
        split.check_single()
        last = len(split.ancestry)
        wrong = [level for level in levels or () if not 0 <= level <= last]
        if wrong:
            raise InputError(f"level {wrong[0]} of a grammar with {last}", fix=f"choose from 0 to {last}")
        numbers = sorted({*(range(last) if levels is None else levels), last})
        grammars, seen = looked_through(split, numbers[:-1])
        _check(grammars[-1])
        return cls(grammars[-1], tuple(numbers), levels_of([one.rules for one in grammars], seen))

    def parse(
        self,
        words: Ids,
        mask: npt.NDArray[np.bool_] | None = None,
        how: How = EXACT,
        limits: Limits = NO_LIMITS,
    ) -> Climbed:
        """The best parse of a sentence, given as word ids, with the spans of a mask."""
        if mask is None:
            mask = np.ones((len(words) + 1, len(words) + 1), np.bool_)
        return hierarchical(self.levels, words, mask, how, limits)


def looked_through(split: SplitPCFG, numbers: Sequence[int]) -> tuple[list[PCFG], list[Ids]]:
    """The grammars of these levels, coarse before fine, and of the last; and of the symbols of each but the
    first what they are one level before."""
    grammars, below = [split.flat()], split
    seen: list[Ids] = []
    for level in sorted(numbers, reverse=True):
        bounds = Bounds.of(below, grammars[0], level)
        grammars.insert(0, bounds.grammar)
        seen.insert(0, bounds.seen)
        below = _seen_from(below, level)
    return grammars, seen


def _seen_from(split: SplitPCFG, level: int) -> SplitPCFG:
    """The grammar of a level, each rule with the largest of its sub-rules' probabilities."""
    blocks = bound(split.coarse, split.blocks, split.ancestry, level)
    return SplitPCFG(split.coarse, blocks, np.ones((len(blocks.splits), 1)), split.ancestry[:level])


def _check(grammar: PCFG) -> None:
    rules = grammar.rules
    if max(one.max(initial=-np.inf) for one in (rules.rule_weight, rules.unary_weight, rules.lex_weight)) > 0:
        raise InputError(
            "rules with probabilities above 1", fix="A* needs a grammar whose parts never gain by growing"
        )
