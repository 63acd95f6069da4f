"""The lines of CoNLL files, sentence by sentence, with the places of faults in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from secateur.errors import InputError


class Block(NamedTuple):
    """The lines of one sentence."""

    name: str  # of the file
    text: str  # all of it, blank lines included
    line: int  # number of the first line that is no comment
    comments: int
    lines: list[str]  # those that are no comments, each with its newline

    @property
    def rows(self) -> list[list[str]]:
        """The columns of the lines that are no comments."""
        return [line[:-1].split("\t") for line in self.lines]

    def error(self, place: int, column: int, what: str, fix: str) -> InputError:
        """A fault in a column of the line at that place; places before 0 are comments."""
        at = 1 + sum(len(value) + 1 for value in self.rows[place][:column]) if place >= 0 else 1
        where = f"{self.line + place}:{at}"
        return InputError(what, where=f"{self.name}:{where}" if self.name else where, fix=fix)


def blocks(lines: Iterable[str], name: str) -> Iterator[Block]:
    """Sentences with all blank lines after them (and before, for the first)."""
    rest = iter(lines)
    block: list[str] = []
    for line in rest:
        block.append(line)
        if line and not line.isspace():
            break
    else:
        return
    number, end = 1, 0  # end: of the lines that are not blank, where there are blank ones behind them
    for line in rest:
        if line.isspace() or not line:
            end = end or len(block)
        elif end:
            yield _block(block, end, number, name)
            number += len(block)
            block, end = [], 0
        block.append(line)
    yield _block(block, end or len(block), number, name)


def _block(block: list[str], end: int, number: int, name: str) -> Block:
    text = "".join(block)
    if text.count("\n") != len(block):
        if text.count("\n") < len(block) - 1:  # lines were given without their newlines
            text = "".join([line if line.endswith("\n") else line + "\n" for line in block])
        block = [line + "\n" for line in text.split("\n")]
    start = 0
    while block[start].isspace():
        start += 1
    first = start
    while first < end and block[first][0] == "#":
        first += 1
    return Block(name, text, number + first, first - start, block[first:end])
