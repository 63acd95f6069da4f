"""Dynamic feature selection against all features (table 1 of the 2013 paper): test sets, one run each.

    SECATEUR_DATA=... python experiments/arc_table1.py --data ptb-sample-dep --jobs 2
    SECATEUR_DATA=... python experiments/arc_table1.py --data ud-english-ewt --limit 2000

Every point of the model's dial: UAS (and LAS where there are labels) with punctuation, templates computed as
a share of all on the arcs that the length dictionary leaves, words/s and the speed-up over all templates at
once. CPU time of one process, points in turn, best of several rounds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from prune_runs import data_folder
from report import OUT, WHERE, Pictures, Sections, leave, read_json, result_in, start, table

# The search of a point and its decisions, which experiments look into: no public name gives them.
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.ways import FULL, policy_of, task_of, whole_task
from secateur.metrics.attachment import DependencyScoring
from secateur.models.measure import clock, tried
from secateur.search.core import Example, Outcome, Policy
from secateur.search.parallel import Engine
from secateur.tasks.arc_locking.task import ArcLocking, Heads

NAME = "arc-table1"
ROUNDS = 9
# The fine tags of Bosque's training part say what the parser is to find, and are missing in the others.
COARSE_ONLY = ("ud-portuguese-bosque",)

GARDEN = {"train": (0, 1000), "dev": (1000, 1060), "test": (1200, 1500)}  # sentences
GOLD = sec.ArcSettings(tags="gold")  # as all results were trained and measured
TRIAL = replace(GOLD, costs=(2.0, 8.0), epochs=2, bits=18, iterations=4, repeat=1)  # of the garden: seconds

Row = dict[str, Any]
ArcModel = sec.Model[ArcParts, sec.DependencyTree]


@dataclass(frozen=True, slots=True)
class ArcCase:
    """Which model of which data, and where what is found about it goes."""

    data: str
    order: int = 1
    limit: int | None = None  # training sentences
    even: int | None = None  # stages as in the paper, so many
    out: Path = OUT
    again: bool = False  # even if the results are there
    jobs: int = 1

    @property
    def name(self) -> str:
        even = f"-even{self.even}" if self.even else ""
        return f"{self.data}-order{self.order}{even}" + (f"-{self.limit}" if self.limit else "")

    @property
    def folder(self) -> Path:
        """Of the model."""
        return self.out / "runs" / self.name

    def model(self) -> ArcModel:
        """The stored one, or a new one, stored."""
        usual = TRIAL if self.data == "garden" else GOLD
        settings = replace(usual, order=self.order, even=self.even)
        return trained(self.folder, self.data, self.limit, settings, self.jobs)

    def result(self, experiment: str, make: Callable[[], Any]) -> Any:
        """What was found before, or what `make` finds, stored."""
        return result_in(self.out / f"{experiment}-{self.name}.json", make, again=self.again)


def stored(out: Path, experiment: str) -> dict[str, Any]:
    """What a folder holds of all cases, by their names."""
    files = sorted(out.glob(f"{experiment}-*.json"))
    return {file.stem.removeprefix(f"{experiment}-"): read_json(file) for file in files}


def one_section(out: Path, experiment: str, show: Callable[[str, Any], str]) -> Sections:
    """All cases, one after the other."""
    parts = [show(name, found) for name, found in stored(out, experiment).items()]
    return {experiment.replace("-", "_"): "\n".join(parts)} if parts else {}


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """The options that all scripts about arcs have; a script may add its own."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="ptb-sample-dep", help="a folder of CoNLL files, or garden")
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--limit", type=int, help="training sentences")
    parser.add_argument("--even", type=int, help="so many stages of arcs as in the paper, instead of ours")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    return parser


def case_of(chosen: argparse.Namespace) -> ArcCase:
    """From parsed arguments."""
    return ArcCase(
        chosen.data,
        chosen.order,
        chosen.limit,
        chosen.even,
        chosen.out,
        chosen.again,
        chosen.jobs,
    )


def bank(data: str, part: str) -> sec.DependencyBank:
    if data == "garden":
        first, last = GARDEN[part]
        return sec.DependencyBank(sample.dependencies for sample in list(sec.garden.garden(last))[first:])
    folder = data_folder() / data
    file = next(folder.glob(f"{part}.conll*"))
    return sec.DependencyBank.read(file, fine=data not in COARSE_ONLY)


def trained(folder: Path, data: str, limit: int | None, settings: sec.ArcSettings, jobs: int = 1) -> ArcModel:
    """The model of a data set: the stored one, or a new one, stored."""
    if not (folder / "model.toml").exists():
        model = sec.train(
            bank(data, "train")[:limit],
            dev=bank(data, "dev"),
            settings=settings,
            work=folder / "work",
            engine=Engine(jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        model.save(folder)
    return sec.Model.load(folder)


def has_labels(test: sec.DependencyBank) -> bool:
    """The PTB sample has one for the root, and one for all others."""
    return len(test.labels()) > 2


def examples(task: ArcLocking, trees: Sequence[sec.DependencyTree]) -> list[Example]:
    """Sentences as a task sees them, and their heads."""
    return [
        Example(task.encode(t.words, t.tags, t.coarse), np.array([-1, *t.heads], np.int32)) for t in trees
    ]


def right_heads(outcome: Outcome, gold: Heads) -> int:
    """Of a parse; none where there is no tree."""
    return 0 if outcome.parts is None else int((outcome.parts.heads[1:] == gold[1:]).sum())


def search_of(model: ArcModel, point: str) -> tuple[ArcLocking, Policy]:
    """What a point searches with, and what decides there."""
    way = model.ways()[point]
    return task_of(model.parts, way, model.policies), policy_of(way, model.policies)


def full_cost(model: ArcModel, trees: Sequence[sec.DependencyTree]) -> int:
    """All templates on all arcs that the length dictionary leaves: what shares of templates are of."""
    whole = whole_task(model.parts)
    return sum(whole.full_cost(x) for x, _ in examples(whole, trees))


def parser_of(model: ArcModel, point: str) -> sec.ArcParser:
    return model.parser(point, tags="gold")


def measured(model: ArcModel, test: sec.DependencyBank) -> list[Row]:
    """Every point of the dial."""
    return compared(model, {point.name: parser_of(model, point.name) for point in model.points}, test)


def compared(model: ArcModel, parsers: Mapping[str, sec.ArcParser], test: sec.DependencyBank) -> list[Row]:
    """A row for each parser, by name."""
    full, words = full_cost(model, test), sum(map(len, test))
    sentences = [model.kind.annotation.sentence(tree) for tree in test]
    timings = clock(parsers, sentences, repeat=ROUNDS)
    rows: list[Row] = []
    for name, parser in parsers.items():
        trial = tried(parser, test, DependencyScoring())
        rows.append(
            {
                "name": name,
                "uas": trial.scores.uas,
                "las": trial.scores.las if has_labels(test) else None,
                "templates": sum(parse.work.features for parse in trial.parses) / full,
                "fell back": trial.failures,
                **speed(timings[name].best, words),
            }
        )
    return rows


def speed(seconds: float, words: int) -> Row:
    """As rows have it."""
    return {"seconds": seconds, "words/s": words / seconds}


def cost_cells(row: Row, whole: Row) -> list[str]:
    """Templates, words/s, and how much faster than with all templates at once."""
    speed_up = whole["seconds"] / row["seconds"]
    return [f"{row['templates']:.1%}", f"{row['words/s']:,.0f}", f"{speed_up:.2f}x"]


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    whole = next(row for row in found["rows"] if row["name"] == FULL)
    lines = [
        [
            row["name"],
            f"{row['uas']:.2f}",
            "" if row["las"] is None else f"{row['las']:.2f}",
            *cost_cells(row, whole),
        ]
        for row in sorted(found["rows"], key=lambda row: -row["uas"])
    ]
    header = ["point", "UAS", "LAS", "templates", "words/s", "speed-up"]
    sentences = f"{found['train']:,} training and {found['test']:,} test sentences"
    return f"{name}: {sentences}; stages of {found['groups']} templates.\n\n" + table(header, lines)


def measure(case: ArcCase) -> Row:
    model, test = case.model(), bank(case.data, "test")
    return {
        "rows": measured(model, test),
        "train": model.settings["trees"],
        "test": len(test),
        "groups": ", ".join(str(len(group)) for group in model.parts.groups),
    }


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
