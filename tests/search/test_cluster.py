"""Training on a real Dask cluster of two worker processes, one of which is killed at its work."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import secateur as sec
from secateur.kinds.arcs.policies import dagger
from secateur.kinds.pcfg.recipe import Settings, Trainer
from secateur.kinds.pcfg.trainer import cubic
from secateur.models.run import Run
from secateur.search.arrays import Floats
from secateur.search.checkpoint import Round
from secateur.search.learners import Aggregate
from secateur.search.parallel import Engine, WorkersLost
from secateur.tasks.span_pruning.backprop import backprop
from toy_locking import given

pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Engine]:
    import dask
    from distributed import LocalCluster

    # A task whose worker has died is given to another one; after the second death it is given up.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local,
    ):
        yield Engine(kind="dask", address=local.scheduler_address)


@dataclass(frozen=True)
class Deadly:
    """Values by back-propagation; once there is a file `armed`, the first to be asked is killed."""

    folder: Path

    def __call__(self, *asked: Any) -> Floats:
        if (self.folder / "armed").exists():
            try:
                (self.folder / "armed").rename(self.folder / f"killed-{os.getpid()}")
            except FileNotFoundError:
                pass  # the other worker was first
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return backprop(*asked)


def test_a_worker_killed_in_the_second_round_changes_nothing(cluster: Engine, tmp_path: Path) -> None:
    trees = sec.garden.treebank(500).filter(max_length=14)
    trainer = Trainer(Run(), trees[:200], trees[200:240], Settings(max_length=14))
    assert len(trainer.data) == 200
    start = trainer.baseline("start", 0.01)

    def arm(finished: Round) -> None:
        if finished.number == 1:
            (tmp_path / "armed").touch()

    def learn(**options: Any) -> Aggregate:
        trainer.pool.restore(0.1 * trainer.labelled(start.penalty))
        learner = Aggregate(iterations=2, patience=9, watch={"F1": trainer.task.f1}, **options)
        fit = partial(learner.fit, trainer.task, trainer.data, trainer.reward(0.001), start.policy)
        return fit(dev=trainer.stopping, pool=trainer.pool, cost=cubic, report=arm)

    alone = learn(values=backprop)
    (tmp_path / "armed").unlink()
    together = learn(values=Deadly(tmp_path), engine=cluster)
    [killed] = tmp_path.iterdir()
    assert killed.name.startswith("killed-")
    assert killed.name != f"killed-{os.getpid()}"
    assert [r._replace(seconds=0.0) for r in together.rounds_] == [
        r._replace(seconds=0.0) for r in alone.rounds_
    ]
    assert len(alone.rounds_) == 3
    assert together.policy_.weights.tobytes() == alone.policy_.weights.tobytes()
    assert not np.array_equal(alone.policy_.weights, start.policy.weights)


def test_dependencies_learn_on_a_cluster_what_they_learn_alone(cluster: Engine) -> None:
    task, parts, dev = given(None)
    (alone, rounds), (together, others) = (
        dagger(task, parts, dev, cost=2.0, iterations=4, engine=engine) for engine in (Engine(), cluster)
    )
    assert together.weights.tobytes() == alone.weights.tobytes()
    assert others == rounds


def die(numbers: list[int]) -> list[int]:
    os.kill(os.getpid(), signal.SIGKILL)
    return numbers


def test_work_that_kills_everyone_is_given_up(cluster: Engine) -> None:
    with pytest.raises(WorkersLost):
        cluster.map(die, [1], np.ones(1))
    assert cluster.workers() >= 1


def test_errors_of_the_function_come_through(cluster: Engine) -> None:
    def wrong(numbers: list[int]) -> list[int]:
        raise LookupError(f"{len(numbers)} numbers")

    with pytest.raises(LookupError, match="1 numbers"):
        cluster.map(wrong, [1, 2, 3], np.ones(3))
