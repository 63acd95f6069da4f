"""Section 7.2: the time of all roll-outs of a sentence, by its length.

    python experiments/prune_rollouts.py --data gum --surrogate dp
    python experiments/prune_rollouts.py --data gum --surrogate dp --grammar fine

A set of roll-outs is the reward with each decided span of a sentence flipped alone. Engines: parsing again,
by the plain left-child loop and by the Viterbi kernel; change propagation (F1 and pushes); back-propagation
(expected recall). Masks keep a third of the spans, those that a learned policy scores highest. CPU time,
best of several; replays are timed on a few flips of each sentence and scaled up to its set. A fine grammar is
the one that roll-outs see; also, for a few short sentences and timed once, with all of its sub-symbols.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import secateur as sec
from prune_runs import ROLLOUT_LEVEL, PcfgModel, runs, trainer_of, treebanks
from report import (
    ROOT,
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

# Roll-outs of the task itself, by several engines: no public name runs them.
from secateur.kinds.pcfg.trainer import Trainer
from secateur.tasks.span_pruning.task import SpanPruning, sites_of

# The engines and the plain loop are those of the benchmarks.
sys.path.append(str(ROOT / "benchmarks"))
from masks import Roll, rolls
from rollouts import FLIPS, check, engines
from turns import best

NAME = "prune-rollouts"
Row = dict[str, Any]
BINS = ((5, 10), (11, 20), (21, 30), (31, 40))
WHOLE_BINS, WHOLE_COUNT, WHOLE_RULES = BINS[:2], 3, 2_000_000  # with all sub-symbols: no more than that
PAPER = {
    "coarse": "Paper, coarse, over its left-child parser: CP 4.9-6.6x, DP 10.4-11.9x.",
    "fine": "Paper, fine, over its left-child parser: CP 1.9-2.4x, DP 10.5-13.8x.",
}
LEFT_CHILD, KERNEL, CP, DP = ENGINES = (
    "replay, left-child loop",
    "replay, Viterbi kernel",
    "change propagation",
    "back-propagation",
)


def seconds(task: SpanPruning, given: list[Roll], repeat: int) -> dict[str, float]:
    """CPU seconds of all roll-outs of all sentences, by engine."""
    rng = np.random.default_rng(0)
    found = dict.fromkeys(ENGINES, 0.0)
    for engine in engines(task):
        if engine.name not in found:
            continue
        for roll in given:
            sites = sites_of(len(roll.x.words))
            timed = sites
            if engine.name not in (CP, DP):
                timed = sites[rng.choice(len(sites), min(FLIPS, len(sites)), replace=False)]
            engine.run(roll, timed)  # compiled
            spent, _ = best(lambda r=roll, s=timed, e=engine: e.run(r, s), repeat)
            found[engine.name] += spent * len(sites) / len(timed)
    return found


def third(trainer: Trainer, model: PcfgModel) -> str:
    """The policy that keeps the share of spans nearest to a third; of dp, the runtime is spans kept."""
    some = trainer.judging[:100]
    decided = float(np.mean([len(sites_of(len(x.words))) for x, _ in some]))
    shares = {name: trainer.surrogate(p, some)[1] / decided for name, p in model.policies.items()}
    return min(shares, key=lambda name: abs(shares[name] - 1 / 3))


def measure(case: Case, model: PcfgModel, count: int, repeat: int) -> Row:
    """The first `count` dev sentences of each length class, under masks by one policy."""
    trainer = trainer_of(replace(case, surrogate="dp"), model)
    policy = third(trainer, model)
    weights = model.policies[policy].weights
    found: Row = {"policy": policy, "rows": timed(case, trainer.task, weights, BINS, count, repeat)}
    if isinstance(model.parts.grammar, sec.SplitPCFG):
        found["level"], found["rules"] = ROLLOUT_LEVEL, len(trainer.task.grammar.binary.weight)
        found["whole"] = whole(case, model, weights, min(count, WHOLE_COUNT))
    return found


def whole(case: Case, model: PcfgModel, weights: np.ndarray, count: int) -> Row:
    """The same with all sub-symbols of the grammar that parses; no rows where they are too many."""
    assert isinstance(model.parts.grammar, sec.SplitPCFG)
    found: Row = {
        "level": len(model.parts.grammar.ancestry),
        "rules": int(np.count_nonzero(model.parts.grammar.blocks.binary)),
        "rows": [],
    }
    if found["level"] > ROLLOUT_LEVEL and found["rules"] <= WHOLE_RULES:
        task = trainer_of(case, model, level=found["level"]).task
        found["rows"] = timed(case, task, weights, WHOLE_BINS, count, 1)
    return found


def timed(
    case: Case,
    task: SpanPruning,
    weights: np.ndarray,
    bins: Sequence[tuple[int, int]],
    count: int,
    repeat: int,
) -> list[Row]:
    """A row for each length class."""
    dev = treebanks(case.data, case.limit).dev
    rows = []
    for first, last in bins:
        trees = list(dev.filter(min_length=first, max_length=last)[:count])
        if not trees:
            continue
        given = list(rolls(task, weights, trees, 1 / 3))
        check(task, given)
        rows.append(
            {
                "length": f"{first}-{last}",
                "sentences": len(given),
                "roll-outs": sum(len(sites_of(len(roll.x.words))) for roll in given),
                "seconds": seconds(task, given, repeat),
            }
        )
    return rows


def with_sum(rows: list[Row]) -> list[Row]:
    """The rows, and all of them together."""
    total = {
        "length": "all",
        "sentences": sum(row["sentences"] for row in rows),
        "roll-outs": sum(row["roll-outs"] for row in rows),
        "seconds": {name: sum(row["seconds"][name] for row in rows) for name in ENGINES},
    }
    return [*rows, total]


def draw(case: Case, rows: list[Row]) -> Any:
    figure, axes = new_figure(1, 1, size=(6.2, 4.2))
    for engine, marker in zip(ENGINES, "sDo^", strict=True):
        axes[0, 0].plot(
            [row["length"] for row in rows],
            [1e3 * row["seconds"][engine] / row["sentences"] for row in rows],
            f"{marker}-",
            label=engine,
        )
    axes[0, 0].set(yscale="log", xlabel="words", ylabel="ms (CPU) for all roll-outs of a sentence")
    axes[0, 0].set_title(case.name, loc="left", fontsize=10)
    axes[0, 0].legend(frameon=False, fontsize=8)
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return by_grammar(out, NAME, "prune_rollouts", partial(show, pictures))


def show(pictures: Pictures, grammar: Grammar, results: dict[Case, Any]) -> str:
    """Figures and tables of all cases."""
    header = ["words", "sentences", "roll-outs", *(f"{name}, ms a set" for name in ENGINES)]
    header += [f"{name} over {replay}" for name in ("CP", "DP") for replay in ("left-child", "kernel")]
    text = PAPER[grammar] + "\n\n"
    for one, found in results.items():
        text += pictures(f"{NAME}-{one.name}", partial(draw, one, found["rows"])) + "\n"
        text += f"{one.name}: a third of the spans kept, as {found['policy']} scores them.\n\n"
        text += table(header, _cells(found["rows"])) + "\n"
        if "whole" in found:
            text += _levels(found) + "\n\n"
            if found["whole"]["rows"]:
                text += table(header, _cells(found["whole"]["rows"])) + "\n"
    return text


def _levels(found: Row) -> str:
    """What the table above this line is about, and the one below, if there is one."""
    whole = found["whole"]
    seen = f"This was the grammar seen from level {found['level']}, {found['rules']:,} binary rules"
    if whole["level"] <= found["level"]:
        return f"{seen}: all that it has."
    rest = f"with all sub-symbols, those of level {whole['level']}, it has {whole['rules']:,}"
    if not whole["rows"]:
        return f"{seen}; {rest}, too many to time roll-outs with."
    return f"{seen}; {rest}, and a few short sentences take, timed once:"


def _cells(rows: list[Row]) -> list[list[str]]:
    cells = []
    for row in with_sum(rows):
        spent = row["seconds"]
        cells.append([row["length"], f"{row['sentences']}", f"{row['roll-outs']:,}"])
        cells[-1] += [f"{1e3 * spent[engine] / row['sentences']:.2f}" for engine in ENGINES]
        cells[-1] += [
            f"{spent[replay] / spent[fast]:.1f}x" for fast in (CP, DP) for replay in (LEFT_CHILD, KERNEL)
        ]
    return cells


def run(case: Case, *, count: int = 20, repeat: int = 5) -> None:
    case.result(NAME, lambda: measure(case, runs(case), count, repeat))
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=20, help="sentences of each length class")
    parser.add_argument("--repeat", type=int, default=5, help="timing runs")
    chosen = parser.parse_args()
    run(case_of(chosen), count=chosen.count, repeat=chosen.repeat)


if __name__ == "__main__":
    start(main)
