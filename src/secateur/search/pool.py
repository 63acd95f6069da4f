"""The aggregated data set: all decisions seen so far.

A decision seen again adds its advantage to what it has, so the pool does not grow where the decisions of an
example are the same in every round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from secateur.search.core import Floats, Ints, Rows, Sites
from secateur.search.linear import Matrix


@dataclass(slots=True)
class _Seen:
    """One example's decisions."""

    site: Sites  # [R, s]
    state: Floats  # [R, q]
    rows: Rows  # [R, w] features
    advantage: Floats  # [R] summed value of taking minus value of declining


class Pool:
    """Decisions of all examples with their features and summed advantages."""

    def __init__(self, dim: int, *, least: int = 1) -> None:
        self.dim = dim
        self.least = least  # features of fewer examples than this are left out
        self._seen: dict[int, _Seen] = {}
        self._matrix: Matrix | None = None

    def add(
        self,
        example: int,
        site: Sites,
        state: Floats,
        advantage: Floats,
        features: Callable[[Sites, Floats], Rows],
    ) -> None:
        """Add advantages of an example's decisions; features are asked for only where one is new."""
        seen = self._seen.get(example)
        if seen is None:
            self._seen[example] = _Seen(site, state, features(site, state), advantage.copy())
            self._matrix = None
        elif np.array_equal(seen.site, site) and np.array_equal(seen.state, state):
            seen.advantage += advantage
        else:
            self._merge(seen, site, state, advantage, features)

    def _merge(
        self,
        seen: _Seen,
        site: Sites,
        state: Floats,
        advantage: Floats,
        features: Callable[[Sites, Floats], Rows],
    ) -> None:
        place = {key: row for row, key in enumerate(_keys(seen.site, seen.state))}
        keys = _keys(site, state)
        fresh = [row for row, key in enumerate(keys) if key not in place]
        if fresh:
            place.update({keys[row]: place_of_new for place_of_new, row in enumerate(fresh, len(place))})
            seen.rows = np.concatenate((seen.rows, features(site[fresh], state[fresh])))
            seen.site = np.concatenate((seen.site, site[fresh]))
            seen.state = np.concatenate((seen.state, state[fresh]))
            seen.advantage = np.concatenate((seen.advantage, np.zeros(len(fresh))))
            self._matrix = None
        np.add.at(seen.advantage, [place[key] for key in keys], advantage)

    def __len__(self) -> int:
        """The number of examples seen."""
        return len(self._seen)

    def matrix(self) -> Matrix:
        """The features of all decisions, by example."""
        if self._matrix is None:
            rows = [self._seen[example].rows for example in sorted(self._seen)]
            count = np.zeros(self.dim, np.uint32)
            for of_example in rows:
                count[np.unique(of_example)] += 1
            self._matrix = Matrix.build(np.concatenate(rows), count >= max(self.least, 1))
        return self._matrix

    def examples(self) -> Ints:
        """The example of each of the matrix's rows."""
        numbers = sorted(self._seen)
        return np.repeat(numbers, [len(self._seen[number].advantage) for number in numbers])

    def advantages(self) -> Floats:
        """The summed advantages, in the order of the matrix's rows."""
        return np.concatenate([self._seen[example].advantage for example in sorted(self._seen)])

    def restore(self, advantages: Floats) -> None:
        """Set the sums, as `advantages` gave them."""
        sizes = [len(self._seen[example].advantage) for example in sorted(self._seen)]
        parts = np.split(advantages, np.cumsum(sizes)[:-1])
        for example, part in zip(sorted(self._seen), parts, strict=True):
            self._seen[example].advantage = part.copy()


def _keys(site: Sites, state: Floats) -> list[bytes]:
    """Decisions as hashable keys."""
    joined = np.concatenate((site.astype(np.int64), state.astype(np.float64).view(np.int64)), axis=1)
    return [row.tobytes() for row in joined]
