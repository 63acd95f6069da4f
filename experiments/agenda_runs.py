"""What the experiments with orders share: grammars, sentences, tasks, learners, and what is counted.

A split grammar is learned from the training trees, policies from one half of dev; the other half says which
to take. Counted are all pops, of all attempts where what was dropped left no parse; recall and F1 with tags,
over binarized nodes without made symbols; and EVALB's F1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from prune_runs import data_folder
from report import OUT

# The task and its learners by themselves: no public name gives them.
from secateur.features.neighbours import shares_of
from secateur.features.priority import SCALES, PriorityFeatures, PrioritySettings
from secateur.grammar.latent.bounds import Estimate
from secateur.grammar.latent.text import read_split, write_split
from secateur.kernels.agenda.priorities import EXACT, UNLIMITED, How
from secateur.kernels.cky.sparse import cell_of
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.search.core import Example, Outcome, Policy, Reward
from secateur.search.parallel import Engine
from secateur.tasks.agenda_order.halting import AgendaHalting, at_first_parse, halting_learner
from secateur.tasks.agenda_order.halting import examples as halting_examples
from secateur.tasks.agenda_order.halting import reward_of as halting_reward
from secateur.tasks.agenda_order.learn import OrderSettings, drawn_order, order_learner, reward_of
from secateur.tasks.agenda_order.oracle import Oracle, items_of
from secateur.tasks.agenda_order.rollouts import RollOutSettings, pop_choice, rollout_learner
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.treebanks.normalization import AS_IN_THE_PAPER

DATA = ("ptb-sample", "gum", "garden")
SIZES = (600, 120, 120)  # of the garden's parts
TRAIN, SHORT, LONG = 100, 15, (16, 40)  # sentences to learn from, and how many words a sentence has
MOST_LONG = {"choice": 40, "test": 100}  # sentences of more words: exact search takes .3 s each
LOSS = 0.3  # F1 that a choice may cost on its half of dev
WIDEN = How(8.0, EXACT.merge, 1.5)  # "deepening"
SEEDS = (0, 1, 2)
BOUNDARY = ("words", "label | word before", "word after | label")
BEGINS = {"score": (), "boundary": BOUNDARY}

Row = dict[str, Any]


@dataclass(frozen=True)
class AgendaCase:
    """Which data, and where what is found about it goes."""

    data: str
    out: Path = OUT
    levels: int = 5
    seeds: tuple[int, ...] = SEEDS
    passes: int | None = None  # fewer than a learner's own
    most: int | None = None  # sentences of a part, the first ones
    jobs: int = 1

    @cached_property
    def trees(self) -> dict[str, sec.Treebank]:
        if self.data == "garden":
            train, dev, test = SIZES
            whole = sec.garden.treebank(train + dev + test).normalize(AS_IN_THE_PAPER)
            return {"train": whole[:train], "dev": whole[train : train + dev], "test": whole[train + dev :]}
        folder = data_folder() / self.data
        return {
            part: sec.read(folder / f"{part}.mrg", normalization=AS_IN_THE_PAPER)
            for part in ("train", "dev", "test")
        }

    @cached_property
    def split(self) -> Any:
        """The grammar, kept as text."""
        file = self.out / "runs" / f"agenda-{self.data}-{self.levels}.txt.gz"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            made = SplitTraining(self.trees["train"], settings=SplitSettings(levels=self.levels)).fit()
            write_split(made.grammar(self.levels), file)
        return read_split(file)

    @cached_property
    def parts(self) -> dict[str, list[sec.Tree]]:
        """Sentences by what they are for."""
        dev, test = list(self.trees["dev"]), list(self.trees["test"])
        cut = slice(0, self.most)
        return {
            "train": between(dev[::2], 2, SHORT)[:TRAIN][cut],
            "choice": between(dev[1::2], 2, SHORT)[cut],
            "choice long": between(dev[1::2], *LONG)[: MOST_LONG["choice"]][cut],
            "test": between(test, 2, SHORT)[cut],
            "test long": between(test, *LONG)[: MOST_LONG["test"]][cut],
        }


def between(trees: Iterable[sec.Tree], least: int, most: int) -> list[sec.Tree]:
    return [tree for tree in trees if least <= len(tree.words()) <= most]


def task_of(case: AgendaCase, begin: str) -> AgendaOrder:
    """With the features that there are to begin with."""
    grammar = case.split.flat()
    binarization = SplitSettings().binarization
    features = PriorityFeatures.learned(
        grammar,
        case.trees["train"],
        binarization,
        settings=PrioritySettings(merit=begin == "boundary"),
        share=shares_of(case.split, grammar),
    )
    return AgendaOrder(grammar, features, EXACT, Oracle(grammar, binarization))


@dataclass(frozen=True)
class Judging:
    """What is counted of some sentences under a policy; travels to the workers."""

    task: AgendaOrder
    policy: Policy

    def __call__(self, data: list[Example]) -> list[Any]:
        found = []
        for x, gold in data:
            outcome = self.task.run(x, self.policy)
            failed = outcome.parts is None or outcome.parts.score == -np.inf
            work = [outcome.work.pops, outcome.work.pushes, failed]
            found.append(np.array([*work, *counts(self.task, outcome, gold)]))
        return found


def judged(task: AgendaOrder, policy: Policy, data: Sequence[Example], jobs: int) -> Row:
    """Means of work, and figures of all sentences together."""
    cost = np.array([float(len(x.known.words)) ** 3 for x, _ in data])
    total = np.sum(Engine(jobs).map(Judging(task, policy), data, cost), axis=0).tolist()
    pops, pushes, failed, right, made, wanted, matched, test, brackets = total
    return {
        "pops": pops / len(data),
        "pushes": pushes / len(data),
        "failed": failed,
        "recall": 100 * right / max(wanted, 1),
        "f1": 200 * right / max(made + wanted, 1),
        "evalb": 200 * matched / max(test + brackets, 1),
    }


def counts(task: AgendaOrder, outcome: Outcome, gold: Any) -> Any:
    """Nodes right, found and wanted; brackets matched, found and wanted."""
    oracle = task.oracle
    wanted = oracle.node_keys(gold.items)
    if outcome.parts is None:
        return np.array([0, 0, len(wanted), 0, 0, gold.brackets.total])
    steps = outcome.parts.steps
    i, k, symbol, _ = items_of(steps[~task.grammar.intermediate[steps[:, 1]]]).T
    found = np.unique(len(oracle.labels) * cell_of(i, k) + oracle.label[symbol])
    right = int(np.isin(wanted, found.astype(np.uint64)).sum())
    return np.array([right, len(found), len(wanted), *task.brackets.matches(steps, gold.brackets)])


def dynamic(task: AgendaOrder) -> AgendaOrder:
    """With features that change as a search goes on."""
    features = task.features
    settings = replace(features.settings, dynamic=True)
    return replace(task, features=features.with_settings(settings))


def ended(task: AgendaOrder, policy: Policy, trees: Sequence[sec.Tree], seed: int, jobs: int) -> AgendaOrder:
    """With a policy that ends searches in this order, learned from the same sentences."""
    halting = AgendaHalting(task, policy)
    data, begin = halting_examples(halting, trees), at_first_parse()
    learner = halting_learner(seed=seed, engine=Engine(jobs))
    learner.fit(halting, data, halting_reward(halting), begin, dev=data)
    return replace(task, halting=halting.halting(learner.policy_))


@dataclass(frozen=True)
class Cheat:
    """An estimate of what is outside that is 2 for the oracle's labels of spans, once gold is told."""

    seen: Any  # [N] the label of each symbol
    labels: int

    def estimate(self, words: Any, mask: Any) -> Estimate:
        cells = len(words) * (len(words) + 1) // 2
        return Estimate(np.zeros(0, np.float32), np.zeros((cells, self.labels), np.float32))

    def told(self, example: Example) -> Example:
        x, gold = example
        estimate = self.estimate(x.known.words, x.mask)
        i, k, symbol, _ = gold.items.items.T
        estimate.outside[cell_of(i, k), self.seen[symbol]] = 2 * SCALES["score"]
        return Example(x._replace(known=x.known._replace(estimate=estimate)), gold)


def cheating(
    task: AgendaOrder, data: dict[str, list[Example]]
) -> tuple[AgendaOrder, dict[str, list[Example]]]:
    """With a feature that tells which items are the oracle's."""
    cheat = Cheat(task.oracle.label, len(task.oracle.labels))
    settings = replace(task.features.settings, outside=True)
    features = replace(task.features, bounds=cheat, settings=settings)
    told = {part: [cheat.told(example) for example in some] for part, some in data.items()}
    return replace(task, features=features), told


Settings = OrderSettings | RollOutSettings


def learned(
    task: AgendaOrder, begin: Policy, data: Sequence[Example], settings: Settings, jobs: int
) -> Policy:
    """The policy of the last pass: on the way, no more than one example is looked at. Of roll-outs, the best
    round's on the sentences that were learned from: rounds differ."""
    if isinstance(settings, RollOutSettings):
        reward = Reward(task.f1, settings.price, settings.tradeoff)
        rounds = rollout_learner(settings, engine=Engine(jobs))
        return rounds.fit(pop_choice(task, settings), data, reward, begin, dev=data).policy_
    learner = order_learner(settings, engine=Engine(jobs))
    learner.fit(drawn_order(task, settings), data, reward_of(task.f1, settings), begin, dev=data[:1])
    return learner.policy_


def settings_of(case: AgendaCase, options: dict[str, Any], seed: int) -> Settings:
    if "rounds" in options:
        return RollOutSettings(
            **{**options, "rounds": min(options["rounds"], case.passes or UNLIMITED)}, seed=seed
        )
    found = OrderSettings(**options, seed=seed)
    if case.passes is None:
        return found
    passes = min(found.passes, case.passes)
    return replace(found, passes=passes, alone=min(found.alone, passes))


def spread(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"
