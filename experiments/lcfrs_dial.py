"""The dial of a whole model of discontinuous phrases on test: blocks and deduction, F1 against words/s.

    SECATEUR_DATA=... python experiments/lcfrs_dial.py --data alpino --jobs 2

A default training (`secateur train`), and every point of its dial: labelled F1 of all brackets and of the
discontinuous ones (disco-dop's evaluation), on sentences of at most 25 words and on all. What
the dial says was chosen and measured on dev. CPU time of one process, points in turn, best of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import secateur as sec
from arc_table1 import one_section
from lcfrs_runs import LcfrsCase, Trees, arguments, case_of
from report import Pictures, Sections, leave, new_figure, start, table

# The scores of sentences, and the one clock: no public name gives them.
from secateur.kinds.lcfrs import KIND
from secateur.kinds.lcfrs.settings import LcfrsSettings
from secateur.metrics.discontinuous import DiscontinuousScoring
from secateur.models.measure import clock, tried
from secateur.models.point import pareto
from secateur.plots.frontier import LEARNED, UNPRUNED
from secateur.search.parallel import Engine

NAME = "lcfrs-dial"
LENGTHS = (25, None)
REPEAT = 3
QUICK = LcfrsSettings(grammar="coarse", products=1, points=3, iterations=1, max_length=12, repeat=1)

Row = dict[str, Any]


def model_of(case: LcfrsCase) -> sec.Model[Any, sec.Tree]:
    """The stored model, or a new one, stored."""
    folder = case.out / "runs" / f"lcfrs-dial-{case.data}"
    if not (folder / "model.toml").exists():
        model = sec.train(
            case.trees.train,
            dev=case.trees.dev,
            kind=KIND.name,
            settings=QUICK if case.data == "garden" else LcfrsSettings(),
            work=folder / "work",
            engine=Engine(case.jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        model.save(folder)
    return sec.Model.load(folder)


def measure(case: LcfrsCase) -> Row:
    model = model_of(case)
    parts = {str(longest or "all"): part(case.trees.test, longest) for longest in LENGTHS}
    return {
        "sentences": {name: len(trees) for name, trees in parts.items()},
        "dial": [point.name for point in pareto(model.points)],
        "points": {point.name: {"dev": point.accuracy} for point in model.points},
        "parts": {name: rows(model, trees) for name, trees in parts.items()},
    }


def part(trees: Trees, longest: int | None) -> Trees:
    return trees if longest is None else trees.filter(max_length=longest)


def rows(model: sec.Model[Any, sec.Tree], trees: Trees) -> dict[str, Row]:
    """Of every point."""
    parsers = {point.name: model.parser(point.name) for point in model.points}
    sentences = [model.kind.annotation.sentence(tree) for tree in trees]
    timings = clock(parsers, sentences, repeat=REPEAT)
    found = {}
    for name, parser in parsers.items():
        trial = tried(parser, trees, DiscontinuousScoring())
        figures, between = trial.scores.figures(), trial.scores.intervals()  # type: ignore[attr-defined]
        found[name] = {
            "f1": figures["F1"],
            "interval": between["F1"],
            "discontinuous": figures["discontinuous F1"],
            "interval of discontinuous": between["discontinuous F1"],
            "words/s": trial.words / timings[name].best,
            "spread": timings[name].spread,
            "failed": sum(parse.failed for parse in trial.parses),
        }
    return found


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def draw(found: Row) -> Any:
    """F1 against words/s of sentences of at most 25 words."""
    figure, axes = new_figure(1, 1, size=(7.2, 4.6))
    panel, rows = axes[0, 0], found["parts"]["25"]
    for deduced, colour, label in ((False, LEARNED, "blocks"), (True, UNPRUNED, "deduction with a PLCFRS")):
        own = [row for name, row in rows.items() if name.endswith("plcfrs") == deduced]
        panel.plot([r["words/s"] for r in own], [r["f1"] for r in own], "o", color=colour, label=label)
    dial = sorted((rows[name]["words/s"], rows[name]["f1"]) for name in found["dial"])
    panel.plot(*zip(*dial, strict=True), "-", color=LEARNED, linewidth=0.8, label="the dial, chosen on dev")
    panel.set(xscale="log", xlabel="words per second, one core", ylabel="F1 on test, at most 25 words")
    panel.legend(frameon=False, fontsize=8)
    return figure


def show(pictures: Pictures, name: str, found: Row) -> str:
    data = name.rsplit("-", 1)[0]
    text = pictures(f"{NAME}-{data}", partial(draw, found)) + "\n"
    lines: list[Sequence[str]] = []
    for point, about in sorted(found["points"].items(), key=lambda pair: -pair[1]["dev"]):
        cells = [f"`{point}`", "yes" if point in found["dial"] else "", f"{about['dev']:.1f}"]
        for rows in found["parts"].values():
            row = rows[point]
            low, high = row["interval"]
            cells += [
                f"{row['f1']:.1f} ({low:.1f}-{high:.1f})",
                f"{row['discontinuous']:.1f}",
                f"{row['words/s']:,.0f}",
            ]
        failed = found["parts"]["all"][point]["failed"]
        lines.append([*cells, f"{failed}"])
    header = ["point", "on the dial", "F1 on half of dev"]
    for part_name in found["parts"]:
        what = f"at most {part_name} words" if part_name.isdecimal() else "all"
        header += [f"F1, {what}", "discontinuous", "words/s"]
    counts = ", ".join(f"{count:,} ({name})" for name, count in found["sentences"].items())
    return (
        text + f"{data}, test sentences by length: {counts}.\n\n" + table([*header, "without a tree"], lines)
    )


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: measure(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
