"""Work spread over processes: the same as in one, whatever becomes of workers; and none is left behind."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.errors import InputError, MissingExtra
from secateur.search import workers
from secateur.search.workers import Workers, WorkersLost, spread

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

FORKED = [pytest.param(True, id="forked"), pytest.param(False, id="fresh")]
SOON = 20.0  # seconds: a busy machine takes its time


@pytest.fixture(autouse=True)
def _cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(workers, "cores", lambda: 4)
    yield
    assert multiprocessing.active_children() == []


def double(numbers: list[int]) -> list[int]:
    return [2 * number for number in numbers]


def singles(count: int) -> Iterator[list[int]]:
    return ([number] for number in range(count))


@dataclass(frozen=True)
class Mortal:
    """Doubles numbers; a deadly one ends the process, as often as is said, in the way that is said."""

    deadly: int
    folder: Path
    times: int = 99
    way: str = "kill"

    def __call__(self, numbers: list[int]) -> list[int]:
        if self.deadly in numbers and len(list(self.folder.iterdir())) < self.times:
            (self.folder / f"{os.getpid()}").touch()
            if self.way == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif self.way == "crash":
                faulthandler.disable()  # pytest's would tell of it
                os.kill(os.getpid(), signal.SIGSEGV)
            os._exit(0)
        return double(numbers)


# The same as map ----------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(st.lists(st.lists(st.integers(), max_size=4), max_size=12), st.integers(1, 3), st.integers(1, 3))
def test_the_same_as_map(pieces: list[list[int]], jobs: int, ahead: int) -> None:
    assert list(spread(double, iter(pieces), jobs, ahead=ahead)) == list(map(double, pieces))


def test_large_pieces_and_results_pass_each_other() -> None:
    # More than a line holds, both ways at once.
    pieces = [[bytes([number]) * (1 << 22)] for number in range(6)]
    assert list(spread(lambda piece: piece, pieces, 2)) == pieces


def test_a_single_piece_takes_no_worker() -> None:
    assert list(spread(lambda piece: os.getpid(), [[1]], 2)) == [os.getpid()]
    first, *others = spread(lambda piece: os.getpid(), singles(9), 2)
    assert first == os.getpid()
    assert os.getpid() not in others


def test_one_core_takes_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert set(spread(lambda piece: os.getpid(), singles(9), 2)) == {os.getpid()}


def test_in_a_worker_there_are_no_further_workers() -> None:
    def within(piece: list[int]) -> tuple[int, set[int]]:
        return os.getpid(), set(spread(lambda piece: os.getpid(), singles(4), 2))

    for outer, inner in list(spread(within, singles(6), 2))[1:]:
        assert inner == {outer}


def test_the_work_is_never_packed_for_forks() -> None:
    lock = threading.Lock()  # cannot be
    assert list(spread(lambda piece: (piece, lock.locked()), [[1], [2], [3]], 2))[2] == ([3], False)


@pytest.mark.parametrize("fork", FORKED)
def test_workers(fork: bool) -> None:
    with Workers(lambda piece: (sum(piece), os.getpid()), 2, fork=fork) as crew:
        sums, processes = zip(*crew.run([[number, 1] for number in range(20)]), strict=True)
    assert sorted(sums) == list(range(1, 21))
    assert len(set(processes)) == 2
    assert os.getpid() not in processes


@pytest.mark.parametrize("jobs", [0, -2])
def test_no_jobs(jobs: int) -> None:
    with pytest.raises(InputError, match="jobs is"):
        list(spread(double, [], jobs))


# Reading ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("jobs", "ahead"), [(1, 2), (2, 1), (2, 2), (3, 2)])
def test_an_endless_stream_is_read_a_little_ahead(jobs: int, ahead: int) -> None:
    read = 0

    def endless() -> Iterator[list[int]]:
        nonlocal read
        while True:
            read += 1
            yield [read]

    found = spread(double, endless(), jobs, ahead=ahead)
    for out in range(1, 40):
        assert next(found) == [2 * out]
        assert read <= out + jobs * ahead
    found.close()  # type: ignore[attr-defined]


def test_results_come_out_while_the_next_piece_is_waited_for() -> None:
    # Somebody who types the next sentences when the last ones' trees are there, several at a time.
    seen = threading.Semaphore(0)

    def typed() -> Iterator[list[int]]:
        for burst in range(6):
            yield from ([10 * burst + number] for number in range(burst))
            for _ in range(burst):
                assert seen.acquire(timeout=SOON)

    found = []
    for result in spread(double, typed(), 2):
        found.append(result)
        seen.release()
    assert found == [[20 * burst + 2 * number] for burst in range(6) for number in range(burst)]


@pytest.mark.parametrize("place", [0, 1, 2, 7])
def test_errors_of_the_source_come_at_their_place(place: int) -> None:
    def wrong() -> Iterator[list[int]]:
        yield from singles(place)
        raise InputError("unreadable", where="file:7")

    found = []
    with pytest.raises(InputError, match="file:7  unreadable"):
        found.extend(spread(double, wrong(), 2))
    assert found == [[2 * number] for number in range(place)]


def test_who_stops_early_ends_the_workers() -> None:
    found = spread(lambda piece: time.sleep(0.0 if piece[0] < 2 else 60.0), singles(99), 2)
    next(found)
    next(found)
    assert len(multiprocessing.active_children()) == 2
    started = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []
    assert time.monotonic() - started < SOON


# Errors and deaths --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failing:
    problem: BaseException
    at: int = 5

    def __call__(self, numbers: list[int]) -> list[int]:
        if self.at in numbers:
            raise self.problem
        return double(numbers)


@pytest.mark.parametrize("at", [0, 1, 5])
def test_errors_of_the_work_come_at_their_place(at: int) -> None:
    found = []
    with pytest.raises(InputError) as caught:
        found.extend(spread(Failing(InputError("bad", where="f:1", fix="mend it"), at), singles(20), 2))
    assert (caught.value.what, caught.value.where, caught.value.fix) == ("bad", "f:1", "mend it")
    assert found == [[2 * number] for number in range(at)]


def test_errors_that_cannot_travel_are_told() -> None:
    class Local(Exception):
        """Nobody else knows of it."""

    with pytest.raises(RuntimeError, match=r"^Local: own"):
        list(spread(Failing(Local("own")), singles(20), 2))
    with pytest.raises(RuntimeError, match=r"^MissingExtra: this needs"):  # it is made from two arguments
        list(spread(Failing(MissingExtra("library", "extra")), singles(20), 2))


def test_results_that_cannot_travel_are_told() -> None:
    with pytest.raises((TypeError, AttributeError), match="pickle"):
        list(spread(lambda piece: threading.Lock(), singles(3), 2))


@pytest.mark.parametrize("way", ["kill", "crash", "exit"])
@pytest.mark.parametrize("times", [1, 2])
def test_others_do_the_work_of_those_that_died(way: str, times: int, tmp_path: Path) -> None:
    found = list(spread(Mortal(7, tmp_path, times, way), singles(20), 2))
    assert found == [[2 * number] for number in range(20)]
    assert len(list(tmp_path.iterdir())) == times


@pytest.mark.parametrize(
    ("way", "told"), [("kill", "signal 9, perhaps for lack of memory"), ("crash", "signal 11"), ("exit", "0")]
)
def test_what_kills_everyone_is_given_up(way: str, told: str, tmp_path: Path) -> None:
    found = []
    with pytest.raises(WorkersLost, match=rf"^3 worker processes died .*{told}; use fewer jobs$"):
        found.extend(spread(Mortal(7, tmp_path, way=way), singles(20), 2))
    assert found == [[2 * number] for number in range(7)]
    assert len(list(tmp_path.iterdir())) == 3


def test_a_fresh_worker_that_died_is_replaced(tmp_path: Path) -> None:
    with Workers(Mortal(3, tmp_path, 1), 1, fork=False) as crew:
        assert sorted(crew.run(list(singles(6)))) == [[2 * number] for number in range(6)]


def test_workers_killed_at_random_change_nothing() -> None:
    rng = random.Random(0)

    def slow(piece: list[int]) -> list[int]:
        time.sleep(0.002)
        return double(piece)

    found = []
    for number, result in enumerate(spread(slow, singles(400), 3)):
        found.append(result)
        if number % 40 == 0:
            for child in rng.sample(multiprocessing.active_children(), k=min(1, number)):
                child.kill()
    assert found == [[2 * number] for number in range(400)]


# Interrupts and the parent's death ----------------------------------------------------------------------

# Workers in a long kernel, in Python, or idle; `typing`: the parent waits for input that does not come;
# `start`: they are about to be started.
PROGRAM = """
import os, sys, time
import numba
from secateur.search import workers

workers.cores = lambda: 2

@numba.njit(nogil=True)
def kernel(rounds):
    x = 1.0
    for i in range(rounds):
        x = (x * 1.0000001) % 7.3
    return x

def work(piece):
    if way == "kernel":
        return kernel(10**10 if piece[0] > 1 else 10)
    until = time.monotonic() + (0.002 if way == "short" else 0.0)
    while time.monotonic() < until:
        pass
    return piece

def pieces():
    number = 0
    while True:
        if way == "typing" and number > 5:
            sys.stdin.buffer.readline()
        yield [number]
        number += 1

way = sys.argv[1]
kernel(10)
try:
    for number, result in enumerate(workers.spread(work, pieces(), 2)):
        if number == (way != "start"):
            print("ready", flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


def members(group: int) -> list[int]:
    """The processes of a group that live."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, of = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(of) == group and state != "Z":
            found.append(int(folder.name))
    return found


class Program:
    """A process group of its own, for those who would end it."""

    def __init__(self, way: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, way],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # Whoever runs the tests in the background may have switched interrupts off.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def __enter__(self) -> Program:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n", self.process.communicate()
        return self

    def __exit__(self, *_: Any) -> None:
        for process in members(self.process.pid):
            os.kill(process, signal.SIGKILL)
        self.process.communicate()

    def workers(self) -> int:
        return len(members(self.process.pid)) - 1

    def end(self, number: int, *, group: bool) -> tuple[int, bytes]:
        """What it says to a signal, when all of it is gone."""
        (os.killpg if group else os.kill)(self.process.pid, number)
        assert self.process.stderr is not None
        code = self.process.wait(SOON)
        until = time.monotonic() + SOON
        while left := members(self.process.pid):
            assert time.monotonic() < until, f"{len(left)} processes live on"
            time.sleep(0.01)
        return code, self.process.stderr.read()


WAYS = ["kernel", "short", "typing"]


def interrupt(way: str, group: bool, wait: float) -> None:
    with Program(way) as program:
        time.sleep(wait)
        assert program.workers() == 2 or way == "start"
        assert program.end(signal.SIGINT, group=group) == (130, b"")


@pytest.mark.parametrize("group", [True, False], ids=["all", "parent"])
@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_ends_all_at_once_and_quietly(way: str, group: bool) -> None:
    interrupt(way, group, 0.02)


@pytest.mark.skipif("SECATEUR_FUZZ" not in os.environ, reason="make fuzz explores")
@pytest.mark.parametrize(("way", "longest"), [*((way, 0.2) for way in WAYS), ("start", 0.03)])
def test_interrupts_at_any_moment(way: str, longest: float) -> None:
    rng = random.Random()
    for _ in range(40):
        interrupt(way, rng.random() < 0.5, rng.uniform(0.0, longest))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("way", WAYS)
def test_workers_end_with_their_parent(way: str, number: int) -> None:
    with Program(way) as program:
        assert program.workers() == 2
        assert program.end(number, group=False) == (-number, b"")
