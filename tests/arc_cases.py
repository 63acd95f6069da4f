"""Random arc scores under random bars, for the tests of all kernels over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from naive.arcs import is_tree, siblings


class Case(NamedTuple):
    score: np.ndarray  # [n+1, n+1] float32, the modifier first
    sibling: np.ndarray  # [n+1, n+1, n+1] float32, (m, h, s)
    single_root: bool

    @property
    def words(self) -> int:
        return len(self.score) - 1


def random_case(n: int, seed: int, open_share: float, spread: float, single_root: bool) -> Case:
    """Scores without ties; what must never be read is a number that would spoil any result."""
    rng = np.random.default_rng(seed)
    score = rng.normal(scale=spread, size=(n + 1, n + 1)).astype(np.float32)
    sibling = rng.normal(scale=spread, size=(n + 1, n + 1, n + 1)).astype(np.float32)
    score[rng.random(score.shape) >= open_share] = -np.inf
    sibling[rng.random(sibling.shape) >= (1 + open_share) / 2] = -np.inf
    score[0] = np.nan
    np.fill_diagonal(score, np.nan)
    m, h, s = np.indices(sibling.shape)
    possible = (score[m, h] > -np.inf) & ((h <= s) & (s < m) | (m < s) & (s <= h))
    sibling[~possible] = np.nan
    return Case(score, sibling, single_root)


def cases(largest: int) -> st.SearchStrategy[Case]:
    return st.builds(
        random_case,
        st.integers(1, largest),
        st.integers(0, 1 << 32),
        st.sampled_from((1.0, 0.9, 0.6, 0.4, 0.2)),
        st.sampled_from((0.1, 1.0, 30.0)),
        st.booleans(),
    )


def allows(case: Case, heads: np.ndarray) -> bool:
    """Whether these heads [n+1] are a tree under the bars."""
    chosen = tuple(heads[1:].tolist())
    return (
        heads[0] == -1
        and min(chosen) >= 0
        and is_tree(chosen)
        and (not case.single_root or chosen.count(0) == 1)
        and all(case.score[m, h] > -np.inf for m, h in enumerate(chosen, 1))
    )


def total_of(case: Case, heads: np.ndarray, *, second_order: bool = False) -> float:
    """The score of these heads [n+1]."""
    chosen = tuple(heads[1:].tolist())
    found = sum(float(case.score[m, h]) for m, h in enumerate(chosen, 1))
    if second_order:
        nearer = siblings(chosen)
        found += sum(float(case.sibling[m, h, nearer[m - 1]]) for m, h in enumerate(chosen, 1))
    return found
