"""Exact parsing with a PLCFRS: speed and size by sentence length, and disco-dop beside it.

    python benchmarks/lcfrs.py                      a grammar of the garden
    python benchmarks/lcfrs.py --data DIR           of Alpino, in DIR/alpino (or SECATEUR_DATA=DIR)
    python benchmarks/lcfrs.py --discodop PYTHON    also disco-dop, which this interpreter can import

CPU seconds of each sentence, best of several runs; programs take turns, sentence by sentence. Both are given
the same grammar and lexicon, in disco-dop's text format, and the same words, unknown ones as their classes.
Ours makes the whole chart and takes the best derivation from it; disco-dop's agenda ends with the best parse,
and so does ours with best_first=True, which is timed too. Best scores must be equal to 1e-6. Hyperedges are
uses of rules.

disco-dop 0.5.2 from PyPI builds as it is on Python 3.6 (its C files are older than later ones):

    python3.6 -m venv V && V/bin/pip install 'numpy<1.20' 'cython<3'
    V/bin/pip install --no-build-isolation --no-deps roaringbitmap==0.4 disco-dop==0.5.2
    python benchmarks/lcfrs.py --data DIR --split test --longest 15 --discodop V/bin/python
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import secateur as sec

# The kernel alone: no public name runs it.
from secateur.grammar.lcfrs.binarize import ORDERS, Binarization
from secateur.grammar.lcfrs.discodop import read_discodop, write_discodop
from secateur.grammar.lcfrs.induce import induce
from secateur.kernels.lcfrs import parse as kernel
from secateur.kernels.lcfrs.chart import ITEMS, PAIRS, PUSHES, UNARIES
from secateur.models.measure import quiet_collector
from secateur.treebanks.discontinuous import DISCONTINUOUS, DiscontinuousReading

BUCKETS = ((1, 10), (11, 15), (16, 20), (21, 25))
TREES = 600  # of the garden
PEER = Path(__file__).with_name("discodop_peer.py")


def trees_of(data: Path | None, split: str) -> tuple[Iterable[sec.Tree], list[sec.Tree]]:
    """Trees for a grammar, and others."""
    if data is not None:
        train, held = (sec.read(data / "alpino" / f"{part}.xml") for part in ("train", split))
        return train, list(held)
    grown = list(DISCONTINUOUS.normalized(DISCONTINUOUS.grown(2 * TREES), DiscontinuousReading()))
    return grown[:TREES], grown[TREES:]


class Ours(NamedTuple):
    """What one sentence takes."""

    score: float
    seconds: float
    items: int
    hyperedges: int
    pairs: int  # of position sets that some pattern joins
    bytes: int


WAYS = {"chart": kernel.chart_of, "best first": kernel.best_first}


def ours(grammar: sec.PLCFRS, ids: np.ndarray, way: str = "chart") -> Ours:
    rules, binary = grammar.rules, grammar.binary
    started = time.process_time()
    chart = WAYS[way](rules, ids)
    goal = kernel.goal_of(rules, chart.room, len(ids))
    score = float(kernel.best_of(rules, chart.room, goal, rules.start))
    if score > -np.inf:
        kernel.derivation(rules, chart.room, binary.left, binary.right, goal, rules.start)
    seconds = time.process_time() - started
    items, pushes, pairs, unaries = chart.room.tally[[ITEMS, PUSHES, PAIRS, UNARIES]].tolist()
    return Ours(score, seconds, items, pushes + unaries, pairs, kernel.size_of(chart.room))


class Peer:
    """disco-dop in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def __call__(self, words: Sequence[str]) -> dict[str, Any]:
        """Of a sentence: score (None where there is no parse), seconds and items."""
        given, answers = self.process.stdin, self.process.stdout
        assert given is not None
        assert answers is not None
        given.write(json.dumps(words) + "\n")
        given.flush()
        line = answers.readline()
        if not line:
            raise SystemExit(f"disco-dop ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def peer(python: str, rules: Path, lexicon: Path, start: str) -> Iterator[Peer]:
    command = [python, str(PEER), str(rules), str(lexicon), start]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own
    ) as process:
        try:
            yield Peer(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def measured(
    grammar: sec.PLCFRS, sentences: Sequence[Sequence[str]], repeat: int, other: Peer | None
) -> dict[str, Any]:
    """The figures of a bucket."""
    lexicon = grammar.lexicon
    given = [lexicon.encode(words) for words in sentences]
    best = {way: [ours(grammar, ids, way) for ids in given] for way in WAYS}
    theirs: list[dict[str, Any]] = [{"seconds": np.inf}] * len(given)
    with quiet_collector():
        for _ in range(repeat):
            for place, ids in enumerate(given):
                for way, found in best.items():
                    found[place] = min(found[place], ours(grammar, ids, way), key=lambda one: one.seconds)
                if other is not None:
                    answer = other([lexicon.words[w] for w in ids])
                    theirs[place] = min(theirs[place], answer, key=lambda one: float(one["seconds"]))
    whole, first = best["chart"], best["best first"]
    spent, spent_first = (sum(one.seconds for one in found) for found in (whole, first))
    scores = [one.score for one in whole]
    assert scores == [one.score for one in first], "scores of best first differ"
    row: dict[str, Any] = {"sentences": len(given), "ms": 1000 * spent / len(given)}
    for name in ("items", "pairs", "hyperedges"):
        row[name] = mean(getattr(one, name) for one in whole)
    row["Mhyperedges/s"] = sum(one.hyperedges for one in whole) / spent / 1e6
    row["most MB"] = max(one.bytes for one in whole) / 1e6
    row["no parse"] = scores.count(-np.inf)
    row |= {"best first: x ms": spent_first / spent, "best first: items": mean(one.items for one in first)}
    if other is not None:
        their_scores = [-np.inf if one["score"] is None else one["score"] for one in theirs]
        assert np.allclose(scores, their_scores, rtol=0.0, atol=1e-6), "scores differ"
        seconds = sum(one["seconds"] for one in theirs)
        row |= {"disco-dop ms": 1000 * seconds / len(given), "ratio": seconds / spent}
        row["disco-dop items"] = mean(one["items"] for one in theirs)
    return row


def mean(counts: Iterable[int]) -> int:
    found = list(counts)
    return round(sum(found) / len(found))


def arguments() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = os.environ.get("SECATEUR_DATA")
    options.add_argument("--data", type=Path, default=known, help="a folder with alpino/train.xml")
    options.add_argument("--split", choices=("dev", "test"), default="dev", help="of Alpino, what is parsed")
    options.add_argument("--binarization", choices=ORDERS, default="minimal")
    options.add_argument("--longest", type=int, default=20, help="words of a sentence")
    options.add_argument("--limit", type=int, default=100, help="sentences of each length")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--discodop", metavar="PYTHON", help="an interpreter that has disco-dop")
    options.add_argument("--json", type=Path)
    return options


def main() -> None:
    chosen = arguments().parse_args()
    train, held = trees_of(chosen.data, chosen.split)
    induced = induce(train, binarization=Binarization(chosen.binarization))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        names = Path(folder, "g.rules"), Path(folder, "g.lex")
        write_discodop(induced, *names)
        grammar = read_discodop(*names, start=induced.start)
        print(repr(grammar), flush=True)
        with peer(chosen.discodop, *names, induced.start) if chosen.discodop else nullcontext() as other:
            for first, last in BUCKETS:
                words = [tree.words() for tree in held if first <= len(tree.words()) <= last]
                words = [one for one in words if len(one) <= chosen.longest][: chosen.limit]
                if words:
                    rows.append(
                        {"words": f"{first}-{last}", **measured(grammar, words, chosen.repeat, other)}
                    )
                    print(shown(rows[-1]), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def shown(row: dict[str, Any]) -> str:
    said = (
        f"{k} {v:,.2f}" if isinstance(v, float) else f"{k} {v:,}" if isinstance(v, int) else f"{k} {v}"
        for k, v in row.items()
    )
    return "  ".join(said)


if __name__ == "__main__":
    main()
