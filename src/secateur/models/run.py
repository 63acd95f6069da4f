"""Run: a training under way. Its folder keeps every finished piece, so that a stopped run goes on there.

Files appear whole or not at all. A folder belongs to one run, to the same trees and settings, and to one
process at a time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from secateur.errors import InputError
from secateur.models.arrays import Schema, check_arrays
from secateur.models.forms import formed, parse_json
from secateur.search.arrays import Weights
from secateur.search.checkpoint import Checkpoint
from secateur.search.linear import dense, sparse
from secateur.search.parallel import Engine

T = TypeVar("T")
Arrays = Mapping[str, npt.NDArray[Any]]

_AGAIN = "delete this file: its piece of the training is done again"


class Step(NamedTuple):
    """Something that was finished, for those who wait."""

    text: str
    done: int  # steps so far ...
    total: int  # ... of so many at most
    left: float | None  # seconds, judged by the steps of this run; None where too little is known
    minor: bool = False  # of interest only while it is the newest


Tell = Callable[[Step], None]


class Codec(Protocol[T]):
    """How a piece is stored."""

    def pack(self, piece: T) -> Arrays: ...

    def unpack(self, arrays: Arrays) -> T: ...


class Run:
    """A folder for pieces (none: nothing is kept), an engine for the work, and someone to tell."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        engine: Engine | None = None,
        tell: Tell = lambda step: None,
    ) -> None:
        self.folder = folder
        self.engine = engine or Engine()
        self.tell = tell
        self._clock = _Clock()

    def part(self, name: str) -> Run:
        """A run within this one, with a folder and steps of its own."""
        return Run(None if self.folder is None else self.folder / name, engine=self.engine)

    def claim(self, fingerprint: str, name: str = "run") -> None:
        """Refuse a folder that holds another run; `name` is that of a part of it."""
        if self.folder is None:
            return
        if self.numbers(name, lambda: {"fingerprint": fingerprint}) != {"fingerprint": fingerprint}:
            raise InputError(
                "this folder holds a run with other trees or other settings",
                where=str(self.folder),
                fix="delete it to begin anew, or name another model",
            )

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within, no other process works in the folder; where one does, it is refused."""
        if self.folder is None:
            yield
            return
        with _locked(self.folder):
            yield

    def file(self, name: str) -> str:
        """Where a piece is, for messages."""
        return name if self.folder is None else str(self.folder / name)

    # Steps --------------------------------------------------------------------------------------------------

    def plan(self, steps: Mapping[str, int]) -> None:
        """What is to come: numbers of steps by their kind."""
        self._clock.plan(steps)

    def skip(self, kind: str, count: int) -> None:
        """So many steps of a kind that were planned will not be."""
        self._clock.skip(kind, count)

    def found(self, kind: str, count: int) -> None:
        """So many steps of a kind were finished by an earlier process."""
        self._clock.found(kind, count)

    def told(self, text: str, kind: str = "", *, minor: bool = False) -> None:
        """A step is finished; without a kind, it was none of those planned."""
        done, total, left = self._clock.finished(kind)
        self.tell(Step(text, done, total, left, minor))

    # Pieces -------------------------------------------------------------------------------------------------

    def piece(self, name: str, make: Callable[[], T], codec: Codec[T]) -> T:
        """The stored piece, or the one that `make` makes, stored."""
        stored = self._load(name)
        if stored is not None:
            return self._unpacked(name, lambda: codec.unpack(stored))
        made = self._made(make)
        self._save(name, codec.pack(made))
        return made

    def arrays(self, name: str, make: Callable[[], Arrays], schema: Schema) -> Arrays:
        """The same of arrays by name: see models/arrays.py."""
        return self.piece(name, make, _AsTheyAre(schema))

    def weights(self, name: str, dim: int, make: Callable[[], Weights]) -> Weights:
        """The same of the weights of features."""
        return self.piece(name, make, _Sparse(dim))

    def numbers(self, name: str, make: Callable[[], Any], form: Any = object) -> Any:
        """The same of figures: anything that JSON holds, in a form as in models/forms.py."""
        if self.folder is None:
            return self._made(make)
        file = self.folder / f"{name}.json"
        if not file.exists():
            self._write(file.name, json.dumps(self._made(make)).encode())
        try:
            return formed(parse_json(file.read_text(encoding="utf-8")), form)
        except (ValueError, OSError) as problem:
            raise _damaged(file, problem) from None

    def checkpoint(self, name: str, dim: int) -> Checkpoint | None:
        """Where rounds of learning were stopped."""
        stored = self._load(name)
        if stored is None:
            return None
        return self._unpacked(name, lambda: Checkpoint.from_arrays(stored, dim))

    def save_checkpoint(self, name: str, checkpoint: Checkpoint) -> None:
        self._clock.worked()
        self._save(name, checkpoint.arrays())

    def _made(self, make: Callable[[], T]) -> T:
        self._clock.worked()
        return make()

    def _unpacked(self, name: str, unpack: Callable[[], T]) -> T:
        try:
            return unpack()
        except (ValueError, KeyError, IndexError, TypeError) as problem:
            raise _damaged(Path(self.file(f"{name}.npz")), problem) from None

    def _load(self, name: str) -> dict[str, npt.NDArray[Any]] | None:
        if self.folder is None or not (self.folder / f"{name}.npz").exists():
            return None
        file = self.folder / f"{name}.npz"
        try:
            # From memory: where the archive is broken, numpy would leave a file open.
            data = io.BytesIO(file.read_bytes())
            if not zipfile.is_zipfile(data):  # numpy takes it for a pickle, and says how to trust it
                raise ValueError("no archive of arrays")
            with np.load(data, allow_pickle=False) as stored:
                return dict(stored)
        except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as problem:
            raise _damaged(file, problem) from None

    def _save(self, name: str, arrays: Arrays) -> None:
        if self.folder is None:
            return
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
        self._write(f"{name}.npz", buffer.getvalue())

    def _write(self, name: str, content: bytes) -> None:
        assert self.folder is not None
        target = self.folder / name
        unfinished = target.with_name(f"{target.name}.{os.getpid()}.partial")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(content)
            unfinished.replace(target)
        except OSError as problem:
            unfinished.unlink(missing_ok=True)
            raise InputError(
                f"cannot save the training so far: {problem.strerror}",
                where=str(target),
                fix="make room, then start the same command again: it goes on from what was saved before",
            ) from problem


def _damaged(file: Path, problem: object) -> InputError:
    return InputError(f"damaged: {problem}", where=str(file), fix=_AGAIN)


class _Sparse:
    """Weights, most of which are 0."""

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def pack(self, piece: Weights) -> Arrays:
        return {"weights": sparse(piece)}

    def unpack(self, arrays: Arrays) -> Weights:
        return dense(arrays["weights"], self.dim)


class _AsTheyAre:
    """Arrays of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def pack(self, piece: Arrays) -> Arrays:
        return piece

    def unpack(self, arrays: Arrays) -> Arrays:
        return check_arrays(arrays, self.schema)


class _Clock:
    """How long steps take, by their kind, and so what is left; those found in the folder do not count."""

    def __init__(self) -> None:
        self._ahead: Counter[str] = Counter()
        self._spent: dict[str, list[float]] = {}
        self._done = 0
        self._fresh = False  # something was done since the last step
        self._last = time.monotonic()
        self._lock = Lock()  # folds may finish in several threads

    def plan(self, steps: Mapping[str, int]) -> None:
        with self._lock:
            self._ahead.update(steps)

    def skip(self, kind: str, count: int) -> None:
        with self._lock:
            self._ahead[kind] = max(self._ahead[kind] - count, 0)

    def found(self, kind: str, count: int) -> None:
        self.skip(kind, count)
        with self._lock:
            self._done += count

    def worked(self) -> None:
        with self._lock:
            self._fresh = True

    def finished(self, kind: str) -> tuple[int, int, float | None]:
        with self._lock:
            now = time.monotonic()
            if kind:
                if self._fresh:
                    self._spent.setdefault(kind, []).append(now - self._last)
                self._fresh, self._last = False, now
                self._done += 1
                self._ahead[kind] = max(self._ahead[kind] - 1, 0)
            return self._done, self._done + self._ahead.total(), self._left()

    def _left(self) -> float | None:
        """A kind of step that has not been seen takes as long as those that were, on average."""
        every = [seconds for spent in self._spent.values() for seconds in spent]
        if len(every) < 3:
            return None
        mean = {kind: sum(spent) / len(spent) for kind, spent in self._spent.items()}
        usual = sum(every) / len(every)
        return sum(count * mean.get(kind, usual) for kind, count in self._ahead.items())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as problem:
        fix = "name a place that can be written to"
        raise InputError(f"cannot write: {problem.strerror}", where=str(folder), fix=fix) from problem
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                "another training is at work in this folder",
                where=str(folder),
                fix="wait for it, or name another model",
            ) from None
        yield


def fingerprint(*about: object) -> str:
    """Of all that the pieces of a run depend on: arrays, bytes, and anything that JSON holds."""
    whole = hashlib.sha256()
    for one in about:
        if isinstance(one, np.ndarray):
            whole.update(np.ascontiguousarray(one).tobytes())
        elif isinstance(one, bytes):
            whole.update(one)
        else:
            whole.update(json.dumps(one, sort_keys=True, default=str).encode())
    return whole.hexdigest()
