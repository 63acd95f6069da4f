"""From discontinuous trees to a model: blocks, a grammar of them, policies that prune their spans; a PLCFRS,
and policies that prune its items; and the frontier of all these.

What is learned of blocks is the same as from phrases (`kinds.pcfg.recipe`), from trees of blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kinds.lcfrs import KIND
from secateur.kinds.lcfrs.coarse import BINARIZATION, CoarseToFine
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.exact import PlcfrsParser
from secateur.kinds.lcfrs.items import ItemTrainer
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.ranker import Ranker
from secateur.kinds.lcfrs.ranking import FOLDS, ranker_of
from secateur.kinds.lcfrs.settings import LcfrsSettings, Using
from secateur.kinds.lcfrs.ways import offered
from secateur.kinds.pcfg.ahead import compiled_ahead
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.recipe import Learned, learned
from secateur.kinds.pcfg.settings import COARSE, Settings
from secateur.kinds.pcfg.trainer import Trainer
from secateur.metrics.discontinuous import DiscontinuousScores, DiscontinuousScoring
from secateur.models.curve import with_tradeoffs
from secateur.models.kind import Trained
from secateur.models.measure import measure_all, tried
from secateur.models.run import Run
from secateur.search.core import Policy
from secateur.tasks.span_pruning.masks import LearnedMask
from secateur.treebanks.bank import Bank
from secateur.treebanks.blocks import merge, split
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree

MASKS, MASKS_MADE = "coarse-", 3
NEAR = 0.3  # F1 that a mask may cost before policies about items


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
        ranker = _ranker(run, train, dev[::2], settings, found)
        parts, policies, log = LcfrsParts(found.parts, ranker=ranker), found.policies, found.log
        gapped = sum(tree.is_discontinuous for tree in train)
        if not gapped:
            run.told(f"none of {len(train):,} trees is discontinuous: they are learned from as phrases")
        if settings.deduction and gapped:
            deduction, own, rounds = deduced(run, train, dev, settings, found.parts.features)
            parts, policies, log = replace(parts, deduction=deduction), policies | own, [*log, *rounds]
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
    notes = {"judged on": len(judging), "discontinuous trees": gapped, **found.notes, **settings.own_notes}
    return Trained(parts, policies, with_tradeoffs(points), notes, log)


def _ranker(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: LcfrsSettings, found: Learned
) -> Ranker | None:
    """What ranks the trees that a split grammar finds likeliest."""
    splitting = settings.blocks.splitting
    if not settings.ranking or splitting is None or len(train) < 2 * FOLDS:
        return None
    apart = replace(splitting, levels=max(int(found.notes["level"]), 1), products=1)
    return ranker_of(run, train, dev, Parser(found.parts.grammar), apart, settings.max_length)


def deduced(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: LcfrsSettings, features: SpanFeatures
) -> tuple[Deduction, dict[str, Policy], list[dict[str, Any]]]:
    """A PLCFRS, the coarse grammar before it, and policies about the spans of the one and the items of the
    other: baselines and LOLS from them."""
    fine = induce(train)
    grammar, coarse = fine.binarized(), CoarseToFine.induced(fine, train)
    run.told(f"{fine!r}, coarse: {coarse.grammar!r}")
    masks = _masks(run, train, dev, settings, coarse, features)
    if not settings.item_points:
        return Deduction(grammar, coarse, spans=features, masks=tuple(masks)), masks, []
    known = {name: replace(coarse, spans=LearnedMask(features, mask)) for name, mask in masks.items()}
    behind = _behind(grammar, known, dev)
    run.told(f"policies about items learn behind {behind}")
    trainer = ItemTrainer(run, train, dev, settings, grammar, known[behind], features)
    policies, log = trainer.frontier()
    items = trainer.task.item_features
    found = Deduction(grammar, coarse, items, tuple(policies), features, tuple(masks), behind)
    return found, masks | policies, log


def _masks(
    run: Run,
    train: Bank[Tree],
    dev: Bank[Tree],
    settings: LcfrsSettings,
    coarse: CoarseToFine,
    features: SpanFeatures,
) -> dict[str, Policy]:
    """Policies about the spans of the coarse grammar, trained to keep gold ones: roll-outs would count its
    own expected recall, which says little of what is fine."""
    apart, held = (Treebank(coarse.trees(bank), name=bank.name) for bank in (train, dev))
    how = Settings(
        grammar=COARSE,
        points=MASKS_MADE,
        iterations=settings.iterations,
        max_length=settings.item_length,
        minibatch=settings.minibatch,
        binarization=BINARIZATION,
        features=features,
        seed=settings.seed,
    )
    trainer = Trainer(run, apart, held, how, prefix=MASKS)
    return {f"{MASKS}{number}": baseline.policy for number, baseline in enumerate(trainer.sweep())}


def _behind(grammar: PLCFRS, masked: Mapping[str, CoarseToFine], dev: Bank[Tree]) -> str:
    """The mask with the fewest pushes of those that find nearly the best trees of one half of `dev`."""
    trials = {
        name: tried(PlcfrsParser(grammar, gating=[gating]), dev[::2], DiscontinuousScoring())
        for name, gating in masked.items()
    }
    best = max(trial.scores.accuracy for trial in trials.values())
    near = [name for name, trial in trials.items() if trial.scores.accuracy >= best - NEAR]
    return min(near, key=lambda name: trials[name].mean("pushes"))
