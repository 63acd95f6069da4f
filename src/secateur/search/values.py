"""What each action would have been worth: the one thing in which learners differ.

`replay` is the definition: run again with one decision forced. Tasks bring faster ones that must equal it.
`imitate` asks the oracle; `asymmetric` asks it too but weighs its two kinds of error differently.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from secateur.search.arrays import Floats, Steps
from secateur.search.core import NONE, Episode, Force, Policy, RewardOf, Task, Values


def replay(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """Run the task again for every deviation. Works with any reward."""
    trace = episode.trace
    _, there = trace.choices().table(steps)
    found = np.full(there.shape, np.nan)
    as_run = reward(x, episode.outcome, gold)
    for row, action in np.argwhere(there).tolist():
        step = int(steps[row])
        if action == trace.action[step]:
            found[row, action] = as_run
        else:
            outcome = task.run(x, policy, Force(step, action), gold=gold, seed=episode.seed)
            found[row, action] = reward(x, outcome, gold)
    return found


def imitate(
    task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
) -> Floats:
    """1 for what the oracle may do, 0 for all else."""
    return asymmetric(1.0)(task, x, gold, policy, episode, reward, steps)


def asymmetric(penalty: float) -> Values:
    """The oracle's labels, where an error that takes what is not gold weighs `penalty`, and not 1.

    A gold candidate is worth 1, any other one 1 - penalty. To decline is worth 0 if the candidate is gold,
    else 1. So among several candidates the gold ones share the first place; if there are none, all do.
    """

    def values(
        task: Task, x: Any, gold: Any, policy: Policy, episode: Episode, reward: RewardOf, steps: Steps
    ) -> Floats:
        trace = episode.trace
        if trace.binary:  # the same in fewer array operations: DAgger visits many short runs
            gold_ones = task.is_gold(trace.site[steps], gold)
            return np.where(gold_ones[:, None], (0.0, 1.0), (1.0, 1.0 - penalty))
        row, there = trace.choices().table(steps)
        candidate = row != NONE
        right = np.zeros(row.shape, bool)
        right[candidate] = task.is_gold(trace.site[row[candidate]], gold)
        declined = np.where(right.any(axis=1, keepdims=True), 0.0, 1.0)
        found = np.where(candidate, np.where(right, 1.0, 1.0 - penalty), declined)
        found[~there] = np.nan
        return found

    return values
