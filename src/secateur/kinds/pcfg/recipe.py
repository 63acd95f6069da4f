"""From a treebank to a model: grammar (split level by level, if asked to), baselines, LOLS, the frontier.

1. A sweep of baselines: policies trained to keep gold spans, with a growing penalty for keeping others.
2. For each, the surrogate tradeoff at which it is best among them.
3. LOLS from each, with the surrogate reward of that tradeoff, stopped by one half of the held-out trees.
4. All are measured on the other half by the true figures: corpus F1, pushes, words/s.

Two fits, never mixed: the surrogate's tradeoff is for training, the true one (F1 points per mega-push) for
choosing a policy.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, overload

from secateur.features.arc import ArcFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.pcfg import PCFG
from secateur.kinds.arcs.model import DependencyModel
from secateur.kinds.arcs.recipe import train_arcs
from secateur.kinds.arcs.settings import ArcSettings
from secateur.kinds.pcfg.fine import fine_grammar
from secateur.kinds.pcfg.model import UNPRUNED, Model
from secateur.kinds.pcfg.settings import Settings
from secateur.kinds.pcfg.split import SplitSettings
from secateur.kinds.pcfg.trainer import Step, Tell, Trainer, check_held_out
from secateur.models import dial as frontier
from secateur.search.core import Policy
from secateur.search.parallel import Engine
from secateur.treebanks.bank import Treebank
from secateur.treebanks.dependency_bank import DependencyBank
from secateur.treebanks.normalization import Normalization

__all__ = [
    "ArcSettings",
    "Settings",
    "SplitSettings",
    "Step",
    "Trainer",
    "train",
    "train_arcs",
    "train_trees",
]

FINE = SplitSettings()


@overload
def train(
    train: Treebank,
    *,
    dev: Treebank | None = None,
    settings: Settings | None = None,
    grammar: PCFG | SplitPCFG | SplitSettings | None = FINE,
    features: SpanFeatures | None = None,
    normalization: Normalization | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    tell: Tell = ...,
) -> Model: ...


@overload
def train(
    train: DependencyBank,
    *,
    dev: DependencyBank | None = None,
    settings: ArcSettings | None = None,
    features: ArcFeatures | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    tell: Tell = ...,
) -> DependencyModel: ...


def train(train: Treebank | DependencyBank, **options: Any) -> Model | DependencyModel:
    """A model with a frontier, from trees (see `train_trees`) or from dependencies (see `train_arcs`)."""
    if isinstance(train, DependencyBank):
        return train_arcs(train, **options)
    return train_trees(train, **options)


def train_trees(
    train: Treebank,
    *,
    dev: Treebank | None = None,
    settings: Settings | None = None,
    grammar: PCFG | SplitPCFG | SplitSettings | None = FINE,
    features: SpanFeatures | None = None,
    normalization: Normalization | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    tell: Tell = lambda step: None,
) -> Model:
    """A model with a frontier of pruning policies. With a `work` folder, a stopped run goes on there.

    The grammar is read off the trees and split as SplitSettings say; None leaves it unsplit. To a given one,
    trees are made binary as it says it was made; one that does not say, as the settings have it.
    `features` may bring templates of your own. `normalization`, what was done to the trees, is recorded.
    """
    settings = settings or Settings()
    checksum = train.checksum()
    if dev is None:
        train, dev, _ = train.split(dev=0.1, test=0.0, seed=settings.seed)
    check_held_out(dev)
    made: dict[str, Any] = {}
    splits = grammar if isinstance(grammar, SplitSettings) else None
    if isinstance(grammar, SplitSettings):
        settings = replace(settings, binarization=grammar.binarization)
        jobs = engine.jobs if engine is not None else 1
        found = fine_grammar(train, dev[::2], settings=grammar, work=work, jobs=jobs, tell=tell)
        made = {
            "level": found.level,
            "products": grammar.products,
            "F1 of the levels": [round(f1, 2) for f1 in found.accuracy],
        }
        grammar = found.grammar
    elif grammar is not None:
        settings = replace(settings, binarization=_binarization_of(grammar, settings))
    trainer = Trainer(
        train,
        dev,
        settings,
        grammar=grammar,
        splits=splits,
        features=features,
        work=work,
        engine=engine,
        tell=tell,
    )
    points = trainer.measure(UNPRUNED, None)
    policies: dict[str, Policy] = {}
    log: list[dict[str, Any]] = []
    baselines = trainer.sweep()
    slopes = frontier.tradeoffs([b.runtime for b in baselines], [b.accuracy for b in baselines])
    for number, (baseline, slope) in enumerate(zip(baselines, slopes.tolist(), strict=True)):
        learned, rounds = trainer.lols(f"lols-{number}", baseline, slope)
        for name, policy in ((f"baseline-{number}", baseline.policy), (f"lols-{number}", learned)):
            policies[name] = policy
            points += trainer.measure(name, policy)
        log.append(
            {
                "name": f"lols-{number}",
                "penalty": baseline.penalty,
                "tradeoff": slope,
                "rounds": [r._asdict() for r in rounds],
            }
        )
    points = frontier.with_tradeoffs(points)
    notes = {
        "trees": len(train),
        "held out": len(dev),
        "judged on": len(trainer.judging_trees),
        "unparsed": trainer.unparsed,
        "checksum": checksum,
        **{k: v for k, v in asdict(settings).items() if k != "binarization" and v is not None},
        **settings.binarization.notes(),
        **made,
        **(normalization.notes() if normalization else {}),
    }
    return Model(trainer.grammar, trainer.task.span_features, policies, points, notes, log)


def _binarization_of(grammar: PCFG | SplitPCFG, settings: Settings) -> Binarization:
    notes = (grammar.coarse if isinstance(grammar, SplitPCFG) else grammar).notes
    return Binarization.from_notes(notes) if "binarization" in notes else settings.binarization
