"""The chart of a sentence: what became of every span, as text for a terminal and as SVG.

Words descend in a staircase. The span (i, k) stands in the row of its first word and the column of its last:

          2 3
    0   the · ●
    1     old ●
    2       dog
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len
from rich.text import Text

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class State(StrEnum):
    """What became of a span."""

    used = "in the parse"
    kept = "kept"
    pruned = "pruned"
    lost = "pruned, but gold"


_SYMBOLS = {State.used: "●", State.kept: "○", State.pruned: "·", State.lost: "×"}
_STYLES = {State.used: "bold blue", State.kept: "cyan", State.pruned: "dim", State.lost: "bold red"}


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """The spans of a sentence of n words; arrays are [n+1, n+1], by (i, k)."""

    words: Sequence[str]
    kept: Bools
    used: Bools
    gold: Bools | None = None
    scores: Floats | None = None  # the policy's; above 0 is kept

    def state(self, i: int, k: int) -> State:
        if self.used[i, k]:
            return State.used
        if self.kept[i, k]:
            return State.kept
        return State.pruned if self.gold is None or not self.gold[i, k] else State.lost

    def spans(self) -> list[tuple[int, int]]:
        """All of two words and more, row by row."""
        n = len(self.words)
        return [(i, k) for i in range(n - 1) for k in range(i + 2, n + 1)]

    def decided(self) -> list[tuple[int, int]]:
        """The spans that a policy decides on: all but the whole sentence."""
        return [(i, k) for i, k in self.spans() if k - i < len(self.words)]

    def doubtful(self) -> list[tuple[int, int]]:
        """The decided spans: those lost first, then by how near to the threshold they are."""
        scores = np.zeros(self.kept.shape) if self.scores is None else self.scores
        return sorted(self.decided(), key=lambda s: (self.state(*s) is not State.lost, abs(scores[s]), s))

    @property
    def shown(self) -> list[str]:
        """The words without what would upset a terminal or XML."""
        return ["".join(c if c.isprintable() else "\ufffd" for c in word) for word in self.words]

    def states(self) -> list[State]:
        """The states that can occur."""
        return [state for state in State if state is not State.lost or self.gold is not None]


# Text -------------------------------------------------------------------------------------------------------


def width(chart: Chart) -> int:
    """Cells of a terminal that the text takes."""
    return _column(chart, len(chart.words) - 1) + 1


def text(chart: Chart) -> Text:
    """The chart, a row a line, and what the symbols mean."""
    n = len(chart.words)
    made = Text("\n").join([*_header(chart), *(_row(chart, i) for i in range(n)), Text(), legend(chart)])
    made.no_wrap = True
    return made


def legend(chart: Chart) -> Text:
    parts = (Text.assemble((_SYMBOLS[s], _STYLES[s]), f" {s.value}") for s in chart.states())
    return Text("   ").join([*parts, Text("(row i, column k)", "dim")])


def _column(chart: Chart, position: int) -> int:
    """Where the word of this position ends; the numbers of the rows stand before all words."""
    numbers = len(str(len(chart.words) - 1)) + 1
    room = max(cell_len(word) - 2 * p for p, word in enumerate(chart.shown))
    return numbers + max(room, 1) - 1 + 2 * position


def _header(chart: Chart) -> Iterator[Text]:
    """k over each column, its digits one below the other."""
    n = len(chart.words)
    digits = len(str(n))
    for place in range(digits):
        line = " " * _column(chart, 0)
        line += "".join(f" {str(k).rjust(digits)[place]}" for k in range(2, n + 1)) if n > 1 else ""
        yield Text(f" {line}".rstrip(), style="dim")


def _row(chart: Chart, i: int) -> Text:
    n = len(chart.words)
    numbers = len(str(n - 1))
    word = chart.shown[i]
    gap = _column(chart, i) + 1 - numbers - cell_len(word)
    row = Text.assemble((f"{i:>{numbers}}", "dim"), " " * gap, word)
    for k in range(i + 2, n + 1):
        state = chart.state(i, k)
        row.append(" ").append(_SYMBOLS[state], _STYLES[state])
    return row


# SVG --------------------------------------------------------------------------------------------------------

_CELL = 18  # pixels, as all below
_FONT = 13
_LETTER = 7.6  # width of a usual one
_MARGIN = 14
# Written out for both schemes: not all that draws SVG knows variables.
_CSS = """
text{font:13px system-ui,sans-serif;fill:#222}.paper{fill:#fff}.n{font-size:9px;fill:#777}
.used{fill:#0072b2}.kept{fill:#9ecae9}.pruned{fill:#c4c4c4}.lost{fill:none;stroke:#d55e00;stroke-width:2.6}
@media (prefers-color-scheme:dark){
text{fill:#e6e6e6}.paper{fill:#16181a}.n{fill:#9a9a9a}
.used{fill:#56b4e9}.kept{fill:#2f6690}.pruned{fill:#5a5a5a}.lost{stroke:#f08a3c}
}
"""


def svg(chart: Chart, *, title: str) -> str:
    """The chart as a self-contained image; pointing at a span tells its words and its score."""
    n = len(chart.words)
    left = _MARGIN + 20 + max(_LETTER * cell_len(w) - _CELL * p for p, w in enumerate(chart.shown))
    top = _MARGIN + 40
    key = _legend(chart, top + n * _CELL + 24)
    wide = max(left + n * _CELL + _MARGIN, 460, _MARGIN + _LETTER * cell_len(title))
    high = top + n * _CELL + 24 + _MARGIN
    numbers = "".join(
        f'<text class="n" x="{left + (k - 0.5) * _CELL:g}" y="{top - 5}" text-anchor="middle">{k}</text>'
        for k in range(2, n + 1)
    )
    numbers += "".join(
        f'<text class="n" x="{_MARGIN}" y="{top + (i + 0.7) * _CELL:g}">{i}</text>' for i in range(n)
    )
    words = "".join(
        f'<text x="{left + (p + 0.8) * _CELL:g}" y="{top + (p + 0.75) * _CELL:g}" '
        f'text-anchor="end">{escape(word)}</text>'
        for p, word in enumerate(chart.shown)
    )
    spans = "".join(_span(chart, i, k, left, top) for i, k in chart.spans())
    heading = f'<text x="{_MARGIN}" y="{_MARGIN + _FONT}">{escape(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:.0f} {high:.0f}" role="img"><style>{_CSS}</style>'
        f'<rect class="paper" width="100%" height="100%"/>'
        f"{heading}{numbers}{words}{spans}{key}</svg>\n"
    )


def _span(chart: Chart, i: int, k: int, left: float, top: float) -> str:
    state = chart.state(i, k)
    covered = escape(" ".join(chart.shown[i:k]))
    score = ""
    if chart.scores is not None and k - i < len(chart.words):
        score = f", score {chart.scores[i, k]:+.3f}"
    mark = _mark(state, left + (k - 0.5) * _CELL, top + (i + 0.5) * _CELL)
    return f"<g><title>({i}, {k}) {covered}: {state.value}{score}</title>{mark}</g>"


def _mark(state: State, x: float, y: float) -> str:
    """Each state has a shape of its own, so that colours are not needed."""
    if state is State.pruned:
        return f'<circle class="pruned" cx="{x:g}" cy="{y:g}" r="2"/>'
    if state is State.lost:
        return f'<path class="lost" d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10"/>'
    size = 15 if state is State.used else 10
    return (
        f'<rect class="{state.name}" x="{x - size / 2:g}" y="{y - size / 2:g}" '
        f'width="{size}" height="{size}" rx="2"/>'
    )


def _legend(chart: Chart, y: float) -> str:
    parts = []
    x = _MARGIN + 8.0
    for state in chart.states():
        parts.append(_mark(state, x, y - 4.5) + f'<text x="{x + 14:g}" y="{y:g}">{state.value}</text>')
        x += 34 + _LETTER * len(state.value)
    return "".join(parts)
