"""The words of the decision interface."""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """Deterministic counters of what a run did; seconds are measured apart."""

    pushes: int = 0  # hyperedges built
    pops: int = 0  # agenda items taken
    items: int = 0  # chart items built
    kept: int = 0  # sites where the policy chose to keep
    features: int = 0  # feature templates computed
