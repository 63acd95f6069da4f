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
from secateur.treebanks.tree import Tree

ITEMS = "items-"
FIRST = 2e-5  # penalty that is tried: of what is there to be made, one in fifty is gold
CARRY = 0.1  # weight of the baseline's labels in LOLS
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
        self.settings = settings
        self.trees = _some(train.filter(max_length=settings.item_length), settings.item_trees)
        self.stopping_trees = dev[::2].filter(max_length=settings.item_length)
        self.task = HyperedgePruning(
            grammar,
            ItemFeatures.of_grammar(
                grammar, replace(spans, templates=TEMPLATES), labelled=settings.unit != "set"
            ),
            Binarization.from_notes(grammar.notes),
            settings.unit,
            coarse.wide,
        )
        run.claim(self._fingerprint(), f"{self.prefix}run")
        self.plan()

    @cached_property
    def _decided(self) -> tuple[Pool, Bools]:
        """All decisions there are, nothing being pruned."""
        pool, keep = Pool(self.task.dim, least=2, nothing=NOTHING), keep_all(self.task)
        right = []
        for number, (x, gold) in enumerate(self.data):
            site = self.task.roll_in(x, keep).trace.site
            pool.add(
                number, site, np.zeros((len(site), 0)), np.zeros(len(site)), partial(self.task.features, x)
            )
            right.append(self.task.is_gold(site, gold))
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
        folds=2,
        seed=settings.seed,
    )


def _some(trees: Bank[Tree], most: int) -> Bank[Tree]:
    """At most so many, from all over the treebank."""
    return trees[:: -(-len(trees) // most)] if len(trees) > most else trees


def _items(x: Encoded, outcome: Outcome, gold: Gold) -> float:
    return float(outcome.work.items)
