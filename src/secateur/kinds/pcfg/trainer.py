"""The state of one training run, and its steps: sweep, tradeoffs, LOLS."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cached_property, partial

import numpy as np

from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.grammar.binarize import Binarization
from secateur.grammar.induce import induce
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.projection import seen_from
from secateur.grammar.pcfg import PCFG
from secateur.kinds.pcfg.parser import Parser
from secateur.kinds.pcfg.settings import Settings
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.kinds.pruning import BEFORE, Pruning, Schedule
from secateur.models.run import Run, fingerprint
from secateur.search.arrays import Bools
from secateur.search.core import Accuracy, Example, Outcome, Reward
from secateur.search.linear import REGULARIZER
from secateur.search.pool import Pool
from secateur.tasks.span_pruning.backprop import backprop
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.rewards import r_cp, r_dp
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning, sites_of
from secateur.treebanks.bank import Bank
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree

# Where the sweep begins, in probes before the most accurate one: those of a split grammar are judged with a
# coarser one, which gains by pruning what the split one can do with.
BEFORE_SPLIT = 2.0
# The weight of the baseline's labels beside what roll-outs say. A split grammar parses well with a baseline's
# spans, and roll-outs see a coarser one: with less weight LOLS loses more than it gains.
CARRY, CARRY_SPLIT = 0.1, 2.0


class Trainer(Pruning[SpanPruning]):
    """A grammar, examples and a run, which keeps every finished piece."""

    def __init__(
        self,
        run: Run,
        train: Bank[Tree],
        dev: Bank[Tree],
        settings: Settings,
        *,
        grammar: PCFG | SplitPCFG | None = None,
        splits: SplitSettings | None = None,
        prefix: str = "",
    ) -> None:
        """`splits`: how the grammar was split from these trees; LOLS then splits others without each fold."""
        super().__init__(run, _schedule(settings, isinstance(grammar, SplitPCFG)), prefix)
        self.settings, self.splits = settings, splits
        self.binarization = binarization_of(grammar, settings)
        self.trees = train.filter(max_length=settings.max_length)
        self.longer = train.filter(min_length=settings.max_length + 1)
        self.stopping_trees, self.judging_trees = dev[::2], dev[1::2]
        self.grammar = grammar or induce(train, binarization=self.binarization)
        rolled = _rolled_out(self.grammar, settings.rollout_level)
        features = settings.features or SpanFeatures.from_words(train.vocabulary())
        self.task = SpanPruning(rolled, features, self.binarization)
        run.claim(_fingerprint(train, dev, settings, splits, self.binarization, rolled), f"{prefix}run")
        self.plan()
        # An induced grammar parses its own trees, split or not; of another that is not known.
        self.unparsed = self._leave_out_unparsed() if isinstance(grammar, PCFG) else 0

    @property
    def regularizer(self) -> float:
        return self.schedule.regularizer

    def _leave_out_unparsed(self) -> int:
        """Sentences that the grammar cannot parse teach nothing: the number left out."""
        parser = Parser(self.grammar)
        able = [not parse.failed for parse in parser.pipe(tree.words() for tree in self.trees)]
        if not any(able):
            raise InputError(
                f"the grammar parses none of {len(able)} training sentences",
                fix="give trees of the grammar's kind, or induce a grammar from them",
            )
        parsed = (tree for tree, fine in zip(self.trees, able, strict=True) if fine)
        self.trees = Treebank(parsed, name=self.trees.name)
        return len(able) - sum(able)

    @cached_property
    def apart(self) -> list[SpanPruning]:
        """For each fold, the task with a grammar that was split without it.

        A split grammar parses the trees it was made of better than new ones: roll-outs that saw this would
        lean on it.
        """
        if self.splits is None or self.settings.folds < 2:
            return []
        return [self._without(fold, self.splits) for fold in range(self.settings.folds)]

    def _without(self, fold: int, splits: SplitSettings) -> SpanPruning:
        level, folds = self.settings.rollout_level, self.settings.folds
        others = (tree for number, tree in enumerate(self.trees) if number % folds != fold)
        training = SplitTraining(
            Treebank(itertools.chain(others, self.longer)),
            settings=replace(splits, levels=max(level, 1)),
            run=self.run.part(f"split-without-{fold}-of-{folds}"),
        ).fit()
        self.run.told(f"grammar without fold {fold} of {folds}")
        return replace(self.task, grammar=_rolled_out(training.grammar(), level))

    @cached_property
    def judging(self) -> list[Example]:
        """The other half: nothing is chosen by it but what the dial offers."""
        return self.examples(self.judging_trees)

    @cached_property
    def pool(self) -> Pool:
        """All decisions on the training sentences, with their features."""
        pool = Pool(self.task.dim, least=self.settings.least_seen)
        for number, (x, _) in enumerate(self.data):
            sites = sites_of(len(x.words))
            nothing = np.zeros((len(sites), 0))
            pool.add(number, sites, nothing, np.zeros(len(sites)), partial(self.task.features, x))
        return pool

    @cached_property
    def is_gold(self) -> Bools:
        return np.concatenate([self.task.is_gold(sites_of(len(x.words)), gold) for x, gold in self.data])

    def reward(self, tradeoff: float, task: SpanPruning | None = None) -> Reward:
        make = r_dp if self.settings.surrogate == "dp" else r_cp
        return make(task or self.task, tradeoff)

    def cost(self, x: Encoded) -> float:
        return cubic(x)

    @property
    def watch(self) -> Mapping[str, Accuracy]:
        return {"F1": self.task.f1, "pushes": pushes}


def _schedule(settings: Settings, is_split: bool) -> Schedule:
    carry = CARRY_SPLIT if is_split else CARRY
    return Schedule(
        points=settings.points,
        iterations=settings.iterations,
        regularizer=REGULARIZER if settings.regularizer is None else settings.regularizer,
        values=backprop if settings.surrogate == "dp" else propagate,
        carry=carry if settings.carry is None else settings.carry,
        patience=settings.patience,
        left=settings.left,
        before=BEFORE_SPLIT if is_split else BEFORE,
        minibatch=settings.minibatch,
        folds=settings.folds,
        sample=some_rollouts if settings.rollouts == "some" else None,
        exploration=settings.exploration,
        seed=settings.seed,
    )


def binarization_of(grammar: PCFG | SplitPCFG | None, settings: Settings) -> Binarization:
    """How trees are made binary: as a grammar says that it was made, or as the settings have it."""
    notes = grammar.coarse.notes if isinstance(grammar, SplitPCFG) else grammar.notes if grammar else {}
    if "binarization" in notes:
        return Binarization.from_notes(notes)
    return settings.binarization or Binarization()


def _rolled_out(grammar: PCFG | SplitPCFG, level: int) -> PCFG:
    """The grammar to learn with: a split one is seen from a level that is quick to parse with."""
    if isinstance(grammar, PCFG):
        return grammar
    return seen_from(grammar.alone, level).flat() if level else grammar.coarse


def some_rollouts(decisions: int) -> int:
    """2n roll-outs for a sentence of n words, which has n(n+1)/2 - 1 - n decisions."""
    n = round((1 + math.sqrt(9 + 8 * decisions)) / 2)
    return min(decisions, 2 * n)


def cubic(x: Encoded) -> float:
    return float(len(x.words)) ** 3


def pushes(x: Encoded, outcome: Outcome, gold: Gold) -> float:
    return float(outcome.work.pushes)


def _fingerprint(
    train: Bank[Tree],
    dev: Bank[Tree],
    settings: Settings,
    splits: SplitSettings | None,
    binarization: Binarization,
    grammar: PCFG,
) -> str:
    """Of all that the pieces of a run depend on; it may be given more rounds later."""
    # What the grammar is, is told by its rules; the rest says how to learn.
    given = ("grammar", "levels", "products", "split", "features")
    free = (*given, "iterations", "patience", "repeat", "tasks", "orders")
    fixed = {one.name: getattr(settings, one.name) for one in fields(settings) if one.name not in free}
    about: list[object] = [train.checksum(), dev.checksum(), fixed, asdict(binarization)]
    about.append(None if splits is None else asdict(splits))
    features = settings.features
    if features is not None:
        # What the views are, by what they make of words: a changed function is another run.
        about += [features.templates, features.bits, features.columns(sorted(features.vocabulary))]
    return fingerprint(*about, *grammar.rules)
