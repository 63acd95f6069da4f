"""What comes at a deadline: F1 and the share of sentences in time, beside the points of the dial.

It shows what `python benchmarks/deadline.py --model MODEL --trees TREES --json OUT/agenda-deadline-DATA.json`
left, of a model trained with `--tasks agenda`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arc_table1 import one_section
from report import Pictures, Sections, new_figure, table

NAME = "agenda-deadline"
COLOURS = ("#0072B2", "#D55E00", "#009E73")

Row = dict[str, Any]


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, lambda name, found: show(name, found, pictures))


def show(name: str, found: Row, pictures: Pictures) -> str:
    header = ["point", "deadline, ms", "F1", "cut off", "in time", "in CPU time", "latest, ms"]
    header += [f"made to take long: {what}" for what in ("in time", "in CPU time")]
    made = {(row["point"], row["deadline"]): row for row in found["rows"] if row["sentences"] == "made"}
    rows = [
        [
            f"`{row['point']}`",
            str(row["deadline"]),
            f"{row['F1']:.1f}",
            *(f"{row[what]:.1%}" for what in ("cut off", "in time", "in CPU time")),
            f"{row['latest ms']:+.1f}",
            *(f"{made[row['point'], row['deadline']][what]:.1%}" for what in ("in time", "in CPU time")),
        ]
        for row in found["rows"]
        if row["sentences"] == "test"
    ]
    dial = table(
        ["point of the dial", "ms a sentence", "F1"],
        [[f"`{one['point']}`", f"{one['ms']:.2f}", f"{one['F1']:.1f}"] for one in found["dial"]],
    )
    picture = pictures(f"{NAME}-{name}", lambda: draw(found))
    return f"{name}:\n\n{picture}\n{table(header, rows)}\n{dial}"


def draw(found: Row) -> Any:
    """F1 against the deadline, and against the mean time of the dial's points."""
    figure, ((axis,),) = new_figure(1, 1, size=(6.4, 3.8))
    points = list(dict.fromkeys(row["point"] for row in found["rows"]))
    for point, colour in zip(points, COLOURS, strict=False):
        own = [row for row in found["rows"] if row["point"] == point and row["sentences"] == "test"]
        label = f"deadline, from {point}"
        axis.plot([r["deadline"] for r in own], [r["F1"] for r in own], "o-", color=colour, label=label)
    dial = sorted(found["dial"], key=lambda one: one["ms"])
    axis.plot([r["ms"] for r in dial], [r["F1"] for r in dial], "s", color="0.45", label="dial, mean time")
    axis.set_xscale("log")
    axis.set(xlabel="ms a sentence", ylabel="F1")
    axis.legend(fontsize=8)
    return figure
