"""secateur bench with a grammar; test_every_kind.py has models."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Run


def test_json(run: Run, grown: Path, grown_grammar: Path) -> None:
    found = run("bench", grown_grammar, grown, "--repeat", 2, "--sentences", 7, "--json").done().json
    assert (found["sentences"], found["runs"]) == (7, 2)
    rate = 1e3 * found["words"] / found["sentences"] / found["ms_per_sentence"]
    assert found["words_per_second"] == pytest.approx(rate, abs=1)
    assert found["spread"] >= 0
    # The counters are those of parse.
    parses = run("parse", grown_grammar, grown, "--json").done().objects[:7]
    pushes = round(sum(one["work"]["pushes"] for one in parses) / 7)
    assert (found["unit"], found["work_per_sentence"], found["work"]["pushes"]) == ("push", pushes, pushes)
    assert found["work"]["items"] == round(sum(one["work"]["items"] for one in parses) / 7)
    assert found["failures"] == sum(one["failed"] for one in parses)


def test_for_people(run: Run, grammar: Path) -> None:
    found = run("bench", grammar, "-", "--repeat", 1, stdin="the cat slept .\n\na dog slept .\n").done()
    clock = "words/s: CPU time on one core, best of 1, words in, trees out"
    assert found.lines[0] == f"{grammar} on -; {clock}"
    values = dict(re.split(r"\s{2,}", line) for line in found.lines[2:])
    assert (values["sentences"], values["words"]) == ("2", "8")
    assert float(values["pushes/sentence"]) > 0
    assert values["spread of runs"].endswith("%")
    assert "work" not in values


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot(run: Run, trees: Path, grammar: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
    picture = tmp_path / f"plot.{suffix}"
    run("bench", grammar, trees, "--repeat", 1, "--plot", picture).done()
    assert picture.read_bytes().startswith(start)


def test_no_plot(run: Run, trees: Path, grammar: Path, tmp_path: Path) -> None:
    run("bench", grammar, trees, "--plot", "plot.doc").misused("--plot", ".png")
    run("bench", grammar, trees, "--plot", tmp_path / "none" / "plot.png").refused("plot.png", "mkdir")
    run("bench", grammar, trees, "--repeat", 0).misused("--repeat")


def test_a_grammar_has_no_dial(run: Run, trees: Path, grammar: Path) -> None:
    run("bench", grammar, trees, "--fastest").refused(grammar, "only a model has a dial")
