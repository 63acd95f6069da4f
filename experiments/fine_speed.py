"""F1 against words per second on test: all ways to parse with a split grammar, and other parsers.

    python experiments/fine_speed.py --data ptb-sample          on a machine at rest
    python experiments/fine_speed.py --data gum --every 8       every 8th sentence exhaustively

Exhaustive, coarse to fine, cells closed by words, spans kept by baselines and by LOLS; one grammar or the
product of four; and the unsplit grammar. CPU time of one process, best of several, all in one run. Figures of
other parsers are from other runs (results/peers.json); a line goes from one that was measured on a loaded
machine as far as it might be on one at rest. The picture shows all data sets that were measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import peers
import secateur as sec
from labels import Label, place
from prune_runs import PcfgModel, runs, treebanks
from report import (
    Case,
    Evalb,
    Pictures,
    Sections,
    arguments,
    case_of,
    leave,
    new_figure,
    start,
    stored,
    table,
)

# Ways to parse that models have not: without a ladder, and with cells closed by words.
from secateur.grammar.latent.ladder import ladder
from secateur.kinds.pcfg.ways import PRODUCT, UNPRUNED, VITERBI
from secateur.models.measure import clock, tried
from secateur.tasks.span_pruning.cell_closing import CellClosing

NAME = "fine-speed"
EXHAUSTIVE, LADDER = "exhaustive", "coarse to fine"
CLOSING = (0.02, 0.05, 0.2)  # penalties
GOOD = 80  # F1: the fastest point above it has its name in the picture

UNNAMED = ("Berkeley SM4", "Berkeley SM3")  # in the picture, where a higher level is named
TITLES = {"gum": "GUM", "ptb-sample": "PTB sample"}
ALONG = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a line, where no label is to be
OTHERS, OURS = "0.45", "0.1"  # colours of names
KINDS = {  # of points: colour and marker
    "exhaustive": ("#D55E00", "D"),
    "coarse to fine": ("#E69F00", "s"),
    "cell closing": ("#009E73", "^"),
    "baseline": ("#56B4E9", "o"),
    "LOLS": ("#0072B2", "o"),
    "unsplit grammar": ("#CC79A7", "v"),
    "other parsers": ("0.55", "x"),
}

Row = dict[str, Any]


def ways(case: Case, model: PcfgModel) -> dict[str, tuple[str, sec.Parser]]:
    """Parsers by name, with their kind."""
    whole = model.parts.grammar
    assert isinstance(whole, sec.SplitPCFG)
    one = replace(whole, others=())
    found = {
        EXHAUSTIVE: ("exhaustive", sec.Parser(one, ladder=ladder(one, levels=[], least=0.0))),
        LADDER: ("coarse to fine", sec.Parser(one)),
    }
    if whole.others:
        found[f"product of {1 + len(whole.others)}"] = ("coarse to fine", sec.Parser(whole))
    train = treebanks(case.data, case.limit).train
    binarization = sec.Binarization.from_notes(model.settings)
    for penalty in CLOSING:
        closing = CellClosing.fit(train, binarization=binarization, penalty=penalty)
        found[f"cell closing {penalty:g}"] = ("cell closing", sec.Parser(one, spans=closing))
    points = {point.name for point in model.points}
    for name, way in model.ways().items():
        fine = way["decode"] != VITERBI or "level" in way
        if fine and "mask" not in way:
            continue  # as above
        if name not in points and ("level" in way or "least" in way):
            continue  # no point of the dial, and none that was always measured
        kind = "LOLS" if name.startswith("lols") else "baseline"
        found[name] = (kind if fine else "unsplit grammar", model.parser(name))
    return found


def measured(parser: sec.Parser, trees: sec.Treebank, repeat: int) -> Row:
    trial = tried(parser, trees, Evalb())
    timing = clock({"": parser}, [parser.annotation.sentence(tree) for tree in trees], repeat=repeat)[""]
    return {
        "f1": trial.scores.accuracy,
        "seconds": timing.best / len(trees),
        "words/s": trial.words / timing.best,
        "mpush": trial.mean("pushes") / 1e6,
        "failures": trial.failures,
    }


def measure(case: Case, model: PcfgModel, every: int, repeat: int) -> Row:
    test = treebanks(case.data, case.limit).test
    dev = {p.name: p.accuracy for p in model.points}
    rows: list[Row] = []
    parsers = ways(case, model)
    for name, (kind, parser) in parsers.items():
        some = test[::every] if name == EXHAUSTIVE else test
        rows.append({"name": name, "kind": kind, "dev": dev.get(name), **measured(parser, some, repeat)})
        if len(some) < len(test):
            beside = measured(parsers[LADDER][1], some, repeat)
            rows[-1] |= {"every": every, "beside": beside["f1"], "seconds beside": beside["seconds"]}
        print(f"{name}: F1 {rows[-1]['f1']:.2f}, {1000 * rows[-1]['seconds']:.2f} ms/sentence", flush=True)
    return {"level": model.settings["level"], "levels": model.settings["F1 of the levels"], "rows": rows}


def others(case: Case, found: Row) -> list[Row]:
    """Other parsers on the same sentences."""
    whole = _ladder(found["rows"])
    words = whole["words/s"] * whole["seconds"]  # a sentence
    return [
        {
            "name": peer.name,
            "f1": peer.accuracy,
            "seconds": words / peer.middle,
            "words/s": peer.middle,
            "speed": peer.speed(),
            "reach": peer.high if peer.beside else peer.high * peers.slowed(),
        }
        for peer in peers.of("phrases", case.data)
        if not peer.dev
    ]


def _ladder(rows: Sequence[Row]) -> Row:
    return next(row for row in rows if row["name"] == LADDER)


def drawn(rows: Sequence[Row]) -> list[Row]:
    """The points of the picture. One of a part of the sentences stands where all would put it, as far as
    coarse-to-fine parsing of the same part tells."""
    whole = _ladder(rows)
    return [
        {
            **row,
            "f1": whole["f1"] + row["f1"] - row["beside"],
            "words/s": whole["words/s"] * row["seconds beside"] / row["seconds"],
        }
        if "every" in row
        else row
        for row in rows
    ]


def is_product(row: Row) -> bool:
    return str(row["name"]).startswith("product") or str(row["name"]).endswith(f"+{PRODUCT}")


def named(rows: Sequence[Row]) -> dict[str, Row]:
    """Our points that the picture names."""
    product = [r for r in rows if is_product(r)]
    one = [r for r in rows if r["kind"] not in ("unsplit grammar", "exhaustive") and not is_product(r)]
    good = [r for r in rows if r["f1"] >= GOOD]
    found = {}
    if product:
        found["product of grammars"] = max(product, key=lambda r: r["f1"])
    found["one grammar"] = max(one, key=lambda r: r["f1"])
    if good:
        found[f"fastest above {GOOD}"] = max(good, key=lambda r: r["words/s"])
    found["unsplit, exact"] = next(r for r in rows if r["name"] == UNPRUNED)
    return found


def draw(results: dict[Case, Row]) -> Any:
    """A panel for each data set; where both surrogates were measured, the first."""
    chosen = {case.data: case for case in reversed(results)}
    cases = [case for case in results if case in chosen.values()]
    figure, axes = new_figure(1, len(cases), size=(9.0, 5.2))
    figure.set_layout_engine("constrained")
    for panel, case in zip(axes.flat, cases, strict=True):
        _points(panel, drawn(results[case]["rows"]), others(case, results[case]))
        panel.set_title(TITLES.get(case.data, case.data), loc="left", fontsize=11)
        panel.set_xlabel("words per second, one core", fontsize=10)
    axes[0, 0].set_ylabel("F1 on test", fontsize=10)
    handles = {t: h for panel in axes.flat for h, t in zip(*panel.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4, frameon=False, fontsize=10)
    for panel, case in zip(axes.flat, cases, strict=True):
        _names(panel, drawn(results[case]["rows"]), others(case, results[case]))
    return figure


def _points(panel: Any, rows: Sequence[Row], beside: Sequence[Row]) -> None:
    """Markers by kind, hollow ones for products of grammars; those that get a name have a ring."""
    for kind, (colour, marker) in KINDS.items():
        own = beside if kind == "other parsers" else [r for r in rows if r["kind"] == kind]
        for hollow in (False, True):
            places = [(r["words/s"], r["f1"]) for r in own if is_product(r) == hollow]
            if places:
                fill = {"markerfacecolor": "white", "markeredgewidth": 1.4} if hollow else {"label": kind}
                panel.plot(*zip(*places, strict=True), marker, color=colour, markersize=6, **fill)
    for peer in beside:
        panel.plot([peer["words/s"], peer["reach"]], [peer["f1"]] * 2, "-", color=OTHERS, linewidth=0.7)
    if any(map(is_product, rows)):
        panel.plot([], [], "o", color="0.3", markerfacecolor="white", label="hollow: product")
    for row in named(rows).values():
        panel.plot(row["words/s"], row["f1"], "o", color=OURS, markerfacecolor="none", markersize=10)
    panel.set_xscale("log")
    panel.margins(0.08, 0.14)
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panel.tick_params(labelsize=10)


def _names(panel: Any, rows: Sequence[Row], beside: Sequence[Row]) -> None:
    labels = [
        Label(f"{name}\n{r['f1']:.1f}, {r['words/s']:,.0f} words/s", r["words/s"], r["f1"], OURS, 9.5)
        for name, r in named(rows).items()
    ]
    labels += [
        Label(r["name"], r["words/s"], r["f1"], OTHERS, 9.0)
        for number, r in enumerate(beside)
        if number == 0 or r["name"] not in UNNAMED
    ]
    lines = [
        (r["words/s"] * (r["reach"] / r["words/s"]) ** share, r["f1"]) for r in beside for share in ALONG
    ]
    place(panel, labels, [(r["words/s"], r["f1"]) for r in rows] + lines)


def sections(out: Path, pictures: Pictures) -> Sections:
    results = stored(out, NAME, "fine")
    return {"fine_speed": show(pictures, results)} if results else {}


def show(pictures: Pictures, results: dict[Case, Row]) -> str:
    """The picture, and a table for each case."""
    text = pictures(NAME, partial(draw, results), dpi=160) + "\n"
    header = ["parser", "F1", "ms/sentence", "words/s", "Mpush/sentence", "without a parse"]
    for one, found in results.items():
        levels = ", ".join(f"{f1:.1f}" for f1 in found["levels"])
        text += (
            f"{one.name}: level {found['level']}, the best on half of dev (levels 0 to "
            f"{len(found['levels']) - 1}: {levels}). In italics: other parsers; †: on a loaded machine.\n\n"
        )
        rows = sorted((*found["rows"], *others(one, found)), key=lambda r: -r["f1"])
        text += table(header, [_cells(r) for r in rows]) + "\n"
    return text


def _cells(r: Row) -> list[str]:
    if "mpush" not in r:
        return [f"*{r['name']}*", f"{r['f1']:.2f}", f"{1000 * r['seconds']:.2f}", r["speed"], "", ""]
    cells = [f"{r['f1']:.2f}", f"{1000 * r['seconds']:.2f}", f"{r['words/s']:,.0f}"]
    name = r["name"]
    if "every" in r:
        there = f"coarse to fine: {r['beside']:.2f}, {1000 * r['seconds beside']:.2f} ms"
        name += f", one sentence in {r['every']} (there, {there})"
    return [name, *cells, f"{r['mpush']:.3f}", f"{r['failures']:.1%}"]


def main() -> None:
    parser = arguments(__doc__, grammar="fine")
    parser.add_argument("--every", type=int, default=1, help="parse only each so many-th exhaustively")
    parser.add_argument("--repeat", type=int, default=3, help="timings, of which the best counts")
    chosen = parser.parse_args()
    case = case_of(chosen)
    case.result(NAME, lambda: measure(case, runs(case), chosen.every, chosen.repeat))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
