"""Every kind of model is tried against the contract; so is one that nothing else knows of."""

from __future__ import annotations

from pathlib import Path

import pytest

import secateur as sec
import toy_kind
from secateur.models.table import KINDS
from secateur.testing import check_kind


def test_a_third_kind_needs_but_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "toy", "toy_kind")
    bank = sec.garden.treebank(120)
    model = check_kind("toy", bank, None, tmp_path)
    assert {point.name for point in model.points} == {"careful", "hasty"}
    assert len(Path(toy_kind.__file__).read_text().splitlines()) <= 150


@pytest.mark.parametrize("name", KINDS)
def test_there_is_a_test_of_the_contract(name: str) -> None:
    text = (Path(__file__).parent / name / "test_contract.py").read_text()
    assert f'check_kind("{name}"' in text
