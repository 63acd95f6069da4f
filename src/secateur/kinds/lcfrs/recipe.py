"""From discontinuous trees to a model: blocks, a grammar of them, policies that prune their spans; a PLCFRS,
and policies that prune its items; and the frontier of all these.

What is learned of blocks is the same as from phrases (`kinds.pcfg.recipe`), from trees of blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from secateur.grammar.lcfrs.induce import induce
from secateur.kinds.lcfrs import KIND
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.items import ItemTrainer
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.settings import LcfrsSettings, Using
from secateur.kinds.lcfrs.ways import offered
from secateur.kinds.pcfg.ahead import compiled_ahead
from secateur.kinds.pcfg.recipe import Learned, learned
from secateur.metrics.discontinuous import DiscontinuousScores, DiscontinuousScoring
from secateur.models.curve import tradeoffs, with_tradeoffs
from secateur.models.kind import Trained
from secateur.models.measure import measure_all
from secateur.models.run import Run
from secateur.search.core import Policy
from secateur.treebanks.bank import Bank
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree


@dataclass(frozen=True, slots=True)
class MergedScoring:
    """Scores of trees of blocks by what they are put together to."""

    def said(self) -> str:
        return DiscontinuousScoring().said()

    def score(
        self, gold: Iterable[Tree], found: Iterable[Tree], *, failed: Sequence[bool] | None = None
    ) -> DiscontinuousScores:
        return DiscontinuousScoring().score(map(merge, gold), map(merge, found), failed=failed)


def train(run: Run, train: Bank[Tree], dev: Bank[Tree], settings: LcfrsSettings) -> Trained[LcfrsParts]:
    """Grammars and a frontier of pruning policies."""
    blocks, held = (Treebank(map(split, bank), name=bank.name) for bank in (train, dev))
    judging = dev[1::2]
    with compiled_ahead():
        found = learned(run, blocks, held, settings.blocks, MergedScoring())
        parts, policies, log = LcfrsParts(found.parts), found.policies, found.log
        if settings.deduction:
            deduction, own, rounds = deduced(run, train, dev, settings, found)
            parts, policies, log = LcfrsParts(found.parts, deduction), policies | own, [*log, *rounds]
        points = measure_all(
            run,
            KIND,
            parts,
            policies,
            judging,
            using=Using(),
            repeat=settings.repeat,
            ways=offered(parts, policies),
        )
    notes = {"judged on": len(judging), **found.notes, **settings.own_notes}
    return Trained(parts, policies, with_tradeoffs(points), notes, log)


def deduced(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: LcfrsSettings, blocks: Learned
) -> tuple[Deduction, dict[str, Policy], list[dict[str, Any]]]:
    """A PLCFRS, the coarse grammar before it, and policies about its items: baselines and LOLS from them."""
    fine = induce(train)
    deduction = Deduction(fine.binarized(), CoarseToFine.induced(fine, train))
    run.told(f"{fine!r}, coarse: {deduction.coarse.grammar!r}" if deduction.coarse else repr(fine))
    policies: dict[str, Policy] = {}
    log: list[dict[str, Any]] = []
    if not settings.item_points:
        return deduction, policies, log
    trainer = ItemTrainer(run, train, dev, settings, deduction, blocks.parts.features)
    baselines = trainer.sweep()
    slopes = tradeoffs([b.runtime for b in baselines], [b.accuracy for b in baselines])
    for number, (baseline, slope) in enumerate(zip(baselines, slopes.tolist(), strict=True)):
        policy, rounds = trainer.lols(f"lols-{number}", baseline, slope)
        found = {f"baseline-{number}": baseline.policy, f"lols-{number}": policy}
        policies |= {trainer.prefix + name: one for name, one in found.items()}
        about = {
            "name": f"{trainer.prefix}lols-{number}",
            "penalty": baseline.penalty,
            "tradeoff": slope,
        }
        log.append({**about, "rounds": [r._asdict() for r in rounds]})
    features = trainer.task.item_features
    return Deduction(deduction.grammar, deduction.coarse, features, tuple(policies)), policies, log
