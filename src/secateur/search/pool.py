"""The aggregated data set: all decisions seen so far.

A decision seen again adds its advantages to what it has, so the pool does not grow where the decisions of an
example are the same in every round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from secateur.search.arrays import Bools, Floats, Ints, Ptr, Sites
from secateur.search.checkpoint import NOTHING, Held
from secateur.search.core import Rows
from secateur.search.linear import Matrix

FeaturesOf = Callable[[Sites, Floats], Rows]
Mark = dict[int, int]


@dataclass(slots=True)
class _Seen:
    """Decisions of one example."""

    example: int
    site: Sites  # [R, s]
    state: Floats  # [R, q]
    ptr: Ptr  # [D+1] the candidates of each decision
    rows: Rows  # [R] their features
    advantage: Floats  # [R] summed: what each is worth more than its decision's first choice


class Pool:
    """Decisions of all examples with their features and summed advantages."""

    def __init__(self, dim: int, *, least: int = 1, sums: bool = True, nothing: int | None = None) -> None:
        self.dim = dim
        self.least = least  # features of fewer examples than this are left out
        self.sums = sums  # else a decision seen again is another one, and rows stand in the order they came
        self.nothing = nothing  # a feature that gets no weight: it stands for others that are not there
        self._seen: dict[int, _Seen] = {}  # by example; or by visit, where nothing is summed
        self._matrix: Matrix | None = None

    def add(
        self,
        example: int,
        site: Sites,
        state: Floats,
        advantage: Floats,
        features: FeaturesOf,
        ptr: Ptr | None = None,
    ) -> None:
        """Add advantages of an example's decisions; features are asked for only where one is new.

        `ptr`: the candidates of each decision; None: one each.
        """
        ptr = np.arange(len(site) + 1) if ptr is None else ptr
        key = example if self.sums else len(self._seen)
        seen = self._seen.get(key)
        if seen is None:
            rows = features(site, state)
            self._seen[key] = _Seen(example, site, state, ptr, rows, advantage.copy())
            self._matrix = None
        elif (
            np.array_equal(seen.site, site)
            and np.array_equal(seen.state, state)
            and np.array_equal(seen.ptr, ptr)
        ):
            seen.advantage += advantage
        else:
            self._merge(seen, site, state, ptr, advantage, features)

    def _merge(
        self, seen: _Seen, site: Sites, state: Floats, ptr: Ptr, advantage: Floats, features: FeaturesOf
    ) -> None:
        place = dict(zip(_keys(seen.site, seen.state, seen.ptr), seen.ptr.tolist(), strict=False))
        keys, sizes = _keys(site, state, ptr), _sizes(ptr)
        fresh, end = [], len(seen.site)
        for decision, key in enumerate(keys):
            if key not in place:
                place[key] = end
                end += int(sizes[decision])
                fresh.append(decision)
        if fresh:
            self._append(seen, *_some(site, state, ptr, np.array(fresh)), features)
        within = np.arange(len(site)) - np.repeat(ptr[:-1], sizes)
        np.add.at(seen.advantage, np.repeat([place[key] for key in keys], sizes) + within, advantage)

    def _append(self, seen: _Seen, site: Sites, state: Floats, ptr: Ptr, features: FeaturesOf) -> None:
        """New decisions, without advantages yet."""
        seen.rows = Rows.join((seen.rows, features(site, state)))
        seen.ptr = np.concatenate((seen.ptr, len(seen.site) + ptr[1:]))
        seen.site = np.concatenate((seen.site, site))
        seen.state = np.concatenate((seen.state, state))
        seen.advantage = np.concatenate((seen.advantage, np.zeros(len(site))))
        self._matrix = None

    def __len__(self) -> int:
        """The number of candidates seen."""
        return sum(len(seen.advantage) for seen in self._seen.values())

    def _parts(self) -> list[_Seen]:
        return [self._seen[key] for key in sorted(self._seen)]

    def matrix(self) -> Matrix:
        """The features of all candidates, by example."""
        if self._matrix is None:
            parts = self._parts()
            rows = Rows.join([seen.rows for seen in parts])
            wanted = self._wanted(parts, rows)
            if self.nothing is not None:
                wanted[self.nothing] = False
            self._matrix = Matrix.build(rows, wanted)
        return self._matrix

    def _wanted(self, parts: list[_Seen], together: Rows) -> Bools:
        """[dim] the features of enough examples."""
        if self.least <= 1:
            seen = np.zeros(self.dim, bool)
            seen[together.bucket] = True
            return seen
        of_example: dict[int, list[Rows]] = {}
        for part in parts:
            of_example.setdefault(part.example, []).append(part.rows)
        count = np.zeros(self.dim, np.uint32)
        for rows in of_example.values():
            count[Rows.join(rows).bucket] += 1  # once, however often an example has a feature
        return count >= self.least

    def ptr(self) -> Ptr:
        """The candidates of each decision, as rows of the matrix."""
        return np.concatenate(([0], np.cumsum(_sizes(*(seen.ptr for seen in self._parts())))))

    def examples(self) -> Ints:
        """The example of each of the matrix's rows."""
        parts = self._parts()
        return np.repeat([seen.example for seen in parts], [len(seen.advantage) for seen in parts])

    def advantages(self) -> Floats:
        """The summed advantages, in the order of the matrix's rows."""
        return np.concatenate([np.zeros(0), *(seen.advantage for seen in self._parts())])

    def restore(self, advantages: Floats) -> None:
        """Set the sums, as `advantages` gave them."""
        if len(advantages) != len(self):
            raise ValueError(f"{len(advantages)} advantages for {len(self)} candidates")
        begin = 0
        for seen in self._parts():
            end = begin + len(seen.advantage)
            seen.advantage = advantages[begin:end].copy()
            begin = end

    def mark(self) -> Mark:
        """What there is now, for `held`: the number of decisions by example (or visit)."""
        return {key: len(seen.ptr) - 1 for key, seen in self._seen.items()}

    def held(self, mark: Mark) -> Held:
        """All sums, and the decisions that came since the mark."""
        came = [(self._seen[key], mark.get(key, 0)) for key in sorted(self._seen)]
        came = [(seen, first) for seen, first in came if first < len(seen.ptr) - 1]
        if not came:
            return NOTHING._replace(advantage=self.advantages())
        sizes = _sizes(*(seen.ptr[first:] for seen, first in came))
        decisions = [len(seen.ptr) - 1 - first for seen, first in came]
        return Held(
            self.advantages(),
            np.repeat([seen.example for seen, _ in came], decisions),
            np.concatenate(([0], np.cumsum(sizes))),
            np.concatenate([seen.site[seen.ptr[first] :] for seen, first in came]),
            np.concatenate([seen.state[seen.ptr[first] :] for seen, first in came]),
        )

    def hold(self, held: Held, features: Callable[[int, Sites, Floats], Rows]) -> None:
        """Come to hold what a pool held that began as this one does; `features` of an example's decisions."""
        cuts = np.flatnonzero(np.diff(held.example, prepend=-1, append=-1))
        for begin, end in pairwise(cuts.tolist()):
            example, ptr = int(held.example[begin]), held.ptr[begin : end + 1]
            site, state = held.site[ptr[0] : ptr[-1]], held.state[ptr[0] : ptr[-1]]
            self.add(example, site, state, np.zeros(len(site)), partial(features, example), ptr - ptr[0])
        self.restore(held.advantage)


def _sizes(*ptrs: Ptr) -> Ints:
    """[D] candidates of each decision, of several examples together: there may be very many of these."""
    if not ptrs:
        return np.zeros(0, np.int64)
    together = np.concatenate(ptrs)
    ends = np.cumsum([len(ptr) for ptr in ptrs[:-1]], dtype=np.int64)
    return np.delete(together[1:] - together[:-1], ends - 1)  # without those from one example to the next


def _some(site: Sites, state: Floats, ptr: Ptr, decisions: Ints) -> tuple[Sites, Floats, Ptr]:
    """Some of the decisions."""
    sizes = _sizes(ptr)[decisions]
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.repeat(ptr[decisions] - bounds[:-1], sizes) + np.arange(bounds[-1])
    return site[rows], state[rows], bounds


def _keys(site: Sites, state: Floats, ptr: Ptr) -> list[bytes]:
    """Decisions as hashable keys: their candidates."""
    joined = np.concatenate((site.astype(np.int64), state.astype(np.float64).view(np.int64)), axis=1)
    return [joined[begin:end].tobytes() for begin, end in pairwise(ptr.tolist())]
