"""Speed of a dependency model at all of its points, and where the time of a policy's parser goes.

    python benchmarks/arcs.py MODEL SENTENCES.conll

Words/s of the kernels alone, with the limits on lengths and without, and through ArcParser, which encodes
words, labels arcs and builds trees; all as ratios to all templates at once in the same run. CPU time of one
process, points in turn, best of several rounds. `--against` compares with another parser's words/s.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from secateur.kernels.arcs import locking as kernel
from secateur.kinds.arcs.model import FULL, DependencyModel, load_dependency_model
from secateur.kinds.arcs.parser import ArcParser
from secateur.search.core import Policy
from secateur.tasks.arc_locking import filter as arc_filter
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking
from secateur.treebanks.dependencies import DependencyBank

Run = Callable[[], object]


def best_of(runs: dict[str, Run], rounds: int) -> dict[str, float]:
    """Seconds of each, in turn."""
    for run in runs.values():
        run()  # compiles
    spent = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            started = time.process_time()
            run()
            spent[name] = min(spent[name], time.process_time() - started)
    return spent


class Bench:
    """Sentences made ready once, so that the kernels can run alone."""

    def __init__(self, model: DependencyModel, trees: DependencyBank) -> None:
        self.model, self.trees = model, trees
        self.corpus = unparsed_corpus(model.features, trees)
        self.words = sum(map(len, trees))

    def kernel(self, task: ArcLocking, policy: Policy) -> Run:
        tags = corpus_tags(task.limits, self.trees)
        weights = task.weights(policy)
        return lambda: kernel.lock_corpus(
            task.arc_features.compiled,
            task.stages,
            weights,
            task.rules,
            self.corpus,
            tags,
            task.limits.longest,
            self.corpus.heads,
        )

    def points(self, rounds: int) -> list[list[str]]:
        """A row for each point."""
        model, names = self.model, [point.name for point in self.model.points]
        runs: dict[str, Run] = {}
        for name in names:
            task, policy = model.task(name), model.policy(name)
            runs[f"{name} kernel"] = self.kernel(task, policy)
            runs[f"{name} unlimited"] = self.kernel(replace(task, limits=LengthLimits.none()), policy)
            parser = ArcParser(model, name)
            runs[f"{name} whole"] = lambda parser=parser: list(parser.pipe(self.trees))  # type: ignore[misc]
        spent = best_of(runs, rounds)
        rows = []
        for name in sorted(names, key=lambda name: spent[f"{name} kernel"]):
            row = [f"{name:14}"]
            for way in ("kernel", "unlimited", "whole"):
                seconds = spent[f"{name} {way}"]
                row.append(f"{self.words / seconds:11,.0f} {spent[f'{FULL} {way}'] / seconds:6.2f}x")
            rows.append(row)
        return rows

    def shares(self, point: str, rounds: int) -> dict[str, float]:
        """Of the time of a policy's kernel. Locking all after the first stage shows what decisions cost."""
        model, policy = self.model, self.model.policy(point)
        task = model.task(point)
        limits, never = task.limits, Policy(np.zeros(task.dim, np.float32))
        tags = corpus_tags(limits, self.trees)
        spent = best_of(
            {
                "whole": self.kernel(task, policy),
                "filters": lambda: arc_filter.likely(model.features, task.filters, self.corpus, tags, limits),
                "one stage": self.kernel(replace(task, last=0), never),
                "one stage, all locked": self.kernel(task, Policy(np.ones(task.dim, np.float32))),
            },
            rounds,
        )
        deciding = max(spent["one stage, all locked"] - spent["one stage"], 0.0)
        filters, whole = spent["filters"], spent["whole"]
        return {
            "limits and filters": filters / whole,
            "scores and search of the first stage": (spent["one stage"] - filters) / whole,
            "decisions after it, and what they bar": deciding / whole,
            "later stages": (whole - spent["one stage"] - deciding) / whole,
        }


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("model")
    options.add_argument("sentences")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--against", type=float, help="another parser's words/s")
    chosen = options.parse_args()
    bench = Bench(load_dependency_model(chosen.model), DependencyBank.read(chosen.sentences))
    print(f"{'':14} {'kernels':>19} {'without limits':>19} {'ArcParser':>19}")
    rows = bench.points(chosen.rounds)
    for row in rows:
        print(" ".join(row))
    if chosen.against:
        full = next(row for row in rows if row[0].strip() == FULL)
        speed = float(full[1].split()[0].replace(",", ""))
        print(f"\nAll templates: {speed / chosen.against:.1f} times {chosen.against:,.0f} words/s")
    for point in bench.model.policies:
        found = ", ".join(f"{what} {share:.0%}" for what, share in bench.shares(point, chosen.rounds).items())
        print(f"{point}: {found}")


if __name__ == "__main__":
    main()
