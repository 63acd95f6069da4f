"""From phrase trees to a model: grammar (split level by level, if asked to), baselines, LOLS, the frontier.

1. A sweep of baselines: policies trained to keep gold spans, with a growing penalty for keeping others.
2. For each, the surrogate tradeoff at which it is best among them.
3. LOLS from each, with the surrogate reward of that tradeoff, stopped by one half of the held-out trees.
4. If asked to, orders of an agenda are counted, and learned (`order_learning`).
5. All are measured on the other half by the true figures: corpus F1, pushes, words/s.

Two fits, never mixed: the surrogate's tradeoff is for training, the true one (F1 points per mega-push) for
choosing a policy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.grammar.text import read_grammar
from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.ahead import compiled_ahead
from secateur.kinds.pcfg.fine import fine_grammar
from secateur.kinds.pcfg.order_learning import OrderLearning, OrderSchedule
from secateur.kinds.pcfg.orders import Orders
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import COARSE, Settings, Using
from secateur.kinds.pcfg.trainer import Trainer
from secateur.kinds.pcfg.ways import offered
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.metrics.scores import Scoring
from secateur.models.curve import with_tradeoffs
from secateur.models.kind import Trained
from secateur.models.measure import measure_all
from secateur.models.run import Run
from secateur.models.training import noted
from secateur.search.core import Policy
from secateur.treebanks.bank import Bank
from secateur.treebanks.tree import Tree


class _Grammar(NamedTuple):
    """What to parse with, None for the trees' own; and what is noted of it."""

    found: PCFG | SplitPCFG | None
    notes: dict[str, Any]


class Learned(NamedTuple):
    """What there is before anything is measured."""

    parts: PcfgParts
    policies: dict[str, Policy]
    judging: Bank[Tree]  # trees that nothing was chosen by
    notes: dict[str, Any]
    log: list[dict[str, Any]]


def train(run: Run, train: Bank[Tree], dev: Bank[Tree], settings: Settings) -> Trained[PcfgParts]:
    """A grammar and a frontier of pruning policies."""
    with compiled_ahead():
        ordering = settings.ordering if settings.tasks == "agenda" else None
        if ordering is not None:
            OrderLearning.plan(run, ordering)
        found = learned(run, train, dev, settings)
        if ordering is not None:
            found = _with_orders(run, train, dev[::2], found, ordering)
        points = measure_all(
            run,
            KIND,
            found.parts,
            found.policies,
            found.judging,
            using=Using(),
            repeat=settings.repeat,
            ways=offered(found.parts, list(found.policies)),
        )
    notes = {"judged on": len(found.judging), **found.notes}
    return Trained(found.parts, found.policies, with_tradeoffs(points), notes, found.log)


def learned(
    run: Run,
    train: Bank[Tree],
    dev: Bank[Tree],
    settings: Settings,
    scoring: Scoring[Tree] = PhraseScoring(),  # noqa: B008  immutable
) -> Learned:
    """The grammar, of the level that scores best, and the policies."""
    grammar = _grammar(run, train, dev, settings, scoring)
    trainer = Trainer(run, train, dev, settings, grammar=grammar.found, splits=settings.splitting)
    policies, log = trainer.frontier()
    notes = {
        "unparsed": trainer.unparsed,
        **noted(settings, "binarization", "split", "features", "tasks", "orders"),
        "regularizer": trainer.regularizer,
        **trainer.binarization.notes(),
        **grammar.notes,
    }
    parts = PcfgParts(trainer.grammar, trainer.task.span_features)
    return Learned(parts, policies, trainer.judging_trees, notes, log)


def _with_orders(
    run: Run, train: Bank[Tree], stopping: Bank[Tree], found: Learned, schedule: OrderSchedule
) -> Learned:
    """The same with orders of an agenda, counted on the training trees and learned from them."""
    binarization = Binarization.from_notes(found.notes)
    counted = Orders.counted(found.parts.grammar, train, binarization)
    run.told(f"orders of an agenda, counted: {', '.join(counted.names)}")
    orders, log = OrderLearning(run, train, stopping, counted, binarization, schedule).fit()
    parts = replace(found.parts, orders=orders)
    return found._replace(parts=parts, notes={**found.notes, "tasks": "agenda"}, log=[*found.log, *log])


def _grammar(
    run: Run, train: Bank[Tree], dev: Bank[Tree], settings: Settings, scoring: Scoring[Tree]
) -> _Grammar:
    splitting = settings.splitting
    if splitting is not None:
        found = fine_grammar(run, train, dev[::2], splitting, scoring)
        levels = [round(f1, 2) for f1 in found.accuracy]
        return _Grammar(found.grammar, {"level": found.level, "F1 of the levels": levels})
    if isinstance(settings.grammar, str):
        return _Grammar(None if settings.grammar == COARSE else read_grammar(settings.grammar), {})
    return _Grammar(settings.grammar, {"grammar": "given"})
