"""Train what the other scripts look at: baselines, and LOLS from each (section 7 of the paper).

    python experiments/prune_runs.py --data garden
    SECATEUR_DATA=... python experiments/prune_runs.py --data gum --surrogate cp --jobs 2

These are the runs with coarse grammars; fine_runs.py makes those with fine ones. The model is kept in
OUT/runs/DATA-SURROGATE (fine: DATA-SURROGATE-fine), the training's unfinished pieces in work/ there: a run
that was stopped goes on. A model that is there is taken as it is; to train anew, delete its folder.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

import secateur as sec
from report import (
    Case,
    Grammar,
    Pictures,
    Sections,
    Surrogate,
    arguments,
    by_grammar,
    case_of,
    leave,
    start,
    table,
)
from secateur.errors import InputError

# The trainer by itself, for surrogate rewards of a model's policies: no public name gives it.
from secateur.kinds.pcfg.parts import PcfgParts
from secateur.kinds.pcfg.trainer import Trainer
from secateur.models.run import Run
from secateur.search.parallel import Engine
from secateur.treebanks.normalization import AS_IN_THE_PAPER

NAME = "prune-runs"
SIZES = (2000, 400, 600)  # of the garden's parts
REGULARIZER = 2.0**-17  # of the coarse runs; prune_regularizer.py has since found 2^-18 a little better
LEFT = 0.75  # of the accuracy at the fast end: further than a dial needs, as far as the paper's figures
FINE_LEFT = 0.9  # below it, the unsplit grammar is both faster and better
ROLLOUT_LEVEL = 2  # a roll-out with all sub-symbols takes ten times as long
LEVELS, PRODUCTS = 5, 4  # of split grammars

PcfgModel = sec.Model[PcfgParts, sec.Tree]


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
        grown = sec.garden.treebank(a + b + c).normalize(AS_IN_THE_PAPER)
        return Trees(grown[:a], grown[a : a + b], grown[a + b :])
    folder = data_folder() / ("ptb-sample" if data == "ptb-r0" else data)
    steps = sec.Normalization(advp=False) if data == "ptb-r0" else AS_IN_THE_PAPER
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


def settings_of(case: Case) -> sec.Settings:
    """How a case's model is trained. With r_CP a fine grammar is slow: few points, and 2n roll-outs."""
    if case.grammar == "fine":
        if case.data == "ptb-r0":
            raise InputError("ptb-r0 comes with a coarse grammar", fix="take --data ptb-sample")
        cp = case.surrogate == "cp"
        return sec.Settings(
            grammar="fine",
            levels=LEVELS,
            products=PRODUCTS,
            surrogate=case.surrogate,
            points=3 if cp else 6,
            left=FINE_LEFT,
            rollouts="some" if cp else "all",
            rollout_level=ROLLOUT_LEVEL,
        )
    return sec.Settings(
        grammar=given_grammar(case.data) or "coarse",
        surrogate=case.surrogate,
        points=4 if case.data == "ptb-r0" else 8,
        left=LEFT,
        regularizer=REGULARIZER,
        binarization=LastApart() if case.data == "ptb-r0" else sec.Binarization(),
    )


def folder_of(case: Case) -> Path:
    return case.out / "runs" / case.name


def runs(case: Case, *, settings: sec.Settings | None = None) -> PcfgModel:
    """The trained model of a case: the stored one, or a new one, stored."""
    trees, folder = treebanks(case.data, case.limit), folder_of(case)
    if not (folder / "model.toml").exists():
        if case.grammar == "fine":
            share_splits(case)
        model = sec.train(
            trees.train,
            dev=trees.dev,
            settings=settings or settings_of(case),
            work=folder / "work",
            engine=Engine(case.jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        model.save(folder)
    model = sec.Model.load(folder)
    if model.settings["checksum"] != trees.train.checksum():
        raise InputError(
            "this model was trained on other trees", where=str(folder), fix="delete it, or name another --out"
        )
    if isinstance(model.parts.grammar, sec.SplitPCFG) != (case.grammar == "fine"):
        raise InputError(f"this model's grammar is not {case.grammar}", where=str(folder), fix="delete it")
    return model


def share_splits(case: Case) -> None:
    """Split grammars do not depend on the surrogate: take those that a run with the other one made."""
    for surrogate in get_args(Surrogate):
        for split in (folder_of(replace(case, surrogate=surrogate)) / "work").glob("split-*"):
            own = folder_of(case) / "work" / split.name
            if not own.exists():
                shutil.copytree(split, own, ignore=shutil.ignore_patterns("*.partial"))


def trainer_of(case: Case, model: PcfgModel, *, level: int = ROLLOUT_LEVEL) -> Trainer:
    """The task, examples and surrogate reward that a case's model was trained with.

    Roll-outs see a fine grammar from a level of its hierarchy.
    """
    trees = treebanks(case.data, case.limit)
    return Trainer(
        Run(engine=Engine(case.jobs)),
        trees.train,
        trees.dev,
        replace(settings_of(case), rollout_level=level),  # coarse grammars have no levels
        grammar=model.parts.grammar if case.grammar == "fine" else given_grammar(case.data),
    )


def about(case: Case, model: PcfgModel) -> dict[str, Any]:
    """What was trained on what, in numbers."""
    trainer = trainer_of(case, model)
    golds = [trainer.task.gold(tree) for part in treebanks(case.data, case.limit) for tree in part]
    found = {
        "trees": len(trainer.trees) + trainer.unparsed,
        "held out": model.settings["held out"],
        "unparsed": trainer.unparsed,
        "symbols": len(model.parts.rules.symbols),
        "binary rules": len(model.parts.rules.binary.weight),
        "gold nodes": sum(gold.total for gold in golds),
        # A node of a known label has a row for each of its sub-symbols.
        "lacking": sum(gold.total - len(np.unique(gold.nodes[:, :2], axis=0)) for gold in golds),
        "points": len(model.log),
        "rounds": sum(len(run["rounds"]) - 1 for run in model.log),
        "seconds": sum(r["seconds"] for run in model.log for r in run["rounds"]),
    }
    if isinstance(model.parts.grammar, sec.SplitPCFG):
        found["levels"] = model.settings["F1 of the levels"]
        found["level"] = model.settings["level"]
        found["products"] = model.settings["products"]
        found["sub-symbols"] = int(model.parts.grammar.blocks.splits.sum())
        found["roll-out rules"] = len(trainer.task.grammar.binary.weight)
    return found


def sections(out: Path, pictures: Pictures) -> Sections:
    return by_grammar(out, NAME, "prune_runs", show)


def show(grammar: Grammar, results: dict[Case, Any]) -> str:
    """The table of all runs with this grammar."""
    fine = grammar == "fine"
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
    if fine:
        header += ["sub-symbols", "F1 of levels 0, 1, ... on half of dev", "binary rules in roll-outs"]
    rows = [
        [
            one.name,
            f"{r['trees']:,}",
            f"{r['unparsed']:,}",
            f"{r['held out']:,}",
            f"{r['symbols']:,}",
            f"{r['binary rules']:,}",
            f"{r['lacking']:,} of {r['gold nodes']:,}",
            f"{r['points']}",
            f"{r['rounds']}",
            f"{r['seconds'] / 3600:.2f}",
            *(_split(r) if fine else ()),
        ]
        for one, r in results.items()
    ]
    return table(header, rows)


def _split(r: dict[str, Any]) -> list[str]:
    """The cells about a split grammar; the chosen level in bold."""
    levels = [f"**{f1:.1f}**" if n == r["level"] else f"{f1:.1f}" for n, f1 in enumerate(r["levels"])]
    return [f"{r['products']} x {r['sub-symbols']:,}", ", ".join(levels), f"{r['roll-out rules']:,}"]


def run(case: Case, *, settings: sec.Settings | None = None) -> None:
    model = runs(case, settings=settings)
    case.result(NAME, lambda: about(case, model))
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__, grammar="coarse")
    parser.add_argument("--points", type=int, help="baselines, and LOLS runs (8; ptb-r0: 4)")
    parser.add_argument("--iterations", type=int, default=10, help="rounds of LOLS, at most")
    chosen = parser.parse_args()
    case = case_of(chosen)
    settings = settings_of(case)
    points = chosen.points or settings.points
    run(case, settings=replace(settings, points=points, iterations=chosen.iterations))


if __name__ == "__main__":
    start(main)
