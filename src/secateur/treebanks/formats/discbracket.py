"""Brackets for discontinuous trees: one tree a line, each word with its position, as in
`(S (VP (WP 0=what) (VB 3=say)) (MD 1=will) (PRP 2=you))`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from sys import intern

from secateur.errors import InputError
from secateur.treebanks.formats.brackets import OnError, Reader, the_one
from secateur.treebanks.formats.lines import escape, line_of
from secateur.treebanks.tree import Leaf, Tree, new_leaf, renumber

_NUMBERED = re.compile(r"([0-9]{1,6})=(.+)", re.DOTALL)
_TAGGED = re.compile(r"\([^\s()]+\s+([^\s()]+)\s*\)")


def read_tree(text: str, *, empty: bool = False) -> Tree:
    """The one tree in `text`; `empty` allows nodes without children, as in "(TOP )"."""
    return the_one(read(io.StringIO(text), empty=empty))


def read(
    lines: Iterable[str], *, name: str = "", on_error: OnError | None = None, empty: bool = False
) -> Iterator[Tree]:
    """The trees in a stream of lines, one at a time; faults are treated as `brackets.read` does."""
    places = _Places()
    return Reader(name=name, empty=empty, leaf=places.leaf, finish=places.finish).read(lines, on_error)


def write(tree: Tree) -> str:
    """The tree on one line; brackets in words become -LRB- and -RRB-."""
    return line_of(tree, lambda leaf: f"{leaf.position}={escape(leaf.word)}")


def looks_like(text: str) -> bool:
    """Whether a file that starts with `text` may be in this format."""
    words = _TAGGED.findall(text)
    return bool(words) and all(_NUMBERED.fullmatch(word) for word in words)


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
        numbered = _NUMBERED.fullmatch(text)
        if numbered is None:
            raise InputError(f'"{text}" has no position', fix=f"write it as {count}={text}")
        position = int(numbered[1])
        if position in self._taken:
            raise InputError(f"two words at position {position}", fix="number the words 0, 1, 2, ...")
        self._taken.add(position)
        self._positions.append(position)
        return new_leaf((count, intern(numbered[2])))

    def finish(self, tree: Tree) -> Tree:
        """The tree with its words at the positions given."""
        positions, count = self._positions, len(self._positions)
        if missing := set(range(count)) - self._taken:
            fix = f"number its {count} words from 0 to {count - 1}"
            raise InputError(f"the tree that ends here has no word at position {min(missing)}", fix=fix)
        self._start()
        return tree if positions == list(range(count)) else renumber(tree, positions)
