"""secateur train --grammar fine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from secateur import Model
from secateur.grammar.latent.grammar import SplitPCFG

Run = Callable[..., Any]


def test_train_and_parse(run: Run, tmp_path: Path) -> None:
    trees, made = tmp_path / "garden.mrg", tmp_path / "my.model"
    run("treebank", "garden", 150, "-o", trees).done()
    options = ("--grammar", "fine", "--levels", 1, "--points", 3, "--iterations", 1, "--max-length", 12)
    found = run("train", trees, "-o", made, *options).done()
    assert "seed 0, level 1" in found.err
    assert "F1 on held-out trees: level 0" in found.err
    assert isinstance(Model.load(made).parts.grammar, SplitPCFG)
    sentence = "The old farmer saw the girl in the garden ."
    for setting in ("--fastest", "--most-accurate"):
        assert run("parse", made, sentence, "--json", setting).done().json["tree"].startswith("(ROOT ")
    assert "level" in run("inspect", made).done().out
    run("inspect", made, sentence).done()
    # Finished levels and rounds are found again.
    again = run("train", trees, "-o", made, *options).done()
    assert "split 0" not in again.err


def test_wrong_numbers(run: Run, tmp_path: Path) -> None:
    trees = tmp_path / "garden.mrg"
    run("treebank", "garden", 30, "-o", trees).done()
    given = ("train", trees, "-o", tmp_path / "m", "--grammar")
    run(*given, "fine", "--levels", 0).misused("--levels")
    run(*given, "fine", "--points", 2).refused("2 operating points", "3 or more")
    run(*given, "finer").refused("finer", "no such file")
    for option in ("--products", "--levels"):
        run(*given, "coarse", option, 4).refused(option[2:], "a grammar that is split", "fine")
