"""Train what the other scripts look at: baselines, and LOLS from each (section 7 of the paper).

    python experiments/prune_runs.py --data garden
    SECATEUR_DATA=... python experiments/prune_runs.py --data gum --surrogate cp --jobs 2

The model is kept in OUT/runs/DATA-SURROGATE, the training's unfinished pieces in work/ there: a run that was
stopped goes on. A model that is there is taken as it is; to train anew, delete its folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import secateur as sec
from report import Case, arguments, case_of, fill, start, table
from secateur.errors import InputError
from secateur.model import load_model
from secateur.search.parallel import Engine
from secateur.training import Settings, SplitSettings, Trainer, train

PAGE = Path("papers") / "learning-to-prune.md"
SIZES = (2000, 400, 600)  # of the garden's parts
REGULARIZER = 2.0**-17  # of all runs shown; prune_regularizer.py has since found 2^-18 a little better
LEFT = 0.75  # of the accuracy at the fast end: further than a dial needs, as far as the paper's figures


class Trees(NamedTuple):
    train: sec.Treebank
    dev: sec.Treebank
    test: sec.Treebank


@dataclass(frozen=True, slots=True)
class LastApart(sec.Binarization):
    """As the WSJ grammar R0 has it: the last child apart, the others grouped from the right.

    X(a b c d) becomes X(@X(a @X(b c)) d).
    """

    def __call__(self, tree: sec.Tree) -> sec.Tree:
        if tree.is_preterminal:
            return tree
        children = tuple(c if isinstance(c, sec.Leaf) else self(c) for c in tree.children)
        if len(children) <= 2:
            return sec.Tree(tree.label, children)
        inner = children[-2]
        for child in reversed(children[:-2]):
            inner = sec.Tree(f"@{tree.label}", (child, inner))
        return sec.Tree(tree.label, (inner, children[-1]))


def treebanks(data: str, limit: int | None = None) -> Trees:
    """Train, dev and test. R0 tells ADVP and PRT apart, so its trees keep both labels."""
    sizes: Sequence[int | None] = (None, None, None) if limit is None else (limit, limit // 2, limit // 2)
    if data == "garden":
        a, b, c = (size or whole for size, whole in zip(sizes, SIZES, strict=True))
        grown = sec.garden.treebank(a + b + c)
        return Trees(grown[:a], grown[a : a + b], grown[a + b :])
    folder = data_folder() / ("ptb-sample" if data == "ptb-r0" else data)
    steps = sec.Normalization(advp=data != "ptb-r0")
    parts = [sec.read(folder / f"{part}.mrg", normalization=steps) for part in Trees._fields]
    return Trees(*(part[:size] for part, size in zip(parts, sizes, strict=True)))


def data_folder() -> Path:
    if "SECATEUR_DATA" not in os.environ:
        raise InputError(
            "SECATEUR_DATA does not name the folder of treebanks", fix="set it, or take --data garden"
        )
    return Path(os.environ["SECATEUR_DATA"])


def given_grammar(data: str) -> sec.PCFG | None:
    """The grammar that comes with the data; None where it is induced from the training trees."""
    if data != "ptb-r0":
        return None
    return sec.read_grammar(data_folder() / "wsj-grammars" / "eng.R0.gr.gz")


def settings_of(case: Case, points: int = 8, iterations: int = 10) -> Settings:
    binarization = LastApart() if case.data == "ptb-r0" else sec.Binarization()
    return Settings(
        surrogate=case.surrogate,
        points=points,
        left=LEFT,
        regularizer=REGULARIZER,
        iterations=iterations,
        binarization=binarization,
    )


def folder_of(case: Case) -> Path:
    return case.out / "runs" / case.name


def runs(case: Case, *, points: int | None = None, iterations: int = 10) -> sec.Model:
    """The trained model of a case: the stored one, or a new one, stored."""
    settings = settings_of(case, points or (4 if case.data == "ptb-r0" else 8), iterations)
    return stored_or_trained(case, folder_of(case), settings, given_grammar(case.data))


def stored_or_trained(
    case: Case, folder: Path, settings: Settings, grammar: sec.PCFG | SplitSettings | None
) -> sec.Model:
    """The model of a folder, trained there if it is not."""
    trees = treebanks(case.data, case.limit)
    if not (folder / "model.toml").exists():
        model = train(
            trees.train,
            dev=trees.dev,
            settings=settings,
            grammar=grammar,
            work=folder / "work",
            engine=Engine(case.jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        model.save(folder)
    model = load_model(folder)
    if model.settings["checksum"] != trees.train.checksum():
        raise InputError(
            "this model was trained on other trees", where=str(folder), fix="delete it, or name another --out"
        )
    return model


def trainer_of(case: Case) -> Trainer:
    """The task, examples and surrogate reward that a case's model was trained with."""
    trees = treebanks(case.data, case.limit)
    return Trainer(
        trees.train,
        trees.dev,
        settings_of(case),
        grammar=given_grammar(case.data),
        engine=Engine(case.jobs),
    )


def about(case: Case, model: sec.Model) -> dict[str, Any]:
    """What was trained on what, in numbers."""
    trainer = trainer_of(case)
    golds = [trainer.task.gold(tree) for part in treebanks(case.data, case.limit) for tree in part]
    return {
        "trees": len(trainer.trees) + trainer.unparsed,
        "held out": model.settings["held out"],
        "unparsed": trainer.unparsed,
        "symbols": len(model.rules.symbols),
        "binary rules": len(model.rules.binary.weight),
        "gold nodes": sum(gold.total for gold in golds),
        "lacking": sum(gold.total - len(gold.nodes) for gold in golds),
        "points": len(model.log),
        "rounds": sum(len(run["rounds"]) - 1 for run in model.log),
        "seconds": sum(r["seconds"] for run in model.log for r in run["rounds"]),
    }


def describe(case: Case) -> None:
    """The table of all runs."""
    header = [
        "data, surrogate",
        "training sentences up to 40 words",
        "of these not parsed",
        "dev",
        "symbols",
        "binary rules",
        "gold nodes whose label the grammar lacks",
        "trade-offs",
        "LOLS rounds",
        "hours of LOLS",
    ]
    rows = [
        [
            name,
            f"{r['trees']:,}",
            f"{r['unparsed']:,}",
            f"{r['held out']:,}",
            f"{r['symbols']:,}",
            f"{r['binary rules']:,}",
            f"{r['lacking']:,} of {r['gold nodes']:,}",
            f"{r['points']}",
            f"{r['rounds']}",
            f"{r['seconds'] / 3600:.2f}",
        ]
        for name, r in case.results("prune-runs").items()
    ]
    fill(case.docs / PAGE, "prune_runs", table(header, rows))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--points", type=int, help="baselines, and LOLS runs (8; ptb-r0: 4)")
    parser.add_argument("--iterations", type=int, default=10, help="rounds of LOLS, at most")
    chosen = parser.parse_args()
    case = case_of(chosen)
    model = runs(case, points=chosen.points, iterations=chosen.iterations)
    case.result("prune-runs", lambda: about(case, model))
    describe(case)


if __name__ == "__main__":
    start(main)
