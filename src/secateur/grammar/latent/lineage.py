"""The splits of a symbol as a tree: `(0 (0 0 1) (1 2))` has sub-symbols 0, then 0 and 1, then 0, 1 and 2."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from secateur.errors import InputError
from secateur.grammar.pcfg import Ids

_TOKEN = re.compile(r"[()]|[^\s()]+")


def lineage_text(ancestry: Sequence[tuple[Ids, ...]], x: int) -> str:
    """The tree of symbol x, with all levels of `ancestry` below its root."""

    def node(level: int, a: int) -> str:
        if level == len(ancestry):
            return str(a)
        below = np.flatnonzero(ancestry[level][x] == a).tolist()
        return f"({a} {' '.join(node(level + 1, b) for b in below)})"

    return node(0, 0)


def read_lineage(text: str) -> tuple[Ids, ...]:
    """For each level, which of the level before a sub-symbol comes from."""
    levels: list[list[tuple[int, int]]] = []  # (number, parent's) of the nodes at each depth
    above: list[int] = []
    opening = False
    for token in _TOKEN.findall(text):
        complete = bool(levels) and not above
        if token == ")" and above and not opening:
            above.pop()
        elif token == "(" and not opening and not complete:
            opening = True
        elif token.isdecimal() and len(token) < 10 and not complete:
            if len(above) == len(levels):
                levels.append([])
            levels[len(above)].append((int(token), above[-1] if above else 0))
            if opening:
                above.append(int(token))
            opening = False
        else:
            raise _no_tree(text)
    if above or opening or not levels or not _is_even(levels):
        raise _no_tree(text)
    return tuple(np.array([parent for _, parent in level], np.uint32) for level in levels[1:])


def transposed(lineages: Sequence[tuple[Ids, ...]]) -> tuple[tuple[Ids, ...], ...]:
    """By level and symbol what comes by symbol and level."""
    return tuple(zip(*lineages, strict=True))


def _is_even(levels: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Whether nodes are counted from 0 at each depth, from the left, and none ends before the last depth."""
    numbered = all([number for number, _ in level] == list(range(len(level))) for level in levels)
    parents = [{parent for _, parent in level} for level in levels]
    return numbered and all(
        len(after) == len(before) for before, after in zip(levels[:-1], parents[1:], strict=True)
    )


def _no_tree(text: str) -> InputError:
    shown = text if len(text) <= 60 else f"{text[:60]} ..."
    return InputError(
        f"no tree of splits: {shown}",
        fix="a tree reads (0 (0 0 1) (1 2)): at each depth, sub-symbols counted from 0; all end at the last",
    )
