"""Pruned deduction on test: exact, coarse to fine, masks, baselines and LOLS, by F1, work and words/s.

    SECATEUR_DATA=... python experiments/lcfrs_policies.py --data alpino --unit item --longest 25
    SECATEUR_DATA=... python experiments/lcfrs_policies.py --data alpino --unit item          all lengths

The true reward is corpus F1 minus tradeoff * mega-pushes per sentence (those of the coarse pass too); the
tradeoff of a baseline is the slope, at its pushes, of the curve through the baselines on dev. p: paired
permutation of sentences. A deduction stops at 300,000 items; the sentence is then parsed coarse to fine,
and counted. Test decides nothing. CPU time of one process, points in turn, best of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arc_table1 import one_section
from lcfrs_runs import LcfrsCase, Trained, Trees, arguments, case_of
from prune_figure3 import LEVEL, reward_test, true_tradeoffs
from report import Pictures, Sections, leave, start, table

# The scores of sentences, and the one clock: no public name gives them.
from secateur.kinds.lcfrs.exact import Stops
from secateur.metrics import Counts
from secateur.metrics.discontinuous import DiscontinuousScoring, Matches
from secateur.models.measure import clock, tried
from secateur.treebanks.discontinuous import DISCONTINUOUS

NAME = "lcfrs-policies"
REPEAT = 3
ITEMS = 300_000  # of a sentence; then it is parsed coarse to fine
EXACT, COARSE = "exact", "coarse"
SHORT, LONG = 10, 25  # words

Row = dict[str, Any]
Side = tuple[list[Counts], npt.NDArray[np.float64]]  # the brackets and the mega-pushes of every sentence


def pairs(found: Trained) -> list[tuple[str, str]]:
    """Baselines and LOLS from them: behind the mask, and alone."""
    numbers, behind = range(len(found.log)), found.deduction.behind
    return [
        (f"{before}items-baseline-{n}", f"{before}items-lols-{n}")
        for before in (f"{behind}+", "")
        for n in numbers
    ]


def points(found: Trained) -> list[str]:
    """What is compared: all items, coarse to fine, with a mask each, and the policies about items."""
    return [EXACT, COARSE, *found.deduction.masks, *(name for pair in pairs(found) for name in pair)]


class Parsed:
    """What a point makes of trees."""

    def __init__(self, found: Trained, point: str, trees: Trees) -> None:
        trial = tried(found.parser(point, Stops(items=ITEMS)), trees, DiscontinuousScoring())
        self.matches: Sequence[Matches] = trial.scores.sentences  # type: ignore[attr-defined]
        self.parses = trial.parses

    @property
    def side(self) -> Side:
        mpush = np.array([parse.work.pushes / 1e6 for parse in self.parses])
        return [match.all for match in self.matches], mpush

    def row(self) -> Row:
        total = sum(self.matches, Matches())
        within = [m for m in self.matches if SHORT < m.length <= LONG]
        part = sum(within, Matches())
        return {
            "f1": total.all.f1,
            "discontinuous": total.discontinuous.f1,
            "f1 11-25": part.all.f1,
            "mpush": float(np.mean(self.side[1])),
            "items": float(np.mean([parse.work.items for parse in self.parses])),
            "another way": sum(parse.fell_back for parse in self.parses),
            "failed": sum(parse.failed for parse in self.parses),
        }


def measure(case: LcfrsCase, longest: int | None) -> Row:
    found = case.trained()
    dev, test = (
        part.filter(max_length=longest) if longest else part for part in (case.trees.dev, case.trees.test)
    )
    parsed = {name: Parsed(found, name, test) for name in points(found)}
    compared = []
    for before in ("", f"{found.deduction.behind}+"):
        own = [pair for pair in pairs(found) if pair[0].startswith(f"{before}items")]
        sides = [Parsed(found, baseline, dev).row() for baseline, _ in own]
        slopes = true_tradeoffs([s["mpush"] for s in sides], [s["f1"] for s in sides])
        for (baseline, lols), tradeoff in zip(own, slopes, strict=True):
            compared.append(reward(parsed, baseline, lols, tradeoff))
    masked = found.deduction.masks
    best = max((n for pair in pairs(found) for n in pair if "+" in n), key=lambda n: parsed[n].row()["f1"])
    return {
        "longest": longest,
        "sentences": len(test),
        "words": sum(len(tree.words()) for tree in test),
        "points": {name: one.row() for name, one in parsed.items()},
        "pairs": compared,
        "against coarse": {name: reward(parsed, COARSE, name, 0.0) for name in (*masked, best)},
        "speed": speeds(found, test),
    }


def reward(parsed: dict[str, Parsed], before: str, after: str, tradeoff: float) -> Row:
    """The difference of true rewards."""
    one, other = parsed[before], parsed[after]
    a, b = one.row(), other.row()
    return {
        "before": before,
        "after": after,
        "tradeoff": tradeoff,
        "difference": b["f1"] - a["f1"] - tradeoff * (b["mpush"] - a["mpush"]),
        "p": reward_test(one.side, other.side, tradeoff),
        "same": [p.tree for p in one.parses] == [p.tree for p in other.parses],
    }


def speeds(found: Trained, test: Trees) -> Row:
    """Words/s and the spread of runs; of sentences of 11 to 25 words apart."""
    parsers = {name: found.parser(name, Stops(items=ITEMS)) for name in points(found)}
    rows: Row = {name: {} for name in parsers}
    middle = test.filter(min_length=SHORT + 1, max_length=LONG)
    for what, trees in (("words/s", test), ("words/s 11-25", middle)):
        sentences = [DISCONTINUOUS.sentence(tree) for tree in trees]
        words = sum(map(len, sentences))
        for name, timing in clock(parsers, sentences, repeat=REPEAT).items():
            rows[name] |= {what: words / timing.best, f"spread of {what}": timing.spread}
    return rows


def verdict(row: Row) -> str:
    if row["same"]:
        return "same trees"
    if row["p"] >= LEVEL:
        return "not significant"
    return "better" if row["difference"] > 0 else "worse"


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, found: Row) -> str:
    rows = []
    exact = found["speed"][EXACT]
    for point, r in found["points"].items():
        own = found["speed"][point]
        rows.append(
            [
                f"`{point}`",
                f"{r['f1']:.2f}",
                f"{r['discontinuous']:.1f}",
                f"{r['f1 11-25']:.2f}",
                f"{r['mpush']:.4f}",
                f"{r['items']:,.0f}",
                f"{own['words/s']:,.0f}",
                f"{own['words/s 11-25']:,.0f}",
                f"{own['words/s 11-25'] / exact['words/s 11-25']:.1f}x",
                f"{r['another way'] / found['sentences']:.1%}",
            ]
        )
    header = ["point", "F1", "discontinuous", "F1, 11-25 words", "Mpush", "items", "words/s"]
    header += ["words/s, 11-25 words", "over exact", "another way"]
    longest = f"of at most {found['longest']} words" if found["longest"] else "of all lengths"
    text = f"{name}, {found['sentences']:,} test sentences {longest}:\n\n" + table(header, rows) + "\n"
    compared = [
        [
            f"`{p['before']}` → `{p['after']}`",
            f"{p['tradeoff']:,.1f}",
            f"{p['difference']:+.2f}",
            f"{p['p']:.4f}",
            verdict(p),
        ]
        for p in (*found["pairs"], *found["against coarse"].values())
    ]
    return text + table(["pair", "tradeoff", "reward gained", "p", "the second is"], compared)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--longest", type=int, help="leave out longer sentences")
    chosen = parser.parse_args()
    case = case_of(chosen)
    part = f"-{chosen.longest}" if chosen.longest else ""
    case.result(NAME, lambda: measure(case, chosen.longest), part)
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
