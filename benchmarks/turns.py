"""Clocks of the benchmarks: CPU seconds, the interpreter's collector off, the least of several runs.

For kernels alone, and for commands; what parsers take, words in and trees out, `secateur.models.measure`
times.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping
from typing import Any

from secateur.models.measure import quiet_collector

Clock = Callable[[], float]


def of_children() -> float:
    """CPU seconds of the processes that this one has started and waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best(work: Callable[[], Any], repeat: int, clock: Clock = time.process_time) -> tuple[float, Any]:
    """The least time of several runs, and the result."""
    times = []
    with quiet_collector():
        for _ in range(repeat):
            started = clock()
            result = work()
            times.append(clock() - started)
    return min(times), result


def in_turn(
    runs: Mapping[str, Callable[[], object]], rounds: int, clock: Clock = time.process_time
) -> dict[str, float]:
    """The least time of each, after a run that compiles. In turn: a noisy moment hits all alike."""
    for run in runs.values():
        run()
    spent = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            spent[name] = min(spent[name], best(run, 1, clock)[0])
    return spent
