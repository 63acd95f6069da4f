"""Exact parsing with treebank grammars on test: F1 and words/s, nothing learned.

    python experiments/exact_grammars.py --data garden
    SECATEUR_DATA=... python experiments/exact_grammars.py --data ptb-sample      also gum
    SECATEUR_DATA=... python experiments/exact_grammars.py --data ptb-r0          grammars of WSJ 2-21

Grammars read off the training trees with several markovizations; with ptb-r0, those that others estimated.
Words in, trees out, EVALB with COLLINS.prm, all lengths. CPU time of one process, best of several; fewer
runs where one takes long.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import secateur as sec
from prune_runs import Trees, data_folder, treebanks
from report import (
    DATA,
    Case,
    Evalb,
    Pictures,
    Sections,
    arguments,
    case_of,
    leave,
    read_json,
    result_in,
    start,
    table,
)
from secateur.models.measure import clock, tried

NAME = "exact"
HISTORIES = ((0, 1), (1, 1), (2, 2))  # h, v
ESTIMATED = ("R0", "R2", "R2.P1")

Row = dict[str, Any]


def grammars(case: Case, trees: Trees) -> Iterator[tuple[str, sec.PCFG]]:
    if case.data == "ptb-r0":
        for name in ESTIMATED:
            yield f"WSJ 2-21, {name}", sec.read_grammar(data_folder() / "wsj-grammars" / f"eng.{name}.gr.gz")
        return
    for h, v in HISTORIES[:1] if case.data == "garden" else HISTORIES:
        yield f"h = {h}, v = {v}", sec.induce(trees.train, binarization=sec.Binarization(h=h, v=v))


def measured(parser: sec.Parser, test: sec.Treebank, repeat: int) -> Row:
    trial = tried(parser, test, Evalb())
    timing = clock({"": parser}, [parser.annotation.sentence(tree) for tree in test], repeat=repeat)[""]
    return {
        "f1": trial.scores.accuracy,
        "seconds": timing.best,
        "words/s": trial.words / timing.best,
    }


def measure(case: Case, repeat: int) -> Row:
    trees = treebanks(case.data, case.limit)
    rows = []
    for name, grammar in grammars(case, trees):
        row = measured(sec.Parser(grammar), trees.test, repeat)
        about = {"symbols": len(grammar.symbols), "binary rules": len(grammar.binary.weight)}
        rows.append({"grammar": name, **about, **row})
        print(f"{name}: F1 {row['f1']:.2f}, {row['words/s']:,.0f} words/s", flush=True)
    sentences = {"train": len(trees.train), "test": len(trees.test)}
    return {**sentences, "words": int(trees.test.lengths().sum()), "rows": rows}


def file(out: Path, data: str) -> Path:
    return out / f"{NAME}-{data}.json"


def stored(out: Path) -> dict[str, Row]:
    """What a folder holds, by data set."""
    return {data: read_json(file(out, data)) for data in DATA if file(out, data).exists()}


def sections(out: Path, pictures: Pictures) -> Sections:
    results = stored(out)
    return {"exact_grammars": show(results)} if results else {}


def show(results: dict[str, Row]) -> str:
    header = ["test set", "sentences", "grammar", "symbols", "binary rules", "F1", "words/s"]
    rows = [
        [
            data,
            f"{found['test']:,}",
            row["grammar"],
            f"{row['symbols']:,}",
            f"{row['binary rules']:,}",
            f"{row['f1']:.1f}",
            f"{row['words/s']:,.0f}",
        ]
        for data, found in results.items()
        for row in found["rows"]
    ]
    return table(header, rows)


def run(case: Case, *, repeat: int = 3) -> None:
    result_in(file(case.out, case.data), lambda: measure(case, repeat), again=case.again)
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__, grammar="coarse")
    parser.add_argument("--repeat", type=int, default=3, help="timings, of which the best counts")
    chosen = parser.parse_args()
    run(case_of(chosen), repeat=chosen.repeat)


if __name__ == "__main__":
    start(main)
