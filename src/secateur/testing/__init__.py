"""For tests of secateur and of what is built on it: contracts here, hypothesis strategies in `strategies`."""

from __future__ import annotations

from secateur.testing.contracts import check_semiring, check_task, check_values

__all__ = ["check_semiring", "check_task", "check_values"]
