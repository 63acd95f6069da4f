"""Kernels compiled by another process while this one is busy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from secateur.kinds.pcfg import ahead
from secateur.kinds.pcfg.little import train_little


def test_all_steps_of_a_training_run() -> None:
    """Its errors would go unseen: nobody reads what the other process says."""
    train_little()


def test_what_is_compiled_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(ahead.subprocess, "Popen", Watched)
    monkeypatch.setattr(ahead, "cache_dir", lambda: tmp_path)
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 2)
    with ahead.compiled_ahead():
        [other] = started
        assert other.poll() is None
    assert other.poll() is not None  # ended with the work it was started for
    (tmp_path / "x.expected_recalls-1.py311.nbi").touch()
    with ahead.compiled_ahead():
        assert len(started) == 1
    (tmp_path / "x.expected_recalls-1.py311.nbi").unlink()
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 1)
    with ahead.compiled_ahead():
        assert len(started) == 1
