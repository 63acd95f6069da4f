"""Grammars, split or not, keep the contract of a kind of model."""

from __future__ import annotations

from pathlib import Path

import pytest

import secateur as sec
from secateur.testing import check_kind

SMALL = {
    "coarse": sec.Settings(grammar="coarse", points=3, iterations=1, max_length=12, repeat=1),
    "agenda": sec.Settings(levels=2, tasks="agenda", points=3, iterations=1, max_length=12, repeat=1),
    "split": sec.Settings(levels=1, products=2, points=3, iterations=1, max_length=12, repeat=1),
}


@pytest.mark.parametrize("grammar", SMALL)
def test_it_is_kept(grammar: str, tmp_path: Path) -> None:
    check_kind("pcfg", sec.garden.treebank(80), SMALL[grammar], tmp_path)
