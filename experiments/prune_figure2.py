"""Figure 2: LOLS pushes out the frontier of the surrogate reward, on dev.

    python experiments/prune_figure2.py --data gum --surrogate dp
    python experiments/prune_figure2.py --data gum --surrogate dp --grammar fine

LOLS was stopped by the dev sentences 0, 2, 4, ...; the figure shows its rounds there. Whether the chosen
policy has a higher surrogate reward than its baseline is judged on sentences 1, 3, 5, ..., and once more on
the test sentences, of which there are more. Fine grammars are those that roll-outs see.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from prune_runs import PcfgModel, runs, trainer_of, treebanks
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

# Surrogate rewards of policies are those of the trainer; no public name gives them.
from secateur.kinds.pcfg.trainer import Trainer
from secateur.plots.frontier import LEARNED
from secateur.search.core import Example, Policy

BASELINE = "#009E73"
NAME = "prune-figure2"
RUNTIMES = {"dp": "spans kept per sentence", "cp": "items built per sentence"}
ACCURACIES = {"dp": "expected recall", "cp": "sentence F1"}


def compare(case: Case, model: PcfgModel) -> list[dict[str, Any]]:
    """One row a trade-off: the rounds on the stopping half, both policies on the judging half."""
    trainer = trainer_of(case, model)
    test = trainer.examples(treebanks(case.data, case.limit).test)
    rows = []
    for number, run in enumerate(model.log):
        tradeoff = run["tradeoff"]
        rounds = [{k: r[k] for k in ("reward", "accuracy", "runtime")} for r in run["rounds"]]
        chosen = int(np.argmax([r["reward"] for r in rounds]))
        rows.append(
            {
                "penalty": run["penalty"],
                "tradeoff": tradeoff,
                "rounds": rounds,
                "chosen": chosen,
                **{
                    f"{kind}{part}": judged(trainer, model.policies[f"{kind}-{number}"], examples, tradeoff)
                    for part, examples in (("", trainer.judging), (" on test", test))
                    for kind in ("baseline", "lols")
                },
            }
        )
    return rows


def judged(
    trainer: Trainer, policy: Policy, examples: Sequence[Example], tradeoff: float
) -> dict[str, float]:
    """A policy's surrogate figures."""
    accuracy, runtime = trainer.surrogate(policy, examples)
    return {"accuracy": accuracy, "runtime": runtime, "reward": accuracy - tradeoff * runtime}


def gain(row: dict[str, Any], part: str = "") -> float:
    """Surrogate reward of LOLS over its baseline, on the judging half or on test."""
    return float(row[f"lols{part}"]["reward"] - row[f"baseline{part}"]["reward"])


def outcome(row: dict[str, Any]) -> str:
    """Early stopping may have kept the baseline's policy: then there is nothing to compare."""
    if row["chosen"] == 0:
        return "same policy"
    return "higher" if gain(row) > 0 else "lower" if gain(row) < 0 else "equal"


def draw(found: dict[Case, Any]) -> Any:
    """A panel for each surrogate."""
    figure, axes = new_figure(1, len(found), size=(6.2 * len(found), 4.6))
    for panel, (case, rows) in zip(axes.flat, found.items(), strict=True):
        first = [row["rounds"][0] for row in rows]
        reach = max(r["runtime"] for r in first) - min(r["runtime"] for r in first)
        order = sorted(first, key=lambda r: r["runtime"])
        panel.plot(
            [r["runtime"] for r in order],
            [r["accuracy"] for r in order],
            "o-",
            color=BASELINE,
            label="baselines",
            zorder=3,
        )
        for row in rows:
            _lines(panel, row, reach)
        panel.plot([], [], "-", color=LEARNED, linewidth=0.7, marker=".", label="rounds of LOLS")
        panel.plot([], [], "--", color=BASELINE, linewidth=0.8, label="equal reward")
        panel.set(xlabel=RUNTIMES[case.surrogate], ylabel=ACCURACIES[case.surrogate])
        panel.set_title(title(case), loc="left", fontsize=10)
        panel.legend(frameon=False, fontsize=8)
    return figure


def _lines(panel: Any, row: dict[str, Any], reach: float) -> None:
    """One trade-off: the line of equal reward, the rounds, and the arrow to the chosen one."""
    rounds = row["rounds"]
    x, y = rounds[0]["runtime"], rounds[0]["accuracy"]
    half = np.array([-0.07, 0.07]) * reach
    panel.plot(x + half, y + row["tradeoff"] * half, "--", color=BASELINE, linewidth=0.8, zorder=1)
    panel.plot(
        [r["runtime"] for r in rounds],
        [r["accuracy"] for r in rounds],
        ".-",
        color=LEARNED,
        linewidth=0.7,
        alpha=0.5,
        zorder=2,
    )
    if row["chosen"]:
        to = rounds[row["chosen"]]
        arrow = {"arrowstyle": "->", "color": LEARNED, "linewidth": 1.6}
        panel.annotate("", (to["runtime"], to["accuracy"]), (x, y), arrowprops=arrow, zorder=4)


def sections(out: Path, pictures: Pictures) -> Sections:
    return by_grammar(out, NAME, "prune_figure2", partial(show, pictures))


def show(pictures: Pictures, grammar: Grammar, results: dict[Case, Any]) -> str:
    """Figures and tables of all cases."""
    counts = []
    for one, rows in results.items():
        outcomes = [outcome(row) for row in rows]
        counts.append(
            [one.name, f"{len(rows)}"]
            + [f"{outcomes.count(kind)}" for kind in ("higher", "lower", "equal", "same policy")]
            + [f"{sum(gain(row, ' on test') > 0 for row in rows)}"]
        )
    header = ["data, surrogate", "trade-offs", "LOLS higher", "lower", "equal", "baseline's policy kept"]
    header += ["higher on test"]
    text = "Surrogate reward on the judging half of dev, LOLS against its baseline; and on test:\n\n"
    text += table(header, counts) + "\n"
    for data in dict.fromkeys(one.data for one in results):
        found = {one: rows for one, rows in results.items() if one.data == data}
        text += pictures(next(iter(found)).picture(NAME), partial(draw, found)) + "\n"
        for one, rows in found.items():
            text += f"{title(one)} ({ACCURACIES[one.surrogate]}, {RUNTIMES[one.surrogate]}):\n\n"
            text += table(*_table(rows)) + "\n"
    return text


def title(case: Case) -> str:
    grammar = ", fine" if case.grammar == "fine" else ""
    return f"{case.data}{grammar}, surrogate {case.surrogate}"


def _table(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    header = [
        "tradeoff",
        "penalty",
        "baseline accuracy / runtime",
        "LOLS accuracy / runtime",
        "reward gained (judging half)",
        "reward gained (stopping half)",
        "reward gained (test)",
        "round chosen",
    ]
    return header, [
        [
            f"{row['tradeoff']:.2e}",
            f"{row['penalty']:.4f}",
            f"{row['baseline']['accuracy']:.4f} / {row['baseline']['runtime']:.1f}",
            f"{row['lols']['accuracy']:.4f} / {row['lols']['runtime']:.1f}",
            f"{gain(row):+.4f}",
            f"{row['rounds'][row['chosen']]['reward'] - row['rounds'][0]['reward']:+.4f}",
            f"{gain(row, ' on test'):+.4f}",
            f"{row['chosen']} of {len(row['rounds']) - 1}",
        ]
        for row in rows
    ]


def run(case: Case) -> None:
    case.result(NAME, lambda: compare(case, runs(case)))
    leave(case.out, sections)


if __name__ == "__main__":
    start(lambda: run(case_of(arguments(__doc__).parse_args())))
