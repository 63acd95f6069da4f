"""Semirings: what "add up the alternatives" and "put the parts together" mean, named by a number.

A number can enter a compiled kernel where a function cannot; what it stands for is defined once, in
kernels/hypergraph/hypergraph.py. Weights are natural logs in all of them: -inf is a hyperedge that is not
there.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import Any


class Semiring(IntEnum):
    """plus and times over floats; zero is what no derivation has, one what the empty one has."""

    LOG = 0  # log of the summed weight of all derivations: log-add, +
    VITERBI = 1  # the best derivation's weight: max, +
    COUNT = 2  # how many derivations; exact up to 2^53: +, *
    BOOLEAN = 3  # whether there is one, 1.0 or 0.0: or, and

    @property
    def zero(self) -> float:
        return float(kernel().zero(int(self)))

    @property
    def one(self) -> float:
        return float(kernel().one(int(self)))

    def plus(self, a: float, b: float) -> float:
        return float(kernel().plus(int(self), float(a), float(b)))

    def times(self, a: float, b: float) -> float:
        return float(kernel().times(int(self), float(a), float(b)))

    def lift(self, weight: float) -> float:
        """A hyperedge's weight as a value."""
        return float(kernel().lift(int(self), float(weight)))


@cache
def kernel(name: str = "hypergraph") -> Any:
    """A module of kernels: with it comes numba, so it is loaded when first used."""
    return import_module(f"secateur.kernels.hypergraph.{name}")
