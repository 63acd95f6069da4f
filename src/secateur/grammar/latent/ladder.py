"""Ladder: the levels through which a split grammar looks at a sentence, and what each may drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import project
from secateur.kernels.split.tree_em import Blocks

if TYPE_CHECKING:
    from secateur.kernels.split.fine import Rungs

LEAST = 1e-4  # posterior below which an item is dropped


@dataclass(frozen=True, eq=False)
class Ladder:
    """Steps from coarse to fine; before the first stands the unsplit grammar."""

    steps: tuple[Blocks, ...]  # the finest last, then those of other grammars whose say is multiplied
    least: npt.NDArray[np.float64]  # [levels] what an item must have to come to each

    @cached_property
    def rungs(self) -> Rungs:
        """The steps as the kernels have them."""
        from secateur.kernels.split.fine import Rungs

        parts: list[npt.NDArray[Any]] = [np.stack([step.splits for step in self.steps])]
        for place in (1, 3, 5):  # pointers, and what they point into
            sizes = [len(step[place + 1]) for step in self.steps]
            before = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.uint64)
            parts.append(np.stack([step[place] for step in self.steps]) + before[:, None])
            parts.append(np.concatenate([step[place + 1] for step in self.steps]))
        return Rungs(*parts)

    def dropping(self, least: float) -> Ladder:
        """With another threshold, over the same rungs."""
        found = replace(self, least=np.full(len(self.least), _positive(least)))
        found.__dict__["rungs"] = self.rungs
        return found


def ladder(grammar: SplitPCFG, *, levels: Sequence[int] | None = None, least: float = LEAST) -> Ladder:
    """Through these levels of the hierarchy (by default 1 and 2), and the last in any case."""
    last = len(grammar.ancestry)
    if levels is None:
        levels = [level for level in (1, 2) if level <= last]
    wrong = [level for level in levels if not 0 <= level <= last]
    if wrong:
        raise InputError(f"level {wrong[0]} of a grammar with {last}", fix=f"choose from 0 to {last}")
    before = sorted({level for level in levels if level < last})
    steps = [project(grammar.coarse, grammar.blocks, grammar.mass, grammar.ancestry, one) for one in before]
    finest = (grammar.blocks, *grammar.others)
    return Ladder((*steps, *finest), np.full(len(steps) + 1, _positive(least)))


def _positive(least: float) -> float:
    """A posterior of 0 is dropped even where nothing else is."""
    if not 0.0 <= least < 1.0:
        raise InputError(f"a least posterior of {least}", fix="give 0 (drop nothing) or more, below 1")
    return max(least, float(np.finfo(float).tiny))
