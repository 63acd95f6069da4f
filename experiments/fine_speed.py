"""F1 against words per second on test: all ways to parse with a split grammar, and other parsers.

    python experiments/fine_speed.py --data ptb-sample          on a machine at rest

Exhaustive, coarse to fine, cells closed by words, spans kept by baselines and by LOLS; one grammar or the
product of four; and the unsplit grammar. CPU time of one process, best of several, all in one run. Figures of
other parsers are from other runs on a loaded machine of the same kind: orders of magnitude.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import secateur as sec
from fine_runs import fine_runs
from prune_runs import PAGE, treebanks
from report import Case, arguments, case_of, fill, new_figure, save_figure, start, table
from secateur.grammar.latent.grammar import SplitPCFG
from secateur.grammar.latent.ladder import ladder
from secateur.model import MAX_RULE, PRODUCT, UNPRUNED
from secateur.parser import model_parser
from secateur.tasks.cell_closing import CellClosing

NAME = "fine-speed"
CLOSING = (0.02, 0.05, 0.2)  # penalties
REPEAT = 3
SLOW = 0.05  # seconds a sentence, above which one timing is enough

# (parser, F1, seconds a sentence) on the same files.
PEERS = {
    "ptb-sample": [
        ("Berkeley SM4", 85.6, 0.064),
        ("Berkeley SM2", 80.9, 0.057),
        ("bubs, beam 30", 80.0, 0.030),
        ("disco-dop h2v2", 74.32, 0.195),
        ("disco-dop h1v1", 68.34, 0.070),
    ],
    "gum": [
        ("Berkeley SM5", 82.9, 0.122),
        ("Berkeley SM2", 78.1, 0.104),
        ("disco-dop h2v2", 73.4, 0.487),
        ("disco-dop h1v1", 67.2, 0.148),
    ],
}
KINDS = {  # of points: colour and marker
    "exhaustive": ("#D55E00", "D"),
    "coarse to fine": ("#E69F00", "s"),
    "cell closing": ("#009E73", "^"),
    "baseline": ("#56B4E9", "o"),
    "LOLS": ("#0072B2", "o"),
    "unsplit grammar": ("#CC79A7", "v"),
    "other parsers": ("#8A8A8A", "x"),
}

Row = dict[str, Any]


def ways(case: Case, model: sec.Model) -> dict[str, tuple[str, sec.Parser]]:
    """Parsers by name, with their kind."""
    whole = model.grammar
    assert isinstance(whole, SplitPCFG)
    one = replace(whole, others=())
    found = {
        "exhaustive": ("exhaustive", sec.Parser(one, ladder=ladder(one, levels=[], least=0.0))),
        "coarse to fine": ("coarse to fine", sec.Parser(one)),
    }
    if whole.others:
        found[f"product of {1 + len(whole.others)}"] = ("coarse to fine", sec.Parser(whole))
    train = treebanks(case.data, case.limit).train
    for penalty in CLOSING:
        closing = CellClosing.fit(train, binarization=model.binarization, penalty=penalty)
        found[f"cell closing {penalty:g}"] = ("cell closing", sec.Parser(one, spans=closing))
    for point in model.points:
        if point.name in (UNPRUNED + MAX_RULE, UNPRUNED + PRODUCT):
            continue
        kind = "LOLS" if point.name.startswith("lols") else "baseline"
        fine = point.name.endswith((MAX_RULE, PRODUCT))
        found[point.name] = (kind if fine else "unsplit grammar", model_parser(model, point.name))
    return found


def measured(parser: sec.Parser, trees: Sequence[sec.Tree]) -> Row:
    given = [tree.words() for tree in trees]
    for words in given[:3]:
        parser.parse(words)
    spent = []
    parses: list[sec.Parse] = []
    while len(spent) < REPEAT and (not spent or spent[-1] < SLOW * len(given)):
        started = time.process_time()
        parses = [parser.parse(words) for words in given]
        spent.append(time.process_time() - started)
    result = sec.evaluate(trees, [p.tree for p in parses], failed=[p.failed for p in parses])
    return {
        "f1": result.total.f1,
        "seconds": min(spent) / len(given),
        "words/s": sum(map(len, given)) / min(spent),
        "mpush": sum(p.work.pushes for p in parses) / len(parses) / 1e6,
        "failures": sum(p.failed for p in parses) / len(parses),
    }


def measure(case: Case, model: sec.Model) -> Row:
    test = treebanks(case.data, case.limit).test
    dev = {p.name: p.accuracy for p in model.points}
    rows = []
    for name, (kind, parser) in ways(case, model).items():
        rows.append({"name": name, "kind": kind, "dev": dev.get(name), **measured(parser, test)})
        print(f"{name}: F1 {rows[-1]['f1']:.2f}, {1000 * rows[-1]['seconds']:.2f} ms/sentence", flush=True)
    return {"level": model.settings["level"], "levels": model.settings["F1 of the levels"], "rows": rows}


def show(case: Case, found: Row) -> str:
    figure, axes = new_figure(1, 1, size=(7.6, 5.0))
    panel, words = axes[0, 0], words_a_sentence(found)
    for kind, (colour, marker) in KINDS.items():
        rows = [r for r in found["rows"] if r["kind"] == kind]
        places = [(r["words/s"], r["f1"]) for r in rows]
        if kind == "other parsers":
            places = [(words / seconds, f1) for _, f1, seconds in PEERS.get(case.data, [])]
        if places:
            panel.plot(*zip(*places, strict=True), marker, color=colour, label=kind, alpha=0.85)
    for name, f1, seconds in PEERS.get(case.data, []):
        panel.annotate(name, (words / seconds, f1), fontsize=7, xytext=(4, 3), textcoords="offset points")
    panel.set(xscale="log", xlabel="words per second, one core", ylabel="F1 on test", title=case.data)
    panel.legend(fontsize=8, loc="lower left")
    lines = [
        [
            r["name"],
            f"{r['f1']:.2f}",
            f"{1000 * r['seconds']:.2f}",
            f"{r['words/s']:,.0f}",
            f"{r['mpush']:.3f}",
            f"{r['failures']:.1%}",
        ]
        for r in sorted(found["rows"], key=lambda r: -r["f1"])
    ]
    header = ["parser", "F1", "ms/sentence", "words/s", "Mpush/sentence", "without a parse"]
    levels = ", ".join(f"{f1:.1f}" for f1 in found["levels"])
    return (
        f"{case.data}: level {found['level']}, the best on half of dev (levels 0 to "
        f"{len(found['levels']) - 1}: {levels}).\n\n"
        + save_figure(figure, case.docs, f"{NAME}-{case.name}")
        + "\n"
        + table(header, lines)
    )


def words_a_sentence(found: Row) -> float:
    row: Row = found["rows"][0]
    return float(row["words/s"] * row["seconds"])


def main() -> None:
    chosen = arguments(__doc__)
    case = case_of(chosen.parse_args())
    case.result(NAME, lambda: measure(case, fine_runs(case)))
    parts = [
        show(replace(case, data=name.rpartition("-")[0], surrogate=name.rpartition("-")[2]), found)
        for name, found in case.results(NAME).items()
    ]
    fill(case.docs / PAGE, "fine_speed", "\n".join(parts))


if __name__ == "__main__":
    start(main)
