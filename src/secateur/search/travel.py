"""How things travel between processes, and nowhere else: never to a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROTOCOL = 5


def to_bytes(thing: object) -> bytes:
    """A thing ready to be sent."""
    from multiprocessing.reduction import ForkingPickler

    return bytes(ForkingPickler.dumps(thing, PROTOCOL))


def from_bytes(packed: Any) -> Any:
    """The thing itself again, in the process that it was sent to."""
    from multiprocessing.reduction import ForkingPickler

    return ForkingPickler.loads(packed)


def work_to_bytes(work: Callable[[list[Any]], Any]) -> bytes:
    """The same of functions that no module has, for fresh interpreters."""
    from joblib.externals.loky.backend.reduction import dumps

    return bytes(dumps(work, protocol=PROTOCOL))
