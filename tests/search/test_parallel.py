"""Engines: the same results from any number of processes, and what becomes of those that die."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError, MissingExtra
from secateur.kinds.pcfg.recipe import Settings, Trainer
from secateur.models.run import Run
from secateur.search import parallel, workers
from secateur.search.parallel import Crew, Engine, NoCluster, WorkersLost

TWO = Engine(jobs=2)


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 2)


@dataclass(frozen=True)
class Mortal:
    """Doubles numbers; kills the process that finds a number deadly, unless someone has died of it before."""

    deadly: int
    marker: Path | None = None

    def __call__(self, numbers: list[int]) -> list[int]:
        if self.deadly in numbers and not (self.marker and self.marker.exists()):
            if self.marker:
                self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return [2 * number for number in numbers]


@dataclass(frozen=True)
class Weighty:
    """Sums of its array's elements at some places, and where it was."""

    weights: Any

    def __call__(self, places: list[int]) -> list[tuple[float, bool, int]]:
        return [(float(self.weights[p]), bool(self.weights.flags.writeable), os.getpid()) for p in places]


def test_the_order_of_results_is_that_of_items() -> None:
    items = list(range(50))
    cost = np.random.default_rng(0).exponential(size=50)
    assert TWO.map(Mortal(-1), items, cost) == Engine().map(Mortal(-1), items, cost)
    assert TWO.map(Mortal(-1), [], np.zeros(0)) == []


def test_two_processes_learn_the_same_policy_as_one() -> None:
    trees = sec.garden.treebank(80)
    settings = Settings(iterations=1, max_length=12)

    def learn(engine: Engine) -> bytes:
        trainer = Trainer(Run(engine=engine), trees[:60], trees[60:], settings)
        policy, _ = trainer.lols("run", trainer.baseline("start", 0.01), 0.001)
        return policy.weights.tobytes()

    assert learn(TWO) == learn(Engine())


def test_functions_without_a_name_travel_too() -> None:
    three = 3
    assert TWO.map(lambda numbers: [three * n for n in numbers], [1, 2], np.ones(2)) == [3, 6]


def test_others_do_the_work_of_a_process_that_died(tmp_path: Path) -> None:
    found = TWO.map(Mortal(7, tmp_path / "marker"), list(range(20)), np.ones(20))
    assert found == [2 * number for number in range(20)]
    assert (tmp_path / "marker").exists()


def test_when_the_others_die_too_it_gives_up() -> None:
    with pytest.raises(WorkersLost, match=r"3 worker processes died .* killed by signal 9"):
        TWO.map(Mortal(7), list(range(20)), np.ones(20))
    assert TWO.map(Mortal(-1), [1, 2], np.ones(2)) == [2, 4]


def test_what_a_cluster_did_before_a_death_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[int]] = []

    @contextmanager
    def unlucky(engine: Engine) -> Iterator[Crew]:
        def run(function: Any, items: Any, chunks: list[list[int]]) -> Iterator[Any]:
            packed = parallel._pack_function(function)
            for chunk in parallel._pack_chunks(items, chunks):
                given.append(pickle.loads(chunk)[0])
                yield pickle.loads(parallel._call(packed, chunk))
                if len(given) == 3:
                    raise WorkersLost("dead")

        yield Crew(2, run)

    monkeypatch.setattr(parallel, "_dask", unlucky)
    cluster = Engine(kind="dask")
    assert cluster.map(Mortal(-1), list(range(40)), np.ones(40)) == list(range(0, 80, 2))
    assert sorted(number for numbers in given for number in numbers) == list(range(40))


def test_errors_of_the_function_come_through() -> None:
    def wrong(numbers: list[int]) -> list[int]:
        raise LookupError(f"{len(numbers)} numbers")

    with pytest.raises(LookupError, match="numbers"):
        TWO.map(wrong, [1, 2, 3], np.ones(3))


def test_arrays_travel_without_their_zeros_and_bit_for_bit() -> None:
    weights = np.zeros(1 << 20, np.float32)
    weights[[3, 500, 70000]] = 1.5, -0.0, np.nan
    for array in (weights, weights.astype(np.float64)):
        packed = parallel._pack(array)
        assert len(packed) < 1000
        assert pickle.loads(packed).tobytes() == array.tobytes()
    full = np.random.default_rng(0).random((300, 300))
    assert np.array_equal(pickle.loads(parallel._pack(full)), full)


def test_large_arrays_are_writable_in_workers() -> None:
    # Compiled code takes a read-only array for another type, and would be compiled again.
    weights = np.arange(1 << 19, dtype=np.float64)
    found = TWO.map(Weighty(weights), [5, 6, 7, 8], np.ones(4))
    assert [value for value, _, _ in found] == [5.0, 6.0, 7.0, 8.0]
    assert all(writeable for _, writeable, _ in found)
    away = [process for _, _, process in found if process != os.getpid()]
    assert len(away) == 3  # one is done here, to have it compiled before there are workers


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"jobs": -1}, {"kind": "loky"}])
def test_engines_that_there_are_not(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"1 or more|there are local, dask, ray"):
        Engine(**wrong)


def test_in_a_worker_there_are_no_further_workers() -> None:
    def within(numbers: list[int]) -> list[tuple[int, list[int]]]:
        return [(os.getpid(), TWO.map(lambda _: [os.getpid()], [n], np.ones(1))) for n in numbers]

    found = TWO.map(within, list(range(6)), np.ones(6))
    away = [(outer, inner) for outer, inner in found if outer != os.getpid()]
    assert len(away) == 5
    assert all(inner == [outer] for outer, inner in away)


def test_no_worker_is_left_behind() -> None:
    TWO.map(Mortal(-1), list(range(6)), np.ones(6))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(("kind", "library"), [("dask", "distributed"), ("ray", "ray")])
def test_a_cluster_without_its_library(kind: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # importing it fails
    engine = Engine(kind=kind, address="127.0.0.1:1")
    remedy = rf'this needs {library}: pip install "secateur\[{kind}\]"'
    with pytest.raises(MissingExtra, match=remedy):
        engine.map(Mortal(-1), [1], np.ones(1))
    with pytest.raises(MissingExtra, match=remedy):
        engine.workers()


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "tcp://:port", "smtp://127.0.0.1:1", None]
)
def test_no_cluster(address: str | None) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    with pytest.raises(NoCluster, match=address or "needs the address"):
        Engine(kind="dask", address=address).map(Mortal(-1), [1], np.ones(1))
