"""Stage by stage (figure 4 of the 2013 paper): what is locked, barred and open, and what that took, on test.

    SECATEUR_DATA=... python experiments/arc_figure4.py --data ptb-sample-dep --point dagger-3
    python experiments/arc_figure4.py --data garden --limit 200        no data needed

After each stage of the first order and the decisions that follow it: the share of the arcs that the length
dictionary left (all arcs, where these hold no tree) which are locked, barred, by filters before the first
stage or by locks, or still open; of the locked ones, how many are gold; words settled; UAS of the stage's
tree; templates spent. The last stage decides nothing: its tree settles what is open. All policies are stored
and listed, one is drawn: --point, or the most accurate on dev.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arc_table1 import (
    ArcCase,
    ArcModel,
    Row,
    arguments,
    bank,
    case_of,
    examples,
    one_section,
    right_heads,
    search_of,
)
from report import Pictures, Sections, leave, new_figure, start, table
from secateur.errors import InputError

# What becomes of single arcs is the search's own affair: no public name tells it.
from secateur.kinds.arcs.ways import whole_task
from secateur.plots.frontier import DOMINATED, LEARNED, UNPRUNED
from secateur.search.core import Example, Outcome
from secateur.tasks.arc_locking.history import LOCKED, fates
from secateur.tasks.arc_locking.task import ArcInput, ArcLocking

NAME = "arc-figure4"
LOCKS, OPEN = "#009E73", "0.85"  # colours of arcs; barred ones have that of what is dominated
# Numbers of a stage, all sums over sentences. Locked by the policy: not counting arcs that had no rival left.
KEYS = (
    "words",
    "arcs",
    "filtered",
    "open",
    "settled",
    "gold settled",
    "by policy",
    "gold by policy",
    "right",
    "templates",
)


def dynamics(model: ArcModel, name: str, given: Sequence[Example]) -> list[Row]:
    """A policy after each stage of the first order."""
    staged, policy = search_of(model, name)
    stages = range(staged.stages.first)
    tasks = [replace(staged, last=stage) for stage in stages]
    sizes = [len(staged.groups[stage]) for stage in stages]
    rows: list[Row] = [dict.fromkeys(KEYS, 0) for _ in stages]
    for x, gold in given:
        outcomes = [task.run(x, policy) for task in tasks]
        computed = [outcome.work.features for outcome in outcomes]
        # A stage computes its group on the arcs that are open when it begins, and on no others.
        begins = [*(np.diff(computed, prepend=0) // sizes).tolist(), 0]
        found = fates(tasks[-1], x, policy)
        arcs, filtered = given_arcs(staged, x, outcomes[0])
        for stage, row in enumerate(rows):
            settled = [(m, fate) for m, fate in enumerate(found, 1) if fate.stage <= stage]
            locked = [(m, fate) for m, fate in settled if fate.how == LOCKED]
            row["words"] += len(found)
            row["arcs"] += arcs
            row["filtered"] += filtered
            row["open"] += begins[stage + 1]
            row["settled"] += len(settled)
            row["gold settled"] += sum(gold[m] == fate.head for m, fate in settled)
            row["by policy"] += len(locked)
            row["gold by policy"] += sum(gold[m] == fate.head for m, fate in locked)
            row["right"] += right_heads(outcomes[stage], gold)
            row["templates"] += computed[stage]
    return [{key: int(row[key]) for key in KEYS} for row in rows]


def given_arcs(task: ArcLocking, x: ArcInput, outcome: Outcome) -> tuple[int, int]:
    """Arcs that the length dictionary leaves, or all; and how many of them filters barred."""
    assert outcome.parts is not None
    passed, heads = task.passed(x), outcome.parts.heads
    least = passed[np.arange(1, len(heads)), heads[1:]].min()  # as far as all arcs of a tree came
    if least == 0:
        return (len(heads) - 1) ** 2, 0
    left = int((passed >= 1).sum())
    return left, left - int((passed >= least).sum())


def measure(case: ArcCase) -> Row:
    model = case.model()
    parts = model.parts
    given = examples(whole_task(parts), bank(case.data, "test"))
    first = parts.features.first
    groups = [len(group) for group in parts.groups if max(group) < first]
    accuracy = {point.name: point.accuracy for point in model.points}
    return {
        "best": max(model.policies, key=lambda name: accuracy[name]),  # on dev
        "templates": sum(groups),
        "policies": {name: dynamics(model, name, given) for name in model.policies},
    }


def shares(row: Row, templates: int) -> dict[str, float]:
    """What is drawn and listed; arcs as shares of those there were at first, one for each settled word."""
    return {
        "locked": row["settled"] / row["arcs"],
        "barred": 1 - (row["settled"] + row["open"]) / row["arcs"],
        "open": row["open"] / row["arcs"],
        "barred by filters": row["filtered"] / row["arcs"],
        "words settled": row["settled"] / row["words"],
        "gold of locked": row["gold settled"] / max(row["settled"], 1),
        "gold of those the policy locked": row["gold by policy"] / max(row["by policy"], 1),
        "UAS": row["right"] / row["words"],
        "templates": row["templates"] / (row["arcs"] * templates),
    }


def draw(name: str, point: str, found: Row) -> Any:
    rows = [shares(row, found["templates"]) for row in found["policies"][point]]
    figure, axes = new_figure(1, 2, size=(11, 4.2))
    arcs, words = axes.flat
    stages = np.arange(len(rows))
    below = np.zeros(len(rows))
    for key, colour in (("locked", LOCKS), ("barred", DOMINATED), ("open", OPEN)):
        part = 100 * np.array([row[key] for row in rows])
        arcs.bar(stages, part, bottom=below, color=colour, label=key)
        below += part
    arcs.set(ylabel="% of the arcs that the dictionary leaves")
    for key, style, colour in (
        ("words settled", "o-", LOCKS),
        ("gold of locked", "^-", LEARNED),
        ("UAS", "s--", DOMINATED),
        ("templates", "D-", UNPRUNED),
    ):
        words.plot(stages, [100 * row[key] for row in rows], style, color=colour, label=key)
    words.set(ylabel="%")
    for panel in axes.flat:
        panel.set(xlabel="after stage", xticks=stages, ylim=(0, 102))
        panel.set_title(f"{name}, {point}", loc="left", fontsize=10, pad=22)  # bars fill what is below
        panel.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(-0.02, 0.99))
    return figure


def sections(out: Path, pictures: Pictures, points: Mapping[str, str] | None = None) -> Sections:
    return one_section(out, NAME, partial(show, pictures, points or {}))


def show(pictures: Pictures, points: Mapping[str, str], name: str, found: Row) -> str:
    """`points`: which policy is drawn, by the names of cases; without, the most accurate on dev."""
    lines = [
        [point, f"{stage}", *(f"{share:.1%}" for share in shares(row, found["templates"]).values())]
        for point, rows in found["policies"].items()
        for stage, row in enumerate(rows)
    ]
    header = ["policy", "after stage", "arcs locked", "barred", "open", "barred by filters", "words settled"]
    header += ["gold of locked", "gold of those the policy locked", "UAS", "templates"]
    point = points.get(name, found["best"])
    picture = pictures(f"{NAME}-{name}", partial(draw, name, point, found))
    return f"{picture}\n{name}, test:\n\n{table(header, lines)}"


def run(case: ArcCase, *, point: str | None = None) -> None:
    found = case.result(NAME, lambda: measure(case))
    if point is not None and point not in found["policies"]:
        raise InputError(f"no policy {point!r}", fix="choose from " + ", ".join(found["policies"]))
    leave(case.out, partial(sections, points=None if point is None else {case.name: point}))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--point", help="the policy to draw")
    chosen = parser.parse_args()
    run(case_of(chosen), point=chosen.point)


if __name__ == "__main__":
    start(main)
