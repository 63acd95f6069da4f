"""Decisions against none (figure 5 of the 2013 paper): both stopped after each stage, on test.

    SECATEUR_DATA=... python experiments/arc_figure5.py --data ptb-sample-dep
    python experiments/arc_figure5.py --data garden --limit 200        no data needed

UAS against templates computed and against CPU time (with encoding and labels, one process, parsers in turn,
best of several rounds). A line for each policy, its runs ended after stage 0, 1, ...; and one without
decisions, the templates of the same stages at once; and one with the policies' filters, but no decisions.
The expert locks an arc if it is gold: a bound.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from arc_table1 import (
    ArcCase,
    ArcModel,
    Row,
    arguments,
    bank,
    case_of,
    compared,
    examples,
    full_cost,
    one_section,
    parser_of,
    right_heads,
    search_of,
)
from report import Pictures, Sections, leave, new_figure, start, table

# Names of points by what they do; and the oracle as a policy, which is nothing to parse with.
from secateur.kinds.arcs.ways import name_of
from secateur.plots.frontier import DOMINATED, UNPRUNED
from secateur.search.core import Policy

NAME = "arc-figure5"
STATIC, FILTERED, EXPERT = "static", "filters alone", "expert"
STYLES = {STATIC: ("s--", UNPRUNED), FILTERED: ("^--", DOMINATED)}
COLOURS = ("#56B4E9", "#0072B2", "#009E73", "#CC79A7", "#E69F00")  # of policies, in turn


def stopped(model: ArcModel, point: str, last: int) -> sec.ArcParser:
    """The parser of a policy that ends after a stage."""
    parser = parser_of(model, point)
    parser.task = replace(parser.task, last=last)
    return parser


def lines(model: ArcModel, test: sec.DependencyBank) -> list[Row]:
    """All policies and the static parser after all stages; a policy's last is where it stops by itself."""
    stages = range(len(model.parts.groups))
    ends = [*({"last": stage} for stage in stages[:-1]), {}]  # the last stage has all templates
    names = {STATIC: [name_of(end) for end in ends]}
    if model.parts.margins:
        names[FILTERED] = [name_of({"filter": 0, **end}) for end in ends]
    parsers = {(line, stage): parser_of(model, own[stage]) for line, own in names.items() for stage in stages}
    parsers |= {(name, stage): stopped(model, name, stage) for name in model.policies for stage in stages}
    rows = compared(model, {f"{line} {stage}": parser for (line, stage), parser in parsers.items()}, test)
    return [{"line": line, "stage": stage, **row} for (line, stage), row in zip(parsers, rows, strict=True)]


def expert(model: ArcModel, test: sec.DependencyBank) -> Row:
    """The oracle's decisions: UAS and templates."""
    task, _ = search_of(model, next(iter(model.policies)))
    policy = Policy(np.zeros(task.dim, np.float32), oracle_rate=1.0)
    right = computed = 0
    for x, gold in examples(task, test):
        outcome = task.run(x, policy, gold=gold)
        right += right_heads(outcome, gold)
        computed += outcome.work.features
    return {"uas": 100 * right / sum(map(len, test)), "templates": computed / full_cost(model, test)}


def measure(case: ArcCase) -> Row:
    model, test = case.model(), bank(case.data, "test")
    return {"rows": lines(model, test), EXPERT: expert(model, test)}


def by_line(found: Row) -> dict[str, list[Row]]:
    """Its rows, stage by stage."""
    names = dict.fromkeys(row["line"] for row in found["rows"])
    return {name: [row for row in found["rows"] if row["line"] == name] for name in names}


def draw(name: str, found: Row) -> Any:
    figure, axes = new_figure(1, 2, size=(11.6, 4.6))
    policies = iter(COLOURS * len(found["rows"]))
    for line, rows in by_line(found).items():
        style, colour = STYLES[line] if line in STYLES else ("o-", next(policies))
        for panel, key, factor in zip(axes.flat, ("templates", "seconds"), (100, 1), strict=True):
            x, y = [factor * row[key] for row in rows], [row["uas"] for row in rows]
            panel.plot(x, y, style, color=colour, label=line, markersize=4)
    bound = found[EXPERT]
    axes[0, 0].plot(100 * bound["templates"], bound["uas"], "*", color="black", markersize=11, label=EXPERT)
    axes[0, 0].set(xscale="log", xlabel="templates computed, %")
    axes[0, 0].xaxis.set_major_formatter("{x:g}")
    axes[0, 1].set(xlabel="seconds (CPU)")
    for panel in axes.flat:
        panel.set(ylabel="UAS on test")
        panel.set_title(name, loc="left", fontsize=10)
        panel.legend(frameon=False, fontsize=8)
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def show(pictures: Pictures, name: str, found: Row) -> str:
    cells = [
        [
            row["line"],
            f"{row['stage']}",
            f"{row['uas']:.2f}",
            f"{row['templates']:.1%}",
            f"{row['seconds']:.3f}",
            f"{row['words/s']:,.0f}",
        ]
        for rows in by_line(found).values()
        for row in rows
    ]
    bound = found[EXPERT]
    cells.append([EXPERT, "", f"{bound['uas']:.2f}", f"{bound['templates']:.1%}", "", ""])
    header = ["", "stopped after stage", "UAS", "templates", "seconds", "words/s"]
    picture = pictures(f"{NAME}-{name}", partial(draw, name, found))
    return f"{picture}\n{name}, test:\n\n{table(header, cells)}"


def run(case: ArcCase) -> None:
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(lambda: run(case_of(arguments(__doc__).parse_args())))
