"""CPU time of splitting a grammar, level by level.

    python benchmarks/split.py train.mrg --levels 4
    python benchmarks/split.py train.mrg --levels 5 --test test.mrg
    python benchmarks/split.py train.mrg --json split.json

Kernels are compiled before the clock starts. With --test, each level's max-rule F1 and time a sentence.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import secateur as sec
from secateur.kinds.pcfg.split import LevelDone, SplitSettings, SplitTraining


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("train")
    options.add_argument("--levels", type=int, default=5)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--test")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    SplitTraining(sec.garden.treebank(100), settings=SplitSettings(levels=1)).fit()  # compiles
    trees = sec.read(chosen.train)
    started, wall = time.process_time(), time.perf_counter()
    before = started
    levels: list[dict[str, Any]] = []

    def tell(done: LevelDone) -> None:
        nonlocal before
        if done.round is not None:
            return
        now = time.process_time()
        print(
            f"level {done.level}: {done.sub_symbols:,} sub-symbols, {now - before:.1f} CPU s, "
            f"{now - started:.1f} in all, log likelihood {done.likelihood:,.0f} {done.remark}".rstrip(),
            flush=True,
        )
        levels.append({"level": done.level, "sub-symbols": done.sub_symbols, "seconds": now - started})
        before = now

    settings = SplitSettings(levels=chosen.levels, seed=chosen.seed)
    training = SplitTraining(trees, settings=settings, jobs=chosen.jobs, tell=tell).fit()
    print(f"{len(trees):,} trees, {chosen.jobs} threads: {time.perf_counter() - wall:.1f} s by the clock")
    if chosen.test:
        test = sec.read(chosen.test)
        for level in range(len(training.levels_)):
            parser = sec.Parser(training.grammar(level))
            parser.parse(test[0].words())
            began = time.process_time()
            parses = [parser.parse(tree.words()) for tree in test]
            spent = time.process_time() - began
            found = sec.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses]).total
            print(
                f"level {level}: F1 {found.f1:.2f}, {1000 * spent / len(test):.2f} ms a sentence", flush=True
            )
    if chosen.json:
        found = {"trees": len(trees), "jobs": chosen.jobs, "levels": levels}
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
