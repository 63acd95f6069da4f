"""Runs of an agenda in which the next item is drawn, by definition: all that waits is listed at each step.

Of the items that wait, item a is drawn with probability p(a) = exp(priority of a / temperature) / Z. Now and
then the oracle's item is popped instead: of those of its items that wait the one of highest priority.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from naive.agenda import EMPTY, FOUND, POPS, Agenda, Item
from secateur.grammar.derivation import UNARY

Floats = npt.NDArray[np.float64]
Draws = Callable[[int], tuple[float, float]]  # of a step, below 1: whether the oracle leads; which item comes
Phi = Callable[[Item, Floats], Floats]  # the features of an item with this score and these dynamic ones


class Step(NamedTuple):
    """A decision."""

    waiting: list[Item]  # in the order in which they first came up
    facts: list[Floats]  # their scores and dynamic features
    share: Floats  # [waiting] their probabilities
    log_z: float
    item: Item
    own: bool  # whether the policy drew it
    label: int | None  # the oracle's item, as a place in `waiting`
    pushes: int  # that came of it


class Earning(NamedTuple):
    """What pops earn: 1 for the first pop of what is wanted, and for a complete parse; less what they cost.

    The last pop pays back what was earned for things that are not in the parse.
    """

    wanted: set[Hashable]
    name: Callable[[Item], Hashable]  # what an item is among the wanted
    tradeoff: float
    by_push: bool


class Sampler(Agenda):
    """An agenda that draws."""

    def __init__(self, *given: Any, oracle: set[Item], rate: float, draws: Draws, temperature: float = 1.0):
        super().__init__(*given)
        self.oracle, self.rate, self.draws, self.temperature = oracle, rate, draws, temperature
        self.steps_made: list[Step] = []
        self.chosen: Item | None = None

    def sample(self, limit: int) -> int:
        """Until there is a complete parse."""
        while True:
            if not self.waiting:
                return EMPTY
            if len(self.steps_made) == limit:
                return POPS
            step, before = self.draw(), self.pushes
            self.chosen = step.item
            found = self.pop()
            self.steps_made.append(step._replace(pushes=self.pushes - before))
            if found:
                return FOUND

    def draw(self) -> Step:
        waiting = [item for item in self.made if item in self.waiting]
        keys = np.array([self.priority(item) / self.temperature for item in waiting])
        log_z = float(np.logaddexp.reduce(keys))
        share = np.exp(keys - log_z)
        follow, lot = self.draws(len(self.steps_made))
        self.chosen = None
        label = max(
            (place for place, item in enumerate(waiting) if item in self.oracle),
            key=lambda place: self.rank(waiting[place]),
            default=None,
        )
        own = label is None or follow >= self.rate
        place = label
        if own:
            place = min(int(np.searchsorted(np.cumsum(share), lot, "right")), len(waiting) - 1)
        assert place is not None
        facts = [np.array([float(self.made[item].score), *self.dynamic[item]]) for item in waiting]
        return Step(waiting, facts, share, log_z, waiting[place], own, label, 0)

    def rank(self, item: Item) -> Any:
        """What was drawn is popped first."""
        return (item == self.chosen, *super().rank(item))

    def earned(self, by: Earning) -> list[float]:
        """By steps."""
        seen: set[Hashable] = set()
        found = []
        for step in self.steps_made:
            name = by.name(step.item)
            hit = name in by.wanted and name not in seen
            seen |= {name} & by.wanted
            found.append(hit - by.tradeoff * (step.pushes if by.by_push else 1))
        steps = self.answer()
        if steps:
            paid = by.tradeoff * (self.steps_made[-1].pushes if by.by_push else 1)
            last = by.name(self.steps_made[-1].item)
            before = seen - ({last} if found[-1] + paid > 0.5 else set())
            there = {by.name((i, k, x, int(kind == UNARY))) for kind, x, i, k, _ in steps}
            found[-1] = 1 - len(before - there) - paid
        return found


def pulls(steps: Sequence[Step], phi: Phi, temperature: float, *, labels: bool = False) -> Iterator[Floats]:
    """The gradient of the log-probability of each step's item, or of the oracle's one (0: none waits)."""
    for step in steps:
        rows = np.array([phi(item, facts) for item, facts in zip(step.waiting, step.facts, strict=True)])
        place = step.label if labels else step.waiting.index(step.item)
        pull = np.zeros(rows.shape[1]) if place is None else rows[place] - step.share @ rows
        yield pull / temperature


class Summed(NamedTuple):
    """As search.gradient.Sample has it."""

    drawn: int
    credit: float
    gradient: Floats
    score: Floats


def summed(sampler: Sampler, phi: Phi, by: Earning, discount: float) -> Summed:
    """sum_u r_u e_u with e_u = discount e_{u-1} + g_u."""
    eligible = gradient = score = np.zeros(1)
    weight = total = 0.0
    temperature = sampler.temperature
    steps = sampler.steps_made
    for step, r, g in zip(steps, sampler.earned(by), pulls(steps, phi, temperature), strict=True):
        eligible = discount * eligible + g
        weight = discount * weight + step.own
        gradient = gradient + r * eligible
        total += r * weight
        score = score + step.own * g
    return Summed(sum(step.own for step in steps), total, gradient, score)


def labelled(sampler: Sampler, phi: Phi) -> Floats:
    """The gradient of the log-probability of all that the oracle would have popped."""
    return sum(pulls(sampler.steps_made, phi, sampler.temperature, labels=True), np.zeros(1))


# All runs there are -----------------------------------------------------------------------------------------


class Weighted(NamedTuple):
    """A run, and how likely it is."""

    probability: float
    run: Sampler


def every(make: Callable[[Draws], Sampler], limit: int) -> Iterator[Weighted]:
    """All runs of samplers that nobody leads."""
    open_ends: list[tuple[float, list[float]]] = [(1.0, [])]
    while open_ends:
        probability, lots = open_ends.pop()
        run = make(lambda step, lots=lots: (1.0, lots[step]))  # type: ignore[misc]
        status = run.sample(len(lots))
        if status != POPS or len(lots) == limit:
            yield Weighted(probability, run)
            continue
        run.draws = lambda step: (1.0, 0.0)
        share = run.draw().share
        ends = np.cumsum(share)
        for place, own in enumerate(share.tolist()):
            if own > 0:
                open_ends.append((probability * own, [*lots, float(ends[place]) - own / 2]))


def uniform(seed: int, count: int) -> float:
    """The kernel's draws: a seed and a number, mixed as splitmix64 does (Steele, Lea and Flood 2014)."""
    whole = (1 << 64) - 1
    z = (seed * 0xD1342543DE82EF95 ^ (count + 1) * 0x9E3779B97F4A7C15) & whole
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & whole
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & whole
    return math.ldexp((z ^ (z >> 31)) >> 11, -53)
