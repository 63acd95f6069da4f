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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agenda_runs import (
    BEGINS,
    DATA,
    LOSS,
    SEEDS,
    WIDEN,
    AgendaCase,
    Row,
    cheating,
    dynamic,
    ended,
    judged,
    learned,
    settings_of,
    spread,
    task_of,
)
from arc_table1 import one_section
from report import OUT, WHERE, Book, Pictures, Sections, leave, result_in, start, table

# The task and its learners by themselves: no public name gives them.
from secateur.search.core import Example, Policy
from secateur.tasks.agenda_order.learn import examples
from secateur.tasks.agenda_order.task import AgendaOrder

NAME = "agenda-table"
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
    settings = {"levels": case.levels, "passes": case.passes, "most": case.most}
    book = Book.opened(case.out / "runs" / f"{NAME}-{case.data}.jsonl", settings)
    for begin in BEGINS:
        given, sentences = ready(case, begin)
        for name, options, seed in runs_of(case, begin):
            about = {"begin": begin, "learner": name, "seed": seed}
            measured = partial(rows_of, case, given, begin, name, options, seed)
            [found] = book.unit(f"{name} from {begin}, seed {seed}", lambda make=measured: [make()])
            for widen in (False, True):
                parts = found["widened" if widen else "plain"]
                rows.append({**about, "widen": widen, "seconds": found["seconds"], **parts})
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
