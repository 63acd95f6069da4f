"""Patterns: how the components of children make up those of their parent.

An item covers a set of positions; its components are the maximal runs of the set, so they never touch. Read
from left to right, the components of a parent are sequences of *segments*, each a component of one child:

    ((0, 1), (0,))    the first child's first component, then the second child's only one; a gap; the
                      first child's second component. Written 01,0.

The children stand in the order of their first positions, so 0 comes before 1; the k-th segment of a child is
its k-th component. For binary rules a pattern is one number: 1, then two bits for each segment, which child
it is of and whether a gap of the parent follows. Sets of positions are integers: position p is bit p.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from secateur.errors import InputError

Components = tuple[tuple[int, ...], ...]  # of a parent: for each of its segments, which child it is of

MOST_SEGMENTS = 31  # of a binary rule: two bits each and the leading one are a number of 64 bits
CONTINUOUS: Components = ((0, 1),)


def encode(components: Components) -> int:
    """The pattern of a binary rule as a number."""
    code = 1
    for segment in segments(components):
        code = code << 2 | segment
    return code


def decode(code: int) -> Components:
    """The components that a number stands for."""
    return from_segments([code >> shift & 3 for shift in range(code.bit_length() - 3, -1, -2)])


def segments(components: Components) -> list[int]:
    """Every segment as 2 * child + whether a gap of the parent follows."""
    found = [2 * child for part in components for child in part]
    end = 0
    for part in components[:-1]:
        end += len(part)
        found[end - 1] += 1
    return found


def from_segments(found: Sequence[int]) -> Components:
    """The inverse of `segments`."""
    parts: list[list[int]] = [[]]
    for segment in found:
        parts[-1].append(segment >> 1)
        if segment & 1:
            parts.append([])
    return tuple(map(tuple, parts))


def fanouts(components: Components) -> tuple[int, ...]:
    """How many components each child has."""
    return tuple(count for _, count in sorted(Counter(c for part in components for c in part).items()))


def ordered(components: Components) -> tuple[Components, list[int]]:
    """The same with children numbered by first position, and which child each of these was before."""
    before = list(dict.fromkeys(child for part in components for child in part))
    place = {child: k for k, child in enumerate(before)}
    return tuple(tuple(place[child] for child in part) for part in components), before


def check(components: Components, children: int) -> None:
    """Refuse what is no pattern of so many children."""
    shown = text_of(components)[:40]
    if not components or not all(components):
        raise InputError(f"an empty component in the pattern {shown!r}", fix="every component covers words")
    firsts = list(dict.fromkeys(child for part in components for child in part))
    if sorted(firsts) != list(range(children)):
        fix = "each child has a segment at least, and children are numbered from 0"
        raise InputError(f"the pattern {shown!r} is not one of {children} children", fix=fix)
    if firsts != sorted(firsts):
        fix = "number the children by the order in which they begin"
        raise InputError(f"the pattern {shown!r} begins with a later child", fix=fix)
    if any(one == other for part in components for one, other in pairwise(part)):
        fix = "components of one child have other words between them: make them one component"
        raise InputError(f"two components of one child touch in the pattern {shown!r}", fix=fix)
    if children == 2 and sum(map(len, components)) > MOST_SEGMENTS:
        fix = "split the rule, or lower the fan-out of its children"
        raise InputError(f"a binary rule of more than {MOST_SEGMENTS} segments", fix=fix)


def text_of(components: Components) -> str:
    """As rules are written: 01,0; with a dot between numbers where there are more than ten children."""
    dot = "." if any(child > 9 for part in components for child in part) else ""
    return ",".join(dot.join(map(str, part)) for part in components)


def parse(text: str) -> Components | None:
    """The inverse of `text_of`; None where the text is not one."""
    parts = [part.split(".") if "." in text else list(part) for part in text.split(",")]
    if not all(
        number.isdecimal() and number.isascii() and len(number) < 6 for part in parts for number in part
    ):
        return None
    return tuple(tuple(map(int, part)) for part in parts)


def fanout(positions: int) -> int:
    """The number of runs in a set of positions."""
    return (positions & ~(positions << 1)).bit_count()


def runs(positions: int) -> Iterator[tuple[int, int]]:
    """The runs of a set of positions, as first position and the one behind the last."""
    while positions:
        low = positions & -positions
        beyond = positions + low  # the carry ends up behind the run
        yield low.bit_length() - 1, (beyond & -beyond).bit_length() - 1
        positions &= beyond


def components_of(children: Sequence[int]) -> Components:
    """The pattern in which the position sets of children stand; they are given by first position."""
    found = sorted((*run, child) for child, positions in enumerate(children) for run in runs(positions))
    parts: list[list[int]] = []
    before = -1
    for first, behind, child in found:
        if first != before:
            parts.append([])
        parts[-1].append(child)
        before = behind
    return tuple(map(tuple, parts))
