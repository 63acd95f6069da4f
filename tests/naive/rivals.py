"""An agenda in which pops are chosen among rivals, by definition: all that waits is sorted at each step.

Which others there are is a matter of the heap's own order: the twin knows none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from naive.agenda import EMPTY, FOUND, POPS, Agenda, Item

Lots = Callable[[int, int], float]  # of a step: 0: whether the oracle leads, 1: which rival is drawn


class Choice(NamedTuple):
    rivals: list[Item]  # in the order in which they first came up
    scores: list[float]
    action: int


class Chooser(Agenda):
    """`rate` and `later`: of the oracle, until the forced step and after it."""

    def __init__(
        self,
        *given: Any,
        oracle: set[Item],
        rate: float,
        later: float,
        hint: bool,
        temperature: float,
        heads: int,
        lots: Lots,
        force: tuple[int, int] = (-1, 0),
    ):
        super().__init__(*given)
        self.oracle, self.rate, self.later, self.hint = oracle, rate, later, hint
        self.temperature, self.heads, self.lots, self.force = temperature, heads, lots, force
        self.choices: list[Choice] = []
        self.chosen: Item | None = None

    def go(self, limit: int) -> int:
        """To the first complete parse."""
        while True:
            if not self.waiting:
                return EMPTY
            if len(self.choices) == limit:
                return POPS
            self.choices.append(self.choice())
            self.chosen = self.choices[-1].rivals[self.choices[-1].action]
            if self.pop():
                return FOUND
            self.chosen = None

    def choice(self) -> Choice:
        step, first = len(self.choices), sorted(self.waiting, key=self.rank, reverse=True)
        right = next((item for item in first if item in self.oracle), None)
        among = set(first[: self.heads])
        if right is not None and (self.hint or self.rate_at(step) > 0):
            among.add(right)
        rivals = [item for item in self.made if item in among]
        return Choice(
            rivals, [float(self.made[r].score) for r in rivals], self.action(step, rivals, first, right)
        )

    def action(self, step: int, rivals: list[Item], first: list[Item], right: Item | None) -> int:
        if step == self.force[0]:
            return self.force[1]
        if right is not None and self.lots(step, 0) < self.rate_at(step):
            return rivals.index(right)
        if not self.temperature:
            return rivals.index(first[0])
        keys = np.array([self.priority(item) for item in rivals])
        share = [math.exp(key) for key in (keys - keys.max()) / self.temperature]
        place = np.searchsorted(np.cumsum(share), self.lots(step, 1) * math.fsum(share), "right")
        return min(int(place), len(rivals) - 1)

    def rate_at(self, step: int) -> float:
        return self.later if 0 <= self.force[0] < step else self.rate

    def rank(self, item: Item) -> Any:
        """What was chosen is popped first."""
        return (item == self.chosen, *super().rank(item))
