"""The experiments of dependency parsing, in small."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arc_bits
import arc_figure2
import arc_figure3
import arc_figure4
import arc_figure5
import arc_table1
import arc_vine
import report
from arc_table1 import ArcCase, ArcModel
from secateur.errors import InputError
from secateur.kinds.arcs.recipe import ArcTrainer
from secateur.kinds.arcs.ways import FULL
from secateur.models.run import Run
from secateur.tasks.arc_locking.corpus import corpus_of

SETTINGS = replace(
    arc_table1.GOLD,
    ends=(24, 64),
    costs=(2.0, 8.0),
    epochs=1,
    shuffles=1,
    bits=16,
    iterations=2,
    repeat=1,
)
POLICIES = ["dagger-0", "dagger-1"]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> ArcCase:
    """A trained case."""
    case = ArcCase("garden", limit=240, out=tmp_path_factory.mktemp("arcs"))
    arc_table1.trained(case.folder, case.data, case.limit, SETTINGS)
    return case


@pytest.fixture(autouse=True)
def few_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(arc_table1.GARDEN, "test", (1060, 1080))
    monkeypatch.setattr(arc_table1, "ROUNDS", 1)


@pytest.fixture(scope="module")
def model(case: ArcCase) -> ArcModel:
    return case.model()


def section(case: ArcCase, name: str) -> str:
    """As the script left it."""
    return (case.out / "pages" / f"{name}.md").read_text(encoding="utf-8")


def stored(case: ArcCase, name: str) -> Any:
    return json.loads((case.out / f"{name}-{case.name}.json").read_text(encoding="utf-8"))


def is_drawn(case: ArcCase, name: str) -> bool:
    return (case.out / "pages" / "images" / f"{name}-{case.name}.png").stat().st_size > 0


def test_table_1(case: ArcCase, model: ArcModel) -> None:
    test = arc_table1.bank("garden", "test")
    rows = arc_table1.measured(model, test)
    by_name = {row["name"]: row for row in rows}
    filters = {f"filter-{number}{stage}" for number in range(3) for stage in ("", "-0", "-1")}
    decided = {f"{name}{behind}" for name in POLICIES for behind in ("", "+filter-1", "+filter-2")}
    assert set(by_name) == {FULL, "static-0", "static-1", *filters, *decided}
    for name in POLICIES:
        assert by_name[f"{name}+filter-2"]["templates"] <= by_name[name]["templates"]
    # Less than all where arcs have no rivals, more where length limits hold no tree and all arcs count.
    full = by_name[FULL]["templates"]
    assert 0.8 < full < 1.5
    assert by_name["filter-2"]["templates"] <= by_name["filter-0"]["templates"] < full
    assert by_name["static-0"]["templates"] < by_name["static-1"]["templates"] < full
    assert by_name["dagger-0"]["templates"] <= full
    assert all(0.0 < row["las"] <= row["uas"] <= 100.0 for row in rows)
    shown = arc_table1.show("garden", {"rows": rows, "train": 240, "test": 20, "groups": "48, 80, 140"})
    assert shown.count("\n") >= len(rows)


def test_a_trained_model_is_stored(case: ArcCase, model: ArcModel) -> None:
    written = (case.folder / "model.toml").stat().st_mtime_ns
    again = arc_table1.trained(case.folder, "garden", 240, SETTINGS)
    assert (case.folder / "model.toml").stat().st_mtime_ns == written
    assert [p.accuracy for p in again.points] == [p.accuracy for p in model.points]


def test_stages_as_in_the_paper() -> None:
    settings = replace(SETTINGS, even=7)
    train, dev = arc_table1.bank("garden", "train")[:60], arc_table1.bank("garden", "dev")[:20]
    trainer = ArcTrainer(Run(), train, dev, settings)
    groups = trainer.groups()
    assert len(groups) == 7
    assert sorted(t for group in groups for t in group) == list(range(268))
    assert len(groups[0]) < len(groups[-1])


def test_figure_2(case: ArcCase, model: ArcModel) -> None:
    arc_figure2.run(case, repeat=1)
    rows = stored(case, arc_figure2.NAME)
    dev = arc_table1.bank("garden", "dev")
    assert sum(row["sentences"] for row in rows) == len(dev)
    assert sum(row["arcs"] for row in rows) == arc_table1.full_cost(model, dev) // 268
    for row in rows:
        assert set(row["seconds"]) == {arc_figure2.ARCS, arc_figure2.CROSSING, arc_figure2.PROJECTIVE}
        assert min(row["seconds"].values()) > 0
    assert f"| all | {len(dev)} |" in section(case, "arc_figure2")
    assert is_drawn(case, arc_figure2.NAME)


def test_figure_2_of_the_second_order(tmp_path: Path, model: ArcModel) -> None:
    features = model.parts.features
    siblings = tuple(range(features.first, len(features.templates)))
    second = replace(model.parts, groups=(*model.parts.groups, siblings))
    trees = [tree for tree in arc_table1.bank("garden", "dev") if len(tree) <= 15]
    scores = arc_figure2.room(second, trees)
    timed = arc_figure2.pieces(second, corpus_of(features, trees), scores)
    found = {name: run() for name, run in timed.items()}
    # Where there is a projective tree there is one with siblings, and one that may cross.
    assert found[arc_figure2.PROJECTIVE] == found[arc_figure2.SECOND] <= found[arc_figure2.CROSSING]
    last, size = scores.sibling_start[-2], len(trees[-1]) + 1
    cube = scores.siblings[last:].reshape((size,) * 3)
    dense = scores.arcs[scores.start[-2] :].reshape((size,) * 2)
    assert np.array_equal(np.isfinite(dense), np.isfinite(cube).any(axis=2))
    rows = arc_figure2.measure(second, trees, 1)
    assert "second order" in arc_figure2.show(report.Pictures(tmp_path), "garden", rows)
    assert (tmp_path / "arc-figure2-garden.png").stat().st_size > 0


def test_figure_3(case: ArcCase, model: ArcModel) -> None:
    arc_figure3.run(case)
    found = stored(case, arc_figure3.NAME)
    assert found["after"] == list(range(1, 269))
    assert found["ends"] == list(np.cumsum([len(group) for group in model.parts.groups]))
    uas = {row["templates"]: row["uas"] for row in found["parsed"]}
    assert list(uas) == [1, 2, 4, 8, 16, 32, 48, 64, 128, 256, 268]
    # All templates on the judging half of dev: what training measured.
    full = next(point for point in model.points if point.name == FULL)
    assert uas[268] == pytest.approx(full.accuracy)
    assert "| 48 |" in section(case, "arc_figure3")
    assert is_drawn(case, arc_figure3.NAME)


def test_figure_3_without_a_ranking(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no ranking"):
        arc_figure3.ranking_of(tmp_path)


def test_figure_4(case: ArcCase, model: ArcModel) -> None:
    arc_figure4.run(case, point="dagger-0")
    found = stored(case, arc_figure4.NAME)
    assert list(found["policies"]) == POLICIES
    assert found["best"] in POLICIES
    test = arc_table1.bank("garden", "test")
    for name, rows in found["policies"].items():
        assert [row["words"] for row in rows] == [sum(map(len, test))] * 3
        for row in rows:
            share = arc_figure4.shares(row, found["templates"])
            assert share["locked"] + share["barred"] + share["open"] == pytest.approx(1)
            assert min(share.values()) >= 0
            assert row["gold by policy"] <= row["by policy"] <= row["settled"]
            assert 0 < row["filtered"] < row["arcs"]
            assert share["barred by filters"] <= share["barred"]
        for before, after in pairwise(rows):
            assert before["open"] >= after["open"]
            assert before["settled"] <= after["settled"]
            assert before["templates"] <= after["templates"]
        # In the end all is settled, as the parser does it.
        assert (rows[-1]["open"], rows[-1]["settled"]) == (0, rows[-1]["words"])
        assert rows[-1]["gold settled"] == rows[-1]["right"]
        by_name = {row["name"]: row for row in arc_table1.measured(model, test)}
        assert 100 * rows[-1]["right"] / rows[-1]["words"] == pytest.approx(by_name[name]["uas"])
    assert "| dagger-1 | 2 |" in section(case, "arc_figure4")
    assert is_drawn(case, arc_figure4.NAME)
    with pytest.raises(InputError, match="no policy"):
        arc_figure4.run(case, point="dagger-7")


def test_figure_5(case: ArcCase, model: ArcModel) -> None:
    arc_figure5.run(case)
    found = stored(case, arc_figure5.NAME)
    lines = arc_figure5.by_line(found)
    assert list(lines) == [arc_figure5.STATIC, arc_figure5.FILTERED, *POLICIES]
    by_name = {row["name"]: row for row in arc_table1.measured(model, arc_table1.bank("garden", "test"))}
    for name, rows in lines.items():
        assert [row["stage"] for row in rows] == [0, 1, 2]
        # Nothing is decided before the first tree.
        assert rows[0]["uas"] == by_name["static-0" if name == arc_figure5.STATIC else "filter-0-0"]["uas"]
        whole = by_name[{arc_figure5.STATIC: FULL, arc_figure5.FILTERED: "filter-0"}.get(name, name)]
        assert (rows[-1]["uas"], rows[-1]["templates"]) == (whole["uas"], whole["templates"])
    expert = found[arc_figure5.EXPERT]
    assert expert["uas"] >= max(row["uas"] for row in found["rows"])
    assert expert["templates"] < lines[arc_figure5.STATIC][-1]["templates"]
    assert "| expert |" in section(case, "arc_figure5")
    assert is_drawn(case, arc_figure5.NAME)


def test_vine(case: ArcCase, model: ArcModel) -> None:
    found = case.result(arc_vine.NAME, lambda: arc_vine.measure(case))
    rows = {row["name"]: row for row in found["rows"]}
    assert set(rows) == {*(point.name for point in model.points), *(f"vine {s:g}" for s in arc_vine.SHARES)}
    # The kernels alone find what ArcParser finds.
    parsed = {row["name"]: row for row in arc_table1.measured(model, arc_table1.bank("garden", "test"))}
    for name, row in parsed.items():
        assert rows[name]["uas"] == pytest.approx(row["uas"])
        assert rows[name]["templates"] == pytest.approx(row["templates"])
    spent = [rows[f"vine {share:g}"]["templates"] for share in arc_vine.SHARES]
    assert spent == sorted(spent, reverse=True)
    assert spent[-1] < rows[FULL]["templates"] <= 1  # arcs without rivals are not scored
    assert "vine 0.5" in arc_vine.sections(case.out, report.Pictures())["arc_vine"]


def test_bits(case: ArcCase) -> None:
    found = case.result(arc_bits.NAME, lambda: arc_bits.measure(case, [4, 16]))
    small, large = found["rows"]
    assert small["used"] <= 16
    assert large["used"] > 1000
    assert large["dev"] > small["dev"]  # 16 weights for all
    assert "2^16" in arc_bits.sections(case.out, report.Pictures())["arc_bits"]
