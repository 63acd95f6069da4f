"""A scorer that costs: questions, time and F1 of charts and agendas that ask it.

It shows what `python benchmarks/dear.py --model MODEL --trees DEV --json OUT/agenda-dear-DATA.json` left.
"""

from __future__ import annotations

from pathlib import Path

from arc_table1 import one_section
from report import Pictures, Row, Sections, table

NAME = "agenda-dear"


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: list[Row]) -> str:
    header = ["words", "sentences", "way", "questions", "ms a sentence", "times as fast as charts", "F1"]
    charts = {row["words"]: row for row in found if row["way"] == "charts"}
    rows = [
        [
            row["words"],
            str(row["sentences"]),
            row["way"],
            f"{row['calls']:,.0f}",
            f"{row['ms']:.2f}",
            f"{charts[row['words']]['ms'] / row['ms']:.1f}x",
            f"{row['F1']:.2f}",
        ]
        for row in found
    ]
    return f"{name}:\n\n{table(header, rows)}"
