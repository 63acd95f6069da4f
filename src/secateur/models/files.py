"""The files of a model directory, whatever its kind: written whole, checked when they are read.

model.toml says the format and the kind; checksums.json has a digest of every file. Nothing is executable.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tomllib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from secateur.errors import InputError
from secateur.models.dial import Point
from secateur.search.core import Policy, Weights

FORMAT = 1
SPAN_PRUNING, ARC_LOCKING = "span-pruning", "arc-locking"  # kinds
ABOUT, CHECKSUMS, CARD = "model.toml", "checksums.json", "card.md"

_AGAIN = "copy the model again"
_OWN = re.compile(r"(?:policies/)?[\w.+-]+")  # a file in the directory, not one outside it

Content = str | bytes | Callable[[Path], None]  # what stands in a file, or what writes it


# The whole directory ----------------------------------------------------------------------------------------


def read_about(path: str | PathLike[str]) -> dict[str, Any]:
    """What model.toml says: format, kind and more."""
    file = Path(path) / ABOUT
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            "not a model: there is no model.toml in it", where=str(path), fix="name a model directory"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise damaged(file, problem) from None


def check(folder: Path, about: Mapping[str, Any], kind: str) -> None:
    """Refuse a model of another format or kind, and one whose files are not those it was saved with."""
    if about.get("format") != FORMAT or about.get("kind") != kind:
        raise unreadable(folder, about, f"{kind!r}")
    _verify(folder)


def unreadable(folder: Path, about: Mapping[str, Any], kinds: str) -> InputError:
    """A model of a format or kind that is not known here."""
    return InputError(
        f"a model of format {about.get('format')}, kind {about.get('kind')!r}; "
        f"this version reads {FORMAT}, {kinds}",
        where=str(folder),
        fix="train it again, or install the version that made it",
    )


def about_text(kind: str, tables: Mapping[str, Mapping[str, Any]]) -> str:
    """model.toml."""
    lines = [f"format = {FORMAT}", f'kind = "{kind}"', ""]
    for title, table in tables.items():
        rows = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())
        lines += [f"[{title}]", *rows, ""]
    return "\n".join(lines)


def save(
    path: str | PathLike[str],
    files: Mapping[str, Content],
    policies: Mapping[str, Policy],
    points: Sequence[Point],
    log: Sequence[Mapping[str, Any]],
) -> None:
    """Write a directory. What an older model has there and this one has not is deleted."""
    folder = Path(path)
    everything: dict[str, Content] = {
        **files,
        **{f"policies/{name}.npz": pack_weights(policy.weights) for name, policy in policies.items()},
        "frontier.json": json.dumps([asdict(point) for point in points], indent=1),
        "log.json": json.dumps(list(log), indent=1),
    }
    try:
        (folder / "policies").mkdir(parents=True, exist_ok=True)
        for name in _promised(folder).keys() - everything.keys():
            if _OWN.fullmatch(name):
                (folder / name).unlink(missing_ok=True)
        for name, content in everything.items():
            _write(folder / name, content)
        checksums = {name: _digest(folder / name) for name in everything if name != CARD}
        _write(folder / CHECKSUMS, json.dumps(checksums, indent=1))
    except OSError as problem:
        raise InputError(
            f"cannot write the model: {problem.strerror}",
            where=str(folder),
            fix="free space or another place",
        ) from problem


def read_policies(folder: Path, dim: int | None = None) -> dict[str, Policy]:
    """By name; without a number of features, each has its own."""
    files = sorted((folder / "policies").glob("*.npz"))
    return {file.stem: Policy(unpack_weights(file, dim)) for file in files}


def read_points(folder: Path) -> list[Point]:
    return [Point(**point) for point in json.loads((folder / "frontier.json").read_text())]


def read_log(folder: Path) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = json.loads((folder / "log.json").read_text())
    return log


# Arrays -----------------------------------------------------------------------------------------------------


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """As npz."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack_arrays(path: Path) -> dict[str, Any]:
    """From npz."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as problem:
        raise damaged(path, problem) from None


def pack_weights(weights: Weights) -> bytes:
    """How many there are, and those that are not 0."""
    active = np.flatnonzero(weights)
    return pack_arrays(
        {"dim": np.int64(len(weights)), "active": active.astype(np.uint32), "weights": weights[active]}
    )


def unpack_weights(path: Path, dim: int | None = None) -> Weights:
    """Weights over `dim` features, or over as many as there were."""
    stored = unpack_arrays(path)
    if not {"active", "weights"} <= set(stored) or (dim is None and "dim" not in stored):
        raise damaged(path, "no weights in it")
    active, values = stored["active"], stored["weights"]
    size = int(stored["dim"]) if dim is None else dim
    if len(active) and int(active.max()) >= size:
        raise InputError("its features do not fit the model's", where=str(path), fix=_AGAIN)
    weights = np.zeros(size, np.float32)
    weights[active] = values
    return weights


def damaged(path: Path, problem: object) -> InputError:
    return InputError(f"damaged: {problem}", where=str(path), fix=_AGAIN)


# One file ---------------------------------------------------------------------------------------------------


def _write(path: Path, content: Content) -> None:
    """All or nothing."""
    partial = path.with_name("partial-" + path.name)  # with its ending, which says whether to compress
    if callable(content):
        content(partial)
    else:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode())
    partial.replace(path)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _promised(folder: Path) -> dict[str, str]:
    """The digest of every file of the model; of no file where that cannot be read."""
    try:
        promised = json.loads((folder / CHECKSUMS).read_text())
    except (OSError, ValueError):
        return {}
    return promised if isinstance(promised, dict) else {}


def _verify(folder: Path) -> None:
    """Every file of the model is there and as it was written; a policy of another model is refused."""
    promised = _promised(folder)
    if not promised:
        raise InputError("damaged: no readable checksums.json", where=str(folder), fix=_AGAIN)
    for name, digest in promised.items():
        file = folder / name
        if not file.is_file():
            raise InputError("a file of the model is missing", where=str(file), fix=_AGAIN)
        if _digest(file) != digest:
            raise InputError(
                "not the file this model was saved with",
                where=str(file),
                fix=f"{_AGAIN}; grammars, weights and policies cannot be exchanged between models",
            )
