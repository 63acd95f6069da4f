"""How far pruning could go: deduction with what is in the gold tree alone, beside everything, on test.

    SECATEUR_DATA=... python experiments/lcfrs_oracle.py --data alpino

Items, single hyperedges, or sets of positions of the gold derivation are kept behind the coarse grammar, all
else is pruned. What is left is parsed: F1 is that of the best derivation, and where there is none (the
grammar does not have the gold tree's rules) the sentence is counted, its tree being that of coarse to fine.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

import secateur as sec
from arc_table1 import one_section
from lcfrs_rollouts import task_of
from lcfrs_runs import LcfrsCase, arguments, case_of
from report import Pictures, Sections, leave, start, table

# Decisions of the task itself: no public name gives them.
from secateur.grammar.lcfrs.derivation import tree_of
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.search.core import Policy
from secateur.tasks.hyperedge_pruning.policies import keep_all
from secateur.tasks.hyperedge_pruning.space import Unit

NAME = "lcfrs-oracle"
LONGEST = 25

Row = dict[str, Any]


def measure(case: LcfrsCase) -> Row:
    test = case.trees.test.filter(max_length=LONGEST)
    found = case.trained()
    otherwise = [found.parser("coarse").parse(tree.words()).tree for tree in test]
    rows = [{"unit": "coarse to fine", **scored(test, otherwise), "pushes": None, "failed": 0}]
    for unit in get_args(Unit):
        task = task_of(case, unit)
        follow = Policy(keep_all(task).weights, oracle_rate=1.0)
        trees, failed, pushes = [], 0, []
        for tree, other in zip(test, otherwise, strict=True):
            outcome = task.run(task.encode(tree.words()), follow, gold=task.gold(tree))
            pushes.append(outcome.work.pushes)
            if outcome.parts is None:
                failed += 1
                trees.append(other)
            else:
                trees.append(tree_of(task.grammar, list(outcome.parts.steps), tree.words(), binarized=False))
        rows.append({"unit": unit, **scored(test, trees), "pushes": float(np.mean(pushes)), "failed": failed})
    return {"sentences": len(test), "rows": rows}


def scored(gold: sec.Treebank, trees: Sequence[sec.Tree]) -> Row:
    total = DiscontinuousScoring().score(gold, trees).total
    return {"f1": total.all.f1, "discontinuous": total.discontinuous.f1}


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    rows = [
        [
            r["unit"],
            f"{r['f1']:.1f}",
            f"{r['discontinuous']:.1f}",
            "" if r["pushes"] is None else f"{r['pushes']:,.0f}",
            f"{r['failed']} of {found['sentences']}",
        ]
        for r in found["rows"]
    ]
    data = f"{name.rsplit('-', 1)[0]}, test, at most {LONGEST} words:\n\n"
    return data + table(["gold kept", "F1", "discontinuous", "hyperedges", "not in the grammar"], rows)


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
