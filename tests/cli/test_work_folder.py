"""The folder of a training: one process at a time, and what happens to damaged files."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import secateur as sec
from secateur.errors import InputError
from secateur.kinds.arcs.settings import ArcSettings
from secateur.kinds.pcfg.split import SplitSettings, SplitTraining
from secateur.models.run import Run as Training
from secateur.models.training import train
from secateur.treebanks.garden import garden
from toy_dependencies import grown

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


# Dependencies and split grammars, without a command around them: it would train as for a real treebank.


@pytest.fixture(scope="module")
def arcs_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arcs") / "work"
    train(grown(40), dev=grown(8, seed=1), settings=QUICK, work=folder)
    return folder


QUICK = ArcSettings(points=1, iterations=2, epochs=1, shuffles=1, bits=16, folds=2, repeat=1, ends=(2,))
PIECES = [
    "run.json",
    "tagger.npz",
    "labeller.npz",
    "ranking.json",
    "filters.npz",
    "filters-1.npz",
    "weights.npz",
    "weights-0.npz",
    "dagger-0.npz",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_pieces_of_dependencies(
    arcs_work: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    assert {path.name for path in arcs_work.iterdir()} >= set(PIECES)
    for name in PIECES:
        work = tmp_path / name
        shutil.copytree(arcs_work, work)
        damage(work / name)
        with pytest.raises(InputError) as caught:
            train(grown(40), dev=grown(8, seed=1), settings=QUICK, work=work)
        if (name, damage) != ("run.json", reshaped):
            assert caught.value.where == str(work / name)
            assert caught.value.what.startswith("damaged: ")
        assert "delete" in caught.value.fix


def test_damaged_levels_of_a_split_grammar(tmp_path: Path) -> None:
    trees, settings = sec.garden.treebank(150), SplitSettings(levels=1)
    made = SplitTraining(trees, settings=settings, run=Training(tmp_path / "work")).fit().grammar()
    again = SplitTraining(trees, settings=settings, run=Training(tmp_path / "work")).fit().grammar()
    np.testing.assert_array_equal(made.blocks.binary, again.blocks.binary)
    for damage in DAMAGES:
        for name in ("level-0.npz", "level-1.npz"):
            work = tmp_path / damage.__name__ / name
            shutil.copytree(tmp_path / "work", work)
            damage(work / name)
            with pytest.raises(InputError, match="damaged: ") as caught:
                SplitTraining(trees, settings=settings, run=Training(work)).fit()
            assert caught.value.where == str(work / name)
