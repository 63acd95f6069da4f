"""The summary of a run of parsing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from secateur.cli.terminal import count, err

if TYPE_CHECKING:
    from secateur.cli.parse import Portion
    from secateur.models.point import Figures

# Fewer sentences tell more about loading the kernels than about parsing.
ENOUGH = 100


class Tally:
    """What the summary of a run says: counts, and the work under its name."""

    def __init__(self, figures: Figures) -> None:
        self.unit = figures.unit
        self.sentences = self.words = self.blank = self.failed = self.fell_back = self.degraded = self.cut = (
            self.done
        ) = 0
        self.first = 0  # words of the first portion, during which the kernels were loaded
        self.started = self.loaded = time.perf_counter()

    def add(self, portion: Portion) -> None:
        self.sentences += portion.sentences
        self.words += portion.words
        self.blank += portion.size - portion.sentences
        self.failed += portion.failed
        self.fell_back += portion.fell_back
        self.degraded += portion.degraded
        self.cut += portion.cut
        self.done += portion.work
        if not self.first:
            self.first, self.loaded = self.words, time.perf_counter()

    def report(self, setting: str) -> None:
        parts = [count(self.sentences, "sentence"), count(self.words, "word")]
        if self.blank:
            parts.append(count(self.blank, "blank line"))
        parts += [f"{self.failed:,} without a parse", f"{self.degraded:,} degraded"]
        if self.fell_back:
            parts.append(f"{self.fell_back:,} fell back")
        if self.cut:
            parts.append(f"{self.cut:,} cut off")
        if self.sentences >= ENOUGH:
            later = self.words - self.first
            words, since = (later, self.loaded) if later else (self.words, self.started)
            parts.append(f"{words / max(time.perf_counter() - since, 1e-9):,.0f} words/s")
        if self.done:
            parts.append(f"{self.done / self.sentences:,.0f} {plural(self.unit)}/sentence")
        err.print(f"{setting}: {', '.join(parts)}")


def plural(unit: str) -> str:
    return unit + ("es" if unit.endswith("sh") else "s")
