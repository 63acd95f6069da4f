"""secateur quickstart: on the garden, on one's own trees, on too few."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from secateur.cli import quickstart as command
from secateur.cli.terminal import this_command

if TYPE_CHECKING:
    from cli.conftest import Run


def test_garden(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "TRAIN", 150)
    monkeypatch.setattr(command, "DEV", 40)
    found = run("quickstart", "--sentences", 20).done()
    assert {path.name for path in Path("quickstart").iterdir()} == {"model", "gold.brackets"}
    lines = found.lines
    assert lines[0].startswith("garden: ")
    assert "trained on 150 trees, tried on 20" in lines[0]
    assert lines[2].split()[:3] == ["F1", "gain", "words/s"]
    assert lines[3].split()[0] == "exact"
    assert 40 < float(lines[3].split()[1]) <= 100
    assert any("│" in line for line in lines)
    assert re.search(r"\d (?:s|min) left\n", found.err)
    # What it proposes works.
    parse, evaluate, frontier, inspect = (shlex.split(line) for line in lines[-4:])
    assert "│" in run(*parse[1:]).done().out
    again = run(*evaluate[1:]).done().out
    assert lines[4].split()[1] in again  # the most accurate learned point
    run(*frontier[1:]).done()
    assert Path("frontier.html").exists()
    run(*inspect[1:]).done()


def test_own_trees(run: Run, grown: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results of today"
    found = run("quickstart", grown, "-o", folder, "--sentences", 2).done()
    assert found.lines[0].startswith(f"{grown}: ")
    assert found.lines[0].endswith("trained on 32 trees, tried on 2 held-out ones")
    assert len((folder / "gold.brackets").read_text().splitlines()) == 2
    assert run(*shlex.split(found.lines[-1])[1:]).code == 0
    few = run("quickstart", grown, "-o", folder, "--sentences", 2, "--json").done().json
    assert (few["test"], few["train"]) == (2, 32)
    assert few["points"][0]["point"] == "exact"
    assert 0 < few["points"][0]["F1"] <= 100
    assert all(point["words/s"] > 0 for point in few["points"])


def test_normalization_can_be_left_out(run: Run, grown: Path, tmp_path: Path) -> None:
    run("quickstart", grown, "-o", tmp_path, "--keep", "functions").done()
    assert "NP-SBJ" in (tmp_path / "gold.brackets").read_text()


def test_too_few_trees(run: Run, trees: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run("quickstart", trees, "-o", folder).refused(trees, "5 trees", "30 or more")
    assert not folder.exists()
    run("quickstart", "-", "-o", folder, stdin="(S (NN x))").refused("<stdin>", "1 tree:")


def test_discontinuous_trees(run: Run, tmp_path: Path) -> None:
    crossing = "(S (VP (WP 0=what) (VB 2=see)) (PRP 1=you))\n" * 40
    found = run("quickstart", "-", "-o", tmp_path / "results", stdin=crossing).done()
    assert found.lines[0] == "<stdin>: trained on 32 trees, tried on 4 held-out ones"
    assert (tmp_path / "results" / "gold.discbracket").exists()


def test_dependencies(run: Run, tmp_path: Path) -> None:
    trees, folder = tmp_path / "garden.conllu", tmp_path / "results"
    run("treebank", "garden", 60, "--to", "conllu", "-o", trees).done()
    found = run("quickstart", trees, "-o", folder, "--sentences", 10).done()
    assert found.lines[0] == f"{trees}: trained on 48 trees, tried on 6 held-out ones"
    assert found.lines[2].split()[:3] == ["UAS", "gain", "words/s"]
    assert found.lines[3].split()[0] == "full"
    assert 40 < float(found.lines[3].split()[1]) <= 100
    assert any("►" in line for line in found.lines)
    assert {path.name for path in folder.iterdir()} == {"model", "gold.conllu"}
    parse, evaluate, frontier, inspect = (shlex.split(line) for line in found.lines[-4:])
    assert frontier[-1] == "frontier.html"
    for advice in (parse, evaluate, inspect):
        run(*advice[1:]).done()
    few = run("quickstart", trees, "-o", folder, "--sentences", 10, "--json", "--quiet").done().json
    assert (few["kind"], few["test"], few["points"][0]["point"]) == ("arcs", 6, "full")


def test_the_advice_can_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the command is not on the PATH, or another one is."""
    own, other = tmp_path / "my tools", tmp_path / "others"
    for folder in (own, other):
        folder.mkdir()
        (folder / "secateur").write_text("#!/bin/sh\n")
        (folder / "secateur").chmod(0o755)
    for argv, path, expected in (
        (own / "secateur", own, "secateur"),
        (own / "secateur", "", f"'{own}/secateur'"),
        (own / "secateur", other, f"'{own}/secateur'"),
        (tmp_path / "secateur" / "__main__.py", other, f"{sys.executable} -m secateur"),
        ("-c", "", "secateur"),
    ):
        monkeypatch.setenv("PATH", str(path))
        monkeypatch.setattr(sys, "argv", [str(argv)])
        assert this_command() == expected
