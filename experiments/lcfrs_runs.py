"""Train what the other scripts about PLCFRSs look at: masks of the coarse grammar, and policies about items.

    python experiments/lcfrs_runs.py --data garden                    no data needed
    SECATEUR_DATA=... python experiments/lcfrs_runs.py --data alpino --unit item

A PLCFRS and the PCFG before it are induced from the training trees; policies about the spans of the PCFG are
trained to keep gold ones; behind one of them, policies about what the PLCFRS makes (items, single hyperedges
or sets of positions: --unit) are trained to keep what is gold, and LOLS starts from each. The pieces of a
training are kept in OUT/runs/lcfrs-DATA-UNIT: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, get_args

import secateur as sec
from arc_table1 import one_section
from prune_runs import data_folder
from report import OUT, WHERE, Pictures, Sections, leave, result_in, start, table

# The half of a training that deduces, without the blocks that a whole model has: no public name gives it.
from secateur.features.span import SpanFeatures
from secateur.kinds.lcfrs.deduction import Deduction
from secateur.kinds.lcfrs.exact import NEVER, Stops
from secateur.kinds.lcfrs.parser import parser_of
from secateur.kinds.lcfrs.parts import LcfrsParts
from secateur.kinds.lcfrs.recipe import deduced
from secateur.kinds.lcfrs.settings import Using
from secateur.kinds.lcfrs.ways import ways
from secateur.models.run import Run
from secateur.search.core import Policy
from secateur.search.parallel import Engine
from secateur.tasks.hyperedge_pruning.space import Unit
from secateur.treebanks.bank import Bank
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading
from secateur.treebanks.formats import opened
from secateur.treebanks.phrases import PHRASES
from secateur.treebanks.traces import Resolver

NAME = "lcfrs-runs"
DATA = ("alpino", "ptb-traces", "garden")  # ptb-traces: the PTB sample, its traces resolved
SIZES = (600, 100, 150)  # of the garden's parts

Trees = Bank[sec.Tree]


class Parts(NamedTuple):
    train: Trees
    dev: Trees
    test: Trees


class Trained(NamedTuple):
    """What a case's training made."""

    deduction: Deduction
    policies: dict[str, Policy]
    log: list[dict[str, Any]]

    def parser(self, point: str, stops: Stops = NEVER) -> sec.PlcfrsParser:
        parts = LcfrsParts(None, self.deduction)
        way = ways(parts, self.policies)[point]
        found = parser_of(parts, way, self.policies, sec.Limits(), Using())
        assert isinstance(found, sec.PlcfrsParser), "without blocks all points deduce"
        found.stops = stops
        return found


@dataclass(frozen=True)
class LcfrsCase:
    """Which training on which data, and where what is found about it goes."""

    data: str
    unit: Unit = "item"
    out: Path = OUT
    again: bool = False  # even if the results are there
    jobs: int = 1
    limit: int | None = None  # training trees; a quarter as many of dev and test

    @property
    def name(self) -> str:
        return f"{self.data}-{self.unit}"

    @property
    def settings(self) -> sec.LcfrsSettings:
        found = sec.LcfrsSettings(item_points=3, unit=self.unit, iterations=4)
        return replace(found, iterations=2, item_length=12, item_trees=40) if self.data == "garden" else found

    @cached_property
    def trees(self) -> Parts:
        return treebanks(self.data, self.limit)

    def result(self, experiment: str, make: Callable[[], Any], part: str = "") -> Any:
        """What was found before, or what `make` finds, stored."""
        return result_in(self.out / f"{experiment}-{self.name}{part}.json", make, again=self.again)

    def trained(self) -> Trained:
        """The stored pieces, or new ones, stored."""
        run = Run(
            self.out / "runs" / f"lcfrs-{self.name}",
            engine=Engine(self.jobs),
            tell=lambda step: print(f"[{step.done}/{step.total}] {step.text}", flush=True),
        )
        features = SpanFeatures.from_words(self.trees.train.vocabulary())
        return Trained(*deduced(run, self.trees.train, self.trees.dev, self.settings, features))


def treebanks(data: str, limit: int | None = None) -> Parts:
    """Train, dev and test."""
    sizes = (None, None, None) if limit is None else (limit, max(limit // 4, 4), max(limit // 4, 4))
    if data == "garden":
        a, b, c = (size or whole for size, whole in zip(sizes, SIZES, strict=True))
        grown = DISCONTINUOUS.normalized(DISCONTINUOUS.grown(a + b + c), DiscontinuousReading())
        bank = DISCONTINUOUS.bank(grown)
        return Parts(bank[:a], bank[a : a + b], bank[a + b :])
    if data == "ptb-traces":
        found = [resolved(data_folder() / "ptb-sample" / f"{part}.mrg") for part in Parts._fields]
    else:
        found = [sec.read(data_folder() / data / f"{part}.xml") for part in Parts._fields]
    return Parts(*(bank[:size] for bank, size in zip(found, sizes, strict=True)))


def resolved(file: Path) -> Trees:
    """Penn trees, what was moved attached at its trace."""
    trees = Resolver().resolved(PHRASES.trees(opened(file), None))
    return DISCONTINUOUS.bank(DISCONTINUOUS.normalized(trees, DiscontinuousReading()), name=file.name)


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """The options that all scripts about PLCFRSs have; a script may add its own."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=DATA, default="garden")
    parser.add_argument("--unit", choices=get_args(Unit), default="item", help="what policies decide about")
    parser.add_argument("--out", type=Path, default=OUT, help=WHERE)
    parser.add_argument("--again", action="store_true", help="measure even if the results are there")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 means all cores")
    parser.add_argument("--limit", type=int, help="training trees; a quarter as many of dev and test")
    return parser


def case_of(chosen: argparse.Namespace) -> LcfrsCase:
    """From parsed arguments."""
    jobs = chosen.jobs or os.cpu_count() or 1
    return LcfrsCase(chosen.data, chosen.unit, chosen.out, chosen.again, jobs, chosen.limit)


def about(case: LcfrsCase) -> dict[str, Any]:
    """What was trained on what, in numbers."""
    found = case.trained()
    grammar, coarse = found.deduction.grammar, found.deduction.coarse
    assert coarse is not None, "a training makes a coarse grammar"
    return {
        "trees": len(case.trees.train),
        "dev": len(case.trees.dev),
        "test": len(case.trees.test),
        "symbols": len(grammar.symbols),
        "fan-out": int(grammar.fanout.max()),
        "binary rules": len(grammar.binary.weight),
        "coarse symbols": len(coarse.grammar.symbols),
        "coarse rules": len(coarse.grammar.binary.weight),
        "behind": found.deduction.behind,
        "learned from": case.settings.item_trees,
        "points": len(found.log),
        "rounds": sum(len(run["rounds"]) - 1 for run in found.log),
        "kept the baseline": sum(best_round(run["rounds"]) == 0 for run in found.log),
        "seconds": sum(r["seconds"] for run in found.log for r in run["rounds"]),
    }


def best_round(rounds: list[dict[str, Any]]) -> int:
    return max(range(len(rounds)), key=lambda number: rounds[number]["reward"])


def sections(out: Path, pictures: Pictures) -> Sections:
    return one_section(out, NAME, show)


def show(name: str, r: dict[str, Any]) -> str:
    header = ["data, unit", "trees train / dev / test", "PLCFRS: symbols, fan-out, binary rules"]
    header += ["coarse PCFG: symbols, binary rules", "mask before policies", "sentences learned from"]
    header += ["LOLS runs, rounds", "kept their baseline", "seconds of LOLS"]
    cells = [
        name,
        f"{r['trees']:,} / {r['dev']:,} / {r['test']:,}",
        f"{r['symbols']:,}, {r['fan-out']}, {r['binary rules']:,}",
        f"{r['coarse symbols']:,}, {r['coarse rules']:,}",
        f"`{r['behind']}`",
        f"{r['learned from']:,}",
        f"{r['points']}, {r['rounds']}",
        f"{r['kept the baseline']}",
        f"{r['seconds']:,.0f}",
    ]
    return table(header, [cells])


def main() -> None:
    case = case_of(arguments(__doc__).parse_args())
    case.result(NAME, lambda: about(case))
    leave(case.out, sections)


if __name__ == "__main__":
    start(main)
