"""The state of one training run, and its steps: sweep, tradeoffs, LOLS."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from functools import cached_property, partial
from typing import NamedTuple

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
from secateur.models.curve import even_penalties
from secateur.models.run import Run, fingerprint
from secateur.search.arrays import Bools, Floats, Weights
from secateur.search.checkpoint import Round
from secateur.search.core import Example, Outcome, Policy, Reward
from secateur.search.learners import Aggregate, Apart, Minibatch, everything, judge
from secateur.search.linear import REGULARIZER, Logistic, logistic_regression
from secateur.search.pool import Pool
from secateur.tasks.span_pruning.backprop import backprop
from secateur.tasks.span_pruning.propagate import propagate
from secateur.tasks.span_pruning.rewards import r_cp, r_dp
from secateur.tasks.span_pruning.task import Encoded, Gold, SpanPruning, sites_of
from secateur.treebanks.bank import Bank
from secateur.treebanks.phrases import Treebank
from secateur.treebanks.tree import Tree

# Penalties tried to find the range worth sweeping: from FIRST on, until too little is left of the accuracy.
FIRST, FACTOR, LAST = 1e-3, 4.0, 0.6
PROBES = 5  # at most
# Where the sweep begins, in probes before the most accurate one. Probes of a split grammar are judged with a
# coarser one, which gains by pruning what the split one can do with.
BEFORE, BEFORE_SPLIT = 0.5, 2.0
# The weight of the baseline's labels beside what roll-outs say. A split grammar parses well with a baseline's
# spans, and roll-outs see a coarser one: with less weight LOLS loses more than it gains.
CARRY, CARRY_SPLIT = 0.1, 2.0
STEPS = 50  # of the optimizer in a round of LOLS, which starts from the policy before


class Baseline(NamedTuple):
    """A policy trained to keep gold spans, and what it does on the stopping half."""

    penalty: float  # for keeping a span that is not gold
    policy: Policy
    accuracy: float  # surrogate
    runtime: float  # surrogate


class Trainer:
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
    ) -> None:
        """`splits`: how the grammar was split from these trees; LOLS then splits others without each fold."""
        self.run, self.settings, self.splits = run, settings, splits
        self.regularizer = REGULARIZER if settings.regularizer is None else settings.regularizer
        self.binarization = binarization_of(grammar, settings)
        self.trees = train.filter(max_length=settings.max_length)
        self.longer = train.filter(min_length=settings.max_length + 1)
        self.stopping_trees, self.judging_trees = dev[::2], dev[1::2]
        self.grammar = grammar or induce(train, binarization=self.binarization)
        rolled = _rolled_out(self.grammar, settings.rollout_level)
        features = settings.features or SpanFeatures.from_words(train.vocabulary())
        self.task = SpanPruning(rolled, features, self.binarization)
        run.claim(_fingerprint(train, dev, settings, splits, self.binarization, rolled))
        run.plan({"baseline": PROBES + settings.points, "round": settings.points * settings.iterations})
        # An induced grammar parses its own trees, split or not; of another that is not known.
        self.unparsed = self._leave_out_unparsed() if isinstance(grammar, PCFG) else 0

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
    def data(self) -> list[Example]:
        """The training sentences, each as the task that visits it has them."""
        tasks = self.apart or [self.task]
        return [_example(tasks[e % len(tasks)], tree) for e, tree in enumerate(self.trees)]

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
    def stopping(self) -> list[Example]:
        """The half of the held-out sentences that early stopping looks at."""
        return self.examples(self.stopping_trees)

    @cached_property
    def judging(self) -> list[Example]:
        """The other half: nothing is chosen by it but what the dial offers."""
        return self.examples(self.judging_trees)

    def examples(self, trees: Sequence[Tree]) -> list[Example]:
        return [_example(self.task, tree) for tree in trees]

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
        """The surrogate reward."""
        make = r_dp if self.settings.surrogate == "dp" else r_cp
        return make(task or self.task, tradeoff)

    def labelled(self, penalty: float) -> Floats:
        """Advantages of keeping, as the baseline sees them: 1 for gold spans, -penalty for others."""
        return np.where(self.is_gold, 1.0, -penalty)

    def baseline(self, name: str, penalty: float, start: Policy | None = None) -> Baseline:
        """The asymmetric baseline with this penalty for keeping a span that is not gold."""

        def fit() -> Weights:
            return logistic_regression(
                self.pool.matrix(),
                self.labelled(penalty),
                regularizer=self.regularizer,
                start=None if start is None else start.weights,
            )

        policy = Policy(self.run.weights(name, self.task.dim, fit))
        figures = self.run.numbers(name, lambda: self.surrogate(policy, self.stopping), tuple[float, float])
        accuracy, runtime = figures
        found = Baseline(penalty, policy, accuracy, runtime)
        self.run.told(
            f"{name}: penalty {penalty:.3g}, accuracy {accuracy:.4f}, runtime {runtime:.1f}", "baseline"
        )
        return found

    def surrogate(self, policy: Policy, examples: Sequence[Example]) -> tuple[float, float]:
        """Mean surrogate (accuracy, runtime) of a policy."""
        found = judge(self.task, self.reward(0.0), policy, examples, engine=self.run.engine, cost=cubic)
        return found.accuracy, found.runtime

    def sweep(self) -> list[Baseline]:
        """Baselines over the range of penalties where speed costs accuracy, runtimes evenly spaced."""
        probes: list[Baseline] = []
        penalty = FIRST
        policy: Policy | None = None
        while penalty <= LAST:
            probes.append(self.baseline(f"probe-{len(probes)}", penalty, policy))
            policy = probes[-1].policy
            best = max(probes, key=lambda p: p.accuracy)
            if probes[-1].accuracy < self.settings.left * best.accuracy:
                break
            penalty *= FACTOR
        self.run.skip("baseline", PROBES - len(probes))
        penalties = spaced(
            [p.penalty for p in probes],
            [p.runtime for p in probes],
            [p.accuracy for p in probes],
            self.settings.points,
            self.settings.left,
            BEFORE_SPLIT if isinstance(self.grammar, SplitPCFG) else BEFORE,
        )
        found: list[Baseline] = []
        for number, penalty in enumerate(penalties):
            policy = min(
                [*probes, *found], key=lambda p: abs(math.log(p.penalty / penalty))
            ).policy  # the nearest one to start from
            found.append(self.baseline(f"baseline-{number}", penalty, policy))
        return found

    def lols(self, name: str, start: Baseline, tradeoff: float) -> tuple[Policy, list[Round]]:
        """LOLS from a baseline."""
        settings = self.settings
        carry = CARRY_SPLIT if isinstance(self.grammar, SplitPCFG) else CARRY
        if settings.carry is not None:
            carry = settings.carry
        self.pool.restore(carry * self.labelled(start.penalty))
        resume = self.run.checkpoint(name, self.task.dim)
        self.run.found("round", len(resume.rounds) - 1 if resume else 0)
        learner = Aggregate(
            values=backprop if settings.surrogate == "dp" else propagate,
            iterations=settings.iterations,
            patience=settings.patience,
            classifier=Logistic(self.regularizer, STEPS),
            sample=some_rollouts if settings.rollouts == "some" else None,
            exploration=settings.exploration,
            visits=Minibatch(settings.minibatch, settings.seed) if settings.minibatch else everything,
            folds=settings.folds,
            seed=settings.seed,
            engine=self.run.engine,
            watch={"F1": self.task.f1, "pushes": pushes},
        )
        learner.fit(
            self.task,
            self.data,
            self.reward(tradeoff),
            start.policy,
            dev=self.stopping,
            apart=[Apart(task, self.reward(tradeoff, task)) for task in self.apart],
            pool=self.pool,
            cost=cubic,
            resume=resume,
            save=partial(self.run.save_checkpoint, name),
            report=lambda r: self.run.told(_round_line(name, r), "round" if r.number else "", minor=True),
        )
        self.run.skip("round", settings.iterations - (len(learner.rounds_) - 1))
        best = max(learner.rounds_, key=lambda r: r.reward)
        self.run.told(_round_line(name, best))
        return learner.policy_, learner.rounds_


def binarization_of(grammar: PCFG | SplitPCFG | None, settings: Settings) -> Binarization:
    """How trees are made binary: as a grammar says that it was made, or as the settings have it."""
    notes = grammar.coarse.notes if isinstance(grammar, SplitPCFG) else grammar.notes if grammar else {}
    if "binarization" in notes:
        return Binarization.from_notes(notes)
    return settings.binarization or Binarization()


def _example(task: SpanPruning, tree: Tree) -> Example:
    return Example(task.encode(tree.words()), task.gold(tree))


def _rolled_out(grammar: PCFG | SplitPCFG, level: int) -> PCFG:
    """The grammar to learn with: a split one is seen from a level that is quick to parse with."""
    if isinstance(grammar, PCFG):
        return grammar
    return seen_from(replace(grammar, others=()), level).flat() if level else grammar.coarse


def spaced(
    penalties: Sequence[float],
    runtime: Sequence[float],
    accuracy: Sequence[float],
    count: int,
    left: float,
    before: float,
) -> list[float]:
    """Penalties for `count` baselines, from what some probes did."""
    falling = all(after < before for before, after in itertools.pairwise(runtime))
    if len(penalties) < 2 or not falling or min(runtime) <= 0:
        # Too little data for more pruning to show as less work.
        return [float(p) for p in np.geomspace(FIRST, LAST, count)]
    slow, fast = sweep_range(runtime, accuracy, left, before)
    return even_penalties(penalties, runtime, count, slow, fast)


def sweep_range(
    runtime: Sequence[float], accuracy: Sequence[float], left: float, before: float = BEFORE
) -> tuple[float, float]:
    """The slowest and the fastest runtime to sweep, from probes in order of speed.

    Where less work is also more accurate there is nothing to trade: the range begins `before` the most
    accurate probe, counted in probes. It ends where the share `left` of that accuracy is left.
    """
    best = int(np.argmax(accuracy))
    slow = math.exp(np.interp(best - before, range(len(runtime)), np.log(runtime)))
    threshold = left * accuracy[best]
    for before, after in zip(range(best, len(runtime)), range(best + 1, len(runtime)), strict=False):
        if accuracy[after] < threshold:
            share = (accuracy[before] - threshold) / (accuracy[before] - accuracy[after])
            return slow, runtime[before] * (runtime[after] / runtime[before]) ** share
    return slow, runtime[-1]


def some_rollouts(decisions: int) -> int:
    """2n roll-outs for a sentence of n words, which has n(n+1)/2 - 1 - n decisions."""
    n = round((1 + math.sqrt(9 + 8 * decisions)) / 2)
    return min(decisions, 2 * n)


def cubic(x: Encoded) -> float:
    return float(len(x.words)) ** 3


def pushes(x: Encoded, outcome: Outcome, gold: Gold) -> float:
    return float(outcome.work.pushes)


def _round_line(name: str, r: Round) -> str:
    return (
        f"{name} round {r.number}: reward {r.reward:.4f}, accuracy {r.accuracy:.4f}, "
        f"runtime {r.runtime:.1f}, F1 {100 * r.watched['F1']:.2f}, pushes {r.watched['pushes']:,.0f}"
    )


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
    free = ("iterations", "patience", "repeat", "grammar", "levels", "products", "split", "features")
    fixed = {one.name: getattr(settings, one.name) for one in fields(settings) if one.name not in free}
    about: list[object] = [train.checksum(), dev.checksum(), fixed, asdict(binarization)]
    about.append(None if splits is None else asdict(splits))
    features = settings.features
    if features is not None:
        # What the views are, by what they make of words: a changed function is another run.
        about += [features.templates, features.bits, features.columns(sorted(features.vocabulary))]
    return fingerprint(*about, *grammar.rules)
