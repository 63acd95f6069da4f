"""What a parser does on trees: the true figures, as users will see them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from secateur import metrics
from secateur.frontier import Point
from secateur.parser import Parse, Parser
from secateur.trees import Tree


def measure(name: str, parser: Parser, trees: Sequence[Tree], *, repeat: int) -> Point:
    """An operating point: accuracy, work, and CPU time of one process, best of several runs."""
    given = [tree.words() for tree in trees]
    parser.parse(given[0])  # compiles, or loads what is compiled, before the clock starts
    best = float("inf")
    parses: list[Parse] = []
    for _ in range(repeat):
        started = time.process_time()
        parses = [parser.parse(words) for words in given]
        best = min(best, time.process_time() - started)
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
        words_per_second=sum(map(len, given)) / max(best, 1e-9),
        seconds_per_sentence=best / len(given),
        kept=kept / decided if decided else 1.0,
        failures=sum(failed) / len(failed),
    )
