"""The experiments of dependency parsing, in small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import arc_table1
from secateur.dependency_model import FULL
from secateur.training.arcs import ArcSettings, ArcTrainer

SETTINGS = ArcSettings(costs=(2.0, 8.0), epochs=1, bits=16, iterations=2, repeat=1)


def test_table_1(tmp_path: Path) -> None:
    model = arc_table1.trained(tmp_path / "model", "garden", 60, SETTINGS)
    test = arc_table1.bank("garden", "test")[:20]
    rows = arc_table1.measured(model, test)
    by_name = {row["name"]: row for row in rows}
    assert set(by_name) == {FULL, "static-0", "static-1", "static-2", "dagger-0", "dagger-1"}
    full = by_name[FULL]["templates"]
    assert (
        full >= 1.0
    )  # more where the length limits of so few trees hold no tree, and all arcs are looked at
    assert by_name["static-0"]["templates"] < by_name["static-1"]["templates"] < full
    assert by_name["dagger-0"]["templates"] <= full
    assert all(0.0 < row["las"] <= row["uas"] <= 100.0 for row in rows)
    shown = arc_table1.show("garden", {"rows": rows, "train": 60, "test": 20, "groups": "16, 32, 80, 140"})
    assert shown.count("\n") >= len(rows)
    again = arc_table1.trained(tmp_path / "model", "garden", 60, SETTINGS)
    assert [p.accuracy for p in again.points] == [p.accuracy for p in model.points]


def test_stages_as_in_the_paper() -> None:
    settings = replace(SETTINGS, even=7)
    trainer = ArcTrainer(
        arc_table1.bank("garden", "train")[:60], arc_table1.bank("garden", "dev")[:20], settings
    )
    groups = trainer.groups()
    assert len(groups) == 7
    assert sorted(t for group in groups for t in group) == list(range(268))
    assert len(groups[0]) < len(groups[-1])
