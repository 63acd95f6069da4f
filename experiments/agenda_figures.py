"""What agenda_pareto.py shows of its rows: a table, what dev chooses, figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agenda_runs import LOSS, spread
from arc_table1 import one_section
from report import Pictures, Sections, new_figure, table

NAME = "agenda-pareto"
CLASSES = {"test": "15 words or fewer", "test long": "16 to 40 words"}
CKY, LADDER, SCORE, DEEPENED = "CKY", "coarse to fine", "A*_0", "IDA*_0"
CLIMBED, LARGEST, AVERAGE, MERIT = "HA*", "A*, largest", "A*, average", "figure of merit"
FROM = {"score": "I+ from score", "boundary": "I+ from boundary"}
# Families in the order of tables: colour, marker.
FAMILIES = {
    CKY: ("black", "*"),
    LADDER: ("tab:gray", "s"),
    SCORE: ("tab:blue", "o"),
    DEEPENED: ("tab:cyan", "v"),
    CLIMBED: ("tab:green", "^"),
    LARGEST: ("tab:olive", "D"),
    AVERAGE: ("tab:brown", "d"),
    MERIT: ("tab:purple", "P"),
    FROM["score"]: ("tab:orange", "X"),
    FROM["boundary"]: ("tab:red", "X"),
}
IN_THE_PAPERS = (SCORE, DEEPENED, CLIMBED, FROM["score"])

Row = dict[str, Any]


def group_of(r: Row) -> tuple[Any, ...]:
    """What is the same of all seeds."""
    of_learning = (r.get("price", "pops"), r.get("discount", 0.0)) if "tradeoff" in r else ("", "")
    return r["family"], r["knob"], r["mask"] or "", r["deepening"], *of_learning


def groups_of(found: Row) -> dict[tuple[Any, ...], list[Row]]:
    """Rows of all seeds together, those under other masks than the chosen one left out."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for r in found["rows"]:
        if r["mask"] in (None, found["mask"]):
            groups.setdefault(group_of(r), []).append(r)
    order = list(FAMILIES)
    return dict(sorted(groups.items(), key=lambda item: (bool(item[0][2]), order.index(item[0][0]))))


def base_of(found: Row, family: str = SCORE, knob: str = "all", *, mask: bool = False) -> Row:
    wanted = (family, knob, found["mask"] if mask else None, False)
    return next(r for r in found["rows"] if (r["family"], r["knob"], r["mask"], r["deepening"]) == wanted)


def best_exact(found: Row, part: str) -> Row:
    """Of exact A* with an estimate from one level, and of hierarchical A*, the one with the fewest pops."""
    exact = [r for r in found["rows"] if r["mask"] is None and is_exact(r["family"], r["knob"])]
    return min(exact, key=lambda r: float(r[part]["pops"]))


def is_exact(family: str, knob: str) -> bool:
    return family == LARGEST or (family == CLIMBED and not knob.replace(".", "").isdigit())


def mean(rows: Sequence[Row], part: str, what: str) -> float:
    return float(np.mean([r[part][what] for r in rows]))


def name_of(group: tuple[Any, ...]) -> str:
    family, knob, mask, widened, price, discount = group
    learnt = f", price {price}, discount {discount:g}" if price else ""
    return f"{'mask, ' if mask else ''}{family} {knob}".rstrip() + learnt + (", deepening" if widened else "")


def chosen(found: Row, part: str) -> tuple[tuple[Any, ...], list[Row]]:
    """By dev: what pops least of all that lose no more than LOSS, with all seeds, and has an agenda."""
    base = base_of(found)[part]["evalb"]
    kept = {
        group: rows
        for group, rows in groups_of(found).items()
        if group[0] not in (CKY, LADDER) and all(r[part]["evalb"] >= base - LOSS for r in rows)
    }
    return min(kept.items(), key=lambda item: max(r[part]["pops"] for r in item[1]))


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, partial(show, pictures))


def show(pictures: Pictures, name: str, found: Row) -> str:
    text = f"{name}: {found['sentences']}; the mask is {found['mask']}. Means a sentence, of all seeds; "
    text += "ms are CPU time of one run, and how many times that of the exact parse by blocks.\n\n"
    header = ["way"]
    for part in CLASSES:
        header += [f"{part}: pops", "pushes", "ms", "times blocks", "recall", "F1", "EVALB", "failed"]
    rows = [[name_of(group), *cells(group, some)] for group, some in groups_of(found).items()]
    text += table(header, rows) + "\n" + choices(found) + "\n"
    for what in ("pops", "pushes"):
        text += pictures(f"{NAME}-{what}-{name}", partial(draw, found, what))
    return text + pictures(f"{NAME}-papers-{name}", partial(as_in_the_papers, found))


def cells(group: tuple[Any, ...], rows: Sequence[Row]) -> list[str]:
    made = []
    for part in CLASSES:
        pops = "" if group[0] == LADDER else f"{mean(rows, part, 'pops'):,.0f}"
        made += [pops, f"{mean(rows, part, 'pushes'):,.0f}", f"{mean(rows, part, 'ms'):.2f}"]
        made += [f"{mean(rows, part, 'times blocks'):.1f}"]
        made += [spread([r[part][what] for r in rows], ".2f") for what in ("recall", "f1", "evalb")]
        made += [f"{mean(rows, part, 'failed'):g}"]
    return made


def choices(found: Row) -> str:
    """What dev takes, and what that does on test."""
    text = ""
    for part, other in (("choice", "test"), ("choice long", "test long")):
        group, rows = chosen(found, part)
        base, exact = base_of(found)[other], best_exact(found, other)
        masked = base_of(found, CKY, "", mask=True)[other]
        fewer = spread([base["pops"] / r[other]["pops"] for r in rows], ".1f")
        less = spread([exact[other]["pops"] / r[other]["pops"] for r in rows], ".1f")
        lost = spread([r[other]["evalb"] - base["evalb"] for r in rows], "+.2f")
        slower = spread([r[other]["times blocks"] / masked["times blocks"] for r in rows], ".1f")
        text += (
            f"- {other}: dev chooses {name_of(group)}: {fewer}x fewer pops than A*_0, {less}x fewer than the "
            f"best exact A* ({exact['family']} {exact['knob']}), EVALB {lost}; {slower}x the time of the "
            "masked parse by blocks\n"
        )
    return text


def curves(found: Row) -> dict[str, dict[bool, list[list[Row]]]]:
    """Groups by family, and whether under the mask; learned ones at one price, at no discount."""
    made: dict[str, dict[bool, list[list[Row]]]] = {family: {False: [], True: []} for family in FAMILIES}
    for group, rows in groups_of(found).items():
        made[group[0]][bool(group[2])].append(rows)
    return made


def draw(found: Row, what: str) -> Any:
    """F1 with tags against the work, a panel for each length."""
    figure, axes = new_figure(1, len(CLASSES), size=(11.0, 5.0))
    figure.set_layout_engine("constrained")
    for panel, (part, title) in zip(axes.flat, CLASSES.items(), strict=True):
        for family, by_mask in curves(found).items():
            if family == LADDER and what == "pops":
                continue
            colour, marker = FAMILIES[family]
            for masked, groups in by_mask.items():
                points = [(mean(rows, part, what), mean(rows, part, "f1")) for rows in groups]
                style = {"facecolors": "none" if masked else colour, "edgecolors": colour, "marker": marker}
                label = family if not masked else None
                panel.scatter(*np.array(points).reshape(-1, 2).T, s=34, label=label, **style)
        panel.set_xscale("log")
        panel.set_title(title, loc="left", fontsize=11)
        panel.set_xlabel(f"{what} a sentence; hollow: under the mask", fontsize=10)
        low = [mean(rows, part, "f1") for rows in groups_of(found).values()]
        panel.set_ylim(max(min(low), max(low) - 15.0) - 0.5, max(low) + 0.5)
    axes[0, 0].set_ylabel("F1 with tags, on test", fontsize=10)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def as_in_the_papers(found: Row) -> Any:
    """Recall and how many pops in all, of short sentences; coarse to fine pops nothing here."""
    figure, axes = new_figure(1, 1, size=(6.0, 4.2))
    panel, count = axes[0, 0], found["sentences"]["test"]
    for family in IN_THE_PAPERS:
        colour, marker = FAMILIES[family]
        groups = [rows for group, rows in groups_of(found).items() if is_plain(group, family)]
        points = sorted((mean(rows, "test", "recall"), count * mean(rows, "test", "pops")) for rows in groups)
        if points:
            panel.plot(*zip(*points, strict=True), color=colour, marker=marker, label=family)
    panel.set_xlabel("recall with tags, on test, 15 words or fewer", fontsize=10)
    panel.set_ylabel("pops in all", fontsize=10)
    panel.legend(frameon=False, fontsize=9)
    return figure


def is_plain(group: tuple[Any, ...], family: str) -> bool:
    """As in the papers: without a mask, deepening only where that is what it is about."""
    own, _, mask, widened, price, discount = group
    learnt = price in ("", "pops") and discount in ("", 0.0)
    return own == family and not mask and widened == (family == DEEPENED) and learnt
