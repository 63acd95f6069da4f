"""secateur quickstart: on the garden, on one's own trees, on too few."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Run


def test_garden(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("quickstart", "--sentences", 5).done()
    assert {path.name for path in Path("quickstart").iterdir()} == {"grammar.gr", "gold.mrg", "parsed.mrg"}
    lines = found.lines
    assert lines[0].startswith("garden: ")
    assert "from 2,000 trees" in lines[0]
    names, values = lines[2].split(), lines[3].split()
    assert names[:3] == ["sentences", "words", "F1"]
    assert values[:2] == ["exact", "5"]
    assert 40 < float(values[3]) <= 100
    assert any("│" in line for line in lines)
    # The two commands it proposes work, and the second repeats its F1.
    parse, evaluate = (shlex.split(line) for line in lines[-2:])
    assert parse[0] == evaluate[0] == "secateur"
    assert "│" in run(*parse[1:]).done().out
    again = run(*evaluate[1:]).done().out
    assert next(line.split()[2] for line in again.splitlines() if "labelled F1" in line) == values[3]


def test_own_trees(run: Run, grown: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results of today"
    found = run("quickstart", grown, "-o", folder).done()
    assert found.lines[0].startswith(f"{grown}: ")
    assert found.lines[0].endswith("from 36 trees, tried on 4 more")
    assert len((folder / "gold.mrg").read_text().splitlines()) == 4
    assert run(*shlex.split(found.lines[-1])[1:]).code == 0
    few = run("quickstart", grown, "-o", folder, "--sentences", 2, "--json").done().json
    assert (few["sentences"], few["train"]) == (2, 36)
    assert 0 < few["F1"] <= 100
    assert few["words/s"] > 0
    assert few["protocol"].startswith("EVALB")


def test_normalization_can_be_left_out(run: Run, grown: Path, tmp_path: Path) -> None:
    run("quickstart", grown, "-o", tmp_path, "--keep", "functions").done()
    assert "NP-SBJ" in (tmp_path / "gold.mrg").read_text()


def test_too_few_trees(run: Run, trees: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run("quickstart", trees, "-o", folder).refused(trees, "5 trees", "10 or more")
    assert not folder.exists()
    run("quickstart", "-", "-o", folder, stdin="(S (NN x))").refused("<stdin>", "1 tree:")


def test_discontinuous_trees(run: Run, tmp_path: Path) -> None:
    crossing = "(S (VP (WP 0=what) (VB 2=see)) (PRP 1=you))\n" * 12
    run("quickstart", "-", "-o", tmp_path / "results", stdin=crossing).refused("<stdin>", "discontinuous")
