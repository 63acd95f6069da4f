"""All steps of a training on a few trees, those first that a real one comes to last: to compile kernels."""

from __future__ import annotations

import numpy as np

from secateur.kinds.pcfg import KIND
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.settings import COARSE, Settings, Using
from secateur.kinds.pcfg.trainer import Trainer
from secateur.models.measure import measure_all
from secateur.models.run import Run
from secateur.tasks.span_pruning.backprop import ExpectedRecall
from secateur.tasks.span_pruning.task import sites_of
from secateur.treebanks.garden import treebank


def train_little() -> None:
    trees = treebank(24)
    settings = Settings(grammar=COARSE, points=3, iterations=1, repeat=1)
    trainer = Trainer(Run(), trees[:16], trees[16:], settings)
    trainer.pool.matrix()
    x, gold = trainer.data[0]
    everything = np.ones((len(x.words) + 1, len(x.words) + 1), np.bool_)
    ExpectedRecall(trainer.task).flipped(x, everything, gold, sites_of(len(x.words)))
    # From here on it needs the kernels of parsing, which the other process has compiled meanwhile.
    baseline = trainer.baseline("baseline", 0.1)
    parts = PcfgParts(trainer.grammar, trainer.task.span_features)
    policies = {"baseline": baseline.policy}
    measure_all(trainer.run, KIND, parts, policies, trainer.judging_trees, using=Using(), repeat=1)
    trainer.lols("lols", baseline, 1e-3)


if __name__ == "__main__":
    train_little()
