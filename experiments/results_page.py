"""What docs/results.md and the README show of all results: tables of how accurate and how fast.

pages.py writes them. Points of a dial are chosen on dev where dev is stored, and shown on test.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import arc_table1
import exact_grammars
import fine_speed
import lcfrs_dial
import peers
import prune_figure3
from report import ROOT, Pictures, Sections, read_json, stored, table
from secateur.kinds.arcs.ways import FULL
from secateur.kinds.pcfg.ways import UNPRUNED

sys.path.append(str(ROOT / "benchmarks"))
from length import draw as draw_lengths

TITLES = {"gum": "GUM", "ptb-sample": "PTB sample", "ptb-r0": "PTB sample", "garden": "garden"}
TITLES["alpino"] = "Alpino, at most 25 words, F1 (of discontinuous brackets)"
SHORT = "25"  # words
LOSSES = (1, 2, 5)  # F1 on dev
UAS_LOSS = 0.3  # on test
PTB, EWT = "ptb-sample-dep", "ud-english-ewt"

Row = dict[str, Any]


def sections(out: Path, pictures: Pictures) -> Sections:
    """Of docs/results.md."""
    made = {
        "results_dial": dial,
        "results_exact": exact,
        "results_pruning": pruning,
        "results_dependencies": dependencies,
        "results_kernels": kernels,
        "results_overhead": overhead,
        "results_splitting": splitting,
        "results_deduction": deduction,
        "results_length": partial(lengths, pictures),
        "results_peers": beside,
    }
    return {name: show(out) for name, show in made.items()}


def readme(out: Path, pictures: Pictures) -> Sections:
    """The README's table."""
    rows: list[list[str]] = []
    for case, found in stored(out, fine_speed.NAME, "fine").items():
        chosen = on_the_dial(found["rows"])
        first = [(TITLES[case.data] + ", phrases, F1"), *[""] * (len(chosen) - 1)]
        for title, (name, row) in zip(first, chosen.items(), strict=True):
            rows.append([title, name, f"{row['f1']:.1f}", f"{row['words/s']:,.0f}"])
        rows.append(peer_row(peers.of("phrases", case.data)[0]))
    rows += discontinuous(out)
    title = "PTB sample, dependencies, UAS"
    for order, what in ((1, "first order"), (2, "second order")):
        found = arc_table1.stored(out, arc_table1.NAME)[f"{PTB}-order{order}"]["rows"]
        for name, row in (
            ("all templates", whole_of(found)),
            (f"fastest policy within {UAS_LOSS} on test", fastest(found)),
        ):
            rows.append([title, f"{what}, {name}", f"{row['uas']:.1f}", f"{row['words/s']:,.0f}"])
            title = ""
    rows += [peer_row(peer) for peer in peers.of("dependencies", PTB)]
    return {"readme": table(["test set", "parser", "accuracy", "words/s"], rows)}


def discontinuous(out: Path) -> list[list[str]]:
    """As of phrases: the most accurate point on dev, and the fastest that lose little there."""
    rows: list[list[str]] = []
    for name, found in arc_table1.stored(out, lcfrs_dial.NAME).items():
        tested = found["parts"][SHORT]
        chosen = on_the_dial([{**tested[point], **about} for point, about in found["points"].items()])
        first = [TITLES[name.rsplit("-", 1)[0]], *[""] * (len(chosen) - 1)]
        for title, (point, row) in zip(first, chosen.items(), strict=True):
            accuracy = f"{row['f1']:.1f} ({row['discontinuous']:.1f})"
            rows.append([title, point, accuracy, f"{row['words/s']:,.0f}"])
        rows.append(peer_row(peers.of("phrases", name.rsplit("-", 1)[0])[0]))
    return rows


def peer_row(peer: peers.Peer) -> list[str]:
    return ["", f"*{peer.name}*", f"{peer.accuracy:.1f}", peer.speed()]


def on_the_dial(rows: Sequence[Row]) -> dict[str, Row]:
    """The most accurate pruned point on dev; and, for each loss, the fastest that loses no more there."""
    points = [row for row in rows if row["dev"] is not None]
    best = max(points, key=lambda row: row["dev"])
    found = {"most accurate on dev": best}
    for loss in LOSSES:
        near = [row for row in points if row["dev"] >= best["dev"] - loss]
        found[f"at most {loss} F1 less on dev"] = max(near, key=lambda row: row["words/s"])
    return found


def dial(out: Path) -> str:
    """Split grammars: not pruned, and pruned."""
    header = ["test set", "parser", "point", "F1", "words/s", "without a parse"]
    rows = []
    for case, found in stored(out, fine_speed.NAME, "fine").items():
        by_name = {row["name"]: row for row in found["rows"]}
        products = [name for name in by_name if name.startswith("product of")]
        shown = {
            "unsplit grammar, not pruned": by_name[UNPRUNED],
            "one split grammar, not pruned": by_name[fine_speed.LADDER],
            **{f"{name}, not pruned": by_name[name] for name in products},
            **{f"pruned, {name}": row for name, row in on_the_dial(found["rows"]).items()},
        }
        for name, row in shown.items():
            point = f"`{row['name']}`" if row["dev"] is not None else ""
            cells = [f"{row['f1']:.1f}", f"{row['words/s']:,.0f}", f"{row['failures']:.1%}"]
            rows.append([TITLES[case.data], name, point, *cells])
        for peer in peers.of("phrases", case.data):
            if not peer.dev and "Berkeley" in peer.name:
                rows.append([TITLES[case.data], *peer_row(peer)[1:2], "", *peer_row(peer)[2:], ""])
    return table(header, rows)


def exact(out: Path) -> str:
    text = exact_grammars.show(exact_grammars.stored(out)) + "\n"
    rows = [
        [data, *peer_row(peer)[1:]]
        for data in ("gum", "ptb-sample")
        for peer in peers.of("phrases", data)
        if "disco-dop" in peer.name or "2017" in peer.name or "unsplit" in peer.name
    ]
    return (
        text
        + "Other parsers with grammars of the same trees:\n\n"
        + table(["test set", "parser", "F1", "words/s"], rows)
    )


def pruning(out: Path) -> str:
    """The unsplit grammar: every run's most accurate points, as the page of the paper has them."""
    header = ["data, surrogate", "unpruned F1", "best baseline F1", "its speed-up", "fewer pushes"]
    header += ["best LOLS F1", "its speed-up", "fewer pushes", f"LOLS at p < {prune_figure3.LEVEL}"]
    results = stored(out, prune_figure3.NAME, "coarse")
    rows = [prune_figure3.headline(case.name, found) for case, found in results.items()]
    return table(header, [prune_figure3.PAPER["coarse"], *rows])


def whole_of(rows: Iterable[Row]) -> Row:
    return next(row for row in rows if row["name"] == FULL)


def fastest(rows: Sequence[Row], loss: float = UAS_LOSS) -> Row:
    """With a policy, of those that lose no more on test than that."""
    least = whole_of(rows)["uas"] - loss
    near = [row for row in rows if row["name"].startswith("dagger") and row["uas"] >= least]
    return max(near or [whole_of(rows)], key=lambda row: row["words/s"])


def dependencies(out: Path) -> str:
    """All templates, and the fastest policy that loses little; the whole dial is on the paper's page."""
    header = ["test set", "training sentences", "point", "UAS", "LAS", "templates", "words/s", "speed-up"]
    rows = []
    for name, found in arc_table1.stored(out, arc_table1.NAME).items():
        whole = whole_of(found["rows"])
        points = {row["name"]: row for row in (whole, fastest(found["rows"]))}
        for row in points.values():
            las = "" if row["las"] is None else f"{row['las']:.1f}"
            cells = [f"`{row['name']}`", f"{row['uas']:.1f}", las, *arc_table1.cost_cells(row, whole)]
            rows.append([name, f"{found['train']:,}", *cells])
    others = [
        [data, f"*{p.name}*", f"{p.accuracy:.1f}", "" if p.las is None else f"{p.las:.1f}", p.speed()]
        for data in (PTB, f"{EWT}-order1-2000")
        for p in peers.of("dependencies", data)
    ]
    text = f"All templates at once, and the fastest policy within {UAS_LOSS} UAS, if any, picked on test:\n\n"
    text += table(header, rows) + "\nOther parsers on the same data:\n\n"
    return text + table(["test set", "parser", "UAS", "LAS", "words/s"], others)


def kernels(out: Path) -> str:
    """Two tables: treebank grammars, and a split one."""
    found = read_json(out / "kernels.json")
    nltk = {row["case"]: row for row in found if "NLTK s" in row}
    header = [
        "grammar",
        "symbols",
        "binary rules",
        "left-child loop",
        "kernel",
        "ratio",
        "NLTK's ViterbiParser",
    ]
    rows = [
        [
            row["case"],
            f"{row['symbols']:,}",
            f"{row['rules']:,}",
            f"{row['left-child Mpush/s']:,.0f} M/s",
            f"{row['kernel Mpush/s']:,.0f} M/s",
            f"{row['ratio']:.1f}",
            f"{nltk[row['case']]['ratio']:,.0f} times slower" if row["case"] in nltk else "",
        ]
        for row in found
        if "ratio" in row and "symbols" in row
    ]
    split = read_json(out / "blocks.json")
    cells = [f"{split[key]:,}" for key in ("sub-symbols", "rules", "sentences")]
    cells += [f"{split[f'{name} ms']:.1f}" for name in ("plain", "flat", "blocks")]
    cells += [f"{split['plain/blocks']:.1f}"]
    header_split = ["sub-symbols", "rules", "sentences", "left-child loop, ms a sentence"]
    header_split += ["kernel of unsplit grammars", "kernel of blocks", "left-child loop / blocks"]
    about = "A split grammar of the PTB sample at level 4, Viterbi over all sub-symbols:\n\n"
    return f"{table(header, rows)}\n{about}{table(header_split, [cells])}"


def overhead(out: Path) -> str:
    """What a policy costs and saves at a fifth of the spans."""
    parts = ("features", "kernel", "trees", "other")
    header = [
        "data, dev",
        "spans kept",
        "F1",
        "words/s",
        "speed-up",
        *(f"{part}, of the time" for part in parts),
    ]
    rows = []
    for row in read_json(out / "pruned.json"):
        speed = [f"{row['unpruned words/s']:,.0f}", f"{row['pruned words/s']:,.0f}"]
        rows.append([row["case"], "all", f"{row['unpruned F1']:.1f}", speed[0], "", *[""] * len(parts)])
        rows.append(["", f"{row['kept']:.0%}", f"{row['pruned F1']:.1f}", speed[1], f"{row['ratio']:.1f}x"])
        rows[-1] += [f"{row[part]:.0%}" for part in parts]
    return table(header, rows)


def splitting(out: Path) -> str:
    """CPU seconds until each level is done."""
    files = {data: out / f"split-{data}.json" for data in ("gum", "ptb-sample")}
    found = {data: read_json(file) for data, file in files.items() if file.exists()}
    levels = sorted({level["level"] for one in found.values() for level in one["levels"]})
    rows = []
    for data, one in found.items():
        spent = {level["level"]: level["seconds"] for level in one["levels"]}
        rows.append([data, f"{one['trees']:,}", *(f"{spent[n]:.0f} s" if n in spent else "" for n in levels)])
    return table(["data", "trees", *(f"level {n}" for n in levels)], rows)


def deduction(out: Path) -> str:
    """Exact parsing with a PLCFRS, disco-dop beside it where it ran."""
    rows = []
    for row in read_json(out / "lcfrs.json"):
        beside = "ratio" in row
        rows.append(
            [
                row["words"],
                f"{row['sentences']:,}",
                f"{row['ms']:,.1f}",
                f"{row['items']:,}",
                f"{row['hyperedges']:,}",
                f"{row['Mhyperedges/s']:.1f} M",
                f"{row['most MB']:,.0f}",
                f"{row['best first: x ms']:.1f}x",
                f"{row['disco-dop ms']:,.0f}" if beside else "",
                f"{row['ratio']:.0f}x" if beside else "",
            ]
        )
    header = ["words", "sentences", "ms a sentence", "items", "hyperedges", "hyperedges/s", "most MB"]
    header += ["best first, in times of it", "disco-dop, ms", "disco-dop / ours"]
    return table(header, rows)


def lengths(pictures: Pictures, out: Path) -> str:
    found = read_json(out / "length.json")
    text = pictures("length", partial(draw_lengths, found), dpi=120) + "\n"
    header = ["words", *(f"{row['n']}" for row in found)]
    rows = [
        ["ms (CPU)", *(f"{row['ms']:.1f}" for row in found)],
        ["Mpush", *(f"{row['Mpush']:.2f}" for row in found)],
        ["MiB of the chart", *(f"{row['MiB']:.1f}" for row in found)],
    ]
    return text + table(header, rows)


def beside(out: Path) -> str:
    """One run with other parsers in it."""
    text = ""
    for annotation, key in (("phrases", "f1"), ("dependencies", "uas")):
        side = peers.told()["beside"][annotation]
        rows = []
        for row in side["rows"]:
            low, high = (f"{words:,}" for words in row["words/s"])
            rows.append([row["name"], f"{row[key]:.1f}", low if low == high else f"{low}-{high}"])
        text += table([f"parser, {annotation}", key.upper(), "words/s"], rows) + "\n"
    return text
