"""Every kind of model keeps the contract; so does one that nothing else knows of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import secateur as sec
import toy_kind
from secateur.models.table import KINDS
from secateur.testing import check_kind
from secateur.treebanks.dependencies import DEPENDENCIES

ARCS = sec.ArcSettings(bits=12, epochs=1, folds=2, iterations=2, costs=(2.0,), repeat=1, ends=(8,))
SMALL: dict[str, Any] = {
    "coarse": ("pcfg", sec.Settings(grammar="coarse", points=3, iterations=1, max_length=12, repeat=1)),
    "split": ("pcfg", sec.Settings(levels=1, products=2, points=3, iterations=1, max_length=12, repeat=1)),
    "arcs": ("arcs", ARCS),
}


@pytest.mark.parametrize("case", SMALL)
def test_it_keeps_the_contract(case: str, tmp_path: Path) -> None:
    name, settings = SMALL[case]
    bank: Any = sec.garden.treebank(80)
    if name == "arcs":
        bank = DEPENDENCIES.bank(DEPENDENCIES.grown(80))
    check_kind(name, bank, settings, tmp_path)


def test_a_third_kind_needs_but_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "toy", "toy_kind")
    bank = sec.garden.treebank(120)
    model = check_kind("toy", bank, None, tmp_path)
    assert {point.name for point in model.points} == {"careful", "hasty"}
    assert len(Path(toy_kind.__file__).read_text().splitlines()) <= 150
