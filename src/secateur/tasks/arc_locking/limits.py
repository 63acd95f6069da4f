"""How long arcs get: a dictionary of the longest arc seen between two tags in each direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
import numpy.typing as npt

from secateur.kernels.arcs.graph import allowed_arcs
from secateur.treebanks.dependency_tree import DependencyTree

UNLIMITED = 1 << 20
NEW = 3


@dataclass(frozen=True)
class LengthLimits:
    """The longest arc by the tags of head and modifier and by direction; tags never seen have no limit."""

    tags: tuple[str, ...]  # seen in training
    longest: npt.NDArray[np.int32]  # [T+2, T+2, 2], root 0, unknown T+1; 1 where the head comes first

    @classmethod
    def from_trees(cls, trees: Sequence[DependencyTree], *, strict: bool = False) -> LengthLimits:
        """Strict: the longest arc seen. Else, as small treebanks need it: twice that and one, but not longer
        than seen between the coarse tags; between tags never seen together, up to NEW of what these had."""
        of_tags = _longest((tree.tags, tree.heads) for tree in trees)
        of_coarse = _longest((tree.coarse, tree.heads) for tree in trees)
        both = Counter(pair for tree in trees for pair in zip(tree.tags, tree.coarse, strict=True))
        coarse = {tag: c for (tag, c), _ in reversed(both.most_common())}  # the most frequent one of each tag
        numbers = {"": 0} | {tag: number for number, tag in enumerate(coarse, 1)}
        longest = np.full((len(coarse) + 2, len(coarse) + 2, 2), UNLIMITED, np.int32)
        for head, h in numbers.items():
            for tag, m in numbers.items():
                for first in (False, True):
                    seen = of_tags.get((head, tag, first), 0)
                    most = of_coarse.get((coarse.get(head, ""), coarse.get(tag, ""), first), 0)
                    room = seen if strict else max(seen, min(most, 2 * seen + 1 if seen else NEW))
                    longest[h, m, int(first)] = room
        return cls(tuple(coarse), longest)

    @classmethod
    def none(cls) -> LengthLimits:
        """Limits that allow every arc."""
        return cls((), np.full((2, 2, 2), UNLIMITED, np.int32))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {tag: i for i, tag in enumerate(self.tags, 1)}

    def listed(self, tags: Iterable[str]) -> list[int]:
        """Tags as numbers, the root's before them."""
        return [0, *map(self._numbers.get, tags, repeat(len(self.tags) + 1))]

    def numbers(self, tags: Iterable[str]) -> npt.NDArray[np.int32]:
        """[n+1] the same as an array."""
        return np.array(self.listed(tags), np.int32)

    def allowed(self, tags: Sequence[str]) -> npt.NDArray[np.bool_]:
        """[n+1, n+1] which arcs are not too long, modifier first."""
        allowed: npt.NDArray[np.bool_] = allowed_arcs(self.numbers(tags), self.longest)
        return allowed


def _longest(trees: Iterable[tuple[Sequence[str], Sequence[int]]]) -> dict[tuple[str, str, bool], int]:
    """By the tags of head ("" is the root) and modifier, and whether the head comes first."""
    found: dict[tuple[str, str, bool], int] = {}
    for tags, heads in trees:
        for m, (head, tag) in enumerate(zip(heads, tags, strict=True), 1):
            key = (tags[head - 1] if head else "", tag, head < m)
            found[key] = max(found.get(key, 0), abs(head - m))
    return found
