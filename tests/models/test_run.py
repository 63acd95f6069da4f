"""A training under way: its pieces, its folder, and how long it still takes."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from secateur.errors import InputError
from secateur.models import run as runs
from secateur.models.arrays import Spec
from secateur.models.run import Run, Step, fingerprint


class Made:
    """Makes things, and knows how often."""

    def __init__(self, thing: Any) -> None:
        self.thing, self.times = thing, 0

    def __call__(self) -> Any:
        self.times += 1
        return self.thing


class Doubled:
    """A codec."""

    def pack(self, piece: int) -> dict[str, Any]:
        return {"twice": np.array(2 * piece)}

    def unpack(self, arrays: Any) -> int:
        return int(arrays["twice"]) // 2


WEIGHTS = np.array([0.0, 1.5, 0.0, -2.0], np.float32)


# Pieces -----------------------------------------------------------------------------------------------------


def test_pieces_are_made_once(tmp_path: Path) -> None:
    arrays = {"a": np.arange(3), "b": np.eye(2)}
    made = {name: Made(thing) for name, thing in (("n", [1, {"x": 2.5}]), ("p", 21), ("a", arrays))}
    weights = Made(WEIGHTS)
    for _ in range(3):
        run = Run(tmp_path)  # as after an interrupt
        assert run.numbers("n", made["n"]) == [1, {"x": 2.5}]
        assert run.piece("p", made["p"], Doubled()) == 21
        found = run.arrays("a", made["a"], {"a": Spec("i8", (3,)), "b": Spec("f8", (2, 2))})
        assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
        assert np.array_equal(run.weights("w", 4, weights), WEIGHTS)
    assert [one.times for one in (*made.values(), weights)] == [1, 1, 1, 1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.npz", "n.json", "p.npz", "w.npz"]


def test_without_a_folder_nothing_is_kept() -> None:
    run, made = Run(), Made(3)
    assert [run.numbers("n", made), run.numbers("n", made)] == [3, 3]
    assert made.times == 2
    run.claim("anything")
    with run.alone():
        assert run.checkpoint("lols", 4) is None


def test_parts_have_folders_of_their_own(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.part("split-0").numbers("n", lambda: 1)
    assert run.numbers("n", lambda: 2) == 2
    assert Run(tmp_path).part("split-0").numbers("n", lambda: 3) == 1
    assert Run().part("split-0").folder is None


def npy() -> bytes:
    """An array that is in no archive."""
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(1))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("n.json", b"{"),
        ("n.json", b"\xff\xfe"),
        ("n.json", b""),
        ("w.npz", b""),
        ("w.npz", b"PK\x03\x04 no archive"),
        ("p.npz", b"text"),
        ("p.npz", npy()),
    ],
)
def test_damaged_pieces_are_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    run = Run(tmp_path)
    ask = {
        "n.json": lambda: run.numbers("n", lambda: 1),
        "w.npz": lambda: run.weights("w", 4, lambda: WEIGHTS),
        "p.npz": lambda: run.piece("p", lambda: 1, Doubled()),
    }
    with pytest.raises(InputError, match=r"damaged: .*; delete this file: its piece") as caught:
        ask[name]()
    assert caught.value.where == str(tmp_path / name)
    assert "pickle" not in str(caught.value)


@pytest.mark.parametrize("drop", ["content", "last byte", "middle", "a dimension", "another name"])
def test_pieces_with_other_numbers_than_they_had_are_refused(tmp_path: Path, drop: str) -> None:
    """They were read as they stood before, and something else gave way later."""
    Run(tmp_path).weights("w", 4, lambda: WEIGHTS)
    file = tmp_path / "w.npz"
    data = file.read_bytes()
    if drop == "last byte":
        file.write_bytes(data[:-1])
    elif drop == "content":
        file.write_bytes(data[: len(data) // 2])
    elif drop == "middle":
        last = data.index(b"PK\x01\x02") - 1  # of the numbers
        file.write_bytes(data[:last] + bytes([data[last] ^ 255]) + data[last + 1 :])
    elif drop == "a dimension":
        np.savez(file, weights=np.zeros(3, np.uint32))
    else:
        np.savez(file, others=np.zeros((2, 2), np.uint32))
    with pytest.raises(InputError, match="damaged"):
        Run(tmp_path).weights("w", 4, lambda: WEIGHTS)


def test_weights_of_another_size_are_refused(tmp_path: Path) -> None:
    Run(tmp_path).weights("w", 4, lambda: WEIGHTS)
    with pytest.raises(InputError, match="damaged"):
        Run(tmp_path).weights("w", 2, lambda: WEIGHTS)


def test_no_code_is_run_from_a_folder(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", weights=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match="damaged"):
        Run(tmp_path).weights("w", 4, lambda: WEIGHTS)


def test_files_appear_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(InputError, match=r"cannot save .*No space left.*; make room, then start"):
            Run(tmp_path).numbers("n", lambda: 1)
    assert not list(tmp_path.iterdir())
    assert Run(tmp_path).numbers("n", lambda: 2) == 2


# The folder -------------------------------------------------------------------------------------------------


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    Run(tmp_path).claim("one")
    Run(tmp_path).claim("one")
    with pytest.raises(InputError, match="other trees or other settings; delete it to begin anew") as caught:
        Run(tmp_path).claim("other")
    assert caught.value.where == str(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(["one"]))
    with pytest.raises(InputError, match="other trees or other settings"):
        Run(tmp_path).claim("one")


def _hold(folder: Path, ready: Any, done: Any) -> None:
    with Run(folder).alone():
        ready.set()
        done.wait(60)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """Two used to write the same files, and one of them failed with a file that had gone."""
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "work", ready, done))
    other.start()
    try:
        assert ready.wait(60)
        refused = pytest.raises(InputError, match="another training is at work in this folder; wait for it")
        with refused as caught, Run(tmp_path / "work").alone():
            pass
        assert caught.value.where == str(tmp_path / "work")
    finally:
        done.set()
        other.join(60)
    assert other.exitcode == 0
    with Run(tmp_path / "work").alone():  # it has gone, and so has its lock
        pass


def test_the_lock_of_a_killed_process_goes_with_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, ready, done))
    other.start()
    assert ready.wait(60)
    other.kill()
    other.join(60)
    with Run(tmp_path).alone():
        assert Run(tmp_path).numbers("n", lambda: 1) == 1


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = Run(tmp_path / "file" / "work")
    with pytest.raises(InputError, match=r"cannot write: .*; name a place"), run.alone():
        pass


# Steps ------------------------------------------------------------------------------------------------------


class Watch:
    """A clock of one's own, and what was told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.told: list[Step] = []
        monkeypatch.setattr(runs.time, "monotonic", lambda: self.now)

    def run(self, folder: Path | None = None) -> Run:
        return Run(folder, tell=self.told.append)

    def work(self, seconds: float, thing: Any = 0) -> Any:
        self.now += seconds
        return thing

    @property
    def left(self) -> float | None:
        return self.told[-1].left


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


def test_what_is_left_goes_by_the_kind_of_step(watch: Watch) -> None:
    run = watch.run()
    run.plan({"long": 2, "short": 4})
    for name, kind, seconds in (("a", "long", 60), ("b", "short", 2), ("c", "short", 4)):
        assert watch.told == [] or watch.left is None  # too little is known
        run.numbers(name, lambda seconds=seconds: watch.work(seconds))
        run.told(name, kind)
    assert [(step.done, step.total) for step in watch.told] == [(1, 6), (2, 6), (3, 6)]
    assert watch.left == pytest.approx(60 + 2 * 3)
    run.numbers("d", lambda: watch.work(60))
    run.told("d", "long")
    assert watch.left == pytest.approx(2 * 3)


def test_steps_that_were_not_planned_do_not_count(watch: Watch) -> None:
    run = watch.run()
    run.plan({"round": 4})
    for number in range(3):
        run.numbers(str(number), lambda: watch.work(10))
        run.told("round", "round")
    run.told("by the way", minor=True)
    assert watch.told[-1] == Step("by the way", 3, 4, pytest.approx(10), minor=True)  # type: ignore[arg-type]


def test_what_was_skipped_is_not_waited_for(watch: Watch) -> None:
    run = watch.run()
    run.plan({"round": 10})
    for number in range(3):
        run.numbers(str(number), lambda: watch.work(10))
        run.told("round", "round")
    assert watch.left == pytest.approx(70)
    run.skip("round", 5)
    run.told("now")
    assert (watch.told[-1].done, watch.told[-1].total) == (3, 5)
    assert watch.left == pytest.approx(20)
    run.skip("round", 50)
    run.told("now")
    assert watch.told[-1][1:4] == (3, 3, 0.0)


def test_pieces_found_in_the_folder_do_not_count_for_the_time_left(tmp_path: Path, watch: Watch) -> None:
    """It said "77 min left" a minute before the end, or nothing at all."""

    def steps(run: Run, first: int, last: int) -> None:
        for number in range(first, last):
            run.numbers(f"n{number}", lambda: watch.work(100))
            run.told(f"step {number}", "step")

    first = watch.run(tmp_path)
    first.plan({"step": 10})
    steps(first, 0, 6)
    assert watch.left == pytest.approx(400)
    watch.told.clear()
    second = watch.run(tmp_path)
    second.plan({"step": 10})
    steps(second, 0, 6)  # all of them are there: no time is spent
    assert [(step.done, step.total, step.left) for step in watch.told] == [
        (number, 10, None) for number in range(1, 7)
    ]
    steps(second, 6, 9)
    assert (watch.told[-1].done, watch.told[-1].total) == (9, 10)
    assert watch.left == pytest.approx(100)


def test_time_before_the_first_fresh_step_is_not_its_own(tmp_path: Path, watch: Watch) -> None:
    """To find many pieces in the folder may take a while."""
    Run(tmp_path).numbers("old", lambda: 1)
    run = watch.run(tmp_path)
    run.plan({"step": 5})
    run.numbers("old", lambda: 1)
    watch.work(1000)  # reading
    run.told("old", "step")
    for number in range(3):
        run.numbers(f"new {number}", lambda: watch.work(10))
        run.told("new", "step")
    assert watch.left == pytest.approx(10)


def test_several_threads_lose_no_step(watch: Watch) -> None:
    run = watch.run()
    run.plan({"fold": 200})
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: run.told(str(n), "fold"), range(200)))
    assert sorted(step.done for step in watch.told) == list(range(1, 201))
    assert {step.total for step in watch.told} == {200}


# Fingerprints -----------------------------------------------------------------------------------------------


def test_fingerprints() -> None:
    array = np.arange(6).reshape(2, 3)
    same = fingerprint("a", {"x": 1, "y": (2, None)}, array, b"bytes")
    assert same == fingerprint("a", {"y": [2, None], "x": 1}, array.copy(order="F"), b"bytes")
    others = [
        fingerprint("b", {"x": 1, "y": (2, None)}, array, b"bytes"),
        fingerprint("a", {"x": 2, "y": (2, None)}, array, b"bytes"),
        fingerprint("a", {"x": 1, "y": (2, None)}, array + 1, b"bytes"),
        fingerprint("a", {"x": 1, "y": (2, None)}, array, b"byte"),
    ]
    assert len({same, *others}) == 5


def test_unfinished_files_are_those_of_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    write = Path.write_bytes

    def watched(path: Path, content: bytes) -> int:
        names.append(path.name)
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", watched)
    Run(tmp_path).numbers("n", lambda: 1)
    assert names == [f"n.json.{os.getpid()}.partial"]
