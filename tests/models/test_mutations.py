"""Mutated models: each is refused in one line, or parses; none hangs, crashes or eats all memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import mutated_models
from mutated_models import GOOD

SAMPLE = 160
EXPLORED = 1500


def outcomes(shelf: Path, seed: int, count: int) -> list[dict[str, str]]:
    """Of so many mutations, in a process that can be killed without harm."""
    here = Path(mutated_models.__file__)
    run = subprocess.run(
        [sys.executable, "-W", "error", str(here), str(shelf), str(seed), str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    _, *lines = map(json.loads, run.stdout.splitlines())
    return lines


def check(found: list[dict[str, str]], count: int) -> None:
    bad = [one for one in found if one["outcome"] not in GOOD]
    assert not bad, "\n".join(f"{one['model']}, {one['mutation']}: {one['outcome']}" for one in bad[:5])
    kinds = Counter(one["outcome"] for one in found)
    assert len(found) == count
    assert kinds["refused"] > count // 2
    assert kinds["parsed"] > count // 50  # what does no harm is let pass


def test_a_sample_of_mutations(tmp_path: Path) -> None:
    check(outcomes(tmp_path, 0, SAMPLE), SAMPLE)


@pytest.mark.fuzz
def test_many_mutations(tmp_path: Path) -> None:
    seed = int(os.environ.get("SECATEUR_SEED", "1"))
    check(outcomes(tmp_path, seed, EXPLORED), EXPLORED)
