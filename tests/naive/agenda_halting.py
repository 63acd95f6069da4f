"""A search that a policy ends, pop by pop: when it is looked at, and what is seen then."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from naive.agenda import Agenda
from secateur.kernels.agenda.halting import Looks

Floats = npt.NDArray[np.float64]


class Ended(NamedTuple):
    """How a search ended."""

    agenda: Agenda  # the last attempt
    pops: int
    pushes: int
    seen: list[Floats]  # at each look


def halted(case: tuple[object, ...], looks: Looks, weights: Floats) -> Ended:
    """`case`: what an Agenda takes; its last part widens delta."""
    *given, how = case
    agenda, pops, pushes = Agenda(*given, how), 0, 0  # type: ignore[arg-type]
    due = looks.first * agenda.n
    parses: list[tuple[int, float]] = []  # pops and scores
    seen: list[Floats] = []
    target = max(math.ceil(min(due, 1 << 62)), 1)
    while True:
        if not agenda.waiting:
            if how.widen <= 1.0 or not agenda.dropped or agenda.answer():  # type: ignore[attr-defined]
                break
            pops, pushes = pops + len(agenda.log), pushes + agenda.pushes
            how = how._replace(delta=how.delta * how.widen)  # type: ignore[attr-defined]
            agenda, target = Agenda(*given, how), max(target, pops + 1)  # type: ignore[arg-type]
            continue
        total = pops + len(agenda.log)
        found = False
        if not parses or total < int(looks.past * parses[0][0]):
            if total < target:
                found = agenda.pop()
                total += 1
                if not found:
                    continue
        else:
            break
        while due <= total:
            due = max(due * looks.grow, due + 1.0)
        if found and not parses:
            due = max(total * looks.grow, total + 1.0)
        target = math.ceil(min(due, 1 << 62))
        if found:
            parses.append((total, float(agenda.made[agenda.node[agenda.goal]].score)))
        seen.append(what_is_seen(agenda, total, parses))
        if seen[-1] @ weights <= 0:
            break
    return Ended(agenda, pops + len(agenda.log), pushes + agenda.pushes, seen)


def what_is_seen(agenda: Agenda, pops: int, parses: list[tuple[int, float]]) -> Floats:
    n = agenda.n
    shared = [1.0, math.log(pops / n), n / 10]
    if not agenda.answer():
        spans = {(i, k) for i, k, _ in agenda.node} | {(i, i + 1) for i in range(n)}
        parts = [0]
        for k in range(1, n + 1):
            parts.append(min(parts[i] + 1 for i in range(k) if (i, k) in spans))
        return np.array([*shared, parts[n] / n, *np.zeros(7)])
    goal = agenda.node[agenda.goal]
    ahead = agenda.priority(goal) - max(map(agenda.priority, agenda.waiting)) if agenda.waiting else 0.0
    since, gained = pops - parses[-1][0], float(agenda.made[goal].score) - parses[0][1]
    own = [min(max(ahead / 10, -1.0), 1.0), math.log(len(parses)), since / pops, gained / n]
    return np.array([*np.zeros(4), *shared, *own])
