"""The experiments on split grammars, in small on the garden."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.text import Text

import fine_runs
import fine_smoothing
import fine_speed
import labels
import prune_figure2
import prune_figure3
import prune_figure4
import prune_rollouts
import prune_runs
import report
import secateur as sec
from secateur.errors import InputError
from secateur.search.linear import REGULARIZER


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> report.Case:
    """A trained case."""
    case = report.Case("garden", grammar="fine", out=tmp_path_factory.mktemp("fine"), limit=120)
    own = {"levels": 1, "products": 2, "points": 3, "iterations": 1, "repeat": 1}
    prune_runs.run(case, settings=replace(prune_runs.settings_of(case), **own))
    return case


@pytest.fixture(scope="module")
def model(case: report.Case) -> prune_runs.PcfgModel:
    return prune_runs.runs(case)


@pytest.fixture(scope="module")
def cp(case: report.Case) -> report.Case:
    """The same for the other surrogate, by the command."""
    given = ["--out", str(case.out), "--limit", "120", "--surrogate", "cp"]
    given += ["--levels", "1", "--products", "2", "--iterations", "1", "--minibatch", "20"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["fine_runs.py", *given])
        fine_runs.main()
    return replace(case, surrogate="cp")


def section(case: report.Case, name: str) -> str:
    """As the script left it."""
    return (case.out / "pages" / f"{name}.md").read_text(encoding="utf-8")


def stored(case: report.Case, name: str) -> Any:
    return json.loads(case.file(name).read_text(encoding="utf-8"))


def test_coarse_and_fine_are_kept_apart(tmp_path: Path) -> None:
    coarse = report.Case("gum", "cp", out=tmp_path)
    fine = replace(coarse, grammar="fine")
    assert [coarse.name, coarse.section("a"), coarse.picture("a")] == ["gum-cp", "a", "a-gum"]
    assert [fine.name, fine.section("a"), fine.picture("a")] == ["gum-cp-fine", "a_fine", "a-gum-fine"]
    assert coarse.result("a", lambda: 1) == 1
    assert fine.result("a", lambda: 2) == 2
    other = replace(fine, data="garden", surrogate="dp")
    assert other.result("a", lambda: 3) == 3
    assert report.stored(tmp_path, "a", "coarse") == {coarse: 1}
    assert list(report.stored(tmp_path, "a", "fine").items()) == [(fine, 2), (other, 3)]
    shown = report.by_grammar(tmp_path, "a", "b", lambda grammar, found: f"{grammar} {len(found)}")
    assert shown == {"b": "coarse 1", "b_fine": "fine 2"}


def test_the_option() -> None:
    def chosen(*given: str, **about: Any) -> str:
        return report.case_of(report.arguments("", **about).parse_args(given)).grammar

    assert [chosen(), chosen("--grammar", "fine"), chosen(grammar="fine")] == ["coarse", "fine", "fine"]
    with pytest.raises(InputError, match="coarse grammar"):
        prune_runs.settings_of(report.Case("ptb-r0", grammar="fine"))


def test_runs(case: report.Case, model: prune_runs.PcfgModel) -> None:
    assert prune_runs.folder_of(case) == case.out / "runs" / "garden-dp-fine"
    assert model.settings["regularizer"] == REGULARIZER
    assert model.settings["rollout_level"] == 2
    about = stored(case, "prune-runs")
    assert isinstance(model.parts.grammar, sec.SplitPCFG)
    assert about["level"] == len(model.parts.grammar.ancestry)
    assert about["sub-symbols"] >= about["symbols"] == len(model.parts.rules.symbols)
    assert 0 <= about["lacking"] < about["gold nodes"]
    assert about["roll-out rules"] >= about["binary rules"]
    assert "| garden-dp-fine |" in section(case, "prune_runs_fine")
    assert not (case.out / "pages" / "prune_runs.md").exists()


def test_a_run_for_the_other_surrogate_takes_the_split_grammars(case: report.Case, cp: report.Case) -> None:
    folders = [prune_runs.folder_of(one) / "work" for one in (case, cp)]
    ours, theirs = ({f.relative_to(w): f for f in w.glob("split-*/*")} for w in folders)
    assert len(ours) >= 4
    assert {name: f.stat().st_size for name, f in ours.items()} == {
        name: f.stat().st_size for name, f in theirs.items()
    }
    found = prune_runs.runs(cp)
    assert len(found.log) == 3
    asked = {"surrogate": "cp", "rollouts": "some", "minibatch": 20, "iterations": 1}
    assert {key: found.settings[key] for key in asked} == asked


def test_figure2_is_about_the_grammar_of_roll_outs(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_figure2.run(case)
    rows = stored(case, prune_figure2.NAME)
    assert [row["penalty"] for row in rows] == [run["penalty"] for run in model.log]
    for row, run in zip(rows, model.log, strict=True):
        assert [r["reward"] for r in row["rounds"]] == [r["reward"] for r in run["rounds"]]
    trainer = prune_runs.trainer_of(case, model)
    assert isinstance(model.parts.grammar, sec.SplitPCFG)
    assert len(trainer.task.grammar.symbols) == model.parts.grammar.blocks.splits.sum()
    # What training noted about a baseline is found again.
    accuracy, runtime = trainer.surrogate(model.policies["baseline-1"], trainer.stopping)
    assert rows[1]["rounds"][0]["accuracy"] == pytest.approx(accuracy)
    assert rows[1]["rounds"][0]["runtime"] == pytest.approx(runtime)
    assert "garden, fine, surrogate dp" in section(case, "prune_figure2_fine")
    assert not (case.out / "pages" / "prune_figure2.md").exists()
    assert (case.out / "pages" / "images" / "prune-figure2-garden-fine.png").stat().st_size > 0


def test_figure3_parses_with_one_split_grammar(case: report.Case, model: prune_runs.PcfgModel) -> None:
    prune_figure3.run(case, timed=True, repeat=1)
    found = stored(case, prune_figure3.NAME)
    test = prune_runs.treebanks("garden", case.limit).test
    for name, row in (("exact", found["unpruned"]), ("lols-2", found["points"][2]["lols"])):
        parses = list(model.parser(name + "+max-rule").pipe(test))
        result = sec.evaluate(test, [p.tree for p in parses], failed=[p.failed for p in parses])
        assert row["f1"] == pytest.approx(result.total.f1)
        assert row["mpush"] == pytest.approx(np.mean([p.work.pushes for p in parses]) / 1e6)
    assert set(found["speed"]) == {"exact", *model.policies}
    assert "+0.16" in section(case, "prune_figure3_fine")
    assert section(case, "prune_failures_fine").count("| LOLS |") == 1
    assert not (case.out / "pages" / "prune_figure3.md").exists()


def test_figure4(cp: report.Case) -> None:
    prune_figure4.run(cp, sentences=4)
    found = stored(cp, prune_figure4.NAME)
    assert found["sentences"] == 4
    assert [row["tradeoff"] for row in found["rows"]] == [run["tradeoff"] for run in prune_runs.runs(cp).log]
    dev = prune_runs.trainer_of(cp, prune_runs.runs(cp)).judging_trees
    most = max(n * (n + 1) // 2 - 1 - n for n in dev.lengths().tolist())
    assert all(
        0 < row[side]["all"]["decisions"] <= 4 * most
        for row in found["rows"]
        for side in ("baseline", "lols")
    )
    assert "garden-cp-fine: 4 dev sentences" in section(cp, "prune_figure4_fine")


def test_rollouts(case: report.Case, model: prune_runs.PcfgModel, monkeypatch: pytest.MonkeyPatch) -> None:
    prune_rollouts.run(case, count=1, repeat=1)
    found = stored(case, prune_rollouts.NAME)
    assert found["policy"] in model.policies
    assert all(set(row["seconds"]) == set(prune_rollouts.ENGINES) for row in found["rows"])
    assert found["whole"]["level"] == 1
    assert found["whole"]["rows"] == []  # level 2 of a grammar with one is all of it
    assert "all that it has" in section(case, "prune_rollouts_fine")
    monkeypatch.setattr(prune_rollouts, "ROLLOUT_LEVEL", 0)
    weights = model.policies[found["policy"]].weights
    whole = prune_rollouts.whole(case, model, weights, 1)
    assert [row["length"] for row in whole["rows"]] == ["5-10", "11-20"]
    assert whole["rules"] == found["rules"]
    report.write_json(case.file(prune_rollouts.NAME), {**found, "level": 0, "whole": whole})
    report.leave(case.out, prune_rollouts.sections)
    assert section(case, "prune_rollouts_fine").count("| all |") == 2
    monkeypatch.setattr(prune_rollouts, "WHOLE_RULES", 10)
    assert prune_rollouts.whole(case, model, weights, 1)["rows"] == []


def test_speed(case: report.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["--out", str(case.out), "--limit", "120"]
    monkeypatch.setattr(sys, "argv", ["fine_speed.py", *given, "--every", "2"])
    fine_speed.main()
    found = stored(case, fine_speed.NAME)
    rows = {row["name"]: row for row in found["rows"]}
    assert {row["kind"] for row in found["rows"]} == set(fine_speed.KINDS) - {"other parsers"}
    assert {"exhaustive", "coarse to fine", "product of 2", "lols-0+product", "baseline-2"} <= set(rows)
    assert rows["exhaustive"]["mpush"] > rows["coarse to fine"]["mpush"] > rows["exact"]["mpush"]
    assert all(0 < row["f1"] <= 100 and row["words/s"] > 0 for row in found["rows"])
    assert 0 < rows["exhaustive"]["beside"] <= 100
    points = {row["name"]: row for row in fine_speed.drawn(list(rows.values()))}
    gained = rows["exhaustive"]["f1"] - rows["exhaustive"]["beside"]
    assert points["exhaustive"]["f1"] == pytest.approx(rows["coarse to fine"]["f1"] + gained)
    assert points["exhaustive"]["words/s"] < points["coarse to fine"]["words/s"]
    assert "| exhaustive, one sentence in 2 (there, coarse to fine: " in section(case, "fine_speed")
    assert (case.out / "pages" / "images" / "fine-speed.png").stat().st_size > 1000


def test_smoothing(case: report.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["--out", str(case.out), "--limit", "120", "--level", "1"]
    monkeypatch.setattr(sys, "argv", ["fine_smoothing.py", *given])
    monkeypatch.setattr(fine_smoothing, "RULES", (0.1,))
    fine_smoothing.main()
    rows = stored(case, fine_smoothing.NAME)["rows"]
    assert set(rows) == {"as it is by default", "rules smoothed by 0.1", *fine_smoothing.WORDS}
    assert all(0 < f1 <= 100 and 50 < tags <= 100 for [(f1, tags)] in rows.values())
    assert rows["neither"] != rows["as it is by default"]
    assert "garden-dp-fine, level 1" in section(case, "fine_smoothing")


def test_the_picture_has_a_panel_for_each_data_set(case: report.Case, tmp_path: Path) -> None:
    def row(name: str, kind: str, f1: float, speed: float) -> dict[str, Any]:
        return {"name": name, "kind": kind, "f1": f1, "words/s": speed, "seconds": 20 / speed} | {
            "mpush": 1.0,
            "failures": 0.0,
        }

    rows = [
        row("exhaustive", "exhaustive", 84.0, 20.0),
        row("coarse to fine", "coarse to fine", 83.5, 2500.0),
        row("product of 4", "coarse to fine", 86.0, 300.0),
        row("lols-0+max-rule", "LOLS", 83.0, 9000.0),
        row("lols-1+max-rule", "LOLS", 79.0, 12000.0),
        row("exact", "unsplit grammar", 61.0, 9500.0),
    ]
    assert {name: r["name"] for name, r in fine_speed.named(rows).items()} == {
        "product of grammars": "product of 4",
        "one grammar": "coarse to fine",
        "fastest above 80": "lols-0+max-rule",
        "unsplit, exact": "exact",
    }
    gum = replace(case, data="gum", out=tmp_path)
    for one in (gum, replace(gum, data="ptb-sample"), replace(gum, surrogate="cp")):
        report.write_json(one.file(fine_speed.NAME), {"level": 1, "levels": [61.0, 84.0], "rows": rows})
    (found,) = fine_speed.sections(tmp_path, report.Pictures()).values()
    assert found.count("![fine-speed]") == 1
    assert [found.count(name) for name in ("gum-dp-fine:", "ptb-sample-dp-fine:", "gum-cp-fine:")] == [
        1,
        1,
        1,
    ]
    assert "| *Berkeley SM5* | 82.90 |" in found
    assert re.search(r"\| \*Berkeley SM4\* \| 85\.60 \| [\d.]+ \| 750-810 \|", found)


def test_labels_keep_clear_of_each_other() -> None:
    figure, axes = report.new_figure(1, 1, size=(5.0, 4.0))
    rng = np.random.default_rng(0)
    points = [(float(x), float(y)) for x, y in rng.uniform(0, 10, size=(30, 2))]
    axes[0, 0].plot(*zip(*points, strict=True), "o")
    given = [labels.Label(f"point {n}\nof thirty", *points[n], "black", 9.0) for n in range(6)]
    boxes = labels.place(axes[0, 0], given, points)
    assert len(boxes) == 6
    assert labels.shared(boxes, boxes) == pytest.approx(sum(labels.shared(b[None], b[None]) for b in boxes))
    frame = axes[0, 0].get_window_extent()
    assert (boxes[:, :2] >= frame.extents[:2]).all()
    assert (boxes[:, 2:] <= frame.extents[2:]).all()
    figure.draw_without_rendering()  # the texts move to their places
    texts = [Text.get_window_extent(text) for text in axes[0, 0].texts]
    assert np.allclose([(t.x0 + t.x1) / 2 for t in texts], (boxes[:, 0] + boxes[:, 2]) / 2, atol=1)
    pyplot.close(figure)


def test_a_model_of_other_trees_or_of_another_grammar_is_refused(case: report.Case, tmp_path: Path) -> None:
    for other, match in (
        (replace(case, limit=100), "other trees"),
        (replace(case, grammar="coarse"), "not coarse"),
    ):
        moved = replace(other, out=tmp_path)
        shutil.copytree(prune_runs.folder_of(case), prune_runs.folder_of(moved))
        with pytest.raises(InputError, match=match):
            prune_runs.runs(moved)
