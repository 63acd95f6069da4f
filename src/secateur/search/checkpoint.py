"""Where a learner was stopped: all that it needs to go on as if nothing had happened, and as plain arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from secateur.search.arrays import Floats, Ints, Ptr, Sites, Weights
from secateur.search.linear import dense, sparse

Arrays = Mapping[str, npt.NDArray[Any]]


class Round(NamedTuple):
    """What is known of a policy after its round: means over the held-out examples."""

    number: int
    reward: float
    accuracy: float
    runtime: float
    watched: dict[str, float]  # further figures, for those who look on
    seconds: float  # of the round
    decisions: int = 0  # candidates collected so far


class Held(NamedTuple):
    """What a pool has come to hold: all sums, but only the decisions that it did not begin with.

    Where decisions are the same in every round nothing but the sums is kept: it began with all of them.
    """

    advantage: Floats  # [R] of all candidates
    example: Ints  # [D] of each decision that came
    ptr: Ptr  # [D+1]
    site: Sites  # [C, s]
    state: Floats  # [C, q]


NOTHING = Held(
    np.zeros(0),
    np.zeros(0, np.int64),
    np.zeros(1, np.int64),
    np.zeros((0, 0), np.int32),
    np.zeros((0, 0)),
)


class Checkpoint(NamedTuple):
    """A learner after a round."""

    rounds: tuple[Round, ...]
    weights: Weights  # the newest policy
    best: Weights  # the best so far
    apart: tuple[Weights, ...] = ()  # the newest policies without a fold each
    held: Held = NOTHING

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All of it, to be stored."""
        rounds = json.dumps([r._asdict() for r in self.rounds]).encode()
        return {
            "rounds": np.frombuffer(rounds, np.uint8),
            "weights": sparse(self.weights),
            "best": sparse(self.best),
            **{f"apart-{fold}": sparse(weights) for fold, weights in enumerate(self.apart)},
            **self.held._asdict(),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, dim: int) -> Checkpoint:
        """From what `arrays` gave, for policies of so many features; ValueError if it is anything else."""
        folds = sum(name.startswith("apart-") for name in arrays)
        apart = [f"apart-{fold}" for fold in range(folds)]
        wanted = {"rounds", "weights", "best", *apart, *Held._fields}
        if set(arrays) != wanted:
            raise ValueError(f"a checkpoint with {sorted(set(arrays) ^ wanted)} missing or too much")
        return cls(
            _rounds(arrays["rounds"]),
            dense(arrays["weights"], dim),
            dense(arrays["best"], dim),
            tuple(dense(arrays[name], dim) for name in apart),
            _held(arrays),
        )


def _rounds(stored: npt.NDArray[Any]) -> tuple[Round, ...]:
    if stored.dtype != np.uint8 or stored.ndim != 1:
        raise ValueError(f"rounds are {stored.dtype} with {stored.ndim} axes, not text in bytes")
    try:
        found = json.loads(stored.tobytes())
    except (UnicodeDecodeError, RecursionError) as problem:
        raise ValueError(f"rounds: {problem}") from None
    if not isinstance(found, list) or not found:
        raise ValueError("rounds are no list of any length")
    return tuple(_round(number, one) for number, one in enumerate(found))


def _round(number: int, stored: Any) -> Round:
    if not isinstance(stored, dict) or set(stored) != set(Round._fields) or stored["number"] != number:
        raise ValueError(f"round {number} is not what a round is")
    watched, decisions = stored["watched"], stored["decisions"]
    if not isinstance(watched, dict) or not isinstance(decisions, int) or decisions < 0:
        raise ValueError(f"round {number} has {decisions!r} decisions and watched {watched!r}")
    figures = {name: stored[name] for name in ("reward", "accuracy", "runtime", "seconds")}
    for name, value in {**figures, **watched}.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} of round {number} is {value!r}, not a number")
    return Round(**{**stored, **{name: float(value) for name, value in figures.items()}})


def _held(arrays: Arrays) -> Held:
    for name, axes, dtype in (
        ("advantage", 1, np.float64),
        ("example", 1, np.int64),
        ("ptr", 1, np.int64),
        ("site", 2, np.int32),
        ("state", 2, np.float64),
    ):
        found = arrays[name]
        if found.ndim != axes or found.dtype != dtype:
            raise ValueError(f"{name}: {found.ndim} axes of {found.dtype}, not {axes} of {np.dtype(dtype)}")
    held = Held(*(arrays[name] for name in Held._fields))
    if not np.isfinite(held.advantage).all() or np.isnan(held.state).any():
        raise ValueError("advantages or states that are no numbers")
    decisions, candidates = len(held.example), len(held.site)
    if len(held.ptr) != decisions + 1 or len(held.state) != candidates:
        raise ValueError(
            f"{decisions} decisions, {len(held.ptr)} bounds; {candidates} sites, {len(held.state)} states"
        )
    if held.ptr[0] != 0 or held.ptr[-1] != candidates or (np.diff(held.ptr) <= 0).any():
        raise ValueError(f"bounds of decisions that do not grow from 0 to {candidates}")
    return held
