"""The experiment of "learned prioritization", in small on the garden."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import agenda_table
import agenda_transfer


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
