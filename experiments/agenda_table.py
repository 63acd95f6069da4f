"""Figure 1 of the 2012 NIPS paper: learners of priorities, by pops, recall and F1.

    python experiments/agenda_table.py --data garden
    SECATEUR_DATA=... python experiments/agenda_table.py --data ptb-sample

A split grammar is learned from the training trees, policies from dev sentences of at most 15 words: those of
one half of dev, as the other half says which policy to take. What is chosen, and what is measured of all of
them on test, are two things; test decides nothing. Learning starts where items are popped by score alone, as
in the paper, or where they are by the boundary figure of merit (Caraballo and Charniak 1998). Counted are all
pops, of all attempts where what was dropped left no parse; recall and F1 with tags, over binarized nodes
without made symbols; and EVALB's F1. A sentence without a parse finds nothing; where a policy ends searches
("halting": it goes on past the first parse while that pays), it finds what covers it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from arc_table1 import one_section
from prune_runs import data_folder
from report import OUT, WHERE, Pictures, Sections, leave, result_in, row_in, start, table

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
from secateur.tasks.agenda_order.learn import OrderSettings, drawn_order, examples, order_learner, reward_of
from secateur.tasks.agenda_order.oracle import Oracle, items_of
from secateur.tasks.agenda_order.rollouts import RollOutSettings, pop_choice, rollout_learner
from secateur.tasks.agenda_order.task import AgendaOrder
from secateur.treebanks.normalization import AS_IN_THE_PAPER

NAME = "agenda-table"
DATA = ("ptb-sample", "gum", "garden")
SIZES = (600, 120, 120)  # of the garden's parts
TRAIN, SHORT, LONG = 100, 15, (16, 40)  # sentences to learn from, and how many words a sentence has
MOST_LONG = {"choice": 40, "test": 100}  # sentences of more words: exact search takes .3 s each
LOSS = 0.3  # F1 that a choice may cost on its half of dev
WIDEN = How(8.0, EXACT.merge, 1.5)  # "deepening"
SEEDS = (0, 1, 2)
BOUNDARY = ("words", "label | word before", "word after | label")
BEGINS = {"score": (), "boundary": BOUNDARY}
PAPER = ("D-", "I-", "D+", "I+")  # learned with every seed, others with the first
DYNAMIC, HALTING = "I+, dynamic", ("halting", "I+, halting")
# Learner, what is rewarded, its other settings.
LEARNED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("D-", {"learner": "D-"}),
    ("I-", {"learner": "I-"}),
    ("D+", {"learner": "D+"}),
    ("D+, any", {"learner": "D+", "rewarded": "any"}),
    ("I+", {"learner": "I+"}),
    ("I+, any", {"learner": "I+", "rewarded": "any"}),
    ("I+, no baseline", {"learner": "I+", "baseline": False}),
    ("I+, 5 passes alone", {"learner": "I+", "alone": 5}),
    ("plain", {"learner": "plain", "passes": 5, "trajectories": 2}),
    ("DAgger", {"learner": "dagger"}),
    ("LOLS", {"rounds": 10}),
    (DYNAMIC, {"learner": "I+"}),
    ("halting", {"passes": 0}),
    ("I+, halting", {"learner": "I+"}),
)
CHEATING = ("plain, cheating", {"learner": "plain", "passes": 5, "trajectories": 2})
NOTHING = "nothing learned"

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


@dataclass(frozen=True)
class Ready:
    """A task with its sentences."""

    task: AgendaOrder
    begin: Policy
    data: dict[str, list[Example]]


def ready(case: AgendaCase, begin: str) -> tuple[Ready, Row]:
    """With what there is to know about the sentences."""
    task = task_of(case, begin)
    prepared = {part: examples(task, trees) for part, trees in case.parts.items()}
    about = {
        part: {"examples": len(found.examples), "nearly": found.nearly, "left out": found.left_out}
        for part, found in prepared.items()
    }
    data = {part: found.examples for part, found in prepared.items()}
    return Ready(task, Policy(task.features.start(*BEGINS[begin])), data), about


def runs_of(case: AgendaCase, begin: str) -> Iterator[tuple[str, dict[str, Any] | None, int]]:
    """Learners with their settings and seeds, from one beginning."""
    yield NOTHING, None, 0
    for name, options in (*LEARNED, *((CHEATING,) if begin == "score" else ())):
        for seed in case.seeds if name in PAPER else case.seeds[:1]:
            yield name, options, seed


def rows_of(
    case: AgendaCase, given: Ready, begin: str, name: str, options: dict[str, Any] | None, seed: int
) -> Row:
    """A policy, learned or not, on all parts: as it is, and with deepening."""
    own = given
    if name == CHEATING[0]:
        task, data = cheating(given.task, given.data)
        own = Ready(task, Policy(task.features.start()), data)
    elif name == DYNAMIC:
        task = dynamic(given.task)
        own = Ready(task, Policy(task.features.start(*BEGINS[begin])), given.data)
    policy, spent = own.begin, 0.0
    if options is not None:
        started = time.process_time()
        settings = settings_of(case, options, seed)
        policy = learned(own.task, policy, own.data["train"], settings, case.jobs)
        spent = time.process_time() - started
    found: Row = {"seconds": spent}
    for widen in (False, True):
        search = replace(own.task, how=WIDEN) if widen else own.task
        if name in HALTING:
            search = ended(search, policy, case.parts["train"], seed, case.jobs)
        parts = {part: judged(search, policy, some, case.jobs) for part, some in own.data.items()}
        found["widened" if widen else "plain"] = parts
    return found


def measure(case: AgendaCase) -> Row:
    rows: list[Row] = []
    sentences: Row = {}
    file = case.out / "runs" / f"{NAME}-{case.data}.jsonl"
    for begin in BEGINS:
        given, sentences = ready(case, begin)
        for name, options, seed in runs_of(case, begin):
            how = {"levels": case.levels, "passes": case.passes, "most": case.most}
            about = {"begin": begin, "learner": name, "seed": seed, **how}
            found = row_in(file, about, partial(rows_of, case, given, begin, name, options, seed))
            for widen in (False, True):
                parts = found["widened" if widen else "plain"]
                rows.append({**about, "widen": widen, "seconds": found["seconds"], **parts})
            pops = {part: round(own["pops"]) for part, own in found["plain"].items()}
            print(begin, name, seed, pops, flush=True)
    return {"sentences": sentences, "rows": rows}


# What is shown ----------------------------------------------------------------------------------------------


def base_of(found: Row) -> Row:
    """A*_0: by score alone, exactly."""
    return next(
        r for r in found["rows"] if r["learner"] == NOTHING and r["begin"] == "score" and not r["widen"]
    )


def same(row: Row) -> tuple[str, str, bool]:
    """What is the same of all seeds."""
    return row["begin"], row["learner"], row["widen"]


def chosen(found: Row, part: str, widen: bool) -> list[Row]:
    """By the other half of dev: who pops least of those who lose no more than LOSS, with all seeds."""
    base, groups = base_of(found)[part], {}
    for row in found["rows"]:
        if row["widen"] == widen and row["learner"] != CHEATING[0]:
            groups.setdefault(same(row), []).append(row)
    kept = [g for g in groups.values() if all(r[part]["evalb"] >= base["evalb"] - LOSS for r in g)]
    return min(kept, key=lambda g: max(r[part]["pops"] for r in g), default=[])


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    header = ["starts by", "learner", "deepening"]
    for part in ("train", "test", "test long"):
        header += [f"{part}: pops", "fewer", "recall", "F1", "EVALB"]
    groups: dict[Any, list[Row]] = {}
    for row in found["rows"]:
        groups.setdefault(same(row), []).append(row)
    rows = [
        [begin, learner, "yes" if widen else "", *cells(found, g)]
        for (begin, learner, widen), g in groups.items()
    ]
    count = {part: one["examples"] for part, one in found["sentences"].items()}
    text = f"{name}: {count}; means over seeds, and the least and the most.\n\n" + table(header, rows) + "\n"
    for part, other in (("choice", "test"), ("choice long", "test long")):
        for widen in (False, True):
            group = chosen(found, part, widen)
            if group:
                begin, learner, _ = same(group[0])
                way = f"{learner} from {begin}" + (", deepening" if widen else "")
                fewer, lost = gains(found, group, other)
                text += f"- {other}: dev chooses {way}: {fewer} fewer pops than A*_0, EVALB {lost}\n"
    return text


def gains(found: Row, group: Sequence[Row], part: str) -> tuple[str, str]:
    base = base_of(found)[part]
    fewer = [base["pops"] / row[part]["pops"] for row in group]
    change = [row[part]["evalb"] - base["evalb"] for row in group]
    return spread(fewer, ".1f") + "x", spread(change, "+.2f")


def spread(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def cells(found: Row, group: Sequence[Row]) -> list[str]:
    made = []
    for part in ("train", "test", "test long"):
        made += [f"{np.mean([r[part]['pops'] for r in group]):,.0f}", gains(found, group, part)[0]]
        made += [spread([r[part][what] for r in group], ".2f") for what in ("recall", "f1", "evalb")]
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--levels", type=int, default=5, help="of the split grammar")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many")
    parser.add_argument("--passes", type=int, help="of each learner, instead of its own")
    parser.add_argument("--most", type=int, help="sentences of each part")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    given = parser.parse_args()
    case = AgendaCase(
        given.data, given.out, given.levels, tuple(range(given.seeds)), given.passes, given.most, given.jobs
    )
    file = case.out / f"{NAME}-{case.data}.json"
    result_in(file, lambda: measure(case), again=given.again)
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
