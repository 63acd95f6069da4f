"""Work spread over processes of this machine: the one place that starts them and sees to their end.

On Linux workers are forks: they have the work, however large, with all that is compiled, and nothing is
packed. Elsewhere a fork may not be trusted with the system's libraries; workers are fresh interpreters there,
and the work is sent to each once. Pieces and answers travel on one line for each worker.

How they end: an interrupt is for the parent alone, which then kills them, as it does when nobody wants more
answers. Where the parent itself is killed their lines break, and a thread in each worker that listens there
ends it at once, whatever it is computing: kernels let go of the interpreter. A line that a later fork got
too breaks when that one has ended, which has the fewest to wait for: the youngest is the first.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from secateur.errors import InputError
from secateur.search.travel import from_bytes, to_bytes, work_to_bytes

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

A = TypeVar("A")
B = TypeVar("B")

FORK = sys.platform == "linux"
TRIES = 3  # workers that a piece may cost
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
HELD = (signal.SIGINT, signal.SIGTERM)  # signals that wait while a worker is started

# Two threads that start workers at once would give theirs each other's lines.
_starting = threading.Lock()


class WorkersLost(RuntimeError):
    """Workers died over their work, and so did those that it was given to next."""


def spread(
    work: Callable[[list[A]], B], pieces: Iterable[list[A]], jobs: int, *, ahead: int = 2
) -> Iterator[B]:
    """work(piece) for each piece, in order, by `jobs` processes; the same as map(work, pieces).

    At most jobs * ahead pieces are read beyond those whose results are out; a result comes out as soon as it
    and those before it are there, though the next piece is still waited for.
    """
    source = iter(pieces)
    jobs = useful(jobs)
    if jobs == 1:
        yield from map(work, source)
        return
    # The first piece is done here: what it loads and compiles the workers have; and a short text needs none.
    yield from map(work, islice(source, 1))
    others = list(islice(source, 1))
    if not others:
        return
    answers: dict[int, Answer[B]] = {}
    given = due = 0
    # Forks first: the fewer threads, the safer.
    with Workers(work, jobs, hand=ahead) as workers, _Reader(chain(others, source), jobs * ahead) as reader:
        while True:
            for number, piece in enumerate(reader.take(), given):
                workers.give(number, piece)
                given = number + 1
            if due == given and reader.ended:
                break
            answers.update(workers.take(reader.bell))
            while due in answers:
                reader.allow()
                yield answers.pop(due).result()
                due += 1
        if reader.problem is not None:
            raise reader.problem


def useful(jobs: int) -> int:
    """How many of the processes asked for there is a use for: one, where this is a worker already."""
    from multiprocessing import current_process

    if jobs < 1:
        raise InputError(f"jobs is {jobs}", fix="give the number of processes, 1 or more")
    return 1 if current_process().daemon else min(jobs, cores())


def cores() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Answer(NamedTuple, Generic[B]):
    """What came of a piece."""

    value: B | None
    problem: BaseException | None = None
    where: str = ""  # the problem's traceback

    def result(self) -> B:
        if self.problem is None:
            return self.value  # type: ignore[return-value]
        if self.where:
            self.problem.add_note(f"in a worker process:\n{self.where}")
        raise self.problem


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    line: Connection
    hand: deque[int] = field(default_factory=deque)  # pieces given to it, the one in work first


class Workers(Generic[A, B]):
    """Processes that do pieces of work; what one dies of is given to a new one, a few times."""

    def __init__(self, work: Callable[[list[A]], B], jobs: int, *, hand: int = 1, fork: bool = FORK) -> None:
        """`hand`: pieces a worker may have at once. A second one waits there: good where they are short."""
        self.work = work
        self.jobs = jobs
        self.hand = hand
        self.fork = fork
        self._crew: list[_Worker] = []
        self._pieces: dict[int, bytes] = {}  # those not answered yet
        self._waiting: deque[int] = deque()  # those in nobody's hands
        self._deaths: Counter[int] = Counter()  # of the workers that had it in work

    def __enter__(self) -> Workers[A, B]:
        try:
            while len(self._crew) < self.jobs:
                self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, pieces: Sequence[list[A]]) -> Iterator[B]:
        """The results of pieces, in any order."""
        for number, piece in enumerate(pieces):
            self.give(number, piece)
        missing = len(pieces)
        while missing:
            for _, answer in self.take():
                yield answer.result()
                missing -= 1

    def give(self, number: int, piece: list[A]) -> None:
        """Have a piece done; its number comes back with the answer."""
        self._pieces[number] = to_bytes(piece)
        self._waiting.append(number)
        self._hand_out()

    def take(self, bell: Connection | None = None) -> list[tuple[int, Answer[B]]]:
        """Wait for answers, in any order; for none where the bell rings, which is a line that has news."""
        from multiprocessing.connection import wait

        crew = {worker.line: worker for worker in self._crew}
        answered = []
        for line in wait([*crew, *([bell] if bell else [])]):
            if line is bell:
                continue
            worker = crew[line]  # type: ignore[index]
            try:
                answer = worker.line.recv_bytes()
            except (EOFError, OSError):
                answered += self._bury(worker)
            else:
                number = worker.hand.popleft()
                del self._pieces[number]
                answered.append((number, from_bytes(answer)))
        self._hand_out()
        return answered

    def _hand_out(self) -> None:
        while self._waiting:
            if len(self._crew) < self.jobs:
                self._start()
            worker = min(self._crew, key=lambda worker: len(worker.hand))
            if len(worker.hand) >= self.hand:
                return
            number = self._waiting.popleft()
            worker.hand.append(number)
            with suppress(OSError):  # of one that is dead: to be found out when it is listened to
                worker.line.send_bytes(self._pieces[number])

    def _bury(self, worker: _Worker) -> list[tuple[int, Answer[B]]]:
        """Take back what a dead worker had in its hands; an answer to what has cost too many."""
        self._crew.remove(worker)
        worker.line.close()
        worker.process.join()
        self._waiting.extendleft(reversed(worker.hand))
        if not worker.hand:
            return []
        number = worker.hand[0]
        self._deaths[number] += 1
        if self._deaths[number] < TRIES:
            return []
        self._waiting.remove(number)
        del self._pieces[number]
        return [(number, Answer(None, _lost(worker.process.exitcode)))]

    def _start(self) -> None:
        from multiprocessing import Pipe

        context = _context(self.fork)
        # A line is broken only when nobody has its other end: forks let go of the parent's, the parent of
        # theirs before it forks again.
        with _starting, _uninterrupted():
            ours, theirs = Pipe()
            given = (self.work, theirs, ours) if self.fork else (None, theirs, None)
            process = context.Process(target=_serve, args=given, daemon=True)
            with warnings.catch_warnings():
                # Python 3.12 warns of forks beside threads, whose locks nobody would open again. A worker
                # takes no such lock: it runs the work and writes to its line alone.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            theirs.close()
            self._crew.append(_Worker(process, ours))
        if not self.fork:
            with suppress(OSError):
                ours.send_bytes(work_to_bytes(self.work))

    def _end(self) -> None:
        with _uninterrupted():
            for worker in self._crew:
                if worker.process.exitcode is None and worker.process.pid is not None:
                    os.kill(worker.process.pid, KILL)
            for worker in self._crew:
                worker.process.join()
                worker.line.close()
            self._crew.clear()


class _Reader(Generic[A]):
    """Reads pieces in a thread: results come out while the next piece is waited for."""

    def __init__(self, source: Iterator[list[A]], limit: int) -> None:
        from multiprocessing import Pipe

        self.bell, self._rope = Pipe(duplex=False)
        self.ended = False
        self.problem: BaseException | None = None  # what ended the source
        self._source = source
        self._read: SimpleQueue[list[A] | None] = SimpleQueue()  # None: no more
        self._allowed = threading.Semaphore(limit)
        self._unwanted = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> _Reader[A]:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # It may be waiting for a piece that never comes, and cannot be stopped then.
        self._unwanted = True
        self._allowed.release()

    def allow(self) -> None:
        """Let it read one more."""
        self._allowed.release()

    def take(self) -> Iterator[list[A]]:
        """The pieces for which the bell has rung."""
        while not self.ended and self.bell.poll():
            self.bell.recv_bytes()
            piece = self._read.get()
            if piece is None:
                self.ended = True
            else:
                yield piece

    def _run(self) -> None:
        # A process that ends while this waits for input would close the input, and crash: it is in use here.
        held = sys.stdin
        try:
            while self._allowed.acquire() and not self._unwanted:
                piece = next(self._source, None)
                self._tell(piece)
                if piece is None:
                    break
        except BaseException as problem:
            self.problem = problem
            self._tell(None)
        del held

    def _tell(self, piece: list[A] | None) -> None:
        self._read.put(piece)
        with suppress(OSError):
            self._rope.send_bytes(b"")


def _serve(work: Callable[[list[Any]], Any] | None, line: Connection, parents: Connection | None) -> None:
    """In a worker: answer what comes, until it is killed or the parent is gone."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
        if parents is not None:
            parents.close()
        gc.freeze()  # what the parent has made is not looked through, which would copy it
        given: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_listen, args=(line, given), daemon=True).start()
        work = work or from_bytes(given.get())
        while True:
            line.send_bytes(_answer(work, given.get()))
    finally:
        os._exit(1)


def _listen(line: Connection, given: SimpleQueue[bytes]) -> None:
    try:
        while True:
            given.put(line.recv_bytes())
    finally:
        os._exit(1)


def _answer(work: Callable[[list[Any]], Any], piece: bytes) -> bytes:
    try:
        return to_bytes(Answer(work(from_bytes(piece))))
    except BaseException as problem:
        where = traceback.format_exc()
        try:
            packed = to_bytes(Answer(None, problem, where))
            from_bytes(packed)
        except Exception:  # an exception that cannot travel
            told = RuntimeError(f"{type(problem).__name__}: {problem}")
            packed = to_bytes(Answer(None, told, where))
        return packed


def _lost(code: int | None) -> WorkersLost:
    how = f"ended with code {code}"
    if code is not None and code < 0:
        how = f"killed by signal {-code}" + (", perhaps for lack of memory" if -code == KILL else "")
    return WorkersLost(
        f"{TRIES} worker processes died over the same piece of work, the last {how}; use fewer jobs"
    )


def _context(fork: bool) -> Any:
    import multiprocessing

    if fork:
        return multiprocessing.get_context("fork")
    from joblib.externals.loky.backend import get_context, resource_tracker

    # Started with the first process, it would let interrupts through in the midst of that.
    resource_tracker.ensure_running()
    # Unlike Python's own way of starting fresh interpreters it leaves the caller's script alone.
    return get_context("loky")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt in the block comes at its end; a process started there gets none before it is ready."""
    masked = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD) if masked else set()
    try:
        # With several threads another one may get the signal, and the main thread its handler's call.
        main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT) if main else None
        came: list[int] = []
        if handler is not None:
            signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
        try:
            yield
        finally:
            if handler is not None:
                signal.signal(signal.SIGINT, handler)
            if came:
                signal.raise_signal(signal.SIGINT)
    finally:
        if masked:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
