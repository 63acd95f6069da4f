"""CPU time of splitting a grammar, level by level.

    python benchmarks/split.py                     2,000 trees of the garden
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

# One split grammar after the other, without a model: no public name makes them.
from secateur.kinds.pcfg.split import LevelDone, SplitTraining
from secateur.models.measure import clock
from secateur.models.run import Run
from secateur.search.parallel import Engine
from secateur.treebanks.normalization import AS_IN_THE_PAPER

TREES = 2000  # of the garden


def read(path: str) -> sec.Treebank:
    return sec.read(path, normalization=AS_IN_THE_PAPER)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("train", nargs="?", help="a treebank; without, the garden")
    options.add_argument("--levels", type=int, default=5)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--test")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    SplitTraining(sec.garden.treebank(100), settings=sec.SplitSettings(levels=1)).fit()  # compiles
    trees = read(chosen.train) if chosen.train else sec.garden.treebank(TREES).normalize(AS_IN_THE_PAPER)
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

    settings = sec.SplitSettings(levels=chosen.levels, seed=chosen.seed)
    run = Run(engine=Engine(chosen.jobs))
    training = SplitTraining(trees, settings=settings, run=run, tell=tell).fit()
    print(f"{len(trees):,} trees, {chosen.jobs} threads: {time.perf_counter() - wall:.1f} s by the clock")
    if chosen.test:
        test = read(chosen.test)
        sentences = [sec.Sentence.of(tree.words()) for tree in test]
        for level in range(len(training.levels_)):
            parser = sec.Parser(training.grammar(level))
            parses = parser.batch(sentences)
            f1 = sec.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses]).total.f1
            spent = clock({"": parser}, sentences, repeat=1)[""].best
            print(f"level {level}: F1 {f1:.2f}, {1000 * spent / len(test):.2f} ms a sentence", flush=True)
    if chosen.json:
        found = {"trees": len(trees), "jobs": chosen.jobs, "levels": levels}
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
