"""The experiments on split grammars, in small on the garden."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import fine_runs
import fine_speed
import prune_runs
import report
from secateur.errors import InputError


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> report.Case:
    folder = tmp_path_factory.mktemp("fine")
    page = folder / "docs" / prune_runs.PAGE
    page.parent.mkdir(parents=True)
    shutil.copy(report.DOCS / prune_runs.PAGE, page)
    report.fill(page, "fine_speed", "not run yet")
    case = report.Case("garden", out=folder / "results", docs=folder / "docs", limit=120)
    fine_runs.fine_runs(case, levels=1, products=2, iterations=1)
    return case


def test_speed(case: report.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["--out", str(case.out), "--docs", str(case.docs), "--limit", "120"]
    monkeypatch.setattr(sys, "argv", ["fine_speed.py", *given])
    fine_speed.main()
    found = json.loads(case.file(fine_speed.NAME).read_text())
    rows = {row["name"]: row for row in found["rows"]}
    assert {row["kind"] for row in found["rows"]} == set(fine_speed.KINDS) - {"other parsers"}
    assert {"exhaustive", "coarse to fine", "product of 2", "lols-0+product", "baseline-5"} <= set(rows)
    assert rows["exhaustive"]["mpush"] > rows["coarse to fine"]["mpush"] > rows["exact"]["mpush"]
    assert all(0 < row["f1"] <= 100 and row["words/s"] > 0 for row in found["rows"])
    page = (case.docs / prune_runs.PAGE).read_text()
    assert "not run yet" not in page.partition("fine_speed: begin")[2].partition("fine_speed: end")[0]
    assert (case.docs / "images" / "fine-speed-garden-dp.png").stat().st_size > 1000


def test_a_model_of_other_trees_is_refused(case: report.Case, tmp_path: Path) -> None:
    other = replace(case, limit=100, out=tmp_path)
    shutil.copytree(fine_runs.folder_of(case), fine_runs.folder_of(other))
    with pytest.raises(InputError, match="other trees"):
        fine_runs.fine_runs(other)
