"""secateur frontier."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from toy_model import toy_model

if TYPE_CHECKING:
    from cli.conftest import Run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "toy.model"
    toy_model().save(path)
    return path


def test_the_table(run: Run, model: Path) -> None:
    found = run("frontier", model).done()
    assert found.lines[0].startswith("protocol: EVALB COLLINS.prm, labelled")
    assert "on 7 held-out trees; words/s: CPU time on one core, best of 3" in found.lines[0]
    rows = [line.split() for line in found.lines[3:]]
    assert rows == [
        ["hasty", "40.00", "35.00-45.00", "50,000", "0.0010", "0.0%", "60.0%", "900"],
        ["careful", "69.00", "67.00-71.00", "10,000", "0.1000", "30.0%", "1.0%", "10"],
        ["exact", "70.00", "68.00-72.00", "2,000", "0.5000", "100.0%", "0.0%", "-"],
    ]


def test_all_points(run: Run, model: Path) -> None:
    lines = run("frontier", model, "--all").done().lines[3:]
    assert [line.split()[0] for line in lines] == ["hasty", "careful", "slow", "exact"]
    assert [line.endswith("dominated") for line in lines] == [False, False, True, False]


def test_json(run: Run, model: Path) -> None:
    found = run("frontier", model, "--all", "--json").done().json
    assert {p["name"]: p["dominated"] for p in found["points"]} == {
        "hasty": False,
        "careful": False,
        "slow": True,
        "exact": False,
    }
    assert found["points"][-1]["tradeoff"] is None
    assert found["points"][0]["words_per_second"] == 50000
    assert found["protocol"].startswith("EVALB")
    assert len(run("frontier", model, "--json").done().json["points"]) == 3


def test_files(run: Run, model: Path, tmp_path: Path) -> None:
    picture, page = tmp_path / "f.svg", tmp_path / "f.html"
    found = run("frontier", model, "--output", picture, "--html", page).done()
    assert found.err == f"written: {picture}\nwritten: {page}\n"
    assert picture.read_bytes().startswith(b"<?xml")
    assert f"secateur parse {model} --budget 10000wps" in page.read_text()
    assert run("frontier", model, "--html", page, "--quiet").done().err == ""


def test_trouble(run: Run, model: Path, trees: Path, tmp_path: Path) -> None:
    run("frontier", trees).refused(trees, "not a model")
    run("frontier", tmp_path / "none.model").refused("none.model", "no such model")
    run("frontier", tmp_path).refused(tmp_path, "not a model")
    run("frontier", model, "--html", tmp_path / "none" / "f.html").refused("f.html", "mkdir")
    run("frontier", model, "--output", tmp_path / "none" / "f.png").refused("f.png", "mkdir")
    run("frontier", model, "--output", "f.doc").misused("--output", ".png")
