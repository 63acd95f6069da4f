"""Figure 3: the true reward on test, LOLS against its baseline; and the rates of parse failure.

    python experiments/prune_figure3.py --data gum --surrogate dp          counters only
    python experiments/prune_figure3.py --data gum --surrogate dp --time   and words/s, on a machine at rest
    python experiments/prune_figure3.py --data gum --grammar fine          max-rule trees of one split grammar

The true reward is corpus F1 (EVALB, percent) minus tradeoff * mega-pushes per sentence; the tradeoff of a
baseline is the slope, at its pushes, of the curve through the baselines on dev. Test decides nothing.
Without --time the words/s of an earlier timing are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import secateur as sec
from prune_figure2 import BASELINE
from prune_runs import PcfgModel, runs, treebanks
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

# Names of points by what they do, the curve through points, and the one clock: none has a public name.
from secateur.kinds.pcfg.ways import MAX_RULE, UNPRUNED, VITERBI, name_of, way_of
from secateur.metrics import Counts
from secateur.models.curve import fit_curve
from secateur.models.measure import clock, tried
from secateur.plots.frontier import LEARNED
from secateur.plots.frontier import UNPRUNED as UNPRUNED_COLOUR

NAME = "prune-figure3"
SAMPLES, LEVEL = 5000, 0.05
PAPER = {
    "coarse": ["paper: WSJ 23, coarse", "61.1", "70.1", "8.1x", "", "72.2", "7.4x", "", "worse: 0"],
    "fine": ["paper: WSJ 23, fine", "", "-0.03", "9.7x", "", "+0.16", "8.6x", "", "worse: 0"],
}

Floats = npt.NDArray[np.float64]
Row = dict[str, Any]


def parser_of(model: PcfgModel, name: str) -> sec.Parser:
    """With a policy or none; max-rule trees of one grammar where it is split."""
    decode = MAX_RULE if isinstance(model.parts.grammar, sec.SplitPCFG) else VITERBI
    return model.parser(name_of(way_of(None if name == UNPRUNED else name, {"decode": decode})))


def parse_all(model: PcfgModel, name: str, trees: sec.Treebank) -> tuple[list[Counts], Floats]:
    """The brackets and the mega-pushes of every sentence."""
    trial = tried(parser_of(model, name), trees, Evalb())
    mpush = np.array([parse.work.pushes / 1e6 for parse in trial.parses])
    return [sentence.counts for sentence in trial.scores.sentences], mpush


def summed(counts: Sequence[Counts], mpush: Floats) -> Row:
    """What is kept of a policy's parses: enough to compute every figure of the table."""
    total = sum(counts, Counts())
    found = {key: getattr(total, key) for key in ("sentences", "failures", "matched", "gold", "test")}
    return {**found, "f1": total.f1, "mpush": float(mpush.mean())}


def true_tradeoffs(mpush: Sequence[float], f1: Sequence[float]) -> list[float]:
    """At each baseline, F1 points per mega-push on the curve through the increasing part of them.

    Baselines slower than the most accurate one bend the curve down, which no tradeoff explains.
    """
    x, y = np.asarray(mpush), np.asarray(f1)
    rising = x <= x[y.argmax()]
    if rising.sum() < 3:
        rising[:] = True
    return [float(slope) for slope in np.maximum(fit_curve(x[rising], y[rising]).slope(x), 0.0)]


def reward_test(
    a: tuple[Sequence[Counts], Floats],
    b: tuple[Sequence[Counts], Floats],
    tradeoff: float,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> float:
    """The two-sided p of a difference of true reward, sentences changing places with probability 1/2."""
    one, other = (
        np.array([(c.matched, c.gold + c.test, m) for c, m in zip(*side, strict=True)]) for side in (a, b)
    )

    def reward(sums: Floats) -> Floats:
        return 200 * sums[..., 0] / np.maximum(sums[..., 1], 1) - tradeoff * sums[..., 2] / len(one)

    sum_one, sum_other, change = one.sum(axis=0), other.sum(axis=0), other - one
    observed = abs(reward(sum_one) - reward(sum_other))
    rng = np.random.default_rng(seed)
    as_large = 0
    for size in [100] * (samples // 100) + [samples % 100]:  # not all at once: [size, sentences]
        moved = rng.integers(0, 2, size=(size, len(one))).astype(float) @ change
        differences = np.abs(reward(sum_one + moved) - reward(sum_other - moved))
        as_large += int(np.count_nonzero(differences >= observed - 1e-9))
    return (as_large + 1) / (samples + 1)


def measure(case: Case, model: PcfgModel) -> Row:
    """The counters of every policy on test, and each pair compared."""
    trees = treebanks(case.data, case.limit)
    names = [f"baseline-{number}" for number in range(len(model.log))]
    dev = [summed(*parse_all(model, name, trees.dev)) for name in names]
    slopes = true_tradeoffs([d["mpush"] for d in dev], [d["f1"] for d in dev])
    points = []
    for number, (name, tradeoff) in enumerate(zip(names, slopes, strict=True)):
        other = f"lols-{number}"
        before, after = parse_all(model, name, trees.test), parse_all(model, other, trees.test)
        baseline, lols = summed(*before), summed(*after)
        points.append(
            {
                "tradeoff": tradeoff,
                "baseline": baseline,
                "lols": lols,
                "difference": lols["f1"] - baseline["f1"] - tradeoff * (lols["mpush"] - baseline["mpush"]),
                "p": reward_test(before, after, tradeoff),
                "same": bool(np.array_equal(model.policies[name].weights, model.policies[other].weights)),
            }
        )
    return {
        "words": sum(len(tree.leaves()) for tree in trees.test),
        "unpruned": summed(*parse_all(model, UNPRUNED, trees.test)),
        "dev": dev,
        "points": points,
    }


def speeds(case: Case, model: PcfgModel, repeat: int) -> dict[str, Row]:
    """Words per second of every policy: CPU time of one process, best of several, all in turn."""
    test = treebanks(case.data, case.limit).test
    parsers = {name: parser_of(model, name) for name in (UNPRUNED, *model.policies)}
    sentences = [model.kind.annotation.sentence(tree) for tree in test]
    words = sum(map(len, sentences))
    return {
        name: {"words/s": words / timing.best, "noise": timing.spread}
        for name, timing in clock(parsers, sentences, repeat=repeat).items()
    }


def verdict(point: Row) -> str:
    """As the paper has it: a policy that early stopping did not change is no comparison."""
    if point["same"]:
        return "same"
    if point["p"] >= LEVEL:
        return "not significant"
    return "better" if point["difference"] > 0 else "worse"


def speed(found: Row, name: str) -> float | None:
    return found["speed"][name]["words/s"] if name in found["speed"] else None


def speedup(found: Row, name: str) -> str:
    """Over the unpruned parser, in words/s."""
    fast, slow = speed(found, name), speed(found, UNPRUNED)
    return f"{fast / slow:.1f}x" if fast and slow else "not timed yet"


def fewer(found: Row, side: Row) -> str:
    """Pushes of the unpruned parser over those of a policy."""
    return f"{found['unpruned']['mpush'] / max(side['mpush'], 1e-9):.1f}x"


def headline(name: str, found: Row) -> list[str]:
    """The most accurate baseline and LOLS policy on test, and how many pairs differ significantly."""
    cells = [name, f"{found['unpruned']['f1']:.1f}"]
    for side in ("baseline", "lols"):
        best = max(range(len(found["points"])), key=lambda n: found["points"][n][side]["f1"])
        at = found["points"][best][side]
        cells += [f"{at['f1']:.1f}", speedup(found, f"{side}-{best}"), fewer(found, at)]
    verdicts = [verdict(point) for point in found["points"]]
    better, worse, same = (verdicts.count(kind) for kind in ("better", "worse", "same"))
    return [*cells, f"better: {better}, worse: {worse}, same policy: {same}, of {len(verdicts)}"]


def pairs(found: Row) -> tuple[list[str], list[list[str]]]:
    """One row a trade-off."""
    header = ["tradeoff", "F1", "Mpush", "fewer pushes", "words/s", "speed-up"]
    header += ["failures", "reward gained", "p", "LOLS is"]
    rows = []
    for number, point in enumerate(found["points"]):
        sides = {f"{side}-{number}": point[side] for side in ("baseline", "lols")}
        timed = [speed(found, name) for name in sides]
        rows.append(
            [
                f"{point['tradeoff']:,.1f}",
                " → ".join(f"{side['f1']:.2f}" for side in sides.values()),
                " → ".join(f"{side['mpush']:.4f}" for side in sides.values()),
                " → ".join(fewer(found, side) for side in sides.values()),
                " → ".join(f"{words:,.0f}" for words in timed if words is not None) or "not timed yet",
                " → ".join(speedup(found, name) for name in sides),
                " → ".join(f"{side['failures'] / side['sentences']:.1%}" for side in sides.values()),
                f"{point['difference']:+.2f}",
                f"{point['p']:.4f}",
                verdict(point),
            ]
        )
    return header, rows


def draw(case: Case, found: Row) -> Any:
    """F1 against mega-pushes, and against words/s where they were timed."""
    panels = ["mega-pushes per sentence"] + ["words per second, one core"] * bool(found["speed"])
    figure, axes = new_figure(1, len(panels), size=(6.2 * len(panels), 4.6))
    for number, (panel, label) in enumerate(zip(axes.flat, panels, strict=True)):

        def place(policy: str, side: Row, timed: bool = number == 1) -> float:
            return float(speed(found, policy) or 0.0) if timed else float(side["mpush"])

        for side, colour, title in (("baseline", BASELINE, "baseline"), ("lols", LEARNED, "LOLS")):
            at = sorted((place(f"{side}-{n}", p[side]), p[side]["f1"]) for n, p in enumerate(found["points"]))
            panel.plot(*zip(*at, strict=True), "o-", color=colour, label=title, zorder=2)
        for n, point in enumerate(found["points"]):
            ends = [(place(f"{side}-{n}", point[side]), point[side]["f1"]) for side in ("baseline", "lols")]
            panel.plot(*zip(*ends, strict=True), "--", color="0.5", linewidth=0.8, zorder=1)
            if verdict(point) in ("better", "worse"):
                panel.plot(*ends[1], "*", color="black", markersize=11, zorder=3)
        unpruned = place(UNPRUNED, found["unpruned"]), found["unpruned"]["f1"]
        panel.plot(*unpruned, "D", color=UNPRUNED_COLOUR, label="unpruned")
        panel.plot([], [], "*", color="black", linestyle="", label=f"p < {LEVEL}")
        panel.set(xscale="log", xlabel=label, ylabel="F1 on test")
        panel.set_title(case.name, loc="left", fontsize=10)
        panel.legend(frameon=False, fontsize=8)
    return figure


def sections(out: Path, pictures: Pictures) -> Sections:
    return {
        **by_grammar(out, NAME, "prune_figure3", partial(show, pictures)),
        **by_grammar(out, NAME, "prune_failures", failures),
    }


def show(pictures: Pictures, grammar: Grammar, results: dict[Case, Row]) -> str:
    """Figures and tables of all cases."""
    header = [
        "data, surrogate",
        "unpruned F1",
        "highest baseline F1 on test",
        "its speed-up",
        "fewer pushes",
        "highest LOLS F1 on test",
        "its speed-up",
        "fewer pushes",
        f"LOLS at p < {LEVEL}",
    ]
    rows = [headline(one.name, found) for one, found in results.items()]
    text = table(header, [PAPER[grammar], *rows]) + "\n"
    for one, found in results.items():
        unpruned = found["unpruned"]
        text += pictures(f"{NAME}-{one.name}", partial(draw, one, found)) + "\n"
        text += (
            f"{one.name}: {unpruned['sentences']:,} test sentences, unpruned F1 {unpruned['f1']:.2f} with "
            f"{unpruned['mpush']:.4f} Mpush; baseline → LOLS. {timing(found)}\n\n"
        )
        text += table(*pairs(found)) + "\n"
    return text


def timing(found: Row) -> str:
    if not found["speed"]:
        return "Words/s: not timed yet."
    noise = max(row["noise"] for row in found["speed"].values())
    return (
        f"Unpruned {found['speed'][UNPRUNED]['words/s']:,.0f} words/s; "
        f"the median run took up to {noise:.0%} longer than the best."
    )


def failures(grammar: Grammar, results: dict[Case, Row]) -> str:
    """Sentences without a parse, by trade-off."""
    text = ""
    for case, found in results.items():
        points = found["points"]
        rows = [
            [title, *(f"{p[side]['failures'] / p[side]['sentences']:.1%}" for p in points)]
            for side, title in (("baseline", "baseline"), ("lols", "LOLS"))
        ]
        header = [f"{case.name}, tradeoff", *(f"{point['tradeoff']:,.1f}" for point in points)]
        text += table(header, rows) + "\n"
    return text


def run(case: Case, *, timed: bool = False, repeat: int = 10) -> None:
    file = case.file(NAME)
    before = read_json(file)["speed"] if file.exists() else {}
    found = case.result(NAME, lambda: {**measure(case, runs(case)), "speed": before})
    if timed:
        write_json(file, {**found, "speed": speeds(case, runs(case), repeat)})
    leave(case.out, sections)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--time", action="store_true", help="measure words/s too")
    parser.add_argument("--repeat", type=int, default=10, help="timing runs")
    chosen = parser.parse_args()
    run(case_of(chosen), timed=chosen.time, repeat=chosen.repeat)


if __name__ == "__main__":
    start(main)
