"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Kernels compile when first called: no single example has a deadline. Examples are the same every time, and
# few, but for `make fuzz`, which looks for new ones.
FUZZ = "SECATEUR_FUZZ" in os.environ
settings.register_profile("secateur", deadline=None, derandomize=not FUZZ, max_examples=200 if FUZZ else 40)
settings.load_profile("secateur")


# The first two need most kernels between them, and hardly any both: on a fresh machine two processes that
# begin with them compile at once what the others find in the cache. Then those that take long: none is last.
FIRST = (
    "kinds/arcs/test_contract.py",
    "kinds/pcfg/test_contract.py",
    "hypergraph/test_hypergraph.py",
    "testing/test_contracts.py",
    "experiments/test_fine.py",
    "experiments/test_arcs.py",
    "cli/test_resume.py",
    "examples/test_examples.py",
    "test_interrupt.py",
    "experiments/test_arc_lols.py",
    "experiments/test_prune.py",
    "kinds/pcfg/test_fine_training.py",
    "models/test_mutations.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    place = {tests / name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(FIRST)))


@pytest.fixture(autouse=True)
def _in_short(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No test asks how fast anything is, and few how well a curve is fitted to points."""
    monkeypatch.setattr("secateur.models.measure.LEAST", 0.0)
    if request.path.name not in ("test_curve.py", "test_record.py"):
        monkeypatch.setattr("secateur.models.curve.STEEPNESS", (1.0,))
        monkeypatch.setattr("secateur.models.curve.SHIFTS", (0.1,))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of third-party treebanks and grammars, none of which is part of the project."""
    if "SECATEUR_DATA" not in os.environ:
        pytest.skip("SECATEUR_DATA does not name the folder of treebanks and grammars")
    return Path(os.environ["SECATEUR_DATA"])
