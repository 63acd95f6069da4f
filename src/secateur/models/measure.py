"""What a parser does on trees: the true figures, as users will see them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from secateur import metrics
from secateur.kinds.pcfg.parser import Parser  # moves next
from secateur.models.dial import Point
from secateur.treebanks.tree import Tree

LEAST = 0.3  # seconds: short runs are repeated until then


def measure(name: str, parser: Parser, trees: Sequence[Tree], *, repeat: int) -> Point:
    """An operating point: accuracy, work, and CPU time of one process, best of `repeat` runs or more."""
    given = [tree.words() for tree in trees]
    parses = [parser.parse(words) for words in given]  # also compiles, before the clock starts
    spent: list[float] = []
    while len(spent) < repeat or sum(spent) < LEAST:
        started = time.process_time()
        for words in given:  # no tree is kept: with many alive, the interpreter's collector would be timed
            parser.parse(words)
        spent.append(max(time.process_time() - started, 1e-9))
    best = min(spent)
    failed = [p.failed for p in parses]
    result = metrics.evaluate(trees, [p.tree for p in parses], failed=failed)
    low, high = metrics.confidence([s.counts for s in result.sentences])
    decided = sum((len(words) - 1) * len(words) // 2 - 1 for words in given if len(words) > 1)
    kept = sum(p.work.kept for p in parses)
    return Point(
        name,
        accuracy=result.total.f1,
        low=low,
        high=high,
        mpush=sum(p.work.pushes for p in parses) / len(parses) / 1e6,
        words_per_second=sum(map(len, given)) / best,
        seconds_per_sentence=best / len(given),
        kept=kept / decided if decided else 1.0,
        failures=sum(failed) / len(failed),
    )
