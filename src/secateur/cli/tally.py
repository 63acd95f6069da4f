"""The summary of a run of parsing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from secateur.cli.terminal import count, err

if TYPE_CHECKING:
    from secateur.search.core import Work

# Fewer sentences tell more about loading the kernels than about parsing.
ENOUGH = 100


class Tally:
    """What the summary of a run says: counts, and the work under its name."""

    def __init__(self, work: str, of: Callable[[Work], int]) -> None:
        self.work, self.of = work, of
        self.sentences = self.words = self.blank = self.failed = self.degraded = self.done = 0
        self.first = 0  # words of the first sentence, during which the kernels were loaded
        self.started = time.perf_counter()

    def add(self, words: int, best: Any) -> None:
        if not words:
            self.blank += 1
            return
        self.sentences += 1
        self.words += words
        self.failed += best is None or getattr(best, "failed", False)
        self.degraded += getattr(best, "degraded", False)
        self.done += self.of(best.work) if hasattr(best, "work") else 0
        if self.sentences == 1:
            self.first, self.started = self.words, time.perf_counter()

    def report(self, setting: str) -> None:
        parts = [count(self.sentences, "sentence"), count(self.words, "word")]
        if self.blank:
            parts.append(count(self.blank, "blank line"))
        parts += [f"{self.failed:,} without a parse", f"{self.degraded:,} degraded"]
        if self.sentences >= ENOUGH:
            seconds = time.perf_counter() - self.started
            parts.append(f"{(self.words - self.first) / max(seconds, 1e-9):,.0f} words/s")
        if self.done:
            parts.append(f"{self.done / self.sentences:,.0f} {self.work}/sentence")
        err.print(f"{setting}: {', '.join(parts)}")
