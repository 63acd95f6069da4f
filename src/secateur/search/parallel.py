"""Work on many examples at once: processes of this machine, or the workers of a Dask or Ray cluster.

Chunks are handed out, the costly examples first; results come back in the order of the examples, so that
any number of workers of one kind of machine gives the same sums, bit for bit.

Processes of this machine are started for each map: that takes some 10 ms, and they find the function and the
items in their memory. For a cluster the function is packed once a map, as an array of bytes, which clusters
spread by themselves, and unpacked once a worker. Dask and Ray are asked for futures directly: joblib's
backend for Dask waits for ever once the scheduler has given a task up.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError, needing
from secateur.search.travel import from_bytes
from secateur.search.workers import Workers, useful
from secateur.search.workers import WorkersLost as WorkersLost

S = TypeVar("S")
T = TypeVar("T")
Packed = npt.NDArray[np.uint8]

# Chunks per worker: enough to even out what the cost estimate gets wrong, few enough to hand out cheaply.
PORTIONS = 4
# Examples in a chunk, at most about so many: the death of a worker loses no more.
MOST = 500
# Seconds until a cluster must have answered.
PATIENCE = 10

# Arrays of more bytes than this travel without their zeros, if those are most of them.
LARGE = 1 << 16
DIGEST = 16  # bytes of checksum before a packed function

KINDS = ("local", "dask", "ray")
LOST = "workers died twice over the same work, perhaps for lack of memory"


class NoCluster(RuntimeError):
    """There is no cluster at the address, or nobody works there."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Where work is done."""

    jobs: int = 1  # processes on this machine; a cluster gives all it has
    kind: str = "local"  # local: processes on this machine; dask, ray: a cluster
    address: str | None = None  # the cluster's

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise InputError(f"jobs is {self.jobs}", fix="give the number of processes, 1 or more")
        if self.kind not in KINDS:
            raise InputError(f'no engine "{self.kind}"', fix=f"there are {', '.join(KINDS)}")

    def map(
        self, function: Callable[[list[S]], list[T]], items: Sequence[S], cost: npt.NDArray[np.float64]
    ) -> list[T]:
        """The function's results for all items; it gets lists of them and returns a result for each."""
        if self.kind == "local" and useful(self.jobs) == 1:
            return function(list(items))
        found: dict[int, T] = {}
        try:
            self._work(function, items, cost, found)
        except WorkersLost:
            if self.kind == "local":  # the work was given to others already
                raise
            # They may have been killed for reasons that have passed: what is missing once more, then give up.
            self._work(function, items, cost, found)
        return [found[number] for number in range(len(items))]

    def _work(
        self,
        function: Callable[[list[S]], list[T]],
        items: Sequence[S],
        cost: npt.NDArray[np.float64],
        found: dict[int, T],
    ) -> None:
        """Fill in the results that are missing from `found`."""
        missing = np.array([number for number in range(len(items)) if number not in found], np.int64)
        with self._crew() as crew:
            count = max(crew.workers * PORTIONS, len(missing) // MOST)
            chunks = [missing[places].tolist() for places in portions(cost[missing], count)]
            for done in crew.run(function, items, chunks):
                found.update(done)

    def workers(self) -> int:
        """How many there are; NoCluster or MissingExtra says why there are none."""
        with self._crew() as crew:
            return crew.workers

    def _crew(self) -> AbstractContextManager[Crew]:
        return {"local": _processes, "dask": _dask, "ray": _ray}[self.kind](self)


Function = Callable[[list[Any]], list[Any]]
Numbered = list[tuple[int, Any]]  # results of some items with the items' numbers


class Crew(NamedTuple):
    """Those who apply a function to items, in chunks of their numbers, and give results in any order."""

    workers: int
    run: Callable[[Function, Sequence[Any], list[list[int]]], Iterator[Numbered]]


@dataclass(frozen=True, slots=True)
class _Numbers(Generic[S, T]):
    """The function by the items' numbers."""

    function: Callable[[list[S]], list[T]]
    items: Sequence[S]

    def __call__(self, numbers: list[int]) -> list[tuple[int, T]]:
        found = self.function([self.items[number] for number in numbers])
        return list(zip(numbers, found, strict=True))


@contextmanager
def _processes(engine: Engine) -> Iterator[Crew]:
    def run(function: Function, items: Sequence[Any], chunks: list[list[int]]) -> Iterator[Numbered]:
        if not chunks:
            return
        work = _Numbers(function, items)
        # One of middling cost is done here: what it loads and compiles all workers have, now and later.
        yield work([chunks[0].pop(len(chunks[0]) // 2)])
        others = [chunk for chunk in chunks if chunk]
        with Workers(work, min(useful(engine.jobs), len(others))) as workers:
            yield from workers.run(others)

    yield Crew(engine.jobs, run)


@contextmanager
def _dask(engine: Engine) -> Iterator[Crew]:
    with needing("distributed", "dask"):
        from distributed import CancelledError, Client, KilledWorker, TimeoutError, as_completed
        from distributed.comm import CommClosedError

    def run(function: Function, items: Sequence[Any], chunks: list[list[int]]) -> Iterator[Numbered]:
        packed = _pack_function(function)
        try:
            # Everyone gets a copy, which outlives the death of some.
            [shared] = client.scatter([packed], broadcast=True, hash=False)
            futures = [client.submit(_call, shared, c, pure=False) for c in _pack_chunks(items, chunks)]
            for future in as_completed(futures, loop=client.loop):
                yield from_bytes(future.result())
        except (KilledWorker, CancelledError, CommClosedError, TimeoutError) as problem:
            raise WorkersLost(LOST) from problem

    _knock(engine, ("tcp", "tls"), greets=True)
    try:
        client = Client(engine.address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as problem:  # TypeError: TLS without certificates
        raise NoCluster(f"no Dask scheduler answers at {engine.address}") from problem
    with client:
        if not client.nthreads():
            # Some clusters start workers when there is work.
            try:
                client.submit(int, pure=False).result(timeout=PATIENCE)
            except TimeoutError as problem:
                raise NoCluster(f"the Dask scheduler at {engine.address} has no workers") from problem
        yield Crew(sum(client.nthreads().values()), run)


@contextmanager
def _ray(engine: Engine) -> Iterator[Crew]:
    with needing("ray", "ray"):
        import ray
        from ray.exceptions import RayError, RayTaskError

    def run(function: Function, items: Sequence[Any], chunks: list[list[int]]) -> Iterator[Numbered]:
        shared = ray.put(_pack_function(function))
        call = ray.remote(_call)
        waiting = [call.remote(shared, chunk) for chunk in _pack_chunks(items, chunks)]
        try:
            while waiting:
                done, waiting = ray.wait(waiting)
                yield from_bytes(ray.get(done[0]))
        except RayTaskError:  # the function's own
            raise
        except RayError as problem:
            raise WorkersLost(LOST) from problem
        finally:
            for task in waiting:
                ray.cancel(task)

    if not ray.is_initialized():
        if engine.address != "auto":  # the one on this machine
            _knock(engine, ("ray",))
        try:
            ray.init(engine.address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError) as problem:
            raise NoCluster(f"no Ray cluster answers at {engine.address}") from problem
    yield Crew(int(ray.cluster_resources().get("CPU", 1)), run)


def _knock(engine: Engine, schemes: tuple[str, ...], *, greets: bool = False) -> None:
    """See whether someone is there: the libraries try for long, and a stranger's silence they bear for ever.

    Dask's schedulers speak first, unless it is by TLS.
    """
    scheme, _, place = (engine.address or "").rpartition("://")
    if not place:
        raise NoCluster(f"the engine {engine.kind} needs the address of a cluster")
    if scheme and scheme not in schemes:
        raise NoCluster(f"{engine.address} is no address of a cluster: {schemes[0]}://HOST:PORT would be one")
    try:
        parts = urlsplit("//" + place)
        with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as line:
            silent = greets and scheme != "tls" and not line.recv(1)
    except (OSError, ValueError) as problem:
        raise NoCluster(f"nobody answers at {engine.address}: {problem}") from problem
    if silent:
        raise NoCluster(f"no Dask scheduler answers at {engine.address}")


def portions(cost: npt.NDArray[np.float64], count: int) -> list[list[int]]:
    """Example numbers in about `count` lists of even cost, the costly examples first."""
    order = np.argsort(-cost, kind="stable")
    lists: list[list[int]] = [[] for _ in range(min(count, len(cost)))]
    # Dealing out by turns, back and forth, keeps the sums even without a heap.
    for place, number in enumerate(order.tolist()):
        turn, seat = divmod(place, len(lists))
        lists[seat if turn % 2 == 0 else len(lists) - 1 - seat].append(number)
    return lists


# The function of the newest chunk, in a cluster's worker.
_unpacked: dict[bytes, Function] = {}


def _call(packed: Packed, chunk: bytes) -> bytes:
    """In a cluster's worker: the results of a chunk with their numbers."""
    digest = packed[:DIGEST].tobytes()
    function = _unpacked.get(digest)
    if function is None:
        function = from_bytes(packed[DIGEST:].data)
        _unpacked.clear()
        _unpacked[digest] = function
    numbers, items = from_bytes(chunk)
    return _pack(list(zip(numbers, function(items), strict=True)))


def _pack_chunks(items: Sequence[Any], chunks: list[list[int]]) -> Iterator[bytes]:
    return (_pack((chunk, [items[number] for number in chunk])) for chunk in chunks)


def _pack_function(function: Function) -> Packed:
    content = _pack(function)
    digest = hashlib.blake2b(content, digest_size=DIGEST).digest()
    return np.frombuffer(digest + content, np.uint8)


def _pack(thing: Any) -> bytes:
    # Here, for it takes some time; and not by Python's own, which knows functions by their name only.
    from joblib.externals.loky.backend.reduction import dumps

    return bytes(dumps(thing, reducers={np.ndarray: _reduce_array}))


def _reduce_array(array: npt.NDArray[Any]) -> Any:
    """Large arrays that are mostly zeros, such as a policy's weights, as what is not zero."""
    if array.nbytes > LARGE and array.ndim == 1 and array.dtype in (np.float32, np.float64):
        # By their bits: a negative zero stays one.
        bits = np.ascontiguousarray(array).view(f"u{array.itemsize}")
        active = np.flatnonzero(bits).astype(np.min_scalar_type(len(bits)))
        if 3 * len(active) < len(bits):
            return _fill, (len(bits), array.dtype, active, bits[active])
    return array.__reduce_ex__(5)


def _fill(
    size: int, dtype: npt.DTypeLike, active: npt.NDArray[Any], bits: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    array = np.zeros(size, dtype)
    array.view(bits.dtype)[active] = bits
    return array
