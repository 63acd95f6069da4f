"""The folder of a training: one process at a time, and what happens to damaged files."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from secateur.models.run import Run as Training
from secateur.treebanks.garden import garden

if TYPE_CHECKING:
    from cli.conftest import Run

OPTIONS = ("--grammar", "coarse", "--points", 3, "--iterations", 1, "--max-length", 10, "--quiet")


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees") / "garden.mrg"
    path.write_text("".join(f"{sample.penn}\n" for sample in garden(40)))
    return path


@pytest.fixture
def finished(run: Run, trees: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that is done."""
    made = trees.parent / "my.model"
    if not made.exists():
        run("train", trees, "-o", made, *OPTIONS).done()
    return made / "work"


def test_two_trainings_in_one_folder(run: Run, trees: Path, tmp_path: Path) -> None:
    made = tmp_path / "my.model"
    with Training(made / "work").alone():
        run("train", trees, "-o", made, *OPTIONS).refused(made / "work", "another training", "wait for it")
    assert [path.name for path in (made / "work").iterdir()] == ["lock"]
    assert not (made / "model.toml").exists()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-30])


def half_json(file: Path) -> None:
    file.write_text("{")


def reshaped(file: Path) -> None:
    """Arrays of a shape that is none of theirs; figures of another form."""
    if file.suffix == ".json":
        file.write_text('[["a", 1]]')
        return
    with np.load(file) as stored:
        wrong = {name: np.zeros((2, 3, 1), array.dtype) for name, array in stored.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **wrong)
    file.write_bytes(buffer.getvalue())


def emptied(file: Path) -> None:
    file.write_bytes(b"")


DAMAGES = [truncated, half_json, reshaped, emptied]
FILES = ["run.json", "probe-0.npz", "probe-0.json", "baseline-1.npz", "baseline-1.json", "lols-0.npz"]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_named(
    run: Run, trees: Path, finished: Path, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    work = tmp_path / "my.model" / "work"
    shutil.copytree(finished, work)
    damage(work / name)
    found = run("train", trees, "-o", work.parent, *OPTIONS)
    if name == "run.json" and damage is reshaped:  # it is that of some other run
        found.refused(work, "other settings", "delete it")
    else:
        found.refused(work / name, "damaged", "delete this file")
