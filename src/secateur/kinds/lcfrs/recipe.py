"""From discontinuous trees to a model: blocks, a grammar of them, policies that prune their spans, and the
frontier, in the figures of the trees that blocks are put together to.

What is learned is the same as from phrases (`kinds.pcfg.recipe`), from trees of blocks.
"""

from __future__ import annotations

from secateur.kinds.lcfrs import KIND
from secateur.kinds.lcfrs.settings import LcfrsSettings, Using
from secateur.kinds.pcfg.ahead import compiled_ahead
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.recipe import learned
from secateur.models.curve import with_tradeoffs
from secateur.models.kind import Trained
from secateur.models.measure import measure_all
from secateur.models.run import Run
from secateur.treebanks.bank import Bank
from secateur.treebanks.blocks import split
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree


def train(run: Run, train: Bank[Tree], dev: Bank[Tree], settings: LcfrsSettings) -> Trained[PcfgParts]:
    """A grammar of blocks and a frontier of pruning policies."""
    blocks, held = (Treebank(map(split, bank), name=bank.name) for bank in (train, dev))
    judging = dev[1::2]
    with compiled_ahead():
        found = learned(run, blocks, held, settings.blocks)
        points = measure_all(
            run, KIND, found.parts, found.policies, judging, using=Using(), repeat=settings.repeat
        )
    notes = {"judged on": len(judging), **found.notes}
    return Trained(found.parts, found.policies, with_tradeoffs(points), notes, found.log)
