"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Kernels compile when first called: no single example has a deadline. Examples are the same every time, but
# for `make fuzz`, which looks for new ones.
settings.register_profile("secateur", deadline=None, derandomize="SECATEUR_FUZZ" not in os.environ)
settings.load_profile("secateur")


@pytest.fixture(autouse=True)
def _short_timings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks how fast anything is: one run over the sentences is enough."""
    monkeypatch.setattr("secateur.models.measure.LEAST", 0.0)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of third-party treebanks and grammars, none of which is part of the project."""
    if "SECATEUR_DATA" not in os.environ:
        pytest.skip("SECATEUR_DATA does not name the folder of treebanks and grammars")
    return Path(os.environ["SECATEUR_DATA"])
