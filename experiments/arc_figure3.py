"""Forward selection (figure 3 of the 2013 paper): heads right by how many templates are computed.

    SECATEUR_DATA=... python experiments/arc_figure3.py --data ptb-sample-dep
    python experiments/arc_figure3.py --data garden --limit 200        no data needed

Two curves. Selected: what the ranking saw after each template it chose, on the dev sentences 0, 2, 4, ...,
with weights that serve any choice, in trees whose arcs may cross. Parsed: the model's parser with the first
1, 2, 4, ... templates and up to the end of each stage, in the order of its stages, on the dev sentences 1, 3,
5, ..., which ranked nothing. The first order alone, as in the paper.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from arc_table1 import ArcCase, ArcModel, Row, arguments, bank, case_of, examples, one_section
from report import Pictures, Sections, leave, new_figure, start, table
from secateur.errors import InputError

# The ranking that training left, and searches with a part of the templates: no public name gives them.
from secateur.kinds.arcs.policies import judge
from secateur.kinds.arcs.ranking import Ranking
from secateur.kinds.arcs.ways import policy_of, whole_task
from secateur.plots.frontier import DOMINATED, LEARNED, UNPRUNED
from secateur.search.core import Example

NAME = "arc-figure3"


def ranking_of(work: Path) -> Ranking:
    """What training left."""
    file = work / "ranking.json"
    if not file.exists():
        raise InputError("no ranking of templates here", where=str(file), fix="train the model once more")
    stored = json.loads(file.read_text(encoding="utf-8"))
    return Ranking(tuple(map(tuple, stored["units"])), tuple(stored["accuracy"]))


def counts(total: int, ends: Sequence[int]) -> list[int]:
    """1, 2, 4, ... and the ends of stages."""
    return sorted({*(1 << power for power in range(total.bit_length()) if 1 << power <= total), *ends})


def parsed(model: ArcModel, held: Sequence[Example]) -> tuple[list[Row], list[int]]:
    """UAS with the first templates of the first order, and after how many of them stages end."""
    features, whole = model.parts.features, whole_task(model.parts)
    first = [group for group in model.parts.groups if max(group) < features.first]
    order = [template for group in first for template in group]
    ends = list(accumulate(map(len, first)))
    rows = []
    for count in counts(len(order), ends):
        task = replace(whole, groups=(tuple(order[:count]),))
        found = judge(task, policy_of({}, {}), held)
        rows.append(
            {
                "templates": count,
                "uas": 100 * found.accuracy,
                "last": features.templates[order[count - 1]],
            }
        )
    return rows, ends


def measure(case: ArcCase) -> Row:
    model = case.model()
    ranking = ranking_of(case.folder / "work")
    rows, ends = parsed(model, examples(whole_task(model.parts), bank(case.data, "dev")[1::2]))
    return {
        "selected": [100 * share for share in ranking.accuracy],
        "after": list(accumulate(map(len, ranking.units))),
        "parsed": rows,
        "ends": ends,
    }


def draw(name: str, found: Row) -> Any:
    figure, axes = new_figure(1, 1, size=(6.2, 4.2))
    panel = axes[0, 0]
    panel.plot(found["after"], found["selected"], "-", color=UNPRUNED, label="selected, arcs may cross")
    rows = found["parsed"]
    panel.plot([r["templates"] for r in rows], [r["uas"] for r in rows], "o-", color=LEARNED, label="parsed")
    for number, end in enumerate(found["ends"]):
        panel.axvline(
            end, color=DOMINATED, linestyle=":", linewidth=1, label="" if number else "a stage ends"
        )
    panel.set(xscale="log", xlabel="templates", ylabel="UAS on dev")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_title(name, loc="left", fontsize=10)
    panel.legend(frameon=False, fontsize=8)
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def show(pictures: Pictures, name: str, found: Row) -> str:
    selected = dict(zip(found["after"], found["selected"], strict=True))
    lines = [
        [
            f"{row['templates']}",
            f"{selected[row['templates']]:.2f}" if row["templates"] in selected else "",
            f"{row['uas']:.2f}",
            f"{found['ends'].index(row['templates'])}" if row["templates"] in found["ends"] else "",
            f"`{row['last']}`",
        ]
        for row in found["parsed"]
    ]
    header = ["templates", "selected", "parsed", "end of stage", "the last of them"]
    picture = pictures(f"{NAME}-{name}", partial(draw, name, found))
    return f"{picture}\n{name}, UAS on dev:\n\n{table(header, lines)}"


def run(case: ArcCase) -> None:
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(lambda: run(case_of(arguments(__doc__).parse_args())))
