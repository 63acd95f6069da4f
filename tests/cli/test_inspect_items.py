"""secateur inspect at points that deduce with a PLCFRS; test_every_kind.py has what all kinds share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import toy_lcfrs
from secateur.models.model import Model
from secateur.search.core import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Run, Sample

SENTENCE, GOLD = "what did you see ?", toy_lcfrs.CROSSING
DEDUCED = ("exact+plcfrs", "coarse+plcfrs", "coarse-0+plcfrs", "items+plcfrs", "coarse-0+items+plcfrs")


@pytest.mark.parametrize("point", DEDUCED)
def test_the_items_and_the_tree(run: Run, lcfrs: Sample, point: str) -> None:
    found = run("inspect", lcfrs.model, SENTENCE, "--point", point, "--gold", GOLD, "--json").done().json
    parsed = run("parse", lcfrs.model, SENTENCE, "--point", point, "--json").done().json
    assert (found["tree"], found["score"], found["work"]) == (
        parsed["tree"],
        parsed["score"],
        parsed["work"],
    )
    assert found["gold"] == {"tree": GOLD, "f1": 100.0}
    used = {(one["symbol"], *one["positions"]) for one in found["items"] if one["state"] == "used"}
    assert used >= {("VP_2", 0, 3), ("NP", 2), ("ROOT", 0, 1, 2, 3, 4)}
    assert "lost" not in {item["state"] for item in found["items"]}
    assert all(item["gold"] for item in found["items"] if item["state"] == "used")
    assert {item["score"] for item in found["items"]} == ({1.0} if "items" in point else {None})


def test_for_people(run: Run, lcfrs: Sample) -> None:
    shown = run("inspect", lcfrs.model, SENTENCE, "--point", "items+plcfrs", "--gold", GOLD).done()
    assert GOLD in shown.lines
    assert f"gold: {GOLD}" in shown.lines
    assert "missed" not in shown.out
    assert any(line.startswith("kept ") and "hyperedges" in line for line in shown.lines)
    decided = [line for line in shown.lines if line.startswith("item ")]
    assert decided
    assert all(line.endswith("score +1.0000 (kept above 0)") for line in decided)
    bare = run("inspect", lcfrs.model, SENTENCE, "--point", "coarse+plcfrs").done()
    assert bare.lines[-1] == "No policy about items decides at this point."


def test_what_is_lost(run: Run, lcfrs: Sample, tmp_path: Path) -> None:
    """A policy that keeps nothing: gold items are lost, and another way finds the tree."""
    model: Model[object, object] = toy_lcfrs.toy_lcfrs_model()
    model.policies["items"] = Policy(-model.policies["items"].weights)
    model.save(tmp_path / "lost.model")
    here = (tmp_path / "lost.model", SENTENCE, "--point", "items+plcfrs", "--gold", GOLD)
    found = run("inspect", *here, "--json").done().json
    assert found["fell_back"]
    lost = {(item["symbol"], *item["positions"]) for item in found["items"] if item["state"] == "lost"}
    # Nothing is met above what words alone make: what is made of pruned items is no decision.
    assert ("VP_2", 0, 3) in lost
    assert not any(item["state"] in ("used", "kept") for item in found["items"])
    shown = run("inspect", *here).done()
    assert any(line.startswith("gold items pruned: ") for line in shown.lines)
    assert any("found another way" in line for line in shown.lines)
