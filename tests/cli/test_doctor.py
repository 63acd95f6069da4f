"""secateur doctor."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

import secateur
from secateur.kernels import cache_dir

if TYPE_CHECKING:
    from cli.conftest import Run


def test_doctor(run: Run) -> None:
    found = run("doctor", "--json").done().json
    assert found["secateur"] == secateur.__version__
    assert found["numpy"] == numpy.__version__
    assert Path(found["kernel cache"]) == cache_dir()
    assert found["toy parse"] == "(S (A a) (A a))"
    lines = run("doctor").done().lines
    assert [line.partition("  ")[0] for line in lines] == list(found)


def test_doctor_names_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without_scipy(name: str) -> str:
        if name == "scipy":
            raise metadata.PackageNotFoundError
        return version(name)

    monkeypatch.setattr(metadata, "version", without_scipy)
    found = run("doctor", "--json").done().json
    assert found["scipy"] == "absent: pip install scipy"
    assert found["numpy"] == numpy.__version__
