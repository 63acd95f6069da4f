"""What spreading work over processes costs: CPU seconds of two jobs over those of one.

Pieces as parsing at a fast point has them: 600 words as lists of texts, 6 ms of work, a text as result; the
work holds 18 MB, as a parser does. Processes of this run and their CPU time only: other load hardly shows.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.search.workers import spread

SENTENCE = [
    "the",
    "gardener",
    "whom",
    "nobody",
    "saw",
    "had",
    "pruned",
    "an",
    "old",
    "tree",
    "yesterday",
    ".",
]


class Cost(NamedTuple):
    cpu: float
    wall: float


@dataclass(frozen=True)
class Load:
    """Some rounds of work on every word; the weights are looked at here and there."""

    weights: npt.NDArray[np.float64]
    rounds: int

    def __call__(self, piece: list[list[str]]) -> str:
        total = 0.0
        for sentence in piece:
            for word in sentence:
                for turn in range(self.rounds):
                    total += self.weights.item(hash((word, turn)) % len(self.weights))
        return "\n".join(f"(S {' '.join(f'(T {word})' for word in s)})" for s in piece) + f"\n{total > 0}\n"


def pieces(count: int, words: int) -> Iterator[list[list[str]]]:
    for _ in range(count):
        yield [list(SENTENCE) for _ in range(words // len(SENTENCE))]


def calibrated(weights: npt.NDArray[np.float64], words: int, seconds: float) -> Load:
    """The load that takes so many seconds a piece."""
    [piece] = pieces(1, words)
    trial = Load(weights, 10)
    started = time.process_time()
    for _ in range(20):
        trial(piece)
    took = (time.process_time() - started) / 20
    return Load(weights, max(1, round(10 * seconds / took)))


def measure(load: Load, count: int, words: int, jobs: int) -> Cost:
    def cpu() -> float:
        every = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, every))

    before, started = cpu(), time.perf_counter()
    for _ in spread(load, pieces(count, words), jobs):
        pass
    return Cost(cpu() - before, time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, default=300)
    parser.add_argument("--words", type=int, default=600)
    parser.add_argument("--milliseconds", type=float, default=6.0, help="of work for a piece")
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    weights = np.random.default_rng(0).random(18 * 2**20 // 8)
    load = calibrated(weights, asked.words, asked.milliseconds / 1000)
    found: dict[str, list[Cost]] = {"jobs 1": [], "jobs 2": [], "jobs 2, one core": []}
    everywhere = os.sched_getaffinity(0)
    for _ in range(asked.repeat):
        found["jobs 1"].append(measure(load, asked.pieces, asked.words, 1))
        found["jobs 2"].append(measure(load, asked.pieces, asked.words, 2))
        os.sched_setaffinity(0, {min(everywhere)})
        found["jobs 2, one core"].append(measure(load, asked.pieces, asked.words, 2))
        os.sched_setaffinity(0, everywhere)
    alone = min(found["jobs 1"])
    for name, costs in found.items():
        cpu, wall = min(costs).cpu, min(cost.wall for cost in costs)
        print(f"{name:17} {cpu:6.2f} s CPU ({cpu / alone.cpu:.2f})  {wall:6.2f} s by the clock")


if __name__ == "__main__":
    main()
