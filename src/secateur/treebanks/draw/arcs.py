"""Dependency trees as text, a word a line, arcs on the left of it; as SVG, arcs over a line of words.

     ┌─► she   PRP  nsubj
    ┌┴─* saw   VBD  root
    │┌─► an    DT   det
    └┴─► oak   NN   obj

An arc goes from its head to an arrow before its modifier; the root has a mark of its own. In both pictures an
arc is further away from the words than those it spans: only where a tree is not projective do arcs cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

from secateur.treebanks.dependency_tree import DependencyTree
from secateur.treebanks.draw.phrases import cells, pixels, printable

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by which of the four ways a cell is left
_ARROW, _ROOT = "►", "*"

_FONT, _SMALL = 15, 11  # pixels, as all that follows: words and tags; labels of arcs
_GAP = 16  # between words
_MARGIN = 12
_LEVEL = 25  # from arc to arc
_LINE = 19  # from line to line under the words
_FOOT = 7  # between arcs that meet at a word
_BEND = 7  # radius of the corners of arcs
_TIP = 7  # length of an arrow


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
    return _levels(heads, touching=True)


def _levels(heads: Sequence[int], *, touching: bool) -> dict[tuple[int, int], int]:
    """The level of each arc, the shorter the lower; arcs that only touch each other may share one, or not."""
    arcs = [(head - 1, m) for m, head in enumerate(heads) if head]
    levels: dict[tuple[int, int], int] = {}
    for arc in sorted(arcs, key=lambda arc: (abs(arc[0] - arc[1]), min(arc))):
        low, high = min(arc) + (not touching), max(arc) - (not touching)
        below = [level for other, level in levels.items() if min(other) <= high and max(other) >= low]
        levels[arc] = max(below, default=-1) + 1
    return levels


# SVG --------------------------------------------------------------------------------------------------------


def svg(tree: DependencyTree, notes: Sequence[Sequence[str]] | None = None, *, title: str = "") -> str:
    """The tree as a self-contained SVG image; `notes` are to stand below each word, else its tag."""
    below = [[printable(note) for note in own] for own in (notes or [(tag,) for tag in tree.tags])]
    words = [printable(word) for word in tree.words]
    levels = _levels(tree.heads, touching=False)
    feet = _feet(tree.heads, levels)
    labels = [printable(label) for label in tree.labels]
    xs, width = _places(words, below, feet, labels)
    top = _MARGIN + _LEVEL * (max(levels.values(), default=-1) + 2 if tree.heads else 0)
    height = top + _FONT + _LINE * max(map(len, below), default=0) + _MARGIN
    arcs = [_drawn(xs, feet, (head - 1, m), levels, top, labels[m]) for m, head in enumerate(tree.heads)]
    texts = [_text(x, top + _FONT, word) for x, word in zip(xs, words, strict=True)]
    texts += [
        _text(x, top + _FONT + _LINE * line, note, ' fill-opacity="0.7"')
        for x, own in zip(xs, below, strict=True)
        for line, note in enumerate(own, 1)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">'
        f"<title>{escape(printable(title or ' '.join(tree.words)))}</title>"
        f'<path fill="none" stroke="currentColor" stroke-opacity="0.55" stroke-width="1.3" '
        f'd="{"".join(arc.line for arc in arcs)}"/>'
        f'<path fill="currentColor" fill-opacity="0.7" d="{"".join(arc.tip for arc in arcs)}"/>'
        f'<g fill="currentColor" font-family="system-ui, sans-serif" font-size="{_FONT}" '
        f'text-anchor="middle">{"".join(texts)}'
        f'<g font-size="{_SMALL}">{"".join(arc.text for arc in arcs)}</g></g></svg>\n'
    )


Feet = dict[tuple[int, int, int], int]  # (word, head, modifier) -> how far from the middle of the word


def _feet(heads: Sequence[int], levels: dict[tuple[int, int], int]) -> Feet:
    """Where arcs stand on their words: no arc crosses another of the same word.

    From left to right: those that go left, lower first; the root's; those that go right, higher first.
    """
    at: list[list[tuple[int, int, int, int]]] = [[] for _ in heads]  # side, order, head, modifier
    for m, head in enumerate(heads):
        arc = (head - 1, m)
        if not head:
            at[m].append((0, 0, *arc))
            continue
        left, right = min(arc), max(arc)
        at[left].append((1, -levels[arc], *arc))
        at[right].append((-1, levels[arc], *arc))
    return {
        (word, head, m): _FOOT * place - _FOOT * (len(own) - 1) // 2
        for word, own in enumerate(at)
        for place, (_, _, head, m) in enumerate(sorted(own))
    }


def _places(
    words: Sequence[str], below: Sequence[Sequence[str]], feet: Feet, labels: Sequence[str]
) -> tuple[list[int], int]:
    """The middle of each word, and the width of the picture; labels fit between the feet of their arcs."""
    sizes = [max(map(pixels, (word, *own))) for word, own in zip(words, below, strict=True)]
    for (word, head, m), x in feet.items():
        sizes[word] = max(sizes[word], 2 * abs(x) + (_FOOT if head >= 0 else _small(labels[m])))
    gaps = [_GAP + (a + b) // 2 for a, b in pairwise(sizes)]  # from middle to middle
    arcs = sorted(
        {(min(h, m), max(h, m), h, m) for (_, h, m) in feet if h >= 0}, key=lambda a: (a[1] - a[0], a)
    )
    for left, right, head, m in arcs:
        wanted = _small(labels[m]) + 2 * _BEND + feet[left, head, m] - feet[right, head, m]
        lacking = wanted - sum(gaps[left:right])
        for place in range(left, right):  # all are widened alike
            gaps[place] += max(0, -(-lacking // (right - left)))
    xs = [_MARGIN + sizes[0] // 2] if words else []
    for gap in gaps:
        xs.append(xs[-1] + gap)
    return xs, xs[-1] + sizes[-1] // 2 + _MARGIN if words else 2 * _MARGIN


class _Drawn(NamedTuple):
    """The pieces of an arc."""

    line: str  # steps of an SVG path
    tip: str
    text: str


def _drawn(
    xs: Sequence[int],
    feet: Feet,
    arc: tuple[int, int],
    levels: dict[tuple[int, int], int],
    bottom: int,
    label: str,
) -> _Drawn:
    head, m = arc
    end = xs[m] + feet[m, head, m]
    tip = f"M{end - 4} {bottom - _TIP}h8l-4 {_TIP}z"
    if head < 0:
        y = _MARGIN + _LEVEL // 2
        return _Drawn(f"M{end} {y}V{bottom - _TIP}", tip, _text(end, y - 3, label, ' font-weight="600"'))
    start = xs[head] + feet[head, head, m]
    y = bottom - _LEVEL * (levels[arc] + 1)
    bend = min(_BEND, abs(end - start) // 2) * (1 if end > start else -1)
    line = (
        f"M{start} {bottom}V{y + abs(bend)}q0 {-abs(bend)} {bend} {-abs(bend)}"
        f"H{end - bend}q{bend} 0 {bend} {abs(bend)}V{bottom - _TIP}"
    )
    return _Drawn(line, tip, _text((start + end) // 2, y - 3, label))


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}"{style}>{escape(text)}</text>'


def _small(text: str) -> int:
    """Pixels that a label takes."""
    return -(-pixels(text) * _SMALL // _FONT)
