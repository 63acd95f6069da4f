"""The folder of a training run: every finished piece, so that a stopped run goes on where it was.

Files appear whole or not at all. A folder belongs to one run: to the same trees and settings.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.search.checkpoint import Checkpoint
from secateur.search.core import Policy
from secateur.search.linear import dense, sparse


class Folder:
    """Policies and checkpoints by name; keeps nothing where there is no path."""

    def __init__(self, path: Path | None, fingerprint: str) -> None:
        self.path = path
        if path is None:
            return
        if self.numbers("run", lambda: {"fingerprint": fingerprint}) != {"fingerprint": fingerprint}:
            raise InputError(
                "this folder holds a run with other trees or other settings",
                where=str(path),
                fix="delete it to begin anew, or name another model",
            )

    def holds(self, name: str) -> bool:
        """Whether a policy or a checkpoint of this name is stored."""
        return self.path is not None and (self.path / f"{name}.npz").exists()

    def policy(self, name: str, dim: int, make: Callable[[], Policy]) -> Policy:
        """The stored policy, or the one that `make` makes, stored."""
        stored = self._load(name)
        if stored is not None:
            return Policy(dense(stored["policy"], dim))
        policy = make()
        self._save(name, policy=sparse(policy.weights))
        return policy

    def numbers(self, name: str, make: Callable[[], Any]) -> Any:
        """The stored figures (anything JSON holds), or those that `make` makes, stored."""
        if self.path is None:
            return make()
        if not (self.path / f"{name}.json").exists():
            self._write(f"{name}.json", json.dumps(make()).encode())
        file = self.path / f"{name}.json"
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, OSError) as problem:
            raise _damaged(file, problem) from None

    def arrays(self, name: str, make: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """The stored arrays, or those that `make` makes, stored."""
        stored = self._load(name)
        if stored is not None:
            return stored
        made = make()
        self._save(name, **made)
        return made

    def checkpoint(self, name: str, dim: int) -> Checkpoint | None:
        """Where a run of rounds was stopped."""
        stored = self._load(name)
        if stored is None:
            return None
        try:
            return Checkpoint.from_arrays(stored, dim)
        except ValueError as problem:
            assert self.path is not None
            raise _damaged(self.path / f"{name}.npz", problem) from None

    def save_checkpoint(self, name: str, checkpoint: Checkpoint) -> None:
        self._save(name, **checkpoint.arrays())

    def _load(self, name: str) -> dict[str, Any] | None:
        if self.path is None or not self.holds(name):
            return None
        try:
            with np.load(self.path / f"{name}.npz", allow_pickle=False) as stored:
                return dict(stored)
        except (ValueError, EOFError, OSError, zipfile.BadZipFile) as problem:
            raise _damaged(self.path / f"{name}.npz", problem) from None

    def _save(self, name: str, **arrays: Any) -> None:
        if self.path is None:
            return
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        self._write(f"{name}.npz", buffer.getvalue())

    def _write(self, name: str, content: bytes) -> None:
        assert self.path is not None
        target = self.path / name
        unfinished = target.with_name(target.name + ".partial")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(content)
            unfinished.replace(target)
        except OSError as problem:
            unfinished.unlink(missing_ok=True)
            raise InputError(
                f"cannot save the training so far: {problem.strerror}",
                where=str(target),
                fix="make room, then start the same command again: it goes on from what was saved before",
            ) from problem


def _damaged(file: Path, problem: Exception) -> InputError:
    return InputError(
        f"damaged: {problem}",
        where=str(file),
        fix="delete this file: its piece of the training is done again",
    )
