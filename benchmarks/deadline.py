"""Deadlines: how many sentences are done in time, and how good their trees are.

    python benchmarks/deadline.py                                  a small model of the garden
    python benchmarks/deadline.py --model MODEL --trees test.mrg   one from `secateur train --tasks agenda`

Test sentences, again from the first if there are too few, and 100 that were made to take long: 250 words, all
unknown, or of a coordination without end, or of several sentences. At each deadline: the share of those that
were done within 2 ms of it by the clock, from the words to the tree, and by the CPU time that was spent, in
which other processes have no part; how many were cut off; and F1. That for the model's most accurate point,
which keeps deadlines by going over to faster ones, and for a point of an agenda, which stops where it is.
Beside it the points of the dial on the same sentences, without a deadline. Wanted are 99.9%, at rest.
With `--json experiments/results/agenda-deadline-DATA.json`, `make results` shows it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import secateur as sec
from secateur.metrics.evalb.evaluation import PhraseScoring
from secateur.models.measure import measure

DEADLINES = (1, 2, 5, 10, 50)  # ms
LATE = 2.0  # ms after the deadline
MADE, WORDS = 100, 250
TREES = 1200  # of the garden
REPEAT = 3


def adversarial(sentences: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Without end: unknown words, a coordination, several sentences."""
    every = cycle(word for words in sentences for word in words)
    while True:
        yield [f"blorp{n}ed" for n in range(WORDS)]
        yield [word for one in islice(every, WORDS // 2) for word in (one, "and")]
        yield list(islice(every, WORDS))


def trained() -> tuple[sec.Model[Any, Any], sec.Treebank]:
    """A small model of the garden, and trees that it has not seen."""
    trees = sec.garden.treebank(TREES)
    train, dev, test = trees.split(dev=0.1, test=0.2)
    settings = sec.Settings(levels=2, points=3, iterations=1, repeat=1, max_length=20, tasks="agenda")
    return sec.train(train, dev=dev, settings=settings), test


def measured(
    parser: Any, deadline: float, sentences: Sequence[Sequence[str]]
) -> tuple[dict[str, Any], list[sec.Tree]]:
    """The figures of sentences that come one by one, after some that are not counted."""
    given = [sec.Sentence.of(words) for words in sentences]
    for sentence in given[:10]:
        parser.batch([sentence])
    by_clock, by_cpu, trees, cut = [], [], [], 0
    for sentence in given:
        started, spent = time.perf_counter(), time.process_time()
        (parse,) = parser.batch([sentence])
        by_clock.append(1000 * (time.perf_counter() - started) - deadline)
        by_cpu.append(1000 * (time.process_time() - spent) - deadline)
        trees.append(parse.tree)
        cut += parse.notes["status"] != "complete"
    found = {
        "in time": sum(late <= LATE for late in by_clock) / len(given),
        "in CPU time": sum(late <= LATE for late in by_cpu) / len(given),
        "latest ms": max(by_clock),
        "cut off": cut / len(given),
    }
    return found, trees


def rows_of(
    model: sec.Model[Any, Any], gold: sec.Treebank, count: int, made: int
) -> Iterator[dict[str, Any]]:
    trees = list(islice(cycle(gold), count))
    sentences = [tree.words() for tree in trees]
    long = list(islice(adversarial(sentences), made))
    best = model.choose().point.name
    by_agenda = (name for name, way in model.ways().items() if "order" in way and "mask" not in way)
    names = [best, *islice(by_agenda, 1)]
    for name in names:
        for deadline in DEADLINES:
            parser = model.parser(name, deadline=deadline / 1000)
            found, parsed = measured(parser, deadline, sentences)
            f1 = sec.evaluate(trees, parsed).accuracy
            yield {"point": name, "deadline": deadline, "sentences": "test", **found, "F1": f1}
            found, _ = measured(parser, deadline, long)
            yield {"point": name, "deadline": deadline, "sentences": "made", **found}


def dial_of(model: sec.Model[Any, Any], gold: sec.Treebank) -> Iterator[dict[str, Any]]:
    """The points of the frontier on these trees."""
    parsers = {one.name: (one.way, model.parser(one.name)) for one in model.frontier}
    for one in measure(parsers, gold, model.kind.figures, PhraseScoring(), repeat=REPEAT):
        yield {"point": one.name, "ms": 1000 * one.seconds_per_sentence, "F1": one.accuracy}


def shown(row: dict[str, Any]) -> str:
    first = f"{row['point']:28} {row['deadline']:4} ms  {row['sentences']:5}"
    shares = "".join(f"{row[name]:>13.2%}" for name in ("in time", "in CPU time", "cut off"))
    return f"{first}{shares}{row['latest ms']:>11.2f}" + (f"{row['F1']:>8.2f}" if "F1" in row else "")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--model", type=Path)
    options.add_argument("--trees", type=Path, help="test trees of the model's sort")
    options.add_argument("--sentences", type=int, default=1000)
    options.add_argument("--made", type=int, default=MADE)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    if (chosen.model is None) != (chosen.trees is None):
        options.error("give both a model and trees, or neither")
    if chosen.model is None:
        model, gold = trained()
    else:
        model, gold = sec.Model.load(chosen.model), sec.read(chosen.trees, normalization=sec.Normalization())
    dial = list(dial_of(model, gold))
    for one in dial:
        print(f"{one['point']:28} {one['ms']:8.2f} ms/sentence {one['F1']:8.2f} F1")
    heads = ("in time", "in CPU time", "cut off")
    print(
        f"\n{'point':28} {'deadline':9}{'':5}"
        + "".join(f"{one:>13}" for one in heads)
        + "  latest ms      F1"
    )
    rows = []
    for row in rows_of(model, gold, chosen.sentences, chosen.made):
        rows.append(row)
        print(shown(row), flush=True)
    if chosen.json:
        text = json.dumps({"dial": dial, "rows": rows}, indent=1)
        chosen.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
