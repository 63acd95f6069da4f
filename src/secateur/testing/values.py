"""check_values: whether values are those of replaying, or of another reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from secateur.search.arrays import Floats, Steps
from secateur.search.core import Episode, Example, Outcome, Policy, Task, Trace, Values
from secateur.search.values import replay
from secateur.testing.runs import Run, all_runs


def check_values(
    values: Values,
    task: Task,
    examples: Sequence[Example],
    reward: Callable[[Any, Outcome, Any], float],
    *,
    reference: Values = replay,
    policies: Sequence[Policy] | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    seed: int = 0,
) -> None:
    """Whether values are those of the reference at every decision, within |reference| * rtol + atol."""
    flips = telling = 0
    for run in all_runs(task, examples, policies, seed):
        episode = run.roll_in()._replace(seed=run.seed)
        steps = np.arange(len(episode.trace.action))
        kept = {name: getattr(episode.trace, name).copy() for name in ("site", "state", "ptr", "action")}

        def ask(function: Values, steps: Steps, run: Run = run, episode: Episode = episode) -> Floats:
            return function(task, run.x, run.gold, run.policy, episode, reward, steps)

        expected = ask(reference, steps)
        _compare(run, episode.trace, steps, ask(values, steps), expected, rtol, atol)
        some = np.random.default_rng(seed).permutation(steps)[: (len(steps) + 1) // 2]
        _compare(run, episode.trace, some, ask(values, some), expected[some], rtol, atol)
        for name, array in kept.items():
            run.demand(np.array_equal(getattr(episode.trace, name), array), f"values changes trace.{name}")
        flips += len(steps)
        telling += int((np.fmax.reduce(expected, 1) > np.fmin.reduce(expected, 1)).sum())
    if not flips:
        raise AssertionError("there are no decisions in these examples: nothing could be checked")
    if not telling:
        raise AssertionError(
            f"none of {flips} decisions makes a difference to the reward: give other examples"
        )


def _compare(
    run: Run, trace: Trace, steps: Steps, found: Floats, expected: Floats, rtol: float, atol: float
) -> None:
    run.demand(isinstance(found, np.ndarray), f"values are a {type(found).__name__}, not an array")
    run.demand(
        found.shape == expected.shape,
        f"values of {len(steps)} steps have shape {found.shape}, not {expected.shape}",
    )
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        wrong = np.argwhere(~same & ~(np.abs(found - expected) <= atol + rtol * np.abs(expected)))
    for row, action in wrong.tolist():
        step = int(steps[row])
        run.demand(
            False,
            f"step {step} at site {trace.site[trace.ptr[step]].tolist()}: action {action} is worth "
            f"{float(found[row, action])!r}, by the reference {float(expected[row, action])!r} "
            f"({len(wrong)} of {found.size} values differ)",
        )
