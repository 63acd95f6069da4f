"""The experiment of "learned prioritization", in small on the garden."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import agenda_certificates
import agenda_table


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
