"""Time and memory of exact parsing over sentence length, n = 10 .. 100, as figures and a picture.

    python benchmarks/length.py -o length.png [GRAMMAR]
    python benchmarks/length.py --json length.json [GRAMMAR]

Sentences are garden sentences joined and cut to length. Each length runs in a process of its own, so that
its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import secateur as sec
from secateur.treebanks.normalization import AS_IN_THE_PAPER
from turns import best


def sentences(n: int, count: int) -> list[list[str]]:
    words = chain.from_iterable(sample.dependencies.words for sample in sec.garden.garden(100_000, seed=1))
    return [list(islice(words, n)) for _ in range(count)]


def measure(n: int, grammar: Path | None) -> dict[str, float]:
    """Seconds, pushes and bytes of one sentence of n words."""
    if grammar:
        parser = sec.load(grammar)
    else:
        parser = sec.Parser(sec.induce(sec.garden.treebank(2000).normalize(AS_IN_THE_PAPER)))
    parser.parse(["the", "dog"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [best(partial(parser.parse, words), 3) for words in sentences(n, 3)]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "n": n,
        "ms": 1e3 * sum(seconds for seconds, _ in found) / len(found),
        "Mpush": found[-1][1].work.pushes / 1e6,
        "MiB": (after - before) / 1024,
    }


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("grammar", nargs="?", type=Path)
    options.add_argument("-o", "--output", type=Path, help="a picture")
    options.add_argument("--json", type=Path)
    options.add_argument("--one", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        print(json.dumps(measure(chosen.one, chosen.grammar)))
        return
    rows = []
    for n in range(10, 101, 10):
        command = [
            sys.executable,
            __file__,
            "--one",
            str(n),
            *([str(chosen.grammar)] if chosen.grammar else []),
        ]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        print("  ".join(f"{key} {value:,.2f}" for key, value in rows[-1].items()), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if chosen.output:
        draw(rows).savefig(chosen.output, dpi=120)


def draw(rows: Sequence[dict[str, float]]) -> Any:
    """Two panels: milliseconds, and memory."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.5))
    for axis, key, unit in zip(axes, ("ms", "MiB"), ("ms (CPU)", "peak MiB of the chart"), strict=True):
        axis.plot([row["n"] for row in rows], [row[key] for row in rows], "o-")
        axis.set(xlabel="words", ylabel=unit, ylim=0)
        axis.grid(alpha=0.3)
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    main()
