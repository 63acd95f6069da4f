"""How long arcs get: a dictionary of the longest arc seen between two tags in each direction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from secateur.dependencies import DependencyTree
from secateur.kernels.arc_locking import allowed_arcs

UNLIMITED = 1 << 20


@dataclass(frozen=True)
class LengthLimits:
    """The longest arc by the tags of head and modifier and by direction; tags never seen have no limit."""

    tags: tuple[str, ...]  # seen in training
    longest: npt.NDArray[np.int32]  # [T+2, T+2, 2], root 0, unknown T+1; 1 where the head comes first

    @classmethod
    def from_trees(cls, trees: Iterable[DependencyTree]) -> LengthLimits:
        found: dict[tuple[str, str, bool], int] = {}
        seen: dict[str, None] = {}
        for tree in trees:
            seen.update(dict.fromkeys(tree.tags))
            for m, (head, tag) in enumerate(zip(tree.heads, tree.tags, strict=True), 1):
                key = (tree.tags[head - 1] if head else "", tag, head < m)
                found[key] = max(found.get(key, 0), abs(head - m))
        tags = tuple(seen)
        number = {tag: i for i, tag in enumerate(tags, 1)} | {"": 0}
        longest = np.zeros((len(tags) + 2, len(tags) + 2, 2), np.int32)
        longest[-1], longest[:, -1] = UNLIMITED, UNLIMITED
        for (head_tag, tag, first), length in found.items():
            longest[number[head_tag], number[tag], int(first)] = length
        return cls(tags, longest)

    @classmethod
    def none(cls) -> LengthLimits:
        """Limits that allow every arc."""
        return cls((), np.full((2, 2, 2), UNLIMITED, np.int32))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {tag: i for i, tag in enumerate(self.tags, 1)}

    def numbers(self, tags: Sequence[str]) -> npt.NDArray[np.int32]:
        """[n+1] tags as numbers, the root's before them."""
        unknown = len(self.tags) + 1
        return np.array([0, *(self._numbers.get(tag, unknown) for tag in tags)], np.int32)

    def allowed(self, tags: Sequence[str]) -> npt.NDArray[np.bool_]:
        """[n+1, n+1] which arcs are not too long, modifier first."""
        allowed: npt.NDArray[np.bool_] = allowed_arcs(self.numbers(tags), self.longest)
        return allowed
