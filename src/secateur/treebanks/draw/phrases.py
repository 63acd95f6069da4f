"""Pictures of trees, as text for a terminal and as SVG: words along the bottom, in the order of the sentence.

Both share a layout in which nothing collides. A subtree without discontinuous nodes keeps to the columns of
its words; a node above a discontinuity stands over one of its children, so that a column always belongs to a
single path. Thus branches cross only the horizontal bars of other nodes, and a crossing looks unlike a joint:
the bar is interrupted in text and hops over the branch in SVG.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from secateur.treebanks.tree import Tree

_UNLABELLED = "·"
_TEXT_GAP = 2  # cells between columns
_SVG_GAP = 14  # pixels between columns; the rest are pixels as well
_MARGIN = 12
_FONT = 15
_LEVEL = 46  # from level to level
_TAG_LEVEL = 22  # from words to tags
_HOP = 4  # radius


def text(tree: Tree) -> str:
    """The tree in Unicode box drawing, the root at the top; a crossing branch interrupts the bar: ─│─."""
    boxes = _layout(tree, cells, _TEXT_GAP)
    width = max(box.left + box.width for box in boxes)
    canvas = [[" "] * width for _ in range(_row(boxes[-1]) + 1)]  # the words in row 0
    for box in boxes:
        _put(canvas[_row(box)], box)
        if len(box.children) > 1:
            _put_bar(canvas[_row(box) - 1], box)
    for child, parent in _branches(boxes):
        bar = len(parent.children) > 1  # has the joint in place of the last piece
        for row in canvas[_row(child) + 1 : _row(parent) - bar]:
            row[child.x] = "│"
    return "\n".join("".join(row).rstrip() for row in reversed(canvas))


def svg(tree: Tree, *, title: str = "") -> str:
    """The tree as a self-contained SVG image, in the colour of the text around it."""
    boxes = _layout(tree, pixels, _SVG_GAP)
    width = max(box.left + box.width for box in boxes) + 2 * _MARGIN
    top = boxes[-1].level
    height = _y(0, top) + _MARGIN
    lines = "".join(_lines(box, boxes) for box in boxes if box.level > 1)
    labels = "".join(_svg_text(box, top) for box in boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{-_MARGIN} 0 {width} {height}" role="img">'
        f"<title>{escape(printable(title or ' '.join(tree.words())))}</title>"
        f'<path fill="none" stroke="currentColor" stroke-opacity="0.55" stroke-width="1.3" d="{lines}"/>'
        f'<g fill="currentColor" font-family="system-ui, sans-serif" font-size="{_FONT}" '
        f'text-anchor="middle">{labels}</g></svg>\n'
    )


@dataclass(slots=True)
class _Box:
    """A node or word with its place; x and left in cells or pixels."""

    text: str
    width: int
    children: list[_Box]
    columns: list[int]  # of its words, sorted
    low: int  # the columns from low up to high may hold its text
    high: int
    level: int  # words 0, tags 1, phrases from 2
    is_solid: bool = True  # nothing in it is discontinuous
    x: int = 0  # where its branches meet
    left: int = 0  # where its text starts


def _layout(tree: Tree, measure: Callable[[str], int], gap: int) -> list[_Box]:
    """The boxes, children before parents."""
    boxes: list[_Box] = []
    column_of = {index: column for column, index in enumerate(tree.indices())}
    if _collect(tree, column_of, measure, boxes) is None:  # a tree without words
        boxes.append(_leaf_box(tree.label or _UNLABELLED, 0, measure))
    widths = [0] * len(boxes[-1].columns)
    for box in boxes:
        columns = range(box.low, box.high)
        lacking = box.width - sum(widths[c] for c in columns) - gap * (len(columns) - 1)
        for c in columns:  # all are widened alike
            widths[c] += max(0, -(-lacking // len(columns)))
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width + gap)
    for box in boxes:
        _place(box, starts[box.low], starts[box.high] - gap, snap=gap // 2)
    _lift(boxes)
    return boxes


def _collect(
    node: Tree, column_of: dict[int, int], measure: Callable[[str], int], boxes: list[_Box]
) -> _Box | None:
    """Append the boxes of what is in the node, and then its own; a node without words gets none."""
    children: list[_Box] = []
    for child in node.children:
        if isinstance(child, Tree):
            box = _collect(child, column_of, measure, boxes)
        else:
            box = _leaf_box(child.word, column_of[child.position], measure)
            boxes.append(box)
        if box is not None:
            children.append(box)
    if not children:
        return None
    columns = sorted(c for child in children for c in child.columns)
    low, high = columns[0], columns[-1] + 1
    is_solid = len(columns) == high - low and all(child.is_solid for child in children)
    if not is_solid:
        low, high = _middle(children).low, _middle(children).high
    level = 1 if node.is_preterminal else max(2, 1 + max(child.level for child in children))
    label = printable(node.label) or _UNLABELLED
    found = _Box(label, measure(label), children, columns, low, high, level, is_solid)
    boxes.append(found)
    return found


def _leaf_box(word: str, column: int, measure: Callable[[str], int]) -> _Box:
    word = printable(word)
    return _Box(word, measure(word), [], [column], column, column + 1, 0)


def _middle(boxes: list[_Box]) -> _Box:
    """Of the children of a node, the one it stands over if it cannot stand between them."""
    return boxes[(len(boxes) - 1) // 2]


def _place(box: _Box, start: int, end: int, snap: int) -> None:
    """Put the box between start and end; its children have their places."""
    if not box.children:
        box.x = start + (end - start - 1) // 2
    elif box.is_solid:
        xs = [child.x for child in box.children]
        centre = (min(xs) + max(xs)) // 2
        nearest = min(xs, key=lambda x: abs(x - centre))
        box.x = nearest if abs(nearest - centre) <= snap else centre
    else:
        box.x = _middle(box.children).x
    box.left = max(start, min(box.x - (box.width - 1) // 2, end - box.width))


def _lift(boxes: list[_Box]) -> None:
    """Raise nodes until they are above their children and no two bars overlap on a level."""
    bars: dict[int, list[tuple[int, int]]] = {}  # level -> ends of the bars there
    for box in boxes:
        if box.level < 2:
            continue
        box.level = max(box.level, 1 + max(child.level for child in box.children))
        if len(box.children) == 1:
            continue
        xs = [child.x for child in box.children]
        low, high = min(xs), max(xs)
        while any(low <= b and a <= high for a, b in bars.get(box.level, [])):
            box.level += 1
        bars.setdefault(box.level, []).append((low, high))


def _branches(boxes: list[_Box]) -> Iterator[tuple[_Box, _Box]]:
    """Each child with its parent."""
    return ((child, box) for box in boxes for child in box.children)


def _row(box: _Box) -> int:
    """The line of its text, counted from the bottom; the bar of a phrase is on the line below."""
    return max(0, 2 * box.level - 1)


def _put(row: list[str], box: _Box) -> None:
    cell = box.left - 1
    for char in box.text:
        size = cells(char)
        if size:
            cell += 1
            row[cell] = char
            if size == 2:  # takes the next cell as well
                cell += 1
                row[cell] = ""
        else:
            row[max(cell, 0)] += char


def _put_bar(row: list[str], box: _Box) -> None:
    xs = {child.x for child in box.children}
    low, high = min(xs), max(xs)
    for x in range(low, high + 1):
        row[x] = _GLYPHS[x == box.x, x in xs, x > low, x < high]


# by: joined to the node above, to a child below, to the left, to the right
_GLYPHS = {
    (True, True, False, True): "├",
    (True, True, True, False): "┤",
    (True, True, True, True): "┼",
    (True, False, True, True): "┴",
    (False, True, False, True): "┌",
    (False, True, True, False): "┐",
    (False, True, True, True): "┬",
    (False, False, True, True): "─",
}


def _y(level: int, top: int) -> int:
    """Base line of the text on a level."""
    if level == 0:
        return _y(1, top) + _TAG_LEVEL if top else _MARGIN + _FONT
    return _MARGIN + _FONT + (top - level) * _LEVEL


def _lines(box: _Box, boxes: list[_Box]) -> str:
    """The branches of a phrase as steps of an SVG path."""
    top = boxes[-1].level
    y = _y(box.level, top) + _LEVEL // 2 - _FONT // 3
    xs = [child.x for child in box.children]
    low, high = min(xs), max(xs)
    crossed = sorted(
        child.x
        for child, parent in _branches(boxes)
        if low < child.x < high and child.level < box.level <= parent.level and parent is not box
    )
    hops = "".join(f"H{x - _HOP}a{_HOP} {_HOP} 0 0 1 {2 * _HOP} 0" for x in crossed)
    down = "".join(f"M{child.x} {y}V{_y(child.level, top) - _FONT}" for child in box.children)
    return f"M{box.x} {_y(box.level, top) + 5}V{y}M{low} {y}{hops}H{high}{down}"


def _svg_text(box: _Box, top: int) -> str:
    weight = ' font-weight="600"' if box.level > 1 else ' fill-opacity="0.7"' if box.level == 1 else ""
    x = box.left + box.width // 2
    return f'<text x="{x}" y="{_y(box.level, top)}"{weight}>{escape(box.text)}</text>'


def cells(text: str) -> int:
    """Cells of a terminal that the text takes."""
    return sum(_char_cells(char) for char in text)


def _char_cells(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pixels(text: str) -> int:
    """Pixels that the text takes in a usual font, rather too many than too few."""
    return sum(11 if char.isupper() else 8 * _char_cells(char) for char in text)


def printable(text: str) -> str:
    """Without what would upset a terminal or XML: control characters, halves of characters."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in {"Cc", "Cs"} or char in "\ufffe\uffff" else char
        for char in text
    )
