"""Figure 4: what roll-outs say about the baseline's labels.

    python experiments/prune_figure4.py --data gum --surrogate cp
    python experiments/prune_figure4.py --data gum --surrogate cp --grammar fine

At every decision of some dev sentences, change propagation finds the reward r_CP of keeping and of pruning
the span. The baseline's oracle keeps gold spans and prunes others; its regret is what the better action
would have gained. Both for the baseline's own policy and for the one LOLS made of it. A fine grammar is
the one that roll-outs see.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from prune_figure2 import BASELINE
from prune_runs import PcfgModel, runs, trainer_of
from report import (
    Case,
    Grammar,
    Pictures,
    Sections,
    arguments,
    by_grammar,
    case_of,
    leave,
    new_figure,
    start,
    table,
)

# What single decisions are worth, by the task's own change propagation: no public name tells.
from secateur.kinds.pcfg.trainer import Trainer
from secateur.models.curve import tradeoffs
from secateur.plots.frontier import LEARNED
from secateur.search.core import DECLINE, TAKE, Example, Policy
from secateur.tasks.span_pruning.propagate import propagate

NAME = "prune-figure4"
KINDS = {"all": "black", "gold": BASELINE, "not gold": LEARNED}
ROWS = {  # of the figure, top to bottom
    "differ": "share of decisions where\nthe oracles differ",
    "regret where they differ": "mean regret where\nthey differ",
    "regret": "mean regret\nper decision",
}

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def advantages(
    trainer: Trainer, policy: Policy, tradeoff: float, examples: list[Example]
) -> tuple[Floats, Bools]:
    """At all decisions of the examples: r(keep) - r(prune), and whether the span is gold."""
    reward = trainer.reward(tradeoff)
    found, gold = [], []
    for x, right in examples:
        episode = trainer.task.roll_in(x, policy)
        steps = np.arange(len(episode.trace.action))
        values = propagate(trainer.task, x, right, policy, episode, reward, steps)
        found.append(values[:, TAKE] - values[:, DECLINE])
        gold.append(trainer.task.is_gold(episode.trace.site, right))
    return np.concatenate(found), np.concatenate(gold)


def regrets(advantage: Floats, gold: Bools) -> dict[str, dict[str, float]]:
    """For all, gold and other spans: how the oracle's action compares with the other one."""
    # The oracle keeps gold spans and prunes others: what it loses by that.
    regret = np.maximum(np.where(gold, -advantage, advantage), 0.0)
    # Two rewards may differ by the rounding of their sums alone.
    differs = regret > 1e-12
    equal = np.abs(advantage) <= 1e-12
    found = {}
    for kind, chosen in (("all", np.ones_like(gold)), ("gold", gold), ("not gold", ~gold)):
        count = int(chosen.sum())
        wrong = regret[chosen & differs]
        found[kind] = {
            "decisions": count,
            "agree": float((chosen & ~differs & ~equal).sum() / max(count, 1)),
            "equal": float((chosen & equal).sum() / max(count, 1)),
            "differ": len(wrong) / max(count, 1),
            "regret where they differ": float(wrong.mean()) if len(wrong) else 0.0,
            "90% of it below": float(np.quantile(wrong, 0.9)) if len(wrong) else 0.0,
            "regret": float(wrong.sum() / max(count, 1)),
        }
    return found


def measure(case: Case, model: PcfgModel, sentences: int) -> dict[str, Any]:
    """Each trade-off's two policies on the same sentences."""
    trainer = trainer_of(replace(case, surrogate="cp"), model)
    short = [tree for tree in trainer.judging_trees if 2 < len(tree.leaves()) <= trainer.settings.max_length]
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.choice(len(short), min(sentences, len(short)), replace=False))
    examples = trainer.examples([short[number] for number in chosen.tolist()])
    rows = []
    for number, tradeoff in enumerate(cp_tradeoffs(case, trainer, model)):
        policies = {side: model.policies[f"{side}-{number}"] for side in ("baseline", "lols")}
        found = {s: regrets(*advantages(trainer, p, tradeoff, examples)) for s, p in policies.items()}
        rows.append({"tradeoff": tradeoff, **found})
    return {"sentences": len(examples), "rows": rows}


def cp_tradeoffs(case: Case, trainer: Trainer, model: PcfgModel) -> list[float]:
    """Those the model was trained with; fitted to its baselines where it was trained with others."""
    if case.surrogate == "cp":
        return [run["tradeoff"] for run in model.log]
    names = [f"baseline-{number}" for number in range(len(model.log))]
    found = [trainer.surrogate(model.policies[name], trainer.stopping) for name in names]
    accuracy, runtime = zip(*found, strict=True)
    return [float(slope) for slope in tradeoffs(runtime, accuracy)]


def draw(case: Case, rows: list[dict[str, Any]]) -> Any:
    """The paper's three rows: how often the oracles differ, regret where they do, regret per decision."""
    figure, axes = new_figure(3, 1, size=(6.2, 8.2))
    order = sorted(rows, key=lambda row: row["tradeoff"])
    for panel, (key, label) in zip(axes.flat, ROWS.items(), strict=True):
        for kind, colour in KINDS.items():
            for side, line in (("baseline", "o-"), ("lols", "o--")):
                panel.plot(
                    [row["tradeoff"] for row in order],
                    [row[side][kind][key] for row in order],
                    line,
                    color=colour,
                    markersize=3,
                    label=f"{kind}, {'baseline' if side == 'baseline' else 'LOLS'}",
                )
        panel.set(xscale="log", ylabel=label, ylim=0)
    axes[0, 0].set_title(f"{case.name}: the baseline's oracle against roll-outs", loc="left", fontsize=10)
    axes[0, 0].legend(frameon=False, fontsize=7, ncols=3)
    axes[2, 0].set_xlabel("tradeoff, F1 (0 to 1) per item")
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return by_grammar(out, NAME, "prune_figure4", partial(show, pictures))


def show(pictures: Pictures, grammar: Grammar, results: dict[Case, Any]) -> str:
    """Figures and tables of all cases."""
    header = [
        "tradeoff",
        "policy",
        "spans",
        "decisions",
        "label is better",
        "both equal",
        "label is worse",
        "regret where worse",
        "90% of it below",
        "regret per decision",
    ]
    text = ""
    for one, found in results.items():
        text += pictures(f"{NAME}-{one.name}", partial(draw, one, found["rows"])) + "\n"
        text += f"{one.name}: {found['sentences']} dev sentences.\n\n"
        text += table(header, _rows(found["rows"])) + "\n"
    return text


def _rows(rows: list[dict[str, Any]]) -> list[list[str]]:
    found = []
    for row in rows:
        for side, title in (("baseline", "baseline"), ("lols", "LOLS")):
            for kind in ("gold", "not gold"):
                r = row[side][kind]
                shares = [f"{r[key]:.1%}" for key in ("agree", "equal", "differ")]
                means = [f"{r[key]:.5f}" for key in ("regret where they differ", "90% of it below", "regret")]
                found.append([f"{row['tradeoff']:.2e}", title, kind, f"{r['decisions']:,}", *shares, *means])
    return found


def run(case: Case, *, sentences: int = 200) -> None:
    case.result(NAME, lambda: measure(case, runs(case), sentences))
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__, surrogate="cp")
    parser.add_argument("--sentences", type=int, default=200)
    chosen = parser.parse_args()
    run(case_of(chosen), sentences=chosen.sentences)


if __name__ == "__main__":
    start(main)
