"""secateur bench."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toy_model import toy_model

if TYPE_CHECKING:
    from cli.conftest import Run


def test_json(run: Run, grown: Path, grown_grammar: Path) -> None:
    found = run("bench", grown_grammar, grown, "--repeat", 2, "--sentences", 7, "--json").done().json
    assert (found["sentences"], found["runs"]) == (7, 2)
    rate = 1e3 * found["words"] / found["sentences"] / found["ms/sentence"]
    assert found["words/s"] == pytest.approx(rate, abs=1)
    assert found["spread of runs"] >= 0
    # The counters are those of parse.
    parses = run("parse", grown_grammar, grown, "--json").done().objects[:7]
    assert found["pushes/sentence"] == round(sum(one["pushes"] for one in parses) / 7)
    assert found["items/sentence"] == round(sum(one["items"] for one in parses) / 7)
    assert found["without a parse"] == sum(one["failed"] for one in parses)


def test_for_people(run: Run, grammar: Path) -> None:
    found = run("bench", grammar, "-", "--repeat", 1, stdin="the cat slept .\n\na dog slept .\n").done()
    assert found.lines[0] == f"{grammar} on -: exact Viterbi, CPU time on one core, best of 1"
    values = {line[:18].strip(): line[18:] for line in found.lines[2:]}
    assert (values["sentences"], values["words"]) == ("2", "8")
    assert values["spread of runs"] == "0%"


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot(run: Run, trees: Path, grammar: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
    picture = tmp_path / f"plot.{suffix}"
    run("bench", grammar, trees, "--repeat", 1, "--plot", picture).done()
    assert picture.read_bytes().startswith(start)


def test_no_plot(run: Run, trees: Path, grammar: Path, tmp_path: Path) -> None:
    run("bench", grammar, trees, "--plot", "plot.doc").misused("--plot", ".png")
    run("bench", grammar, trees, "--plot", tmp_path / "none" / "plot.png").refused("plot.png", "mkdir")
    run("bench", grammar, trees, "--repeat", 0).misused("--repeat")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "toy.model"
    toy_model().save(path)
    return path


def test_the_points_of_a_model(run: Run, trees: Path, model: Path) -> None:
    found = run("bench", model, trees, "--repeat", 2, "--json").done().json
    assert list(found["points"]) == ["hasty", "careful", "exact"]
    pushes = [one["pushes/sentence"] for one in found["points"].values()]
    assert pushes == sorted(pushes)
    assert found["points"]["hasty"]["without a parse"] == 5
    shown = run("bench", model, trees, "--repeat", 1).done()
    assert shown.lines[0] == f"{model} on {trees}: CPU time on one core, best of 1"
    assert [line.split()[0] for line in shown.lines[2:]] == ["point", "hasty", "careful", "exact"]


def test_one_point_of_a_model(run: Run, trees: Path, model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "plot.png"
    one = run("bench", model, trees, "--repeat", 1, "--max-loss", 2, "--plot", picture, "--json").done().json
    assert list(one["points"]) == ["careful"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    run("bench", model, trees, "--plot", picture).misused("--plot", "--point")


def test_without_a_text_the_garden_is_parsed(run: Run, model: Path) -> None:
    found = run("bench", model, "--repeat", 1, "--sentences", 3, "--json").done().json
    assert found["text"] == "garden (3 sentences)"
    assert found["points"]["exact"]["sentences"] == 3


def test_a_grammar_has_no_dial(run: Run, trees: Path, grammar: Path) -> None:
    run("bench", grammar, trees, "--fastest").refused(grammar, "no dial")
