"""Dependency trees as text: a word a line, arcs on the left of it.

     ┌─► she   PRP  nsubj
    ┌┴─* saw   VBD  root
    │┌─► an    DT   det
    └┴─► oak   NN   obj

An arc goes from its head to an arrow before its modifier; the root has a mark of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.draw.phrases import cells, printable

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by which of the four ways a cell is left
_ARROW, _ROOT = "►", "*"


def text(tree: DependencyTree, notes: Sequence[Sequence[str]] | None = None) -> str:
    """The tree in lines; `notes` are columns to stand behind each word, else its tag and label."""
    if notes is None:
        notes = list(zip(tree.tags, tree.labels or ("",) * len(tree), strict=True))
    rows = [[printable(word), *own] for word, own in zip(tree.words, notes, strict=True)]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    lines = []
    for arcs, row in zip(_arcs(tree.heads) if tree.heads else [""] * len(tree), rows, strict=True):
        padded = (value + " " * (width - cells(value)) for value, width in zip(row, widths, strict=True))
        lines.append(f"{arcs} {'  '.join(padded)}".rstrip())
    return "\n".join(lines)


def _arcs(heads: Sequence[int]) -> list[str]:
    """The arcs as they stand before each word."""
    columns = _columns(heads)
    width = max(columns.values(), default=-1) + 1
    grid = [[0] * width for _ in heads]
    for (head, m), level in columns.items():
        place = width - 1 - level  # the shorter an arc, the nearer to the words
        top, bottom = min(head, m), max(head, m)
        grid[top][place] |= _DOWN
        grid[bottom][place] |= _UP
        for row in range(top + 1, bottom):
            grid[row][place] |= _UP | _DOWN
        for row in (top, bottom):
            grid[row][place] |= _RIGHT
            for column in range(place + 1, width):
                grid[row][column] |= _LEFT | _RIGHT
    lines = []
    for m, (ways, head) in enumerate(zip(grid, heads, strict=True)):
        line = "".join(_BOXES[way] for way in ways)
        leads = bool(ways) and bool(ways[-1] & _RIGHT)
        end = _ROOT if head == 0 else _ARROW if (head - 1, m) in columns else " "
        lines.append(line + ("─" if leads else " ") + end)
    return lines


def _columns(heads: Sequence[int]) -> dict[tuple[int, int], int]:
    """A level for each arc (words from 0, without those from the root), clear of all it overlaps."""
    arcs = [(head - 1, m) for m, head in enumerate(heads) if head]
    levels: dict[tuple[int, int], int] = {}
    for arc in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), min(arc))):
        low, high = min(arc), max(arc)
        below = [level for other, level in levels.items() if min(other) <= high and max(other) >= low]
        levels[arc] = max(below, default=-1) + 1
    return levels


def svg(tree: DependencyTree, *, title: str = "") -> str:
    return ""
