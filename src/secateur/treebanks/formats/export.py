"""NEGRA's export format, versions 3 and 4: a word or node a line, between `#BOS 1` and `#EOS 1`.

The columns are the word, its lemma (version 4 only), tag, morphology, what it is to its parent, and the
parent's number; then the same two for each further parent. Nodes are called `#500`, `#501`, ... and stand
behind the words; `--` is for nothing. What has the parent 0 hangs from a root that is not written: VROOT.
White space separates the columns: where a lemma or the morphology has some, `_` is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from secateur.errors import InputError
from secateur.treebanks.formats import graph
from secateur.treebanks.formats.graph import (
    MOST_NODES,
    NONE,
    VIRTUAL,
    Fault,
    Node,
    Place,
    Row,
    Rows,
    given,
    written,
)
from secateur.treebanks.tree import Leaf, Tree

OPENING = "#FORMAT 4\n"
CLOSING = ""

_FIRST_NODE = 500
_COLUMN = re.compile(r"[^ \t\n\r\f\v]+")  # white space is ASCII only: a no-break space may be part of a word
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_NODE = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,5})")
_NUMBER = re.compile(r"[0-9]+")
_COMMENT = "%%"
_WIDTHS = {3: 5, 4: 6}  # columns of a line without further parents
_STARTS = re.compile(r"\s*(?:%%[^\n]*\n\s*)*#(?:FORMAT\s+[0-9]|BOT\s|BOS\s+\S)")


def _trees(lines: Iterable[str], name: str, empty: bool) -> Iterator[Tree | InputError]:
    return _Reader(name, empty).read(lines)


read = graph.reading(_trees)


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    return _STARTS.match(text) is not None


class _Line(NamedTuple):
    """A line of a sentence."""

    number: int
    text: str

    @property
    def columns(self) -> list[str]:
        return _COLUMN.findall(self.text)

    def place(self, column: int) -> Place:
        """Where a column starts; the end of the line, if it has none of that number."""
        starts = [match.start() for match in _COLUMN.finditer(self.text)]
        return self.number, 1 + (starts[column] if column < len(starts) else len(self.text.rstrip()))


@dataclass
class _Sentence:
    """The lines of a sentence that has begun."""

    start: _Line
    lines: list[_Line] = field(default_factory=list)
    is_lost: bool = False  # a fault in it has been told

    @property
    def id(self) -> str:
        return self.start.columns[1]


class _Reader:
    """Goes through a file line by line."""

    def __init__(self, name: str, empty: bool) -> None:
        self._name, self._empty = name, empty
        self._version = 0  # 0: not known yet
        self._open: _Sentence | None = None
        self._in_table = False
        self._is_lost = False  # between sentences, behind a fault

    def read(self, lines: Iterable[str]) -> Iterator[Tree | InputError]:
        last = _Line(1, "")
        for number, text in enumerate(lines, 1):
            last = _Line(number, text)
            try:
                tree = self._take(last)
            except Fault as fault:
                yield fault.error(self._name)
            else:
                if tree is not None:
                    yield tree
        if self._open and not self._open.is_lost:
            yield self._unended().error(self._name)
        elif self._in_table:
            yield Fault(last.place(MOST_NODES), "a table that never ends", "add #EOT").error(self._name)

    def _take(self, line: _Line) -> Tree | None:
        """The tree that ends with this line, if one does."""
        text = line.text
        if text.startswith(_COMMENT) or not text.strip(" \t\n\r\f\v"):
            return None
        if not text.startswith("#"):
            self._add(line)
            return None
        row = text.partition(_COMMENT)[0].split()
        first, width = row[0], len(row)
        if first == "#BOS" and (width <= _WIDTHS[3] or not self._open):
            self._begin(line)
        elif self._open and first == "#EOS" and width < _WIDTHS[3]:
            return self._end(line)
        elif self._open:
            self._add(line)
        elif first == "#FORMAT" and not self._in_table:
            self._choose(line)
        elif first in ("#BOT", "#EOT"):
            self._in_table = first == "#BOT"
        else:
            self._add(line)
        return None

    def _choose(self, line: _Line) -> None:
        version = line.columns[1:2]
        if version not in (["3"], ["4"]):
            raise Fault(line.place(1), "an unknown version of the format", "write #FORMAT 3 or #FORMAT 4")
        self._version = int(version[0])

    def _begin(self, line: _Line) -> None:
        before = self._open
        fault = self._unended() if before and not before.is_lost else None
        self._open = _Sentence(line) if len(line.columns) > 1 else None
        self._in_table, self._is_lost = False, self._open is None
        if fault:
            raise fault
        if self._open is None:
            raise Fault(line.place(1), "a sentence without a number", "write #BOS 1")

    def _unended(self) -> Fault:
        assert self._open is not None
        what = f"the sentence {self._open.id} never ends"
        return Fault(self._open.start.place(0), what, f"add #EOS {self._open.id}")

    def _add(self, line: _Line) -> None:
        if self._in_table or self._is_lost:
            return
        if self._open is None:
            self._is_lost = True
            fix = "put #BOS and a number before the sentence, or give --from another format"
            raise Fault(line.place(0), "a line outside a sentence", fix)
        if self._open.is_lost:
            return
        if len(self._open.lines) == MOST_NODES:
            self._open.is_lost = True
            fix = "check that #EOS stands behind each sentence"
            raise Fault(line.place(0), f"a sentence of more than {MOST_NODES:,} lines", fix)
        self._open.lines.append(line)

    def _end(self, line: _Line) -> Tree | None:
        assert self._open is not None
        sentence, self._open = self._open, None
        if sentence.is_lost:
            return None
        if line.columns[1:2] != [sentence.id]:
            raise Fault(line.place(1), f"the end of another sentence than {sentence.id}", "mend the number")
        return self._tree(sentence)

    def _tree(self, sentence: _Sentence) -> Tree:
        comment = graph.spaced(sentence.start.text.partition(_COMMENT)[2])
        if not sentence.lines:
            if self._empty:
                return graph.empty_tree(sentence.id, comment)
            raise Fault(sentence.start.place(0), "a sentence without words", "delete it")
        rows = [_columns(line) for line in sentence.lines]
        version = self._version or 4 - len(rows[0]) % 2  # further parents come with their labels, in pairs
        count = _words(rows)
        numbers = _numbers(sentence.lines, rows, count)
        nodes: list[Node] = []
        further: list[tuple[int, str, int]] = []
        for place, (line, row) in enumerate(zip(sentence.lines, rows, strict=True)):
            node, others = _node(line, row, _WIDTHS[version], numbers)
            nodes.append(node)
            further += [(place, label, parent) for label, parent in others]
        self._version = version
        nodes.append(Node(VIRTUAL, "", NONE, sentence.start.place(0)))
        words = [row[0] for row in rows[:count]]
        return graph.tree_of(words, nodes, further, id=sentence.id, comment=comment)


def _columns(line: _Line) -> list[str]:
    """The columns before a comment, which may follow the parent."""
    row = line.columns
    stop = next((n for n in range(_WIDTHS[3], len(row)) if row[n].startswith(_COMMENT)), len(row))
    return row[:stop]


def _words(rows: list[list[str]]) -> int:
    """How many lines are words: what looks like a node is a word if others follow."""
    count = len(rows)
    while count and _NODE.fullmatch(rows[count - 1][0]):
        count -= 1
    return count


def _numbers(lines: list[_Line], rows: list[list[str]], count: int) -> dict[str, int]:
    """The numbers of nodes as they are written, and their places among the lines; 0 is behind the last."""
    numbers = {"0": len(rows)}
    for place in range(count, len(rows)):
        number = rows[place][0][1:]
        if number in numbers:
            raise Fault(lines[place].place(0), f"a second node {number}", "give it another number")
        numbers[number] = place
    return numbers


def _node(
    line: _Line, row: list[str], width: int, numbers: dict[str, int]
) -> tuple[Node, list[tuple[str, int]]]:
    """What a line says, and the further labels and parents in it."""
    if len(row) < width or (len(row) - width) % 2:
        fix = "give each line the same columns; -- is for nothing, and further parents come with their labels"
        raise Fault(line.place(len(row)), f"{len(row)} columns rather than {width}", fix)
    tag, morph, rel = row[width - 4 : width - 1]
    lemma = row[1] if width == _WIDTHS[4] else ""
    for column in range(width - 1, len(row), 2):
        if row[column] not in numbers:
            raise _unknown(line, column, row[column])
    place, parent = (line.number, 1), numbers[row[width - 1]]
    node = Node(intern(tag), given(rel), parent, place, given(lemma), given(morph))
    return node, [(given(row[n]), numbers[row[n + 1]]) for n in range(width, len(row), 2)]


def _unknown(line: _Line, column: int, parent: str) -> Fault:
    if not _NUMBER.fullmatch(parent):
        return Fault(line.place(column), f'the parent "{parent}" is not a number', "use 0 for none")
    fix = f"add a line #{parent}, or use 0 for none"
    return Fault(line.place(column), f"there is no node {parent}", fix)


# Writing ----------------------------------------------------------------------------------------------------


def write(tree: Tree) -> str:
    """The lines of a sentence, in version 4; one without an id gets the number 1."""
    found = graph.rows(tree)
    numbers = {NONE: "0"}
    nodes = found.nodes
    if nodes and tree.label in ("", VIRTUAL):
        *nodes, _ = nodes
        numbers[0] = "0"
    numbers |= {row.place: str(number) for number, row in enumerate(nodes, _FIRST_NODE)}
    aside = found.aside
    if 0 in found.further and numbers.get(0) == "0":
        what = "the root, which is not written, cannot have a secondary parent"
        raise InputError(what, fix="leave it out")
    id = _column(aside.id or "1", "id")
    comment = f" {_COMMENT} {graph.spaced(aside.comment)}" if aside.comment else ""
    lines = [f"#BOS {id}{comment}"]
    for row, lemma, morph in found.carried():
        lines.append("\t".join((_word(row.node), *_columns_of(row, found, numbers, lemma, morph))))
    if found.words and _NODE.fullmatch(last := lines[-1].partition("\t")[0]):
        raise InputError(f'a sentence cannot end with the word "{last}" in this format', fix="leave it out")
    lines += [f"#{numbers[row.place]}\t" + "\t".join(_columns_of(row, found, numbers)) for row in nodes]
    return "\n".join((*lines, f"#EOS {id}"))


def _columns_of(
    row: Row, found: Rows, numbers: dict[int, str], lemma: str = "", morph: str = ""
) -> list[str]:
    """What follows the word, or the number of the node."""
    node = row.node
    lemma, morph = (_SPACE.sub("_", written(value)) for value in (lemma, morph))
    columns = [lemma, node.label, morph, written(node.rel), numbers[row.parent]]
    for _, label, parent in found.further.get(row.place, ()):
        if parent not in numbers:
            raise InputError("a word cannot be a secondary parent", fix="leave it out")
        if label.startswith(_COMMENT):
            raise InputError(f"the label {label!r} cannot be written", fix="use another")
        columns += [written(label), numbers[parent]]
    return [_column(column, "label") for column in columns]


def _word(tag: Tree) -> str:
    leaf = tag.children[0]
    assert isinstance(leaf, Leaf)
    if leaf.word.startswith(_COMMENT):
        raise InputError(f"the word {leaf.word!r} cannot be written", fix="write it as % %")
    return _column(leaf.word, "word")


def _column(value: str, what: str) -> str:
    if not _COLUMN.fullmatch(value):
        raise InputError(
            f"the {what} {value!r} is empty or has white space in it", fix="write _ for the space"
        )
    return value
