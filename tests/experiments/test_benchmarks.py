"""The benchmarks: all start, and the bars of the commands are computed as they are meant."""

from __future__ import annotations

import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import agenda
import agenda_deadline
import blocks
import commands
import deadline
import dear
import lcfrs
import secateur as sec
import turns
from report import ROOT, Pictures
from toy_model import toy_model

PARTS = {"discodop_peer", "left_child", "masks", "turns"}  # of others
NAMES = sorted(file.stem for file in (ROOT / "benchmarks").glob("*.py") if file.stem not in PARTS)
TREES = """\
(ROOT (S (NP (DT the) (NN cat)) (VP (VBD slept)) (. .)))
(ROOT (S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .)))
"""


@pytest.mark.parametrize("name", NAMES)
def test_help(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        import_module(name).main()
    assert ended.value.code == 0
    assert f"usage: {name}.py" in capsys.readouterr().out


def test_runs_take_turns() -> None:
    ticks = iter(range(100))
    done: list[str] = []
    runs = {name: lambda name=name: done.append(name) for name in "ab"}
    spent = turns.in_turn(runs, 2, lambda: float(next(ticks) ** 2))
    assert done == ["a", "b"] * 3  # the first of each is not counted
    assert spent == {"a": 1.0, "b": 5.0}  # from 0 to 1, from 4 to 9


def test_the_children_of_a_run_count() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(10**6))'])"
    before = turns.of_children()
    commands.run([sys.executable, "-c", code])
    assert turns.of_children() > before


@pytest.fixture
def case(tmp_path: Path) -> commands.Case:
    toy_model().save(tmp_path / "model")
    (tmp_path / "gold.mrg").write_text(TREES, encoding="utf-8")
    return commands.given(tmp_path / "model", tmp_path / "gold.mrg", tmp_path, 5)


def test_texts_of_a_given_model(case: commands.Case) -> None:
    lines = case.text.read_text(encoding="utf-8").splitlines()
    assert lines == ["the cat slept .", "a dog saw the cat ."] * 2 + ["the cat slept ."]
    assert case.one.read_text(encoding="utf-8") == "the cat slept .\n"
    assert case.words == sum(len(line.split()) for line in lines)
    assert [str(tree) for tree in sec.read(case.gold)] == TREES.splitlines()


def test_figures(
    case: commands.Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From made-up seconds and speeds."""
    model = sec.Model.load(case.model)
    fastest = model.choose(fastest=True).point
    spent = {"one": 0.5, "all": 0.5 + 1.4 * case.words / fastest.words_per_second, "two": 2.0}
    speed = {point.name: point.words_per_second for point in model.points}

    def cpu(asked: dict[str, list[str]], repeat: int) -> dict[str, float]:
        given = {"import": 0.06, "nothing": 0.02, "Python": 1.0}
        return {name: given.get(name) or spent[name.split()[-1]] for name in asked}

    def asked(*arguments: Any) -> Any:
        command, *_ = arguments
        if command == "frontier":
            return {"points": [{"name": name, "words_per_second": own} for name, own in speed.items()]}
        point = arguments[arguments.index("--point") + 1]
        if command == "bench":
            return {"points": {point: {"words_per_second": 1.05 * speed[point]}}}
        return {"settings": [{"words_per_second": 0.9 * speed[point]}]}

    monkeypatch.setattr(commands, "cpu", cpu)
    monkeypatch.setattr(commands, "asked", asked)
    out = tmp_path / "figures.json"
    given = ["--model", case.model, "--trees", tmp_path / "gold.mrg", "--sentences", 5, "--json", out]
    monkeypatch.setattr(sys, "argv", ["commands.py", *map(str, given)])
    commands.main()
    rows = {row["what"]: row for row in json.loads(out.read_text(encoding="utf-8"))}
    at = f"parse at {fastest.name}, start-up aside, by"
    assert rows["import secateur"]["value"] == pytest.approx(0.04)
    assert rows[f"{at} frontier"]["value"] == pytest.approx(1.4)
    assert rows[f"{at} bench"]["value"] == pytest.approx(1.4 * 1.05)
    for point in (fastest.name, model.unpruned):
        assert rows[f"words/s at {point}"]["value"] == pytest.approx(1.05 / 0.9)
        assert rows[f"--jobs 2 at {point}"]["value"] == pytest.approx(spent["two"] / spent["all"])
    assert rows["first tree, in Python"]["value"] == 1.0
    assert rows["first tree, by the command"]["value"] == 0.5
    over = {what for what, row in rows.items() if not row["is_kept"]}
    assert f"words/s at {model.unpruned}" in over
    assert f"{at} frontier" not in over
    shown = capsys.readouterr().out
    assert shown.count("OVER") == len(over)
    assert "1.40 x" in shown
    assert "at most" in shown


def test_an_agenda_beside_charts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few sentences of the garden, and a grammar of one level."""
    out = tmp_path / "figures.json"
    monkeypatch.delenv("SECATEUR_DATA", raising=False)
    monkeypatch.setattr(blocks, "TREES", 60)
    given = ["--levels", 1, "--limit", 2, "--repeat", 1, "--json", out]
    monkeypatch.setattr(sys, "argv", ["agenda.py", *map(str, given)])
    agenda.main()
    rows = json.loads(out.read_text(encoding="utf-8"))
    ways = [*agenda.WAYS, *agenda.AHEAD, "CKY", "blocks"]
    assert [(row["words"], row["way"]) for row in rows] == [(n, w) for n in ("1-15", "16-40") for w in ways]
    for exact, rough, _, *ahead in (rows[:8], rows[8:]):
        assert exact["as good as CKY"] == exact["sentences"] == 2
        assert 0 < rough["pops"] < exact["pops"] < exact["pushes"]
        assert all(one["as good as CKY"] == 2 for one in ahead[:3])
        assert ahead[0]["pops"] < exact["pops"]
    assert capsys.readouterr().out.count("uniform cost") == 2


def test_deadlines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a model of few trees; whether sentences are in time is the machine's affair."""
    out = tmp_path / "agenda-deadline-garden.json"
    monkeypatch.setattr(deadline, "TREES", 150)
    monkeypatch.setattr(deadline, "DEADLINES", (5, 100_000))
    given = ["--sentences", 12, "--made", 3, "--json", out]
    monkeypatch.setattr(sys, "argv", ["deadline.py", *map(str, given)])
    deadline.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    rows = found["rows"]
    assert len(rows) == 8
    assert all(one["ms"] > 0 and one["F1"] > 30 for one in found["dial"])
    assert {row["deadline"] for row in rows} == {5, 100_000}
    assert all(row["in time"] == 1.0 and row["cut off"] == 0.0 for row in rows if row["deadline"] > 5)
    assert all(row["F1"] > 30 for row in rows if row["deadline"] > 5 and row["sentences"] == "test")
    assert "ms/sentence" in capsys.readouterr().out
    page = agenda_deadline.sections(tmp_path, Pictures(tmp_path))["agenda_deadline"]
    assert "made to take long" in page
    assert (tmp_path / "agenda-deadline-garden.png").exists()


def test_dear_scorers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few sentences of the garden; that scores are those of charts it looks at itself."""
    out = tmp_path / "figures.json"
    monkeypatch.setattr(deadline, "TREES", 150)
    monkeypatch.setattr(sys, "argv", ["dear.py", "--limit", "3", "--cost", "1", "--json", str(out)])
    dear.main()
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert {row["words"] for row in rows} == {"1-15", "16-40"}
    for words in ("1-15", "16-40"):
        calls = {row["way"]: row["calls"] for row in rows if row["words"] == words}
        assert calls["charts, unasked"] == 0
        assert (
            0 < calls["agenda, own bounds"] <= calls["agenda, bounds 0"] <= calls["agenda"] <= calls["charts"]
        )
        assert calls["charts, baseline-0"] <= calls["charts"]
    assert capsys.readouterr().out.count("own bounds") == 2


STAND_IN = """\
import json, sys
for line in sys.stdin:
    score = {"a": -0.5, "b": None}[json.loads(line)[0]]
    print(json.dumps({"score": score, "seconds": 1.0, "items": 3}), flush=True)
"""


def test_exact_deduction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A few sentences of the garden."""
    out = tmp_path / "figures.json"
    monkeypatch.delenv("SECATEUR_DATA", raising=False)
    monkeypatch.setattr(lcfrs, "TREES", 30)
    given = ["--limit", 3, "--repeat", 1, "--longest", 12, "--json", out]
    monkeypatch.setattr(sys, "argv", ["lcfrs.py", *map(str, given)])
    lcfrs.main()
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert [row["words"] for row in rows] == ["1-10", "11-15"]
    assert all(row["sentences"] <= 3 and row["items"] <= row["hyperedges"] for row in rows)
    assert all(0 < row["best first: items"] <= row["items"] for row in rows)
    assert capsys.readouterr().out.count("hyperedges/s") == 2


def test_scores_of_both_programs_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that answers as disco-dop's does."""
    script = tmp_path / "peer.py"
    script.write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setattr(lcfrs, "PEER", script)
    half = sec.PLCFRS.from_text(f"S('a') -> {math.exp(-0.5)!r}")
    with lcfrs.peer(sys.executable, tmp_path, tmp_path, "S") as other:
        row = lcfrs.measured(half, [["a"], ["a"]], 1, other)
        assert (row["disco-dop ms"], row["disco-dop items"]) == (1000.0, 3)
        third = sec.PLCFRS.from_text("S('a') -> 0.3")
        with pytest.raises(AssertionError, match="scores differ"):
            lcfrs.measured(third, [["a"]], 1, other)


def test_a_command_that_fails_is_said() -> None:
    with pytest.raises(SystemExit, match="ended with 1"):
        commands.run([*commands.SECATEUR, "parse", "nowhere", "two words"])
