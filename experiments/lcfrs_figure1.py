"""Figure 1 of the 2018 paper: accuracy and runtime by tradeoff, on sentences of at most five words.

    SECATEUR_DATA=... python experiments/lcfrs_figure1.py --data alpino

As in the paper: a PLCFRS from the first 1,000 training trees; LOLS over hyperedges, from the policy that
keeps everything, on those of these trees with at most five words, and judged on the same; accuracy is F1 over
all nodes, runtime the number of hyperedges. Beside it: the same from a baseline trained to keep what is gold;
what both do on test sentences of at most five words; and the same with decisions about items, and about sets
of positions. The grammar's rules are binary here; the paper's were as the trees had them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arc_table1 import one_section
from lcfrs_runs import LcfrsCase, Trees, arguments, case_of
from report import Pictures, Sections, leave, new_figure, start, table
from secateur.errors import InputError

# The task by itself, with the paper's features and accuracy: no public name gives it.
from secateur.features.item import PAPER, ItemFeatures
from secateur.features.span import SpanFeatures
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.grammar.lcfrs.induce import induce
from secateur.metrics.position_sets import PROPER
from secateur.search.core import Example, Policy, Reward
from secateur.search.learners import Aggregate, judge
from secateur.search.linear import Logistic, logistic_regression
from secateur.search.pool import Pool
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.propagate import propagate
from secateur.tasks.hyperedge_pruning.space import UNITS, Unit
from secateur.tasks.hyperedge_pruning.task import HyperedgePruning

NAME = "lcfrs-figure1"
TRADEOFFS = (1.0, 0.1, 0.01, 0.001, 0.0001)
TREES, WORDS, ITERATIONS = 1000, 5, 10
REGULARIZER, PENALTY = 2.0**-12, 0.1
PAPERS: Unit = "hyperedge"
KEEP, BASELINE = "from keeping everything", "from a baseline"

Row = dict[str, Any]


def task_of(trees: Trees, unit: Unit) -> HyperedgePruning:
    """With the features of the paper, and its accuracy."""
    grammar = induce(trees).binarized()
    spans = SpanFeatures.from_words(trees.vocabulary(), templates=PAPER, bits=18)
    features = ItemFeatures.of_grammar(grammar, spans, conjoined=False, labelled=unit != "set")
    parameters = replace(PROPER, all_nodes=True)
    binarization = Binarization.from_notes(grammar.notes)
    return HyperedgePruning(grammar, features, binarization, unit, parameters=parameters)


def examples(task: HyperedgePruning, trees: Trees) -> list[Example]:
    return [Example(task.encode(tree.words()), task.gold(tree)) for tree in trees]


def baseline(task: HyperedgePruning, data: Sequence[Example]) -> Policy:
    """Trained to keep what is gold; all else costs less."""
    pool, right = Pool(task.dim, nothing=0), []
    for number, (x, gold) in enumerate(data):
        site = task.roll_in(x, keep_all(task)).trace.site
        pool.add(number, site, np.zeros((len(site), 0)), np.zeros(len(site)), partial(task.features, x))
        right.append(task.is_gold(site, gold))
    labels = np.where(np.concatenate(right), 1.0, -PENALTY)
    return Policy(logistic_regression(pool.matrix(), labels, regularizer=REGULARIZER))


def learned(task: HyperedgePruning, data: Sequence[Example], begin: Policy, tradeoff: float) -> Aggregate:
    """LOLS; the round with the best reward on the same sentences, as there are no others."""
    learner = Aggregate(values=propagate, iterations=ITERATIONS, classifier=Logistic(REGULARIZER))
    return learner.fit(task, data, Reward(task.f1, "pushes", tradeoff), begin, dev=data)


def judged(task: HyperedgePruning, policy: Policy, data: Sequence[Example]) -> Row:
    """Means over sentences, and CPU seconds of parsing them all."""
    found = judge(task, Reward(task.f1, "pushes", 0.0), policy, data)
    began = time.process_time()
    outcomes = [task.run(x, policy) for x, _ in data]
    spent = time.process_time() - began
    failed = sum(outcome.parts is None for outcome in outcomes)
    return {"accuracy": found.accuracy, "hyperedges": found.runtime, "seconds": spent, "failed": failed}


def measure(case: LcfrsCase) -> Row:
    """The paper's decisions, and the others."""
    found = {unit: measured(case, unit) for unit in UNITS}
    return {**found[PAPERS], "units": {unit: row["rows"] for unit, row in found.items() if unit != PAPERS}}


def measured(case: LcfrsCase, unit: Unit) -> Row:
    trees = case.trees.train[:TREES]
    task = task_of(trees, unit)
    train = examples(task, trees.filter(max_length=WORDS))
    test = examples(task, case.trees.test.filter(max_length=WORDS))
    if not (train and test):
        raise InputError(f"no sentences of at most {WORDS} words", where=case.data, fix="take more trees")
    begins = {KEEP: keep_all(task), BASELINE: baseline(task, train)}
    rows: list[Row] = []
    for name, begin in begins.items():
        for tradeoff in TRADEOFFS:
            found = learned(task, train, begin, tradeoff)
            rows.append(
                {
                    "from": name,
                    "tradeoff": tradeoff,
                    "rounds": len(found.rounds_) - 1,
                    "train": judged(task, found.policy_, train),
                    "test": judged(task, found.policy_, test),
                }
            )
    return {
        "sentences": {"train": len(train), "test": len(test)},
        "begins": {
            name: {"train": judged(task, policy, train), "test": judged(task, policy, test)}
            for name, policy in begins.items()
        },
        "rows": rows,
    }


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def draw(found: Row) -> Any:
    """As the paper has it: accuracy and runtime by tradeoff."""
    figure, axes = new_figure(1, 2, size=(10.0, 3.8))
    for panel, what in zip(axes.flat, ("accuracy", "hyperedges"), strict=True):
        for begin, colour in ((KEEP, "tab:blue"), (BASELINE, "tab:orange")):
            for part, style in (("train", "o-"), ("test", "s--")):
                own = [(r["tradeoff"], r[part][what]) for r in found["rows"] if r["from"] == begin]
                panel.plot(*zip(*own, strict=True), style, color=colour, label=f"LOLS {begin}, {part}")
        panel.set(xscale="log", xlabel="tradeoff", ylabel="F1 over all nodes" if what == "accuracy" else what)
        panel.legend(frameon=False, fontsize=7)
    return figure


def show(pictures: Pictures, name: str, found: Row) -> str:
    sides = ("train", "test")
    begins = {begin: f"nothing learned, {begin}" for begin in (KEEP, BASELINE)}
    rows = [[begins[begin], "", "", *cells(found["begins"][begin], found, sides)] for begin in begins]
    rows += [
        [f"LOLS {r['from']}", f"{r['tradeoff']:g}", f"{r['rounds']}", *cells(r, found, sides)]
        for r in found["rows"]
    ]
    header = ["policy", "tradeoff", "rounds"]
    for part in sides:
        header += [f"{part}: F1 over all nodes", "hyperedges", "without a parse", "ms a sentence"]
    count = found["sentences"]
    text = f"{name.rsplit('-', 1)[0]}: {count['train']} training and {count['test']} test sentences.\n\n"
    figure = pictures(f"{NAME}-{name}", partial(draw, found))
    return text + figure + "\n" + table(header, rows) + "\nBy what is decided about:\n\n" + by_unit(found)


def by_unit(found: Row) -> str:
    """F1 and hyperedges on test."""
    units = {PAPERS: found["rows"], **found["units"]}
    header = ["policy", "tradeoff"]
    for unit in units:
        header += [f"{unit}: F1, test", "hyperedges"]
    rows = []
    for beside in zip(*units.values(), strict=True):
        row = [f"LOLS {beside[0]['from']}", f"{beside[0]['tradeoff']:g}"]
        for r in beside:
            row += [f"{100 * r['test']['accuracy']:.1f}", f"{r['test']['hyperedges']:,.1f}"]
        rows.append(row)
    return table(header, rows)


def cells(row: Row, found: Row, sides: Sequence[str]) -> list[str]:
    made = []
    for part in sides:
        r, count = row[part], found["sentences"][part]
        made += [
            f"{100 * r['accuracy']:.1f}",
            f"{r['hyperedges']:,.1f}",
            f"{r['failed'] / max(count, 1):.1%}",
            f"{1e3 * r['seconds'] / max(count, 1):.2f}",
        ]
    return made


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
