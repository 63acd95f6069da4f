"""Work on many examples at once: local processes, or a Dask or Ray cluster, by joblib's backends.

Chunks are handed out long ones first; results come back in the order of the examples, so that any number
of workers gives the same sums, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

S = TypeVar("S")
T = TypeVar("T")

# Chunks per worker: enough to even out what the cost estimate gets wrong, few enough to hand out cheaply.
PORTIONS = 4


class WorkersLost(RuntimeError):
    """Workers died twice over the same work."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Where work is done."""

    jobs: int = 1
    kind: str = "loky"  # loky: processes on this machine; dask, ray: a cluster
    address: str | None = None

    def map(
        self, function: Callable[[list[S]], list[T]], items: Sequence[S], cost: npt.NDArray[np.float64]
    ) -> list[T]:
        """The function's results for all items; it gets lists of them and returns a result for each."""
        if self.jobs == 1 and self.kind == "loky":
            return function(list(items))
        chunks = portions(cost, max(self.jobs, 1) * PORTIONS)
        try:
            done = self._run(function, items, chunks)
        except TerminatedWorkerError:
            # A worker may have been killed for reasons that have passed: once more, then give up.
            try:
                done = self._run(function, items, chunks)
            except TerminatedWorkerError as problem:
                raise WorkersLost("worker processes died twice, perhaps for lack of memory") from problem
        found: dict[int, T] = {}
        for numbers, results in zip(chunks, done, strict=True):
            found.update(zip(numbers, results, strict=True))
        return [found[number] for number in range(len(items))]

    def _run(
        self, function: Callable[[list[S]], list[T]], items: Sequence[S], chunks: list[list[int]]
    ) -> list[list[T]]:
        with self._backend():
            done: list[list[T]] = Parallel()(
                delayed(function)([items[number] for number in chunk]) for chunk in chunks
            )
        return done

    def _backend(self) -> Any:
        if self.kind == "dask" and self.address:
            from distributed import Client

            # joblib takes the client that is current; it stays open for the rest of the process.
            Client(self.address, set_as_default=True)  # type: ignore[no-untyped-call]
        if self.kind == "ray":
            from ray.util.joblib import register_ray

            register_ray()
        return parallel_config(backend=self.kind, n_jobs=self.jobs if self.kind != "dask" else -1)


def portions(cost: npt.NDArray[np.float64], count: int) -> list[list[int]]:
    """Example numbers in about `count` lists of even cost, the costly examples first."""
    order = np.argsort(-cost, kind="stable")
    lists: list[list[int]] = [[] for _ in range(min(count, len(cost)))]
    # Dealing out by turns, back and forth, keeps the sums even without a heap.
    for place, number in enumerate(order.tolist()):
        turn, seat = divmod(place, len(lists))
        lists[seat if turn % 2 == 0 else len(lists) - 1 - seat].append(number)
    return lists
