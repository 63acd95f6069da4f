"""The experiments of "pruning policies for LCFRS", each in small on the garden."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lcfrs_dial
import lcfrs_figure1
import lcfrs_oracle
import lcfrs_policies
import lcfrs_rollouts
import lcfrs_runs
import secateur as sec
from secateur.errors import InputError


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lcfrs")


def found(script: ModuleType, out: Path, *options: str, limit: int = 60) -> Any:
    """What a script stores; it is run as a command, and once more to see that it only shows."""
    for _ in range(2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [script.__name__, "--limit", str(limit), "--out", str(out), *options])
            script.main()
    page = (out / "pages" / f"{script.NAME.replace('-', '_')}.md").read_text(encoding="utf-8")
    assert "| --- |" in page
    [file] = out.glob(f"{script.NAME}-garden-item*.json")
    return json.loads(file.read_text(encoding="utf-8"))


def test_runs(out: Path) -> None:
    about = found(lcfrs_runs, out)
    assert about["trees"] == 60
    assert about["behind"].startswith("coarse-")
    assert 0 <= about["kept the baseline"] <= about["points"] == 3


def test_policies(out: Path) -> None:
    row = found(lcfrs_policies, out, "--longest", "14")
    case = lcfrs_runs.LcfrsCase("garden", out=out, limit=60)
    trained = case.trained()
    test = case.trees.test.filter(max_length=14)
    assert (row["sentences"], row["longest"]) == (len(test), 14)
    assert set(row["points"]) == set(row["speed"]) == set(lcfrs_policies.points(trained))
    assert row["points"]["exact"]["another way"] == 0
    alone = sec.PlcfrsParser(trained.deduction.grammar)
    items = [alone.parse(tree.words()).work.items for tree in test]
    assert row["points"]["exact"]["items"] == pytest.approx(sum(items) / len(items))
    for pair in row["pairs"]:
        before, after = (row["points"][pair[side]] for side in ("before", "after"))
        work = after["mpush"] - before["mpush"]
        assert pair["difference"] == pytest.approx(after["f1"] - before["f1"] - pair["tradeoff"] * work)
        assert 0 < pair["p"] <= 1


def test_roll_outs(out: Path) -> None:
    rows = found(lcfrs_rollouts, out)["rows"]
    assert {row["unit"] for row in rows} == {"hyperedge", "item", "set"}
    assert all(row["unequal"] == 0 < row["compared"] <= row["flips"] for row in rows)
    by_unit = {
        unit: [r["decisions"] for r in rows if r["unit"] == unit] for unit in ("hyperedge", "item", "set")
    }
    for hyperedges, items, sets in zip(*by_unit.values(), strict=True):
        assert hyperedges >= items >= sets


def test_the_oracle(out: Path) -> None:
    row = found(lcfrs_oracle, out)
    by_unit = {one["unit"]: one for one in row["rows"]}
    assert by_unit["hyperedge"]["failed"] >= by_unit["item"]["failed"] >= by_unit["set"]["failed"]
    assert by_unit["hyperedge"]["pushes"] <= by_unit["item"]["pushes"] <= by_unit["set"]["pushes"]


def test_figure_1(out: Path) -> None:
    row = found(lcfrs_figure1, out, limit=160)
    assert [r["tradeoff"] for r in row["rows"]] == 2 * list(lcfrs_figure1.TRADEOFFS)
    everything = row["begins"][lcfrs_figure1.KEEP]["train"]
    for one in row["rows"]:
        # The round with the best reward is kept, and the first is the policy that was started from.
        begin = row["begins"][one["from"]]["train"]
        rewards = [r["accuracy"] - one["tradeoff"] * r["hyperedges"] for r in (begin, one["train"])]
        assert rewards[1] >= rewards[0] - 1e-9
        assert one["train"]["hyperedges"] <= everything["hyperedges"]
    assert [len(rows) for rows in row["units"].values()] == 2 * [len(row["rows"])]
    assert all(r["train"]["hyperedges"] <= everything["hyperedges"] for r in row["units"]["item"])


def test_the_dial(out: Path) -> None:
    row = found(lcfrs_dial, out)
    assert row["sentences"]["all"] >= row["sentences"]["25"] > 0
    assert set(row["dial"]) <= set(row["points"])
    for rows in row["parts"].values():
        assert set(rows) == set(row["points"])
        assert all(one["interval"][0] <= one["f1"] <= one["interval"][1] for one in rows.values())
        assert all(one["failed"] == 0 for name, one in rows.items() if name.endswith("plcfrs"))


def test_options() -> None:
    case = lcfrs_runs.LcfrsCase("garden", limit=60)
    assert len(case.trees.train) == 60
    assert replace(case, unit="set").settings.unit == "set"
    with pytest.raises(InputError, match="at most 5 words"):
        lcfrs_figure1.measure(replace(case, limit=5))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SECATEUR_DATA", raising=False)
        with pytest.raises(InputError, match="SECATEUR_DATA"):
            lcfrs_runs.treebanks("alpino")
