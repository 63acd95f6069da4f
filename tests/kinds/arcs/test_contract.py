"""Dependencies keep the contract of a kind of model."""

from __future__ import annotations

from pathlib import Path

import secateur as sec
from secateur.testing import check_kind
from secateur.treebanks.dependencies import DEPENDENCIES

SMALL = sec.ArcSettings(bits=12, epochs=1, folds=2, iterations=2, costs=(2.0,), repeat=1, ends=(8,))


def test_it_is_kept(tmp_path: Path) -> None:
    check_kind("arcs", DEPENDENCIES.bank(DEPENDENCIES.grown(80)), SMALL, tmp_path)
