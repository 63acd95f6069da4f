"""Compiled kernels are kept where they can be, and never used after their sources changed.

Every test starts processes of its own: where the cache is, is settled when the kernels are first imported.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from secateur import kernels

# The smallest kernel: gains of the six cells of three words, with all of it in the first two words.
TOY = """
import numpy as np
from secateur.kernels import cache_dir
from secateur.kernels.cky import inside
print(cache_dir())
print(inside.best_recall(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])).tolist())
"""
# The splits: of cell (0, 3), the fourth, at 2.
RESULT = "[0, 1, 0, 2, 2, 0]"

# The digest of a folder of kernels, before and after a change to one of them.
DIGEST = """
import importlib.util, pathlib, sys
source = pathlib.Path(sys.argv[1]) / "__init__.py"
spec = importlib.util.spec_from_file_location("copied", source)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.cache_dir())
kernel = source.parent / "cky" / "inside.py"
kernel.write_text(kernel.read_text() + "# changed\\n")
print(module.cache_dir())
"""


def start(script: str, *args: object, **environment: object) -> subprocess.Popen[str]:
    """A Python process in this environment, without a cache folder unless it is given."""
    kept = {
        key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        env=kept | {key: str(value) for key, value in environment.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


@pytest.fixture
def unusable(tmp_path: Path) -> Path:
    """A folder that cannot be made, not even by the superuser: it would be below a file."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    return blocked / "below"


def places(tmp_path: Path, unusable: Path) -> dict[str, Path]:
    """Nothing but a folder for temporary files."""
    temporary = tmp_path / "temporary"
    temporary.mkdir(exist_ok=True)
    return {"HOME": unusable, "XDG_CACHE_HOME": unusable, "TMPDIR": temporary}


def test_the_users_cache_is_used(tmp_path: Path) -> None:
    place, result = lines(start(TOY, XDG_CACHE_HOME=tmp_path))
    assert Path(place).parent == tmp_path / "secateur"
    assert any(Path(place).rglob("*.nbi"))
    assert result == RESULT
    assert lines(start(TOY, XDG_CACHE_HOME=tmp_path)) == [place, RESULT]


def test_without_a_users_cache_a_temporary_folder_serves(tmp_path: Path, unusable: Path) -> None:
    environment = places(tmp_path, unusable)
    place, result = lines(start(TOY, **environment))
    assert Path(place).is_relative_to(environment["TMPDIR"])
    assert any(Path(place).rglob("*.nbi"))
    assert result == RESULT
    assert lines(start(TOY, **environment)) == [place, RESULT], "the next process finds it again"


def test_not_even_that_folder(tmp_path: Path, unusable: Path) -> None:
    """Where someone else has taken its name, each process has one of its own."""
    environment = places(tmp_path, unusable)
    user = os.getuid() if hasattr(os, "getuid") else "user"
    (environment["TMPDIR"] / f"secateur-{user}").write_text("taken")
    place, _ = lines(
        start("from secateur.kernels import cache_dir; print(cache_dir()); print()", **environment)
    )
    assert Path(place).is_relative_to(environment["TMPDIR"])


def test_two_processes_start_cold_at_once(tmp_path: Path) -> None:
    both = [start(TOY, NUMBA_CACHE_DIR=tmp_path) for _ in range(2)]
    first, second = (lines(process) for process in both)
    assert first == second == [str(tmp_path), RESULT]
    assert any(tmp_path.rglob("*.nbi"))


def test_a_changed_kernel_has_another_cache(tmp_path: Path) -> None:
    copied = tmp_path / "kernels"
    shutil.copytree(Path(kernels.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    before, after = lines(start(DIGEST, copied, XDG_CACHE_HOME=tmp_path / "cache"))
    assert before != after
    assert Path(before).parent == Path(after).parent == tmp_path / "cache" / "secateur"
    if "NUMBA_CACHE_DIR" not in os.environ:
        assert Path(before).name == kernels.cache_dir().name, "the place of the sources does not matter"
