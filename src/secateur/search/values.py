"""What each action would have been worth: the one thing in which learners differ.

`replay` is the definition: run again with one decision forced. Tasks bring faster ones that must equal it.
`imitate` asks the oracle; `asymmetric` asks it too but weighs its two kinds of error differently.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from secateur.search.core import DECLINE, TAKE, Episode, Floats, Force, Outcome, Policy, Steps, Task, Values

RewardOf = Callable[[Any, Outcome, Any], float]


def replay(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """Run the task again for every deviation. Works with any reward."""
    trace = episode.trace
    width = 2 if trace.binary else int(np.diff(trace.ptr).max(initial=0))
    found = np.full((len(steps), width), np.nan)
    as_run = reward(x, episode.outcome, gold)
    for row, step in enumerate(steps.tolist()):
        actions = 2 if trace.binary else int(trace.ptr[step + 1] - trace.ptr[step])
        for action in range(actions):
            if action == trace.action[step]:
                found[row, action] = as_run
            else:
                outcome = task.parse(x, policy, Force(step, action), gold=gold, seed=episode.seed)
                found[row, action] = reward(x, outcome, gold)
    return found


def imitate(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """1 for what the oracle does, 0 for the other action."""
    return asymmetric(1.0)(task, x, gold, policy, episode, reward, steps)


def asymmetric(penalty: float) -> Values:
    """The oracle's labels, with a smaller weight on keeping what is not gold.

    Gold: taking is worth 1, declining 0. Not gold: declining 1, taking 1 - penalty.
    """

    def values(
        task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
    ) -> Floats:
        right = task.is_gold(episode.trace.site[steps], gold)
        found = np.empty((len(steps), 2))
        found[:, TAKE] = np.where(right, 1.0, 1.0 - penalty)
        found[:, DECLINE] = np.where(right, 0.0, 1.0)
        return found

    return values
