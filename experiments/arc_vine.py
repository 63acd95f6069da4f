"""A vine-style filter beside our own filters and policies: the kernels alone, on test.

    SECATEUR_DATA=... python experiments/arc_vine.py --data ptb-sample-dep

The vine-style filter bars arcs by max-marginals of a projective parser with the templates of the first stage,
then all templates score what is left. CPU time of one process without encoding and labels, parsers in turn,
best of several rounds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import arc_table1
import secateur as sec
from arc_table1 import (
    ArcCase,
    ArcModel,
    Row,
    arguments,
    bank,
    case_of,
    cost_cells,
    full_cost,
    one_section,
    search_of,
    speed,
)
from report import ROOT, Pictures, Sections, leave, start, table

# Kernels alone, and a filter that models do not have: no public name runs either.
from secateur.kernels.arcs import locking as kernel
from secateur.kernels.arcs.features import AROUND
from secateur.kinds.arcs.ways import FULL, whole_task
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.vine import Vine

sys.path.append(str(ROOT / "benchmarks"))
from turns import in_turn

NAME = "arc-vine"
SHARES = (0.5, 0.7, 0.9)  # of the way from the mean max-marginal to the best


def measure(case: ArcCase) -> Row:
    model, test = case.model(), bank(case.data, "test")
    return {"rows": compared(model, test), "test": len(test)}


def compared(model: ArcModel, test: sec.DependencyBank) -> list[Row]:
    parts, whole = model.parts, whole_task(model.parts)
    corpus, tags = unparsed_corpus(parts.features, test), corpus_tags(parts.limits, test)

    def point(name: str) -> Callable[[], int]:
        task, policy = search_of(model, name)
        weights = task.weights(policy)
        return lambda: int(
            kernel.lock_corpus(
                task.arc_features.compiled,
                task.stages,
                weights,
                task.rules,
                corpus,
                tags,
                task.limits.longest,
                corpus.heads,
            )[:, 2].sum()
        )

    def vine(share: float) -> Callable[[], int]:
        own = Vine(whole, parts.groups[0], share)
        return lambda: int(own.search(corpus, tags).sum())

    runs = {p.name: point(p.name) for p in model.points} | {f"vine {s:g}": vine(s) for s in SHARES}
    full, words = full_cost(model, test), sum(map(len, test))
    rows: list[Row] = []
    for name, run in runs.items():
        computed = run()
        right = _right(corpus.heads, corpus.start, test)
        rows.append({"name": name, "uas": 100 * right / words, "templates": computed / full})
    spent = in_turn(runs, arc_table1.ROUNDS)
    return [row | speed(spent[row["name"]], words) for row in rows]


def _right(heads: np.ndarray, begin: np.ndarray, trees: sec.DependencyBank) -> int:
    """Of heads by place, as in a corpus."""
    found = 0
    for a, b, tree in zip(begin[:-1], begin[1:], trees, strict=True):
        found += int((heads[a + 1 : b + 1 - AROUND] == np.array(tree.heads)).sum())
    return found


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    whole = next(row for row in found["rows"] if row["name"] == FULL)
    lines = [
        [row["name"], f"{row['uas']:.2f}", *cost_cells(row, whole)]
        for row in sorted(found["rows"], key=lambda row: row["seconds"])
    ]
    return f"{name}, {found['test']:,} test sentences:\n\n" + table(
        ["parser", "UAS", "templates", "words/s", "speed-up"], lines
    )


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
