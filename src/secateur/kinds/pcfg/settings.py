"""How to train."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from secateur.errors import InputError
from secateur.grammar.binarize import Binarization
from secateur.search.linear import REGULARIZER


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train a frontier of pruning policies."""

    surrogate: Literal["dp", "cp"] = "dp"  # expected recall and kept spans; or F1 and items
    points: int = 8  # baselines, and LOLS runs
    left: float = 0.9  # of the best accuracy, at the fast end of the sweep
    iterations: int = 10
    patience: int = 5
    max_length: int = 40  # longer training sentences are left out
    regularizer: float = REGULARIZER
    least_seen: int = 2  # features of fewer sentences than this get no weight
    carry: float | None = None  # weight of the baseline's labels in LOLS; None: as suits the grammar
    folds: int = 2  # a sentence is visited by a policy trained without its fold
    rollouts: Literal["all", "some"] = "all"  # some: 2n for a sentence of n words
    rollout_level: int = 0  # of a split grammar's hierarchy, from which roll-outs see it
    minibatch: int | None = None  # sentences a round; None: all
    exploration: float = 0.0  # roll-in temperature
    binarization: Binarization = field(default_factory=Binarization)
    repeat: int = 3  # timing runs
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("surrogate", self.surrogate, ("dp", "cp")),
            ("roll-outs", self.rollouts, ("all", "some")),
        ):
            if value not in choices:
                raise InputError(f"unknown {name} {value!r}", fix="choose " + " or ".join(choices))
        if not 0.0 < self.left < 1.0:
            raise InputError(f"{self.left} of the accuracy left", fix="give a share between 0 and 1")
        for what, number, least in (
            ("operating points", self.points, 3),
            ("iterations", self.iterations, 1),
            ("folds", self.folds, 1),
            ("words as the longest training sentence", self.max_length, 3),
            ("timing runs", self.repeat, 1),
            ("as the level of roll-outs", self.rollout_level, 0),
        ):
            if number < least:
                raise InputError(f"{number} {what}", fix=f"ask for {least} or more")
