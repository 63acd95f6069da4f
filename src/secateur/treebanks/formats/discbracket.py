"""Brackets for discontinuous trees: one tree a line, each word with its position, as in
`(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))`.

What treetools writes is read too: numbers from 1 in the brackets, and the words behind a tab, as in
`(S(VP(WP 1)(VB 4))(MD 2)(PRP 3))` and then `what will you say`. The first line tells which it is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from sys import intern

from secateur.errors import InputError
from secateur.treebanks.formats import graph
from secateur.treebanks.formats.brackets import OnError, Reader, the_one
from secateur.treebanks.formats.lines import line_of
from secateur.treebanks.tree import Leaf, Tree, new_leaf, renumber

_NUMBERED = re.compile(r"([0-9]{1,6})=(.+)", re.DOTALL)
_BARE = re.compile(r"[0-9]{1,6}")
_TAGGED = re.compile(r"\([^\s()]+\s+([^\s()]+)\s*\)")
_WORD = re.compile(r"[^ \t\n\r\f\v]+")


def read_tree(text: str, *, empty: bool = False) -> Tree:
    """The one tree in `text`; `empty` allows nodes without children, as in "(TOP )"."""
    return the_one(read(io.StringIO(text), empty=empty))


def read(
    lines: Iterable[str], *, name: str = "", on_error: OnError | None = None, empty: bool = False
) -> Iterator[Tree]:
    """The trees in a stream of lines, one at a time; faults are treated as `brackets.read` does."""
    head: list[str] = []
    rest = iter(lines)
    for line in rest:
        head.append(line)
        if line and not line.isspace():
            break
    lines = chain(head, rest)
    if head and _has_words_apart(head[-1]):
        yield from graph.trees(_with_words_apart(lines, name, empty), name, on_error)
        return
    places = _Places()
    reader = Reader(name=name, empty=empty, leaf=places.leaf, finish=places.finish)
    yield from reader.read(lines, on_error)


def write(tree: Tree) -> str:
    """The tree on one line; brackets in words become -LRB- and -RRB-."""
    return line_of(tree, numbered=True)


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    words = _TAGGED.findall(text)
    if words and all(_NUMBERED.fullmatch(word) for word in words):
        return True
    return _has_words_apart(text.lstrip().partition("\n")[0])


def _has_words_apart(line: str) -> bool:
    before, tab, _ = line.partition("\t")
    words = _TAGGED.findall(before)
    is_tree = before.lstrip().startswith("(") and before.rstrip().endswith(")")
    return bool(tab) and is_tree and bool(words) and all(map(_BARE.fullmatch, words))


def _with_words_apart(lines: Iterable[str], name: str, empty: bool) -> Iterator[Tree | InputError]:
    """The trees of lines each of which has one, with its words behind it."""
    for number, line in enumerate(lines, 1):
        before, _, words = line.partition("\t")
        if not line.strip():
            continue
        places = _PlacesApart(_WORD.findall(words))
        reader = Reader(empty=empty, leaf=places.leaf, finish=places.finish)
        try:
            yield the_one(reader.read([before], None))
        except InputError as error:
            column = error.where.rpartition(":")[2] or "1"
            where = f"{name}:{number}:{column}" if name else f"{number}:{column}"
            yield InputError(error.what, where=where, fix=error.fix)


class _Places:
    """The positions given in one tree; the leaves are counted as they come until the tree has ended."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._positions: list[int] = []
        self._taken: set[int] = set()

    def leaf(self, found: tuple[int, str]) -> Leaf:
        count, text = found
        if count == 0:  # a tree starts, perhaps after one that a fault left unfinished
            self._start()
        position, word = self._split(text, count)
        if position in self._taken:
            raise InputError(f"two words at position {position}", fix="number the words 0, 1, 2, ...")
        self._taken.add(position)
        self._positions.append(position)
        return new_leaf((count, intern(word)))

    def _split(self, text: str, count: int) -> tuple[int, str]:
        """The position and the word of the text of a leaf before which there were so many."""
        numbered = _NUMBERED.fullmatch(text)
        if numbered is None:
            raise InputError(f'"{text}" has no position', fix=f"write it as {count}={text}")
        return int(numbered[1]), numbered[2]

    def finish(self, tree: Tree) -> Tree:
        """The tree with its words at the positions given."""
        positions, count = self._positions, len(self._positions)
        if missing := set(range(count)) - self._taken:
            fix = f"number its {count} words from 0 to {count - 1}"
            raise InputError(f"the tree that ends here has no word at position {min(missing)}", fix=fix)
        self._start()
        return tree if positions == list(range(count)) else renumber(tree, positions)


class _PlacesApart(_Places):
    """The same for one tree whose words stand behind it, numbered from 1."""

    def __init__(self, words: list[str]) -> None:
        super().__init__()
        self._words = words

    def _split(self, text: str, count: int) -> tuple[int, str]:
        if not (_BARE.fullmatch(text) and 1 <= int(text) <= len(self._words)):
            fix = "use numbers from 1, and put the words behind a tab"
            raise InputError(f'"{text}" is not the number of a word behind the tree', fix=fix)
        return int(text) - 1, self._words[int(text) - 1]

    def finish(self, tree: Tree) -> Tree:
        if len(self._taken) != len(self._words):
            what = f"{len(self._words)} words behind the tree, which has {len(self._taken)}"
            raise InputError(what, fix="put its words behind it, separated by spaces")
        return super().finish(tree)
