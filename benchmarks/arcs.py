"""Speed of a dependency model at all of its points, and where the time of a policy's parser goes.

    python benchmarks/arcs.py                             the garden, after a short training
    python benchmarks/arcs.py MODEL SENTENCES.conll

Words/s of the kernels alone, with the limits on lengths and without, and through ArcParser, which encodes
words, labels arcs and builds trees; all as ratios to all templates at once in the same run. CPU time of one
process, points in turn, best of several rounds. `--against` compares with another parser's words/s.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import secateur as sec

# Kernels alone, with and without limits and filters: no public name runs them.
from secateur.kernels.arcs import locking as kernel
from secateur.kinds.arcs.parts import ArcParts
from secateur.kinds.arcs.ways import FULL, policy_of, task_of
from secateur.models.measure import clock
from secateur.search.core import Policy
from secateur.tasks.arc_locking import filter as arc_filter
from secateur.tasks.arc_locking.corpus import corpus_tags, unparsed_corpus
from secateur.tasks.arc_locking.limits import LengthLimits
from secateur.tasks.arc_locking.task import ArcLocking
from turns import in_turn

Run = Callable[[], object]
Model = sec.Model[ArcParts, sec.DependencyTree]
GARDEN = {"train": (0, 1000), "sentences": (1000, 1300)}
TRIAL = sec.ArcSettings(tags="gold", costs=(2.0, 8.0), epochs=2, bits=18, iterations=4, repeat=1)


def grown(part: str) -> sec.DependencyBank:
    first, last = GARDEN[part]
    return sec.DependencyBank(sample.dependencies for sample in list(sec.garden.garden(last))[first:])


class Bench:
    """Sentences made ready once, so that the kernels can run alone."""

    def __init__(self, model: Model, trees: sec.DependencyBank) -> None:
        self.model, self.trees = model, trees
        self.corpus = unparsed_corpus(model.parts.features, trees)
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

    def search_of(self, point: str) -> tuple[ArcLocking, Policy]:
        way, policies = self.model.ways()[point], self.model.policies
        return task_of(self.model.parts, way, policies), policy_of(way, policies)

    def points(self, rounds: int) -> list[list[str]]:
        """A row for each point."""
        names = [point.name for point in self.model.points]
        runs: dict[str, Run] = {}
        for name in names:
            task, policy = self.search_of(name)
            runs[f"{name} kernel"] = self.kernel(task, policy)
            runs[f"{name} unlimited"] = self.kernel(replace(task, limits=LengthLimits.none()), policy)
        spent = in_turn(runs, rounds)
        parsers = {f"{name} whole": self.model.parser(name, tags="gold") for name in names}
        sentences = [self.model.kind.annotation.sentence(tree) for tree in self.trees]
        spent |= {name: timing.best for name, timing in clock(parsers, sentences, repeat=rounds).items()}
        rows = []
        for name in sorted(names, key=lambda name: spent[f"{name} kernel"]):
            row = [f"{name:18}"]
            for way in ("kernel", "unlimited", "whole"):
                seconds = spent[f"{name} {way}"]
                row.append(f"{self.words / seconds:11,.0f} {spent[f'{FULL} {way}'] / seconds:6.2f}x")
            rows.append(row)
        return rows

    def shares(self, point: str, rounds: int) -> dict[str, float]:
        """Of the time of a policy's kernel. Locking all after the first stage shows what decisions cost."""
        features = self.model.parts.features
        task, policy = self.search_of(point)
        limits, never = task.limits, Policy(np.zeros(task.dim, np.float32))
        tags = corpus_tags(limits, self.trees)
        spent = in_turn(
            {
                "whole": self.kernel(task, policy),
                "filters": lambda: arc_filter.likely(features, task.filters, self.corpus, tags, limits),
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
    options.add_argument("model", nargs="?")
    options.add_argument("sentences", nargs="?")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--against", type=float, help="another parser's words/s")
    chosen = options.parse_args()
    if (chosen.model is None) != (chosen.sentences is None):
        options.error("give a model and sentences, or neither")
    if chosen.model is None:
        bench = Bench(sec.train(grown("train"), settings=TRIAL), grown("sentences"))
    else:
        bench = Bench(sec.Model.load(chosen.model), sec.DependencyBank.read(chosen.sentences))
    print(f"{'':18} {'kernels':>19} {'without limits':>19} {'ArcParser':>19}")
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
