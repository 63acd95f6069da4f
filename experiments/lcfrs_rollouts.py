"""Roll-outs over derivation graphs: change propagation against parsing again, by sentence length.

    SECATEUR_DATA=... python experiments/lcfrs_rollouts.py --data alpino

A roll-out is the reward with one decision flipped. The graphs are those that policies learn from: what the
coarse grammar leaves, with the mask and the wide threshold of a training. Engines: change propagation with an
undo log; the graph's own inside pass, made again with the flip (`replay`); and the kernel, deducing again
with the policy as it is, which builds no graph and flips nothing: the least that parsing again could take.
Decisions are drawn at random; every reward of the first two engines is compared. CPU time, best of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

import secateur as sec
from arc_table1 import one_section
from lcfrs_runs import LcfrsCase, arguments, case_of
from report import Pictures, Sections, leave, start, table

# Roll-outs of the task itself: no public name runs them.
from secateur.features.item import TEMPLATES, ItemFeatures
from secateur.grammar.lcfrs.binarize import Binarization
from secateur.kernels.lcfrs import parse as kernel
from secateur.search.core import Reward
from secateur.search.values import replay
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.propagate import propagate
from secateur.tasks.hyperedge_pruning.space import Unit
from secateur.tasks.hyperedge_pruning.task import HyperedgePruning

NAME = "lcfrs-rollouts"
LENGTHS = ((1, 9), (10, 14), (15, 19), (20, 25))
SENTENCES, FLIPS, AGAIN = 12, 200, 10  # of each length; drawn of each; of these by parsing again
ENGINES = ("change propagation", "inside pass again", "kernel again")

Row = dict[str, Any]


def seconds(run: Callable[[], Any], repeat: int = 3) -> float:
    """CPU time, the least of several runs."""
    spent = []
    for _ in range(repeat):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return min(spent)


def task_of(case: LcfrsCase, unit: Unit) -> HyperedgePruning:
    """As a training has it, behind the mask that it chose."""
    found = case.trained()
    deduction = found.deduction
    assert deduction.spans is not None, "a training has policies about spans"
    coarse = deduction.bounding({"coarse": True, "spans": deduction.behind or ""}, found.policies)
    assert coarse is not None, "a training makes a coarse grammar"
    spans = replace(deduction.spans, templates=TEMPLATES)
    features = ItemFeatures.of_grammar(deduction.grammar, spans, labelled=unit != "set")
    binarization = Binarization.from_notes(deduction.grammar.notes)
    return HyperedgePruning(deduction.grammar, features, binarization, unit, coarse.wide)


def flips(task: HyperedgePruning, tree: sec.Tree, rng: np.random.Generator) -> Row:
    """Of one sentence, nothing being pruned: sizes, and seconds for each flip."""
    x, gold, keep = task.encode(tree.words()), task.gold(tree), keep_all(task)
    episode, reward = task.roll_in(x, keep), Reward(task.f1, "pushes", 1e-4)
    decisions = len(episode.trace.action)
    some = np.sort(rng.choice(decisions, min(FLIPS, decisions), replace=False))
    again = some[:: max(len(some) // AGAIN, 1)]
    changed = propagate(task, x, gold, keep, episode, reward, some)
    replayed = replay(task, x, gold, keep, episode, reward, again)
    same = np.isin(some, again)
    bounds, weights, rules = task.bounds(x), keep.weights, task.grammar.rules
    gate = task.item_features.gate(x.columns, weights, rules)
    spent = (
        seconds(partial(propagate, task, x, gold, keep, episode, reward, some)) / max(len(some), 1),
        seconds(partial(replay, task, x, gold, keep, episode, reward, again)) / max(len(again), 1),
        seconds(partial(kernel.chart_of, rules, x.words, gate, bounds=bounds)),
    )
    return {
        "decisions": decisions,
        "hyperedges": episode.outcome.work.pushes,
        "flips": len(some),
        "unequal": int((np.abs(changed[same] - replayed) > 1e-12).any(axis=1).sum()),
        "compared": len(again),
        "seconds": dict(zip(ENGINES, spent, strict=True)),
    }


def rows_of(case: LcfrsCase, unit: Unit) -> list[Row]:
    """A row for each range of lengths."""
    task, rows = task_of(case, unit), []
    for low, high in LENGTHS:
        trees = list(case.trees.dev.filter(min_length=low, max_length=high))[:SENTENCES]
        rng = np.random.default_rng(0)
        found = [one for one in (flips(task, tree, rng) for tree in trees) if one["flips"]]
        if not found:
            continue
        mean = {key: float(np.mean([one[key] for one in found])) for key in ("decisions", "hyperedges")}
        spent = {name: float(np.mean([one["seconds"][name] for one in found])) for name in ENGINES}
        total = {key: sum(one[key] for one in found) for key in ("flips", "unequal", "compared")}
        rows.append({"unit": unit, "words": [low, high], **mean, **total, "seconds": spent})
    return rows


def measure(case: LcfrsCase) -> Row:
    return {"rows": [row for unit in get_args(Unit) for row in rows_of(case, unit)]}


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    rows = []
    for r in found["rows"]:
        cp, inside, kernel_ = (1e6 * r["seconds"][engine] for engine in ENGINES)
        low, high = r["words"]
        rows.append(
            [
                r["unit"],
                f"{low}-{high}",
                f"{r['decisions']:,.0f}",
                f"{r['hyperedges']:,.0f}",
                f"{cp:,.1f}",
                f"{inside:,.0f} ({inside / cp:,.0f}x)",
                f"{kernel_:,.0f} ({kernel_ / cp:,.0f}x)",
                f"{r['unequal']} of {r['compared']:,}",
            ]
        )
    header = ["unit", "words", "decisions", "hyperedges", "change propagation, us a flip"]
    header += ["inside pass again, us", "kernel again, us", "unequal rewards"]
    return f"{name.rsplit('-', 1)[0]}, dev:\n\n" + table(header, rows)


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
