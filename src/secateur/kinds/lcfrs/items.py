"""Policies about the items of a PLCFRS: what they learn from.

Roll-ins and roll-outs see the items that a coarse grammar leaves, with the threshold of parsing with
policies: whole charts of long sentences have millions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cached_property, partial

import numpy as np

from secateur.features.item import TEMPLATES, ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.induce import induce
from secateur.grammar.lcfrs.plcfrs import PLCFRS
from secateur.kinds.lcfrs.coarse import CoarseToFine
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.kinds.pruning import Pruning, Schedule
from secateur.models.run import Run, fingerprint
from secateur.search.arrays import Bools
from secateur.search.core import Accuracy, Outcome, Reward
from secateur.search.linear import REGULARIZER
from secateur.search.pool import Pool
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.propagate import propagate
from secateur.tasks.hyperedge_pruning.task import Encoded, Gold, HyperedgePruning
from secateur.treebanks.bank import Bank
from secateur.treebanks.discontinuous import DISCONTINUOUS
from secateur.treebanks.tree import Tree

ITEMS = "items-"
FIRST = 2e-5  # penalty that is tried: of what is there to be made, one in fifty is gold
CARRY = 1.0  # weight of the baseline's labels in LOLS: with less, it forgets what is gold
FOLDS = 2
NOTHING = 0  # the bucket of features that are not there


class ItemTrainer(Pruning[HyperedgePruning]):
    """A PLCFRS, examples and a run."""

    def __init__(
        self,
        run: Run,
        train: Bank[Tree],
        dev: Bank[Tree],
        settings: LcfrsSettings,
        grammar: PLCFRS,
        coarse: CoarseToFine,
        spans: SpanFeatures,
    ) -> None:
        super().__init__(run, _schedule(settings), ITEMS)
        self.settings, self.train, self.coarse, self.spans = settings, train, coarse, spans
        self.chosen = _some(train, settings.item_length, settings.item_trees)
        trees = list(train)
        self.trees = DISCONTINUOUS.bank((trees[number] for number in self.chosen), name=train.name)
        self.stopping_trees = dev[::2].filter(max_length=settings.item_length)
        self.task = self._task(grammar, coarse)
        run.claim(self._fingerprint(), f"{self.prefix}run")
        self.plan()

    def _task(self, grammar: PLCFRS, coarse: CoarseToFine) -> HyperedgePruning:
        unit, spans = self.settings.unit, replace(self.spans, templates=TEMPLATES)
        features = ItemFeatures.of_grammar(grammar, spans, labelled=unit != "set")
        binarization = Binarization.from_notes(grammar.notes)
        return HyperedgePruning(grammar, features, binarization, unit, coarse.wide)

    @cached_property
    def apart(self) -> list[HyperedgePruning]:
        """For each fold, the task with grammars induced without it.

        A grammar has all rules of the trees it was induced from: roll-outs that saw this would lean on it.
        """
        return [self._without(set(self.chosen[fold::FOLDS])) for fold in range(FOLDS)]

    def _without(self, left_out: set[int]) -> HyperedgePruning:
        others = [tree for number, tree in enumerate(self.train) if number not in left_out]
        fine = induce(others)
        coarse = CoarseToFine.induced(fine, others)
        return self._task(fine.binarized(), replace(coarse, spans=self.coarse.spans))

    @cached_property
    def _decided(self) -> tuple[Pool, Bools]:
        """All decisions there are, nothing being pruned."""
        pool, keep = Pool(self.task.dim, least=2, nothing=NOTHING), keep_all(self.task)
        right = []
        for number, (x, gold) in enumerate(self.data):
            task = self.apart[number % FOLDS]
            site = task.roll_in(x, keep).trace.site
            pool.add(number, site, np.zeros((len(site), 0)), np.zeros(len(site)), partial(task.features, x))
            right.append(task.is_gold(site, gold))
        return pool, np.concatenate([np.zeros(0, bool), *right])

    @property
    def pool(self) -> Pool:
        return self._decided[0]

    @property
    def is_gold(self) -> Bools:
        return self._decided[1]

    def reward(self, tradeoff: float, task: HyperedgePruning | None = None) -> Reward:
        return Reward((task or self.task).f1, "pushes", tradeoff)

    def cost(self, x: Encoded) -> float:
        return float(len(x.words)) ** 2

    @property
    def watch(self) -> Mapping[str, Accuracy]:
        return {"items": _items}

    def _fingerprint(self) -> str:
        """Of what the pieces depend on, beside what the run is known by."""
        free = ("iterations", "repeat")
        settings = {
            one.name: getattr(self.settings, one.name)
            for one in fields(self.settings)
            if one.name not in free
        }
        grammar = self.task.grammar
        return fingerprint(settings, asdict(self.task.binarization), *grammar.binary[:5], *grammar.unary[:3])


def _schedule(settings: LcfrsSettings) -> Schedule:
    return Schedule(
        points=settings.item_points,
        iterations=settings.iterations,
        regularizer=REGULARIZER,
        values=propagate,
        carry=CARRY,
        first=FIRST,
        minibatch=settings.minibatch,
        folds=FOLDS,
        seed=settings.seed,
    )


def _some(trees: Bank[Tree], longest: int, most: int) -> list[int]:
    """Of at most so many trees that are not too long, their numbers, from all over the treebank."""
    short = [number for number, tree in enumerate(trees) if len(tree.leaves()) <= longest]
    return short[:: max(-(-len(short) // most), 1)]


def _items(x: Encoded, outcome: Outcome, gold: Gold) -> float:
    return float(outcome.work.items)
