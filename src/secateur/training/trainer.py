"""From a treebank to a model: grammar, baselines, LOLS from each, the frontier.

1. A sweep of baselines: policies trained to keep gold spans, with a growing penalty for keeping others.
2. For each, the surrogate tradeoff at which it is best among them.
3. LOLS from each, with the surrogate reward of that tradeoff.
4. All are measured on held-out trees by the true figures: corpus F1, pushes, words/s.

Two fits, never mixed: the surrogate's tradeoff is for training, the true one (F1 points per mega-push) for
choosing a policy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from secateur import frontier, metrics
from secateur.errors import InputError
from secateur.features.span import SpanFeatures
from secateur.frontier import Point
from secateur.grammar.binarize import Binarization
from secateur.grammar.derivation import build_tree, flat_tree
from secateur.grammar.induce import induce
from secateur.grammar.pcfg import PCFG
from secateur.model import UNPRUNED, Model
from secateur.search.core import Example, Outcome, Policy, Reward
from secateur.search.learners import REGULARIZER, Aggregate, Checkpoint, Round
from secateur.search.linear import logistic_regression
from secateur.search.parallel import Engine
from secateur.search.pool import Pool
from secateur.tasks.backprop import ExpectedRecall, backprop
from secateur.tasks.propagate import propagate
from secateur.tasks.span_pruning import Encoded, SpanPruning, sites_of
from secateur.treebank import Treebank
from secateur.trees import Tree

Tell = Callable[[str], None]
PROBES = (1e-3, 1e-2, 1e-1)  # penalties tried first, to space the baselines evenly


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train."""

    surrogate: Literal["dp", "cp"] = "dp"  # expected recall and kept spans; or F1 and items
    points: int = 8  # baselines, and LOLS runs
    iterations: int = 10
    patience: int = 5
    max_length: int = 40  # longer training sentences are left out
    regularizer: float = REGULARIZER
    binarization: Binarization = field(default_factory=Binarization)
    repeat: int = 3  # timing runs
    seed: int = 0

    def __post_init__(self) -> None:
        if self.surrogate not in ("dp", "cp"):
            raise InputError(f"unknown surrogate {self.surrogate!r}", fix="choose dp or cp")
        if self.points < 3:
            raise InputError(f"{self.points} operating points", fix="ask for 3 or more")


class Trainer:
    """The state of one training run; every finished piece is kept in `work`, so that it can go on."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank,
        settings: Settings,
        *,
        grammar: PCFG | None = None,
        work: Path | None = None,
        engine: Engine | None = None,
        tell: Tell = lambda line: None,
    ) -> None:
        if not len(dev):
            raise InputError("no held-out trees", fix="give --dev, or more trees to split some off")
        self.settings = settings
        self.work = work
        self.engine = engine or Engine()
        self.tell = tell
        self.train_trees = train.filter(max_length=settings.max_length)
        self.dev_trees = dev
        self.grammar = grammar or induce(train, binarization=settings.binarization)
        features = SpanFeatures.from_words(train.vocabulary())
        self.task = SpanPruning(self.grammar, features, settings.binarization)

    @cached_property
    def data(self) -> list[Example]:
        return self._examples(self.train_trees)

    @cached_property
    def dev(self) -> list[Example]:
        return self._examples(self.dev_trees)

    @property
    def stopping(self) -> list[Example]:
        """The half of the held-out sentences that early stopping looks at; the rest judges."""
        return self.dev[::2]

    def _examples(self, trees: Sequence[Tree]) -> list[Example]:
        return [Example(self.task.encode(tree.words()), self.task.gold(tree)) for tree in trees]

    @cached_property
    def pool(self) -> Pool:
        """All decisions on the training sentences, with their features; advantages as the baselines need."""
        pool = Pool(self.task.dim)
        for number, (x, _) in enumerate(self.data):
            sites = sites_of(len(x.words))
            nothing = np.zeros((len(sites), 0))
            pool.add(number, sites, nothing, np.zeros(len(sites)), partial(self.task.features, x))
        return pool

    @cached_property
    def is_gold(self) -> Any:
        return np.concatenate([self.task.is_gold(sites_of(len(x.words)), gold) for x, gold in self.data])

    def reward(self, tradeoff: float) -> Reward:
        """The surrogate reward."""
        if self.settings.surrogate == "dp":
            return Reward(ExpectedRecall(self.task), "kept", tradeoff)
        return Reward(self.task.f1, "items", tradeoff)

    def baseline(self, penalty: float, start: Policy | None = None) -> Policy:
        """The asymmetric baseline with this penalty for keeping a span that is not gold."""
        weights = logistic_regression(
            self.pool.matrix(),
            self.labelled(penalty),
            regularizer=self.settings.regularizer,
            start=None if start is None else start.weights,
        )
        return Policy(weights)

    def labelled(self, penalty: float) -> Any:
        """Advantages of keeping, as the baseline sees them: 1 for gold spans, -penalty for others."""
        return np.where(self.is_gold, 1.0, -penalty)

    def surrogate(self, policy: Policy, examples: Sequence[Example]) -> tuple[float, float]:
        """Mean surrogate (accuracy, runtime) of a policy."""
        reward = self.reward(0.0)
        found = []
        for x, gold in examples:
            outcome = self.task.parse(x, policy)
            found.append((reward.accuracy(x, outcome, gold), reward.cost(outcome)))
        accuracy, runtime = np.mean(found, axis=0)
        return float(accuracy), float(runtime)

    def sweep(self) -> list[tuple[float, Policy]]:
        """Baselines whose runtimes are evenly spaced, the slowest first."""
        tried: list[tuple[float, float]] = []
        policy: Policy | None = None
        for penalty in PROBES:
            policy = self.baseline(penalty, policy)
            tried.append((penalty, self.surrogate(policy, self.dev)[1]))
            self.tell(f"probe: penalty {penalty:g}, runtime {tried[-1][1]:.1f}")
        penalties = frontier.even_penalties(
            [p for p, _ in tried], [r for _, r in tried], self.settings.points
        )
        found = []
        for number, penalty in enumerate(penalties):
            policy = self.baseline(penalty, policy)
            self.tell(f"baseline {number + 1}/{len(penalties)}: penalty {penalty:.3g}")
            found.append((penalty, policy))
        return found

    def lols(self, name: str, penalty: float, start: Policy, tradeoff: float) -> tuple[Policy, list[Round]]:
        """LOLS from a baseline."""
        self.pool.restore(self.labelled(penalty))
        learner = Aggregate(
            values=backprop if self.settings.surrogate == "dp" else propagate,
            iterations=self.settings.iterations,
            patience=self.settings.patience,
            regularizer=self.settings.regularizer,
            sample=None if self.settings.surrogate == "dp" else fewer_rollouts,
            seed=self.settings.seed,
            engine=self.engine,
        )
        learner.fit(
            self.task,
            self.data,
            self.reward(tradeoff),
            start,
            dev=self.stopping,
            pool=self.pool,
            cost=cubic,
            resume=self._load(name),
            save=lambda checkpoint: self._save(name, checkpoint),
            report=lambda r: self.tell(
                f"{name} round {r.number}: reward {r.reward:.4f}, "
                f"accuracy {r.accuracy:.4f}, runtime {r.runtime:.1f}"
            ),
        )
        return learner.policy_, learner.rounds_

    def measure(self, name: str, policy: Policy | None) -> Point:
        """The true figures of a policy on the held-out trees; None: nothing pruned."""
        outcomes: list[Outcome] = []
        best = float("inf")
        for _ in range(self.settings.repeat):
            outcomes = []
            started = time.process_time()
            for x, _ in self.dev:
                outcomes.append(self._parse(x, policy))
            best = min(best, time.process_time() - started)
        trees = [
            build_tree(self.grammar, o.parts.steps, tree.words())
            if o.parts is not None
            else flat_tree(self.grammar, x.words, tree.words())
            for o, tree, (x, _) in zip(outcomes, self.dev_trees, self.dev, strict=True)
        ]
        failed = [o.parts is None for o in outcomes]
        result = metrics.evaluate(self.dev_trees, trees, failed=failed)
        low, high = metrics.confidence([s.counts for s in result.sentences])
        words = sum(len(x.words) for x, _ in self.dev)
        sites = sum(len(sites_of(len(x.words))) for x, _ in self.dev)
        count = len(self.dev)
        return Point(
            name,
            result.total.f1,
            low,
            high,
            sum(o.work.pushes for o in outcomes) / count / 1e6,
            words / best,
            best / count,
            sum(o.work.kept for o in outcomes) / max(sites, 1),
            sum(failed) / count,
        )

    def _parse(self, x: Encoded, policy: Policy | None) -> Any:
        if policy is not None:
            return self.task.parse(x, policy)
        sites = sites_of(len(x.words))
        return self.task.parse_kept(x, sites, np.ones(len(sites), np.bool_), time.perf_counter())

    def _load(self, name: str) -> Checkpoint | None:
        if self.work is None or not (self.work / f"{name}.npz").exists():
            return None
        with np.load(self.work / f"{name}.npz", allow_pickle=False) as stored:
            rounds = tuple(Round(int(r[0]), *map(float, r[1:])) for r in stored["rounds"])
            return Checkpoint(rounds, stored["weights"], stored["best"], stored["advantages"])

    def _save(self, name: str, checkpoint: Checkpoint) -> None:
        if self.work is None:
            return
        self.work.mkdir(parents=True, exist_ok=True)
        partial = self.work / f"{name}.partial.npz"
        np.savez(
            partial,
            rounds=np.array(checkpoint.rounds),
            weights=checkpoint.weights,
            best=checkpoint.best,
            advantages=checkpoint.advantages,
        )
        partial.replace(self.work / f"{name}.npz")


def fewer_rollouts(decisions: int) -> int:
    """2n roll-outs for a sentence of n words, which has n(n+1)/2 - 1 - n decisions."""
    n = round((1 + math.sqrt(9 + 8 * decisions)) / 2)
    return min(decisions, 2 * n)


def cubic(x: Encoded) -> float:
    return float(len(x.words)) ** 3


def train(
    train: Treebank,
    *,
    dev: Treebank | None = None,
    settings: Settings | None = None,
    grammar: PCFG | None = None,
    work: Path | None = None,
    engine: Engine | None = None,
    tell: Tell = lambda line: None,
) -> Model:
    """A model with a frontier of pruning policies."""
    settings = settings or Settings()
    checksum = train.checksum()
    if dev is None:
        train, dev, _ = train.split(dev=0.1, test=0.0, seed=settings.seed)
    trainer = Trainer(train, dev, settings, grammar=grammar, work=work, engine=engine, tell=tell)
    points = [trainer.measure(UNPRUNED, None)]
    tell(_line(points[0]))
    policies: dict[str, Policy] = {}
    log: list[dict[str, Any]] = []
    baselines = trainer.sweep()
    figures = [trainer.surrogate(policy, trainer.stopping) for _, policy in baselines]
    slopes = frontier.tradeoffs([r for _, r in figures], [a for a, _ in figures])
    for number, ((penalty, policy), slope) in enumerate(zip(baselines, slopes.tolist(), strict=True)):
        learned, rounds = trainer.lols(f"lols-{number}", penalty, policy, slope)
        for name, one in ((f"baseline-{number}", policy), (f"lols-{number}", learned)):
            policies[name] = one
            points.append(trainer.measure(name, one))
            tell(_line(points[-1]))
        log.append(
            {
                "name": f"lols-{number}",
                "penalty": penalty,
                "tradeoff": slope,
                "rounds": [r._asdict() for r in rounds],
            }
        )
    true = frontier.tradeoffs([p.mpush for p in points], [p.accuracy for p in points])
    points = [replace(p, tradeoff=float(t)) for p, t in zip(points, true, strict=True)]
    notes = {
        "trees": len(train),
        "held out": len(dev),
        "checksum": checksum,
        **{k: v for k, v in asdict(settings).items() if k != "binarization"},
    }
    return Model(trainer.grammar, trainer.task.span_features, policies, points, notes, log)


def _line(p: Point) -> str:
    return (
        f"{p.name}: F1 {p.accuracy:.2f}, {p.words_per_second:,.0f} words/s, {p.mpush:.4f} Mpush/sentence, "
        f"{p.kept:.1%} kept, {p.failures:.1%} without a parse"
    )
