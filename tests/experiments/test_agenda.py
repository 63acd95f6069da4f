"""The experiment of "learned prioritization", in small on the garden."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import agenda_certificates
import agenda_figures
import agenda_pareto
import agenda_runs
import agenda_table
import agenda_transfer
import agenda_ways
import secateur as sec
from secateur.errors import InputError
from secateur.grammar.derivation import build_tree
from secateur.search.core import Outcome
from secateur.tasks.agenda_order.task import Popped


def test_the_table(tmp_path: Path) -> None:
    options = ["--levels", "1", "--seeds", "1", "--passes", "2", "--most", "6", "--out", str(tmp_path)]
    for _ in range(2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["agenda_table", *options])
            agenda_table.main()
    found = json.loads((tmp_path / "agenda-table-garden.json").read_text(encoding="utf-8"))
    learners = {row["learner"] for row in found["rows"]}
    assert learners == {
        agenda_table.NOTHING,
        agenda_table.CHEATING[0],
        *(name for name, _ in agenda_table.LEARNED),
    }
    base = agenda_table.base_of(found)
    cheat = [row for row in found["rows"] if row["learner"] == agenda_table.CHEATING[0]]
    assert all(row["train"]["pops"] < base["train"]["pops"] for row in cheat)
    boundary = [r for r in found["rows"] if r["learner"] == agenda_table.NOTHING and r["begin"] == "boundary"]
    assert all(row["test"]["pops"] < base["test"]["pops"] for row in boundary)
    for row in found["rows"]:
        assert 0 <= row["test"]["failed"] <= found["sentences"]["test"]["examples"]
    assert agenda_table.gains(found, [base], "test") == ("1.0x", "+0.00")
    page = (tmp_path / "pages" / "agenda_table.md").read_text(encoding="utf-8")
    assert "| --- |" in page
    assert "dev chooses" in page


def test_what_carries_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--levels", "1", "--seeds", "1", "--passes", "2", "--most", "4", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["agenda_transfer", *options])
    agenda_transfer.main()
    kept = tmp_path / "runs" / "agenda-transfer-garden-1"
    first = {file: file.stat().st_mtime_ns for file in kept.iterdir()}
    trials = agenda_transfer.SETS["all"]
    assert len(first) == len(trials)
    # What is there is not done again; test is looked at when that is asked for, and one setting alone.
    monkeypatch.setattr(agenda_transfer, "LOSS", 100.0)
    monkeypatch.setattr(sys, "argv", ["agenda_transfer", *options, "--test"])
    agenda_transfer.main()
    assert first.items() <= {file: file.stat().st_mtime_ns for file in kept.iterdir()}.items()
    found = json.loads((tmp_path / "agenda-transfer-garden-1.json").read_text(encoding="utf-8"))
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == [str(trial) for trial in trials]
    base, *tests = found["test"]
    assert (base["name"], [row["name"] for row in tests]) == (
        str(trials[0]),
        [agenda_transfer.chosen(found)[0]["name"]],
    )
    exact, bonus = rows[str(trials[0])], rows[str(trials[2])]
    assert exact["by word"] == {"10": 0.0, "30": 0.0}
    assert bonus["by word"] == {"10": 6.0, "30": 6.0}
    assert all(
        bonus["dev"][part]["once"]["pops"] < exact["dev"][part]["once"]["pops"]
        for part in agenda_transfer.PARTS
    )
    ratio = rows[str(agenda_transfer.Trial("no ratio"))]["by word"]
    assert ratio["10"] == ratio["30"] != 0.0
    page = (tmp_path / "pages" / "agenda_transfer.md").read_text(encoding="utf-8")
    assert "Chosen there, on test:" in page


def run_pareto(out: Path, *options: str) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        given = ["--levels", "1", "--seeds", "1", "--passes", "1", "--most", "4", "--out", str(out), *options]
        patch.setattr(sys, "argv", ["agenda_pareto", *given])
        agenda_pareto.main()
    found: dict[str, Any] = json.loads((out / "agenda-pareto-garden.json").read_text(encoding="utf-8"))
    return found


def test_the_pareto_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agenda_pareto, "TRADEOFFS", (1e-3,))
    monkeypatch.setattr(agenda_pareto, "FEWER", (1e-5,))
    monkeypatch.setattr(agenda_pareto, "DELTAS", (0.5, 8.0))
    monkeypatch.setattr(agenda_pareto, "BEGIN_DELTAS", (8.0,))
    found = run_pareto(tmp_path)
    assert {r["family"] for r in found["rows"]} == set(agenda_figures.FAMILIES)
    blocks = agenda_figures.base_of(found, agenda_figures.CKY, "")
    every = {part: found["sentences"][part] for part in agenda_pareto.PARTS}
    for part, count in every.items():
        for family in (agenda_figures.CKY, agenda_figures.SCORE, agenda_figures.CLIMBED):
            exact = agenda_figures.base_of(found, family, "" if family == agenda_figures.CKY else "all")[part]
            assert exact["as good as CKY"] == count
        for r in found["rows"]:
            assert 0 <= r[part]["failed"] <= count
            assert r[part]["as good as CKY"] <= count
            assert r[part]["ms"] > 0
            if r["family"] == agenda_figures.LARGEST and r["mask"] is None:
                assert r[part]["as good as CKY"] == count
    narrow = agenda_figures.base_of(found, knob="0.5")
    assert narrow["test"]["pops"] < agenda_figures.base_of(found)["test"]["pops"]
    kept = [r for r in found["rows"] if r["mask"] and r["family"] == agenda_figures.CKY]
    assert all(r["test long"]["pushes"] < blocks["test long"]["pushes"] for r in kept)
    page = (tmp_path / "pages" / "agenda_pareto.md").read_text(encoding="utf-8")
    assert "dev chooses" in page
    assert len(list((tmp_path / "pages" / "images").glob("*.png"))) == 3

    # A run that was killed goes on: what it had measured stands, half a line is nothing.
    rows = tmp_path / "runs" / "agenda-pareto-garden.jsonl"
    lines = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    rows.write_text("".join(lines[:-2]) + lines[-2][:40], encoding="utf-8")
    (tmp_path / "agenda-pareto-garden.json").unlink()
    again = run_pareto(tmp_path)
    assert again["rows"][:-6] == found["rows"][:-6]
    assert len(again["rows"]) == len(found["rows"])
    assert len(rows.read_text(encoding="utf-8").splitlines()) == len(lines)
    (tmp_path / "agenda-pareto-garden.json").unlink()
    with pytest.raises(InputError, match="rows of other settings"):
        run_pareto(tmp_path, "--most", "5")


def test_derivations_of_charts_are_counted_as_those_of_agendas(tmp_path: Path) -> None:
    """Whatever sub-symbols they are given, the tree is what the parser finds."""
    ground = agenda_ways.Ground(agenda_runs.AgendaCase("garden", tmp_path, levels=1, most=4))
    ladder, flat = agenda_ways.ByLadder(ground, 1e-4), ground.task.grammar
    blocks, by_score = agenda_ways.ByBlocks(ground), agenda_ways.by_score(ground)
    for words, gold in ground.sentences["test long"]:
        for way, decode in ((ladder, "max-rule"), (blocks, "viterbi")):
            outcome = way.outcome(way.run(words))
            assert outcome.parts is not None
            tree = sec.Parser(ground.split, decode=decode).parse(words).tree
            assert build_tree(flat, outcome.parts.steps, words) == tree
        oracle = Outcome(Popped(gold.items.steps, 0.0), outcome.work)
        assert agenda_runs.counts(ground.task, oracle, gold)[0] > 0
        way = agenda_ways.ByAgenda(ground, by_score)
        assert agenda_ways.score_of(way.outcome(way.run(words))) == agenda_ways.score_of(outcome)


def test_the_mask_that_dev_chooses() -> None:
    def of(mask: str | None, short: float, long: float, pushes: float) -> dict[str, Any]:
        parts = {"choice": short, "choice long": long}
        figures = {part: {"evalb": evalb, "pushes": pushes} for part, evalb in parts.items()}
        return {"mask": mask, **figures}

    sizes = {"choice": 1, "choice long": 3}
    whole, good, poor = of(None, 90, 80, 9), of("a", 90, 79.8, 5), of("c", 90, 79, 1)
    uneven = of("b", 89.1, 80, 3)  # loses .9 of a quarter
    assert agenda_pareto.chosen_mask([whole, good, uneven, poor], sizes) == "b"
    assert agenda_pareto.chosen_mask([whole, poor, of("d", 70, 70, 0)], sizes) == "c"


def test_certificates(tmp_path: Path) -> None:
    """The experiment itself holds that what is certified is best."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agenda_certificates, "TREES", 150)
        patch.setattr(sys, "argv", ["agenda_certificates", "--most", "4", "--out", str(tmp_path)])
        agenda_certificates.main()
    found = json.loads((tmp_path / "agenda-certificates-garden.json").read_text(encoding="utf-8"))
    rows = found["rows"]
    assert {row["level"] for row in rows} == set(range(found["level"] + 1))
    for row in rows:
        assert row["certified"] <= row["same"] <= 1.0
        assert row["certified F1"] == row["certified exact F1"]
    assert any(row["certified"] > 0 for row in rows if row["way"] == "baseline-0")
    page = (tmp_path / "pages" / "agenda_certificates.md").read_text(encoding="utf-8")
    assert "| 2-15 | baseline-0 | 0 |" in page
