"""Training that is killed, interrupted or robbed of its workers goes on to the very same model."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from secateur import Model
from secateur.search import parallel
from secateur.search.parallel import WorkersLost
from secateur.treebanks.garden import garden

OPTIONS = ("--grammar", "coarse", "--points", 3, "--iterations", 2, "--max-length", 12)
# A process that stops itself: a signal from outside would come too late on a fast machine.
SECATEUR = """
import os, signal, sys
from secateur.cli import main, terminal
from secateur.models import curve
from secateur.models.run import Run
curve.STEEPNESS, curve.SHIFTS = (1.0,), (0.1,)  # how well the curve fits does not matter here
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
until, end = sys.argv.pop(1), int(sys.argv.pop(1))
told = Run.told
def told_all(run, text, kind="", *, minor=False):  # all of them, with a mark on those beyond the plan
    told(run, text if kind or minor else f"then {text}", kind)
Run.told = told_all
printed = terminal.err.print
def print_and_stop(line="", *args, **options):
    printed(line, *args, **options)
    if until and str(line).partition("] ")[2].startswith(until):
        os.kill(os.getpid(), end)
terminal.err.print = print_and_stop
main()
"""

Run = Callable[..., Any]


class Report(NamedTuple):
    """What a process left behind."""

    code: int
    err: str


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees") / "garden.mrg"
    path.write_text("".join(f"{sample.penn}\n" for sample in garden(100)))
    return path


@pytest.fixture(scope="module")
def calm(trees: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """The model and the report of a run that nothing happened to."""
    model = tmp_path_factory.mktemp("calm") / "my.model"
    return model, train(trees, model)


@pytest.fixture(scope="module")
def whole(calm: tuple[Path, Report]) -> Path:
    model, report = calm
    assert report.code == 0
    return model


# Lines of progress, and the signal that the process gets as soon as it has printed them.
MOMENTS = {
    "probe-1": signal.SIGKILL,
    "baseline-1": signal.SIGKILL,
    "lols-0 round 1": signal.SIGINT,
    "lols-2 round 1": signal.SIGKILL,
    "then exact": signal.SIGKILL,
}


@pytest.fixture(scope="module")
def survivor(trees: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Report]]:
    """A model whose training was stopped at all these moments, one after the other; and the reports."""
    model = tmp_path_factory.mktemp("survivor") / "my.model"
    reports = {until: train(trees, model, until=until, end=end) for until, end in MOMENTS.items()}
    assert not (model / "model.toml").exists()
    # As if it had been killed while it wrote a file.
    (model / "work" / "lols-2.npz.partial").write_bytes(b"half of i")
    reports["end"] = train(trees, model)
    return model, reports


def train(
    trees: Path, model: Path, *, until: str | None = None, end: signal.Signals = signal.SIGKILL
) -> Report:
    """Train in a process of its own, which gets a signal once a line of progress begins with `until`."""
    command = [sys.executable, "-c", SECATEUR, until or "", int(end), "train", trees, "-o", model, *OPTIONS]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert until is None or done.returncode, done.stderr
    return Report(done.returncode, done.stderr)


def figures(path: Path) -> Any:
    """All but those of the clock."""
    clock = {"seconds", "words_per_second", "seconds_per_sentence"}
    return json.loads(
        path.read_text(), object_hook=lambda table: {k: v for k, v in table.items() if k not in clock}
    )


Survivor = tuple[Path, dict[str, Report]]


def test_stopped_again_and_again_it_ends_with_the_same_model(whole: Path, survivor: Survivor) -> None:
    model, reports = survivor
    assert [report.code for report in reports.values()] == [-9, -9, 130, -9, -9, 0]
    learned = [*whole.glob("policies/*.npz"), whole / "grammar.gr.gz", whole / "vocabulary.txt"]
    assert len(learned) == 2 * 3 + 2
    for path in learned:
        assert (model / path.relative_to(whole)).read_bytes() == path.read_bytes(), path.name
    for name in ("log.json", "frontier.json"):
        assert figures(model / name) == figures(whole / name)
    assert len(list(model.glob("policies/*"))) == 6
    Model.load(model)


def test_no_round_is_done_twice(survivor: Survivor) -> None:
    _, reports = survivor
    rounds: list[str] = []
    for report in reports.values():
        done = (line.partition("] ")[2].partition(":")[0] for line in report.err.splitlines())
        # A line that is interrupted while it is printed may come twice.
        rounds += dict.fromkeys(line for line in done if re.fullmatch(r"lols-\d round [1-9]\d*", line))
    assert rounds == [f"lols-{run} round {number}" for run in range(3) for number in (1, 2)]


def test_progress_goes_on_where_it_was(calm: tuple[Path, Report], survivor: Survivor) -> None:
    expected = progress(calm[1])
    done, total = list(expected.values())[-1].split("/")
    assert done == total
    for report in survivor[1].values():
        assert progress(report).items() <= expected.items()


def progress(report: Report) -> dict[str, str]:
    """How much was done ("4/12") after each step."""
    pattern = r"^\[ *\d+ s, (\d+/\d+)\] ([^,\n]*),"
    return {step: done for done, step in re.findall(pattern, report.err, re.MULTILINE)}


def test_interrupted_it_says_how_to_go_on(trees: Path, survivor: Survivor) -> None:
    model, reports = survivor
    told = reports["lols-0 round 1"].err
    assert "Traceback" not in told
    *_, kept, command, last = told.splitlines()
    assert kept == f"finished rounds are kept in {model / 'work'}; to go on:"
    assert command == f"  secateur train {trees} -o {model} " + " ".join(map(str, OPTIONS))
    assert last == "interrupted"


def test_a_folder_of_other_settings_is_refused(trees: Path, whole: Path, run: Run) -> None:
    other = run("train", trees, "-o", whole, *OPTIONS, "--seed", 5)
    other.refused("other settings", whole / "work", "delete it")


def test_lost_workers(trees: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def doomed(engine: parallel.Engine) -> Any:
        def run(function: Any, items: Any, chunks: Any) -> Any:
            raise WorkersLost("workers died twice")
            yield

        yield parallel.Crew(2, run)

    monkeypatch.setattr(parallel, "_processes", doomed)
    model = tmp_path / "my.model"
    lost = run("train", trees, "-o", model, *OPTIONS, "--jobs", 2)
    assert lost.code == 1
    assert "Traceback" not in lost.err
    assert f"error: {model / 'work'}  workers died twice; finished rounds are kept" in lost.err
    assert f"  secateur train {trees} -o {model} --grammar coarse --points 3" in lost.err


def test_clusters_that_are_not_there(
    trees: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("train", trees, "-o", tmp_path / "my.model")
    run(*command, "--address", "tcp://127.0.0.1:1").refused("--engine dask")
    with monkeypatch.context() as patch:
        for kind, library in (("dask", "distributed"), ("ray", "ray")):
            patch.setitem(sys.modules, library, None)
            missing = run(*command, "--engine", kind, "--address", "127.0.0.1:1")
            assert missing.code == 1
            assert f'pip install "secateur[{kind}]"' in missing.err
    pytest.importorskip("distributed", reason="distributed is not installed")
    run(*command, "--engine", "dask").refused("needs the address", "--address", "tcp://")
    run(*command, "--engine", "dask", "--address", "tcp://127.0.0.1:1").refused("nobody answers")
    assert not list(tmp_path.iterdir())
