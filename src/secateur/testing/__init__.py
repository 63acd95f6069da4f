"""For tests of secateur and of what is built on it: contracts here, hypothesis strategies in `strategies`.

    check_task(task, examples)
    check_values(propagate, task, examples, Reward(task.f1, "pushes", 0.001))
    check_kind("pcfg", bank, Settings(grammar="coarse", points=3), folder)

Each check raises AssertionError where its contract is not kept. Examples that have no decisions would let
anything pass, so they are refused.
"""

from __future__ import annotations

from secateur.testing.kinds import check_kind
from secateur.testing.semirings import check_semiring
from secateur.testing.tasks import check_task
from secateur.testing.values import check_values

__all__ = ["check_kind", "check_semiring", "check_task", "check_values"]
