"""Section 6: the regularizer of the baselines, and how often a feature must be seen, chosen on dev.

    python experiments/prune_regularizer.py --data gum

For each setting, baselines over several penalties; their frontier of corpus F1 over pushes on dev. Settings
are compared by the mean F1 of their frontiers over the range of log pushes that all of them reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from prune_runs import given_grammar, settings_of, treebanks
from report import (
    Case,
    Evalb,
    Grammar,
    Pictures,
    Sections,
    arguments,
    by_grammar,
    case_of,
    leave,
    new_figure,
    read_json,
    start,
    table,
    write_json,
)

# Baselines with other regularizers than a run has: fitted by hand from the trainer's decisions.
from secateur.kinds.pcfg.trainer import Trainer
from secateur.models.measure import tried
from secateur.models.run import Run
from secateur.search.core import Policy
from secateur.search.linear import logistic_regression
from secateur.search.parallel import Engine

NAME = "prune-regularizer"
POWERS = tuple(range(11, 20))  # regularizers 2^-11 .. 2^-19
LEAST = (1, 2, 3)  # sentences a feature must occur in
PENALTIES = (0.001, 0.004, 0.016, 0.06, 0.2)

Row = dict[str, Any]


def frontier_of(trainer: Trainer, dev: sec.Treebank, power: int, penalties: Sequence[float]) -> list[Row]:
    """A baseline for each penalty, on dev; each fit starts from the one before."""
    rows, weights = [], None
    for penalty in penalties:
        weights = logistic_regression(
            trainer.pool.matrix(), trainer.labelled(penalty), regularizer=2.0**-power, start=weights
        )
        parser = sec.Parser(trainer.grammar, features=trainer.task.span_features, policy=Policy(weights))
        trial = tried(parser, dev, Evalb())
        mpush = trial.mean("pushes") / 1e6
        rows.append({"penalty": penalty, "mpush": mpush, "f1": trial.scores.accuracy})
    return rows


def sweep(case: Case, powers: Sequence[int], least: Sequence[int], penalties: Sequence[float]) -> None:
    """Every setting that is not stored yet; each is stored when done."""
    file = case.file(NAME)
    found = read_json(file) if file.exists() and not case.again else {}
    trees = treebanks(case.data, case.limit)
    for seen in least:
        missing = [power for power in powers if f"{power}/{seen}" not in found]
        if not missing:
            continue
        trainer = Trainer(
            Run(engine=Engine(case.jobs)),
            trees.train,
            trees.dev,
            replace(settings_of(case), least_seen=seen),
            grammar=given_grammar(case.data),
        )
        for power in missing:
            found[f"{power}/{seen}"] = frontier_of(trainer, trees.dev, power, penalties)
            write_json(file, found)
            print(f"2^-{power}, seen in {seen}: {found[f'{power}/{seen}']}", flush=True)


def heights(found: dict[str, list[Row]]) -> dict[str, float]:
    """The mean F1 of each setting's frontier over the log pushes that all settings reach."""
    curves = {}
    for setting, rows in found.items():
        order = sorted(rows, key=lambda row: row["mpush"])
        # A frontier never falls with more work.
        best = np.maximum.accumulate([row["f1"] for row in order])
        curves[setting] = (np.log([row["mpush"] for row in order]), best)
    low = max(x[0] for x, _ in curves.values())
    high = min(x[-1] for x, _ in curves.values())
    grid = np.linspace(low, max(high, low), 200)
    return {setting: float(np.interp(grid, x, y).mean()) for setting, (x, y) in curves.items()}


def draw(case: Case, found: dict[str, list[Row]], best: str) -> Any:
    """All frontiers that need features seen as often as the best one does."""
    figure, axes = new_figure(1, 1, size=(6.2, 4.4))
    seen = best.partition("/")[2]
    for setting in sorted((s for s in found if s.endswith(f"/{seen}")), key=_order):
        rows = found[setting]
        axes[0, 0].plot(
            [row["mpush"] for row in rows],
            [row["f1"] for row in rows],
            "o-",
            linewidth=2.2 if setting == best else 0.9,
            markersize=3,
            label=f"$2^{{-{setting.partition('/')[0]}}}$",
        )
    axes[0, 0].set(xscale="log", xlabel="mega-pushes per sentence", ylabel="F1 on dev")
    axes[0, 0].set_title(
        f"{case.name}: baselines, features of {seen} sentences at least", loc="left", fontsize=10
    )
    axes[0, 0].legend(frameon=False, fontsize=8)
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return by_grammar(out, NAME, "prune_regularizer", partial(show, pictures))


def show(pictures: Pictures, grammar: Grammar, results: dict[Case, Any]) -> str:
    """Figures and tables of all cases."""
    text = "Paper: the best of 2^-11 .. 2^-15 was 2^-13.\n\n"
    for one, found in results.items():
        height = heights(found)
        best = max(height, key=lambda setting: height[setting])
        powers, least = ({setting.split("/")[part] for setting in found} for part in (0, 1))
        text += pictures(f"{NAME}-{one.name}", partial(draw, one, found, best)) + "\n"
        text += f"{one.name}: mean F1 of the frontier on dev; the best in bold.\n\n"
        header = ["regularizer", *(f"features of {seen}+ sentences" for seen in sorted(least))]
        rows = []
        for power in sorted(powers, key=int):
            cells = [f"2^-{power}"]
            for seen in sorted(least):
                setting = f"{power}/{seen}"
                mark = "**" if setting == best else ""
                cells.append(f"{mark}{height[setting]:.2f}{mark}" if setting in height else "")
            rows.append(cells)
        text += table(header, rows) + "\n"
    return text


def _order(setting: str) -> int:
    return int(setting.partition("/")[0])


def run(
    case: Case,
    *,
    powers: Sequence[int] = POWERS,
    least: Sequence[int] = LEAST,
    penalties: Sequence[float] = PENALTIES,
) -> None:
    sweep(case, powers, least, penalties)
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__, grammar="coarse")
    parser.add_argument("--powers", type=int, nargs="+", default=POWERS, help="p of regularizers 2^-p")
    parser.add_argument("--least", type=int, nargs="+", default=LEAST, help="sentences with the feature")
    chosen = parser.parse_args()
    run(case_of(chosen), powers=chosen.powers, least=chosen.least)


if __name__ == "__main__":
    start(main)
