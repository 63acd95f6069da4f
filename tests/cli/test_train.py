"""secateur train with an unsplit grammar, and the dial of what it made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from secateur import Model, Normalization

Run = Callable[..., Any]


@pytest.fixture
def model(run: Run, tmp_path: Path) -> Path:
    trees = tmp_path / "garden.mrg"
    run("treebank", "garden", 120, "-o", trees).done()
    made = tmp_path / "my.model"
    options = (
        "--grammar",
        "coarse",
        "--points",
        3,
        "--iterations",
        1,
        "--max-length",
        12,
        "--keep",
        "unaries",
    )
    found = run("train", trees, "-o", made, *options).done()
    assert found.lines[0].split()[:2] == ["point", "F1"]
    assert "round 1" in found.err
    notes = Model.load(made).settings
    assert Normalization.from_notes(notes) == Normalization(unaries=False)
    assert (notes["trees"], notes["held out"], notes["grammar"]) == (108, 12, "coarse")
    return made


def test_the_dial(run: Run, model: Path) -> None:
    sentence = "The old farmer saw the girl in the garden ."
    assert (model / "card.md").read_text().startswith("# Model card")
    pushes = []
    for setting in (("--most-accurate",), ("--fastest",), ("--max-loss", 100), ("--tradeoff", 1e9)):
        found = run("parse", model, sentence, "--json", *setting).done()
        pushes.append(found.json["work"]["pushes"])
        assert found.json["tree"].startswith("(")
    assert pushes[1] <= pushes[0]
    beyond = run("parse", model, sentence, "--budget", "900000000wps").done()
    assert "beyond this model" in beyond.err


def test_wrong_settings(run: Run, model: Path, tmp_path: Path) -> None:
    run("parse", model, "a cat slept", "--budget", "soon").refused("20000wps")
    run("parse", model, "a cat slept", "--tradeoff", "nan").refused("tradeoff")
    run("parse", model, "a cat slept", "--fastest", "--accuracy", 50).refused("more than one")
    run("train", tmp_path / "garden.mrg", "-o", tmp_path / "garden.mrg").refused("no folder")
