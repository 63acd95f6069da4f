"""Dynamic feature selection against all features (table 1 of the 2013 paper): test sets, one run each.

    SECATEUR_DATA=... python experiments/arc_table1.py --data ptb-sample-dep --jobs 2
    SECATEUR_DATA=... python experiments/arc_table1.py --data ud-english-ewt --limit 2000

Every point of the model's dial: UAS (and LAS where there are labels) with punctuation, templates computed as
a share of all on the arcs that the length dictionary leaves, words/s and the speed-up over all templates at
once. CPU time of one process, points in turn, best of several rounds.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import secateur as sec
from prune_runs import data_folder
from report import DOCS, OUT, fill, start, table, write_json
from secateur.arc_parser import ArcParser
from secateur.dependency_bank import DependencyBank
from secateur.dependency_model import FULL, DependencyModel, load_dependency_model
from secateur.search.parallel import Engine
from secateur.training.arcs import ArcSettings, train_arcs

PAGE = Path("papers") / "dynamic-features.md"
NAME = "arc-table1"
ROUNDS = 5
# The fine tags of Bosque's training part say what the parser is to find, and are missing in the others.
COARSE_ONLY = ("ud-portuguese-bosque",)

GARDEN = {"train": (0, 1000), "dev": (1000, 1200), "test": (1200, 1500)}  # sentences

Row = dict[str, Any]


def bank(data: str, part: str) -> DependencyBank:
    if data == "garden":
        first, last = GARDEN[part]
        return DependencyBank(sample.dependencies for sample in list(sec.garden.garden(last))[first:])
    folder = data_folder() / data
    file = next(folder.glob(f"{part}.conll*"))
    return DependencyBank.read(file, fine=data not in COARSE_ONLY)


def trained(
    folder: Path, data: str, limit: int | None, settings: ArcSettings, jobs: int = 1
) -> DependencyModel:
    """The model of a data set: the stored one, or a new one, stored."""
    if not (folder / "model.toml").exists():
        model = train_arcs(
            bank(data, "train")[:limit],
            bank(data, "dev"),
            settings=settings,
            work=folder / "work",
            engine=Engine(jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        model.save(folder)
    return load_dependency_model(folder)


def has_labels(test: DependencyBank) -> bool:
    """The PTB sample has one for the root, and one for all others."""
    return len(test.labels()) > 2


def measured(model: DependencyModel, test: DependencyBank) -> list[Row]:
    parsers = {point.name: ArcParser(model, point.name) for point in model.points}
    rows: list[Row] = []
    full = sum(model.whole.full_cost(model.whole.encode(t.words, t.tags, t.coarse)) for t in test)
    for name, parser in parsers.items():
        parses = list(parser.pipe(test))
        scores = sec.attachment(test, [parse.tree for parse in parses])
        rows.append(
            {
                "name": name,
                "uas": scores.uas,
                "las": scores.las if has_labels(test) else None,
                "templates": sum(parse.work.features for parse in parses) / full,
                "fell back": sum(parse.fell_back for parse in parses) / len(parses),
                "seconds": float("inf"),
            }
        )
    for _ in range(ROUNDS):  # in turn, so that a noisy moment hits all alike
        for row, parser in zip(rows, parsers.values(), strict=True):
            started = time.process_time()
            for _ in parser.pipe(test):
                pass
            row["seconds"] = min(row["seconds"], time.process_time() - started)
    words = sum(map(len, test))
    for row in rows:
        row["words/s"] = words / row["seconds"]
    return rows


def show(name: str, found: Row) -> str:
    whole = next(row for row in found["rows"] if row["name"] == FULL)
    lines = [
        [
            row["name"],
            f"{row['uas']:.2f}",
            "" if row["las"] is None else f"{row['las']:.2f}",
            f"{row['templates']:.1%}",
            f"{row['words/s']:,.0f}",
            f"{whole['seconds'] / row['seconds']:.2f}x",
        ]
        for row in sorted(found["rows"], key=lambda row: -row["uas"])
    ]
    header = ["point", "UAS", "LAS", "templates", "words/s", "speed-up"]
    sentences = f"{found['train']:,} training and {found['test']:,} test sentences"
    return f"{name}: {sentences}; stages of {found['groups']} templates.\n\n" + table(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="ptb-sample-dep", help="a folder of CoNLL files, or garden")
    parser.add_argument("--order", type=int, default=1)
    parser.add_argument("--limit", type=int, help="training sentences")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--docs", type=Path, default=DOCS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    chosen = parser.parse_args()
    name = f"{chosen.data}-order{chosen.order}" + (f"-{chosen.limit}" if chosen.limit else "")
    file = chosen.out / f"{NAME}-{name}.json"
    if chosen.again or not file.exists():
        folder, settings = chosen.out / "runs" / name, ArcSettings(order=chosen.order)
        model = trained(folder, chosen.data, chosen.limit, settings, chosen.jobs)
        test = bank(chosen.data, "test")
        found = {
            "rows": measured(model, test),
            "train": model.settings["trees"],
            "test": len(test),
            "groups": ", ".join(str(len(group)) for group in model.groups),
        }
        write_json(file, found)

    parts = [
        show(path.stem.removeprefix(f"{NAME}-"), json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(chosen.out.glob(f"{NAME}-*.json"))
    ]
    fill(chosen.docs / PAGE, "arc_table1", "\n".join(parts))


if __name__ == "__main__":
    start(main)
